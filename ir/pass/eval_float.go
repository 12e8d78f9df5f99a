package pass

import (
	"math"
	"math/bits"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// single rounds to the precision in which kind k computes: 16-bit kinds compute in float32 and round once more.
func single(k types.Kind, v float64) uint64 {
	if k != types.Float64 {
		v = float64(float32(v))
	}
	return ir.FloatBits(k, v)
}

// floatBinary evaluates an operation on two floats. Sums, products and quotients of float32 values rounded from the
// float64 result are correctly rounded, since 53 bits are more than twice 24 and two.
func floatBinary(op ir.Op, k types.Kind, x, y float64) (uint64, bool) {
	var r float64
	switch op {
	case ir.OpAdd:
		r = x + y
	case ir.OpSub:
		r = x - y
	case ir.OpMul:
		r = x * y
	case ir.OpDiv:
		r = x / y
	case ir.OpRem:
		r = math.Mod(x, y)
	case ir.OpMin:
		r = min(x, y)
	case ir.OpMax:
		r = max(x, y)
	case ir.OpFmin, ir.OpFmax:
		switch {
		case x != x:
			r = y
		case y != y:
			r = x
		case op == ir.OpFmin:
			r = min(x, y)
		default:
			r = max(x, y)
		}
	case ir.OpCopysign:
		r = math.Copysign(x, y)
	default:
		return 0, false
	}
	return single(k, r), true
}

// floatUnary evaluates an operation on one float.
func floatUnary(op ir.Op, k types.Kind, x float64) (uint64, bool) {
	var r float64
	switch op {
	case ir.OpNeg:
		r = -x
	case ir.OpAbs:
		r = math.Abs(x)
	case ir.OpFloor:
		r = math.Floor(x)
	case ir.OpCeil:
		r = math.Ceil(x)
	case ir.OpTrunc:
		r = math.Trunc(x)
	case ir.OpRound:
		r = math.Round(x)
	case ir.OpRoundEven:
		r = math.RoundToEven(x)
	case ir.OpSqrt:
		r = math.Sqrt(x)
	default:
		return 0, false
	}
	return single(k, r), true
}

// fma is x*y + z, rounded once. In float32 the product is exact in float64; the sum is rounded to odd there, so that the
// second rounding sees on which side of a tie the exact sum lies.
func fma(k types.Kind, x, y, z float64) (uint64, bool) {
	switch k {
	case types.Float64:
		return ir.FloatBits(k, math.FMA(x, y, z)), true
	case types.Float32:
		return ir.FloatBits(k, addOdd(x*y, z)), true
	}
	return 0, false
}

// addOdd is a + b rounded to odd: when inexact, of the two neighbours the one with an odd last bit.
func addOdd(a, b float64) float64 {
	s := a + b
	if math.IsInf(s, 0) || s != s {
		return s
	}
	t := s - a // Knuth's two-sum: s + e is exactly a + b
	e := (a - (s - t)) + (b - t)
	u := math.Float64bits(s)
	if e == 0 || u&1 == 1 {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(u + 1)
	}
	return math.Float64frombits(u - 1)
}

// convert is the value of a constant in kind to: integers wrap, floats round once, float to integer truncates and
// saturates and gives 0 for NaN.
func convert(x *ir.Instr, to types.Kind) uint64 {
	from := x.Kind()
	switch {
	case from.IsInteger() && to.IsInteger():
		return ir.IntBits(to, x.Int64())
	case from.IsInteger():
		return ir.FloatBits(to, intToFloat(x, to))
	case to.IsInteger():
		return floatToInt(x.Float(), to)
	}
	return ir.FloatBits(to, x.Float())
}

// intToFloat is an integer as a float64 for a rounding to kind to. For float64 it is the nearest; for narrower kinds the
// bits under the 53rd are gathered in the last one, so that the one rounding that follows sees that they were there.
func intToFloat(x *ir.Instr, to types.Kind) float64 {
	u, sign := x.Bits, 1.0
	if x.Kind().IsSigned() && x.Int64() < 0 {
		u, sign = -u, -1
	}
	over := max(bits.Len64(u)-53, 0)
	if to == types.Float64 || over == 0 {
		return sign * float64(u)
	}
	top := u >> over
	if top<<over != u {
		top |= 1
	}
	return sign * math.Ldexp(float64(top), over)
}

// floatToInt truncates and saturates; NaN gives 0. The bounds are powers of two, exact in float64.
func floatToInt(v float64, to types.Kind) uint64 {
	w := to.Bits()
	if to.IsUnsigned() {
		switch {
		case !(v > 0):
			return 0
		case v >= math.Ldexp(1, w):
			return math.MaxUint64 >> (64 - w)
		}
		return uint64(v)
	}
	switch {
	case v != v:
		return 0
	case v >= math.Ldexp(1, w-1):
		return math.MaxInt64 >> (64 - w)
	case v <= -math.Ldexp(1, w-1):
		return ir.IntBits(to, math.MinInt64>>(64-w))
	}
	return uint64(int64(v))
}
