package accuracy

import (
	"math"
	"math/big"
	"sync"

	"github.com/gpugen/gpugen/ir"
)

// precision is that of all numbers below, in bits: operands may cancel by many and still leave more than a float64 has.
const precision = 256

// wide is that of the constants: what reduces the largest float64 by multiples of Pi keeps the precision above.
const wide = precision + 1100

// Exact is table function op of float64 operands, to more digits than any target has. It is nil where the value is no
// matter of digits: where operands or the result are zero, infinite or not a number, and far beyond the range of float64
// or, for erf and tanh, where they are 1 in all digits.
func Exact(op ir.Op, x ...float64) *big.Float {
	for _, v := range x {
		if v == 0 || math.IsInf(v, 0) || v != v {
			return nil
		}
	}
	a := number(x[0])
	switch op {
	case ir.OpRsqrt:
		if x[0] > 0 {
			return quo(number(1), root(a))
		}
	case ir.OpExp:
		return exp(a)
	case ir.OpExp2:
		return exp(mul(a, ln2()))
	case ir.OpLog, ir.OpLog2, ir.OpLog10:
		if x[0] > 0 && x[0] != 1 {
			return quo(log(x[0]), map[ir.Op]func() *big.Float{ir.OpLog: one, ir.OpLog2: ln2, ir.OpLog10: ln10}[op]())
		}
	case ir.OpSin, ir.OpCos, ir.OpTan:
		s, c := sincos(x[0])
		return map[ir.Op]*big.Float{ir.OpSin: s, ir.OpCos: c, ir.OpTan: quo(s, c)}[op]
	case ir.OpAsin, ir.OpAcos:
		if math.Abs(x[0]) < 1 {
			side := root(mul(sub(one(), a), add(one(), a)))
			if op == ir.OpAsin {
				return angle(a, side)
			}
			return angle(side, a)
		}
	case ir.OpAtan:
		return angle(a, one())
	case ir.OpAtan2:
		return angle(a, number(x[1]))
	case ir.OpSinh, ir.OpCosh, ir.OpTanh:
		return hyperbolic(op, a)
	case ir.OpPow:
		return power(x[0], x[1])
	case ir.OpHypot:
		b := number(x[1])
		return root(add(mul(a, a), mul(b, b)))
	case ir.OpErf:
		return erf(a)
	}
	return nil
}

func fresh() *big.Float              { return new(big.Float).SetPrec(precision) }
func number(v float64) *big.Float    { return fresh().SetFloat64(v) }
func one() *big.Float                { return number(1) }
func add(x, y *big.Float) *big.Float { return fresh().Add(x, y) }
func sub(x, y *big.Float) *big.Float { return fresh().Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return fresh().Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return fresh().Quo(x, y) }
func root(x *big.Float) *big.Float   { return fresh().Sqrt(x) }

// by multiplies x by a power of two, in place.
func by(x *big.Float, e int) *big.Float { return x.SetMantExp(x, e) }

// small reports |x| below 2^e.
func small(x *big.Float, e int) bool { return x.Sign() == 0 || x.MantExp(nil) <= e }

// series is the sum of t + t·r(1) + t·r(1)·r(2) + …, each term the one before changed in place by next, and each
// divided by weight where there is one.
func series(t *big.Float, next func(t *big.Float, n int64), weight func(n int64) int64) *big.Float {
	sum, t := fresh(), fresh().Set(t)
	for n := int64(0); ; {
		v := t
		if weight != nil {
			v = quo(t, new(big.Float).SetInt64(weight(n)))
		}
		if v.Sign() == 0 || sum.Sign() != 0 && small(v, sum.MantExp(nil)-precision) {
			return sum
		}
		sum.Add(sum, v)
		n++
		next(t, n)
	}
}

func odd(n int64) int64 { return 2*n + 1 }

// arctangents is the sum of x^(2n+1)/(2n+1), with alternating signs for the arctangent, without for the hyperbolic one.
func arctangents(x *big.Float, sign int) *big.Float {
	square := mul(x, x)
	if sign < 0 {
		square.Neg(square)
	}
	return series(x, func(t *big.Float, _ int64) { t.Mul(t, square) }, odd)
}

// inverse is the arctangent of 1/n, or the hyperbolic one, to the precision of the constants.
func inverse(n int64, sign int64) *big.Float {
	at := func() *big.Float { return new(big.Float).SetPrec(wide) }
	t, sum := at().Quo(at().SetInt64(1), at().SetInt64(n)), at()
	for k := int64(1); !small(t, -wide); k += 2 {
		sum.Add(sum, at().Quo(t, at().SetInt64(k)))
		t.Quo(t, at().SetInt64(sign*n*n))
	}
	return sum
}

// Machin's formula for a quarter of Pi, and the logarithms by hyperbolic arctangents.
var (
	halfPi = sync.OnceValue(func() *big.Float {
		q := new(big.Float).SetPrec(wide).Mul(inverse(5, -1), new(big.Float).SetInt64(4))
		return by(q.Sub(q, inverse(239, -1)), 1)
	})
	ln2  = sync.OnceValue(func() *big.Float { return by(inverse(3, 1), 1) })
	ln10 = sync.OnceValue(func() *big.Float { // 10 = 2^3 · 5/4
		q := new(big.Float).SetPrec(wide).Mul(ln2(), new(big.Float).SetInt64(3))
		return q.Add(q, by(inverse(9, 1), 1))
	})
)

// exp takes multiples of ln 2 out and 16 times the half, which squaring undoes.
func exp(x *big.Float) *big.Float {
	f, _ := x.Float64()
	if math.Abs(f) > 1e5 {
		return nil
	}
	n := math.Round(f / math.Ln2)
	r := by(sub(x, mul(number(n), ln2())), -16)
	e := series(one(), func(t *big.Float, n int64) { t.Quo(t.Mul(t, r), new(big.Float).SetInt64(n)) }, nil)
	for range 16 {
		e.Mul(e, e)
	}
	return by(e, int(n))
}

// log is the logarithm of a positive number: of a power of two, and of what is left, near 1.
func log(x float64) *big.Float {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	v := number(m)
	rest := by(arctangents(quo(sub(v, one()), add(v, one())), 1), 1)
	return rest.Add(rest, mul(number(float64(e)), ln2()))
}

// sincos takes multiples of a right angle out.
func sincos(x float64) (sin, cos *big.Float) {
	r, quarter := number(x), 0
	if math.Abs(x) > 0.7 {
		n := new(big.Float).SetPrec(wide).Quo(new(big.Float).SetFloat64(x), halfPi())
		whole, _ := n.Add(n, number(math.Copysign(0.5, x))).Int(nil)
		n.SetInt(whole)
		r.Sub(number(x).SetPrec(wide), n.Mul(n, halfPi()))
		quarter = int(new(big.Int).And(whole, big.NewInt(3)).Int64())
	}
	square := mul(r, r)
	step := func(first int64) func(*big.Float, int64) {
		return func(t *big.Float, n int64) {
			k := 2*n + first
			t.Quo(t.Mul(t, square), new(big.Float).SetInt64(-k*(k-1)))
		}
	}
	s, c := series(r, step(1), nil), series(one(), step(0), nil)
	switch quarter {
	case 1:
		return c, s.Neg(s)
	case 2:
		return s.Neg(s), c.Neg(c)
	case 3:
		return c.Neg(c), s
	}
	return s, c
}

// angle is that of the point (x, y), as atan2 has it; not both are zero.
func angle(y, x *big.Float) *big.Float {
	a, b := fresh().Abs(y), fresh().Abs(x)
	steep := a.Cmp(b) > 0
	if steep {
		a, b = b, a
	}
	t := quo(a, b)
	for range 8 { // half the angle each
		t = quo(t, add(one(), root(add(one(), mul(t, t)))))
	}
	v := by(arctangents(t, -1), 8)
	if steep {
		v = sub(halfPi(), v)
	}
	if x.Sign() < 0 {
		v = sub(mul(number(2), halfPi()), v)
	}
	if y.Sign() < 0 {
		v.Neg(v)
	}
	return v
}

// hyperbolic computes by exponentials, and near zero, where they cancel, by the first terms of the series.
func hyperbolic(op ir.Op, x *big.Float) *big.Float {
	if small(x, -40) && op != ir.OpCosh {
		square := mul(x, x)
		third := map[ir.Op]float64{ir.OpSinh: 6, ir.OpTanh: -3}[op]
		return add(x, quo(mul(x, square), number(third)))
	}
	e := exp(x)
	if e == nil {
		return nil
	}
	back := quo(one(), e)
	s, c := by(sub(e, back), -1), by(add(e, back), -1)
	return map[ir.Op]*big.Float{ir.OpSinh: s, ir.OpCosh: c, ir.OpTanh: quo(s, c)}[op]
}

// power is x to the y: of a negative number for whole y alone.
func power(x, y float64) *big.Float {
	whole := math.Trunc(y) == y
	if x < 0 && !whole {
		return nil
	}
	v := one()
	if a := math.Abs(x); a != 1 {
		v = exp(mul(log(a), number(y)))
	}
	if v != nil && x < 0 && math.Mod(y, 2) != 0 {
		v.Neg(v)
	}
	return v
}

// erf is 2/sqrt(Pi) e^(-x²) times the sum of 2^n x^(2n+1) / (1·3·…·(2n+1)), whose terms have one sign.
func erf(x *big.Float) *big.Float {
	if !small(x, 3) {
		return nil
	}
	square := mul(x, x)
	sum := series(x, func(t *big.Float, n int64) {
		t.Quo(t.Mul(t, square), new(big.Float).SetInt64(odd(n)))
		by(t, 1)
	}, nil)
	scale := quo(exp(fresh().Neg(square)), root(by(mul(halfPi(), number(1)), 1)))
	return by(mul(sum, scale), 1)
}
