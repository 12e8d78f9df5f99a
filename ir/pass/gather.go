package pass

import (
	"math"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// gather makes one value of what the threads of a block have accumulated, and gives it to all of them.
func gather(w ir.Builder, op ir.Reduction, acc []*ir.Local) {
	v := w.LocalGet(acc[0])
	found := func() *ir.Instr {
		if len(acc) < 3 {
			return w.Bin(ir.OpGe, v, w.Int(0))
		}
		return w.LocalGet(acc[2])
	}
	switch op {
	case ir.ReduceArgMin:
		v = argument(w, ir.ReduceMin, v, w.LocalGet(acc[1]), found())
	case ir.ReduceArgMax:
		v = argument(w, ir.ReduceMax, v, w.LocalGet(acc[1]), found())
	default:
		v = w.Reduce(op, v)
	}
	w.LocalSet(acc[0], v)
}

// argument is the first of the indexes whose values are as good as the best of all, or -1. A thread has the first of its
// own in at, and its value in best, if it found any.
func argument(w ir.Builder, op ir.Reduction, at, best, found *ir.Instr) *ir.Instr {
	k := best.Kind()
	if k.IsFloat() && k != types.Float64 { // 16 bits are combined in 32
		k = types.Float32
	}
	v := w.Select(found, w.Conv(k, best), w.Bits(k, extremeBits(k, op == ir.ReduceMin)))
	top := w.Reduce(op, v)
	equal := w.Bin(ir.OpEq, v, top)
	if k.IsFloat() { // -0 is less than 0, and NaN as good as NaN
		one := w.Float(k, 1)
		signs := w.Bin(ir.OpEq, w.Bin(ir.OpCopysign, one, v), w.Bin(ir.OpCopysign, one, top))
		nans := w.Select(w.Bin(ir.OpNe, v, v), w.Bin(ir.OpNe, top, top), w.Bool(false))
		equal = w.Select(equal, signs, nans)
	}
	none := w.Int(math.MaxInt64) // no index is
	index := w.Reduce(ir.ReduceMin, w.Select(w.Select(found, equal, w.Bool(false)), at, none))
	return w.Select(w.Bin(ir.OpEq, index, none), w.Int(-1), index)
}

// extremeBits is the highest value of kind k, or the lowest: what any other is better than.
func extremeBits(k types.Kind, highest bool) uint64 {
	switch {
	case k.IsFloat() && highest:
		return ir.FloatBits(k, math.Inf(1))
	case k.IsFloat():
		return ir.FloatBits(k, math.Inf(-1))
	case k.IsSigned() == highest:
		return ir.IntBits(k, int64(uint64(math.MaxUint64)>>(65-k.Bits())))
	case highest:
		return ir.IntBits(k, -1)
	case k.IsSigned():
		return ir.IntBits(k, -1<<(k.Bits()-1))
	}
	return 0
}
