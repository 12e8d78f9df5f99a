package check

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
)

// Each mistake is a struct that implements diag.Error. Its doc comment explains it and ends with an example, the
// smallest file that makes it; a test compiles every example and expects the struct's code. The structs are spread over
// the files errors*.go by what they are about; this one has names and declarations.

// span is the place of a mistake.
type span struct{ At, To diag.Pos }

// at is the span of a node.
func at(n dsl.Node) span { return span{n.Pos(), n.End()} }

// opSpan is the span of an operator.
func opSpan(pos diag.Pos, op string) span { return span{pos, pos.Advance(len(op))} }

// fill sets what every diagnostic has.
func (s span) fill(d *diag.Diagnostic, code, format string, args ...any) {
	d.Code, d.Pos, d.End = code, s.At, s.To
	d.Message = fmt.Sprintf(format, args...)
}

// count is n and a noun in the right number.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// NotYetError is a construct that the language keeps free for later.
//
// Example (not-yet):
//
//	package p
//
//	kernel K(a, b [n, n]float32, c mut [n, n]float32) for i, j in n, n by tile { c[i, j] = sum(a[i, k]*b[k, j] for k in n) }
type NotYetError struct {
	span
	What string // a plural: "structs"
}

// Diagnose implements diag.Error.
func (e *NotYetError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "not-yet", "%s are reserved for a later version of gpugen", e.What)
}

// RedeclaredError is a second declaration of a name in one scope.
//
// Example (redeclared):
//
//	package p
//
//	const n = 1
//	const n = 2
type RedeclaredError struct {
	span
	Name  string
	First span
	Bound bool // the first is an extent, which a parameter's type binds
}

// Diagnose implements diag.Error.
func (e *RedeclaredError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "redeclared", "`%s` is declared twice", e.Name)
	if !e.First.At.IsValid() {
		return
	}
	if e.Bound {
		d.Label(e.First.At, e.First.To, "`%s` was bound here", e.Name)
		return
	}
	d.Label(e.First.At, e.First.To, "`%s` was declared here", e.Name)
}

// PackageNameError is a file whose package clause differs from that of another file of the folder. Its example needs two
// files, so a test of its own makes it.
type PackageNameError struct {
	span
	Name, Want string
	First      span
}

// Diagnose implements diag.Error.
func (e *PackageNameError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "package-name", "package is `%s` here and `%s` in another file of the folder", e.Name, e.Want)
	d.Label(e.First.At, e.First.To, "package `%s`", e.Want)
}

// UnknownNameError is a name that nothing declares.
//
// Example (unknown-name):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { x[i] = scale }
type UnknownNameError struct {
	span
	Name, Near string
	Hint       string // what stands for it here, or empty
	New        bool   // the target of an assignment
}

// Diagnose implements diag.Error.
func (e *UnknownNameError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "unknown-name", "`%s` is not declared", e.Name)
	switch {
	case e.Hint != "":
		d.Fix = e.Hint
	case e.Near != "":
		d.Fix = "did you mean `" + e.Near + "`?"
	case e.New:
		d.Fix = "`" + e.Name + " := …` declares it"
	}
}

// GoNameError is a name that becomes a Go name and that Go cannot declare, or that would break the Go package.
//
// Example (go-name):
//
//	package p
//
//	kernel init(x mut [n]float32) for i in n { x[i] = 0 }
type GoNameError struct {
	span
	Name, Why string
}

// Diagnose implements diag.Error.
func (e *GoNameError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "go-name", "`%s` cannot be declared in the Go package: %s", e.Name, e.Why)
}

// GoTakenError is a name that becomes a Go name and that a Go file of the package declares already. Its example needs a
// Go file, so a test of its own makes it.
type GoTakenError struct {
	span
	Name  string
	First diag.Pos
}

// Diagnose implements diag.Error.
func (e *GoTakenError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "go-name-taken", "`%s` is declared by the Go package already", e.Name)
	d.Label(e.First, e.First.Advance(len(e.Name)), "`%s` was declared here", e.Name)
}

// RecursionError is a function that calls itself, straight or through others. Calls are inlined, and devices have no
// stack to speak of.
//
// Example (recursion):
//
//	package p
//
//	func fact(n int32) int32 {
//		if n < 2 {
//			return 1
//		}
//		return n * fact(n-1)
//	}
type RecursionError struct {
	span
	Cycle []string // the names of the functions, the first again at the end
	Calls []span   // further calls of the cycle
}

// Diagnose implements diag.Error.
func (e *RecursionError) Diagnose(d *diag.Diagnostic) {
	path := ""
	for i, n := range e.Cycle {
		if i > 0 {
			path += " → "
		}
		path += n
	}
	e.fill(d, "recursion", "functions cannot be recursive: `%s`", path)
	for i, s := range e.Calls {
		d.Label(s.At, s.To, "`%s` calls `%s` here", e.Cycle[i+1], e.Cycle[i+2])
	}
}

// ConstCycleError is a constant whose value needs the constant itself.
//
// Example (const-cycle):
//
//	package p
//
//	const a = b + 1
//	const b = a - 1
type ConstCycleError struct {
	span
	Name string
}

// Diagnose implements diag.Error.
func (e *ConstCycleError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "const-cycle", "the value of constant `%s` depends on itself", e.Name)
}

// ConstValueError is a constant declared without a value.
//
// Example (const-value):
//
//	package p
//
//	const a
type ConstValueError struct {
	span
	Name string
}

// Diagnose implements diag.Error.
func (e *ConstValueError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "const-value", "constant `%s` has no value", e.Name)
}

// NotConstantError is an expression that is not constant where a constant is needed.
//
// Example (not-constant):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//		const c = x[i]
//		x[i] = c
//	}
type NotConstantError struct {
	span
	Text, Where string
}

// Diagnose implements diag.Error.
func (e *NotConstantError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "not-constant", "%s must be constant, and `%s` is not", e.Where, e.Text)
}

// NotATypeError is a name or expression that stands where a type is expected.
//
// Example (not-a-type):
//
//	package p
//
//	const c = 1
//
//	func f(x c) float32 { return 0 }
type NotATypeError struct {
	span
	Text string
	Any  bool // Go's constraint
}

// Diagnose implements diag.Error.
func (e *NotATypeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "not-a-type", "`%s` is not a type", e.Text)
	if e.Any {
		d.Note("a generic parameter lists its types: `[T float32|float64]`")
	}
}

// NotAValueError is a type, function, kernel or builtin that stands where a value is expected.
//
// Example (not-a-value):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { x[i] = float32 }
type NotAValueError struct {
	span
	Text, What string
	Hint       string // or empty
}

// Diagnose implements diag.Error.
func (e *NotAValueError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "not-a-value", "`%s` is %s, not a value", e.Text, e.What)
	d.Fix = e.Hint
}

// NotCallableError is a call of something that cannot be called.
//
// Example (not-callable):
//
//	package p
//
//	kernel K(a float32, x mut [n]float32) for i in n { x[i] = a(1) }
type NotCallableError struct {
	span
	Text, What string
	Kernel     bool
}

// Diagnose implements diag.Error.
func (e *NotCallableError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "not-callable", "cannot call `%s`: it is %s", e.Text, e.What)
	if e.Kernel {
		d.Note("kernels are launched from Go; code that kernels share goes into a `func`")
	}
}

// UnusedVariableError is a local variable that nothing reads, an error as in Go.
//
// Example (unused-variable):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//		t := x[i]
//		x[i] = 0
//	}
type UnusedVariableError struct {
	span
	Name   string
	Counts string // of the index of a `for … range`: what it counts to
}

// Diagnose implements diag.Error.
func (e *UnusedVariableError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "unused-variable", "`%s` is declared and not used", e.Name)
	if e.Counts != "" {
		d.Fix = "write `for range " + e.Counts + "`"
	}
}
