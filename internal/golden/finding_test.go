package golden

import (
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// mirror is
//
//	1	kernel Mirror(x [n]int32, y mut [n]int32) blocks b in n / 4 threads t in 4 {
//	2		shared s [4]int32
//	3		s[t] = x[b*4+t]
//	4		barrier()
//	5		y[b*4+t] = s[3-t]
//	6	}
//
// without the lines of drop.
func mirror(drop ...int) *ir.Kernel {
	n := types.Sym("n")
	view := &types.View{Rank: 1, Elem: types.Int32}
	x := &ir.Param{Name: "x", Type: view, Dims: []*types.Header{n}}
	y := &ir.Param{Index: 1, Name: "y", Type: view, Mut: true, Dims: []*types.Header{n}}
	at := func(line int) diag.Pos { return diag.Pos{File: "mirror.gpu", Line: line, Col: 1} }
	s := &ir.Local{Name: "s", Type: &types.Array{Dims: []int64{4}, Elem: types.Int32}, Pos: at(2), Shared: true}
	b := ir.Builder{Block: &ir.Block{}}
	tid := b.Thread(0)
	i := b.Bin(ir.OpAdd, b.Bin(ir.OpMul, b.Point(0), b.Int(4)), tid)
	has := func(line int) bool {
		b.Pos = at(line)
		for _, d := range drop {
			if d == line {
				return false
			}
		}
		return true
	}
	if has(3) {
		b.ElemSet(s, b.Load(x, i), tid)
	}
	if has(4) {
		b.New(ir.OpBarrier, nil)
	}
	has(5)
	b.Store(y, b.ElemGet(s, b.Bin(ir.OpSub, b.Int(3), tid)), i)
	return &ir.Kernel{Name: "Mirror", Instance: "Mirror", Entry: "Mirror", Params: []*ir.Param{x, y}, Symbols: []*ir.Symbol{{Name: "n"}},
		Equal:  []ir.Equality{{Param: 1, Want: n}},
		Domain: []ir.Dim{{Name: "b", Lo: types.Const(0), Hi: &types.Header{Op: types.HDiv, X: n, Y: types.Const(4)}}},
		Group:  []ir.Thread{{Name: "t", N: 4}}, Targets: types.AllTargets, Locals: []*ir.Local{s}, Body: b.Block}
}

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		k    *ir.Kernel
		text string
		want string // of the error; "" passes
	}{
		{mirror(), "Mirror(iota(8), fill(8, 0)) -> y=[3 2 1 0 7 6 5 4]", ""},
		{mirror(), "Mirror(iota(8), fill(8, 0)) -> race", "nothing is found, want race"},
		{mirror(4), "Mirror(iota(8), fill(8, 0)) -> race", ""},
		{mirror(4), "Mirror(iota(8), fill(8, 0)) -> race 3 5", ""},
		{mirror(4), "Mirror(iota(8), fill(8, 0)) -> race 5 3", ""},
		{mirror(4), "Mirror(iota(8), fill(8, 0)) -> race 3 4", "want race 3 4, found\nmirror.gpu:"},
		{mirror(4), "Mirror(iota(8), fill(8, 0)) -> oracle", "before its block has written it"},
		{mirror(3), "Mirror(iota(8), fill(8, 0)) -> oracle", "before its block has written it"},
		{mirror(3), "Mirror(iota(8), fill(8, 0)) -> uninitialised 5 2", ""},
		{mirror(3), "Mirror(iota(8), fill(8, 0)) -> uninitialised 5", ""},
		{mirror(3), "Mirror(iota(8), fill(8, 0)) -> uninitialised 2 5", "want uninitialised 2 5"},
		{mirror(3), "Mirror(iota(8), fill(8, 0)) -> race", "nothing is found"},
		{mirror(3), "Mirror([], []) -> uninitialised", "nothing is found"},
		{mirror(), "Mirror([], []) -> y=[]", ""},
	} {
		_, err := Run(c.k, line(t, c.text), false)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v, want %q", c.text, err, c.want)
		}
	}
}

func TestCasesOfBlocks(t *testing.T) {
	device := mirror()
	device.Sched = &ir.Schedule{Block: [3]int{4, 1, 1}, Per: 1}
	c, err := NewCase(types.CUDA, "a", "mirror", line(t, "Mirror(iota(12), fill(12, 0)) -> oracle"), mirror(), device)
	if err != nil {
		t.Fatal(err)
	}
	if c.Grid != [3]uint32{3, 1, 1} || c.Block != [3]uint32{4, 1, 1} || !c.Launches() || c.Slots[1].After[0] != 3 {
		t.Errorf("%+v", c)
	}
	c, err = NewCase(types.CUDA, "a", "mirror", line(t, "Mirror(iota(4), fill(4, 0)) -> race"), mirror(4), device)
	if err != nil || c.Finding != "race" || c.Launches() {
		t.Errorf("%+v %v", c, err)
	}
}
