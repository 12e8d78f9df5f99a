package interp

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// snippet is a body for 2 blocks of 4 threads with the view v [n]int32 of 8 elements, the shared array s [4]int32 and the
// shared scalar h, both declared in line 1.
type snippet struct {
	*blocked
	v              *ir.Param
	s, h           *ir.Local
	tid, bid, zero *ir.Instr
}

func newSnippet() *snippet {
	v := view(types.Int32, true, n)
	b := newBlocked([]*types.Header{types.Const(2)}, []int64{4}, v)
	x := &snippet{blocked: b, v: v, s: b.local("s", array(types.Int32, 4), true, 1), h: b.local("h", types.Int32, true, 1)}
	x.tid, x.bid, x.zero = b.Thread(0), b.Point(0), b.Int(0)
	return x
}

// add is a + c.
func (x *snippet) add(a *ir.Instr, c int64) *ir.Instr {
	return x.Bin(ir.OpAdd, a, x.Const(a.Kind(), c))
}

// own is the element of v that belongs to the thread alone.
func (x *snippet) own() *ir.Instr { return x.Bin(ir.OpAdd, x.Bin(ir.OpMul, x.bid, x.Int(4)), x.tid) }

func (x *snippet) i32(v int64) *ir.Instr { return x.Const(types.Int32, v) }

func (x *snippet) barrier(line int) { x.line(line).New(ir.OpBarrier, nil) }

// set writes element i of s, or of v.
func (x *snippet) set(line int, i *ir.Instr)   { x.line(line).ElemSet(x.s, x.i32(7), i) }
func (x *snippet) store(line int, i *ir.Instr) { x.line(line).Store(x.v, x.i32(7), i) }

// get reads element i of s, or of v.
func (x *snippet) get(line int, i *ir.Instr)  { x.line(line).ElemGet(x.s, i) }
func (x *snippet) load(line int, i *ir.Instr) { x.line(line).Load(x.v, i) }

// inside moves the builder into If(cond) for what f adds.
func (x *snippet) inside(cond *ir.Instr, f func()) {
	outer := x.Block
	x.Block = x.If(cond).Blocks[0]
	f()
	x.Block = outer
}

// is is a == c.
func (x *snippet) is(a *ir.Instr, c int64) *ir.Instr { return x.Bin(ir.OpEq, a, x.Const(a.Kind(), c)) }

// other is another thread of the block: 3 - tid.
func (x *snippet) other() *ir.Instr { return x.Bin(ir.OpSub, x.Int(3), x.tid) }

// twice runs f's body two times.
func (x *snippet) twice(f func(iter *ir.Instr)) {
	outer := x.Block
	loop := x.Range("q", x.zero, x.Int(2), x.Int(1))
	x.Block = loop.Blocks[0]
	f(loop.Blocks[0].Iter)
	x.Block = outer
}

func TestFindingsOfBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		body func(x *snippet)
		want []string // in every order
	}{
		// Races within a block.
		"write, read":   {func(x *snippet) { x.set(2, x.tid); x.barrier(3); x.set(4, x.tid); x.get(5, x.other()) }, []string{"race 4 5"}},
		"read, write":   {func(x *snippet) { x.set(2, x.tid); x.barrier(3); x.get(4, x.other()); x.set(5, x.tid) }, []string{"race 4 5"}},
		"equal values":  {func(x *snippet) { x.set(2, x.zero) }, []string{"race 2 2"}},
		"shared scalar": {func(x *snippet) { x.line(2).LocalSet(x.h, x.i32(1)) }, []string{"race 2 2"}},
		"whole array":   {func(x *snippet) { x.line(2).LocalSet(x.s, x.Zero(x.s.Type)) }, []string{"race 2 2"}},
		"two writers":   {func(x *snippet) { x.set(2, x.tid); x.set(3, x.other()) }, []string{"race 2 3"}},
		"all read, one writes": {func(x *snippet) {
			x.set(2, x.tid)
			x.barrier(3)
			x.get(4, x.zero)
			x.inside(x.is(x.tid, 0), func() { x.set(5, x.zero) })
		}, []string{"race 4 5"}},
		"readers of two intervals": {func(x *snippet) { // the first reader of all has a barrier behind it
			x.load(2, x.own())
			x.barrier(3)
			x.inside(x.is(x.tid, 3), func() { x.load(4, x.Bin(ir.OpMul, x.bid, x.Int(4))) })
			x.inside(x.is(x.tid, 0), func() { x.store(5, x.own()) })
		}, []string{"race 4 5"}},
		"view in a block": {func(x *snippet) {
			x.store(2, x.own())
			x.load(3, x.Bin(ir.OpAdd, x.Bin(ir.OpMul, x.bid, x.Int(4)), x.other()))
		}, []string{"race 2 3"}},
		"round a loop": {func(x *snippet) { // no barrier between the reads and the writes of the next turn
			x.twice(func(*ir.Instr) { x.set(2, x.tid); x.barrier(3); x.get(4, x.other()) })
		}, []string{"race 2 4"}},

		// Races between blocks, which no barrier orders.
		"blocks write": {func(x *snippet) { x.store(2, x.tid) }, []string{"race 2 2"}},
		"blocks write at a distance": {func(x *snippet) {
			x.inside(x.is(x.bid, 0), func() { x.store(2, x.tid) })
			x.barrier(3)
			x.inside(x.is(x.bid, 1), func() { x.store(4, x.tid) })
		}, []string{"race 2 4"}},
		"one reads, one writes": {func(x *snippet) {
			x.inside(x.is(x.bid, 0), func() { x.load(2, x.tid) })
			x.barrier(3)
			x.inside(x.is(x.bid, 1), func() { x.store(4, x.tid) })
		}, []string{"race 2 4"}},
		"both read, one writes its own": {func(x *snippet) { // the last reader is of the writer's block
			x.load(2, x.zero)
			x.barrier(3)
			x.inside(x.is(x.own(), 0), func() { x.store(4, x.zero) })
		}, []string{"race 2 4"}},

		// No race.
		"disjoint": {func(x *snippet) { x.set(2, x.tid); x.get(3, x.tid); x.store(4, x.own()); x.load(5, x.own()) }, nil},
		"all read": {func(x *snippet) { x.load(2, x.zero); x.load(3, x.tid); x.barrier(4); x.load(5, x.tid) }, nil},
		"one writes, a barrier, all read": {func(x *snippet) {
			x.inside(x.is(x.tid, 0), func() { x.line(2).LocalSet(x.h, x.i32(5)) })
			x.barrier(3)
			x.line(4).LocalGet(x.h)
		}, nil},
		"handed over": {func(x *snippet) { x.set(2, x.tid); x.barrier(3); x.set(4, x.other()); x.barrier(5); x.get(6, x.tid) }, nil},
		"view handed over in its block": {func(x *snippet) {
			x.store(2, x.own())
			x.barrier(3)
			mirror := x.Bin(ir.OpAdd, x.Bin(ir.OpMul, x.bid, x.Int(4)), x.other())
			x.load(4, mirror)
			x.barrier(5)
			x.store(6, x.own())
		}, nil},
		"two buffers": {func(x *snippet) { // each turn writes one half and reads the other: one barrier a turn
			x.inside(x.Bin(ir.OpLt, x.tid, x.Int(2)), func() { x.set(2, x.tid) })
			x.twice(func(q *ir.Instr) {
				x.barrier(3)
				from := x.Bin(ir.OpMul, q, x.Int(2))
				to := x.Bin(ir.OpSub, x.Int(2), from)
				x.inside(x.Bin(ir.OpLt, x.tid, x.Int(2)), func() {
					x.get(4, x.Bin(ir.OpAdd, from, x.Bin(ir.OpSub, x.Int(1), x.tid)))
					x.set(5, x.Bin(ir.OpAdd, to, x.tid))
				})
			})
		}, nil},
		"each block its own shared memory": {func(x *snippet) { x.inside(x.is(x.tid, 0), func() { x.set(2, x.zero) }) }, nil},

		// Shared memory that nothing has written.
		"unwritten":        {func(x *snippet) { x.get(2, x.tid) }, []string{"uninitialised 2 1"}},
		"unwritten scalar": {func(x *snippet) { x.line(2).LocalGet(x.h) }, []string{"uninitialised 2 1"}},
		"written in part": {func(x *snippet) {
			x.inside(x.Bin(ir.OpLt, x.tid, x.Int(3)), func() { x.set(2, x.tid) })
			x.barrier(3)
			x.line(4).LocalGet(x.s)
		}, []string{"uninitialised 4 1"}},
		"written by one of the blocks": {func(x *snippet) { // the memory that a block leaves is garbage to the next
			x.inside(x.is(x.bid, 0), func() { x.set(2, x.tid) })
			x.barrier(3)
			x.get(4, x.tid)
		}, []string{"uninitialised 4 1"}},
		"out of bounds": {func(x *snippet) { x.set(2, x.add(x.tid, 1)); x.barrier(3); x.get(4, x.tid) }, []string{"bounds 2 1", "uninitialised 4 1"}},

		// Barriers that not all threads reach.
		"some wait": {func(x *snippet) { x.inside(x.is(x.tid, 2), func() { x.barrier(2) }) }, []string{"divergent 2"}},
		"some return": {func(x *snippet) {
			x.inside(x.is(x.tid, 0), func() { x.New(ir.OpReturn, nil) })
			x.barrier(2)
		}, []string{"divergent 2"}},
		"two barriers": {func(x *snippet) {
			in := x.If(x.Bin(ir.OpLt, x.tid, x.Int(2)))
			x.line(2).In(in.Blocks[0]).New(ir.OpBarrier, nil)
			x.line(3).In(in.Blocks[1]).New(ir.OpBarrier, nil)
		}, []string{"divergent 2 3"}},
		"turns of a loop": {func(x *snippet) {
			loop := x.Range("q", x.zero, x.tid, x.Int(1))
			x.line(2).In(loop.Blocks[0]).New(ir.OpBarrier, nil)
		}, []string{"divergent 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := newSnippet()
			c.body(x)
			if err := ir.VerifyKernel(x.k); err != nil {
				t.Fatal(err)
			}
			before := runtime.NumGoroutine()
			for _, o := range orders {
				o.Races = true
				rep := run(t, x.k, o, View(buffer(types.Int32, 0, 0, 0, 0, 0, 0, 0, 0)))
				if got := found(rep); !slices.Equal(got, c.want) {
					t.Errorf("order %d: %q, want %q", o.Order, got, c.want)
				}
				o.Races = false
				rep = run(t, x.k, o, View(buffer(types.Int32, 0, 0, 0, 0, 0, 0, 0, 0)))
				rest := slices.DeleteFunc(slices.Clone(c.want), func(s string) bool { return strings.HasPrefix(s, "race") })
				if got := found(rep); !slices.Equal(got, rest) {
					t.Errorf("order %d without races: %q, want %q", o.Order, got, rest)
				}
			}
			if after := runtime.NumGoroutine(); after > before {
				t.Errorf("%d goroutines are left behind", after-before)
			}
		})
	}
}

// TestDivergentBlocksAreGivenUp: the blocks after a divergent one run, and from a clean state.
func TestDivergentBlocksAreGivenUp(t *testing.T) {
	x := newSnippet()
	x.inside(x.is(x.own(), 1), func() { x.barrier(2) })
	x.barrier(3)
	x.store(4, x.own())
	v := buffer(types.Int32, 0, 0, 0, 0, 0, 0, 0, 0)
	rep := run(t, x.k, Options{}, View(v))
	expect(t, v, 0, 0, 0, 0, 7, 7, 7, 7)
	want := "k.gpu:3:1: divergent barrier in K: thread 0 of block 0 waits here, thread 1 of block 0 waits at k.gpu:2:1"
	if len(rep.Findings) != 1 || rep.Findings[0].String() != want || rep.Points != 4 {
		t.Errorf("%v, %d threads; want %s", rep.Findings, rep.Points, want)
	}
	x = newSnippet()
	x.inside(x.is(x.tid, 3), func() { x.barrier(2) })
	want = "k.gpu:2:1: divergent barrier in K: thread 3 of block 0 waits here, thread 0 of block 0 has ended"
	if rep = run(t, x.k, Options{}, View(v)); rep.Findings[0].String() != want || rep.Findings[0].Count != 2 || rep.Points != 6 {
		t.Errorf("%v, %d threads; want %s", rep.Findings, rep.Points, want)
	}
}

func TestEndlessBlocksEnd(t *testing.T) {
	x := newSnippet()
	x.line(2).In(x.Loop().Blocks[1]).New(ir.OpBarrier, nil)
	before := runtime.NumGoroutine()
	_, err := Run(x.k, []Arg{View(NewBuffer(types.Int32, 8))}, Options{MaxSteps: 1000})
	var e *StepError
	if !errors.As(err, &e) || runtime.NumGoroutine() > before {
		t.Errorf("error %v, %d goroutines, %d before", err, runtime.NumGoroutine(), before)
	}
}

// TestBarrierInAFunction: IR before inlining has calls, and each thread its own variables of the function.
func TestBarrierInAFunction(t *testing.T) {
	x := newSnippet()
	p := &ir.Local{Name: "p", Type: types.Int32}
	f := &ir.Func{Name: "sync", Instance: "sync", Params: []*ir.Local{p}, Locals: []*ir.Local{p}, Results: []types.Type{types.Int32}, Body: &ir.Block{}}
	fb := ir.Builder{Block: f.Body, Pos: diag.Pos{File: "k.gpu", Line: 9, Col: 1}}
	fb.New(ir.OpBarrier, nil)
	fb.New(ir.OpReturn, nil, fb.LocalGet(p))
	out := x.local("out", types.Int32, false, 1)
	id := x.Conv(types.Int32, x.own())
	x.ElemSet(x.s, id, x.tid)
	call := x.New(ir.OpCall, nil, id)
	call.Func, call.Outs = f, []*ir.Local{out}
	x.Store(x.v, x.Bin(ir.OpAdd, x.Bin(ir.OpMul, x.LocalGet(out), x.i32(10)), x.ElemGet(x.s, x.other())), x.own())
	for _, o := range orders {
		v := NewBuffer(types.Int32, 8)
		o.Races = true
		if rep := run(t, x.k, o, View(v)); len(rep.Findings) > 0 {
			t.Errorf("%v", rep.Findings)
		}
		expect(t, v, 3, 12, 21, 30, 47, 56, 65, 74)
	}
}

// TestPoison: what is read before it is written is no number that hides the mistake, in every block.
func TestPoison(t *testing.T) {
	x := newSnippet()
	x.Store(x.v, x.ElemGet(x.s, x.tid), x.own())
	x.set(2, x.tid)
	v := NewBuffer(types.Int32, 8)
	run(t, x.k, Options{}, View(v))
	for i := range v.Len() {
		if v.At(i) != poison(types.Int32) {
			t.Errorf("element %d is %#x", i, v.At(i))
		}
	}
	for _, k := range slices.Concat(intKinds, floatKinds, []types.Kind{types.Bool}) {
		p := poison(k)
		if p != norm(k, p) || p == 0 || k.IsFloat() && FloatValue(k, p) == FloatValue(k, p) {
			t.Errorf("%s: %#x", k, p)
		}
	}
}

// TestRacesOfPoints: the points of a domain are ordered by nothing, and both places are named.
func TestRacesOfPoints(t *testing.T) {
	o := view(types.Int32, true, n, types.Const(2))
	b := newBlocked([]*types.Header{n}, nil, o)
	i := b.Point(0)
	j := b.Bin(ir.OpRem, b.Bin(ir.OpAdd, i, b.Int(1)), b.Int(3))
	l := b.line(2).Load(o, j, b.Int(1))
	b.line(3).Store(o, l, i, b.Int(1))
	rep := run(t, b.k, Options{Races: true}, View(NewBuffer(types.Int32, 3, 2)))
	want := "k.gpu:3:1: race in K: point 1 writes v[1, 1], which point 0 reads at k.gpu:2:1, and nothing orders the two"
	if len(rep.Findings) != 1 || rep.Findings[0].String() != want || rep.Findings[0].Count != 3 {
		t.Errorf("%v, want %s", rep.Findings, want)
	}
}

// TestMistakes: the code of a finding is the name of its kind, and the other place is in it.
func TestMistakes(t *testing.T) {
	here, there := diag.Pos{File: "k.gpu", Line: 2, Col: 1}, diag.Pos{File: "k.gpu", Line: 1, Col: 3}
	for kind := range FindingKind(len(findingNames)) {
		var list diag.List
		list.Report(Finding{Kind: kind, Kernel: "K", Pos: here, Other: there, Count: 2}.Mistake())
		d := list[0]
		two := kind != ZeroDivisor && kind != NegativeShift && kind != Assertion && kind != BrokenProof
		if d.Code != kind.String() || d.Pos != here || two != (len(d.Labels) == 1 && d.Labels[0].Pos == there) || d.Message == "" || len(d.Notes) != 1 {
			t.Errorf("%s: %+v", kind, d)
		}
	}
}
