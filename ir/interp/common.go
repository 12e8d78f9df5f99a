package interp

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// common is the shared memory of the running block: a word and a cell an element.
type common struct {
	words  []uint64
	poison []uint64
	cells  []cell
	at     map[*ir.Local]int
}

// newCommon places the shared variables of k.
func newCommon(k *ir.Kernel) common {
	s := common{at: map[*ir.Local]int{}}
	for _, l := range k.Locals {
		if !l.Shared {
			continue
		}
		s.at[l] = len(s.poison)
		t := l.Type
		for {
			a, ok := t.(*types.Array)
			if !ok {
				break
			}
			t = a.Elem
		}
		for range words(l.Type) {
			s.poison = append(s.poison, poison(t.(types.Kind)))
		}
	}
	s.words, s.cells = make([]uint64, len(s.poison)), make([]cell, len(s.poison))
	return s
}

// poison is what an element of kind k holds before it is written: a NaN, or an unlikely pattern.
func poison(k types.Kind) uint64 {
	switch k {
	case types.Float16:
		return 0x7E5A
	case types.BFloat16:
		return 0x7FDA
	case types.Float32:
		return 0x7FC5A5A5
	case types.Float64:
		return 0x7FF85A5A5A5A5A5A
	}
	return norm(k, 0xA5A5A5A5A5A5A5A5)
}

// shared compiles an access of a shared variable. The words of a whole array are as many accesses.
func (c *compiler) shared(in *ir.Instr) step {
	m, base, size := c.m, c.m.common.at[in.Local], words(in.Local.Type)
	mem, cells := m.common.words[base:base+size], m.common.cells[base:base+size]
	site := m.site(in)
	at := func([]uint64) (int64, bool) { return 0, true }
	last := len(in.Args) // number of indexes
	reads := in.Op == ir.OpLocalGet || in.Op == ir.OpElemGet
	if !reads {
		last--
	}
	if last > 0 {
		at = m.index(in, in.Local.Name, arrayDims(in.Local.Type, last), c.regs(in.Args[:last]))
	}
	switch {
	case reads:
		d, n := c.reg(in), words(in.Type)
		if n == 1 {
			return func(r []uint64) signal {
				i, ok := at(r)
				if !ok {
					r[d] = 0
					return next
				}
				m.readShared(&cells[i], site, i)
				r[d] = mem[i]
				return next
			}
		}
		return func(r []uint64) signal {
			i, ok := at(r)
			if !ok {
				clear(r[d : d+n])
				return next
			}
			from := int(i) * n
			for w := range n {
				m.readShared(&cells[from+w], site, int64(from+w))
			}
			copy(r[d:d+n], mem[from:])
			return next
		}
	case in.Op == ir.OpLocalSet || in.Op == ir.OpElemSet:
		v := in.Args[last]
		s, n := c.reg(v), words(v.Type)
		if n == 1 {
			return func(r []uint64) signal {
				if i, ok := at(r); ok {
					m.writeShared(&cells[i], site, i)
					mem[i] = r[s]
				}
				return next
			}
		}
		return func(r []uint64) signal {
			if i, ok := at(r); ok {
				to := int(i) * n
				for w := range n {
					m.writeShared(&cells[to+w], site, int64(to+w))
				}
				copy(mem[to:to+n], r[s:])
			}
			return next
		}
	}
	panic(fmt.Sprintf("interp: access %s", in.Op))
}

// readShared records a read of a word; one that no thread of the block has written is garbage.
func (m *machine) readShared(c *cell, site uint64, i int64) {
	if c.writer.stamp < m.first && c.atomic.first.stamp < m.first {
		m.uninitialised(m.siteOf(site), i)
	}
	if m.races {
		m.read(c, true, site, i)
	}
}

func (m *machine) writeShared(c *cell, site uint64, i int64) {
	if m.races {
		m.write(c, true, site, i)
		return
	}
	c.writer = access{m.id, m.now | site}
}

func (m *machine) uninitialised(in *ir.Instr, i int64) {
	if m.again(in, Uninitialised) {
		return
	}
	name, text := m.memory(in, i)
	m.note(in, Finding{Kind: Uninitialised, Name: name, Index: i, Element: text, Other: in.Local.Pos})
}
