// Package elementary turns float64 arguments into elementary functions where the standard library's are wrong or lose
// many digits. The interpreter and the helpers of generated CPU code call it, so that both keep to a few units in the
// last place; it imports nothing of gpugen.
package elementary

import "math"

// Log is the natural logarithm. math.Log is wrong for subnormals on amd64, where it takes their exponent as it stands.
func Log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// Log2 is the logarithm to base 2. The standard library takes the exponent out first, which cancels around 1.
func Log2(x float64) float64 {
	if x > 0.5 && x < 2 {
		return float64(math.Log(x) * math.Log2E)
	}
	return math.Log2(x)
}

// Log10 is the logarithm to base 10.
func Log10(x float64) float64 { return float64(Log(x) * math.Log10E) }

// Asin is the inverse sine. Near the ends of the range math.Asin loses digits; the half-angle form does not.
func Asin(x float64) float64 { return math.Atan2(x, math.Sqrt(float64((1-x)*(1+x)))) }

// Acos is the inverse cosine. math.Acos subtracts from Pi/2, which leaves nothing near 1.
func Acos(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) }

// Atan2 is the angle of the point (x, y). It has the sign of y, which math.Atan2 loses where y/x underflows.
func Atan2(y, x float64) float64 { return math.Copysign(math.Atan2(y, x), y) }

// Pow is x to the y. math.Pow multiplies repeatedly, which costs a digit for every power of two in y; this is
// exp(y log x) with the logarithm and the product in two float64 each, as all modern libraries do. Special cases are
// those of C99, which math.Pow has as well.
func Pow(x, y float64) float64 {
	a := math.Abs(x)
	if y == 0 || x == 1 || x == 0 || y != y || x != x || math.IsInf(a, 0) || math.IsInf(y, 0) || a == 1 || y == 1 || x < 0 && y != math.Trunc(y) {
		return math.Pow(x, y)
	}
	l := log(a)
	var r float64
	switch size := float64(l.hi * y); {
	case size > 710:
		r = math.Inf(1)
	case size < -746:
		r = 0
	default:
		p := l.times(y)
		// A result near the smallest numbers is formed at a larger size and rounded once, by Ldexp.
		shift := 0
		if p.hi < -700 {
			shift = -128
			p = p.plus(double{128 * ln2Hi, 128 * ln2Lo})
		} else if p.hi > 700 {
			shift = 128
			p = p.plus(double{-128 * ln2Hi, -128 * ln2Lo})
		}
		e := math.Exp(p.hi)
		r = math.Ldexp(e+float64(e*p.lo), shift)
	}
	if x < 0 && math.Abs(math.Mod(y, 2)) == 1 {
		r = -r
	}
	return r
}

// double is the unevaluated sum of two float64, the second much smaller: about 106 bits. The operations are those of
// T. J. Dekker, "A floating-point technique for extending the available precision", Numerische Mathematik 18 (1971).
type double struct{ hi, lo float64 }

// sum is a + b exactly, for |a| >= |b|.
func sum(a, b float64) double {
	s := a + b
	return double{s, b - (s - a)}
}

func (d double) plus(o double) double {
	s := d.hi + o.hi
	v := s - d.hi
	lo := (d.hi - (s - v)) + (o.hi - v)
	return sum(s, lo+d.lo+o.lo)
}

func (d double) times(y float64) double {
	p := float64(d.hi * y)
	return sum(p, math.FMA(d.hi, y, -p)+float64(d.lo*y))
}

func (d double) mul(o double) double {
	p := float64(d.hi * o.hi)
	return sum(p, math.FMA(d.hi, o.hi, -p)+(float64(d.hi*o.lo)+float64(d.lo*o.hi)))
}

// ln2Hi and ln2Lo are ln 2 in two parts; the first has 21 bits free, so that multiples by an exponent are exact.
const (
	ln2Hi = 0x1.62e42fefa0p-1
	ln2Lo = 0x1.cf79abc9e3b398p-40
)

// log is the logarithm of a positive x to about 70 bits: with x = m 2^e, m near 1 and s = (m-1)/(m+1), it is
// e ln 2 + 2 (s + s^3/3 + s^5/5 + …), the first two terms of the series in two float64.
func log(x float64) double {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	den := double{m + 1, 0}
	den.lo = m - (den.hi - 1) // m + 1 exactly
	q := (m - 1) / den.hi
	rest := math.FMA(-q, den.hi, m-1) - float64(q*den.lo)
	s := sum(q, rest/den.hi)
	s2 := s.mul(s)
	z := s2.hi
	tail := 0.0
	for k := 27; k >= 5; k -= 2 {
		tail = float64(tail*z) + 1/float64(k)
	}
	third := double{1.0 / 3, 0x1p-54 / 3}.mul(s2) // 1/3 in two parts
	series := third.plus(double{float64(float64(z*z) * tail), 0})
	l := s.plus(s.mul(series))
	l = double{2 * l.hi, 2 * l.lo}
	return double{float64(float64(e) * ln2Hi), float64(float64(e) * ln2Lo)}.plus(l)
}
