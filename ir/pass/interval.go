package pass

import (
	"math"
	"math/bits"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// interval is lo <= v <= hi. Values of uint64 over MaxInt64 are out of its reach: such an interval is open, and hi says
// nothing.
type interval struct {
	lo, hi int64
	open   bool
}

// fullOf is every value of integer kind k.
func fullOf(k types.Kind) interval {
	switch {
	case k == types.Uint64:
		return interval{0, math.MaxInt64, true}
	case k.IsUnsigned():
		return interval{0, 1<<k.Bits() - 1, false}
	case k.IsSigned():
		return interval{math.MinInt64 >> (64 - k.Bits()), math.MaxInt64 >> (64 - k.Bits()), false}
	}
	return interval{math.MinInt64, math.MaxInt64, true}
}

// fits reports whether every value of v is one of kind k.
func (v interval) fits(k types.Kind) bool {
	f := fullOf(k)
	return f.lo <= v.lo && (f.open || !v.open && v.hi <= f.hi)
}

// within is v cut to w; v wherever that would leave nothing.
func (v interval) within(w interval) interval {
	out := interval{max(v.lo, w.lo), min(v.hi, w.hi), v.open && w.open}
	if v.open && !w.open {
		out.hi = w.hi
	} else if w.open {
		out.hi = v.hi
	}
	if !out.open && out.lo > out.hi {
		return v
	}
	return out
}

// union holds every value of both.
func (v interval) union(w interval) interval {
	return interval{min(v.lo, w.lo), max(v.hi, w.hi), v.open || w.open}
}

// corners is the interval of f over the corners of x and y, if no corner overflows; right for a monotone f.
func corners(x, y interval, f func(a, b int64) (int64, bool)) (interval, bool) {
	if x.open || y.open {
		return interval{}, false
	}
	out := interval{lo: math.MaxInt64, hi: math.MinInt64}
	for _, a := range [2]int64{x.lo, x.hi} {
		for _, b := range [2]int64{y.lo, y.hi} {
			v, ok := f(a, b)
			if !ok {
				return interval{}, false
			}
			out.lo, out.hi = min(out.lo, v), max(out.hi, v)
		}
	}
	return out, true
}

// exactBinary is the interval of the exact result of an integer operation of two operands, before any wrapping; it
// reports false when that does not fit in an interval or nothing is known. The operations that cannot wrap are here too.
func exactBinary(op ir.Op, k types.Kind, x, y interval) (interval, bool) {
	switch op {
	case ir.OpAdd:
		return corners(x, y, addOK)
	case ir.OpSub:
		return corners(x, y, func(a, b int64) (int64, bool) {
			d := a - b
			return d, (d < a) == (b > 0)
		})
	case ir.OpMul:
		return corners(x, y, mulOK)
	case ir.OpDiv, ir.OpDivNZ:
		return quotient(x, y)
	case ir.OpRem, ir.OpRemNZ:
		return remainder(x, y)
	case ir.OpMin:
		return interval{min(x.lo, y.lo), min(x.hi, y.hi), x.open && y.open}.mended(x, y), true
	case ir.OpMax:
		return interval{max(x.lo, y.lo), max(x.hi, y.hi), x.open || y.open}, true
	case ir.OpAnd:
		switch {
		case x.lo >= 0 && y.lo >= 0:
			return interval{0, min(x.hi, y.hi), x.open && y.open}.mended(x, y), true
		case x.lo >= 0:
			return interval{0, x.hi, x.open}, true
		case y.lo >= 0:
			return interval{0, y.hi, y.open}, true
		}
	case ir.OpOr, ir.OpXor:
		if x.lo >= 0 && y.lo >= 0 && !x.open && !y.open {
			return interval{0, 1<<bits.Len64(uint64(x.hi|y.hi)) - 1, false}, true
		}
	case ir.OpAndNot:
		if x.lo >= 0 {
			return interval{0, x.hi, x.open}, true
		}
	case ir.OpShl, ir.OpShlIn:
		if !y.open && y.lo >= 0 && y.hi < int64(min(k.Bits(), 62)) {
			return corners(x, y, func(a, b int64) (int64, bool) { return mulOK(a, 1<<b) })
		}
	case ir.OpShr, ir.OpShrIn:
		if y.lo >= 0 && !x.open {
			hi := y.hi
			if y.open {
				hi = 63
			}
			return corners(x, interval{min(y.lo, 63), min(hi, 63), false}, func(a, b int64) (int64, bool) { return a >> b, true })
		}
	}
	return interval{}, false
}

// mended takes the upper end of the side that has one.
func (v interval) mended(x, y interval) interval {
	if x.open {
		v.hi = y.hi
	} else if y.open {
		v.hi = x.hi
	}
	return v
}

// quotient is the interval of x / y; a zero divisor gives x, as the divisor 1 does.
func quotient(x, y interval) (interval, bool) {
	switch {
	case x.open && x.lo >= 0 && y.lo >= 0:
		return interval{0, math.MaxInt64, true}, true
	case x.open || y.lo < 0 && x.lo == math.MinInt64:
		return interval{}, false
	case y.lo < 0:
		m := max(-x.lo, x.hi)
		return interval{-m, m, false}, true
	case y.hi == 0 && !y.open:
		return x, true
	}
	d := interval{lo: max(y.lo, 1), hi: y.hi}
	if y.open {
		d.hi = math.MaxInt64
	}
	q, _ := corners(x, d, func(a, b int64) (int64, bool) { return a / b, true })
	if y.open { // a divisor over every int64
		q = q.union(interval{})
	}
	return q, true
}

// remainder is the interval of x % y: as x in sign, below y in size, zero for a zero divisor.
func remainder(x, y interval) (interval, bool) {
	m := int64(math.MaxInt64)
	if !y.open && y.lo > math.MinInt64 {
		m = max(max(-y.lo, y.hi)-1, 0)
	}
	out := interval{lo: 0, hi: m}
	if x.lo < 0 {
		out.lo = max(-m, x.lo)
	}
	if !x.open {
		out.hi = max(min(m, x.hi), 0)
	} else if y.open {
		out.open = true
	}
	return out, true
}

// exactUnary is exactBinary for one operand.
func exactUnary(op ir.Op, k types.Kind, x interval) (interval, bool) {
	zero := interval{}
	switch op {
	case ir.OpNeg:
		return exactBinary(ir.OpSub, k, zero, x)
	case ir.OpNot:
		if k.IsSigned() {
			return interval{^x.hi, ^x.lo, false}, !x.open
		}
	case ir.OpAbs:
		if n, ok := exactUnary(ir.OpNeg, k, x); ok && x.lo < 0 {
			return exactBinary(ir.OpMax, k, zero, x.union(n))
		}
		return x, x.lo >= 0
	case ir.OpPopcount, ir.OpClz, ir.OpCtz:
		return interval{0, int64(k.Bits()), false}, true
	}
	return interval{}, false
}
