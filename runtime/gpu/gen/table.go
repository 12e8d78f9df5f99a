package gen

import "math"

// The table functions: within the ULP table of the language, never folded by the compiler.

// Exp is e to the x.
func Exp[T Float](x T) T { return T(math.Exp(float64(x))) }

// Exp2 is 2 to the x.
func Exp2[T Float](x T) T { return T(math.Exp2(float64(x))) }

// Log is the natural logarithm. math.Log is wrong for subnormals on amd64, where it takes their exponent as it stands.
func Log[T Float](x T) T {
	v := float64(x)
	if v > 0 && v < 0x1p-1022 {
		return T(math.Log(v*0x1p54) - 54*math.Ln2)
	}
	return T(math.Log(v))
}

// Log2 is the logarithm to base 2. The standard library takes the exponent out first, which cancels around 1.
func Log2[T Float](x T) T {
	if v := float64(x); v > 0.5 && v < 2 {
		return T(float64(math.Log(v) * math.Log2E))
	}
	return T(math.Log2(float64(x)))
}

// Log10 is the logarithm to base 10.
func Log10[T Float](x T) T {
	if v := float64(x); v > 0.5 && v < 2 {
		return T(float64(math.Log(v) * math.Log10E))
	}
	return T(float64(Log(float64(x)) * math.Log10E))
}

// Sin is the sine.
func Sin[T Float](x T) T { return T(math.Sin(float64(x))) }

// Cos is the cosine.
func Cos[T Float](x T) T { return T(math.Cos(float64(x))) }

// Tan is the tangent.
func Tan[T Float](x T) T { return T(math.Tan(float64(x))) }

// Asin is the inverse sine. Near the ends of the range math.Asin loses digits; the half-angle form does not.
func Asin[T Float](x T) T {
	v := float64(x)
	return T(math.Atan2(v, math.Sqrt(float64((1-v)*(1+v)))))
}

// Acos is the inverse cosine. math.Acos subtracts from Pi/2, which leaves nothing near 1; the half-angle form is exact
// there.
func Acos[T Float](x T) T {
	v := float64(x)
	return T(2 * math.Atan2(math.Sqrt(1-v), math.Sqrt(1+v)))
}

// Atan is the inverse tangent.
func Atan[T Float](x T) T { return T(math.Atan(float64(x))) }

// Atan2 is the angle of the point (x, y). It has the sign of y, which math.Atan2 loses where y/x underflows.
func Atan2[T Float](y, x T) T {
	return T(math.Copysign(math.Atan2(float64(y), float64(x)), float64(y)))
}

// Sinh is the hyperbolic sine.
func Sinh[T Float](x T) T { return T(math.Sinh(float64(x))) }

// Cosh is the hyperbolic cosine.
func Cosh[T Float](x T) T { return T(math.Cosh(float64(x))) }

// Tanh is the hyperbolic tangent.
func Tanh[T Float](x T) T { return T(math.Tanh(float64(x))) }

// Pow is x to the y.
func Pow[T Float](x, y T) T { return T(math.Pow(float64(x), float64(y))) }

// Hypot is sqrt(x*x + y*y) without overflow on the way.
func Hypot[T Float](x, y T) T { return T(math.Hypot(float64(x), float64(y))) }

// Erf is the error function.
func Erf[T Float](x T) T { return T(math.Erf(float64(x))) }
