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
	l := to.locals[to.leaves[0]]
	if !l.Shared {
		return b.aloneWith(op, l, to.index, operands)
	}
	return b.AtomicLocal(op, l, to.index, operands)
}

// aloneWith is an atomic operation on an array of the thread, which a function has by reference: nobody else can touch it.
func (b *body) aloneWith(op ir.AtomicOp, l *ir.Local, index, operands []*ir.Instr) *ir.Instr {
	was := b.ElemGet(l, index...)
	var now *ir.Instr
	switch op {
	case ir.AtomicLoad:
		return was
	case ir.AtomicStore, ir.AtomicExchange:
		now = operands[0]
	case ir.AtomicCompareExchange:
		now = b.Select(b.Bin(ir.OpEq, was, operands[0]), operands[1], was)
	default:
		if operands[0].Op == ir.OpMul { // an atomic sum fuses nothing
			operands[0].NoFuse = true
		}
		now = b.Bin(op.Op(), was, operands[0])
	}
	b.ElemSet(l, now, index...)
	return was
}
