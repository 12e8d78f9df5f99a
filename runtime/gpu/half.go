package gpu

import (
	"math"
	"strconv"

	"github.com/gpugen/gpugen/runtime/gpu/gen"
)

// Number is any numeric type that converts to a 16-bit float.
type Number interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// Float16 is an IEEE 754 binary16 number, held as its bits: a sign, 5 bits of exponent, 10 of fraction. It is the
// kernel language's float16, with numbers up to 65504 and 3 decimal digits. Go does not compute in it: convert, compute
// in float32 or float64, convert back. == compares bits, so that NaN equals itself and 0 differs from -0.
type Float16 uint16

// BFloat16 is the upper half of a float32, held as its bits: a sign, 8 bits of exponent, 7 of fraction. It is the kernel
// language's bfloat16, with the range of a float32 and 2 decimal digits. Of Float16's remarks all hold.
type BFloat16 uint16

// NewFloat16 is the Float16 nearest to v, ties to even; v is rounded once, whatever its type. What is too large is an
// infinity.
func NewFloat16[T Number](v T) Float16 { return Float16(gen.ToFloat16(single(v))) }

// NewBFloat16 is the BFloat16 nearest to v, ties to even; v is rounded once, whatever its type. What is too large is an
// infinity.
func NewBFloat16[T Number](v T) BFloat16 { return BFloat16(gen.ToBFloat16(single(v))) }

// single is v as a float32 whose rounding to 16 bits is that of v.
func single[T Number](v T) float32 {
	switch v := any(v).(type) {
	case float32:
		return v
	case float64:
		return gen.Odd64(v)
	case uint64:
		return gen.OddUint(v)
	}
	return gen.OddInt(int64(v))
}

// Float32 is the value of x, exactly.
func (x Float16) Float32() float32 { return gen.FromFloat16(uint16(x)) }

// Float64 is the value of x, exactly.
func (x Float16) Float64() float64 { return float64(x.Float32()) }

// Bits are the bits of x.
func (x Float16) Bits() uint16 { return uint16(x) }

// IsNaN reports whether x is not a number.
func (x Float16) IsNaN() bool { return x&0x7fff > 0x7c00 }

// IsInf reports whether x is an infinity: positive for a sign over 0, negative for one below, either for 0.
func (x Float16) IsInf(sign int) bool { return math.IsInf(x.Float64(), sign) }

// String is a short decimal of which NewFloat16 gives x.
func (x Float16) String() string {
	return shortest(x.Float64(), func(v float64) bool { return NewFloat16(v) == x })
}

// Float32 is the value of x, exactly.
func (x BFloat16) Float32() float32 { return gen.FromBFloat16(uint16(x)) }

// Float64 is the value of x, exactly.
func (x BFloat16) Float64() float64 { return float64(x.Float32()) }

// Bits are the bits of x.
func (x BFloat16) Bits() uint16 { return uint16(x) }

// IsNaN reports whether x is not a number.
func (x BFloat16) IsNaN() bool { return x&0x7fff > 0x7f80 }

// IsInf reports whether x is an infinity: positive for a sign over 0, negative for one below, either for 0.
func (x BFloat16) IsInf(sign int) bool { return math.IsInf(x.Float64(), sign) }

// String is a short decimal of which NewBFloat16 gives x.
func (x BFloat16) String() string {
	return shortest(x.Float64(), func(v float64) bool { return NewBFloat16(v) == x })
}

// shortest is v in the fewest digits that read back to it; integers of a few digits are written out.
func shortest(v float64, back func(float64) bool) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	for digits := 1; digits <= 5; digits++ {
		s := strconv.FormatFloat(v, 'g', digits, 64)
		if r, err := strconv.ParseFloat(s, 64); err == nil && back(r) {
			return strconv.FormatFloat(r, 'g', -1, 64)
		}
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
