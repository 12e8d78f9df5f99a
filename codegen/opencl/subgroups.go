package opencl

import (
	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// subgroups stand around kernels whose lanes exchange values: the device must have the exchanges, and must let a kernel say
// how large a subgroup is.
var subgroups = []string{"#if defined(cl_khr_subgroup_shuffle) && defined(cl_khr_subgroup_ballot) && defined(cl_intel_required_subgroup_size)"}

// subgroupSize is the attribute of such a kernel.
const subgroupSize = "__attribute__((intel_reqd_sub_group_size(32)))"

// exchanges reports a kernel with operations of subgroups.
func exchanges(k *ir.Kernel) bool {
	found := false
	k.Body.Walk(func(in *ir.Instr) { found = found || in.Op == ir.OpShuffle || in.Op == ir.OpBallot })
	return found
}

func shuffle(p *cfamily.Printer, k types.Kind, x, lane cfamily.Expr) cfamily.Expr {
	if k == types.Bool {
		out := cfamily.Call("sub_group_shuffle", cfamily.Cast(p.Type(types.Int32), x), cfamily.Cast(p.Type(types.Uint32), lane))
		return cfamily.Infix(out, "!=", cfamily.Atom("0"))
	}
	return cfamily.Call("sub_group_shuffle", x, cfamily.Cast(p.Type(types.Uint32), lane))
}

func ballot(_ *cfamily.Printer, x cfamily.Expr) cfamily.Expr {
	return cfamily.Atom(cfamily.Call("sub_group_ballot", x).Text + ".x")
}
