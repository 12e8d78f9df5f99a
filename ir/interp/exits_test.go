package interp

import (
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// TestLevels: Break and Continue count Ranges, Loops and Scopes alike. Each body runs in
//
//	Range a 0:3 { Scope { Range b 0:3 { Scope { body; s += 1 }; s += 10 }; s += 100 }; s += 1000 }
//
// where body leaves when a and b are 1.
func TestLevels(t *testing.T) {
	const inner = 3*1000 + 3*100 + 9*10 + 9 // when nothing is left
	for _, c := range []struct {
		op    ir.Op
		level int
		want  int64
	}{
		{ir.OpBreak, 0, inner - 1},                     // the inner Scope
		{ir.OpBreak, 1, inner - 1 - 10 - 11},           // the loop b
		{ir.OpBreak, 2, inner - 1 - 10 - 11 - 100},     // the outer Scope
		{ir.OpBreak, 3, 1133 + 1*11},                   // the loop a: one whole turn, and b == 0 of the next
		{ir.OpContinue, 0, inner - 11},                 // Level 0 is the innermost that fits
		{ir.OpContinue, 1, inner - 11},                 // the loop b, counted past the Scope
		{ir.OpContinue, 3, inner - 1 - 10 - 11 - 1100}, // the loop a
		{ir.OpReturn, 0, 1133 + 1*11},
	} {
		o := view(types.Int64, true, n)
		b := newBlocked([]*types.Header{n}, nil, o)
		s := b.local("s", types.Int64, false, 1)
		i, zero, one, three := b.Point(0), b.Int(0), b.Int(1), b.Int(3)
		add := func(w ir.Builder, v int64) {
			w.LocalSet(s, w.Bin(ir.OpAdd, w.LocalGet(s), w.Const(types.Int64, v)))
			w.Store(o, w.LocalGet(s), i)
		}
		loopA := b.Range("a", zero, three, one).Blocks[0]
		wa := b.In(loopA)
		outer := wa.In(wa.Scope().Blocks[0])
		loopB := outer.Range("b", zero, three, one).Blocks[0]
		wb := outer.In(loopB)
		body := wb.In(wb.Scope().Blocks[0])
		turn := body.Bin(ir.OpAdd, body.Bin(ir.OpMul, loopA.Iter, three), loopB.Iter)
		at := body.If(body.Bin(ir.OpEq, turn, body.Int(4)))
		body.In(at.Blocks[0]).Exit(c.op, c.level)
		add(body, 1)
		add(wb, 10)
		add(outer, 100)
		add(wa, 1000)
		v := NewBuffer(types.Int64, 1)
		run(t, b.k, Options{}, View(v))
		if got := int64(v.At(0)); got != c.want {
			t.Errorf("%s %d: %d, want %d", c.op, c.level, got, c.want)
		}
	}
}

// TestScheduledBlocks: a grid that the host folds along y, as the schedule pass writes it: a block of the grid takes one
// block of the domain after another, with a barrier between.
func TestScheduledBlocks(t *testing.T) {
	for _, barrier := range []bool{true, false} {
		o := view(types.Int32, true, n, types.Sym("w"), types.Const(2))
		b := newBlocked([]*types.Header{n, types.Sym("w")}, []int64{2}, o)
		b.k.Sched = &ir.Schedule{Block: [3]int{2, 1, 1}, Per: 1}
		s := b.local("s", &types.Array{Dims: []int64{2}, Elem: types.Int32}, true, 1)
		index := func(op ir.Op, dim int) *ir.Instr {
			in := b.New(op, types.Int32)
			in.Dim = dim
			return in
		}
		x, y, tid, grid := index(ir.OpBlockIdx, 0), index(ir.OpBlockIdx, 1), index(ir.OpThreadIdx, 0), index(ir.OpGridDim, 1)
		loop := b.Range("y", y, b.Conv(types.Int32, b.Extent(b.k.Symbols[0])), grid).Blocks[0]
		w := b.In(loop)
		at := w.Bin(ir.OpAdd, w.Bin(ir.OpMul, loop.Iter, w.Const(types.Int32, 10)), w.Bin(ir.OpAdd, w.Bin(ir.OpMul, x, w.Const(types.Int32, 2)), tid))
		w.ElemSet(s, at, tid)
		w.New(ir.OpBarrier, nil)
		w.Store(o, w.ElemGet(s, w.Bin(ir.OpSub, w.Const(types.Int32, 1), tid)), loop.Iter, x, tid)
		if barrier {
			w.New(ir.OpBarrier, nil)
		}
		if err := ir.VerifyKernel(b.k); err != nil {
			t.Fatal(err)
		}
		for _, rows := range []int64{1, 0, 70000} {
			v := NewBuffer(types.Int32, rows, 3, 2)
			g, err := Grid(b.k, []Arg{View(v)})
			if want := [3]int64{3, min(rows, 65535), 1}; err != nil || rows > 0 && g != want {
				t.Errorf("grid %v, %v", g, err)
			}
			rep := run(t, b.k, Options{Order: Shuffled, Races: true}, View(v))
			if rep.Has(Race) != (!barrier && rows > 65535) || rep.Points != g[0]*g[1]*2 {
				t.Errorf("%d rows, barrier %v: %v, %d threads", rows, barrier, rep.Findings, rep.Points)
			}
			for i := range v.Len() {
				if y, x, lane := i/6, i/2%3, i%2; barrier && int64(v.At(i)) != 10*y+2*x+1-lane {
					t.Fatalf("%d rows: element %d is %d", rows, i, int64(v.At(i)))
				}
			}
		}
	}
}
