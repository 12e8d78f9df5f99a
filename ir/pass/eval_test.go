package pass

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// corpus is the bits of interesting constants of kind k.
func corpus(k types.Kind, r *rand.Rand) []uint64 {
	var out []uint64
	switch {
	case k == types.Bool:
		return []uint64{0, 1}
	case k.IsFloat():
		for _, v := range []float64{0, 1, 0.5, 1.5, 2.5, 3, 1e-45, 1e-40, 1.1754944e-38, 3.4028235e38, 5e-324, 1.7e308, 16777217, 2147483648, 4294967296, 9.3e18, 1.9e19, math.Inf(1), math.NaN()} {
			out = append(out, ir.FloatBits(k, v), ir.FloatBits(k, -v))
		}
		for range 12 {
			out = append(out, r.Uint64()>>(64-k.Bits()))
		}
		return out
	}
	for _, v := range []int64{0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 127, 128, 255, 1 << 24, 1<<24 + 1, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 1<<60 + 1<<35 + 1} {
		out = append(out, ir.IntBits(k, v), ir.IntBits(k, -v))
	}
	for range 6 {
		out = append(out, ir.IntBits(k, int64(r.Uint64())))
	}
	return out
}

// TestFoldingAgreesWithTheInterpreter evaluates every foldable operation on all kinds and pairs of interesting operands
// in both implementations, which share no code.
func TestFoldingAgreesWithTheInterpreter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := append([]types.Kind{types.Float16, types.BFloat16}, scalars...)
	folded := map[ir.Op]int{}
	for op := ir.OpAdd; op < ir.NumOps; op++ {
		info := ir.Ops[op]
		if info.Class != ir.Pure || info.Args > 2 || op == ir.OpSelect {
			continue
		}
		for _, k := range kinds {
			results := []types.Kind{k}
			if op == ir.OpConv || op == ir.OpBitcast {
				results = kinds
			} else if op.IsCompare() {
				results = []types.Kind{types.Bool}
			}
			for _, to := range results {
				folded[op] += agree(t, op, k, to, r)
			}
		}
		if folded[op] == 0 != info.Table {
			t.Errorf("%s: %d folded, table function: %v", op, folded[op], info.Table)
		}
	}
}

// agree compares one operation on operands of kind k, and gives how many were folded.
func agree(t *testing.T, op ir.Op, k, to types.Kind, r *rand.Rand) int {
	xs := corpus(k, r)
	ys := []uint64{0}
	if ir.Ops[op].Args == 2 {
		ys = xs
	}
	n := 0
	for _, x := range xs {
		for _, y := range ys {
			in := &ir.Instr{Op: op, Type: to, Args: []*ir.Instr{{Op: ir.OpConst, Type: k, Bits: x}}}
			args := []uint64{x}
			if ir.Ops[op].Args == 2 {
				in.Args = append(in.Args, &ir.Instr{Op: ir.OpConst, Type: k, Bits: y})
				args = append(args, y)
			}
			if ir.VerifyKernel(holding(in)) != nil {
				return 0
			}
			if outside(op, k, x, y) {
				continue
			}
			got, ok := eval(in)
			if !ok {
				continue
			}
			n++
			want, ok := interp.Eval(op, k, to, args...)
			if !ok {
				t.Fatalf("%s %s to %s: the interpreter has no such operation", op, k, to)
			}
			if got != want && !bothNaN(to, got, want) && !(op == ir.OpBitcast && k.IsFloat() && math.IsNaN(ir.FloatOf(k, x))) {
				t.Errorf("%s %s to %s of %#x, %#x: folded to %#x, the interpreter gives %#x", op, k, to, x, y, got, want)
				return n
			}
		}
	}
	return n
}

// outside reports operands for which an operation promises nothing.
func outside(op ir.Op, k types.Kind, x, y uint64) bool {
	switch op {
	case ir.OpDivNZ, ir.OpRemNZ:
		return y == 0 || k.IsSigned() && int64(y) == -1
	case ir.OpShlIn, ir.OpShrIn:
		return y >= uint64(k.Bits())
	case ir.OpCopysign: // the sign of NaN is unspecified
		return math.IsNaN(ir.FloatOf(k, y))
	}
	return false
}

func bothNaN(k types.Kind, x, y uint64) bool {
	return k.IsFloat() && math.IsNaN(ir.FloatOf(k, x)) && math.IsNaN(ir.FloatOf(k, y))
}

// holding is a kernel whose body is the operands of in, then in.
func holding(in *ir.Instr) *ir.Kernel {
	p := &ir.Param{Name: "x", Type: &types.View{Rank: 1, Elem: types.Int32}, Dims: []*types.Header{types.Sym("n")}}
	return &ir.Kernel{
		Name: "K", Instance: "K", Entry: "K", Params: []*ir.Param{p},
		Symbols: []*ir.Symbol{{Name: "n"}},
		Domain:  []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: types.Sym("n")}},
		Body:    ir.NewBlock(append(append([]*ir.Instr{}, in.Args...), in)...),
	}
}

// TestFMAIsRoundedOnce compares float32 fma with exact rational arithmetic on operands whose sums lie at ties.
func TestFMAIsRoundedOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	random := func() float32 {
		f := math.Float32frombits(r.Uint32()&0x807fffff | (90+r.Uint32N(70))<<23)
		if r.IntN(2) == 0 {
			f = math.Float32frombits(math.Float32bits(f) &^ 0xfff)
		}
		return f
	}
	for range 200_000 {
		x, y, z := random(), random(), random()
		if r.IntN(4) == 0 { // a tie of x*y that z breaks from far below
			x, y, z = 1+float32(r.IntN(1<<11)*2+1)/(1<<12), 1+1.0/(1<<12), float32(math.Copysign(1e-20, float64(r.IntN(2))-0.5))
		}
		exact := new(big.Float).SetPrec(400).SetFloat64(float64(x))
		exact.Mul(exact, new(big.Float).SetFloat64(float64(y)))
		exact.Add(exact, new(big.Float).SetFloat64(float64(z)))
		want, _ := exact.Float32()
		bits, _ := fma(types.Float32, float64(x), float64(y), float64(z))
		if got := math.Float32frombits(uint32(bits)); got != want {
			t.Fatalf("fma(%g, %g, %g) = %g, want %g", x, y, z, got, want)
		}
	}
}

// TestIntToFloatIsRoundedOnce converts integers at ties of the narrow kinds with something far below.
func TestIntToFloatIsRoundedOnce(t *testing.T) {
	for _, c := range []struct {
		v  int64
		to types.Kind
		f  float64
	}{
		{1<<60 + 1<<36 + 1, types.Float32, 1<<60 + 1<<37},
		{1<<60 + 1<<36, types.Float32, 1 << 60},
		{-(1<<60 + 1<<36 + 1), types.Float32, -(1<<60 + 1<<37)},
		{1<<60 + 1<<52 + 1, types.BFloat16, 1<<60 + 1<<53},
		{1<<60 + 1<<52, types.BFloat16, 1 << 60},
		{1<<62 + 1<<9, types.Float64, 1 << 62},
		{65519, types.Float16, 65504},
		{65520, types.Float16, math.Inf(1)},
	} {
		got := convert(ir.ConstInt(types.Int64, c.v), c.to)
		if want := ir.FloatBits(c.to, c.f); got != want {
			t.Errorf("%s(%d) is %#x, want %#x", c.to, c.v, got, want)
		}
	}
}
