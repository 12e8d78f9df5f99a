package msl

import (
	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// table says how Metal does each operation on each kind: cfamily's operators, functions of namespace metal, helpers of
// the prelude.
func table() *cfamily.Table {
	t := cfamily.NewTable()
	t.Helper(ir.OpDiv, "gg_div_", cfamily.Ints)
	t.Helper(ir.OpRem, "gg_rem_", cfamily.Ints)
	// Metal does not define % on negative operands.
	t.Helper(ir.OpRemNZ, "gg_remnz_", cfamily.Signed)
	t.Helper(ir.OpMin, "gg_min_", cfamily.Ints)
	t.Helper(ir.OpMax, "gg_max_", cfamily.Ints)
	t.Helper(ir.OpAbs, "gg_abs_", cfamily.Signed)
	t.Set(cfamily.Rule{Form: cfamily.Same}, cfamily.Unsigned, ir.OpAbs)
	t.Shifts("gg_shl_", "gg_shr_")
	t.Bits(ir.OpPopcount, "gg_popcount_")
	t.Bits(ir.OpClz, "gg_clz_")
	t.Bits(ir.OpCtz, "gg_ctz_")
	t.Bits(ir.OpReverse, "gg_reverse_")
	for _, k := range cfamily.Ints {
		t.Set(cfamily.Rule{Form: cfamily.Function, Text: "gg_mulhi_" + cfamily.Short(k), Gives: cfamily.Wide(k)}, []types.Kind{k}, ir.OpMulHi)
	}
	t.Calls(types.Float32, map[ir.Op]string{
		ir.OpRem: "gg_fmod_f32", ir.OpAbs: "fabs", ir.OpMin: "gg_min_f32", ir.OpMax: "gg_max_f32", ir.OpFmin: "gg_fmin_f32", ir.OpFmax: "gg_fmax_f32",
		ir.OpFMA: "fma", ir.OpFloor: "floor", ir.OpCeil: "ceil", ir.OpTrunc: "trunc", ir.OpRound: "round", ir.OpRoundEven: "rint",
		ir.OpSqrt: "precise::sqrt", ir.OpCopysign: "copysign",
		ir.OpRsqrt: "precise::rsqrt", ir.OpExp: "precise::exp", ir.OpExp2: "precise::exp2", ir.OpLog: "precise::log", ir.OpLog2: "precise::log2",
		ir.OpLog10: "precise::log10", ir.OpSin: "precise::sin", ir.OpCos: "precise::cos", ir.OpTan: "precise::tan", ir.OpAsin: "precise::asin",
		ir.OpAcos: "precise::acos", ir.OpAtan: "precise::atan", ir.OpAtan2: "precise::atan2", ir.OpSinh: "precise::sinh", ir.OpCosh: "precise::cosh",
		ir.OpTanh: "precise::tanh", ir.OpPow: "precise::pow", ir.OpHypot: "gg_hypot_f32", ir.OpErf: "gg_erf_f32",
	})
	t.Saturating("gg_conv_", []types.Kind{types.Float32})
	t.Halving("gg_conv_", "gg_odd_", false)
	for k := types.Bool; k <= types.Float64; k++ {
		if types.Has(types.Metal, types.Arithmetic, k) == types.Impossible {
			t.Without(k)
		}
	}
	return t
}
