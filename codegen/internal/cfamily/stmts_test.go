package cfamily_test

import (
	"context"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/codegen/internal/cfamily/cfamilytest"
	"github.com/gpugen/gpugen/codegen/msl"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/codegen/ptx"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
)

// sample is a kernel under construction: out is a view of int32, x one of 2 dims, flags one of bools, a a scalar.
type sample struct {
	ir.Builder
	k                *ir.Kernel
	out, x, flags, a *ir.Param
	n, w             *ir.Symbol
}

func newSample(wide bool) *sample {
	n, w := types.Sym("n"), types.Sym("w")
	s := &sample{k: &ir.Kernel{Name: "K", Instance: "K", Entry: "K", Wide: wide, Domain: []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: n}}, Sched: &ir.Schedule{Block: [3]int{256, 1, 1}, Per: 1}, Body: &ir.Block{}}}
	param := func(p *ir.Param) *ir.Param {
		p.Index = len(s.k.Params)
		s.k.Params = append(s.k.Params, p)
		return p
	}
	s.a = param(&ir.Param{Name: "a", Type: types.Int32})
	s.out = param(&ir.Param{Name: "out", Mut: true, Type: &types.View{Rank: 1, Elem: types.Int32}, Dims: []*types.Header{n}})
	s.x = param(&ir.Param{Name: "x", Type: &types.View{Rank: 2, Elem: types.Int32}, Dims: []*types.Header{n, {Op: types.HAdd, X: w, Y: types.Const(1)}}})
	s.flags = param(&ir.Param{Name: "flags", Mut: true, Type: &types.View{Rank: 1, Elem: types.Bool}, Dims: []*types.Header{w}})
	s.n, s.w = &ir.Symbol{Name: "n", Param: 1}, &ir.Symbol{Index: 1, Name: "w", Param: 3}
	s.k.Symbols = []*ir.Symbol{s.n, s.w}
	s.Builder = ir.Builder{Block: s.k.Body}
	return s
}

func (s *sample) local(name string, t types.Type) *ir.Local {
	l := &ir.Local{ID: len(s.k.Locals), Name: name, Type: t}
	s.k.Locals = append(s.k.Locals, l)
	return l
}

// body is the text between the braces of the kernel, one tab less.
func body(text string) string {
	_, text, _ = strings.Cut(text, "\nK(")
	_, text, _ = strings.Cut(text, ") {\n")
	text, _, _ = strings.Cut(text, "\n}\n")
	return strings.ReplaceAll("\n"+text, "\n\t", "\n")[1:]
}

func int32s(b ir.Builder, v int64) *ir.Instr { return b.Const(types.Int32, v) }

// samples are statements and expressions with their CUDA text.
var samples = []struct {
	name  string
	wide  bool
	build func(s *sample)
	want  string
}{
	{"a shadowing declaration reads the outer variable", false, func(s *sample) {
		x, inner := s.local("x", types.Int32), s.local("x", types.Int32)
		s.LocalSet(x, int32s(s.Builder, 1))
		b := s.In(&ir.Block{})
		s.New(ir.OpScope, nil).Blocks = []*ir.Block{b.Block}
		b.LocalSet(inner, b.Bin(ir.OpAdd, b.LocalGet(x), int32s(b, 10)))
		b.LocalSet(inner, b.Bin(ir.OpMul, b.LocalGet(inner), b.LocalGet(inner)))
		b.Store(s.out, b.LocalGet(inner), int32s(b, 0))
		s.Store(s.out, s.LocalGet(x), int32s(s.Builder, 1))
	}, `
int x_2 = 1;
{
	int x_3 = (int)((unsigned int)x_2 + 10u);
	x_3 = (int)((unsigned int)x_3 * (unsigned int)x_3);
	out[0] = x_3;
}
out[1] = x_2;`},

	{"wrapping arithmetic stays unsigned, proven arithmetic is plain", false, func(s *sample) {
		a := s.Param(s.a)
		sum := s.Bin(ir.OpAdd, s.Bin(ir.OpMul, a, int32s(s.Builder, -3)), s.Un(ir.OpNeg, a))
		s.Store(s.out, sum, int32s(s.Builder, 0))
		p := s.Bin(ir.OpMul, a, int32s(s.Builder, 2))
		p.NoWrap = true
		q := s.Bin(ir.OpSub, p, int32s(s.Builder, -1))
		q.NoWrap = true
		s.Store(s.out, q, int32s(s.Builder, 1))
		s.Store(s.out, s.Conv(types.Int32, s.Bin(ir.OpMul, s.Conv(types.Int16, a), s.Conv(types.Int16, a))), int32s(s.Builder, 2))
		u := s.Conv(types.Uint16, a)
		u.Name = "u"
		s.Store(s.out, s.Conv(types.Int32, s.Bin(ir.OpMul, u, u)), int32s(s.Builder, 3))
		s.Store(s.out, s.Bin(ir.OpShlIn, a, s.Const(types.Int, 3)), int32s(s.Builder, 4))
	}, `
out[0] = (int)((unsigned int)a * 4294967293u + (unsigned int)gg_neg_i32(a));
out[1] = a * 2 - -1;
out[2] = (int)gg_i16(gg_i16(a) * gg_i16(a));
unsigned short u = gg_u16(a);
out[3] = (int)(unsigned short)((unsigned int)u * u);
out[4] = (int)((unsigned int)a << 3ll);`},

	{"continue runs a long post block", false, func(s *sample) {
		i, j := s.local("i", types.Int32), s.local("j", types.Int32)
		s.LocalSet(i, int32s(s.Builder, 0))
		s.LocalSet(j, int32s(s.Builder, 9))
		loop := s.Loop()
		c := s.In(loop.Blocks[0])
		c.Yield(c.Bin(ir.OpLt, c.LocalGet(i), c.LocalGet(j)))
		b := s.In(loop.Blocks[1])
		test := b.If(b.Bin(ir.OpEq, b.LocalGet(i), int32s(b, 3)))
		b.In(test.Blocks[0]).New(ir.OpContinue, nil)
		b.Store(s.out, b.LocalGet(j), b.LocalGet(i))
		p := s.In(loop.Blocks[2])
		p.LocalSet(i, p.Bin(ir.OpXor, p.LocalGet(i), int32s(p, 1)))
		p.LocalSet(j, p.Bin(ir.OpShrIn, p.LocalGet(j), int32s(p, 1)))
	}, `
int i = 0;
int j = 9;
for (bool again = false;; again = true) {
	if (again) {
		i = i ^ 1;
		j = j >> 1;
	}
	if (!(i < j)) {
		break;
	}
	if (i == 3) {
		continue;
	}
	out[i] = j;
}`},

	{"a short post block is part of the for", false, func(s *sample) {
		i := s.local("i", types.Int32)
		s.LocalSet(i, int32s(s.Builder, 0))
		loop := s.Loop()
		c := s.In(loop.Blocks[0])
		c.Yield(c.Bin(ir.OpNe, c.LocalGet(i), c.Param(s.a)))
		b := s.In(loop.Blocks[1])
		b.Store(s.out, b.LocalGet(i), b.LocalGet(i))
		p := s.In(loop.Blocks[2])
		p.LocalSet(i, p.Bin(ir.OpOr, p.LocalGet(i), int32s(p, 4)))
	}, `
int i = 0;
for (; i != a; i = i | 4) {
	out[i] = i;
}`},

	{"a condition that needs statements", false, func(s *sample) {
		loop := s.Loop()
		c := s.In(loop.Blocks[0])
		v := c.Load(s.out, int32s(c, 0))
		v.Name = "v"
		c.Yield(c.Bin(ir.OpGt, v, c.Bin(ir.OpAnd, v, int32s(c, 7))))
		b := s.In(loop.Blocks[1])
		b.Store(s.out, int32s(b, 0), int32s(b, 0))
	}, `
for (;;) {
	int v = out[0];
	if (!(v > (v & 7))) {
		break;
	}
	out[0] = 0;
}`},

	{"short-circuit operators, in place and with statements", false, func(s *sample) {
		a := s.Param(s.a)
		and := s.Cond(ir.OpCondAnd, s.Bin(ir.OpLt, a, int32s(s.Builder, 4)))
		r := s.In(and.Blocks[0])
		r.Yield(r.Load(s.flags, a))
		s.In(s.If(and).Blocks[0]).Store(s.out, a, a)
		or := s.Cond(ir.OpCondOr, s.Bin(ir.OpLt, a, int32s(s.Builder, 0)))
		r = s.In(or.Blocks[0])
		v := r.Load(s.out, a)
		v.Name = "v"
		r.Yield(r.Bin(ir.OpEq, v, r.Bin(ir.OpAndNot, v, int32s(r, 1))))
		s.Store(s.flags, or, a)
	}, `
if (a < 4 && flags[a] != 0) {
	out[a] = a;
}
bool t1 = a < 0;
if (!t1) {
	int v = out[a];
	t1 = v == (v & ~1);
}
flags[a] = t1;`},

	{"an else that holds an If continues the chain", false, func(s *sample) {
		a := s.Param(s.a)
		first := s.If(s.Bin(ir.OpEq, a, int32s(s.Builder, 1)))
		b := s.In(first.Blocks[0])
		b.Store(s.out, a, int32s(b, 0))
		b = s.In(first.Blocks[1])
		b = b.In(b.If(b.Bin(ir.OpEq, a, int32s(b, 2))).Blocks[1])
		b.Store(s.out, a, int32s(b, 1))
	}, `
if (a == 1) {
	out[0] = a;
} else if (!(a == 2)) {
	out[1] = a;
}`},

	{"arrays are values", false, func(s *sample) {
		t := &types.Array{Dims: []int64{2, 3}, Elem: types.Int32}
		p, q := s.local("p", t), s.local("q", t)
		s.LocalSet(p, s.Zero(t))
		s.ElemSet(p, s.Param(s.a), int32s(s.Builder, 1), int32s(s.Builder, 2))
		s.LocalSet(q, s.LocalGet(p))
		s.LocalSet(p, s.Zero(t))
		s.Store(s.out, s.ElemGet(q, int32s(s.Builder, 1), s.Param(s.a)), int32s(s.Builder, 0))
	}, `
int p[2][3] = {};
p[1][2] = a;
int q[2][3];
for (int e = 0; e < 2; e++)
	for (int e_2 = 0; e_2 < 3; e_2++)
		q[e][e_2] = p[e][e_2];
for (int e = 0; e < 2; e++)
	for (int e_2 = 0; e_2 < 3; e_2++)
		p[e][e_2] = 0;
out[0] = q[1][a];`},

	{"indexes of several dims are linear in 32 bits", false, func(s *sample) {
		s.Store(s.out, s.Load(s.x, s.Param(s.a), s.Extent(s.n)), s.Param(s.a))
	}, `
out[a] = x[a * (int)(w + 1ll) + (int)n];`},

	{"and in 64 in a wide kernel", true, func(s *sample) {
		s.Store(s.out, s.Load(s.x, s.Conv(types.Int, s.Param(s.a)), s.Extent(s.n)), s.Extent(s.n))
	}, `
out[n] = x[(long long)a * (w + 1ll) + n];`},

	{"a local that a loop carries is declared outside", false, func(s *sample) {
		kept := s.local("kept", types.Int32)
		r := s.Range("", int32s(s.Builder, 0), s.Param(s.a), int32s(s.Builder, 2))
		b := s.In(r.Blocks[0])
		i := r.Blocks[0].Iter
		test := b.If(b.Bin(ir.OpGt, i, int32s(b, 4)))
		b.In(test.Blocks[0]).LocalSet(kept, i)
		b.Store(s.out, b.LocalGet(kept), i)
	}, `
int kept = 0;
for (int i = 0; i < a; i += 2) {
	if (i > 4) {
		kept = i;
	}
	out[i] = kept;
}`},

	{"shared variables stand at the top, and no read of them crosses a barrier", false, func(s *sample) {
		s.k.Group = []ir.Thread{{Name: "t", N: 256}}
		tile := s.local("tile", &types.Array{Dims: []int64{2, 3}, Elem: types.Int32})
		flag, unused := s.local("out", types.Bool), s.local("unused", types.Int32)
		tile.Shared, flag.Shared, unused.Shared = true, true, true
		b := s.In(s.If(s.Bin(ir.OpEq, s.Param(s.a), int32s(s.Builder, 0))).Blocks[0])
		b.LocalSet(flag, b.Bool(true))
		first, second := s.ElemGet(tile, int32s(s.Builder, 1), s.Param(s.a)), s.Load(s.out, s.Param(s.a))
		s.New(ir.OpBarrier, nil)
		s.ElemSet(tile, s.Bin(ir.OpAnd, first, second), int32s(s.Builder, 0), int32s(s.Builder, 2))
		third := s.LocalGet(flag)
		s.New(ir.OpBarrier, nil)
		s.Store(s.flags, third, s.Param(s.a))
	}, `
__shared__ int tile[2][3];
__shared__ bool out_2;
if (a == 0) {
	out_2 = true;
}
int t1 = tile[1][a];
int t2 = out[a];
__syncthreads();
tile[0][2] = t1 & t2;
bool t3 = out_2;
__syncthreads();
flags[a] = t3;`},

	{"narrow selects and counts keep their types", false, func(s *sample) {
		c := s.Bin(ir.OpLt, s.Param(s.a), int32s(s.Builder, 0))
		c.Name = "c"
		v := s.Select(c, s.Conv(types.Int8, s.Param(s.a)), s.Const(types.Int8, -1))
		s.Store(s.out, s.Conv(types.Int32, s.Bin(ir.OpShl, v, s.Extent(s.n))), int32s(s.Builder, 0))
	}, `
bool c = a < 0;
out[0] = (int)(signed char)gg_shl_u32((signed char)(c ? gg_i8(a) : -1), gg_count_u64(n));`},
}

func TestStatements(t *testing.T) {
	for _, c := range samples {
		t.Run(c.name, func(t *testing.T) {
			s := newSample(c.wide)
			c.build(s)
			if err := ir.VerifyKernel(s.k); err != nil {
				t.Fatal(err)
			}
			m := &ir.Module{Package: "p", File: "p.gpu", Kernels: []*ir.Kernel{s.k}}
			want := strings.TrimPrefix(c.want, "\n")
			if got := body(ptx.Emit(m).Text); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			require.Tool(t, "clang", hostrun.Clang() != "", hostrun.Remedy)
			text := msl.Emit(m).Text
			if _, err := hostrun.Check(context.Background(), text); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

func TestLinesNameTheirSource(t *testing.T) {
	s := newSample(false)
	s.k.Pos = diag.Pos{File: "dir/p.gpu", Line: 3, Col: 1}
	for line := 4; line < 7; line++ {
		b := s.At(diag.Pos{File: "dir/p.gpu", Line: line, Col: 2})
		b.Store(s.out, b.Param(s.a), b.Const(types.Int32, int64(line)))
		b.Store(s.out, b.Param(s.a), b.Const(types.Int32, int64(line)))
	}
	src := ptx.Emit(&ir.Module{Package: "p", File: "p.gpu", Kernels: []*ir.Kernel{s.k}})
	lines := strings.Split(strings.TrimSuffix(src.Text, "\n"), "\n")
	if len(lines) != len(src.Lines) {
		t.Fatalf("%d lines, %d positions", len(lines), len(src.Lines))
	}
	marks := 0
	for i, l := range lines {
		if strings.Contains(l, "out[5]") && src.Lines[i].Line != 5 || strings.HasPrefix(l, "K(") && src.Lines[i].Line != 3 || strings.HasPrefix(l, "//") && src.Lines[i].IsValid() {
			t.Errorf("line %d, %s, is at %s", i+1, l, src.Lines[i])
		}
		if strings.HasSuffix(l, "// p.gpu:"+string(rune('0'+src.Lines[i].Line))) {
			marks++
		}
	}
	if marks != 4 {
		t.Errorf("%d comments name a source line, want one a line:\n%s", marks, src.Text)
	}
}

// TestNamesCompileOnMetal declares every kind of name that means something to a target; codegen/ptx has the same for
// CUDA.
func TestNamesCompileOnMetal(t *testing.T) {
	require.Tool(t, "clang", hostrun.Clang() != "", hostrun.Remedy)
	m := cfamilytest.Names()
	text := msl.Emit(m).Text
	if _, err := hostrun.Check(context.Background(), text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, name := range []string{"float device_", "float half_", "float blockIdx =", "float global__x"} {
		if !strings.Contains(text, name) {
			t.Errorf("no %q in the text", name)
		}
	}
}
