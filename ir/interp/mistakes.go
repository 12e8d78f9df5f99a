package interp

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl/diag"
)

// Mistake is the finding as an error of the user, with a code of its own and both places.
func (f Finding) Mistake() diag.Error {
	switch f.Kind {
	case Bounds:
		return &BoundsError{f}
	case ZeroDivisor:
		return &ZeroDivisorError{f}
	case NegativeShift:
		return &NegativeShiftError{f}
	case Race:
		return &RaceError{f}
	case Uninitialised:
		return &UninitialisedError{f}
	case Divergent:
		return &DivergentError{f}
	case Assertion:
		return &AssertionError{f}
	case BrokenProof:
		return &BrokenProofError{f}
	}
	panic(fmt.Sprintf("interp: finding of kind %d", f.Kind))
}

// fill is what all have in common; other is said of the other place.
func (f *Finding) fill(d *diag.Diagnostic, message, other string) {
	d.Pos, d.Message = f.Pos, message
	if f.Other.IsValid() && other != "" {
		d.Label(f.Other, diag.Pos{}, "%s", other)
	}
	times := "once"
	if f.Count > 1 {
		times = fmt.Sprintf("%d times", f.Count)
	}
	d.Note("found %s in `%s`", times, f.Kernel)
}

// BoundsError is an index outside of its extent, as the interpreter meets it. The load gives 0 and the store is dropped
// there; on a device both are undefined, on the CPU target the launch ends with a *gpu.TrapError.
//
// Example (bounds):
//
//	package p
//
//	// gpugen dump -run 'K([1 2 3], [0 0 0])'
//	kernel K(x [n]int32, y mut [n]int32) for i in n {
//		y[i] = x[i+1]
//	}
type BoundsError struct{ Finding }

// Diagnose reports it under the code bounds.
func (e *BoundsError) Diagnose(d *diag.Diagnostic) {
	d.Code = "bounds"
	e.fill(d, fmt.Sprintf("%s: index %d of dim %d of `%s` is outside its extent %d", e.By, e.Index, e.Dim, e.Name, e.Extent), fmt.Sprintf("`%s` is declared here", e.Name))
}

// ZeroDivisorError is a division by zero, as the interpreter meets it. It has a value on every target, the dividend for /
// and 0 for %, but hardly the one that was meant.
//
// Example (zero-divisor):
//
//	package p
//
//	// gpugen dump -run 'K([6 7], [2 0])'
//	kernel K(x [n]int32, y mut [n]int32) for i in n {
//		y[i] = x[i] / y[i]
//	}
type ZeroDivisorError struct{ Finding }

// Diagnose reports it under the code zero-divisor.
func (e *ZeroDivisorError) Diagnose(d *diag.Diagnostic) {
	d.Code = "zero-divisor"
	e.fill(d, fmt.Sprintf("%s divides by zero", e.By), "")
}

// NegativeShiftError is a shift by a negative count, as the interpreter meets it. On every target such a count counts as
// huge; Go would panic.
//
// Example (negative-shift):
//
//	package p
//
//	// gpugen dump -run 'K([1 2], [3 -1])'
//	kernel K(x [n]int32, y mut [n]int32) for i in n {
//		y[i] = x[i] << y[i]
//	}
type NegativeShiftError struct{ Finding }

// Diagnose reports it under the code negative-shift.
func (e *NegativeShiftError) Diagnose(d *diag.Diagnostic) {
	d.Code = "negative-shift"
	e.fill(d, fmt.Sprintf("%s shifts by %d", e.By, e.Index), "")
}

// RaceError is two accesses of one element, one of which writes, by two threads or points that nothing orders: the result
// depends on which comes first. Within a block put a barrier between them; between blocks, and between points, no barrier
// helps: let each write elements of its own.
//
// Example (race):
//
//	package p
//
//	// gpugen dump -run 'Mirror([1 2 3 4])'
//	kernel Mirror(x mut [n]int32) blocks b in n/4 threads t in 4 {
//		shared s [4]int32
//		s[t] = x[b*4+t]
//		barrier()
//		x[b*4+t] = s[3-t]
//		s[t] = 0
//	}
type RaceError struct{ Finding }

// Diagnose reports it under the code race.
func (e *RaceError) Diagnose(d *diag.Diagnostic) {
	d.Code = "race"
	why := "and nothing orders the two"
	if e.By.SameBlock(e.OtherBy) {
		why = "with no barrier between"
	}
	e.fill(d, fmt.Sprintf("race: %s %s `%s%s`, which %s %s, %s", e.By, e.Access, e.Name, e.Element, e.OtherBy, e.OtherAccess, why),
		fmt.Sprintf("%s %s it here", e.OtherBy, e.OtherAccess))
}

// UninitialisedError is a read of shared memory that no thread of the block has written: it is garbage, what another
// block left there. The interpreter gives a value that hides no mistake.
//
// Example (uninitialised):
//
//	package p
//
//	// gpugen dump -run 'K([1 2 3 4])'
//	kernel K(x mut [n]int32) blocks b in n/4 threads t in 4 {
//		shared s [4]int32
//		if t > 0 {
//			s[t] = x[b*4+t]
//		}
//		barrier()
//		x[b*4+t] = s[3-t]
//	}
type UninitialisedError struct{ Finding }

// Diagnose reports it under the code uninitialised.
func (e *UninitialisedError) Diagnose(d *diag.Diagnostic) {
	d.Code = "uninitialised"
	e.fill(d, fmt.Sprintf("%s reads `%s%s` before its block has written it", e.By, e.Name, e.Element), fmt.Sprintf("`%s` is declared here", e.Name))
}

// DivergentError is a barrier, or an operation of the whole block, at which threads of a block wait that others do not reach. Sources that may do this are
// refused as `divergent-barrier` before, so it speaks of a pass that went wrong, or of IR written by hand.
type DivergentError struct{ Finding }

// Diagnose reports it under the code divergent.
func (e *DivergentError) Diagnose(d *diag.Diagnostic) {
	d.Code = "divergent"
	e.fill(d, fmt.Sprintf("%s waits at this `%s`, which %s does not reach", e.By, e.Name, e.OtherBy), fmt.Sprintf("%s waits here", e.OtherBy))
	if !e.Other.IsValid() {
		d.Note("%s has ended", e.OtherBy)
	}
}

// AssertionError is an `assert` that does not hold.
//
// Example (assert):
//
//	package p
//
//	// gpugen dump -run 'K([1 -2 3])'
//	kernel K(x mut [n]int32) for i in n {
//		assert(x[i] > 0, "only what is positive")
//		x[i] *= 2
//	}
type AssertionError struct{ Finding }

// Diagnose reports it under the code assert.
func (e *AssertionError) Diagnose(d *diag.Diagnostic) {
	d.Code = "assert"
	e.fill(d, fmt.Sprintf("%s: assertion failed: %s", e.By, e.Name), "")
}

// BrokenProofError is a value that is not what a pass has proved of it: a fault of gpugen.
type BrokenProofError struct{ Finding }

// Diagnose reports it under the code broken-proof.
func (e *BrokenProofError) Diagnose(d *diag.Diagnostic) {
	d.Code = "broken-proof"
	e.fill(d, fmt.Sprintf("%s: `%s` does not keep what a pass proved", e.By, e.Name), "")
}
