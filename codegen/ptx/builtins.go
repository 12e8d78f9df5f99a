package ptx

import (
	"slices"

	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// table says how CUDA C does each operation on each kind: cfamily's operators, intrinsics, helpers of the prelude.
func table() *cfamily.Table {
	t := cfamily.NewTable()
	integers(t)
	t.Calls(types.Float32, map[ir.Op]string{
		ir.OpRem: "fmodf", ir.OpAbs: "fabsf", ir.OpMin: "gg_min_f32", ir.OpMax: "gg_max_f32", ir.OpFmin: "gg_fmin_f32", ir.OpFmax: "gg_fmax_f32",
		ir.OpFMA: "__fmaf_rn", ir.OpFloor: "floorf", ir.OpCeil: "ceilf", ir.OpTrunc: "truncf", ir.OpRound: "roundf", ir.OpRoundEven: "rintf",
		ir.OpSqrt: "__fsqrt_rn", ir.OpCopysign: "copysignf",
		ir.OpRsqrt: "rsqrtf", ir.OpExp: "expf", ir.OpExp2: "exp2f", ir.OpLog: "logf", ir.OpLog2: "log2f", ir.OpLog10: "log10f",
		ir.OpSin: "sinf", ir.OpCos: "cosf", ir.OpTan: "tanf", ir.OpAsin: "asinf", ir.OpAcos: "acosf", ir.OpAtan: "atanf", ir.OpAtan2: "atan2f",
		ir.OpSinh: "sinhf", ir.OpCosh: "coshf", ir.OpTanh: "tanhf", ir.OpPow: "powf", ir.OpHypot: "hypotf", ir.OpErf: "erff",
	})
	t.Calls(types.Float64, map[ir.Op]string{
		ir.OpRem: "fmod", ir.OpAbs: "fabs", ir.OpMin: "gg_min_f64", ir.OpMax: "gg_max_f64", ir.OpFmin: "gg_fmin_f64", ir.OpFmax: "gg_fmax_f64",
		ir.OpFMA: "__fma_rn", ir.OpFloor: "floor", ir.OpCeil: "ceil", ir.OpTrunc: "trunc", ir.OpRound: "round", ir.OpRoundEven: "rint",
		ir.OpSqrt: "__dsqrt_rn", ir.OpCopysign: "copysign",
		ir.OpRsqrt: "rsqrt", ir.OpExp: "exp", ir.OpExp2: "exp2", ir.OpLog: "log", ir.OpLog2: "log2", ir.OpLog10: "log10",
		ir.OpSin: "sin", ir.OpCos: "cos", ir.OpTan: "tan", ir.OpAsin: "asin", ir.OpAcos: "acos", ir.OpAtan: "atan", ir.OpAtan2: "atan2",
		ir.OpSinh: "sinh", ir.OpCosh: "cosh", ir.OpTanh: "tanh", ir.OpPow: "pow", ir.OpHypot: "hypot", ir.OpErf: "erf",
	})
	t.Saturating("gg_conv_", cfamily.Floats)
	t.Halving("gg_conv_", "gg_odd_", true)

	// @fastmath: approximate division, square root and functions. Only those that keep the rules for NaN and infinities
	// over the whole range: __fdividef does not (it gives 0 for divisors over 2^126), nor does __powf beyond positive bases.
	t.Fast(types.Float32, map[ir.Op]string{
		ir.OpDiv: "gg_fast_div_f32", ir.OpSqrt: "gg_fast_sqrt_f32", ir.OpRsqrt: "gg_fast_rsqrt_f32",
		ir.OpExp: "__expf", ir.OpExp2: "gg_fast_exp2_f32", ir.OpLog: "__logf", ir.OpLog2: "__log2f", ir.OpLog10: "__log10f",
		ir.OpSin: "__sinf", ir.OpCos: "__cosf", ir.OpTan: "__tanf", ir.OpTanh: "gg_fast_tanh_f32",
		ir.OpPow: "gg_fast_pow_f32",
	})
	return t
}

func integers(t *cfamily.Table) {
	t.Helper(ir.OpNeg, "gg_neg_", slices.DeleteFunc(slices.Clone(cfamily.Ints), func(k types.Kind) bool { return k.Bits() == 64 }))
	t.Helper(ir.OpDiv, "gg_div_", cfamily.Ints)
	t.Helper(ir.OpRem, "gg_rem_", cfamily.Ints)
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
		f := map[types.Kind]string{
			types.Int32: "__mulhi", types.Uint32: "__umulhi", types.Int64: "__mul64hi", types.Int: "__mul64hi", types.Uint64: "__umul64hi",
		}[k]
		if f == "" {
			f = "gg_mulhi_" + cfamily.Short(k)
		}
		t.Set(cfamily.Rule{Form: cfamily.Function, Text: f, Gives: cfamily.Wide(k)}, []types.Kind{k}, ir.OpMulHi)
	}
	t.Set(cfamily.Rule{Form: cfamily.Function, Text: "__popc", Gives: types.Int32}, []types.Kind{types.Int32, types.Uint32}, ir.OpPopcount)
	t.Set(cfamily.Rule{Form: cfamily.Function, Text: "__brev", Gives: types.Uint32}, []types.Kind{types.Int32, types.Uint32}, ir.OpReverse)
	long := []types.Kind{types.Int64, types.Int, types.Uint64}
	t.Set(cfamily.Rule{Form: cfamily.Function, Text: "__popcll", Gives: types.Int32}, long, ir.OpPopcount)
	t.Set(cfamily.Rule{Form: cfamily.Function, Text: "__brevll", Gives: types.Uint64}, long, ir.OpReverse)
}
