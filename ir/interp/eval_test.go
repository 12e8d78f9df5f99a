package interp

import (
	"bufio"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

var (
	intKinds   = []types.Kind{types.Int8, types.Int16, types.Int32, types.Int64, types.Uint8, types.Uint16, types.Uint32, types.Uint64, types.Int}
	floatKinds = []types.Kind{types.Float16, types.BFloat16, types.Float32, types.Float64}
)

// edges are the values of kind k at which integer operations go wrong.
func edges(k types.Kind) []uint64 {
	var out []uint64
	for _, x := range []int64{0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 32767, 65535, 0x12345678, math.MaxInt32, math.MaxInt64} {
		out = append(out, norm(k, uint64(x)), norm(k, uint64(-x)), norm(k, uint64(^x)))
	}
	return append(out, norm(k, 1<<(k.Bits()-1)), norm(k, 1<<(k.Bits()-1)-1))
}

// toBig is the exact value of register x of kind k.
func toBig(k types.Kind, x uint64) *big.Int {
	if k.IsSigned() {
		return big.NewInt(int64(x))
	}
	return new(big.Int).SetUint64(x)
}

// wrap is v modulo the width of k, as a register.
func wrap(k types.Kind, v *big.Int) uint64 {
	m := new(big.Int).And(v, new(big.Int).SetUint64(^uint64(0))) // two's complement of a negative v
	return norm(k, m.Uint64())
}

// intWant is the meaning table in unlimited precision.
func intWant(op ir.Op, k types.Kind, x, y uint64) (uint64, bool) {
	a, b, v := toBig(k, x), toBig(k, y), new(big.Int)
	w := uint(k.Bits())
	switch op {
	case ir.OpAdd:
		v.Add(a, b)
	case ir.OpSub:
		v.Sub(a, b)
	case ir.OpMul:
		v.Mul(a, b)
	case ir.OpDiv, ir.OpRem:
		switch {
		case b.Sign() == 0 && op == ir.OpDiv:
			v.Set(a)
		case b.Sign() == 0:
		case op == ir.OpDiv:
			v.Quo(a, b)
		default:
			v.Rem(a, b)
		}
	case ir.OpAnd:
		v.And(a, b)
	case ir.OpOr:
		v.Or(a, b)
	case ir.OpXor:
		v.Xor(a, b)
	case ir.OpAndNot:
		v.AndNot(a, b)
	case ir.OpShl, ir.OpShr:
		n := uint(200)
		if b.Sign() >= 0 && b.IsInt64() && b.Int64() < 200 {
			n = uint(b.Int64())
		}
		if op == ir.OpShl {
			v.Lsh(a, n)
		} else {
			v.Rsh(a, n) // rounds down, as an arithmetic shift does
		}
	case ir.OpMin, ir.OpMax:
		v.Set(a)
		if (a.Cmp(b) > 0) == (op == ir.OpMin) {
			v.Set(b)
		}
	case ir.OpMulHi:
		v.Rsh(v.Mul(a, b), w)
	case ir.OpEq:
		return b2u(a.Cmp(b) == 0), true
	case ir.OpNe:
		return b2u(a.Cmp(b) != 0), true
	case ir.OpLt:
		return b2u(a.Cmp(b) < 0), true
	case ir.OpLe:
		return b2u(a.Cmp(b) <= 0), true
	case ir.OpGt:
		return b2u(a.Cmp(b) > 0), true
	case ir.OpGe:
		return b2u(a.Cmp(b) >= 0), true
	case ir.OpNeg:
		v.Neg(a)
	case ir.OpAbs:
		v.Abs(a)
	case ir.OpNot:
		v.Not(a)
	case ir.OpPopcount, ir.OpClz, ir.OpCtz, ir.OpReverse:
		return bitWant(op, k, x), true
	default:
		return 0, false
	}
	return wrap(k, v), true
}

// bitWant counts on the text of the number.
func bitWant(op ir.Op, k types.Kind, x uint64) uint64 {
	s := strconv.FormatUint(x, 2)
	w := k.Bits()
	if s = strings.Repeat("0", 64) + s; true {
		s = s[len(s)-w:]
	}
	switch op {
	case ir.OpPopcount:
		return uint64(strings.Count(s, "1"))
	case ir.OpClz:
		return uint64(len(s) - len(strings.TrimLeft(s, "0")))
	case ir.OpCtz:
		return uint64(len(s) - len(strings.TrimRight(s, "0")))
	}
	var r uint64
	for i := range w {
		if s[i] == '1' {
			r |= 1 << i
		}
	}
	return norm(k, r)
}

var (
	intOnly  = []ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpNot, ir.OpShl, ir.OpShr, ir.OpMulHi, ir.OpPopcount, ir.OpClz, ir.OpCtz, ir.OpReverse}
	numeric  = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpNeg, ir.OpAbs, ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe, ir.OpMin, ir.OpMax}
	proved   = map[ir.Op]ir.Op{ir.OpDivNZ: ir.OpDiv, ir.OpRemNZ: ir.OpRem, ir.OpShlIn: ir.OpShl, ir.OpShrIn: ir.OpShr}
	elsewise = []ir.Op{ir.OpConv, ir.OpBitcast, ir.OpSelect, ir.OpLNot, ir.OpFMA}
)

// TestEveryOperation asks that each operation of class Pure exists on every kind that has it, and on no other.
func TestEveryOperation(t *testing.T) {
	in := func(op ir.Op, lists ...[]ir.Op) bool {
		for _, l := range lists {
			for _, o := range l {
				if o == op {
					return true
				}
			}
		}
		return false
	}
	for op := range ir.NumOps {
		info := ir.Ops[op]
		if info.Class != ir.Pure || in(op, elsewise) {
			continue
		}
		_, isProved := proved[op]
		for _, k := range append(append([]types.Kind{types.Bool}, intKinds...), floatKinds...) {
			want := k.IsInteger() && (in(op, intOnly, numeric) || isProved) || k.IsFloat() && !in(op, intOnly) && !isProved ||
				k == types.Bool && (op == ir.OpEq || op == ir.OpNe)
			_, got := Eval(op, k, k, make([]uint64, info.Args)...)
			if got != want {
				t.Errorf("%s on %s: there is %v, want %v", op, k, got, want)
			}
		}
	}
}

func TestIntegers(t *testing.T) {
	for _, k := range intKinds {
		for _, op := range append(append([]ir.Op{}, intOnly...), numeric...) {
			for _, x := range edges(k) {
				for _, y := range edges(k) {
					args := []uint64{x, y}[:ir.Ops[op].Args]
					want, known := intWant(op, k, x, y)
					got, ok := Eval(op, k, k, args...)
					if !known || !ok || got != want {
						t.Fatalf("%s %s %v = %#x, want %#x (%v %v)", op, k, args, got, want, known, ok)
					}
				}
			}
		}
		for p, op := range proved {
			for _, x := range edges(k) {
				for _, y := range []uint64{1, 2, 5, 7} {
					want, _ := Eval(op, k, k, x, y)
					if got, _ := Eval(p, k, k, x, y); got != want {
						t.Fatalf("%s %s(%d, %d) = %d, want %d", p, k, x, y, got, want)
					}
				}
			}
		}
	}
}

func floatEdges(k types.Kind) []uint64 {
	var out []uint64
	for _, f := range []float64{0, 1, 1.5, 2, 2.5, 0.1, 1.0 / 3, 3, 1e-10, 1e10, 16777217, 1 + 1.0/1024, math.Pi, 65504, 1e-40, 1e30, 3e38, 1e-45, math.Inf(1), 1e-300, 1e300, 5e-324, 1.1754943e-38, 0.49999997} {
		out = append(out, fromFloat64(k, f), fromFloat64(k, -f))
	}
	return append(out, fromFloat64(k, math.NaN()))
}

// roundRat rounds an exact value to k once, ties to even, with the given sign for zero.
func roundRat(k types.Kind, v *big.Rat, negZero bool) uint64 {
	prec, minExp := map[types.Kind]uint{types.Float16: 11, types.BFloat16: 8, types.Float32: 24, types.Float64: 53}[k],
		map[types.Kind]int{types.Float16: -24, types.BFloat16: -133, types.Float32: -149, types.Float64: -1074}[k]
	sign := uint64(1) << (k.Bits() - 1)
	if v.Sign() == 0 {
		return sign * b2u(negZero)
	}
	if v.Sign() > 0 {
		sign = 0
	}
	a := new(big.Rat).Abs(v)
	e := a.Num().BitLen() - a.Denom().BitLen() - int(prec) - 1
	for ; ; e++ { // the quantum 2^e at which the number has at most prec bits
		if e < minExp {
			continue
		}
		q := scale(a, -e)
		n := new(big.Int).Quo(q.Num(), q.Denom())
		rest := new(big.Rat).Sub(q, new(big.Rat).SetInt(n))
		if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && n.Bit(0) == 1 {
			n.Add(n, big.NewInt(1))
		}
		if uint(n.BitLen()) > prec {
			continue
		}
		f := math.Ldexp(float64(n.Uint64()), e)
		switch m := n.Uint64(); {
		case m == 0:
			return sign
		case k == types.Float64:
			return sign | b64(f)
		default:
			// Lay the bits out by hand: the field of the exponent counts quanta above the least one.
			top := uint64(1) << (prec - 1)
			expo := uint64(e-minExp) + 1
			for m < top && expo > 1 {
				m, expo = m<<1, expo-1
			}
			if m < top {
				return sign | m
			}
			limit := uint64(1)<<(uint(k.Bits())-prec) - 1
			if expo >= limit {
				return sign | limit<<(prec-1)
			}
			return sign | expo<<(prec-1) | m&(top-1)
		}
	}
}

func scale(v *big.Rat, e int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
	if e < 0 {
		return new(big.Rat).Quo(v, p)
	}
	return new(big.Rat).Mul(v, p)
}

func finite(fs ...float64) bool {
	for _, f := range fs {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}

func rat(f float64) *big.Rat { return new(big.Rat).SetFloat64(f) }

// sameFloat compares bits, any NaN with any other.
func sameFloat(k types.Kind, x, y uint64) bool {
	fx, fy := toFloat64(k, x), toFloat64(k, y)
	return x == y || fx != fx && fy != fy
}

func TestFloatArithmetic(t *testing.T) {
	native := map[ir.Op]func(x, y float64) float64{
		ir.OpAdd: func(x, y float64) float64 { return x + y }, ir.OpSub: func(x, y float64) float64 { return x - y },
		ir.OpMul: func(x, y float64) float64 { return x * y }, ir.OpDiv: func(x, y float64) float64 { return x / y },
	}
	exact := map[ir.Op]func(x, y *big.Rat) *big.Rat{
		ir.OpAdd: new(big.Rat).Add, ir.OpSub: new(big.Rat).Sub, ir.OpMul: new(big.Rat).Mul, ir.OpDiv: new(big.Rat).Quo,
	}
	for _, k := range floatKinds {
		for op, f := range native {
			for _, x := range floatEdges(k) {
				for _, y := range floatEdges(k) {
					a, b := toFloat64(k, x), toFloat64(k, y)
					want := fromFloat64(k, f(a, b)) // right for Inf, NaN and zeros
					if finite(a, b) && (op != ir.OpDiv || b != 0) {
						negZero := math.Signbit(f(a, b))
						want = roundRat(k, exact[op](rat(a), rat(b)), negZero)
						if is16(k) { // by definition the float32 operation, rounded once more
							want = encode16(k, float64(f32(roundRat(types.Float32, exact[op](rat(a), rat(b)), negZero))))
						}
					}
					if got, _ := Eval(op, k, k, x, y); !sameFloat(k, got, want) {
						t.Fatalf("%s %s(%v, %v) = %#x, want %#x", op, k, a, b, got, want)
					}
				}
			}
		}
	}
}

func TestFMA(t *testing.T) {
	for _, k := range []types.Kind{types.Float32, types.Float64} {
		es := floatEdges(k)
		for i := range 8 { // operands whose products end close to halves
			es = append(es, norm(types.Uint64, fromFloat64(k, 1+math.Ldexp(float64(2*i+1), -23))), fromFloat64(k, math.Ldexp(float64(i+1), -24)))
		}
		zs := floatEdges(k)
		for i, x := range es {
			for j, y := range es {
				for n := (i + j) % 5; n < len(zs); n += 5 { // every pair meets every fifth addend
					z := zs[n]
					a, b, c := toFloat64(k, x), toFloat64(k, y), toFloat64(k, z)
					want := fromFloat64(k, math.FMA(a, b, c))
					if finite(a, b, c) {
						v := new(big.Rat).Mul(rat(a), rat(b))
						want = roundRat(k, v.Add(v, rat(c)), math.Signbit(math.FMA(a, b, c)))
					}
					if got, _ := Eval(ir.OpFMA, k, k, x, y, z); !sameFloat(k, got, want) {
						t.Fatalf("fma %s(%v, %v, %v) = %#x, want %#x", k, a, b, c, got, want)
					}
				}
			}
		}
	}
}

// TestFloatRules states the table's rules on single values.
func TestFloatRules(t *testing.T) {
	nan, inf, negZero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	for _, c := range []struct {
		op   ir.Op
		x    []float64
		want float64
	}{
		{ir.OpMin, []float64{nan, 1}, nan}, {ir.OpMin, []float64{1, nan}, nan}, {ir.OpMin, []float64{0, negZero}, negZero}, {ir.OpMin, []float64{negZero, 0}, negZero},
		{ir.OpMax, []float64{nan, 1}, nan}, {ir.OpMax, []float64{1, nan}, nan}, {ir.OpMax, []float64{negZero, 0}, 0}, {ir.OpMax, []float64{0, negZero}, 0},
		{ir.OpFmin, []float64{nan, 1}, 1}, {ir.OpFmin, []float64{1, nan}, 1}, {ir.OpFmin, []float64{nan, nan}, nan}, {ir.OpFmin, []float64{0, negZero}, negZero},
		{ir.OpFmax, []float64{nan, 1}, 1}, {ir.OpFmax, []float64{1, nan}, 1}, {ir.OpFmax, []float64{negZero, 0}, 0}, {ir.OpFmax, []float64{-inf, 2}, 2},
		{ir.OpRound, []float64{2.5}, 3}, {ir.OpRound, []float64{-0.5}, -1}, {ir.OpRound, []float64{0.49999997}, 0}, {ir.OpRoundEven, []float64{2.5}, 2}, {ir.OpRoundEven, []float64{-0.5}, negZero},
		{ir.OpFloor, []float64{-0.5}, -1}, {ir.OpCeil, []float64{-0.5}, negZero}, {ir.OpTrunc, []float64{-1.9}, -1}, {ir.OpSqrt, []float64{-1}, nan}, {ir.OpSqrt, []float64{negZero}, negZero},
		{ir.OpRem, []float64{-7, 2}, -1}, {ir.OpRem, []float64{7, -2}, 1}, {ir.OpRem, []float64{5, inf}, 5}, {ir.OpRem, []float64{5, 0}, nan}, {ir.OpRem, []float64{-4, 2}, negZero},
		{ir.OpCopysign, []float64{3, negZero}, -3}, {ir.OpAbs, []float64{negZero}, 0}, {ir.OpNeg, []float64{0}, negZero}, {ir.OpRsqrt, []float64{0}, inf}, {ir.OpRsqrt, []float64{inf}, 0},
		{ir.OpExp, []float64{-inf}, 0}, {ir.OpLog, []float64{0}, -inf}, {ir.OpLog, []float64{-1}, nan}, {ir.OpPow, []float64{-8, 3}, -512}, {ir.OpAtan2, []float64{negZero, -1}, -math.Pi}, {ir.OpAcos, []float64{2}, nan}, {ir.OpHypot, []float64{inf, nan}, inf},
	} {
		for _, k := range floatKinds {
			var x []uint64
			for _, f := range c.x {
				x = append(x, fromFloat64(k, f))
			}
			want := fromFloat64(k, c.want)
			if c.want == 0.49999997 || c.x[0] == 0.49999997 && is16(k) {
				continue // is 0.5 in 16 bits
			}
			if got, ok := Eval(c.op, k, k, x...); !ok || !sameFloat(k, got, want) {
				t.Errorf("%s %s%v = %v, want %v", c.op, k, c.x, toFloat64(k, got), c.want)
			}
		}
	}
}

// ulps is the distance of two float64 values of one sign.
func ulps(x, y float64) uint64 {
	a, b := int64(b64(x)), int64(b64(y))
	return uint64(max(a-b, b-a))
}

func TestTableFunctions(t *testing.T) {
	f, err := os.Open("testdata/libm.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	byName := map[string]ir.Op{}
	seen := map[ir.Op]int{}
	for op := range ir.NumOps {
		if ir.Ops[op].Table {
			byName[op.String()] = op
		}
	}
	for s := bufio.NewScanner(f); s.Scan(); {
		w := strings.Fields(s.Text())
		if w[0] == "#" {
			continue
		}
		op := byName[w[0]]
		var v []float64
		for _, text := range w[1:] {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			v = append(v, x)
		}
		seen[op]++
		x, want := v[:len(v)-1], v[len(v)-1]
		var r []uint64
		for _, f := range x {
			r = append(r, b64(f))
		}
		got, ok := Eval(op, types.Float64, types.Float64, r...)
		if limit := ir.Bound(types.CPU, op, types.Float64) + 1; !ok || float64(ulps(f64(got), want)) > limit {
			t.Errorf("%s%v = %v, want %v: %d ULP apart", op, x, f64(got), want, ulps(f64(got), want))
		}
	}
	for name, op := range byName {
		if seen[op] == 0 {
			t.Errorf("%s is never compared", name)
		}
	}
}

func TestConversions(t *testing.T) {
	for _, from := range append(append([]types.Kind{}, intKinds...), floatKinds...) {
		for _, to := range append(append([]types.Kind{}, intKinds...), floatKinds...) {
			values := floatEdges
			if from.IsInteger() {
				values = func(k types.Kind) []uint64 {
					return append(edges(k), norm(k, 1<<53+1), norm(k, 1<<62+1<<38+1), norm(k, 1<<63-1), norm(k, 0xFFFFFF7FFFFFFFFF), norm(k, 0x8000008000000001))
				}
			}
			for _, x := range values(from) {
				got, ok := Eval(ir.OpConv, from, to, x)
				if want := convWant(from, to, x); !ok || got != want && !(to.IsFloat() && sameFloat(to, got, want)) {
					t.Fatalf("%s(%s %#x) = %#x, want %#x", to, from, x, got, want)
				}
			}
		}
	}
}

func convWant(from, to types.Kind, x uint64) uint64 {
	if from.IsInteger() {
		v := toBig(from, x)
		if to.IsInteger() {
			return wrap(to, v)
		}
		return roundRat(to, new(big.Rat).SetInt(v), false)
	}
	f := toFloat64(from, x)
	if to.IsFloat() {
		if !finite(f) {
			return fromFloat64(to, f)
		}
		return roundRat(to, rat(f), math.Signbit(f))
	}
	if f != f {
		return 0
	}
	lo, hi := new(big.Int), new(big.Int).SetUint64(^uint64(0)>>(64-to.Bits()))
	if to.IsSigned() {
		hi.Rsh(hi, 1)
		lo.Not(hi)
	}
	if math.IsInf(f, 0) {
		f = math.Copysign(1e300, f)
	}
	v, _ := new(big.Float).SetFloat64(f).Int(nil)
	switch {
	case v.Cmp(lo) < 0:
		v = lo
	case v.Cmp(hi) > 0:
		v = hi
	}
	return wrap(to, v)
}

func TestBitcastAndSelect(t *testing.T) {
	if got, _ := Eval(ir.OpBitcast, types.Float32, types.Int32, b32(float32(math.Copysign(1, -1)))); int32(got) != math.MinInt32+0x3F800000 || int64(got) >= 0 {
		t.Errorf("bits of -1 as int32 are %#x", got)
	}
	if got, _ := Eval(ir.OpBitcast, types.Int32, types.Uint32, ^uint64(0)); got != 0xFFFFFFFF {
		t.Errorf("bits of -1 as uint32 are %#x", got)
	}
	if _, ok := Eval(ir.OpBitcast, types.Int32, types.Int64, 0); ok {
		t.Error("a bitcast changes the width")
	}
	for c, want := range []uint64{7, 5} {
		if got, _ := Eval(ir.OpSelect, types.Bool, types.Int32, uint64(c), 5, 7); got != want {
			t.Errorf("select(%d, 5, 7) = %d", c, got)
		}
	}
}

// TestHalf walks every 16-bit pattern: decoding and encoding it gives it back.
func TestHalf(t *testing.T) {
	for _, k := range []types.Kind{types.Float16, types.BFloat16} {
		for x := range uint64(1 << 16) {
			f := decode16(k, x)
			if got := encode16(k, float64(f)); got != x && f == f {
				t.Fatalf("%s %#x decodes to %v and encodes to %#x", k, x, f, got)
			}
		}
	}
	for f, want := range map[float64]uint64{65519: 0x7BFF, 65520: 0x7C00, 2049: 0x6800, 2051: 0x6802, 6e-8: 1, math.Ldexp(1, -25): 0, 0.1: 0x2E66} {
		if got := encode16(types.Float16, f); got != want {
			t.Errorf("float16(%v) = %#x, want %#x", f, got, want)
		}
	}
}

func TestOverflows(t *testing.T) {
	for _, k := range []types.Kind{types.Int8, types.Int32, types.Int64, types.Int} {
		for _, op := range []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg} {
			for _, x := range edges(k) {
				for _, y := range edges(k) {
					a, b, v := toBig(k, x), toBig(k, y), new(big.Int)
					switch op {
					case ir.OpAdd:
						v.Add(a, b)
					case ir.OpSub:
						v.Sub(a, b)
					case ir.OpMul:
						v.Mul(a, b)
					case ir.OpNeg:
						v.Neg(a)
					}
					want := v.Cmp(toBig(k, wrap(k, v))) != 0
					if got := overflows(op, k, int64(x), int64(y)); got != want {
						t.Fatalf("%s %s(%d, %d): overflow %v, want %v", op, k, int64(x), int64(y), got, want)
					}
				}
			}
		}
	}
}
