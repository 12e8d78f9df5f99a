package check

import "github.com/gpugen/gpugen/dsl/diag"

// ReferenceError is an argument that a function cannot take by reference. What is `mut` or has extents without a value is
// taken so: a view, a shared array, an array variable, or a constant array.
//
// Example (reference):
//
//	package p
//
//	func first(x [n]float32) float32 { return x[0] }
//
//	kernel K(a float32, x mut [n]float32) for i in n { x[i] = first(a) }
type ReferenceError struct {
	span
	Text, Func, Param, Why string
}

// Diagnose implements diag.Error.
func (e *ReferenceError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "reference", "`%s` takes `%s` by reference, and `%s` cannot be: %s", e.Func, e.Param, e.Text, e.Why)
	d.Note("a view, a shared array, an array variable and a constant array can stand here, by their names")
}

// ExtentArgumentError is an argument by reference whose extent is not what the function says, or of which the caller's
// header does not say so: nothing tests it when the kernel runs.
//
// Example (extent-argument):
//
//	package p
//
//	func dot(x, y [n]float32) float32 { return sum(x[j]*y[j] for j in n) }
//
//	kernel K(a [n]float32, b [m]float32, c mut [k]float32) for i in k { c[i] = dot(a, b) }
type ExtentArgumentError struct {
	span
	Text, Have, Want, Func, Param, Says string
	Dim                                 int
	Decl                                span
}

// Diagnose implements diag.Error.
func (e *ExtentArgumentError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "extent-argument", "`%s` needs a `%s` of extent %s in dim %d, and `%s` has %s there", e.Func, e.Param, e.Want, e.Dim, e.Text, e.Have)
	d.Label(e.Decl.At, e.Decl.To, "`%s` says %s", e.Func, e.Says)
	d.Fix = "give the parameters of the caller extents that are equal by their expressions"
}
