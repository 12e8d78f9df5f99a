package gen

import (
	"math/bits"
	"unsafe"
)

// Div is x / y truncated; x when y is 0. The lowest value divided by -1 is itself.
func Div[T Integer](x, y T) T {
	if y == 0 {
		return x
	}
	return x / y
}

// Rem is the remainder of Div, with the sign of x; 0 when y is 0.
func Rem[T Integer](x, y T) T {
	if y == 0 {
		return 0
	}
	return x % y
}

// ModInt is the floored remainder, with the sign of y; 0 when y is 0.
func ModInt[T Integer](x, y T) T {
	m := Rem(x, y)
	if m != 0 && (m < 0) != (y < 0) {
		m += y
	}
	return m
}

// CeilDiv is x / y rounded up; y is over 0 in a correct program, and 0 gives x as in Div.
func CeilDiv[T Integer](x, y T) T {
	q := Div(x, y)
	if Rem(x, y) != 0 && (x < 0) == (y < 0) {
		q++
	}
	return q
}

// Shl is x << n; a negative count counts as huge.
func Shl[T, C Integer](x T, n C) T {
	if n < 0 {
		return 0
	}
	return x << n
}

// Shr is x >> n; a negative count counts as huge.
func Shr[T, C Integer](x T, n C) T {
	if n < 0 {
		return x >> width[T]()
	}
	return x >> n
}

// Abs is |x|; the lowest value is itself.
func Abs[T Integer](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// width is the number of bits in T.
func width[T Integer]() uint { return uint(unsafe.Sizeof(T(0))) * 8 }

// pattern is the bits of x without the sign extension.
func pattern[T Integer](x T) uint64 { return uint64(x) << (64 - width[T]()) >> (64 - width[T]()) }

// Popcount is the number of ones in x.
func Popcount[T Integer](x T) int { return bits.OnesCount64(pattern(x)) }

// Clz is the number of zeros above the highest one; the width for 0.
func Clz[T Integer](x T) int { return bits.LeadingZeros64(pattern(x)) - int(64-width[T]()) }

// Ctz is the number of zeros below the lowest one; the width for 0.
func Ctz[T Integer](x T) int { return bits.TrailingZeros64(pattern(x) | 1<<width[T]()) }

// Reverse is x with its bits in the opposite order.
func Reverse[T Integer](x T) T { return T(bits.Reverse64(pattern(x)) >> (64 - width[T]())) }

// Rotl is x rotated left by n modulo its width; a negative count rotates right.
func Rotl[T, C Integer](x T, n C) T {
	k, p := uint(n)%width[T](), pattern(x)
	return T(p<<k | p>>(width[T]()-k))
}

// MulHi is the high half of the full product of x and y.
func MulHi[T Integer](x, y T) T {
	w := width[T]()
	var zero T
	if signed := zero-1 < 0; !signed {
		hi, lo := bits.Mul64(uint64(x), uint64(y))
		if w == 64 {
			return T(hi)
		}
		return T(lo >> w)
	}
	if w < 64 {
		return T(int64(x) * int64(y) >> w)
	}
	hi, _ := bits.Mul64(uint64(x), uint64(y))
	// Two's complement: each negative factor counts 2^64 too much of the other.
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	return T(hi)
}
