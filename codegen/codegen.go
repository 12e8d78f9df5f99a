// Package codegen holds what the targets' printers share with those who use their text: what a printer gives, and the
// device symbol of a kernel. codegen/ptx, codegen/msl and codegen/cpu turn a module into a [Source]; package gpugen
// compiles and writes it.
//
// It imports dsl/diag alone, so that the Go wrapper and the toolchain packages may import it without seeing the IR.
package codegen

import (
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
)

// Source is the text of one module for one target.
type Source struct {
	Text  string
	Lines []diag.Pos // Lines[i] is where line i+1 of Text comes from; the zero Pos for a line of ours
}

// At is the source position of a line of Text, counted from 1 as compilers do. A line of ours takes the position of the
// nearest line above that has one in the same function, so that an error in a closing brace still points somewhere.
func (s Source) At(line int) diag.Pos {
	for i := min(line, len(s.Lines)) - 1; i >= 0; i-- {
		if s.Lines[i].IsValid() {
			return s.Lines[i]
		}
		if s.line(i) == "}" && i != line-1 {
			break
		}
	}
	return diag.Pos{}
}

// Line is the text of a line, counted from 1, or "" when there is none.
func (s Source) Line(line int) string { return s.line(line - 1) }

func (s Source) line(i int) string {
	rest := s.Text
	for ; i > 0; i-- {
		_, after, ok := strings.Cut(rest, "\n")
		if !ok {
			return ""
		}
		rest = after
	}
	if i < 0 {
		return ""
	}
	text, _, _ := strings.Cut(rest, "\n")
	return text
}
