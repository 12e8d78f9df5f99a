package gen

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func same[T Float](a, b T) bool {
	return a != a && b != b || a == b && math.Signbit(float64(a)) == math.Signbit(float64(b))
}

func TestFminFmax(t *testing.T) {
	nan, nz := float32(math.NaN()), float32(math.Copysign(0, -1))
	for _, c := range [][4]float32{{nan, 1, 1, 1}, {1, nan, 1, 1}, {nan, nan, nan, nan}, {nz, 0, nz, 0}, {0, nz, nz, 0}, {-3, 2, -3, 2}} {
		if !same(Fmin(c[0], c[1]), c[2]) || !same(Fmax(c[0], c[1]), c[3]) {
			t.Errorf("%v: %v %v", c, Fmin(c[0], c[1]), Fmax(c[0], c[1]))
		}
	}
}

func TestSign(t *testing.T) {
	nz := math.Copysign(0, -1)
	for _, c := range [][2]float64{{3, 1}, {-3, -1}, {0, 0}, {nz, nz}, {math.NaN(), math.NaN()}, {math.Inf(-1), -1}} {
		if got := Sign(c[0]); !same(got, c[1]) {
			t.Errorf("Sign(%v) = %v", c[0], got)
		}
	}
	if Sign(int8(-128)) != -1 || Sign(uint8(200)) != 1 || Sign(int32(0)) != 0 {
		t.Error("Sign of integers")
	}
}

func TestMod(t *testing.T) {
	for _, c := range [][3]float64{{7, 3, 1}, {-7, 3, 2}, {7, -3, -2}, {-7, -3, -1}, {5.5, 2, 1.5}, {-0.5, 2, 1.5}, {6, 3, 0}} {
		if got := Mod(c[0], c[1]); got != c[2] {
			t.Errorf("Mod(%v, %v) = %v, want %v", c[0], c[1], got, c[2])
		}
		if got := Mod(float32(c[0]), float32(c[1])); got != float32(c[2]) {
			t.Errorf("Mod[float32](%v, %v) = %v, want %v", c[0], c[1], got, c[2])
		}
	}
	if !IsNaN(Mod(1.0, 0)) {
		t.Error("Mod(1, 0)")
	}
}

// exactFMA rounds x*y + z once with big.Float, which knows subnormals of neither type: SetMode and Float32 do.
func exactFMA(x, y, z float32) float32 {
	p := new(big.Float).SetPrec(2000).SetFloat64(float64(x))
	p.Mul(p, new(big.Float).SetFloat64(float64(y)))
	p.Add(p, new(big.Float).SetFloat64(float64(z)))
	if p.Sign() == 0 {
		return float32(float64(x)*float64(y) + float64(z)) // exact zero: IEEE's sign
	}
	f, _ := p.Float32()
	return f
}

func TestFMA32(t *testing.T) {
	edge := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1 + 0x1p-23, 1 - 0x1p-24, 0x1p-149, -0x1p-149, 0x1p-126, 0x1p-75, 0x1p-74,
		0x1p-24, 0x1p-25, -0x1p-25, 0x1p100, 0x1p60, 3, 5, 0x1.fffffep127, -0x1.fffffep127, 0x1.000002p-50, 16777215, 4097, 0x1p12 + 0x1p-11}
	check := func(x, y, z float32) {
		if got, want := FMA32(x, y, z), exactFMA(x, y, z); !same(got, want) {
			t.Fatalf("FMA32(%x, %x, %x) = %x, want %x", x, y, z, got, want)
		}
	}
	for _, x := range edge {
		for _, y := range edge {
			for _, z := range edge {
				check(x, y, z)
			}
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	finite := func() float32 {
		for {
			if f := math.Float32frombits(r.Uint32()); f-f == 0 {
				return f
			}
		}
	}
	double := 0
	for range 60000 {
		x, y := finite(), finite()
		z := finite()
		if p := float64(x) * float64(y); r.IntN(2) == 0 && math.Abs(p) < math.MaxFloat32 { // close to halfway between floats
			z = float32(p) * float32(math.Ldexp(1, r.IntN(60)-30))
			if z-z != 0 {
				continue
			}
		}
		check(x, y, z)
		if float32(float64(x)*float64(y)+float64(z)) != FMA32(x, y, z) {
			double++
		}
	}
	// A case where rounding twice is wrong: the sum lies just over halfway, by less than float64 can hold.
	x, y, z := float32(1+0x1p-12), float32(1+0x1p-12), float32(0x1p-60)
	if naive := float32(float64(x)*float64(y) + float64(z)); naive == FMA32(x, y, z) {
		t.Errorf("FMA32(%x, %x, %x) = %x rounds twice", x, y, z, naive)
	}
	check(x, y, z)
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range [][4]float32{{inf, 1, 1, inf}, {inf, 0, 1, nan}, {inf, 1, -inf, nan}, {1, 1, -inf, -inf}, {nan, 1, 1, nan}, {1, 1, nan, nan}} {
		if got := FMA32(c[0], c[1], c[2]); !same(got, c[3]) {
			t.Errorf("FMA32(%v, %v, %v) = %v", c[0], c[1], c[2], got)
		}
	}
}

// bigRound rounds a float32 with math/big, to hold the exact functions against.
func TestExactFunctionsOnFloat32Samples(t *testing.T) {
	for u := uint64(0); u < 1<<32; u += 65521 {
		x := math.Float32frombits(uint32(u))
		if x >= 0 && x-x == 0 {
			s := new(big.Float).SetPrec(300).SetFloat64(float64(x))
			want, _ := s.Sqrt(s).Float32()
			if got := Sqrt(x); got != want {
				t.Fatalf("Sqrt(%x) = %x, want %x", x, got, want)
			}
		}
		if x-x != 0 || Fabs(x) > 1<<30 {
			if !same(Floor(x), x) || !same(Ceil(x), x) || !same(Trunc(x), x) || !same(Round(x), x) || !same(RoundEven(x), x) {
				t.Fatalf("rounding %x", x)
			}
			continue
		}
		n := int64(x)
		fl, ce := n, n
		if float32(n) > x {
			fl--
		}
		if float32(n) < x {
			ce++
		}
		frac := float64(x) - float64(fl)
		near, even := fl, fl
		if frac > 0.5 || frac == 0.5 && x > 0 {
			near++
		}
		if frac > 0.5 || frac == 0.5 && fl&1 != 0 {
			even++
		}
		if Floor(x) != float32(fl) || Ceil(x) != float32(ce) || Trunc(x) != float32(n) || Round(x) != float32(near) || RoundEven(x) != float32(even) {
			t.Fatalf("rounding %x: %v %v %v %v %v", x, Floor(x), Ceil(x), Trunc(x), Round(x), RoundEven(x))
		}
	}
	for _, c := range [][3]float32{{0.5, 1, 0}, {1.5, 2, 2}, {2.5, 3, 2}, {-0.5, -1, 0}, {-2.5, -3, -2}} {
		if Round(c[0]) != c[1] || RoundEven(c[0]) != c[2] {
			t.Errorf("halves: %v: %v %v", c[0], Round(c[0]), RoundEven(c[0]))
		}
	}
}

// ulps64 is the distance between two finite float64 of one sign in units of the last place.
func ulps64(a, b float64) uint64 {
	x, y := int64(math.Float64bits(a)), int64(math.Float64bits(b))
	return uint64(max(x-y, y-x))
}

// bigLog is ln(1+d) for small d by its series, to 200 bits.
func bigLog(d *big.Float) *big.Float {
	sum, pow := new(big.Float).SetPrec(200), new(big.Float).SetPrec(200).Set(d)
	for k := int64(1); k < 60; k++ {
		term := new(big.Float).SetPrec(200).Quo(pow, new(big.Float).SetInt64(k))
		if k%2 == 0 {
			term.Neg(term)
		}
		sum.Add(sum, term)
		pow.Mul(pow, d)
	}
	return sum
}

func TestLogsNearOne(t *testing.T) {
	ln2, _ := new(big.Float).SetPrec(200).SetString("0.693147180559945309417232121458176568075500134360255254120680009493393621969694716")
	ln10, _ := new(big.Float).SetPrec(200).SetString("2.302585092994045684017991454684364207601101488628772976033327900967572609677352480")
	for _, d := range []float64{0x1p-52, 0x1p-40, -0x1p-53, -0x1p-30, 0x1p-10, -0x1p-6, 1.0 / 128} {
		l := bigLog(new(big.Float).SetPrec(200).SetFloat64(d))
		w2, _ := new(big.Float).Quo(l, ln2).Float64()
		w10, _ := new(big.Float).Quo(l, ln10).Float64()
		if u := ulps64(Log2(1+d), w2); u > 2 {
			t.Errorf("Log2(1%+g) is %d ULP off", d, u)
		}
		if u := ulps64(Log10(1+d), w10); u > 2 {
			t.Errorf("Log10(1%+g) is %d ULP off", d, u)
		}
	}
	for e := -149; e < 128; e++ {
		if got := Log2(float32(math.Ldexp(1, e))); got != float32(e) {
			t.Errorf("Log2(2^%d) = %v", e, got)
		}
	}
}

func TestTableFunctions(t *testing.T) {
	near := func(name string, got, want float32) {
		if d := math.Abs(float64(got) - float64(want)); d > float64(math.Abs(float64(want)))*0x1p-23 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	near("exp 1", Exp(float32(1)), math.E)
	near("exp2 0.5", Exp2(float32(0.5)), math.Sqrt2)
	near("log e", Log(float32(10)), math.Ln10)
	near("log10 1000", Log10(float32(1000)), 3)
	near("sin", Sin(float32(1)), 0.84147098480789650665)
	near("cos", Cos(float32(1)), 0.54030230586813971740)
	near("tan", Tan(float32(1)), 1.55740772465490223051)
	near("asin", Asin(float32(0.5)), math.Pi/6)
	near("acos", Acos(float32(0.5)), math.Pi/3)
	near("atan", Atan(float32(1)), math.Pi/4)
	near("atan2", Atan2(float32(-1), float32(-1)), -3*math.Pi/4)
	near("sinh", Sinh(float32(1)), 1.17520119364380145688)
	near("cosh", Cosh(float32(1)), 1.54308063481524377848)
	near("tanh", Tanh(float32(1)), 0.76159415595576488812)
	near("pow", Pow(float32(2), float32(0.5)), math.Sqrt2)
	near("hypot", Hypot(float32(3e30), float32(4e30)), 5e30)
	near("erf", Erf(float32(0.5)), 0.52049987781304653768)
	near("rsqrt", Rsqrt(float32(2)), 0.70710678118654752440)
	near("lerp", Lerp(float32(2), 4, 0.25), 2.5)
	if !IsInf(Rsqrt(float32(0))) || !IsNaN(Log(float32(-1))) || !IsInf(Inf[float32]()) || !IsNaN(NaN[float64]()) {
		t.Error("special values")
	}
	if Copysign(float32(3), -0.5) != -3 || FMA64(2, 3, 4) != 10 {
		t.Error("copysign or fma")
	}
	// lerp is unfused: t*(b-a) rounds before the sum, so the exact product's low bits must be lost.
	if a, b, c := float32(-1), float32(1+0x1p-22)-1, float32(1+0x1p-23); Lerp(a, b, c) != a+float32(c*float32(b-a)) {
		t.Error("lerp fuses")
	}
}
