package golden

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// scale is `kernel Scale[T int32](a T, x [n]T, y mut [n]T) for i in n { y[i] = a*x[i+shift] }`.
func scale(shift int64) *ir.Kernel {
	n := types.Sym("n")
	view := &types.View{Rank: 1, Elem: types.Int32}
	a := &ir.Param{Name: "a", Type: types.Int32}
	x := &ir.Param{Index: 1, Name: "x", Type: view, Dims: []*types.Header{n}}
	y := &ir.Param{Index: 2, Name: "y", Type: view, Mut: true, Dims: []*types.Header{n}}
	b := ir.Builder{Block: &ir.Block{}}
	i := b.New(ir.OpPoint, types.Int)
	at := b.Bin(ir.OpAdd, i, b.Int(shift))
	l := b.New(ir.OpLoad, types.Int32, at)
	l.Param = x
	v := b.Bin(ir.OpMul, b.Param(a), l)
	st := b.New(ir.OpStore, nil, i, v)
	st.Param = y
	return &ir.Kernel{Name: "Scale", Instance: "Scale[int32]", Entry: "Scale_int32", Generics: []ir.Generic{{Param: "T", Type: types.Int32}},
		Params: []*ir.Param{a, x, y}, Symbols: []*ir.Symbol{{Name: "n", Param: 1}}, Equal: []ir.Equality{{Param: 2, Want: n}},
		Domain: []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: n}}, InPlace: [][2]int{{1, 2}}, Targets: types.AllTargets, Body: b.Block}
}

func line(t *testing.T, text string) *RunLine {
	t.Helper()
	l, err := ParseLine(text)
	if err != nil {
		t.Fatal(err)
	}
	l.Number = 7
	return l
}

func TestRun(t *testing.T) {
	for text, want := range map[string]string{ // "" passes
		"Scale[int32](3, [1 2 -3], [0 0 0]) -> y=[3 6 -9]":   "",
		"Scale(3, [1 2], [0 0]) -> y=[3 7]":                  "y: [1] is 6, want 7",
		"Scale(3, [1 2], [0 0]) -> y=[3 7] | fused: y=[3 6]": "want 7",
		"Scale(3, [1 2], &x) -> x=[3 6], y=[3 6]":            "",
		"Scale(3, iota(8), &x[0:4]) -> oracle":               "dim 0 of y is 4, want 8",
		"Scale(3, [1 2], [0]) -> error ShapeError":           "",
		"Scale(3, [1 2], [0]) -> error AliasError":           "error ShapeError",
		"Scale(3, [1 2], [0 0]) -> error ShapeError":         "no error",
		"Scale(3, [1 2], [0 0]) -> trap":                     "want a trap",
		"Scale(3, [], []) -> y=[]":                           "",
		"Scale(3, rand(1, 1000), fill(1000, 0)) -> oracle":   "",
		"Scale([3], [1 2], [0 0]) -> oracle":                 "argument a: [3] is no int32",
		"Scale(3, [1 2]) -> oracle":                          "takes 3 arguments",
		"Scale(3, [[1 2]], [0 0]) -> oracle":                 "argument x",
		"Scale(3, &y, [0 0]) -> oracle":                      "comes later",
		"Scale(3, [1 2], [0 0]) -> z=[1]":                    "no view z",
		"Scale(3, [1 2], [0 0]) -> y=[[3 6]]":                "dims",
	} {
		_, err := Run(scale(0), line(t, text), false)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %q", text, err, want)
		}
	}
	if _, err := Run(scale(1), line(t, "Scale(1, [1 2], [9 9]) -> trap"), false); err != nil {
		t.Error(err)
	}
	if _, err := Run(scale(1), line(t, "Scale(1, [1 2], [9 9]) -> y=[2 0]"), false); err == nil || !strings.Contains(err.Error(), "outside its extent 2") {
		t.Error(err)
	}
	if _, err := Run(scale(1), line(t, "Scale(1, [1 2 3], &x) -> trap"), false); err == nil {
		t.Error("a race passes")
	}
}

func TestMatches(t *testing.T) {
	lay := abi.Of(scale(0))
	for text, want := range map[string]bool{"Scale(1)": true, "Scale[int32](1)": true, "Scale[int64](1)": false, "Scale[int32, 4](1)": false, "scale(1)": false} {
		if got := line(t, text+" -> oracle").Matches(lay); got != want {
			t.Errorf("%s matches: %v", text, got)
		}
	}
	lay.Generics = append(lay.Generics, abi.Generic{Param: "Tile", Value: 16})
	if !line(t, "Scale[int32, 16](1) -> oracle").Matches(lay) {
		t.Error("a constant argument does not match")
	}
}

func TestCases(t *testing.T) {
	device := scale(0)
	device.Sched = &ir.Schedule{Block: [3]int{256, 1, 1}, Per: 4}
	c, err := NewCase(types.CUDA, "a", "x", line(t, "Scale(3, [1 2], &x) -> y~3=[3 6]"), scale(0), device)
	if err != nil {
		t.Fatal(err)
	}
	want := &Case{Archive: "a", Line: 7, Text: "Scale(3, [1 2], &x) -> y~3=[3 6]", Module: "x", Instance: "Scale[int32]", Entry: "Scale_int32", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{256, 1, 1}, Consts: 16,
		Slots: []Slot{
			{Kind: "scalar", Name: "a", Elem: "int32", Data: []byte{3, 0, 0, 0}},
			{Kind: "view", Name: "x", Elem: "int32", Dims: []int64{2}, Data: []byte{1, 0, 0, 0, 2, 0, 0, 0}, After: []byte{3, 0, 0, 0, 6, 0, 0, 0}, Buffer: 1},
			{Kind: "view", Name: "y", Elem: "int32", Dims: []int64{2}, Mut: true, Data: []byte{1, 0, 0, 0, 2, 0, 0, 0}, After: []byte{3, 0, 0, 0, 6, 0, 0, 0}, ULP: 3, Share: &Share{Slot: 1}, Buffer: 2},
			{Kind: "extent", Name: "n", Elem: "int", Data: []byte{2, 0, 0, 0, 0, 0, 0, 0}, Offset: 8},
		}}
	if !reflect.DeepEqual(c, want) || !c.Launches() {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	bad, err := NewCase(types.CPU, "a", "x", line(t, "Scale(3, [1 2], [1]) -> error ShapeError"), scale(0), nil)
	if err != nil || bad.Error != "ShapeError" || bad.Launches() {
		t.Errorf("%+v %v", bad, err)
	}
	var b bytes.Buffer
	file := &Cases{Target: "cuda", Cases: []Case{*c, *bad}}
	if err := file.Write(&b); err != nil {
		t.Fatal(err)
	}
	back, err := ReadCases(&b)
	if err != nil || back.Cases[0].Key() != "a:7:Scale[int32]" || !reflect.DeepEqual(back.Cases[0].Slots, c.Slots) {
		t.Errorf("%+v %v", back, err)
	}
	if _, err := ReadCases(strings.NewReader(`{"format": 99}`)); err == nil {
		t.Error("a file of another format is read")
	}
	if err := c.Slots[2].Check([]byte{3, 0, 0, 0, 7, 0, 0, 0}); err == nil || err.Error() != "y: [1] is 7, want 6" {
		t.Error(err)
	}
	if err := c.Slots[2].Check(c.Slots[2].After); err != nil {
		t.Error(err)
	}
}

func TestGoTest(t *testing.T) {
	k := scale(0)
	k.Generics = append(k.Generics, ir.Generic{Param: "Tile", Value: 16})
	call, err := line(t, "Scale(3, [1 2], &x) -> oracle").Bind(abi.Of(k))
	if err != nil {
		t.Fatal(err)
	}
	g := &GoTest{Package: "goldens"}
	if !g.Add("a", "example.com/a", call) {
		t.Error("an exported kernel is left out")
	}
	call.Layout.Name = "scale"
	if g.Add("a", "example.com/a", call) {
		t.Error("a kernel that is not exported is called")
	}
	text, err := g.File()
	for _, want := range []string{`p0 "example.com/a"`, `"a:7:Scale[int32]"`, "a0 := replay.Scalar[int32](r, 0)", "a2 := replay.View1[int32](r, 2)", "p0.Scale[int32](r.Stream, a0, a1, a2, a3)", "a3 := p0.ScaleTile(16)"} {
		if err != nil || !bytes.Contains(text, []byte(want)) {
			t.Errorf("%v: no %s in\n%s", err, want, text)
		}
	}
}
