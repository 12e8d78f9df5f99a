package interp

import (
	"errors"
	"slices"
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// The tests build their kernels by hand: the interpreter must not depend on the stages that it judges.

func konst(k types.Kind, v int64) *ir.Instr {
	return &ir.Instr{Op: ir.OpConst, Type: k, Bits: norm(k, uint64(v))}
}

func op(o ir.Op, t types.Type, args ...*ir.Instr) *ir.Instr {
	return &ir.Instr{Op: o, Type: t, Args: args, Pos: diag.Pos{File: "k.gpu", Line: 3, Col: int(o)}}
}

func load(p *ir.Param, idx ...*ir.Instr) *ir.Instr {
	in := op(ir.OpLoad, p.Elem(), idx...)
	in.Param = p
	return in
}

func store(p *ir.Param, args ...*ir.Instr) *ir.Instr {
	in := op(ir.OpStore, nil, args...)
	in.Param = p
	return in
}

func get(l *ir.Local) *ir.Instr {
	return &ir.Instr{Op: ir.OpLocalGet, Type: l.Type, Local: l}
}

func set(l *ir.Local, v *ir.Instr) *ir.Instr {
	return &ir.Instr{Op: ir.OpLocalSet, Local: l, Args: []*ir.Instr{v}}
}

func block(ins ...*ir.Instr) *ir.Block { return ir.NewBlock(ins...) }

func view(k types.Kind, mut bool, dims ...*types.Header) *ir.Param {
	return &ir.Param{Name: "v", Type: &types.View{Rank: len(dims), Elem: k}, Mut: mut, Dims: dims}
}

// kernel is a kernel over points 0:hi; n is bound by the first dim of the first view.
func kernel(hi *types.Header, params ...*ir.Param) (*ir.Kernel, *ir.Instr) {
	k := &ir.Kernel{Name: "K", Instance: "K", Entry: "K", Params: params, Body: block()}
	for i, p := range params {
		p.Index = i
	}
	for _, p := range params {
		if p.IsView() {
			k.Symbols = []*ir.Symbol{{Name: "n", Param: p.Index}}
			break
		}
	}
	k.Domain = []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: hi}}
	return k, &ir.Instr{Op: ir.OpPoint, Type: types.Int}
}

func buffer(k types.Kind, v ...int64) *Buffer {
	b := NewBuffer(k, int64(len(v)))
	for i, x := range v {
		b.Set(int64(i), uint64(x))
	}
	return b
}

func ints(b *Buffer) []int64 {
	out := make([]int64, b.Len())
	for i := range out {
		out[i] = int64(b.At(int64(i)))
	}
	return out
}

func run(t *testing.T, k *ir.Kernel, opt Options, args ...Arg) *Report {
	t.Helper()
	rep, err := Run(k, args, opt)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func expect(t *testing.T, b *Buffer, want ...int64) {
	t.Helper()
	if got := ints(b); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

var n = types.Sym("n")

func TestSaxpyInEveryOrder(t *testing.T) {
	a := &ir.Param{Name: "a", Type: types.Int32}
	x, y := view(types.Int32, false, n), view(types.Int32, true, n)
	k, i := kernel(n, a, x, y)
	lx, ly := load(x, i), load(y, i)
	pa := &ir.Instr{Op: ir.OpParamGet, Type: types.Int32, Param: a}
	mul := op(ir.OpMul, types.Int32, pa, lx)
	add := op(ir.OpAdd, types.Int32, mul, ly)
	k.Body = block(i, pa, lx, ly, mul, add, store(y, i, add))
	for _, o := range []Options{{}, {Order: Reverse}, {Order: Shuffled}, {Order: Shuffled, Seed: 9}} {
		o.Races = true
		by := buffer(types.Int32, 10, 20, 30, 40, 50)
		rep := run(t, k, o, Scalar(3), View(buffer(types.Int32, 1, 2, 3, 4, -5)), View(by))
		expect(t, by, 13, 26, 39, 52, 35)
		if rep.Points != 5 || len(rep.Findings) != 0 {
			t.Errorf("report %+v", rep)
		}
	}
}

func TestEnumerateVisitsAllOnce(t *testing.T) {
	for _, o := range []Order{Forward, Reverse, Shuffled} {
		for _, total := range []int64{1, 2, 3, 10, 1000, 1024} {
			next := enumerate(total, Options{Order: o, Seed: uint64(total)})
			seen := make([]bool, total)
			for range total {
				i := next()
				if seen[i] {
					t.Fatalf("order %d of %d visits %d twice", o, total, i)
				}
				seen[i] = true
			}
		}
	}
}

func TestOutOfBounds(t *testing.T) {
	x, y := view(types.Int32, false, n, types.Const(2)), view(types.Int32, true, n)
	x.Name, y.Name = "x", "y"
	k, i := kernel(n, x, y)
	j := op(ir.OpAdd, types.Int, i, konst(types.Int, 1))
	l := load(x, i, j)
	st := store(y, op(ir.OpSub, types.Int, i, konst(types.Int, 1)), l)
	k.Body = block(i, j, l, st.Args[0], st)
	bx := NewBuffer(types.Int32, 3, 2)
	for e := range int64(6) {
		bx.Set(e, uint64(e+1))
	}
	by := buffer(types.Int32, 7, 7, 7)
	rep := run(t, k, Options{}, View(bx), View(by))
	expect(t, by, 0, 0, 7) // x[1,2] and x[2,3] read 0; y[-1] is dropped
	want := []Finding{
		{Kind: Bounds, Pos: st.Pos, Name: "y", Dim: 0, Index: -1, Extent: 3, Point: 0, Count: 1},
		{Kind: Bounds, Pos: l.Pos, Name: "x", Dim: 1, Index: 2, Extent: 2, Point: 1, Count: 2},
	}
	for i := range want {
		want[i].Kernel, want[i].By = "K", Worker{Number: want[i].Point, Block: [3]int64{want[i].Point}, blocks: 1}
	}
	if !slices.Equal(rep.Findings, want) {
		t.Errorf("findings %v, want %v", rep.Findings, want)
	}
	l.InBounds = true
	if !run(t, k, Options{}, View(bx), View(by)).Has(BrokenProof) {
		t.Error("a false claim of bounds goes unnoticed")
	}
}

func TestCheckedFindings(t *testing.T) {
	for _, c := range []struct {
		op   ir.Op
		x, y int64
		mark bool // NoWrap
		want int64
		kind FindingKind
		none bool
	}{
		{op: ir.OpDiv, x: 5, y: 0, want: 5, kind: ZeroDivisor},
		{op: ir.OpRem, x: 5, y: 0, want: 0, kind: ZeroDivisor},
		{op: ir.OpShl, x: 5, y: -1, want: 0, kind: NegativeShift},
		{op: ir.OpShr, x: -5, y: -1, want: -1, kind: NegativeShift},
		{op: ir.OpShl, x: 5, y: 99, want: 0, none: true},
		{op: ir.OpDivNZ, x: 5, y: 0, want: 5, kind: BrokenProof},
		{op: ir.OpRemNZ, x: -1 << 31, y: -1, want: 0, kind: BrokenProof},
		{op: ir.OpDivNZ, x: -1 << 31, y: 1, want: -1 << 31, none: true},
		{op: ir.OpShlIn, x: 1, y: 32, want: 0, kind: BrokenProof},
		{op: ir.OpAdd, x: 1<<31 - 1, y: 1, mark: true, want: -1 << 31, kind: BrokenProof},
		{op: ir.OpAdd, x: 1<<31 - 1, y: 0, mark: true, want: 1<<31 - 1, none: true},
	} {
		o := view(types.Int32, true, n)
		k, i := kernel(n, o)
		v := load(o, i)
		r := op(c.op, types.Int32, v, konst(types.Int32, c.y))
		r.NoWrap = c.mark
		k.Body = block(i, v, r.Args[1], r, store(o, i, r))
		b := buffer(types.Int32, c.x)
		rep := run(t, k, Options{}, View(b))
		expect(t, b, c.want)
		if c.none != (len(rep.Findings) == 0) || !c.none && !rep.Has(c.kind) {
			t.Errorf("%s(%d, %d): findings %v", c.op, c.x, c.y, rep.Findings)
		}
	}
}

func TestRaces(t *testing.T) {
	o := view(types.Int32, true, n)
	k, i := kernel(n, o)
	j := op(ir.OpRem, types.Int, op(ir.OpAdd, types.Int, i, konst(types.Int, 1)), konst(types.Int, 4))
	l := load(o, j)
	k.Body = block(i, j.Args[0], j, l, store(o, i, l))
	if rep := run(t, k, Options{Races: true}, View(buffer(types.Int32, 1, 2, 3, 4))); !rep.Has(Race) {
		t.Error("reading a neighbour's element is no race")
	}
	if rep := run(t, k, Options{}, View(buffer(types.Int32, 1, 2, 3, 4))); rep.Has(Race) {
		t.Error("races are watched without being asked for")
	}
}

// TestLoops sums with break, continue and a return out of a loop, and checks the order of a loop's parts.
func TestLoops(t *testing.T) {
	o := view(types.Int, true, n)
	o.Type = &types.View{Rank: 1, Elem: types.Int64}
	k, i := kernel(n, o)
	s := &ir.Local{Name: "s", Type: types.Int}
	v := &ir.Local{ID: 1, Name: "v", Type: types.Int}
	k.Locals = []*ir.Local{s, v}
	// for q in 0:10 step 2 { if q == 2 continue; if q == 8 break; s += q }  → 0+4+6
	q := &ir.Instr{Op: ir.OpIter, Type: types.Int}
	is2, is8 := op(ir.OpEq, types.Bool, q, konst(types.Int, 2)), op(ir.OpEq, types.Bool, q, konst(types.Int, 8))
	gs := get(s)
	sum := op(ir.OpAdd, types.Int, gs, q)
	body := block(is2.Args[1], is2, &ir.Instr{Op: ir.OpIf, Args: []*ir.Instr{is2}, Blocks: []*ir.Block{block(op(ir.OpContinue, nil)), block()}},
		is8.Args[1], is8, &ir.Instr{Op: ir.OpIf, Args: []*ir.Instr{is8}, Blocks: []*ir.Block{block(op(ir.OpBreak, nil)), block()}}, gs, sum, set(s, sum))
	body.Iter = q
	zero, ten, two := konst(types.Int, 0), konst(types.Int, 10), konst(types.Int, 2)
	ranges := &ir.Instr{Op: ir.OpRange, Args: []*ir.Instr{zero, ten, two}, Blocks: []*ir.Block{body}}
	// for v < 5 { if v == 3 { o[i] = s + v; return }; continue; } post: v++
	gv, gv2, gs2, gv3 := get(v), get(v), get(s), get(v)
	lt := op(ir.OpLt, types.Bool, gv, konst(types.Int, 5))
	is3 := op(ir.OpEq, types.Bool, gv2, konst(types.Int, 3))
	out := op(ir.OpAdd, types.Int, gs2, gv2)
	inc := op(ir.OpAdd, types.Int, gv3, konst(types.Int, 1))
	loop := &ir.Instr{Op: ir.OpLoop, Blocks: []*ir.Block{
		block(gv, lt.Args[1], lt, &ir.Instr{Op: ir.OpYield, Args: []*ir.Instr{lt}}),
		block(gv2, is3.Args[1], is3, &ir.Instr{Op: ir.OpIf, Args: []*ir.Instr{is3}, Blocks: []*ir.Block{
			block(gs2, out, store(o, i, out), op(ir.OpReturn, nil)), block()}}, op(ir.OpContinue, nil)),
		block(gv3, inc.Args[1], inc, set(v, inc))}}
	k.Body = block(i, zero, ten, two, ranges, loop, store(o, i, konst(types.Int64, -1)))
	b := buffer(types.Int64, 0, 0)
	run(t, k, Options{}, View(b))
	expect(t, b, 13, 13) // the locals start from zero at the second point as well
}

func TestRangeEndsAtTheTypesEnd(t *testing.T) {
	o := view(types.Int32, true, n)
	k, i := kernel(n, o)
	c := &ir.Local{Name: "c", Type: types.Int32}
	k.Locals = []*ir.Local{c}
	g := get(c)
	inc := op(ir.OpAdd, types.Int32, g, konst(types.Int32, 1))
	body := block(g, inc.Args[1], inc, set(c, inc))
	body.Iter = &ir.Instr{Op: ir.OpIter, Type: types.Int8}
	lo, hi, st := konst(types.Int8, 120), konst(types.Int8, 127), konst(types.Int8, 5)
	out := get(c)
	k.Body = block(i, lo, hi, st, &ir.Instr{Op: ir.OpRange, Args: []*ir.Instr{lo, hi, st}, Blocks: []*ir.Block{body}}, out, store(o, i, out))
	b := buffer(types.Int32, 0)
	run(t, k, Options{MaxSteps: 100}, View(b))
	expect(t, b, 2)
}

func TestEndlessLoopEnds(t *testing.T) {
	o := view(types.Int32, true, n)
	k, i := kernel(n, o)
	k.Body = block(i, &ir.Instr{Op: ir.OpLoop, Blocks: []*ir.Block{block(), block(), block()}})
	_, err := Run(k, []Arg{View(buffer(types.Int32, 0))}, Options{MaxSteps: 1000})
	var e *StepError
	if !errors.As(err, &e) || e.Steps != 1000 {
		t.Errorf("error %v", err)
	}
}

// TestShortCircuit divides only behind the test for zero.
func TestShortCircuit(t *testing.T) {
	o := view(types.Int32, true, n)
	k, i := kernel(n, o)
	for c, want := range map[ir.Op][]int64{ir.OpCondAnd: {0, 1, 0}, ir.OpCondOr: {1, 1, 1}} {
		v := load(o, i)
		zero := konst(types.Int32, 0)
		test := op(ir.OpNe, types.Bool, v, zero)
		if c == ir.OpCondOr {
			test = op(ir.OpEq, types.Bool, v, zero)
		}
		d := op(ir.OpDiv, types.Int32, konst(types.Int32, 8), v)
		is4 := op(ir.OpEq, types.Bool, d, konst(types.Int32, 4))
		if c == ir.OpCondOr {
			is4 = op(ir.OpNe, types.Bool, d, konst(types.Int32, 100))
		}
		and := op(c, types.Bool, test)
		and.Blocks = []*ir.Block{block(d.Args[0], d, is4.Args[1], is4, &ir.Instr{Op: ir.OpYield, Args: []*ir.Instr{is4}})}
		one := konst(types.Int32, 1)
		sel := op(ir.OpSelect, types.Int32, and, one, zero)
		k.Body = block(i, v, zero, test, and, one, sel, store(o, i, sel))
		b := buffer(types.Int32, 0, 2, 3)
		rep := run(t, k, Options{}, View(b))
		expect(t, b, want...)
		if len(rep.Findings) != 0 {
			t.Errorf("%s evaluates what it must not: %v", c, rep.Findings)
		}
	}
}

// TestArraysAndCalls passes an array by value to a function that sorts it and returns two results.
func TestArraysAndCalls(t *testing.T) {
	pair := &types.Array{Dims: []int64{2}, Elem: types.Int32}
	p := &ir.Local{Name: "p", Type: pair}
	f := &ir.Func{Name: "order", Instance: "order", Params: []*ir.Local{p}, Locals: []*ir.Local{p}, Results: []types.Type{pair, types.Bool}}
	elem := func(l *ir.Local, i int64) (*ir.Instr, *ir.Instr) {
		c := konst(types.Int, i)
		e := op(ir.OpElemGet, types.Int32, c)
		e.Local = l
		return c, e
	}
	c0, e0 := elem(p, 0)
	c1, e1 := elem(p, 1)
	gt := op(ir.OpGt, types.Bool, e0, e1)
	s0, s1 := op(ir.OpElemSet, nil, c0, e1), op(ir.OpElemSet, nil, c1, e0)
	s0.Local, s1.Local = p, p
	gp := get(p)
	f.Body = block(c0, e0, c1, e1, gt, &ir.Instr{Op: ir.OpIf, Args: []*ir.Instr{gt}, Blocks: []*ir.Block{block(s0, s1), block()}}, gp, &ir.Instr{Op: ir.OpReturn, Args: []*ir.Instr{gp, gt}})

	o := view(types.Int32, true, n)
	k, i := kernel(types.Const(1), o)
	a, r, swapped := &ir.Local{Name: "a", Type: pair}, &ir.Local{ID: 1, Name: "r", Type: pair}, &ir.Local{ID: 2, Name: "swapped", Type: types.Bool}
	k.Locals = []*ir.Local{a, r, swapped}
	i0, i1, i2, i3 := konst(types.Int, 0), konst(types.Int, 1), konst(types.Int, 2), konst(types.Int, 3)
	l0, l1 := load(o, i0), load(o, i1)
	t0, t1 := op(ir.OpElemSet, nil, i0, l0), op(ir.OpElemSet, nil, i1, l1)
	t0.Local, t1.Local = a, a
	ga := get(a)
	call := &ir.Instr{Op: ir.OpCall, Func: f, Args: []*ir.Instr{ga}, Outs: []*ir.Local{r, swapped}}
	_, r0 := elem(r, 0)
	_, a0 := elem(a, 0)
	gsw := get(swapped)
	sel := op(ir.OpSelect, types.Int32, gsw, konst(types.Int32, 1), konst(types.Int32, 0))
	over := op(ir.OpElemGet, types.Int32, i2)
	over.Local = a
	k.Body = block(i, i0, i1, i2, i3, l0, l1, t0, t1, ga, call, r0, a0, gsw, sel, over, store(o, i0, r0), store(o, i1, a0), store(o, i2, sel), store(o, i3, over))
	b := buffer(types.Int32, 9, 4, 0, 77)
	rep := run(t, k, Options{}, View(b))
	expect(t, b, 4, 9, 1, 0) // sorted copy, untouched argument, second result, out of range
	if !rep.Has(Bounds) || rep.Findings[0].Extent != 2 || rep.Findings[0].Name != "a" {
		t.Errorf("findings %v", rep.Findings)
	}
}

// TestSchedule runs a kernel over a 2-D grid that the host folds, as a device would.
func TestSchedule(t *testing.T) {
	o := view(types.Uint32, true, n, types.Sym("m"))
	k, _ := kernel(n, o)
	k.Symbols = append(k.Symbols, &ir.Symbol{Index: 1, Name: "m", Dim: 1})
	k.Domain = []ir.Dim{{Name: "y", Lo: types.Const(0), Hi: n}, {Name: "x", Lo: types.Const(0), Hi: types.Sym("m")}}
	k.Sched = &ir.Schedule{Block: [3]int{4, 2, 1}, Per: 1}
	leaf := func(o ir.Op, d int) *ir.Instr { return &ir.Instr{Op: o, Type: types.Int, Dim: d} }
	bx, tx, by, ty := leaf(ir.OpBlockIdx, 0), leaf(ir.OpThreadIdx, 0), leaf(ir.OpBlockIdx, 1), leaf(ir.OpThreadIdx, 1)
	four, two := konst(types.Int, 4), konst(types.Int, 2)
	x0 := op(ir.OpMul, types.Int, bx, four)
	x := op(ir.OpAdd, types.Int, x0, tx)
	y0 := op(ir.OpMul, types.Int, by, two)
	y1 := op(ir.OpAdd, types.Int, y0, ty)
	step := op(ir.OpMul, types.Int, leaf(ir.OpGridDim, 1), two)
	en, em := &ir.Instr{Op: ir.OpExtent, Type: types.Int, Sym: k.Symbols[0]}, &ir.Instr{Op: ir.OpExtent, Type: types.Int, Sym: k.Symbols[1]}
	in := op(ir.OpLt, types.Bool, x, em)
	y := &ir.Instr{Op: ir.OpIter, Type: types.Int}
	l := load(o, y, x)
	inc := op(ir.OpAdd, types.Uint32, l, konst(types.Uint32, 1))
	body := block(l, inc.Args[1], inc, store(o, y, x, inc))
	body.Iter = y
	k.Body = block(bx, tx, by, ty, four, two, x0, x, y0, y1, step.Args[0], step, en, em, in,
		&ir.Instr{Op: ir.OpIf, Args: []*ir.Instr{in}, Blocks: []*ir.Block{block(&ir.Instr{Op: ir.OpRange, Args: []*ir.Instr{y1, en, step}, Blocks: []*ir.Block{body}}), block()}})
	for _, dims := range [][2]int64{{1, 1}, {3, 5}, {0, 7}, {131072, 2}, {2, 9}} {
		b := NewBuffer(types.Uint32, dims[0], dims[1])
		grid, err := Grid(k, []Arg{View(b)})
		if err != nil || grid[1] > 65535 {
			t.Fatalf("grid %v, %v", grid, err)
		}
		rep := run(t, k, Options{Order: Shuffled, Races: true}, View(b))
		for i := range b.Len() {
			if b.At(i) != 1 {
				t.Fatalf("%v: element %d is written %d times", dims, i, b.At(i))
			}
		}
		if len(rep.Findings) != 0 || rep.Points != grid[0]*grid[1]*grid[2]*8 {
			t.Errorf("%v: %+v", dims, rep)
		}
	}
}

func TestHeaderErrors(t *testing.T) {
	x, y := view(types.Int32, false, n), view(types.Int32, true, n)
	x.Name, y.Name = "x", "y"
	k, i := kernel(n, x, y)
	k.Body = block(i)
	plus := &types.Header{Op: types.HAdd, X: n, Y: types.Const(1)}
	k.Equal = []ir.Equality{{Param: 1, Want: plus}}
	even := &types.Header{Op: types.HEq, X: &types.Header{Op: types.HRem, X: n, Y: types.Const(2)}, Y: types.Const(0)}
	k.Requires = []ir.Require{{Cond: even, Text: "n % 2 == 0"}}
	args := func(nx, ny int64) []Arg {
		return []Arg{View(NewBuffer(types.Int32, nx)), View(NewBuffer(types.Int32, ny))}
	}
	var shape *ShapeError
	if _, err := Run(k, args(2, 2), Options{}); !errors.As(err, &shape) || shape.Param != "y" || shape.Want != 3 || shape.Got != 2 {
		t.Errorf("shapes: %v", err)
	}
	var contract *ContractError
	if _, err := Run(k, args(3, 4), Options{}); !errors.As(err, &contract) || contract.Text != "n % 2 == 0" {
		t.Errorf("requires: %v", err)
	}
	if _, err := Run(k, args(2, 3), Options{}); err != nil {
		t.Error(err)
	}
	k.Domain[0].Hi = &types.Header{Op: types.HMul, X: types.Const(1 << 62), Y: n}
	if _, err := Run(k, args(2, 3), Options{}); !errors.As(err, &contract) {
		t.Errorf("overflow: %v", err)
	}
	k.Domain[0] = ir.Dim{Name: "i", Lo: types.Const(5), Hi: n}
	if rep, err := Run(k, args(2, 3), Options{}); err != nil || rep.Points != 0 {
		t.Errorf("negative domain: %v %v", rep, err)
	}
	if _, err := Run(k, args(2, 3)[:1], Options{}); err == nil {
		t.Error("a missing argument is accepted")
	}
	if _, err := Run(k, []Arg{Scalar(1), View(NewBuffer(types.Int32, 3))}, Options{}); err == nil {
		t.Error("a scalar passes for a view")
	}
}

func TestAliases(t *testing.T) {
	x, y := view(types.Int32, false, types.Sym("m")), view(types.Int32, true, n)
	k, i := kernel(n, x, y)
	k.Symbols = []*ir.Symbol{{Name: "m", Param: 0}, {Index: 1, Name: "n", Param: 1}}
	k.Body = block(i)
	mem := make([]byte, 40)
	part := func(lo, hi int) Arg {
		return View(&Buffer{Elem: types.Int32, Dims: []int64{int64(hi - lo)}, Data: mem[4*lo : 4*hi]})
	}
	var alias *AliasError
	for _, c := range []struct {
		a, b    Arg
		inPlace bool
		bad     bool
	}{
		{part(0, 5), part(5, 10), false, false},
		{part(0, 5), part(4, 10), false, true},
		{part(0, 5), part(0, 5), false, true},
		{part(0, 5), part(0, 5), true, false},
		{part(0, 5), part(0, 4), true, true},
		{part(3, 3), part(0, 5), false, false},
		{part(0, 5), View(NewBuffer(types.Int32, 5)), false, false},
	} {
		k.InPlace = nil
		if c.inPlace {
			k.InPlace = [][2]int{{0, 1}}
		}
		_, err := Run(k, []Arg{c.a, c.b}, Options{})
		if errors.As(err, &alias) != c.bad {
			t.Errorf("%v %v: %v", c.a.Buffer.Dims, c.b.Buffer.Dims, err)
		}
	}
}

func TestHeaderArithmetic(t *testing.T) {
	const most, least = 1<<63 - 1, -1 << 63
	for _, c := range []struct {
		op   types.HeaderOp
		x, y int64
		want int64
		bad  bool
	}{
		{types.HAdd, most, 1, 0, true}, {types.HAdd, least, -1, 0, true}, {types.HAdd, most, 0, most, false}, {types.HAdd, -1, 1, 0, false},
		{types.HSub, least, 1, 0, true}, {types.HSub, 0, least, 0, true}, {types.HSub, 5, 7, -2, false}, {types.HSub, -1, most, least, false},
		{types.HMul, 1 << 32, 1 << 31, 0, true}, {types.HMul, least, -1, 0, true}, {types.HMul, -1 << 32, 1 << 31, least, false}, {types.HMul, -3, -4, 12, false},
		{types.HDiv, 7, 0, 0, true}, {types.HDiv, least, -1, 0, true}, {types.HDiv, -7, 2, -3, false}, {types.HRem, -7, 2, -1, false}, {types.HRem, 1, 0, 0, true}, {types.HRem, least, -1, 0, false},
		{types.HCeilDiv, 7, 2, 4, false}, {types.HCeilDiv, -7, 2, -3, false}, {types.HCeilDiv, 0, 9, 0, false}, {types.HCeilDiv, 8, 2, 4, false}, {types.HCeilDiv, 8, -2, 0, true}, {types.HCeilDiv, most, 2, 1 << 62, false},
		{types.HMin, -1, 2, -1, false}, {types.HMax, -1, 2, 2, false}, {types.HLe, 2, 2, 1, false}, {types.HGt, 2, 2, 0, false}, {types.HNe, 1, 2, 1, false},
	} {
		got, err := evalHeader(&types.Header{Op: c.op, X: types.Const(c.x), Y: types.Const(c.y)}, nil)
		if (err != nil) != c.bad || got != c.want && !c.bad {
			t.Errorf("%d %d %d = %d, %v", c.x, c.op, c.y, got, err)
		}
	}
	zero := &types.Header{Op: types.HDiv, X: types.Const(1), Y: types.Const(0)}
	no := &types.Header{Op: types.HLt, X: types.Const(2), Y: types.Const(1)}
	if v, err := evalHeader(&types.Header{Op: types.HAnd, X: no, Y: zero}, nil); v != 0 || err != nil {
		t.Errorf("&& evaluates its right side: %v", err)
	}
}

func BenchmarkSaxpy(b *testing.B) {
	a := &ir.Param{Name: "a", Type: types.Float32}
	x, y := view(types.Float32, false, n), view(types.Float32, true, n)
	k, i := kernel(n, a, x, y)
	lx, ly := load(x, i), load(y, i)
	pa := &ir.Instr{Op: ir.OpParamGet, Type: types.Float32, Param: a}
	mul := op(ir.OpMul, types.Float32, pa, lx)
	add := op(ir.OpAdd, types.Float32, mul, ly)
	k.Body = block(i, pa, lx, ly, mul, add, store(y, i, add))
	const points = 1 << 20
	args := []Arg{Scalar(b32(2)), View(NewBuffer(types.Float32, points)), View(NewBuffer(types.Float32, points))}
	for b.Loop() {
		if _, err := Run(k, args, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*points*5/b.Elapsed().Seconds()/1e6, "Mops/s")
}
