package cpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// atomicNames are the functions of runtime/gpu/gen on integers; float32 has its own for those that compute.
var atomicNames = map[ir.AtomicOp]string{
	ir.AtomicAdd: "Add", ir.AtomicMin: "Min", ir.AtomicMax: "Max", ir.AtomicAnd: "And", ir.AtomicOr: "Or", ir.AtomicXor: "Xor",
	ir.AtomicExchange: "Exchange", ir.AtomicCompareExchange: "CompareExchange", ir.AtomicLoad: "Load", ir.AtomicStore: "Store",
}

var floatAtomics = map[ir.AtomicOp]string{ir.AtomicAdd: "Fadd", ir.AtomicMin: "Fmin", ir.AtomicMax: "Fmax"}

// atomic is an atomic operation on an element of a view.
func (f *function) atomic(in *ir.Instr) value {
	index := in.Indexes()
	name := atomicNames[in.Atomic]
	if n, ok := floatAtomics[in.Atomic]; ok && in.Kind() == types.Float32 {
		name = n
	}
	args := []jen.Code{jen.Op("&").Add(f.viewElement(in))}
	for _, a := range in.Args[len(index):] {
		args = append(args, f.expr(a).code)
	}
	return call(jen.Qual(genPath, "Atomic"+name).Call(args...))
}

// plainAtomics replaces the atomic operations on shared variables by reading, computing and writing: the threads of a block
// run in turn here, and no others see its memory.
func plainAtomics(b *ir.Block) {
	to := map[*ir.Instr]*ir.Instr{}
	plainIn(b, to)
	b.Walk(func(in *ir.Instr) {
		for i, a := range in.Args {
			if v := to[a]; v != nil {
				in.Args[i] = v
			}
		}
	})
}

func plainIn(b *ir.Block, to map[*ir.Instr]*ir.Instr) {
	out := &ir.Block{}
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			plainIn(c, to)
		}
		if in.Op != ir.OpAtomic || in.Local == nil {
			out.Add(in)
			continue
		}
		w := ir.Builder{Block: out, Pos: in.Pos}
		index := in.Indexes()
		operands := in.Args[len(index):]
		found := w.LocalGet
		if len(index) > 0 {
			found = func(l *ir.Local) *ir.Instr { return w.ElemGet(l, index...) }
		}
		old := found(in.Local)
		old.Name, old.InBounds = in.Name, in.InBounds
		to[in] = old
		var v *ir.Instr
		switch in.Atomic {
		case ir.AtomicLoad:
			continue
		case ir.AtomicStore, ir.AtomicExchange:
			v = operands[0]
		case ir.AtomicCompareExchange:
			v = w.Select(w.Bin(ir.OpEq, old, operands[0]), operands[1], old)
		default:
			v = w.Bin(in.Atomic.Op(), old, operands[0])
		}
		if len(index) == 0 {
			w.LocalSet(in.Local, v)
		} else {
			w.ElemSet(in.Local, v, index...).InBounds = in.InBounds
		}
	}
	b.Instrs = out.Instrs
}
