package elementary

import (
	"math"
	"math/bits"
)

// The standard library's sine, cosine and tangent subtract multiples of Pi/4 with about as many digits as a float64 has,
// so that hundreds of units are wrong where the argument is close to a multiple or large. Here the remainder is kept in
// two float64 for arguments of any size.

// Sin is the sine.
func Sin(x float64) float64 {
	if plain(x) {
		return math.Sin(x)
	}
	quarter, s, c := reduced(x)
	return [4]float64{s, c, -s, -c}[quarter]
}

// Cos is the cosine.
func Cos(x float64) float64 {
	if plain(x) {
		return math.Cos(x)
	}
	quarter, s, c := reduced(x)
	return [4]float64{c, -s, -c, s}[quarter]
}

// Tan is the tangent. (That of the standard library drops a term of small arguments that still counts.)
func Tan(x float64) float64 {
	quarter, s, c := 0, 0.0, 0.0
	if plain(x) {
		s, c = math.Sincos(x)
	} else {
		quarter, s, c = reduced(x)
	}
	if quarter%2 == 1 {
		return -c / s
	}
	return s / c
}

// plain reports what needs no reduction, NaN and infinities too.
func plain(x float64) bool { return !(math.Abs(x) > math.Pi/4) || math.IsInf(x, 0) }

// reduced is the sine and the cosine of what is left of x without its right angles, and the number of these modulo 4.
func reduced(x float64) (quarter int, sin, cos float64) {
	quarter, r := remainder(math.Abs(x))
	if x < 0 {
		quarter, r = -quarter&3, double{-r.hi, -r.lo}
	}
	s, c := math.Sincos(r.hi)
	return quarter, s + float64(c*r.lo), c - float64(s*r.lo)
}

// remainder takes the right angles out of a finite x over Pi/4, after M. Payne and R. Hanek: x is an integer times a power of
// two, and of 2/Pi only the bits matter that make neither multiples of 4 nor what is too small to count.
func remainder(x float64) (quarter int, r double) {
	b := math.Float64bits(x)
	m := b&(1<<52-1) | 1<<52
	e := int(b>>52) - 1075 // x = m 2^e
	// Bit k behind the point of 2/Pi, counted from 0, times 2^e is 2^(e-1-k): up to k = e-3 multiples of 4. Of the product
	// with the 256 bits that follow, what is over 256 bits are multiples of 4 as well, and the two highest the quarter.
	var p [4]uint64
	carry := uint64(0)
	for i := 3; i >= 0; i-- {
		hi, lo := bits.Mul64(bitsOf(e-2+64*i), m)
		var c uint64
		p[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	quarter = int(p[0] >> 62)
	frac := [4]uint64{p[0]<<2 | p[1]>>62, p[1]<<2 | p[2]>>62, p[2]<<2 | p[3]>>62, p[3] << 2}
	negative := frac[0]>>63 != 0 // over a half: one more, and less than nothing left
	if negative {
		quarter = (quarter + 1) & 3
		c := uint64(1)
		for i := 3; i >= 0; i-- {
			frac[i], c = bits.Add64(^frac[i], 0, c)
		}
	}
	// The closest that a float64 comes to a multiple leaves about 62 zeros in front: four of eight parts hold all digits.
	v := double{}
	for i, scale := 0, 0x1p-32; i < 8; i, scale = i+1, scale*0x1p-32 {
		half := uint32(frac[i/2] >> (32 * (1 - i%2)))
		v = v.plus(double{float64(half) * scale, 0})
	}
	r = v.mul(double{halfPiHi, halfPiLo})
	if negative {
		r = double{-r.hi, -r.lo}
	}
	return quarter, r
}

const (
	halfPiHi = 0x1.921fb54442d18p+0
	halfPiLo = 0x1.1a62633145c07p-54
)

// bitsOf is 64 bits of 2/Pi from index at on, the first behind the point having index 0.
func bitsOf(at int) uint64 {
	word := func(i int) uint64 {
		if i < 0 || i >= len(twoOverPi) {
			return 0
		}
		return twoOverPi[i]
	}
	i, shift := at>>6, uint(at&63)
	return word(i)<<shift | word(i+1)>>(64-shift)
}

// twoOverPi is 2/Pi behind the point.
var twoOverPi = [...]uint64{
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
	0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
	0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}
