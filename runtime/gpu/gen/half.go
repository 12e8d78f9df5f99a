package gen

import (
	"math"
	"math/bits"
)

// The 16-bit floats are held as their bits. Conversions to them take a float32; what has more than 24 significant bits
// is rounded to odd on the way (Odd64, OddInt, OddUint), so that the one rounding to 16 bits gives what rounding the
// number itself would.

// ToFloat16 is x as a float16, ties to even.
func ToFloat16(x float32) uint16 {
	b := math.Float32bits(x)
	sign, a := uint16(b>>16)&0x8000, b&^(1<<31)
	switch {
	case a > 0x7f800000:
		return sign | 0x7e00
	case a >= 0x47800000: // from 65536 on
		return sign | 0x7c00
	case a < 0x38800000: // subnormal: its last place is that of numbers from 0.5 on
		return sign | uint16(math.Float32bits(math.Float32frombits(a)+0.5))
	}
	a += 0xfff + a>>13&1 // a carry moves to the next exponent by itself
	return sign | uint16((a-0x38000000)>>13)
}

// FromFloat16 is the value of a float16, exactly.
func FromFloat16(x uint16) float32 {
	a := uint32(x&0x7fff) << 13
	if a >= 0x7c00<<13 { // infinity or NaN
		return math.Float32frombits(a | 0x7f800000 | uint32(x&0x8000)<<16)
	}
	// The power of two moves the exponent to where a float32 has it, that of subnormals too.
	return math.Float32frombits(math.Float32bits(math.Float32frombits(a)*0x1p112) | uint32(x&0x8000)<<16)
}

// ToBFloat16 is x as a bfloat16, ties to even.
func ToBFloat16(x float32) uint16 {
	b := math.Float32bits(x)
	if x != x {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// FromBFloat16 is the value of a bfloat16, exactly.
func FromBFloat16(x uint16) float32 { return math.Float32frombits(uint32(x) << 16) }

// Odd64 is x as a float32, rounded to odd: of the two neighbours of what is not exact the one with an odd last bit.
func Odd64(x float64) float32 {
	near := float32(x)
	b := math.Float32bits(near)
	if float64(near) == x || x != x || b&1 != 0 {
		return near
	}
	switch {
	case near == 0:
		return float32(math.Copysign(0x1p-149, x))
	case math.Abs(float64(near)) < math.Abs(x):
		return math.Float32frombits(b + 1)
	}
	return math.Float32frombits(b - 1) // from an infinity, too, to the largest number
}

// OddUint is x as a float32, rounded to odd.
func OddUint(x uint64) float32 {
	s := bits.Len64(x) - 24
	if s <= 0 {
		return float32(x)
	}
	top := x >> s << s
	if top != x {
		top |= 1 << s
	}
	return float32(top)
}

// OddInt is x as a float32, rounded to odd.
func OddInt(x int64) float32 {
	if x < 0 {
		return -OddUint(-uint64(x))
	}
	return OddUint(uint64(x))
}
