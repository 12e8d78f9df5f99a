package types

import (
	"fmt"
	"math"
)

// halfShape is the widths of fraction and exponent of a 16-bit float.
func halfShape(k Kind) (frac, exp int) {
	switch k {
	case Float16:
		return 10, 5
	case BFloat16:
		return 7, 8
	}
	panic(fmt.Sprintf("types: %s is no 16-bit float", k))
}

// RoundHalf is the bits of the 16-bit float of kind k nearest to v, ties to even; NaN gives the positive quiet one.
func RoundHalf(k Kind, v float64) uint64 {
	frac, exp := halfShape(k)
	sign := math.Float64bits(v) >> 63 << 15
	inf := uint64(1)<<exp - 1
	inf <<= frac
	switch a := math.Abs(v); {
	case v != v:
		return inf | 1<<(frac-1)
	case a == 0:
		return sign
	case math.IsInf(a, 0):
		return sign | inf
	default:
		bias := 1<<(exp-1) - 1
		_, e := math.Frexp(a) // a = m * 2**e, m in [0.5, 1)
		e = max(e-1, 1-bias)  // exponent of the leading bit, held at the subnormal range
		// In units of the last place a is below 2**(frac+1): exact in a float64, so that one rounding happens, here.
		n := uint64(math.RoundToEven(math.Ldexp(a, frac-e)))
		bits := n + uint64(e+bias-1)<<frac // a carry out of the fraction moves to the next exponent by itself
		return sign | min(bits, inf)
	}
}

// HalfValue is the value of the bits of a 16-bit float, exactly.
func HalfValue(k Kind, bits uint64) float64 {
	frac, exp := halfShape(k)
	bias := 1<<(exp-1) - 1
	m := bits & (1<<frac - 1)
	e := int(bits >> frac & (1<<exp - 1))
	v := 0.0
	switch {
	case e == 1<<exp-1 && m != 0:
		return math.NaN()
	case e == 1<<exp-1:
		v = math.Inf(1)
	case e == 0:
		v = math.Ldexp(float64(m), 1-bias-frac)
	default:
		v = math.Ldexp(float64(m|1<<frac), e-bias-frac)
	}
	if bits>>15&1 != 0 {
		v = math.Copysign(v, -1)
	}
	return v
}
