package pass

import (
	"math/bits"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// The tree of a reduction: the values of each 32 threads in the order of their index, a subgroup, are halved five times,
// value i with value i+16, then with i+8 and so on; then the results of the subgroups likewise, from the power of two
// that is at least half their number. What is missing in a last subgroup, or behind the last one, is skipped. A scan adds
// value i-1 to value i, then i-2, i-4 and so on, in each subgroup, over the totals of the subgroups, and at last the total
// of all earlier subgroups.

// tree appends the reduction of v over the block through shared memory.
func (c *collector) tree(w ir.Builder, r ir.Reduction, v *ir.Instr) *ir.Instr {
	n := c.kernel.GroupSize()
	if n == 1 {
		return v
	}
	m := shared{w, c.shared(scratch{kind: v.Kind(), scan: r == ir.ScanSum}, types.ReduceScratch(n, r == ir.ScanSum))}
	if r == ir.ScanSum {
		return c.scan(m, v, n)
	}
	i := c.thread()
	m.set(v, i)
	m.barrier()
	for half := int64(ir.Subgroup / 2); half > 0; half /= 2 {
		full := n / ir.Subgroup
		rest := n % ir.Subgroup
		count := full * half
		if rest > half {
			count += half
		}
		if count == 0 {
			continue
		}
		in := m.under(ir.OpLt, i, count)
		// The threads that work are the first ones: thread i has value i%half of subgroup i/half.
		at := i
		if half > 1 {
			at = in.Bin(ir.OpShr, i, in.Int(int64(bits.TrailingZeros64(uint64(half)))))
		}
		if at = exact(in.Bin(ir.OpMul, at, in.Int(ir.Subgroup))); half > 1 {
			at = exact(in.Bin(ir.OpAdd, at, in.Bin(ir.OpAnd, i, in.Int(half-1))))
		}
		other := exact(in.Bin(ir.OpAdd, at, in.Int(half)))
		if rest > half && rest < 2*half {
			in = in.under(ir.OpLt, other, n)
		}
		in.set(combine(in.Builder, r, in.get(at), in.get(other)), at)
		m.barrier()
	}
	chunks := (n + ir.Subgroup - 1) / ir.Subgroup
	for half := int64(1) << bits.Len64(uint64(chunks-1)) / 2; half > 0; half /= 2 {
		in := m.under(ir.OpLt, i, min(half, chunks-half))
		at := in.Int(0)
		if half > 1 {
			at = exact(in.Bin(ir.OpMul, i, in.Int(ir.Subgroup)))
		}
		other := exact(in.Bin(ir.OpAdd, at, in.Int(half*ir.Subgroup)))
		in.set(combine(in.Builder, r, in.get(at), in.get(other)), at)
		m.barrier()
	}
	out := m.get(m.Int(0))
	m.barrier()
	return out
}

// scan appends the inclusive sum over the block through shared memory: two arrays of the scratch, of which each step reads
// one and writes the other.
func (c *collector) scan(m shared, v *ir.Instr, n int64) *ir.Instr {
	i := c.thread()
	from, to := int64(0), types.ReduceScratch(n, true)/2
	m.set(v, i)
	m.barrier()
	// step adds, to what stands at each of the places from base on, what stands shift before it.
	step := func(in shared, from, to int64, place *ir.Instr, shift int64) {
		x := in.get(in.plus(i, from))
		l := c.kernel.NewLocal(&ir.Local{Name: "step", Type: v.Type, Pos: m.Pos})
		in.LocalSet(l, x)
		then := in.under(ir.OpGe, place, shift)
		then.LocalSet(l, then.Bin(ir.OpAdd, then.get(then.plus(i, from-shift)), x))
		in.set(in.LocalGet(l), in.plus(i, to))
	}
	lane := i
	if n > ir.Subgroup {
		lane = m.Bin(ir.OpAnd, i, m.Int(ir.Subgroup-1))
	}
	for shift := int64(1); shift < min(n, ir.Subgroup); shift *= 2 {
		step(m, from, to, lane, shift)
		m.barrier()
		from, to = to, from
	}
	sums := from
	chunks := (n + ir.Subgroup - 1) / ir.Subgroup
	if chunks == 1 {
		out := m.get(m.plus(i, sums))
		m.barrier()
		return out
	}
	from, to = to, to+ir.Subgroup
	in := m.under(ir.OpLt, i, chunks)
	last := exact(in.Bin(ir.OpAdd, exact(in.Bin(ir.OpMul, i, in.Int(ir.Subgroup))), in.Int(ir.Subgroup-1)))
	if n%ir.Subgroup != 0 {
		last = in.Bin(ir.OpMin, last, in.Int(n-1))
	}
	in.set(in.get(in.plus(last, sums)), in.plus(i, from))
	m.barrier()
	for shift := int64(1); shift < chunks; shift *= 2 {
		step(m.under(ir.OpLt, i, chunks), from, to, i, shift)
		m.barrier()
		from, to = to, from
	}
	own := m.get(m.plus(i, sums))
	l := c.kernel.NewLocal(&ir.Local{Name: "sum", Type: v.Type, Pos: m.Pos})
	m.LocalSet(l, own)
	then := m.under(ir.OpGe, i, ir.Subgroup)
	before := then.Bin(ir.OpShr, i, then.Int(5))
	then.LocalSet(l, then.Bin(ir.OpAdd, then.get(then.plus(before, from-1)), own))
	m.barrier()
	return m.LocalGet(l)
}

// shared is a builder of accesses to a scratch array whose indexes are in range by construction.
type shared struct {
	ir.Builder
	local *ir.Local
}

func (m shared) barrier() { m.New(ir.OpBarrier, nil) }

func (m shared) get(i *ir.Instr) *ir.Instr {
	in := m.ElemGet(m.local, i)
	in.InBounds = true
	return in
}

func (m shared) set(v, i *ir.Instr) { m.ElemSet(m.local, v, i).InBounds = true }

// plus is i and a constant that does not take it out of the scratch.
func (m shared) plus(i *ir.Instr, n int64) *ir.Instr {
	if n == 0 {
		return i
	}
	return exact(m.Bin(ir.OpAdd, i, m.Int(n)))
}

// under is the builder for what runs if i compares to n.
func (m shared) under(op ir.Op, i *ir.Instr, n int64) shared {
	m.Builder = m.In(m.If(m.Bin(op, i, m.Int(n))).Blocks[0])
	return m
}
