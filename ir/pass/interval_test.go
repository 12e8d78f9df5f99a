package pass

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// contains reports whether v holds the value with the given bits of kind k.
func (v interval) contains(k types.Kind, bits uint64) bool {
	x := int64(bits)
	if k == types.Uint64 && x < 0 {
		return v.open
	}
	return v.lo <= x && (v.open || x <= v.hi)
}

// someInterval is an interval of kind k: a point, a few values, everything, and often an end of the kind.
func someInterval(r *rand.Rand, k types.Kind) interval {
	full := fullOf(k)
	ends := []int64{full.lo, full.hi, 0, 1, -1, 2, 7, 100, full.lo + 1, full.hi - 1, full.hi / 2, full.lo / 2, int64(k.Bits())}
	pick := func() int64 { return int64(ir.IntBits(k, ends[r.IntN(len(ends))])) & math.MaxInt64 }
	if k.IsSigned() {
		pick = func() int64 { return int64(ir.IntBits(k, ends[r.IntN(len(ends))])) }
	}
	a, b := pick(), pick()
	if r.IntN(4) == 0 {
		b = a
	}
	return interval{min(a, b), max(a, b), full.open && r.IntN(3) == 0}
}

// someValue is a value of v, often an end.
func someValue(r *rand.Rand, k types.Kind, v interval) uint64 {
	switch r.IntN(4) {
	case 0:
		return uint64(v.lo)
	case 1:
		if v.open {
			return math.MaxUint64 - r.Uint64N(3)
		}
		return uint64(v.hi)
	}
	if v.open {
		return uint64(v.lo) + r.Uint64N(math.MaxUint64-uint64(v.lo))
	}
	return uint64(v.lo) + r.Uint64N(max(uint64(v.hi)-uint64(v.lo), 1))
}

// rangedOps are the operations on integers whose results have intervals.
var rangedOps = []ir.Op{
	ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpNeg, ir.OpAbs, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpNot,
	ir.OpShl, ir.OpShr, ir.OpPopcount, ir.OpClz, ir.OpCtz, ir.OpMin, ir.OpMax, ir.OpConv, ir.OpMulHi, ir.OpReverse,
}

// TestIntervalsHold defines random operations on operands of random intervals and computes them on values of those: the
// result lies in the interval. It counts the results whose interval is narrower than the type.
func TestIntervalsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	kinds := []types.Kind{types.Int, types.Int8, types.Int16, types.Int32, types.Int64, types.Uint8, types.Uint32, types.Uint64}
	narrower := map[ir.Op]int{}
	for range 150_000 {
		op := rangedOps[r.IntN(len(rangedOps))]
		k, to := kinds[r.IntN(len(kinds))], types.Invalid
		if to = k; op == ir.OpConv {
			to = kinds[r.IntN(len(kinds))]
		}
		in := &ir.Instr{Op: op, Type: to}
		ranges := fresh(holding(in))
		constant := &ir.Instr{Op: op, Type: to}
		for range ir.Ops[op].Args {
			a := &ir.Instr{Op: ir.OpLoad, Type: k}
			v := someInterval(r, k)
			ranges.spans[a] = v
			in.Args = append(in.Args, a)
			constant.Args = append(constant.Args, &ir.Instr{Op: ir.OpConst, Type: k, Bits: someValue(r, k, v)})
		}
		ranges.define(in)
		span := ranges.spans[in]
		bits, ok := eval(constant)
		if !ok {
			t.Fatalf("%s %s is not computed", op, k)
		}
		if !span.contains(to, bits) {
			t.Fatalf("%s %s to %s of %v in %v, %v is %#x, not in %v", op, k, to, consts(constant), ranges.spans[in.Args[0]], ranges.spans[in.Args[len(in.Args)-1]], bits, span)
		}
		if span != fullOf(to) {
			narrower[op]++
		}
	}
	for _, op := range rangedOps {
		if never := op == ir.OpMulHi || op == ir.OpReverse; narrower[op] == 0 != never {
			t.Errorf("%s: %d results are narrower than their type", op, narrower[op])
		}
	}
}

// consts lists the operands of in.
func consts(in *ir.Instr) []int64 {
	var out []int64
	for _, a := range in.Args {
		out = append(out, a.Int64())
	}
	return out
}

// TestSpansCut checks within and union on open and closed intervals.
func TestSpansCut(t *testing.T) {
	open := fullOf(types.Uint64)
	for _, c := range []struct{ v, w, want interval }{
		{interval{0, 9, false}, interval{3, 20, false}, interval{3, 9, false}},
		{open, interval{3, 20, false}, interval{3, 20, false}},
		{interval{3, 20, false}, open, interval{3, 20, false}},
		{open, interval{5, math.MaxInt64, true}, interval{5, math.MaxInt64, true}},
		{interval{0, 2, false}, interval{5, 9, false}, interval{0, 2, false}},
	} {
		if got := c.v.within(c.w); got != c.want {
			t.Errorf("%v within %v is %v, want %v", c.v, c.w, got, c.want)
		}
	}
	if got := (interval{0, 2, false}).union(interval{5, 9, true}); got != (interval{0, 9, true}) {
		t.Errorf("union %v", got)
	}
}

// TestForms checks sums of forms, their keys and overflow.
func TestForms(t *testing.T) {
	a, b := &atom{id: 0}, &atom{id: 1}
	f := atomForm(a).times(3).plus(1, atomForm(b)).add(7)
	g := f.plus(-1, atomForm(b)).plus(-3, atomForm(a))
	if !g.isConst() || g.c != 7 {
		t.Errorf("3a+b+7-b-3a is %s", g.key())
	}
	if f.key() == g.key() || f.key() != atomForm(b).add(7).plus(3, atomForm(a)).key() {
		t.Errorf("keys %s, %s", f.key(), g.key())
	}
	if f.coefficient(a) != 3 || f.coefficient(&atom{}) != 0 {
		t.Errorf("coefficients of %s", f.key())
	}
	for _, bad := range []form{constForm(math.MaxInt64).add(1), atomForm(a).times(math.MaxInt64).times(2), constForm(math.MinInt64).times(-1)} {
		if !bad.bad {
			t.Errorf("%s did not overflow", bad.key())
		}
	}
	if f := constForm(math.MinInt64).times(1); f.bad || f.c != math.MinInt64 {
		t.Errorf("MinInt is %s", f.key())
	}
}
