package gen

import (
	"math"
	"unsafe"

	"github.com/gpugen/gpugen/internal/elementary"
)

// The table functions: within the ULP table of the language, never folded by the compiler.

// double reports float64, whose last digits package math does not have right everywhere. For float32 it has more than enough,
// and is faster.
func double[T Float]() bool { return unsafe.Sizeof(T(0)) == 8 }

// Exp is e to the x.
func Exp[T Float](x T) T { return T(math.Exp(float64(x))) }

// Exp2 is 2 to the x.
func Exp2[T Float](x T) T { return T(math.Exp2(float64(x))) }

// Log is the natural logarithm.
func Log[T Float](x T) T { return T(elementary.Log(float64(x))) }

// Log2 is the logarithm to base 2.
func Log2[T Float](x T) T { return T(elementary.Log2(float64(x))) }

// Log10 is the logarithm to base 10.
func Log10[T Float](x T) T { return T(elementary.Log10(float64(x))) }

// Sin is the sine.
func Sin[T Float](x T) T {
	if double[T]() {
		return T(elementary.Sin(float64(x)))
	}
	return T(math.Sin(float64(x)))
}

// Cos is the cosine.
func Cos[T Float](x T) T {
	if double[T]() {
		return T(elementary.Cos(float64(x)))
	}
	return T(math.Cos(float64(x)))
}

// Tan is the tangent.
func Tan[T Float](x T) T {
	if double[T]() {
		return T(elementary.Tan(float64(x)))
	}
	return T(math.Tan(float64(x)))
}

// Asin is the inverse sine.
func Asin[T Float](x T) T { return T(elementary.Asin(float64(x))) }

// Acos is the inverse cosine.
func Acos[T Float](x T) T { return T(elementary.Acos(float64(x))) }

// Atan is the inverse tangent.
func Atan[T Float](x T) T { return T(math.Atan(float64(x))) }

// Atan2 is the angle of the point (x, y).
func Atan2[T Float](y, x T) T { return T(elementary.Atan2(float64(y), float64(x))) }

// Sinh is the hyperbolic sine.
func Sinh[T Float](x T) T { return T(math.Sinh(float64(x))) }

// Cosh is the hyperbolic cosine.
func Cosh[T Float](x T) T { return T(math.Cosh(float64(x))) }

// Tanh is the hyperbolic tangent.
func Tanh[T Float](x T) T { return T(math.Tanh(float64(x))) }

// Pow is x to the y.
func Pow[T Float](x, y T) T { return T(elementary.Pow(float64(x), float64(y))) }

// Hypot is sqrt(x*x + y*y) without overflow on the way.
func Hypot[T Float](x, y T) T { return T(math.Hypot(float64(x), float64(y))) }

// Erf is the error function.
func Erf[T Float](x T) T { return T(math.Erf(float64(x))) }
