package pass

import (
	"math"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// shuffle makes a shuffle's lane one that there is: the thread's own in place of one outside. The 16-bit floats go as
// their bits.
func (c *collector) shuffle(w ir.Builder, in *ir.Instr) *ir.Instr {
	x, lane := in.Args[0], in.Args[1]
	if in.InBounds && !x.Kind().IsHalf() {
		return nil
	}
	if !in.InBounds {
		inside := w.Bin(ir.OpLt, w.New(ir.OpBitcast, types.Uint32, lane), w.Const(types.Uint32, ir.Subgroup))
		lane = w.Select(inside, lane, c.laneInt32())
	}
	if k := x.Kind(); k.IsHalf() {
		return w.New(ir.OpBitcast, k, c.from(w, w.New(ir.OpBitcast, types.Uint16, x), lane))
	}
	return c.from(w, x, lane)
}

// from is x of a lane that there is.
func (c *collector) from(w ir.Builder, x, lane *ir.Instr) *ir.Instr {
	in := w.Shuffle(x, lane)
	in.InBounds = true
	return in
}

// butterfly appends the reduction of v over the subgroup: value i is combined with value i^16, then i^8 and so on, which
// makes the same tree in every lane.
func (c *collector) butterfly(w ir.Builder, r ir.Reduction, v *ir.Instr) *ir.Instr {
	if r == ir.ScanSum {
		return c.doubling(w, v, ir.Subgroup)
	}
	return c.fold(w, r, v, ir.Subgroup)
}

// fold combines the first n values of the subgroup, a power of two, in all of its lanes.
func (c *collector) fold(w ir.Builder, r ir.Reduction, v *ir.Instr, n int64) *ir.Instr {
	for half := n / 2; half > 0; half /= 2 {
		other := w.Bin(ir.OpXor, c.laneInt32(), w.Const(types.Int32, half))
		v = combine(w, r, v, c.from(w, v, other))
	}
	return v
}

// doubling adds to each of the first n values of the subgroup those before it.
func (c *collector) doubling(w ir.Builder, v *ir.Instr, n int64) *ir.Instr {
	lane := c.laneInt32()
	for shift := int64(1); shift < n; shift *= 2 {
		has := w.Bin(ir.OpGe, lane, w.Const(types.Int32, shift))
		before := w.Select(has, exact(w.Bin(ir.OpSub, lane, w.Const(types.Int32, shift))), lane)
		v = w.Select(has, w.Bin(ir.OpAdd, c.from(w, v, before), v), v)
	}
	return v
}

// vote is Any or All of bools: the subgroup's ballot says it, for the block the ballots' results do.
func (c *collector) vote(w ir.Builder, in *ir.Instr, loop bool) *ir.Instr {
	votes := w.New(ir.OpBallot, types.Uint32, in.Args[0])
	any := in.Reduce == ir.ReduceAny
	subgroup := func() *ir.Instr {
		if any {
			return w.Bin(ir.OpNe, votes, w.Const(types.Uint32, 0))
		}
		return w.Bin(ir.OpEq, votes, w.Const(types.Uint32, math.MaxUint32))
	}
	chunks := c.kernel.GroupSize() / ir.Subgroup
	if in.Op == ir.OpSubReduce || chunks == 1 {
		return subgroup()
	}
	votes = c.totals(w, votes, in, loop, func(m shared) *ir.Instr {
		return c.fold(m.Builder, in.Reduce, c.padded(m, in.Reduce, chunks), pow2(chunks))
	})
	return subgroup()
}

// bySubgroups appends the reduction of v over the block: over each subgroup, then over the results of the subgroups, which
// every one of them combines for itself. It makes the tree that [collector.tree] makes.
func (c *collector) bySubgroups(w ir.Builder, r ir.Reduction, v, in *ir.Instr, loop bool) *ir.Instr {
	own := c.butterfly(w, r, v)
	chunks := c.kernel.GroupSize() / ir.Subgroup
	if chunks == 1 {
		return own
	}
	if r != ir.ScanSum {
		return c.totals(w, own, in, loop, func(m shared) *ir.Instr {
			return c.fold(m.Builder, r, c.padded(m, r, chunks), pow2(chunks))
		})
	}
	before := c.totals(w, own, in, loop, func(m shared) *ir.Instr {
		sums := c.doubling(m.Builder, c.padded(m, r, chunks), pow2(chunks))
		at := m.Conv(types.Int32, m.Bin(ir.OpMax, exact(m.Bin(ir.OpSub, c.subgroup(), m.Int(1))), m.Int(0)))
		return c.from(m.Builder, sums, at)
	})
	first := w.Bin(ir.OpLt, c.subgroup(), w.Int(1))
	return w.Select(first, own, w.Bin(ir.OpAdd, before, own))
}

// totals writes what the last lane of each subgroup has to shared memory and gives what f makes of it behind a barrier.
// Outside of loops the memory is for this alone; in a loop a barrier keeps the next turn from overwriting it.
func (c *collector) totals(w ir.Builder, v, in *ir.Instr, loop bool, f func(m shared) *ir.Instr) *ir.Instr {
	s := scratch{kind: v.Kind(), own: in}
	if loop {
		s.own = nil
	}
	m := shared{w, c.shared(s, c.kernel.GroupSize()/ir.Subgroup)}
	then := m.under(ir.OpEq, c.lane(), ir.Subgroup-1)
	then.set(v, c.subgroup())
	m.barrier()
	out := f(m)
	if loop {
		m.barrier()
	}
	return out
}

// padded is, in each lane, the total of the subgroup of that number modulo the power of two at or over their number, and
// behind the last what changes no other: so bits stay what they are, those of a sum included, which is padded with -0.
func (c *collector) padded(m shared, r ir.Reduction, chunks int64) *ir.Instr {
	n := pow2(chunks)
	lane := m.Bin(ir.OpAnd, c.lane(), m.Int(n-1))
	x := m.get(m.Bin(ir.OpMin, lane, m.Int(chunks-1)))
	if n == chunks || r == ir.ScanSum {
		return x
	}
	return m.Select(m.Bin(ir.OpLt, lane, m.Int(chunks)), x, neutral(m.Builder, r, x.Kind()))
}

// neutral is the value that a reduction of kind k leaves every other as it is with.
func neutral(w ir.Builder, r ir.Reduction, k types.Kind) *ir.Instr {
	float := k.IsFloat()
	highest, lowest := int64(math.MaxInt64)>>(64-k.Bits()), int64(math.MinInt64)>>(64-k.Bits())
	if k.IsUnsigned() {
		highest, lowest = -1, 0
	}
	switch {
	case r == ir.ReduceSum && float:
		return w.Float(k, math.Copysign(0, -1))
	case r == ir.ReduceProd && float:
		return w.Float(k, 1)
	case r == ir.ReduceMin && float:
		return w.Float(k, math.Inf(1))
	case r == ir.ReduceMax && float:
		return w.Float(k, math.Inf(-1))
	case r == ir.ReduceProd:
		return w.Const(k, 1)
	case r == ir.ReduceMin:
		return w.Const(k, highest)
	case r == ir.ReduceMax:
		return w.Const(k, lowest)
	case r == ir.ReduceAll:
		return w.Const(k, -1)
	}
	return w.Const(k, 0)
}

// pow2 is the least power of two that is not below n.
func pow2(n int64) int64 {
	p := int64(1)
	for p < n {
		p *= 2
	}
	return p
}
