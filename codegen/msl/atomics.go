package msl

import (
	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// atomicFunctions are Metal's on integers.
var atomicFunctions = map[ir.AtomicOp]string{
	ir.AtomicAdd: "atomic_fetch_add_explicit", ir.AtomicMin: "atomic_fetch_min_explicit", ir.AtomicMax: "atomic_fetch_max_explicit",
	ir.AtomicAnd: "atomic_fetch_and_explicit", ir.AtomicOr: "atomic_fetch_or_explicit", ir.AtomicXor: "atomic_fetch_xor_explicit",
	ir.AtomicExchange: "atomic_exchange_explicit", ir.AtomicLoad: "atomic_load_explicit", ir.AtomicStore: "atomic_store_explicit",
}

// atomic prints an atomic operation. Metal's compare-exchange may fail for no reason, so that a helper repeats it; float32,
// which older devices have no atomics for, goes as its bits, and computes in helpers.
func atomic(p *cfamily.Printer, a cfamily.Atomic) cfamily.Expr {
	space := "device"
	if a.Shared {
		space = "threadgroup"
	}
	kind := a.Kind
	args := a.Args
	computes := a.Op.Op() != ir.OpInvalid
	cas := a.Op == ir.AtomicCompareExchange
	if kind == types.Float32 || cas && kind == types.Int32 {
		kind = types.Uint32
		if !computes || cas {
			args = nil
			for _, x := range a.Args {
				args = append(args, reinterpret(kind, a.Kind, x))
			}
		}
	}
	args = append([]cfamily.Expr{cfamily.Cast(space+" atomic_"+typeNames[kind]+"*", cfamily.Prefix("&", cfamily.Atom(a.Place)))}, args...)
	var x cfamily.Expr
	switch {
	case cas:
		x = cfamily.Call(p.Need("gg_atomic_cas_"+space), args...)
	case computes && a.Kind == types.Float32:
		return cfamily.Call(p.Need("gg_atomic_"+a.Op.String()+"_f32_"+space), args...)
	default:
		x = cfamily.Call(atomicFunctions[a.Op], append(args, cfamily.Atom("memory_order_relaxed"))...)
	}
	if kind == a.Kind || a.Op == ir.AtomicStore {
		return x
	}
	return reinterpret(a.Kind, kind, x)
}
