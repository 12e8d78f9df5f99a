package lower

import (
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/ir"
)

// atomicOps are the atomic builtins. `Sub` adds what is negated, which wraps to the same.
var atomicOps = map[string]ir.AtomicOp{
	"atomic.Add": ir.AtomicAdd, "atomic.Sub": ir.AtomicAdd, "atomic.Min": ir.AtomicMin, "atomic.Max": ir.AtomicMax,
	"atomic.And": ir.AtomicAnd, "atomic.Or": ir.AtomicOr, "atomic.Xor": ir.AtomicXor, "atomic.Exchange": ir.AtomicExchange,
	"atomic.CompareExchange": ir.AtomicCompareExchange, "atomic.Load": ir.AtomicLoad, "atomic.Store": ir.AtomicStore,
}

// atomic evaluates `atomic.Add(&x[i], v)`.
func (b *body) atomic(e *dsl.CallExpr, name string, op ir.AtomicOp) *ir.Instr {
	to := b.target(dsl.Unparen(e.Args[0]).(*dsl.UnaryExpr).X)
	var operands []*ir.Instr
	for _, a := range e.Args[1:] {
		operands = append(operands, b.expr(a))
	}
	b.Pos = e.Pos()
	if name == "atomic.Sub" {
		operands[0] = b.Un(ir.OpNeg, operands[0])
	}
	if to.param != nil {
		return b.AtomicParam(op, to.param, to.leaves[0], to.index, operands)
	}
	return b.AtomicLocal(op, to.locals[to.leaves[0]], to.index, operands)
}
