package kernelgen

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gpugen/gpugen/dsl/types"
)

// literal is a typed constant of kind k.
func (g *generator) literal(k *kind) expr {
	switch {
	case k.isBool():
		return expr{pick(g, []string{"true", "false"}), precPrimary, true}
	case k.isFloat() && g.one(5): // no constants to the checker, but constants to the folder
		s := pick(g, []string{"inf()", "-inf()", "nan()", "copysign(0, -1)"})
		return primary("%s(%s)", k.name, s)
	}
	e := g.untyped(k, false)
	return expr{k.name + "(" + e.s + ")", precPrimary, true}
}

// nonzero is a typed constant other than zero.
func (g *generator) nonzero(k *kind) expr {
	return expr{k.name + "(" + g.untyped(k, true).s + ")", precPrimary, true}
}

// untyped is a constant that kind k holds.
func (g *generator) untyped(k *kind, nonzero bool) expr {
	for {
		s, zero := g.digits(k)
		if zero && nonzero {
			continue
		}
		e := expr{s, precPrimary, true}
		if s[0] == '-' {
			e.prec = precUnary
		}
		return e
	}
}

var floatTexts = []string{
	"0", "1", "2", "0.5", "-1", "-2.5", "0.1", "3", "100", "1e-3", "16777216", "1e10", "-1e-10", "0.3333333333333333", "1.5e30", "-7e33",
	"1e-40", "1.1754944e-38", "1e-45", "3.4028235e38", "-3.4028235e38", "2147483648", "9.223372036854775807e18", "-0.49999997", "8388609",
}

var float64Texts = []string{"5e-324", "1.7976931348623157e308", "2.2250738585072014e-308", "0.49999999999999994", "4503599627370497", "-1e300", "1e-300"}

// digits is a number that every kind of the set holds.
func (g *generator) digits(k *kind) (text string, zero bool) {
	if !k.single() {
		n := g.r.IntN(101)
		if g.one(2) {
			n = g.r.IntN(4)
		}
		return fmt.Sprint(n), n == 0
	}
	t := k.set[0]
	if t.IsFloat() {
		list := floatTexts
		switch {
		case t.IsHalf():
			list = halfTexts[t]
		case t == types.Float64 && g.one(3):
			list = float64Texts
		}
		s := pick(g, list)
		return s, s == "0"
	}
	w := uint(t.Bits())
	var v int64
	switch g.r.IntN(5) {
	case 0, 1:
		v = int64(g.r.IntN(10))
		if t.IsSigned() {
			v -= 3
		}
	case 2:
		v = 1 << g.r.IntN(int(w)-1)
		v += int64(g.r.IntN(3)) - 1
	case 3:
		if t.IsUnsigned() { // the upper half
			u := uint64(math.MaxUint64)>>(64-w) - uint64(g.r.IntN(3))
			return pick(g, []string{strconv.FormatUint(u, 10), fmt.Sprintf("%#x", u)}), false
		}
		v = int64(-1)<<(w-1) + int64(g.r.IntN(3))
	default:
		v = int64(g.r.Uint64() >> (65 - w))
	}
	if t.IsUnsigned() && v < 0 {
		v = -v
	}
	if v >= 0 && g.one(5) {
		return fmt.Sprintf("%#x", v), v == 0
	}
	return fmt.Sprint(v), v == 0
}
