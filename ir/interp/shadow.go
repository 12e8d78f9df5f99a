package interp

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Time in a run is a count of intervals: a point is one, and so is what the threads of a block do between two barriers.
// Blocks and points run one after another, so that a record of an earlier interval is either of the running block, and a
// barrier lies between, or of another block or point, and nothing orders the two.

// siteBits is the part of a stamp that says which instruction; the rest is the number of the interval, from 1.
const siteBits = 24

// cell remembers who touched an element: the last writer, and those who read it or updated it atomically since.
type cell struct {
	writer          access
	readers, atomic touches

	wrote, got, updated moment // in loops whose iterations have no order
}

// touches are two accesses of one sort by different threads: the first of the latest interval with any, and another of the
// same interval. One of an earlier block stays for good: every later write conflicts with it. Two are enough, for of two
// threads one is not the thread that comes into conflict.
type touches struct{ first, other access }

// access is a record of a cell; a stamp of 0 is none.
type access struct {
	id    int64 // linear number of the point or thread
	stamp uint64
}

// shadow is the cells of a view: one for as many bytes as the narrowest scalar has that any view keeps in the memory.
type shadow struct {
	cells []cell
	unit  int64 // bytes a cell
	each  int64 // cells an element
}

// at is the cell of the scalar at a byte.
func (s *shadow) at(byteAt int64) *cell { return &s.cells[byteAt/s.unit] }

// element is the cell of an element of a basic type.
func (s *shadow) element(i int64) *cell { return &s.cells[i*s.each] }

// watch makes the shadows of the views that something writes; views of the same memory share one.
func (m *machine) watch() {
	m.shadow = make([]shadow, len(m.args))
	if !m.races {
		return
	}
	written, unit := map[*byte]bool{}, map[*byte]int64{}
	size := map[*byte]int64{}
	each := func(f func(i int, b *Buffer, first *byte)) {
		for i, a := range m.args {
			if a.Buffer != nil && len(a.Buffer.Data) > 0 && m.kernel.Params[i].IsView() {
				f(i, a.Buffer, &a.Buffer.Data[0])
			}
		}
	}
	each(func(i int, b *Buffer, first *byte) {
		written[first] = written[first] || m.kernel.Params[i].Mut
		size[first] = max(size[first], int64(len(b.Data)))
		for _, k := range types.Kinds(b.Elem) {
			if n := int64(k.Size()); unit[first] == 0 || n < unit[first] {
				unit[first] = n
			}
		}
	})
	made := map[*byte][]cell{}
	each(func(i int, b *Buffer, first *byte) {
		if !written[first] {
			return
		}
		if made[first] == nil {
			made[first] = make([]cell, size[first]/unit[first])
		}
		m.shadow[i] = shadow{made[first], unit[first], types.Size(b.Elem) / unit[first]}
	})
}

func (m *machine) shadowOf(p *ir.Param) *shadow { return &m.shadow[p.Index] }

// begin starts a point or block.
func (m *machine) begin() {
	m.now += 1 << siteBits
	m.first = m.now
}

// site is the part of a stamp that stands for in.
func (m *machine) site(in *ir.Instr) uint64 {
	if len(m.sites) < 1<<siteBits { // beyond, the last one stands for all the others
		m.sites = append(m.sites, in)
	}
	return uint64(len(m.sites) - 1)
}

func (m *machine) siteOf(stamp uint64) *ir.Instr { return m.sites[stamp&(1<<siteBits-1)] }

// conflict reports that nothing orders a before the running thread. Of shared memory, other blocks have their own.
func (m *machine) conflict(a access, shared bool) bool {
	return a.stamp >= m.now && a.id != m.id || !shared && a.stamp != 0 && a.stamp < m.first
}

// clash is an access of t that nothing orders before the running thread; without one it reports false.
func (m *machine) clash(t *touches, shared bool) (access, bool) {
	if m.conflict(t.first, shared) {
		return t.first, true
	}
	return t.other, m.conflict(t.other, shared)
}

// touch records an access of the running thread among those of its sort.
func (m *machine) touch(t *touches, shared bool, site uint64) {
	me := access{m.id, m.now | site}
	switch a := t.first.stamp; {
	case a < m.now && (shared || a == 0 || a >= m.first):
		*t = touches{first: me}
	case a >= m.now && t.first.id != m.id && t.other.stamp < m.now:
		t.other = me
	}
}

// read records a read of element i.
func (m *machine) read(c *cell, shared bool, site uint64, i int64) {
	if len(m.loops) > 0 {
		m.readUnordered(c, site, i)
	}
	if m.conflict(c.writer, shared) {
		m.race(site, i, Reads, c.writer, Writes)
	} else if a, ok := m.clash(&c.atomic, shared); ok {
		m.race(site, i, Reads, a, Updates)
	}
	m.touch(&c.readers, shared, site)
}

// write records a write of element i.
func (m *machine) write(c *cell, shared bool, site uint64, i int64) {
	if len(m.loops) > 0 {
		m.writeUnordered(c, site, i)
	}
	if m.conflict(c.writer, shared) {
		m.race(site, i, Writes, c.writer, Writes)
	} else if a, ok := m.clash(&c.readers, shared); ok {
		m.race(site, i, Writes, a, Reads)
	} else if a, ok := m.clash(&c.atomic, shared); ok {
		m.race(site, i, Writes, a, Updates)
	}
	c.writer = access{m.id, m.now | site}
}

// update records an atomic operation on element i: only those that are not atomic are in conflict with it.
func (m *machine) update(c *cell, shared bool, site uint64, i int64) {
	if len(m.loops) > 0 {
		m.updateUnordered(c, site, i)
	}
	if m.conflict(c.writer, shared) {
		m.race(site, i, Updates, c.writer, Writes)
	} else if a, ok := m.clash(&c.readers, shared); ok {
		m.race(site, i, Updates, a, Reads)
	}
	m.touch(&c.atomic, shared, site)
}

// race records a conflict once for each pair of accesses, from whichever side it is seen first.
func (m *machine) race(site uint64, i int64, how Access, other access, otherHow Access) {
	m.conflicts(site, i, how, other, otherHow, diag.Pos{})
}

// conflicts records a race, of iterations if there is a loop.
func (m *machine) conflicts(site uint64, i int64, how Access, other access, otherHow Access, loop diag.Pos) {
	in, first := m.siteOf(site), m.siteOf(other.stamp)
	key := findingKey{in, first, Race, [2]Access{how, otherHow}}
	if how < otherHow || how == otherHow && other.stamp&(1<<siteBits-1) < site {
		key = findingKey{first, in, Race, [2]Access{otherHow, how}}
	}
	if n, ok := m.seen[key]; ok {
		m.report.Findings[n].Count++
		return
	}
	name, text := m.memory(in, i)
	m.record(key, in, Finding{Kind: Race, Name: name, Index: i, Element: text, Access: how, Other: first.Pos, OtherAccess: otherHow, OtherBy: m.place.worker(other.id), Loop: loop})
}

// memory is the name of what in touches, and element i of it as the source writes it behind the name.
func (m *machine) memory(in *ir.Instr, i int64) (string, string) {
	if in.Param != nil {
		leaf := in.Param.Leaf(in.Leaf)
		dims := m.dimsOf(in)
		at := make([]int64, len(dims))
		split(at, i, dims)
		n := len(dims) - len(leaf.Dims)
		return in.Param.Name, element(at[:n]) + leafText(&leaf, at[n:])
	}
	var dims []int64
	t := in.Local.Type
	for {
		a, ok := t.(*types.Array)
		if !ok {
			at := make([]int64, len(dims))
			split(at, i, dims)
			return in.Local.Name, element(at)
		}
		dims, t = append(dims, a.Dims...), a.Elem
	}
}

// element is an index as the source writes it, empty for a scalar.
func element(at []int64) string {
	switch len(at) {
	case 0:
		return ""
	case 1:
		return "[" + indexText(at) + "]"
	}
	return indexText(at)
}

// leafText is the way to a scalar of an element as the source writes it.
func leafText(leaf *types.Leaf, at []int64) string {
	var b strings.Builder
	for _, s := range leaf.Steps {
		switch {
		case s.Index:
			fmt.Fprintf(&b, "[%d]", at[0])
			at = at[1:]
		case s.Field != "":
			b.WriteString("." + s.Field)
		default:
			b.WriteString("." + types.Components[s.Comp:s.Comp+1])
		}
	}
	return b.String()
}
