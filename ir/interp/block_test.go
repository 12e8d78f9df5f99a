package interp

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// blocked is a kernel with blocks, being built: a builder whose lines count up, so that every finding has its own place.
type blocked struct {
	ir.Builder
	k *ir.Kernel
}

func newBlocked(domain []*types.Header, threads []int64, params ...*ir.Param) *blocked {
	k := &ir.Kernel{Name: "K", Instance: "K", Entry: "K", Params: params, Body: &ir.Block{}}
	for _, h := range domain {
		k.Domain = append(k.Domain, ir.Dim{Name: "b", Lo: types.Const(0), Hi: h})
	}
	for _, n := range threads {
		k.Group = append(k.Group, ir.Thread{Name: "t", N: n})
	}
	for i, p := range params {
		p.Index = i
		if !p.IsView() {
			continue
		}
		for d, h := range p.Dims {
			known := slices.ContainsFunc(k.Symbols, func(s *ir.Symbol) bool { return s.Name == h.Name })
			if h.Op == types.HSym && !known {
				k.Symbols = append(k.Symbols, &ir.Symbol{Index: len(k.Symbols), Name: h.Name, Param: i, Dim: d})
			}
		}
	}
	return &blocked{Builder: ir.Builder{Block: k.Body}, k: k}
}

// line gives what follows a line of its own.
func (b *blocked) line(n int) ir.Builder { return b.At(diag.Pos{File: "k.gpu", Line: n, Col: 1}) }

// local adds a variable, declared in line n.
func (b *blocked) local(name string, t types.Type, shared bool, n int) *ir.Local {
	l := &ir.Local{ID: len(b.k.Locals), Name: name, Type: t, Shared: shared, Pos: diag.Pos{File: "k.gpu", Line: n, Col: 1}}
	b.k.Locals = append(b.k.Locals, l)
	return l
}

func array(k types.Kind, dims ...int64) *types.Array { return &types.Array{Dims: dims, Elem: k} }

// orders are the orders in which every test runs.
var orders = []Options{{}, {Order: Reverse}, {Order: Shuffled}, {Order: Shuffled, Seed: 5}}

// found lists the findings of a run as "race 3 4": their kinds and lines.
func found(rep *Report) []string {
	var out []string
	for _, f := range rep.Findings {
		a, b := f.Pos.Line, f.Other.Line
		if f.Kind != Uninitialised && f.Kind != Bounds && a > b && b > 0 { // which side is seen first depends on the order
			a, b = b, a
		}
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%s %d %d", f.Kind, a, b), " 0"))
	}
	slices.Sort(out)
	return out
}

// matMul is the tiled product of language.md with tiles of size t; its barriers stand in lines 31 and 33.
func matMul(t int64) *blocked {
	sym, view := types.Sym, func(name string, mut bool, dims ...*types.Header) *ir.Param {
		v := view(types.Float32, mut, dims...)
		v.Name = name
		return v
	}
	a, x, c := view("a", false, sym("m"), sym("k")), view("b", false, sym("k"), sym("n")), view("c", true, sym("m"), sym("n"))
	blocks := func(s string) *types.Header {
		return &types.Header{Op: types.HCeilDiv, X: sym(s), Y: types.Const(t)}
	}
	b := newBlocked([]*types.Header{blocks("m"), blocks("n")}, []int64{t, t}, a, x, c)
	m, k, n := b.Extent(b.k.Symbols[0]), b.Extent(b.k.Symbols[1]), b.Extent(b.k.Symbols[2])
	as, bs := b.local("as", array(types.Float32, t, t), true, 23), b.local("bs", array(types.Float32, t, t), true, 23)
	acc := b.local("acc", types.Float32, false, 25)
	ty, tx, size := b.Thread(0), b.Thread(1), b.Int(t)
	row := b.Bin(ir.OpAdd, b.Bin(ir.OpMul, b.Point(0), size), ty)
	col := b.Bin(ir.OpAdd, b.Bin(ir.OpMul, b.Point(1), size), tx)
	zero, zero32 := b.Int(0), b.Float(types.Float32, 0)
	tiles := b.Bin(ir.OpDiv, b.Bin(ir.OpAdd, k, b.Int(t-1)), size)
	loop := b.Range("t", zero, tiles, b.Int(1)).Blocks[0]
	w := b.In(loop)
	fill := func(line int, to *ir.Local, ok *ir.Instr, from *ir.Param, i, j *ir.Instr) {
		w := w.At(diag.Pos{File: "k.gpu", Line: line, Col: 1})
		w.ElemSet(to, zero32, ty, tx)
		in := w.In(w.If(ok).Blocks[0])
		in.ElemSet(to, in.Load(from, i, j), ty, tx)
	}
	at := w.Bin(ir.OpMul, loop.Iter, size)
	both := func(x, y *ir.Instr) *ir.Instr {
		c := w.Cond(ir.OpCondAnd, x)
		w.In(c.Blocks[0]).Yield(y)
		return c
	}
	ka, kb := w.Bin(ir.OpAdd, at, tx), w.Bin(ir.OpAdd, at, ty)
	fill(28, as, both(w.Bin(ir.OpLt, row, m), w.Bin(ir.OpLt, ka, k)), a, row, ka)
	fill(30, bs, both(w.Bin(ir.OpLt, kb, k), w.Bin(ir.OpLt, col, n)), x, kb, col)
	w.At(diag.Pos{File: "k.gpu", Line: 31, Col: 1}).New(ir.OpBarrier, nil)
	w.Pos = diag.Pos{File: "k.gpu", Line: 32, Col: 1}
	inner := w.Range("q", zero, size, w.Int(1)).Blocks[0]
	v := w.In(inner)
	v.LocalSet(acc, v.Bin(ir.OpAdd, v.LocalGet(acc), v.Bin(ir.OpMul, v.ElemGet(as, ty, inner.Iter), v.ElemGet(bs, inner.Iter, tx))))
	w.At(diag.Pos{File: "k.gpu", Line: 33, Col: 1}).New(ir.OpBarrier, nil)
	e := b.line(35)
	in := e.Cond(ir.OpCondAnd, e.Bin(ir.OpLt, row, m))
	y := e.In(in.Blocks[0])
	y.Yield(y.Bin(ir.OpLt, col, n))
	s := e.In(e.If(in).Blocks[0])
	s.Store(c, s.LocalGet(acc), row, col)
	return b
}

func matMulArgs(m, k, n int64) (args []Arg, want []uint64) {
	a, b, c := NewBuffer(types.Float32, m, k), NewBuffer(types.Float32, k, n), NewBuffer(types.Float32, m, n)
	for i := range a.Len() {
		a.Set(i, b32(float32(i%7)-3))
	}
	for i := range b.Len() {
		b.Set(i, b32(float32(i%5)*0.5))
	}
	for i := range m {
		for j := range n {
			s := float32(0)
			for q := range k {
				s += f32(a.At(i*k+q)) * f32(b.At(q*n+j)) // small halves: exact in any order
			}
			want = append(want, b32(s))
		}
	}
	return []Arg{View(a), View(b), View(c)}, want
}

func TestMatMul(t *testing.T) {
	b := matMul(16)
	if err := ir.VerifyKernel(b.k); err != nil {
		t.Fatal(err)
	}
	for _, o := range orders {
		o.Races = true
		for _, size := range [][3]int64{{37, 21, 50}, {16, 16, 16}, {1, 1, 1}, {3, 0, 5}, {0, 4, 4}} {
			args, want := matMulArgs(size[0], size[1], size[2])
			rep := run(t, b.k, o, args...)
			for i, w := range want {
				if got := args[2].Buffer.At(int64(i)); got != w {
					t.Fatalf("%v: element %d is %v, want %v", size, i, f32(got), f32(w))
				}
			}
			threads := (size[0] + 15) / 16 * ((size[2] + 15) / 16) * 256
			if len(rep.Findings) != 0 || rep.Points != threads {
				t.Errorf("%v: %+v", size, rep)
			}
		}
	}
}

// TestMatMulInTime bounds a run that a user would wait for; it takes a quarter of a second alone on a machine.
func TestMatMulInTime(t *testing.T) {
	args, want := matMulArgs(128, 128, 128)
	start := time.Now()
	run(t, matMul(16).k, Options{Races: true}, args...)
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("128 x 128 takes %v", d)
	}
	if args[2].Buffer.At(129) != want[129] {
		t.Error("wrong result")
	}
}

// drop gives b's kernel without its nth barrier; false when there is none.
func drop(b *ir.Block, n int) bool {
	for i, in := range b.Instrs {
		if in.Op == ir.OpBarrier {
			if n--; n < 0 {
				b.Instrs = slices.Delete(b.Instrs, i, i+1)
				return true
			}
		}
	}
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			if drop(c, n) {
				return true
			}
		}
	}
	return false
}

// TestDroppedBarriers: without either barrier the tiles race, whatever the order.
func TestDroppedBarriers(t *testing.T) {
	for n, want := range []string{"race 28 32", "race 28 32"} {
		for _, o := range orders {
			o.Races = true
			b := matMul(4)
			if !drop(b.k.Body, n) {
				t.Fatalf("no barrier %d", n)
			}
			args, _ := matMulArgs(8, 8, 8)
			rep := run(t, b.k, o, args...)
			if !slices.Contains(found(rep), want) || !slices.Contains(found(rep), "race 30 32") {
				t.Errorf("without barrier %d: %q", n, found(rep))
			}
			f := rep.Findings[slices.IndexFunc(rep.Findings, func(f Finding) bool { return f.Kind == Race })]
			if f.Kernel != "K" || f.Access == f.OtherAccess || f.By == f.OtherBy || !f.By.SameBlock(f.OtherBy) || f.Count < 2 {
				t.Errorf("%+v", f)
			}
		}
	}
}

func TestRaceText(t *testing.T) {
	b := matMul(4)
	drop(b.k.Body, 0)
	args, _ := matMulArgs(4, 4, 4)
	rep := run(t, b.k, Options{Races: true}, args...)
	var texts []string
	for _, f := range rep.Findings {
		texts = append(texts, f.String())
	}
	for _, want := range []string{
		"k.gpu:28:1: race in K: thread [0, 1] of block [0, 0] writes as[0, 1], which thread [0, 0] of block [0, 0] reads at k.gpu:32:1, with no barrier between",
		"k.gpu:32:1: thread [0, 0] of block [0, 0] of K reads as[0, 1], declared at k.gpu:23:1, before its block has written it",
	} {
		if !slices.ContainsFunc(texts, func(s string) bool {
			return s == want || strings.ReplaceAll(s, " of block [0, 0] of K", " of K") == want
		}) {
			t.Errorf("no %q in\n%s", want, strings.Join(texts, "\n"))
		}
	}
}

// TestOrdersAgree: a sum of 1,024 threads by halves, in two blocks, whatever the order.
func TestOrdersAgree(t *testing.T) {
	for _, o := range orders {
		o.Races = true
		x := buffer(types.Int64, make([]int64, 2048)...)
		for i := range int64(2048) {
			x.Set(i, uint64(i))
		}
		sums := buffer(types.Int64, 0, 0)
		rep := run(t, reduce(1024).k, o, View(x), View(sums))
		expect(t, sums, 1023*512, 1023*512+1024*1024)
		if len(rep.Findings) != 0 {
			t.Errorf("%v", rep.Findings)
		}
	}
}

// reduce sums the threads' elements of x by halves: a loop with a barrier whose count is the same for all.
func reduce(threads int64) *blocked {
	x, sums := view(types.Int64, false, n), view(types.Int64, true, types.Sym("b"))
	x.Name, sums.Name = "x", "sums"
	b := newBlocked([]*types.Header{types.Sym("b")}, []int64{threads}, x, sums)
	part, half := b.local("part", array(types.Int64, threads), true, 2), b.local("half", types.Int, false, 3)
	tid, zero, one := b.Thread(0), b.Int(0), b.Int(1)
	at := b.Bin(ir.OpAdd, b.Bin(ir.OpMul, b.Point(0), b.Int(threads)), tid)
	b.line(4).ElemSet(part, b.Load(x, at), tid)
	b.LocalSet(half, b.Int(threads/2))
	b.line(5).New(ir.OpBarrier, nil)
	loop := b.Loop()
	w := b.In(loop.Blocks[0])
	w.Yield(w.Bin(ir.OpGe, w.LocalGet(half), one))
	w = b.In(loop.Blocks[1])
	h := w.LocalGet(half)
	in := b.line(6).In(w.If(w.Bin(ir.OpLt, tid, h)).Blocks[0])
	in.ElemSet(part, in.Bin(ir.OpAdd, in.ElemGet(part, tid), in.ElemGet(part, in.Bin(ir.OpAdd, tid, h))), tid)
	b.line(7).In(w.Block).New(ir.OpBarrier, nil)
	w = b.In(loop.Blocks[2])
	w.LocalSet(half, w.Bin(ir.OpDiv, w.LocalGet(half), w.Int(2)))
	in = b.line(8).In(b.If(b.Bin(ir.OpEq, tid, zero)).Blocks[0])
	in.Store(sums, in.ElemGet(part, zero), b.k.Body.Instrs[slices.IndexFunc(b.k.Body.Instrs, func(in *ir.Instr) bool { return in.Op == ir.OpPoint })])
	return b
}

// TestNoThreadIsLeftBehind: no goroutine outlives a run, however it ends.
func TestNoThreadIsLeftBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, steps := range []int64{0, 40, 300} {
		x, sums := NewBuffer(types.Int64, 128), NewBuffer(types.Int64, 2)
		_, err := Run(reduce(64).k, []Arg{View(x), View(sums)}, Options{MaxSteps: steps})
		if (err == nil) != (steps == 0) {
			t.Errorf("%d steps: %v", steps, err)
		}
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}

func BenchmarkMatMul(b *testing.B) {
	args, _ := matMulArgs(128, 128, 128)
	k := matMul(16).k
	for _, races := range []bool{false, true} {
		b.Run(map[bool]string{false: "plain", true: "races"}[races], func(b *testing.B) {
			for b.Loop() {
				if _, err := Run(k, args, Options{Races: races}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
