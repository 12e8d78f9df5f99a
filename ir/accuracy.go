package ir

import (
	"fmt"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
)

// The table functions are within a bound on every target. Errors are counted in units of the last place of the exact
// result, which lies between two values of the type: a correctly rounded result is up to 0.5 away from it.

// bounds is a row of the table of bounds. The makers of a target count differently: NVIDIA from the correctly rounded
// result, which adds 0.5, the others from the exact one.
type bounds struct {
	cuda, cuda64 float64 // CUDA C++ Programming Guide, mathematical functions; the larger of its editions 11 and 13
	opencl       float64 // OpenCL C specification, relative error as ULPs, full profile: one for both types
	metal        float64 // Metal Shading Language specification, single precision, not fast
	cpu64        float64 // ours, held by tests: package math's functions, or those of internal/elementary
}

// boundTable has a row a table function. Two of Metal are not Apple's table: it has neither hypot nor erf, which are the
// prelude's, and its rsqrt, said to be correctly rounded, is not trusted that far.
var boundTable = map[Op]bounds{
	OpRsqrt: {2, 1, 2, 2, 2},
	OpExp:   {2, 1, 3, 4, 2},
	OpExp2:  {2, 1, 3, 4, 2},
	OpLog:   {1, 1, 3, 4, 2},
	OpLog2:  {1, 1, 3, 4, 2},
	OpLog10: {2, 1, 3, 4, 2},
	OpSin:   {2, 2, 4, 4, 2},
	OpCos:   {2, 2, 4, 4, 2},
	OpTan:   {4, 2, 5, 6, 4},
	OpAsin:  {4, 2, 4, 4, 4},
	OpAcos:  {3, 2, 4, 4, 4},
	OpAtan:  {2, 2, 5, 5, 2},
	OpAtan2: {3, 2, 6, 6, 4},
	OpSinh:  {3, 2, 4, 4, 4},
	OpCosh:  {2, 1, 4, 4, 4},
	OpTanh:  {2, 1, 5, 5, 4},
	OpPow:   {4, 2, 16, 16, 2},
	OpHypot: {3, 2, 4, 1, 2},
	OpErf:   {2, 2, 16, 3, 2},
}

// cpu32 is the CPU's bound on float32, which it computes in float64 and rounds: half a unit, and the little that the
// float64 result is off.
const cpu32 = 0.51

// Bound is the most that table function op on operands of kind k is off on target t, in units of the last place of the
// exact result. Kernels with @fastmath keep it where [Loose] does not say otherwise.
func Bound(t types.Target, op Op, k types.Kind) float64 {
	b, ok := boundTable[op]
	if !ok || types.Has(t, types.Arithmetic, k) == types.Impossible {
		panic(fmt.Sprintf("ir: Bound of %s %s on %s", op, k, t))
	}
	switch k {
	case types.Float16: // one rounding of the float32 result, whose unit is 2^13 times as small
		return 0.5 + Bound(t, op, types.Float32)*0x1p-13
	case types.BFloat16:
		return 0.5 + Bound(t, op, types.Float32)*0x1p-16
	}
	double := k == types.Float64
	switch {
	case t == types.CUDA && double:
		return b.cuda64 + 0.5
	case t == types.CUDA:
		return b.cuda + 0.5
	case t == types.OpenCL:
		return b.opencl
	case t == types.Metal:
		return b.metal
	case double:
		return b.cpu64
	}
	return cpu32
}

// loose are the table functions that @fastmath makes approximate on CUDA, the one target that has approximations with
// defined NaN and infinities.
var loose = []Op{OpRsqrt, OpExp, OpExp2, OpLog, OpLog2, OpLog10, OpSin, OpCos, OpTan, OpTanh, OpPow}

// Loose reports whether table function op on float32, and on what is computed in it, has no bound on target t in a kernel with @fastmath.
func Loose(t types.Target, op Op) bool { return t == types.CUDA && slices.Contains(loose, op) }

// TableFunctions are the operations that have bounds, in the order of the constants.
func TableFunctions() []Op {
	var out []Op
	for op := range NumOps {
		if Ops[op].Table {
			out = append(out, op)
		}
	}
	return out
}
