package check

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// TextError is an `assert` or a `print` whose text is not written where it stands. The device knows the number of the
// statement alone; the host has its text.
//
// Example (constant-text):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { assert(x[i] > 0, x[i]) }
type TextError struct {
	span
	Name string
}

// Diagnose implements diag.Error.
func (e *TextError) Diagnose(d *diag.Diagnostic) {
	use := "assert(cond, \"text\")"
	if e.Name == "print" {
		use = "print(\"format\", …)"
	}
	e.fill(d, "constant-text", "the text of `%s` is written in quotes: `%s`", e.Name, use)
}

// FormatError is a format of `print` that package fmt would not understand, or that asks for other values than there are.
//
// Example (print-format):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { print("%d: %g", i) }
type FormatError struct {
	span
	Why string
}

// Diagnose implements diag.Error.
func (e *FormatError) Diagnose(d *diag.Diagnostic) { e.fill(d, "print-format", "%s", e.Why) }

// VerbError is a verb of a format that does not take the value it stands for.
//
// Example (print-verb):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { print("%d", x[i]) }
type VerbError struct {
	span
	Verb, Text string
	Type       types.Type
	Want       string
	In         span // the verb
}

// Diagnose implements diag.Error.
func (e *VerbError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "print-verb", "`%s` takes %s, and `%s` is %s", e.Verb, e.Want, e.Text, e.Type)
	d.Label(e.In.At, e.In.To, "the verb")
}

// PrintValueError is a value that `print` does not take: it takes scalars, at most 8 of them.
//
// Example (print-value):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//		a := [2]float32{x[i], 1}
//		print("%v", a)
//	}
type PrintValueError struct {
	span
	Text  string
	Type  types.Type
	Count int // the number of values, if that is what is wrong
}

// Diagnose implements diag.Error.
func (e *PrintValueError) Diagnose(d *diag.Diagnostic) {
	if e.Count > 0 {
		e.fill(d, "print-value", "`print` takes at most %d values, and %d stand here", maxPrinted, e.Count)
		return
	}
	e.fill(d, "print-value", "`print` takes scalars, and `%s` is %s", e.Text, e.Type)
	d.Note("%s", fmt.Sprintf("print its elements, at most %d of them", maxPrinted))
}
