package check

import (
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// MissingDomainError is a kernel that does not say over which points it runs.
//
// Example (missing-domain):
//
//	package p
//
//	kernel K(x mut [n]float32) { x[0] = 1 }
type MissingDomainError struct {
	span
	Name string
}

// Diagnose implements diag.Error.
func (e *MissingDomainError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "missing-domain", "kernel `%s` has no domain", e.Name)
	d.Fix = "write `for i in n` before its body"
}

// DomainError is a domain of more than 3 dims, or one whose index has no name.
//
// Example (domain):
//
//	package p
//
//	kernel K(x mut [n]float32) for a, b, c, d in n, n, n, n { x[a] = 0 }
type DomainError struct {
	span
	Why string
}

// Diagnose implements diag.Error.
func (e *DomainError) Diagnose(d *diag.Diagnostic) { e.fill(d, "domain", "%s", e.Why) }

// UnboundExtentError is an extent name that appears in expressions alone, so that nothing gives it a value.
//
// Example (unbound-extent):
//
//	package p
//
//	kernel K(x mut [n+1]float32) for i in 4 { x[i] = 0 }
type UnboundExtentError struct {
	span
	Name string
}

// Diagnose implements diag.Error.
func (e *UnboundExtentError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "unbound-extent", "nothing gives the extent `%s` a value", e.Name)
	d.Note("a name gets its value where it stands alone as an extent, as in `x [%s]float32`, or as an `int` parameter", e.Name)
}

// HeaderError is an expression that a kernel's header cannot have. Headers know int arithmetic, `ceildiv min max len`, and
// in `requires` comparisons and `&& || !`.
//
// Example (header):
//
//	package p
//
//	kernel K(a float32, x mut [n]float32) for i in a { x[i] = 0 }
type HeaderError struct {
	span
	Text, Why string
	Label     span
	LabelText string
}

// Diagnose implements diag.Error.
func (e *HeaderError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "header", "`%s` cannot stand in a kernel's header: %s", e.Text, e.Why)
	if e.Label.At.IsValid() {
		d.Label(e.Label.At, e.Label.To, "%s", e.LabelText)
	}
}

// NegativeSizeError is an extent that is a negative constant.
//
// Example (negative-size):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in -4 { x[i] = 0 }
type NegativeSizeError struct {
	span
	Value int64
}

// Diagnose implements diag.Error.
func (e *NegativeSizeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "negative-size", "the extent is negative: %d", e.Value)
}

// ArraySizeError is an array whose size is not a positive constant, or beyond what a thread can hold.
//
// Example (array-size):
//
//	package p
//
//	func f() float32 {
//		var t [0]float32
//		return float32(len(t))
//	}
type ArraySizeError struct {
	span
	Why string
}

// Diagnose implements diag.Error.
func (e *ArraySizeError) Diagnose(d *diag.Diagnostic) { e.fill(d, "array-size", "%s", e.Why) }

// ParamTypeError is a parameter of a type that it cannot have.
//
// Example (parameter-type):
//
//	package p
//
//	kernel K(x mut [n]int) for i in n { x[i] = 0 }
type ParamTypeError struct {
	span
	Why, Hint string
}

// Diagnose implements diag.Error.
func (e *ParamTypeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "parameter-type", "%s", e.Why)
	d.Fix = e.Hint
}

// GenericListError is a list of instances that cannot be: a type twice, a type that is not basic, too many instances.
//
// Example (generic-list):
//
//	package p
//
//	func f[T float32|float32](x T) T { return x }
type GenericListError struct {
	span
	Why string
}

// Diagnose implements diag.Error.
func (e *GenericListError) Diagnose(d *diag.Diagnostic) { e.fill(d, "generic-list", "%s", e.Why) }

// UnknownAttributeError is an attribute that does not exist.
//
// Example (unknown-attribute):
//
//	package p
//
//	@fast
//	kernel K(x mut [n]float32) for i in n { x[i] = 0 }
type UnknownAttributeError struct {
	span
	Name, Near string
	All        []string // that there are
}

// Diagnose implements diag.Error.
func (e *UnknownAttributeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "unknown-attribute", "there is no attribute `@%s`", e.Name)
	if e.Near != "" {
		d.Fix = "did you mean `@" + e.Near + "`?"
		return
	}
	d.Note("there are `@%s`", strings.Join(e.All, "`, `@"))
}

// AttributeError is an attribute at a place or with arguments that it cannot have.
//
// Example (attribute):
//
//	package p
//
//	@block(0)
//	kernel K(x mut [n]float32) for i in n { x[i] = 0 }
type AttributeError struct {
	span
	Name, Why string
}

// Diagnose implements diag.Error.
func (e *AttributeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "attribute", "`@%s` %s", e.Name, e.Why)
}

// DirectiveError is a `//gpugen:` line that does not exist or has arguments that it cannot have.
//
// Example (directive):
//
//	//gpugen:target cuda
//
//	package p
type DirectiveError struct {
	span
	Why, Near string
}

// Diagnose implements diag.Error.
func (e *DirectiveError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "directive", "%s", e.Why)
	if e.Near != "" {
		d.Fix = "did you mean `" + e.Near + "`?"
	}
}

// DirectiveConflictError is a directive that says something else than the same directive elsewhere in the folder.
//
// Example (directive-conflict):
//
//	//gpugen:targets cuda
//	//gpugen:targets cpu
//
//	package p
type DirectiveConflictError struct {
	span
	Verb  string
	First span
}

// Diagnose implements diag.Error.
func (e *DirectiveConflictError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "directive-conflict", "`//gpugen:%s` holds for the folder and says something else here", e.Verb)
	d.Label(e.First.At, e.First.To, "than here")
}

// TargetTypeError is a kernel none of whose instances a target can have, because it has no such type.
//
// Example (target-type):
//
//	package p
//
//	kernel K(x mut [n]float64) for i in n { x[i] = 0 }
type TargetTypeError struct {
	span
	Kernel string
	Type   types.Type
	Target types.Target
	Others types.TargetSet
	Via    span
}

// Diagnose implements diag.Error.
func (e *TargetTypeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "target-type", "%s has no %s, which kernel `%s` uses", e.Target, e.Type, e.Kernel)
	if e.Via.At.IsValid() {
		d.Label(e.Via.At, e.Via.To, "the function uses %s here", e.Type)
	}
	if e.Others != 0 {
		d.Fix = "write `@targets(" + e.Others.String() + ")` above the kernel"
	}
}

// TargetLimitError is a kernel that is beyond a limit of a target.
//
// Example (target-limit):
//
//	package p
//
//	@block(2048)
//	kernel K(x mut [n]float32) for i in n { x[i] = 0 }
type TargetLimitError struct {
	span
	What       string // "`h` ends at byte 4400 of the parameters"
	Target     types.Target
	Limit      int
	LimitsWhat string
}

// Diagnose implements diag.Error.
func (e *TargetLimitError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "target-limit", "%s; %s allows %d %s", e.What, e.Target, e.Limit, e.LimitsWhat)
}

// TooLargeError is a declaration beyond what the compiler takes: a kernel whose functions, all inlined, would make too large
// a body, or constants and functions that need each other too deep. Its example is long, so a test of its own makes it.
type TooLargeError struct {
	span
	Name, Why string
}

// Diagnose implements diag.Error.
func (e *TooLargeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "too-large", "`%s` %s", e.Name, e.Why)
}
