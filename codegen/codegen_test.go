package codegen

import (
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
)

func TestSourceAt(t *testing.T) {
	p := func(l int) diag.Pos { return diag.Pos{File: "a.gpu", Line: l, Col: 1} }
	s := Source{Text: "// ours\nvoid f() {\n\ta;\n\tb;\n}\n\nvoid g() {\n}\n", Lines: []diag.Pos{{}, p(1), p(2), {}, {}, {}, {}, {}}}
	for line, want := range map[int]int{1: 0, 2: 1, 3: 2, 4: 2, 5: 2, 7: 0, 8: 0, 99: 0, 0: 0, -3: 0} {
		if got := s.At(line); got.Line != want {
			t.Errorf("At(%d) is line %d, want %d", line, got.Line, want)
		}
	}
	for line, want := range map[int]string{1: "// ours", 3: "\ta;", 8: "}", 9: "", 10: "", 0: ""} {
		if got := s.Line(line); got != want {
			t.Errorf("Line(%d) is %q, want %q", line, got, want)
		}
	}
}
