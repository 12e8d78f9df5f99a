package check

import (
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// StructError is a struct that no value can have, or that is too large.
//
// Example (struct):
//
//	package p
//
//	type Empty struct{}
type StructError struct {
	span
	Why string
}

// Diagnose implements diag.Error.
func (e *StructError) Diagnose(d *diag.Diagnostic) { e.fill(d, "struct", "%s", e.Why) }

// RecursiveTypeError is a struct that holds itself, through its fields or through those of others.
//
// Example (recursive-type):
//
//	package p
//
//	type Node struct {
//		value float32
//		next  [2]Node
//	}
type RecursiveTypeError struct {
	span
	Cycle []string // the struct first and last
}

// Diagnose implements diag.Error.
func (e *RecursiveTypeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "recursive-type", "`%s` holds itself, so that no memory is large enough for it", e.Cycle[0])
	if len(e.Cycle) > 2 {
		d.Note("through `%s`", strings.Join(e.Cycle, "` → `"))
	}
}

// FieldTypeError is a field whose type has no form in memory.
//
// Example (field-type):
//
//	package p
//
//	type Range struct{ lo, hi int }
type FieldTypeError struct {
	span
	Type types.Type
}

// Diagnose implements diag.Error.
func (e *FieldTypeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "field-type", "a field cannot be of type %s: `int` has no form in memory", e.Type)
	d.Fix = "write `int32` or `int64`"
}

// ComponentCountError is a vector made of too few or too many components.
//
// Example (component-count):
//
//	package p
//
//	kernel K(x mut [n]float32x3) for i in n { x[i] = float32x3(1, 2) }
type ComponentCountError struct {
	span
	Type *types.Vector
	Have int
}

// Diagnose implements diag.Error.
func (e *ComponentCountError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "component-count", "`%s` takes %d components or one that stands for all, and not %d", e.Type, e.Type.N, e.Have)
}
