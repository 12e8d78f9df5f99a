package check

import (
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// AtomicPlaceError is an atomic operation on something else than memory that threads have in common. Such an operation takes
// the place with `&`, which stands nowhere else in the language: an element of a `mut` view, an element of a `shared` array,
// or a `shared` variable.
//
// Example (atomic-place):
//
//	package p
//
//	kernel K(x [n]int32, count mut [1]int32) for i in n {
//		if x[i] > 0 { atomic.Add(count[0], 1) }
//	}
type AtomicPlaceError struct {
	span
	Name, Text string
	Fix        string
}

// Diagnose implements diag.Error.
func (e *AtomicPlaceError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "atomic-place", "`%s` takes the place of an element of a `mut` view, or of a `shared` variable, and not `%s`", e.Name, e.Text)
	if e.Fix != "" {
		d.Fix = "write `" + e.Fix + "`"
	}
}

// AtomicTypeError is an atomic operation on elements of a type that it does not take: all of them take integers of 32 and 64
// bits; `Add Min Max Exchange Load Store` take `float32`.
//
// Example (atomic-type):
//
//	package p
//
//	kernel K(x [n]int16, total mut [1]int16) for i in n { atomic.Add(&total[0], x[i]) }
type AtomicTypeError struct {
	span
	Name  string
	Have  types.Type
	Float bool // other operations take it
}

// Diagnose implements diag.Error.
func (e *AtomicTypeError) Diagnose(d *diag.Diagnostic) {
	if e.Float {
		e.fill(d, "atomic-type", "`%s` takes integers of 32 or 64 bits, and this is %s", e.Name, e.Have)
		return
	}
	e.fill(d, "atomic-type", "atomic operations take integers of 32 or 64 bits and float32, and this is %s", e.Have)
}

// TargetAtomicError is a kernel none of whose instances a target can have, because it has no atomic operations of that
// width. Metal has them on 32 bits alone.
//
// Example (target-atomic):
//
//	package p
//
//	kernel K(x [n]int64, total mut [1]int64) for i in n { atomic.Add(&total[0], x[i]) }
type TargetAtomicError struct {
	span
	Kernel string
	Type   types.Kind
	Target types.Target
	Others types.TargetSet
	Via    span
}

// Diagnose implements diag.Error.
func (e *TargetAtomicError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "target-atomic", "%s has no atomic operations on %s, which kernel `%s` uses", e.Target, e.Type, e.Kernel)
	if e.Via.At.IsValid() {
		d.Label(e.Via.At, e.Via.To, "the function uses them here")
	}
	if e.Others != 0 {
		d.Fix = "write `@targets(" + e.Others.String() + ")` above the kernel"
	}
}
