package opencl

import (
	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// atomicNames are the operations behind `atomic_` on 32 bits, and behind `atom_` on 64.
var atomicNames = map[ir.AtomicOp]string{
	ir.AtomicAdd: "add", ir.AtomicMin: "min", ir.AtomicMax: "max", ir.AtomicAnd: "and", ir.AtomicOr: "or", ir.AtomicXor: "xor",
	ir.AtomicExchange: "xchg", ir.AtomicCompareExchange: "cmpxchg",
}

// wideAtomics stand around kernels with atomic operations on 64 bits, which a device may lack.
var wideAtomics = []string{
	"#if defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics)",
	"#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable",
	"#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable",
}

// hasWideAtomics reports a kernel with such operations.
func hasWideAtomics(k *ir.Kernel) bool {
	found := false
	k.Body.Walk(func(in *ir.Instr) {
		found = found || in.Op == ir.OpAtomic && types.Has(types.OpenCL, in.Atomic.Operation(), in.Kind()) == types.Optional
	})
	return found
}

// atomic prints an atomic operation. A volatile access is as good as a relaxed one of its size. float32 has an exchange
// alone; what computes goes through helpers.
func atomic(p *cfamily.Printer, a cfamily.Atomic) cfamily.Expr {
	space := "global"
	if a.Shared {
		space = "local"
	}
	at := cfamily.Prefix("&", cfamily.Atom(a.Place))
	args := append([]cfamily.Expr{at}, a.Args...)
	switch {
	case a.Op == ir.AtomicLoad, a.Op == ir.AtomicStore:
		x := cfamily.Prefix("*", cfamily.Cast("volatile __"+space+" "+typeNames[a.Kind]+"*", at))
		if a.Op == ir.AtomicStore {
			return cfamily.Atom(x.Text + " = " + a.Args[0].Text)
		}
		return x
	case a.Kind == types.Float32 && a.Op.Op() != ir.OpInvalid:
		return cfamily.Call(p.Need("gg_atomic_"+a.Op.String()+"_f32_"+space), args...)
	case a.Kind.Bits() == 64:
		return cfamily.Call("atom_"+atomicNames[a.Op], args...)
	}
	return cfamily.Call("atomic_"+atomicNames[a.Op], args...)
}
