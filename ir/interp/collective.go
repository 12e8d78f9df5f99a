package interp

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// collective compiles a place where threads wait for the values of each other.
func (c *compiler) collective(in *ir.Instr) step {
	c.p.barriers = true
	m, v, d := c.m, c.reg(in.Args[0]), c.reg(in)
	lane := v
	if in.Op == ir.OpShuffle {
		lane = c.reg(in.Args[1])
	}
	return func(r []uint64) signal {
		crew := m.crew
		t := crew.running
		t.value, t.lane = r[v], r[lane]
		if !t.yield(in) || crew.abandoned {
			return stop
		}
		r[d] = t.value
		return next
	}
}

// exchange lets the subgroups go on of which all threads wait at one place that is about the subgroup. It reports whether
// there were any.
func (c *crew) exchange() bool {
	found := false
	for lo := 0; lo+ir.Subgroup <= len(c.threads); lo += ir.Subgroup {
		part := c.threads[lo : lo+ir.Subgroup]
		at := part[0].at
		if at == nil || at.Op != ir.OpShuffle && at.Op != ir.OpBallot && at.Op != ir.OpSubReduce ||
			slices.ContainsFunc(part, func(t thread) bool { return t.at != at }) {
			continue
		}
		found = true
		gather(part, at)
		for i := range part {
			part[i].waits = false
		}
	}
	return found
}

// gather gives the threads of a subgroup what in makes of their values.
func gather(part []thread, in *ir.Instr) {
	was := make([]uint64, len(part))
	votes := uint64(0)
	for i := range part {
		was[i] = part[i].value
		votes |= (was[i] & 1) << i
	}
	switch in.Op {
	case ir.OpShuffle:
		for i := range part {
			if l := part[i].lane; l < ir.Subgroup {
				part[i].value = was[l]
			}
		}
	case ir.OpBallot:
		for i := range part {
			part[i].value = votes
		}
	case ir.OpSubReduce:
		reduced(part, in)
	}
}

// reduce gives every thread of the block what in makes of the values of all.
func (c *crew) reduce(in *ir.Instr) { reduced(c.threads, in) }

func reduced(threads []thread, in *ir.Instr) {
	var x []uint64
	for i := range threads {
		x = append(x, threads[i].value)
	}
	k := in.Kind()
	half := k.IsHalf() // the reduction of float32 values, rounded once
	if half {
		for i, v := range x {
			x[i] = conv(k, types.Float32)(v)
		}
		k = types.Float32
	}
	op := combine(in.Reduce, k)
	if in.Reduce == ir.ScanSum {
		scan(x, op)
	} else {
		x[0] = tree(x, op)
		for i := range x {
			x[i] = x[0]
		}
	}
	for i := range threads {
		if half {
			x[i] = conv(k, in.Kind())(x[i])
		}
		threads[i].value = x[i]
	}
}

// combine is one step of a reduction.
func combine(r ir.Reduction, k types.Kind) func(x, y uint64) uint64 {
	switch {
	case r == ir.ReduceAny:
		return func(x, y uint64) uint64 { return x | y }
	case r == ir.ReduceAll:
		return func(x, y uint64) uint64 { return x & y }
	}
	return binary(r.Op(), k)
}

// tree combines each subgroup, then what the subgroups give.
func tree(x []uint64, op func(x, y uint64) uint64) uint64 {
	var totals []uint64
	for at := 0; at < len(x); at += ir.Subgroup {
		totals = append(totals, halve(x[at:min(at+ir.Subgroup, len(x))], ir.Subgroup, op))
	}
	return halve(totals, ir.Subgroup, op)
}

// halve combines values in pairs that lie half of size apart, then those of half the size.
func halve(x []uint64, size int, op func(x, y uint64) uint64) uint64 {
	x = append([]uint64(nil), x...)
	for half := size / 2; half > 0; half /= 2 {
		for i := 0; i < half && i+half < len(x); i++ {
			x[i] = op(x[i], x[i+half])
		}
	}
	return x[0]
}

// scan makes each value what the values up to it give, by subgroups and their totals.
func scan(x []uint64, op func(x, y uint64) uint64) {
	var totals []uint64
	for at := 0; at < len(x); at += ir.Subgroup {
		part := x[at:min(at+ir.Subgroup, len(x))]
		double(part, op)
		totals = append(totals, part[len(part)-1])
	}
	double(totals, op)
	for i := ir.Subgroup; i < len(x); i++ {
		x[i] = op(totals[i/ir.Subgroup-1], x[i])
	}
}

// double adds to each value the one that lies 1 before it, then 2, then 4 and so on.
func double(x []uint64, op func(x, y uint64) uint64) {
	for shift := 1; shift < len(x); shift *= 2 {
		for i := len(x) - 1; i >= shift; i-- {
			x[i] = op(x[i-shift], x[i])
		}
	}
}
