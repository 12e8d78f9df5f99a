package interp

import (
	"math"
	"math/bits"

	"github.com/gpugen/gpugen/dsl/types"
)

// conv converts between basic types: ints wrap; to a float rounds once; a float to an int truncates and saturates,
// and NaN gives 0.
func conv(from, to types.Kind) func(uint64) uint64 {
	switch {
	case from == to:
		return func(x uint64) uint64 { return x }
	case from.IsInteger() && to.IsInteger():
		return func(x uint64) uint64 { return norm(to, x) }
	case from.IsInteger() && to.IsFloat():
		return intToFloat(from.IsSigned(), to)
	case from.IsFloat() && to.IsInteger():
		toInt := floatToInt(to)
		return func(x uint64) uint64 { return toInt(toFloat64(from, x)) }
	case from.IsFloat() && to.IsFloat():
		return func(x uint64) uint64 { return fromFloat64(to, toFloat64(from, x)) }
	}
	return nil
}

// toFloat64 is exact for every kind.
func toFloat64(k types.Kind, x uint64) float64 {
	switch k {
	case types.Float64:
		return f64(x)
	case types.Float32:
		return float64(f32(x))
	}
	return float64(decode16(k, x))
}

// fromFloat64 rounds once.
func fromFloat64(k types.Kind, f float64) uint64 {
	switch k {
	case types.Float64:
		return b64(f)
	case types.Float32:
		return b32(float32(f))
	}
	return encode16(k, f)
}

func intToFloat(signed bool, to types.Kind) func(uint64) uint64 {
	switch {
	case to == types.Float64 && signed:
		return func(x uint64) uint64 { return b64(float64(int64(x))) }
	case to == types.Float64:
		return func(x uint64) uint64 { return b64(float64(x)) }
	}
	return func(x uint64) uint64 {
		if v := int64(x); signed && v < 0 {
			return fromFloat64(to, -oddFloat64(uint64(-v)))
		}
		return fromFloat64(to, oddFloat64(x))
	}
}

// oddFloat64 rounds u to odd, so that one more rounding to a narrower kind gives what rounding once would.
func oddFloat64(u uint64) float64 {
	if lost := 11 - bits.LeadingZeros64(u); lost > 0 {
		sticky := b2u(u&(1<<lost-1) != 0)
		u = (u>>lost | sticky) << lost
	}
	return float64(u)
}

func floatToInt(to types.Kind) func(float64) uint64 {
	w := to.Bits()
	if to.IsSigned() {
		lo, hi := -math.Ldexp(1, w-1), math.Ldexp(1, w-1)
		most := uint64(1)<<(w-1) - 1
		return func(f float64) uint64 {
			switch {
			case f != f:
				return 0
			case f >= hi:
				return most
			case f <= lo:
				return ^most
			}
			return uint64(int64(f))
		}
	}
	hi := math.Ldexp(1, w)
	return func(f float64) uint64 {
		switch {
		case f >= hi:
			return ^uint64(0) >> (64 - w)
		case f > 0:
			return uint64(f)
		}
		return 0 // negative or NaN
	}
}

// shape16 is the exponent and mantissa width of a 16-bit kind.
func shape16(k types.Kind) (exp, man int) {
	if k == types.Float16 {
		return 5, 10
	}
	return 8, 7
}

func decode16(k types.Kind, x uint64) float32 {
	if k == types.BFloat16 {
		return math.Float32frombits(uint32(x) << 16)
	}
	sign, e, m := uint32(x>>15&1)<<31, int(x>>10&31), uint32(x&1023)
	switch {
	case e == 31:
		return math.Float32frombits(sign | 0x7F800000 | m<<13)
	case e == 0:
		return float32(math.Copysign(math.Ldexp(float64(m), -24), float64(1-2*int(sign>>31))))
	}
	return math.Float32frombits(sign | uint32(e-15+127)<<23 | m<<13)
}

// encode16 rounds f to the nearest 16-bit value, ties to even.
func encode16(k types.Kind, f float64) uint64 {
	expBits, manBits := shape16(k)
	bias := 1<<(expBits-1) - 1
	inf := uint64(1<<expBits-1) << manBits
	var sign uint64
	if math.Signbit(f) {
		sign = 1 << 15
	}
	a := math.Abs(f)
	switch {
	case f != f:
		return sign | inf | 1<<(manBits-1)
	case a == 0 || math.IsInf(a, 0):
		return sign | inf*b2u(a != 0)
	}
	e := max(math.Ilogb(a), 1-bias)
	m := uint64(math.RoundToEven(math.Ldexp(a, manBits-e)))
	if m>>(manBits+1) != 0 {
		m >>= 1
		e++
	}
	switch {
	case e > bias:
		return sign | inf
	case m>>manBits == 0: // subnormal
		return sign | m
	}
	return sign | uint64(e+bias)<<manBits | m&(1<<manBits-1)
}

// FloatValue is the exact value of the bits of a floating-point kind.
func FloatValue(k types.Kind, x uint64) float64 { return toFloat64(k, x) }

// FloatBits is f as a floating-point kind, rounded once.
func FloatBits(k types.Kind, f float64) uint64 { return fromFloat64(k, f) }
