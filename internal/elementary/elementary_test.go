package elementary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestEdges checks values that the package math gets wrong on some machine. The right ones were computed with 50 digits.
func TestEdges(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"log(5e-324)", Log(5e-324), -744.44007192138126},
		{"log(1e-310)", Log(1e-310), -713.80137882815416},
		{"log10(5e-324)", Log10(5e-324), -323.30621534311581},
		{"log2(5e-324)", Log2(5e-324), -1074},
		{"atan2(-1e-300, -1e300)", Atan2(-1e-300, -1e300), -math.Pi},
		{"atan2(1e-300, -1e300)", Atan2(1e-300, -1e300), math.Pi},
		{"acos(1-2^-53)", Acos(1 - 0x1p-53), 1.4901161193847656e-08},
		{"asin(1-2^-53)", Asin(1 - 0x1p-53), 1.5707963118937354},
		{"sin(-1e22)", Sin(-1e22), 0.8522008497671888},
		{"cos(1e22)", Cos(1e22), 0.5232147853951389},
		{"tan(-1e22)", Tan(-1e22), 1.6287782256068989},
		{"sin(pi)", Sin(math.Pi), 1.2246467991473532e-16},
		{"cos(-3pi/2)", Cos(-3 * math.Pi / 2), -1.8369701987210297e-16},
		{"cos(the closest to a multiple)", Cos(6381956970095103 * 0x1p797), -4.6871659242546277e-19},
		{"sin(max)", Sin(math.MaxFloat64), 0.004961954789184062},
		{"tan(1e-7)", Tan(1e-7), 1.0000000000000033e-07},
		{"sin(-0)", Sin(math.Copysign(0, -1)), math.Copysign(0, -1)},
		{"tan(-0)", Tan(math.Copysign(0, -1)), math.Copysign(0, -1)},
		{"pow(2, 0.5)", Pow(2, 0.5), math.Sqrt2},
		{"pow(-2, 3)", Pow(-2, 3), -8},
		{"pow(10, -320)", Pow(10, -320), 1e-320},
		{"pow(10, 308)", Pow(10, 308), 1e308},
	} {
		if math.Abs(c.got-c.want) > 5e-16*math.Abs(c.want) || math.Signbit(c.got) != math.Signbit(c.want) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	for _, f := range []func(float64) float64{Sin, Cos, Tan} {
		for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
			if v := f(x); v == v {
				t.Errorf("a function of %v is %v", x, v)
			}
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, -2, 2, math.Inf(1), math.Inf(-1), math.NaN(), 1e300, 3, -3, 1.0 / 3, 5e-324} {
		for _, y := range []float64{0, 1, -1, 3, 0.5, -3, 1e300, -1e300, math.MaxFloat64, -math.MaxFloat64, 1e18, 5e-324, math.Inf(1), math.Inf(-1), math.NaN()} {
			got, want := Pow(x, y), math.Pow(x, y)
			same := math.Float64bits(got) == math.Float64bits(want) || got != got && want != want
			if !same && !(math.Abs(got-want) <= 5e-16*math.Abs(want) && !math.IsInf(want, 0)) {
				t.Errorf("pow(%v, %v) = %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestPow compares integer powers, which big.Float gives to any precision, within two units in the last place.
func TestPow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for range 4000 {
		n := 1 + r.IntN(1<<(1+r.IntN(23)))
		x := math.Exp((r.Float64()*2 - 1) * 700 / float64(n))
		want := power(x, n)
		got := Pow(x, float64(n))
		w, _ := want.Float64()
		if w == 0 || math.IsInf(w, 0) {
			continue
		}
		diff := new(big.Float).Sub(new(big.Float).SetFloat64(got), want)
		d, _ := diff.Quo(diff, new(big.Float).SetFloat64(math.Nextafter(math.Abs(w), math.Inf(1))-math.Abs(w))).Float64()
		worst = max(worst, math.Abs(d))
		if math.Abs(d) > 2 {
			t.Fatalf("pow(%v, %d) = %v, want %v: %.2f units in the last place", x, n, got, w, d)
		}
	}
	t.Logf("worst %.2f units in the last place", worst)
}

// power is x to the n with 200 bits.
func power(x float64, n int) *big.Float {
	r, b := big.NewFloat(1).SetPrec(200), big.NewFloat(x).SetPrec(200)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r.Mul(r, b)
		}
		b.Mul(b, b)
	}
	return r
}
