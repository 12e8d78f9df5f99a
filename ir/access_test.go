package ir_test

import (
	"strings"
	"testing"

	"github.com/gpugen/gpugen/ir"
)

// structs is a module whose kernel loads from structs in every way, and which prints as it was read.
const structs = `module p "p.gpu"

struct inner {
	doc "inner is inside."
	field v int32x2
	field m [2, 3]float32
	doc "m is a matrix."
}

struct P {
	field q [4]inner
	field b bool
}

func f "f" {
	exported
	param $0.a_x int32
	param $1.a_y int32
	result int32
	takes a int32x2
	gives int32
	body {
		%0 = get int32 $0.a_x
		return %0
	}
}

kernel K "K" K {
	param x mut [n]P
	param y [n][5]int32
	param z float32x4
	param w inner
	symbol n x 0
	equal y 0 = n
	domain i in 0 : n
	body {
		%0.i = point int 0
		%1 = const int 1
		%2 = load int32 x leaf 0 "q.v.x" [%0, %1]
		%3 = load float32 x leaf 2 "q.m" [%0, %1, %1, %1]
		%4 = load bool x leaf 3 "b" [%0]
		store x leaf 1 "q.v.y" [%0, %1], %2
		%5 = load int32 y [%0, %1]
		%6 = param float32 z leaf 3 "w"
		%7 = load float32 w leaf 2 "m" [%1, %1]
	}
}
`

func TestStructText(t *testing.T) {
	m, err := ir.Parse(structs)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	if got := ir.Print(m); got != structs {
		t.Errorf("printed as\n%s", got)
	}
	if got := ir.Print(m.Clone()); got != structs {
		t.Errorf("the copy is printed as\n%s", got)
	}
}

func TestIndexed(t *testing.T) {
	m, err := ir.Parse(structs)
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		name string
		dim  int
	}
	want := map[int][]place{
		2: {{"x", 0}, {"x.q", 0}}, 3: {{"x", 0}, {"x.q", 0}, {"x.q.m", 0}, {"x.q.m", 1}}, 4: {{"x", 0}},
		5: {{"x", 0}, {"x.q", 0}}, 6: {{"y", 0}, {"y", 1}}, 8: {{"w.m", 0}, {"w.m", 1}},
	}
	for n, in := range m.Kernels[0].Body.Instrs {
		for i, w := range want[n] {
			if name, dim := in.Indexed(i); name != w.name || dim != w.dim {
				t.Errorf("index %d of %s %d is %s, dim %d, want %v", i, in.Op, n, name, dim, w)
			}
		}
	}
}

func TestVerifyLeaves(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(b []*ir.Instr)
	}{
		{"leaf 9 of 4", func(b []*ir.Instr) { b[2].Leaf = 9 }},
		{"leaf -1 of 4", func(b []*ir.Instr) { b[7].Leaf = -1 }},
		{"result is int32, want bool", func(b []*ir.Instr) { b[2].Leaf, b[2].Args = 3, b[2].Args[:1] }},
		{"2 indexes into 1 dims", func(b []*ir.Instr) { b[2].Leaf = 3 }},
		{"3 indexes into 4 dims", func(b []*ir.Instr) { b[3].Args = b[3].Args[:3] }},
		{"leaf \"m\" is an array", func(b []*ir.Instr) { b[8].Op, b[8].Args = ir.OpParamGet, nil }},
		{"z is no view", func(b []*ir.Instr) { b[7].Op = ir.OpLoad }},
		{"operand 1 is int32, want bool", func(b []*ir.Instr) { b[5].Leaf, b[5].Args = 3, append(b[5].Args[:1:1], b[5].Args[2]) }},
		{"leaf of what is no access", func(b []*ir.Instr) { b[1].Leaf = 1 }},
	} {
		m, err := ir.Parse(structs)
		if err != nil {
			t.Fatal(err)
		}
		c.spoil(m.Kernels[0].Body.Instrs)
		if err := ir.Verify(m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}
