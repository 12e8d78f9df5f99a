package gen

import "math"

// float32 results come from float64 functions rounded once more. For sqrt and the rounding functions that is
// exactly the float32 result; for the table functions it stays within the ULP table of the language.

// Fmin is the lower of x and y; a NaN loses, -0 is below +0.
func Fmin[T Float](x, y T) T {
	if x != x {
		return y
	}
	if y != y {
		return x
	}
	return min(x, y)
}

// Fmax is the higher of x and y; a NaN loses, -0 is below +0.
func Fmax[T Float](x, y T) T {
	if x != x {
		return y
	}
	if y != y {
		return x
	}
	return max(x, y)
}

// Fabs is |x|.
func Fabs[T Float](x T) T { return T(math.Abs(float64(x))) }

// Floor rounds down.
func Floor[T Float](x T) T { return T(math.Floor(float64(x))) }

// Ceil rounds up.
func Ceil[T Float](x T) T { return T(math.Ceil(float64(x))) }

// Trunc rounds toward zero.
func Trunc[T Float](x T) T { return T(math.Trunc(float64(x))) }

// Round rounds to the nearest integer, halves away from zero.
func Round[T Float](x T) T { return T(math.Round(float64(x))) }

// RoundEven rounds to the nearest integer, halves to even.
func RoundEven[T Float](x T) T { return T(math.RoundToEven(float64(x))) }

// Sqrt is the square root, correctly rounded.
func Sqrt[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// Rsqrt is 1 / sqrt(x).
func Rsqrt[T Float](x T) T { return T(1 / math.Sqrt(float64(x))) }

// Copysign is |x| with the sign of s.
func Copysign[T Float](x, s T) T { return T(math.Copysign(float64(x), float64(s))) }

// IsNaN says whether x is a NaN.
func IsNaN[T Float](x T) bool { return x != x }

// IsInf says whether x is an infinity.
func IsInf[T Float](x T) bool { return math.IsInf(float64(x), 0) }

// Inf is positive infinity.
func Inf[T Float]() T { return T(math.Inf(1)) }

// NaN is a NaN.
func NaN[T Float]() T { return T(math.NaN()) }

// Sign is 1 or -1 with the sign of x; zeros and NaN are themselves.
func Sign[T Integer | Float](x T) T {
	if x > 0 {
		return 1
	}
	if x < 0 {
		var one T = 1
		return -one
	}
	return x
}

// Lerp is a + t*(b-a), each operation rounded.
func Lerp[T Float](a, b, t T) T { return T(a + T(t*T(b-a))) }

// Mod is the floored remainder of x / y, with the sign of y: the exact truncated one, plus y where the signs differ.
func Mod[T Float](x, y T) T {
	m := T(math.Mod(float64(x), float64(y)))
	if m != 0 && (m < 0) != (y < 0) {
		m = T(m + y)
	}
	return m
}

// FMA32 is x*y + z rounded once. The product is exact in float64; the sum is rounded to odd there, which the
// second rounding, to at least two bits fewer, cannot see.
func FMA32(x, y, z float32) float32 {
	p, c := float64(float64(x)*float64(y)), float64(z)
	s := p + c
	v := s - p
	e := (p - (s - v)) + (c - v) // what s lost, exactly; NaN when s is not finite
	if u := math.Float64bits(s); u&1 == 0 && (e > 0 || e < 0) {
		if (e > 0) == (s > 0) {
			u++
		} else {
			u--
		}
		s = math.Float64frombits(u)
	}
	return float32(s)
}

// FMA64 is x*y + z rounded once.
func FMA64(x, y, z float64) float64 { return math.FMA(x, y, z) }
