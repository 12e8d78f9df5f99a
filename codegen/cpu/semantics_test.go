package cpu

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/pass"
)

var (
	intKinds   = []types.Kind{types.Int8, types.Int16, types.Int32, types.Int64, types.Uint8, types.Uint16, types.Uint32, types.Uint64}
	floatKinds = []types.Kind{types.Float32, types.Float64}
	halfKinds  = []types.Kind{types.Float16, types.BFloat16}

	intOps = []ir.Op{
		ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpNeg, ir.OpAbs, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpNot,
		ir.OpShl, ir.OpShr, ir.OpMulHi, ir.OpPopcount, ir.OpClz, ir.OpCtz, ir.OpReverse, ir.OpMin, ir.OpMax,
	}
	compares = []ir.Op{ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe}
	floatOps = []ir.Op{
		ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpNeg, ir.OpAbs, ir.OpMin, ir.OpMax, ir.OpFmin, ir.OpFmax, ir.OpFMA,
		ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRound, ir.OpRoundEven, ir.OpSqrt, ir.OpCopysign,
		ir.OpRsqrt, ir.OpExp, ir.OpExp2, ir.OpLog, ir.OpLog2, ir.OpLog10, ir.OpSin, ir.OpCos, ir.OpTan, ir.OpAsin, ir.OpAcos, ir.OpAtan,
		ir.OpAtan2, ir.OpSinh, ir.OpCosh, ir.OpTanh, ir.OpPow, ir.OpHypot, ir.OpErf,
	}
	halfOps = slices.DeleteFunc(slices.Clone(floatOps), func(op ir.Op) bool { return op == ir.OpFMA })
)

// everyOperation runs each operation on each kind over edge values, with operands in memory and as constants, and
// compares with the interpreter: bit for bit, table functions within their bounds, integers with big integers as well.
func everyOperation(t *testing.T, p *program) {
	covered := map[ir.Op]bool{}
	for _, list := range [][]ir.Op{intOps, compares, floatOps, {ir.OpDivNZ, ir.OpRemNZ, ir.OpShlIn, ir.OpShrIn, ir.OpSelect, ir.OpConv, ir.OpBitcast, ir.OpLNot}} {
		for _, op := range list {
			covered[op] = true
		}
	}
	for op := range ir.NumOps {
		if ir.Ops[op].Class == ir.Pure && !covered[op] {
			t.Errorf("%s is not covered", op)
		}
	}
	b := &operations{p: p, m: &ir.Module{Package: "ops", File: "ops.gpu"}}
	for _, k := range intKinds {
		b.binary("Ints", k, intOps, edgeInts(k))
		b.binary("IntCompares", k, compares, edgeInts(k))
		b.constants(k, []ir.Op{ir.OpAdd, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpShl, ir.OpShr, ir.OpMin, ir.OpAnd, ir.OpMulHi, ir.OpLt}, edgeInts(k))
		b.proven(k, edgeInts(k))
		b.conversions(k, edgeInts(k))
	}
	for _, k := range floatKinds {
		b.binary("Floats", k, floatOps, edgeFloats(k))
		b.binary("FloatCompares", k, compares, edgeFloats(k))
		b.constants(k, []ir.Op{ir.OpAdd, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpMin, ir.OpFmax, ir.OpLt, ir.OpNeg}, edgeFloats(k))
		b.conversions(k, edgeFloats(k))
	}
	for _, k := range halfKinds {
		b.binary("Halves", k, halfOps, edgeFloats(k))
		b.binary("HalfCompares", k, compares, edgeFloats(k))
		b.constants(k, []ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpCopysign, ir.OpLt, ir.OpNeg}, edgeFloats(k)[:12])
		b.conversions(k, edgeFloats(k))
	}
	for _, k := range b.m.Kernels {
		pass.Half(k)
	}
	p.add("ops", b.m, namesOf(b.m))
	for _, add := range b.launches {
		add()
	}
}

// operations builds the kernels.
type operations struct {
	p        *program
	m        *ir.Module
	launches []func() // after the package is written
}

// kernel starts a kernel over the elements of its first view.
func (b *operations) kernel(name string, params ...*ir.Param) (*ir.Kernel, ir.Builder, *ir.Instr) {
	k := &ir.Kernel{Name: name, Instance: name, Entry: name, Params: params, Body: &ir.Block{}, Targets: types.AllTargets}
	for i, p := range params {
		p.Index = i
		if i > 0 {
			k.Equal = append(k.Equal, ir.Equality{Param: i, Dim: 0, Want: types.Sym("n")})
		}
		if len(p.Dims) > 1 {
			k.Equal = append(k.Equal, ir.Equality{Param: i, Dim: 1, Want: p.Dims[1]})
		}
	}
	k.Symbols = []*ir.Symbol{{Name: "n"}}
	k.Domain = []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: types.Sym("n")}}
	b.m.Kernels = append(b.m.Kernels, k)
	bld := ir.Builder{Block: k.Body}
	return k, bld, bld.Point(0)
}

func vector(name string, k types.Kind, mut bool) *ir.Param {
	return &ir.Param{Name: name, Type: &types.View{Rank: 1, Elem: k}, Mut: mut, Dims: []*types.Header{types.Sym("n")}}
}

func matrix(name string, k types.Kind, cols int) *ir.Param {
	return &ir.Param{Name: name, Type: &types.View{Rank: 2, Elem: k}, Mut: true, Dims: []*types.Header{types.Sym("n"), types.Const(int64(cols))}}
}

func proved(in *ir.Instr) *ir.Instr {
	in.InBounds = true
	return in
}

func title(k types.Kind) string { return string(k.String()[0]-32) + k.String()[1:] }

// binary is o[i, q] = op(a[i], b[i]) for each operation q, over all pairs of values. The results have the operands' kind,
// or bool.
func (b *operations) binary(name string, k types.Kind, ops []ir.Op, values []uint64) {
	out := k
	if ops[0].IsCompare() {
		out = types.Bool
	}
	x, y, o := vector("a", k, false), vector("b", k, false), matrix("o", out, len(ops))
	kernel, bld, i := b.kernel(name+title(k), x, y, o)
	for q, op := range ops {
		u, v := proved(bld.Load(x, i)), proved(bld.Load(y, i))
		args := []*ir.Instr{u, v, u}[:ir.Ops[op].Args]
		proved(bld.Store(o, bld.New(op, out, args...), i, bld.Int(int64(q))))
	}
	n := len(values)
	bx, by, bo := interp.NewBuffer(k, int64(n*n)), interp.NewBuffer(k, int64(n*n)), interp.NewBuffer(out, int64(n*n), int64(len(ops)))
	for i := range n * n {
		bx.Set(int64(i), values[i/n])
		by.Set(int64(i), values[i%n])
	}
	b.launches = append(b.launches, func() {
		l := b.p.launch("ops", kernel, interp.View(bx), interp.View(by), interp.View(bo))
		l.ulps = func(view int, e int64) int {
			if op := ops[e%int64(len(ops))]; view == 2 && ir.Ops[op].Table { // both compute as the CPU does
				return int(2 * ir.Bound(types.CPU, op, k))
			}
			return 0
		}
		if k.IsInteger() && out == k {
			l.check = func(t *testing.T, got []*interp.Buffer) {
				for e := range got[2].Len() {
					op := ops[e%int64(len(ops))]
					at := e / int64(len(ops))
					if want := reference(op, k, bx.At(at), by.At(at)); got[2].At(e) != want {
						t.Fatalf("%s %s of %d, %d is %d, big integers give %d", op, k, int64(bx.At(at)), int64(by.At(at)), int64(got[2].At(e)), int64(want))
					}
				}
			}
		}
	})
}

// constants is every operation with a constant on the right, on the left and on both sides, and through a product.
func (b *operations) constants(k types.Kind, ops []ir.Op, values []uint64) {
	for _, op := range ops {
		out := k
		if op.IsCompare() {
			out = types.Bool
		}
		cols := 3 * len(values)
		x, o := vector("a", k, false), matrix("o", out, cols)
		kernel, bld, i := b.kernel("Const"+title(k)+op.String(), x, o)
		for q, c := range values {
			for side := range 3 {
				u := proved(bld.Load(x, i))
				l, r := u, bld.Bits(k, c)
				switch side {
				case 1:
					l, r = r, l
				case 2:
					l = bld.Bits(k, values[len(values)-1-q])
				}
				proved(bld.Store(o, bld.New(op, out, []*ir.Instr{l, r}[:ir.Ops[op].Args]...), i, bld.Int(int64(3*q+side))))
			}
		}
		n := int64(len(values))
		bx, bo := interp.NewBuffer(k, n), interp.NewBuffer(out, n, int64(cols))
		for i, v := range values {
			bx.Set(int64(i), v)
		}
		b.launches = append(b.launches, func() { b.p.launch("ops", kernel, interp.View(bx), interp.View(bo)) })
	}
}

// proven is the operations that a pass proved: by a constant, and by a value that is masked into range.
func (b *operations) proven(k types.Kind, values []uint64) {
	x, y, o := vector("a", k, false), vector("b", k, false), matrix("o", k, 8)
	kernel, bld, i := b.kernel("Proven"+title(k), x, y, o)
	u, v := proved(bld.Load(x, i)), proved(bld.Load(y, i))
	count := bld.Bin(ir.OpAnd, v, bld.Const(k, int64(k.Bits()-1)))
	odd := bld.Bin(ir.OpOr, bld.Bin(ir.OpAnd, v, bld.Const(k, 0x7e)), bld.Const(k, 1))
	for q, in := range []*ir.Instr{
		bld.Bin(ir.OpDivNZ, u, bld.Const(k, 7)), bld.Bin(ir.OpRemNZ, u, bld.Const(k, 7)), bld.Bin(ir.OpShlIn, u, bld.Const(k, 3)), bld.Bin(ir.OpShrIn, u, bld.Const(k, 3)),
		bld.Bin(ir.OpDivNZ, u, odd), bld.Bin(ir.OpRemNZ, u, odd), bld.Bin(ir.OpShlIn, u, count), bld.Bin(ir.OpShrIn, u, count),
	} {
		proved(bld.Store(o, in, i, bld.Int(int64(q))))
	}
	n := len(values)
	bx, by := interp.NewBuffer(k, int64(n*n)), interp.NewBuffer(k, int64(n*n))
	for i := range n * n {
		bx.Set(int64(i), values[i/n])
		by.Set(int64(i), values[i%n])
	}
	b.launches = append(b.launches, func() {
		b.p.launch("ops", kernel, interp.View(bx), interp.View(by), interp.View(interp.NewBuffer(k, int64(n*n), 8)))
	})
}

// conversions go from k to every kind and back through memory, and to the kinds of the same width by their bits; the
// results also pass through select and logical operations.
func (b *operations) conversions(k types.Kind, values []uint64) {
	to := slices.Concat(intKinds, floatKinds, halfKinds)
	params := []*ir.Param{vector("a", k, false)}
	for _, o := range to {
		params = append(params, matrix("o"+o.String(), o, 4))
	}
	kernel, bld, i := b.kernel("Conv"+title(k), params...)
	for q, o := range to {
		x := proved(bld.Load(params[0], i))
		half := bld.New(ir.OpConv, types.Int, x) // int has no memory of its own
		direct := bld.Conv(o, x)
		cols := []*ir.Instr{direct, bld.Conv(o, half), bld.New(ir.OpConv, o, bld.Bits(k, values[q%len(values)])), direct}
		if o.Bits() == k.Bits() {
			cols[3] = bld.New(ir.OpBitcast, o, x)
		} else {
			c := bld.Bin(ir.OpLt, x, bld.Bits(k, values[1]))
			cols[3] = bld.Select(bld.Un(ir.OpLNot, c), direct, bld.Zero(o))
		}
		for c, v := range cols {
			proved(bld.Store(params[q+1], v, i, bld.Int(int64(c))))
		}
	}
	n := int64(len(values))
	bx := interp.NewBuffer(k, n)
	args := []interp.Arg{interp.View(bx)}
	for i, v := range values {
		bx.Set(int64(i), v)
	}
	for _, o := range to {
		args = append(args, interp.View(interp.NewBuffer(o, n, 4)))
	}
	b.launches = append(b.launches, func() { b.p.launch("ops", kernel, args...) })
}

func edgeInts(k types.Kind) []uint64 {
	w := int64(k.Bits())
	list := []int64{0, 1, -1, 2, -2, 3, 7, -7, w - 1, w, w + 1, 100, -100, math.MinInt64 >> (64 - w), math.MinInt64>>(64-w) + 1, math.MaxInt64 >> (64 - w), math.MaxInt64>>(64-w) - 1, 0x5a5a5a5a5a5a5a5a}
	var out []uint64
	for _, v := range list {
		out = append(out, ir.IntBits(k, v))
	}
	return out
}

func edgeFloats(k types.Kind) []uint64 {
	list := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, -0.3, 3, 127.5, 128, -129, 255.9, 65535.9, 2147483520, 2147483648, 3e9, -3e9,
		4294967040, 4294967296, 9.2e18, 9.3e18, -9.3e18, 1.9e19, 1e-30, 1e30, math.Inf(1), math.Inf(-1), math.NaN(), math.Pi,
	}
	switch {
	case k.IsHalf():
		list = append(list, 65504, 65519, 65520, 0x1p-24, -0x1p-25, 0x1.8p-24, 2049, 2051, 3.3895313892515355e38, 0x1p-133, 0x1p-126, 257, 1+0x1p-11, 1+0x1p-8)
	case k == types.Float64:
		list = append(list, 1+0x1p-11+0x1p-50, 1+0x1p-8-0x1p-50, 65520-0x1p-30, 0x1p-25+0x1p-70)
		list = append(list, math.MaxFloat64, math.SmallestNonzeroFloat64, 2.2250738585072014e-308, 9223372036854774784, 9007199254740993, 0.49999999999999994)
	default:
		list = append(list, math.MaxFloat32, math.SmallestNonzeroFloat32, 1.1754943508222875e-38, 16777217, 0.49999997)
	}
	var out []uint64
	for _, v := range list {
		out = append(out, ir.FloatBits(k, v))
	}
	return out
}

// reference is an integer operation by the meaning table, on big integers.
func reference(op ir.Op, k types.Kind, x, y uint64) uint64 {
	w := uint(k.Bits())
	value := func(v uint64) *big.Int {
		if k.IsSigned() {
			return big.NewInt(int64(v))
		}
		return new(big.Int).SetUint64(v)
	}
	wrap := func(v *big.Int) uint64 {
		low := new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
		return ir.IntBits(k, int64(low))
	}
	a, b, r := value(x), value(y), new(big.Int)
	pattern := x << (64 - w) >> (64 - w)
	count := uint(w) // counts at or over the width, and negative ones
	if b.Sign() >= 0 && b.Cmp(big.NewInt(int64(w))) < 0 {
		count = uint(b.Uint64())
	}
	switch op {
	case ir.OpAdd:
		r.Add(a, b)
	case ir.OpSub:
		r.Sub(a, b)
	case ir.OpMul:
		r.Mul(a, b)
	case ir.OpDiv:
		if r = a; b.Sign() != 0 {
			r = new(big.Int).Quo(a, b)
		}
	case ir.OpRem:
		if b.Sign() != 0 {
			r.Rem(a, b)
		}
	case ir.OpNeg:
		r.Neg(a)
	case ir.OpAbs:
		r.Abs(a)
	case ir.OpAnd:
		r.And(a, b)
	case ir.OpOr:
		r.Or(a, b)
	case ir.OpXor:
		r.Xor(a, b)
	case ir.OpAndNot:
		r.AndNot(a, b)
	case ir.OpNot:
		r.Not(a)
	case ir.OpShl:
		r.Lsh(a, count)
	case ir.OpShr:
		r.Rsh(a, count)
	case ir.OpMulHi:
		r.Rsh(r.Mul(a, b), w)
	case ir.OpPopcount:
		r.SetInt64(int64(bits.OnesCount64(pattern)))
	case ir.OpClz:
		r.SetInt64(int64(bits.LeadingZeros64(pattern)) - int64(64-w))
	case ir.OpCtz:
		r.SetInt64(int64(min(bits.TrailingZeros64(pattern), int(w))))
	case ir.OpReverse:
		r.SetUint64(bits.Reverse64(pattern) >> (64 - w))
	case ir.OpMin:
		if r = a; b.Cmp(a) < 0 {
			r = b
		}
	case ir.OpMax:
		if r = a; b.Cmp(a) > 0 {
			r = b
		}
	default:
		panic(fmt.Sprintf("no reference for %s", op))
	}
	return wrap(r)
}
