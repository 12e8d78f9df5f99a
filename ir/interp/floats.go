package interp

import (
	"math"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/elementary"
	"github.com/gpugen/gpugen/ir"
)

func f32(x uint64) float32   { return math.Float32frombits(uint32(x)) }
func f64(x uint64) float64   { return math.Float64frombits(x) }
func b32(f float32) uint64   { return uint64(math.Float32bits(f)) }
func b64(f float64) uint64   { return math.Float64bits(f) }
func is16(k types.Kind) bool { return k == types.Float16 || k == types.BFloat16 }

// realUnary computes in float64. For float32 the operand is exact, so one rounding to float32 at the end is the only
// one for the exactly defined operations (a square root rounded to 53 bits and then to 24 equals the one rounded once).
var realUnary = map[ir.Op]func(float64) float64{
	ir.OpFloor: math.Floor, ir.OpCeil: math.Ceil, ir.OpTrunc: math.Trunc, ir.OpRound: math.Round, ir.OpRoundEven: math.RoundToEven, ir.OpSqrt: math.Sqrt,
	ir.OpRsqrt: func(x float64) float64 { return 1 / math.Sqrt(x) },
	ir.OpExp:   math.Exp, ir.OpExp2: math.Exp2,
	ir.OpLog: elementary.Log, ir.OpLog2: elementary.Log2, ir.OpLog10: elementary.Log10,
	ir.OpSin: elementary.Sin, ir.OpCos: elementary.Cos, ir.OpTan: elementary.Tan,
	ir.OpAsin: elementary.Asin, ir.OpAcos: elementary.Acos, ir.OpAtan: math.Atan,
	ir.OpSinh: math.Sinh, ir.OpCosh: math.Cosh, ir.OpTanh: math.Tanh, ir.OpErf: math.Erf,
}

var realBinary = map[ir.Op]func(x, y float64) float64{
	ir.OpRem: math.Mod, ir.OpCopysign: math.Copysign,
	ir.OpMin: func(x, y float64) float64 { return min(x, y) }, ir.OpMax: func(x, y float64) float64 { return max(x, y) },
	ir.OpFmin: fmin, ir.OpFmax: fmax,
	ir.OpAtan2: elementary.Atan2, ir.OpPow: elementary.Pow, ir.OpHypot: math.Hypot,
}

func fmin(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return min(x, y)
}

func fmax(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return max(x, y)
}

// fma64 is x*y+z rounded once.
func fma64(x, y, z float64) float64 { return math.FMA(x, y, z) }

// fma32 is x*y+z rounded once. The product is exact in float64; the sum is rounded to odd there, which keeps what the
// rounding to float32 must know (53 bits are at least 2*24+2).
func fma32(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	t := s - p
	rest := (p - (s - t)) + (c - t) // exact: what the addition lost
	if b := math.Float64bits(s); rest != 0 && b&1 == 0 {
		if (rest > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}

func floatUnary(op ir.Op, k types.Kind) func(uint64) uint64 {
	sign := uint64(1) << (k.Bits() - 1)
	switch op {
	case ir.OpNeg:
		return func(x uint64) uint64 { return x ^ sign }
	case ir.OpAbs:
		return func(x uint64) uint64 { return x &^ sign }
	}
	f := realUnary[op]
	switch {
	case f == nil:
		return nil
	case k == types.Float32:
		return func(x uint64) uint64 { return b32(float32(f(float64(f32(x))))) }
	case k == types.Float64:
		return func(x uint64) uint64 { return b64(f(f64(x))) }
	}
	// One 16-bit operation is the float32 operation rounded once more.
	g := floatUnary(op, types.Float32)
	return func(x uint64) uint64 { return encode16(k, float64(f32(g(b32(decode16(k, x)))))) }
}

func floatBinary(op ir.Op, k types.Kind) func(x, y uint64) uint64 {
	switch k {
	case types.Float32:
		return float32Binary(op)
	case types.Float64:
		return float64Binary(op)
	}
	g := float32Binary(op)
	switch {
	case g == nil:
		return nil
	case op >= ir.OpEq && op <= ir.OpGe:
		return func(x, y uint64) uint64 { return g(b32(decode16(k, x)), b32(decode16(k, y))) }
	}
	return func(x, y uint64) uint64 {
		return encode16(k, float64(f32(g(b32(decode16(k, x)), b32(decode16(k, y))))))
	}
}

func float32Binary(op ir.Op) func(x, y uint64) uint64 {
	switch op {
	case ir.OpAdd:
		return func(x, y uint64) uint64 { return b32(f32(x) + f32(y)) }
	case ir.OpSub:
		return func(x, y uint64) uint64 { return b32(f32(x) - f32(y)) }
	case ir.OpMul:
		return func(x, y uint64) uint64 { return b32(float32(f32(x) * f32(y))) }
	case ir.OpDiv:
		return func(x, y uint64) uint64 { return b32(f32(x) / f32(y)) }
	}
	if f := realBinary[op]; f != nil {
		return func(x, y uint64) uint64 { return b32(float32(f(float64(f32(x)), float64(f32(y))))) }
	}
	return compareOf[float32](op)
}

func float64Binary(op ir.Op) func(x, y uint64) uint64 {
	switch op {
	case ir.OpAdd:
		return func(x, y uint64) uint64 { return b64(f64(x) + f64(y)) }
	case ir.OpSub:
		return func(x, y uint64) uint64 { return b64(f64(x) - f64(y)) }
	case ir.OpMul:
		return func(x, y uint64) uint64 { return b64(float64(f64(x) * f64(y))) }
	case ir.OpDiv:
		return func(x, y uint64) uint64 { return b64(f64(x) / f64(y)) }
	}
	if f := realBinary[op]; f != nil {
		return func(x, y uint64) uint64 { return b64(f(f64(x), f64(y))) }
	}
	return compareOf[float64](op)
}
