package ptx

import (
	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// atomicFunctions are CUDA's: relaxed, for the device on a view and for the block on shared memory.
var atomicFunctions = map[ir.AtomicOp]string{
	ir.AtomicAdd: "atomicAdd", ir.AtomicMin: "atomicMin", ir.AtomicMax: "atomicMax", ir.AtomicAnd: "atomicAnd", ir.AtomicOr: "atomicOr",
	ir.AtomicXor: "atomicXor", ir.AtomicExchange: "atomicExch", ir.AtomicCompareExchange: "atomicCAS",
}

// atomic prints an atomic operation. A volatile access is a relaxed one of its size. float32 has no Min and Max, which go
// through the helpers; int64 has Min and Max alone, the rest is that of the unsigned kind.
func atomic(p *cfamily.Printer, a cfamily.Atomic) cfamily.Expr {
	at := cfamily.Prefix("&", cfamily.Atom(a.Place))
	extreme := a.Op == ir.AtomicMin || a.Op == ir.AtomicMax
	switch {
	case a.Op == ir.AtomicLoad, a.Op == ir.AtomicStore:
		x := cfamily.Prefix("*", cfamily.Cast("volatile "+typeNames[a.Kind]+"*", at))
		if a.Op == ir.AtomicStore {
			return cfamily.Atom(x.Text + " = " + a.Args[0].Text)
		}
		return x
	case a.Kind == types.Float32 && extreme:
		return cfamily.Call(p.Need("gg_atomic_"+a.Op.String()+"_f32"), append([]cfamily.Expr{at}, a.Args...)...)
	case a.Kind == types.Int64 && !extreme:
		u := typeNames[types.Uint64]
		args := []cfamily.Expr{cfamily.Cast(u+"*", at)}
		for _, x := range a.Args {
			args = append(args, cfamily.Cast(u, x))
		}
		return cfamily.Cast(typeNames[a.Kind], cfamily.Call(atomicFunctions[a.Op], args...))
	}
	return cfamily.Call(atomicFunctions[a.Op], append([]cfamily.Expr{at}, a.Args...)...)
}
