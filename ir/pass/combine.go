package pass

import (
	"math"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// combine makes one value of what the threads of a block have accumulated, and gives it to all of them.
func (s *spreader) combine(w ir.Builder, op ir.ReduceOp, acc []*ir.Local) {
	first := acc[0]
	v := w.LocalGet(first)
	switch op {
	case ir.ReduceAny, ir.ReduceAll:
		fold := ir.OpOr
		if op == ir.ReduceAll {
			fold = ir.OpAnd
		}
		all := s.reduce(w, fold, w.Select(v, w.Const(types.Int32, 1), w.Const(types.Int32, 0)))
		w.LocalSet(first, w.Bin(ir.OpNe, all, w.Const(types.Int32, 0)))
	case ir.ReduceArgMin, ir.ReduceArgMax:
		w.LocalSet(first, s.argument(w, op, v, w.LocalGet(acc[1]), w.LocalGet(acc[2])))
	default:
		fold := map[ir.ReduceOp]ir.Op{ir.ReduceSum: ir.OpAdd, ir.ReduceProd: ir.OpMul, ir.ReduceMin: ir.OpMin, ir.ReduceMax: ir.OpMax}[op]
		k := v.Kind()
		w.LocalSet(first, w.Conv(k, s.reduce(w, fold, w.Conv(types.ScratchKind(k), v))))
	}
}

// argument is the first of the indexes whose values are as good as the best of all, or -1. A thread has the first of its
// own in at, and its value in best, if it found any.
func (s *spreader) argument(w ir.Builder, op ir.ReduceOp, at, best, found *ir.Instr) *ir.Instr {
	least := op == ir.ReduceArgMin
	fold := ir.OpMax
	if least {
		fold = ir.OpMin
	}
	k := types.ScratchKind(best.Kind())
	v := w.Select(found, w.Conv(k, best), w.Bits(k, extremeBits(k, least)))
	top := s.reduce(w, fold, v)
	equal := w.Bin(ir.OpEq, v, top)
	if k.IsFloat() { // -0 is less than 0, and NaN as good as NaN
		one := w.Float(k, 1)
		signs := w.Bin(ir.OpEq, w.Bin(ir.OpCopysign, one, v), w.Bin(ir.OpCopysign, one, top))
		nans := w.Select(w.Bin(ir.OpNe, v, v), w.Bin(ir.OpNe, top, top), w.Bool(false))
		equal = w.Select(equal, signs, nans)
	}
	none := w.Const(types.Int64, math.MaxInt64) // no index is
	mine := w.Select(w.Select(found, equal, w.Bool(false)), w.Conv(types.Int64, at), none)
	index := s.reduce(w, ir.OpMin, mine)
	return w.Select(w.Bin(ir.OpEq, index, none), w.Int(-1), w.Conv(types.Int, index))
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

// reduce combines the values of all threads by an operation that may be regrouped: about the square root of them each
// combine the values of as many threads, and then each thread the results. Two barriers do, and none is needed in front:
// whoever still reads the results of a reduction before has passed its second barrier, behind which nobody reads all, and
// the first one of this lies in front of new results.
func (s *spreader) reduce(w ir.Builder, op ir.Op, v *ir.Instr) *ir.Instr {
	all, parts := s.scratchOf(v.Kind())
	acc := s.kernel.NewLocal(&ir.Local{Name: "part", Type: v.Type})
	n := parts.Type.(*types.Array).Dims[0]
	get := func(w ir.Builder, l *ir.Local, i *ir.Instr) *ir.Instr {
		e := w.ElemGet(l, i)
		e.InBounds = true
		return e
	}
	over := func(w ir.Builder, l *ir.Local, lo, hi, step *ir.Instr) {
		loop := w.Range("", lo, hi, step)
		w = w.In(loop.Blocks[0])
		w.LocalSet(acc, w.Bin(op, w.LocalGet(acc), get(w, l, loop.Blocks[0].Iter)))
	}
	t := s.thread(w)
	w.ElemSet(all, v, t).InBounds = true
	w.New(ir.OpBarrier, nil)
	in := w.In(w.If(w.Bin(ir.OpLt, t, w.Int(n))).Blocks[0])
	in.LocalSet(acc, get(in, all, t))
	over(in, all, exact(in.Bin(ir.OpAdd, t, in.Int(n))), in.Int(s.threads), in.Int(n))
	in.ElemSet(parts, in.LocalGet(acc), t).InBounds = true
	w.New(ir.OpBarrier, nil)
	w.LocalSet(acc, get(w, parts, w.Int(0)))
	over(w, parts, w.Int(1), w.Int(n), w.Int(1))
	return w.LocalGet(acc)
}

// scratchOf is the shared memory for values of kind k: one of each thread, and the results of those that combine them.
func (s *spreader) scratchOf(k types.Kind) (all, parts *ir.Local) {
	pair, ok := s.scratch[k]
	if !ok {
		a, p := types.ScratchElems(int(s.threads))
		array := func(name string, n int) *ir.Local {
			return s.kernel.NewLocal(&ir.Local{Name: name, Type: &types.Array{Dims: []int64{int64(n)}, Elem: k}, Shared: true})
		}
		pair = [2]*ir.Local{array("all", a), array("parts", p)}
		s.scratch[k] = pair
	}
	return pair[0], pair[1]
}
