package gpu

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// half is one of the 16-bit types, for tests of both.
type half struct {
	name      string
	frac, exp int
	value     func(uint16) float32
	from32    func(float32) uint16
	from64    func(float64) uint16
	fromInt   func(int64) uint16
	fromUint  func(uint64) uint16
}

var halves = []half{
	{
		"float16", 10, 5, func(b uint16) float32 { return Float16(b).Float32() },
		func(v float32) uint16 { return NewFloat16(v).Bits() }, func(v float64) uint16 { return NewFloat16(v).Bits() },
		func(v int64) uint16 { return NewFloat16(v).Bits() }, func(v uint64) uint16 { return NewFloat16(v).Bits() },
	},
	{
		"bfloat16", 7, 8, func(b uint16) float32 { return BFloat16(b).Float32() },
		func(v float32) uint16 { return NewBFloat16(v).Bits() }, func(v float64) uint16 { return NewBFloat16(v).Bits() },
		func(v int64) uint16 { return NewBFloat16(v).Bits() }, func(v uint64) uint16 { return NewBFloat16(v).Bits() },
	},
}

// exact is the value of bits by the definition of the format, NaN and infinities left out.
func (h half) exact(b uint16) *big.Float {
	bias := 1<<(h.exp-1) - 1
	e, m := int(b>>h.frac)&(1<<h.exp-1), int64(b)&(1<<h.frac-1)
	if e > 0 {
		m += 1 << h.frac
	}
	v := new(big.Float).SetPrec(2000).SetInt64(m)
	v.SetMantExp(v, max(e, 1)-bias-h.frac)
	if b>>15 != 0 {
		v.Neg(v)
	}
	return v
}

func (h half) inf() uint16 { return (1<<h.exp - 1) << h.frac }

// round is the nearest number, found by bisection over all of them: their order is that of their bits.
func (h half) round(v *big.Float) uint16 {
	sign := uint16(0)
	if v.Signbit() {
		sign = 0x8000
		v = new(big.Float).Neg(v)
	}
	lo, hi := uint16(0), h.inf() // the value is at least lo's and below hi's, hi's being the next power of two
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; h.exact(mid).Cmp(v) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	next := h.exact(h.inf()) // by the same formula: what would follow the largest
	if hi != h.inf() {
		next = h.exact(hi)
	}
	mid := new(big.Float).SetPrec(2000).Add(h.exact(lo), next)
	mid.Quo(mid, big.NewFloat(2))
	switch c := v.Cmp(mid); {
	case c > 0, c == 0 && lo&1 != 0:
		return sign | hi
	}
	return sign | lo
}

// TestHalfValues walks all patterns both ways.
func TestHalfValues(t *testing.T) {
	for _, h := range halves {
		for i := range 1 << 16 {
			b := uint16(i)
			v := h.value(b)
			switch a := b & 0x7fff; {
			case a > h.inf():
				if v == v || h.from32(v)&0x7fff <= h.inf() {
					t.Fatalf("%s %#04x is %v", h.name, b, v)
				}
				continue
			case a == h.inf():
				if !math.IsInf(float64(v), 1-2*int(b>>15)) {
					t.Fatalf("%s %#04x is %v", h.name, b, v)
				}
			default:
				want, _ := h.exact(b).Float32()
				if v != want || math.Signbit(float64(v)) != (b>>15 != 0) {
					t.Fatalf("%s %#04x is %v, want %v", h.name, b, v, want)
				}
			}
			if h.from32(v) != b || h.from64(float64(v)) != b {
				t.Fatalf("%s of %v is %#04x and %#04x, want %#04x", h.name, v, h.from32(v), h.from64(float64(v)), b)
			}
		}
	}
}

// TestHalfRounding rounds the middle between each two neighbours and what lies next to it on either side: in float32 that
// is one step off, in float64 far less, which a detour through float32 would lose.
func TestHalfRounding(t *testing.T) {
	for _, h := range halves {
		check := func(what string, got uint16, v *big.Float) {
			if want := h.round(v); got != want {
				t.Fatalf("%s of the %s %s is %#04x, want %#04x", h.name, what, v.Text('x', 20), got, want)
			}
		}
		for b := range h.inf() {
			lo := float64(h.value(b))
			hi := float64(h.value(b + 1))
			if b+1 == h.inf() {
				hi = lo + (lo - float64(h.value(b-1)))
			}
			mid := lo + (hi-lo)/2
			for _, v := range []float64{mid, math.Nextafter(mid, 0), math.Nextafter(mid, math.Inf(1)), lo + (hi-lo)/4} {
				for _, s := range []float64{v, -v} {
					check("float64", h.from64(s), big.NewFloat(s))
				}
			}
			m := float32(mid)
			for _, v := range []float32{m, math.Nextafter32(m, 0), math.Nextafter32(m, 2*m+1), -m} {
				check("float32", h.from32(v), big.NewFloat(float64(v)))
			}
			if mid < 1<<63 && mid >= 1 {
				for _, d := range []int64{-1, 0, 1} {
					v := int64(mid) + d
					check("int64", h.fromInt(v), new(big.Float).SetPrec(64).SetInt64(v))
					check("int64", h.fromInt(-v), new(big.Float).SetPrec(64).SetInt64(-v))
				}
			}
			if mid < 1<<64 && mid >= 1 {
				for _, d := range []uint64{0, 1, math.MaxUint64} {
					v := uint64(mid) + d
					check("uint64", h.fromUint(v), new(big.Float).SetPrec(64).SetUint64(v))
				}
			}
		}
		r := rand.New(rand.NewPCG(3, uint64(h.frac)))
		for range 20000 {
			v := math.Ldexp(r.Float64()-0.5, r.IntN(320)-170)
			check("float64", h.from64(v), big.NewFloat(v))
			check("float32", h.from32(float32(v)), big.NewFloat(float64(float32(v))))
			u := r.Uint64() >> r.IntN(64)
			check("uint64", h.fromUint(u), new(big.Float).SetPrec(64).SetUint64(u))
			check("int64", h.fromInt(int64(u)), new(big.Float).SetPrec(64).SetInt64(int64(u)))
		}
	}
}

func TestHalfEdges(t *testing.T) {
	for _, c := range []struct {
		got  fmt.Stringer
		bits uint16
		text string
	}{
		{NewFloat16(float32(65519)), 0x7bff, "65504"},
		{NewFloat16(65520), 0x7c00, "+Inf"},
		{NewFloat16(-1e300), 0xfc00, "-Inf"},
		{NewFloat16(math.MaxFloat64), 0x7c00, "+Inf"},
		{NewFloat16(2049), 0x6800, "2048"},
		{NewFloat16(2051), 0x6802, "2052"},
		{NewFloat16(6e-8), 0x0001, "6e-08"},
		{NewFloat16(0x1p-25), 0x0000, "0"},
		{NewFloat16(-5e-324), 0x8000, "-0"},
		{NewFloat16(0.1), 0x2e66, "0.1"},
		{NewFloat16(int8(-128)), 0xd800, "-128"},
		{NewFloat16(uint8(255)), 0x5bf8, "255"},
		{NewBFloat16(0.1), 0x3dcd, "0.1"},
		{NewBFloat16(float32(math.MaxFloat32)), 0x7f80, "+Inf"},
		{NewBFloat16(uint64(math.MaxUint64)), 0x5f80, "1.845e+19"},
		{NewBFloat16(int64(1)<<60 + 1<<52 + 1), 0x5d81, "1.16e+18"},
		{NewBFloat16(1 + 0x1p-8 + 0x1p-40), 0x3f81, "1.01"},
	} {
		bits := uint16(0)
		switch v := c.got.(type) {
		case Float16:
			bits = v.Bits()
		case BFloat16:
			bits = v.Bits()
		}
		if bits != c.bits || c.got.String() != c.text {
			t.Errorf("%T %#04x %s, want %#04x %s", c.got, bits, c.got, c.bits, c.text)
		}
	}
	if nan := NewFloat16(math.NaN()); !nan.IsNaN() || nan.IsInf(0) || nan.Float64() == nan.Float64() || nan.String() != "NaN" {
		t.Errorf("NaN is %#04x", nan.Bits())
	}
	if nan := NewBFloat16(math.Float32frombits(0x7f800001)); !nan.IsNaN() || nan.IsInf(0) { // whose payload is all cut off
		t.Errorf("NaN is %#04x", nan.Bits())
	}
	if !NewFloat16(70000).IsInf(1) || NewFloat16(70000).IsInf(-1) || !NewBFloat16(-1e39).IsInf(-1) || NewBFloat16(1).IsInf(0) {
		t.Error("IsInf")
	}
	if err := checkElement[Float16](); err != nil {
		t.Error(err)
	}
}

// TestHalfText reads every number back.
func TestHalfText(t *testing.T) {
	for i := range 1 << 16 {
		for _, s := range []fmt.Stringer{Float16(i), BFloat16(i)} {
			var f float64
			if _, err := fmt.Sscan(s.String(), &f); err != nil {
				t.Fatalf("%#04x: %v", i, err)
			}
			back := uint16(NewFloat16(f))
			if _, ok := s.(BFloat16); ok {
				back = uint16(NewBFloat16(f))
			}
			if back != uint16(i) && f == f {
				t.Fatalf("%T %#04x is written %s, which reads back as %#04x", s, i, s, back)
			}
		}
	}
}
