package check

import (
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// NoNewVariableError is a `:=` that declares nothing.
//
// Example (no-new-variable):
//
//	package p
//
//	func f(x float32) float32 {
//		x := x + 1
//		return x
//	}
type NoNewVariableError struct {
	span
	Names []string
	First span
}

// Diagnose implements diag.Error.
func (e *NoNewVariableError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "no-new-variable", "no new variable on the left of `:=`")
	if len(e.Names) > 0 {
		d.Label(e.First.At, e.First.To, "`%s` was declared here", e.Names[0])
	}
	d.Fix = "write `=`"
}

// NotAssignableError is an assignment to something that cannot change.
//
// Example (not-assignable):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//		n = 3
//		x[i] = 0
//	}
type NotAssignableError struct {
	span
	Text, What string
	First      span
}

// Diagnose implements diag.Error.
func (e *NotAssignableError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "not-assignable", "cannot assign to `%s`: it is %s", e.Text, e.What)
	if e.First.At.IsValid() {
		d.Label(e.First.At, e.First.To, "`%s` was declared here", e.Text)
	}
}

// NotMutError is a store through a view that is not `mut`.
//
// Example (not-mut):
//
//	package p
//
//	kernel K(x [n]float32) for i in n { x[i] = 0 }
type NotMutError struct {
	span
	Name string
	Decl span
}

// Diagnose implements diag.Error.
func (e *NotMutError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "not-mut", "cannot store through `%s`: it is not `mut`", e.Name)
	d.Label(e.Decl.At, e.Decl.To, "`%s` is declared here", e.Name)
	d.Fix = "declare it as `" + e.Name + " mut […]…`"
}

// ValueCountError is a definition, assignment or return whose two sides differ in number.
//
// Example (value-count):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//		a, b := 1, 2, 3
//		x[i] = 0
//	}
type ValueCountError struct {
	span
	What       string // "variables", "results"
	Want, Have int
	Note       string // or empty
}

// Diagnose implements diag.Error.
func (e *ValueCountError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "value-count", "%s but %s", count(e.Want, e.What), count(e.Have, "value"))
	if e.Note != "" {
		d.Note("%s", e.Note)
	}
}

// MissingReturnError is a function with results whose end can be reached by Go's rules, which look at its last statement.
//
// Example (missing-return):
//
//	package p
//
//	func f(x float32) float32 {
//		if x > 0 {
//			return x
//		}
//	}
type MissingReturnError struct {
	span
	Func   string
	Behind span // a statement that nothing behind is reached from, if there is one
}

// Diagnose implements diag.Error.
func (e *MissingReturnError) Diagnose(d *diag.Diagnostic) {
	if e.Behind.At.IsValid() {
		e.fill(d, "missing-return", "`%s` does not end with its `return`", e.Func)
		d.Label(e.Behind.At, e.Behind.To, "nothing behind this is reached")
		return
	}
	e.fill(d, "missing-return", "`%s` can reach its end without a `return`", e.Func)
}

// MisplacedError is a statement that has no meaning where it stands, as `break` outside a loop.
//
// Example (misplaced):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { break }
type MisplacedError struct {
	span
	Word, Where string
	Fix         string // or empty
}

// Diagnose implements diag.Error.
func (e *MisplacedError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "misplaced", "`%s` %s", e.Word, e.Where)
	d.Fix = e.Fix
}

// UnorderedLoopError is a `break`, a `return` or an assignment to an outer variable inside `for … in`, whose iterations
// are unordered.
//
// Example (unordered-loop):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//		s := float32(0)
//		for j in n { s += x[j] }
//		x[i] = s
//	}
type UnorderedLoopError struct {
	span
	What string
	Loop span
}

// Diagnose implements diag.Error.
func (e *UnorderedLoopError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "unordered-loop", "the iterations of `for … in` have no order, so %s cannot stand in it", e.What)
	d.Label(e.Loop.At, e.Loop.To, "the loop starts here")
	d.Fix = "write `for … := range …`"
}

// UnusedValueError is an expression that stands as a statement and does nothing.
//
// Example (unused-value):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { x[i] }
type UnusedValueError struct {
	span
	Text string
	Fix  string // or empty
}

// Diagnose implements diag.Error.
func (e *UnusedValueError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "unused-value", "the value of `%s` is not used", e.Text)
	d.Fix = e.Fix
}

// ConditionError is a condition that is not a bool.
//
// Example (condition):
//
//	package p
//
//	kernel K(x mut [n]int32) for i in n {
//		if x[i] { x[i] = 0 }
//	}
type ConditionError struct {
	span
	Text string
	Type types.Type
}

// Diagnose implements diag.Error.
func (e *ConditionError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "condition", "a condition must be bool, and `%s` is %s", e.Text, e.Type)
	if types.KindOf(e.Type).IsNumeric() {
		d.Fix = "write `" + e.Text + " != 0`"
	}
}

// RangeError is a `range` over something that is not an integer.
//
// Example (range):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//		for j := range x { x[j] = 0 }
//	}
type RangeError struct {
	span
	Text  string
	Array bool
}

// Diagnose implements diag.Error.
func (e *RangeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "range", "`range` takes an integer, and `%s` is none", e.Text)
	if e.Array {
		d.Fix = "write `range len(" + e.Text + ")`"
	}
}
