package interp

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// atomic compiles an atomic operation. Threads run one after another from one place where they wait to the next, so that
// reading and writing are one step of their own.
func (c *compiler) atomic(in *ir.Instr) step {
	m, d, site := c.m, c.reg(in), c.m.site(in)
	n := len(in.Indexes())
	operands := c.regs(in.Args[n:])
	value := atomicValue(in.Atomic, in.Kind())
	if in.Local != nil {
		base, size := m.common.at[in.Local], words(in.Local.Type)
		mem, cells := m.common.words[base:base+size], m.common.cells[base:base+size]
		at := func([]uint64) (int64, bool) { return 0, true }
		if n > 0 {
			at = m.index(in, in.Local.Name, arrayDims(in.Local.Type, n), c.regs(in.Args[:n]))
		}
		fills := in.Atomic == ir.AtomicStore || in.Atomic == ir.AtomicExchange
		return func(r []uint64) signal {
			i, ok := at(r)
			if !ok {
				r[d] = 0
				return next
			}
			if c := &cells[i]; !fills && c.writer.stamp < m.first && c.atomic.first.stamp < m.first {
				m.uninitialised(in, i)
			}
			m.update(&cells[i], true, site, i)
			was := mem[i]
			mem[i] = value(r, operands, was)
			r[d] = was
			return next
		}
	}
	b := m.args[in.Param.Index].Buffer
	leaf, _, _ := in.Access()
	at := m.index(in, in.Param.Name, m.dimsOf(in), c.regs(in.Args[:n]))
	data, get, set, sh := b.Data, loader(leaf.Kind), storer(leaf.Kind), m.shadowOf(in.Param)
	place := func(i int64) int64 { return i * int64(leaf.Kind.Size()) }
	if types.KindOf(b.Elem) == types.Invalid {
		place = placeOf(&leaf, types.Size(b.Elem))
	}
	return func(r []uint64) signal {
		i, ok := at(r)
		if !ok {
			r[d] = 0
			return next
		}
		byteAt := place(i)
		if sh.cells != nil {
			m.update(sh.at(byteAt), false, site, i)
		}
		was := get(data[byteAt:], 0)
		set(data[byteAt:], 0, value(r, operands, was))
		r[d] = was
		return next
	}
}

// atomicValue is what an operation leaves in an element, from its operands and what it finds.
func atomicValue(op ir.AtomicOp, k types.Kind) func(r []uint64, operands []int, was uint64) uint64 {
	switch op {
	case ir.AtomicLoad:
		return func(_ []uint64, _ []int, was uint64) uint64 { return was }
	case ir.AtomicStore, ir.AtomicExchange:
		return func(r []uint64, operands []int, _ uint64) uint64 { return r[operands[0]] }
	case ir.AtomicCompareExchange:
		return func(r []uint64, operands []int, was uint64) uint64 {
			if was == r[operands[0]] {
				return r[operands[1]]
			}
			return was
		}
	}
	f := binary(op.Op(), k)
	return func(r []uint64, operands []int, was uint64) uint64 { return f(was, r[operands[0]]) }
}
