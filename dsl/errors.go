package dsl

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl/diag"
)

// SyntaxError is text that the grammar does not allow.
//
// Example (syntax):
//
//	package p
//	func f(x float32) float32 { return x + }
type SyntaxError struct {
	At, To      diag.Pos
	Want, Found string // in words, with backticks round code
	Note, Fix   string // or empty
	Open        diag.Pos
}

// Diagnose implements diag.Error.
func (e *SyntaxError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End, d.Fix = "syntax", e.At, e.To, e.Fix
	d.Message = fmt.Sprintf("expected %s, found %s", e.Want, e.Found)
	if e.Open.IsValid() {
		d.Label(e.Open, e.Open.Advance(1), "opened here")
	}
	if e.Note != "" {
		d.Note("%s", e.Note)
	}
}

// KeywordAsNameError is one of Go's keywords where a name should stand.
//
// Example (keyword-as-name):
//
//	package p
//	func f(range float32) float32 { return 1 }
type KeywordAsNameError struct {
	At, To  diag.Pos
	Keyword string
}

// Diagnose implements diag.Error.
func (e *KeywordAsNameError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "keyword-as-name", e.At, e.To
	d.Message = fmt.Sprintf("expected a name, found `%s`, which is a keyword of Go", e.Keyword)
	d.Fix = fmt.Sprintf("`%s_`", e.Keyword)
}

// NotInLanguageError is something of Go that the kernel language leaves out.
//
// Example (not-in-language):
//
//	package p
//	func f(x float32) float32 { defer f(x); return x }
type NotInLanguageError struct {
	At, To  diag.Pos
	What    string // after "has no"
	Instead string // or empty
}

// Diagnose implements diag.Error.
func (e *NotInLanguageError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "not-in-language", e.At, e.To
	d.Message = fmt.Sprintf("the kernel language has no %s", e.What)
	if e.Instead != "" {
		d.Note("%s", e.Instead)
	}
}

// NestingError is nesting beyond the limit: of brackets, blocks, `else if` chains or operators.
//
// Example (nesting-too-deep), where `…` repeats the character before it two thousand times:
//
//	package p
//	func f(b bool) bool { return !…b }
type NestingError struct{ At diag.Pos }

// Diagnose implements diag.Error.
func (e *NestingError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos = "nesting-too-deep", e.At
	d.Message = fmt.Sprintf("nested deeper than %d levels", maxNesting)
	d.Note("a chain of operators counts as it is long; name a part of it")
}

// CompositeInHeaderError is a composite literal in the header of `if`, `for` or `switch` without parentheses.
//
// Example (composite-in-header):
//
//	package p
//	type P struct { x int32 }
//	func f(p P) int32 { if p == P{1} { return 1 }; return 0 }
type CompositeInHeaderError struct {
	At, To diag.Pos
	Type   string
}

// Diagnose implements diag.Error.
func (e *CompositeInHeaderError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "composite-in-header", e.At, e.To
	d.Message = fmt.Sprintf("a composite literal in a header needs parentheses: `(%s{…})`", e.Type)
	d.Note("without them the brace opens the block, as in Go")
}

// ComprehensionError is a comprehension beside other arguments.
//
// Example (comprehension-not-alone):
//
//	package p
//	func f(x [n]float32) float32 { return max(1, x[j] for j in n) }
type ComprehensionError struct{ At, To diag.Pos }

// Diagnose implements diag.Error.
func (e *ComprehensionError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "comprehension-not-alone", e.At, e.To
	d.Message = "a comprehension must be the only argument of its call"
	d.Note("`max(1, max(x[j] for j in n))` takes its result as an argument")
}

// ExtentCountError is a `for … in` with more names than extents, or fewer.
//
// Example (extent-count):
//
//	package p
//	func f(x [n]float32) float32 { return sum(x[j] for j, k in n) }
type ExtentCountError struct {
	At, To         diag.Pos
	Names, Extents int
}

// Diagnose implements diag.Error.
func (e *ExtentCountError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "extent-count", e.At, e.To
	d.Message = fmt.Sprintf("expected as many extents as names, found %s and %s", count(e.Names, "name"), count(e.Extents, "extent"))
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// BraceError is a `{` on a line of its own. The line end before it ends the statement, as in Go.
//
// Example (brace-on-own-line):
//
//	package p
//	func f(x float32) float32
//	{ return x }
type BraceError struct{ At diag.Pos }

// Diagnose implements diag.Error.
func (e *BraceError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "brace-on-own-line", e.At, e.At.Advance(1)
	d.Message = "`{` must stand on the line that it ends, not on one of its own"
}

// ElseError is an `else` that is not on the line of the brace before it.
//
// Example (else-on-own-line):
//
//	package p
//	func f(x int32) int32 {
//		if x > 0 { return 1 }
//		else { return 2 }
//	}
type ElseError struct{ At, To diag.Pos }

// Diagnose implements diag.Error.
func (e *ElseError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "else-on-own-line", e.At, e.To
	d.Message = "`else` must stand on the line of the `}` before it"
	d.Fix = "`} else {`"
}

// DirectiveError is a `//gpugen:` line below the package clause, where it has no effect.
//
// Example (directive-below-package):
//
//	package p
//	//gpugen:targets cuda cpu
type DirectiveError struct {
	At   diag.Pos
	Verb string
}

// Diagnose implements diag.Error.
func (e *DirectiveError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "directive-below-package", e.At, e.At.Advance(len("//gpugen:")+len(e.Verb))
	d.Message = fmt.Sprintf("`//gpugen:%s` must stand above `package`: it holds for the folder", e.Verb)
}
