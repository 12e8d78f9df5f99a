package interp

import (
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Time in a run is a count of intervals: a point is one, and so is what the threads of a block do between two barriers.
// Blocks and points run one after another, so that a record of an earlier interval is either of the running block, and a
// barrier lies between, or of another block or point, and nothing orders the two.

// siteBits is the part of a stamp that says which instruction; the rest is the number of the interval, from 1.
const siteBits = 24

// cell remembers who touched an element: the last writer, and a reader, the first of the latest interval with any. A
// reader of an earlier block stays for good: every later write conflicts with it. One reader is enough, for within an
// interval one thread runs after another: a first reader that is the writing thread itself is the only one.
type cell struct {
	writer, reader access
	wrote, got     moment // in loops whose iterations have no order
}

// access is a record of a cell; a stamp of 0 is none.
type access struct {
	id    int64 // linear number of the point or thread
	stamp uint64
}

// watch makes the shadows of the views that something writes; views of the same memory share one.
func (m *machine) watch() {
	m.shadow = make([][]cell, len(m.args))
	if !m.races {
		return
	}
	size := map[*byte]int64{} // of memory that a mut view reaches
	each := func(f func(i int, b *Buffer, first *byte)) {
		for i, a := range m.args {
			if a.Buffer != nil && len(a.Buffer.Data) > 0 {
				f(i, a.Buffer, &a.Buffer.Data[0])
			}
		}
	}
	each(func(i int, b *Buffer, first *byte) {
		if m.kernel.Params[i].Mut {
			size[first] = max(size[first], b.Len())
		}
	})
	made := map[*byte][]cell{}
	each(func(i int, b *Buffer, first *byte) {
		n, written := size[first]
		if !written {
			return
		}
		if n = max(n, b.Len()); int64(len(made[first])) < n {
			made[first] = make([]cell, n)
		}
		m.shadow[i] = made[first]
	})
}

func (m *machine) shadowOf(p *ir.Param) []cell { return m.shadow[p.Index] }

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

// read records a read of element i.
func (m *machine) read(c *cell, shared bool, site uint64, i int64) {
	if len(m.loops) > 0 {
		m.readUnordered(c, site, i)
	}
	if m.conflict(c.writer, shared) {
		m.race(site, i, Reads, c.writer, Writes)
	}
	if a := c.reader.stamp; a < m.now && (shared || a == 0 || a >= m.first) {
		c.reader = access{m.id, m.now | site}
	}
}

// write records a write of element i.
func (m *machine) write(c *cell, shared bool, site uint64, i int64) {
	if len(m.loops) > 0 {
		m.writeUnordered(c, site, i)
	}
	switch {
	case m.conflict(c.writer, shared):
		m.race(site, i, Writes, c.writer, Writes)
	case m.conflict(c.reader, shared):
		m.race(site, i, Writes, c.reader, Reads)
	}
	c.writer = access{m.id, m.now | site}
}

// race records a conflict once for each pair of accesses, from whichever side it is seen first.
func (m *machine) race(site uint64, i int64, how Access, other access, otherHow Access) {
	m.conflicts(site, i, how, other, otherHow, diag.Pos{})
}

// conflicts records a race, of iterations if there is a loop.
func (m *machine) conflicts(site uint64, i int64, how Access, other access, otherHow Access, loop diag.Pos) {
	in, first := m.siteOf(site), m.siteOf(other.stamp)
	key := findingKey{in, first, Race, [2]Access{how, otherHow}}
	if how == Reads || how == otherHow && other.stamp&(1<<siteBits-1) < site {
		key = findingKey{first, in, Race, [2]Access{otherHow, how}}
	}
	if n, ok := m.seen[key]; ok {
		m.report.Findings[n].Count++
		return
	}
	name, dims := m.memory(in)
	m.record(key, in, Finding{Kind: Race, Name: name, Index: i, Element: element(i, dims), Access: how, Other: first.Pos, OtherAccess: otherHow, OtherBy: m.place.worker(other.id), Loop: loop})
}

// memory is the name and the dims of what in touches.
func (m *machine) memory(in *ir.Instr) (string, []int64) {
	if in.Param != nil {
		return in.Param.Name, m.args[in.Param.Index].Buffer.Dims
	}
	var dims []int64
	t := in.Local.Type
	for {
		a, ok := t.(*types.Array)
		if !ok {
			return in.Local.Name, dims
		}
		dims, t = append(dims, a.Dims...), a.Elem
	}
}

// element is the index of element i as the source writes it, empty for a scalar.
func element(i int64, dims []int64) string {
	if len(dims) == 0 {
		return ""
	}
	at := make([]int64, len(dims))
	split(at, i, dims)
	if len(dims) == 1 {
		return "[" + indexText(at) + "]"
	}
	return indexText(at)
}
