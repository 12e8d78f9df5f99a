package opencl

import (
	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// table says how OpenCL C does each operation on each kind: cfamily's operators, built-in functions, which are overloaded
// for float and double, helpers of the prelude. @fastmath gives up nothing but the correct rounding of division and
// square root: what the native functions do to NaN and infinities is not defined.
func table() *cfamily.Table {
	t := cfamily.NewTable()
	integers(t)
	for _, k := range cfamily.Floats {
		short := cfamily.Short(k)
		t.Calls(k, map[ir.Op]string{
			ir.OpRem: "fmod", ir.OpAbs: "fabs", ir.OpMin: "gg_min_" + short, ir.OpMax: "gg_max_" + short,
			ir.OpFmin: "gg_fmin_" + short, ir.OpFmax: "gg_fmax_" + short,
			ir.OpFMA: "fma", ir.OpFloor: "floor", ir.OpCeil: "ceil", ir.OpTrunc: "trunc", ir.OpRound: "round", ir.OpRoundEven: "rint",
			ir.OpSqrt: "sqrt", ir.OpCopysign: "copysign",
			ir.OpRsqrt: "rsqrt", ir.OpExp: "exp", ir.OpExp2: "exp2", ir.OpLog: "log", ir.OpLog2: "log2", ir.OpLog10: "log10",
			ir.OpSin: "sin", ir.OpCos: "cos", ir.OpTan: "tan", ir.OpAsin: "asin", ir.OpAcos: "acos", ir.OpAtan: "atan", ir.OpAtan2: "atan2",
			ir.OpSinh: "sinh", ir.OpCosh: "cosh", ir.OpTanh: "tanh", ir.OpPow: "pow", ir.OpHypot: "hypot", ir.OpErf: "erf",
		})
	}
	t.Saturating("gg_conv_", cfamily.Floats)
	t.Halving("gg_conv_", "gg_odd_", true)
	t.Calls(types.Float32, map[ir.Op]string{ir.OpDiv: "gg_div_f32", ir.OpSqrt: "gg_sqrt_f32"})
	t.Fast(types.Float32, map[ir.Op]string{ir.OpSqrt: "sqrt", ir.OpDiv: "gg_fast_div_f32"})
	return t
}

func integers(t *cfamily.Table) {
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
		r := cfamily.Rule{Form: cfamily.Function, Text: "gg_mulhi_" + cfamily.Short(k), Gives: cfamily.Wide(k)}
		if k.Bits() >= 32 {
			r = cfamily.Rule{Form: cfamily.Function, Text: "mul_hi"}
			t.Set(cfamily.Rule{Form: cfamily.Function, Text: "popcount"}, []types.Kind{k}, ir.OpPopcount)
			t.Set(cfamily.Rule{Form: cfamily.Function, Text: "clz"}, []types.Kind{k}, ir.OpClz)
		}
		t.Set(r, []types.Kind{k}, ir.OpMulHi)
	}
}
