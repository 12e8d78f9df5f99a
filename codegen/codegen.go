// Package codegen holds what the targets' printers share with those who use their text: what a printer gives, and the
// Go names that the wrapper and the CPU target must agree on. codegen/ptx, codegen/msl and codegen/cpu turn a module
// into a [Source]; package gpugen compiles and writes it.
//
// It imports dsl/diag alone, so that the Go wrapper and the toolchain packages may import it without seeing the IR.
package codegen

import "github.com/gpugen/gpugen/dsl/diag"

// Source is the text of one module for one target.
type Source struct {
	Text  string
	Lines []diag.Pos // Lines[i] is where line i+1 of Text comes from; the zero Pos for a line of ours
}
