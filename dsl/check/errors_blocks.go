package check

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// ThreadsError is a `threads` clause that gives a block no threads, more than 1,024 in all, or a range of them.
//
// Example (threads):
//
//	package p
//
//	kernel K(x mut [n]float32) blocks b in n threads ty, tx in 64, 32 { x[b] = 0 }
type ThreadsError struct {
	span
	Why string
}

// Diagnose implements diag.Error.
func (e *ThreadsError) Diagnose(d *diag.Diagnostic) { e.fill(d, "threads", "%s", e.Why) }

// BarrierError is a `barrier`, or a `block.Sum` and its like, where threads have no block to meet in: in a kernel of a `for` domain, or in a function that
// the generated Go declares as well.
//
// Example (barrier):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//		x[i] = 0
//		barrier()
//	}
type BarrierError struct {
	span
	What string // `barrier`, `block.Sum`
	Func string // that has it, or empty
	Via  span   // where it stands there
	Go   bool   // the function is exported

	ByBlock bool // the kernel is one of `by block`
}

// Diagnose implements diag.Error.
func (e *BarrierError) Diagnose(d *diag.Diagnostic) {
	switch {
	case e.Go:
		e.fill(d, "barrier", "`%s` is exported to Go and has a `%s`, which Go has not", e.Func, e.What)
		d.Fix = "start its name with a small letter"
	case e.Func != "":
		e.fill(d, "barrier", "`%s` has a `%s`, which has a meaning in kernels of `blocks … threads …` alone", e.Func, e.What)
	default:
		e.fill(d, "barrier", "`%s` has a meaning in kernels of `blocks … threads …` alone", e.What)
	}
	if e.Via.At.IsValid() {
		d.Label(e.Via.At, e.Via.To, "the `%s`", e.What)
	}
	if e.ByBlock {
		d.Note("a `by block` kernel reads as the program of one thread, in which the compiler places barriers")
	}
}

// SubgroupError is an operation of subgroups in a kernel whose blocks are not whole subgroups of 32 threads.
//
// Example (subgroup):
//
//	package p
//
//	kernel K(x mut [n]float32) blocks b in ceildiv(n, 48) threads t in 48 {
//		x[b] = subgroup.Sum(x[b*48+t])
//	}
type SubgroupError struct {
	span
	What    string
	Threads int64
	Func    string // that has it, or empty
	Via     span   // where it stands there
}

// Diagnose implements diag.Error.
func (e *SubgroupError) Diagnose(d *diag.Diagnostic) {
	if e.Func != "" {
		e.fill(d, "subgroup", "`%s` has a `%s`, which needs blocks of whole subgroups of 32 threads, and a block has %d here", e.Func, e.What, e.Threads)
		d.Label(e.Via.At, e.Via.To, "the `%s`", e.What)
		return
	}
	e.fill(d, "subgroup", "`%s` needs blocks of whole subgroups of 32 threads, and a block has %d here", e.What, e.Threads)
}

// SharedTypeError is shared memory of type `int`, which has no form in memory.
//
// Example (shared-type):
//
//	package p
//
//	kernel K(x mut [n]float32) blocks b in n threads t in 32 {
//		shared s [32]int
//		s[t] = t
//		x[b] = float32(s[0])
//	}
type SharedTypeError struct{ span }

// Diagnose implements diag.Error.
func (e *SharedTypeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "shared-type", "`int` has no form in memory, shared memory included")
	d.Fix = "write `int32` or `int64`"
}

// SharedLimitError is shared memory beyond what a block has on a target.
//
// Example (shared-limit):
//
//	package p
//
//	kernel K(x mut [n]float32) blocks b in n threads t in 32 {
//		shared s [13000]float32
//		s[t] = 1
//		x[b] = s[t]
//	}
type SharedLimitError struct {
	span
	Name    string // empty for a comprehension
	Bytes   int64
	Whole   bool // the variable is too large alone
	Targets []types.Target
	Others  types.TargetSet // that have room
}

// Diagnose implements diag.Error.
func (e *SharedLimitError) Diagnose(d *diag.Diagnostic) {
	limits := ""
	for i, t := range e.Targets {
		if i > 0 {
			limits += ", "
		}
		limits += fmt.Sprintf("%s has %d", t, types.LimitsOf(t).Shared)
	}
	if e.Name == "" {
		e.fill(d, "shared-limit", "what the threads of a block share for this brings their shared memory to %d bytes: %s", e.Bytes, limits)
	} else if e.Whole {
		e.fill(d, "shared-limit", "`%s` takes %d bytes of shared memory: %s", e.Name, e.Bytes, limits)
	} else {
		e.fill(d, "shared-limit", "`%s` brings the shared memory of a block to %d bytes: %s", e.Name, e.Bytes, limits)
	}
	if e.Others != 0 {
		d.Fix = "make it smaller, or write `@targets(" + e.Others.String() + ")` above the kernel"
	}
}

// ComprehensionError is a comprehension in a call of something that combines no values, or a call without one of something
// that does nothing else.
//
// Example (comprehension):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { x[i] = sqrt(x[j] for j in n) }
type ComprehensionError struct {
	span
	Name  string
	Takes bool
}

// Diagnose implements diag.Error.
func (e *ComprehensionError) Diagnose(d *diag.Diagnostic) {
	if e.Takes {
		e.fill(d, "comprehension", "`%s` takes a comprehension, as in `%s(x[j] for j in n)`", e.Name, e.Name)
		return
	}
	e.fill(d, "comprehension", "`%s` takes no comprehension: only `sum prod min max any all argmin argmax` do", e.Name)
}

// UnknownLabelError is a branch to a label that nothing has.
//
// Example (unknown-label):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//		for {
//			x[i] = 0
//			break outer
//		}
//	}
type UnknownLabelError struct {
	span
	Name, Near string
}

// Diagnose implements diag.Error.
func (e *UnknownLabelError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "unknown-label", "there is no label `%s`", e.Name)
	if e.Near != "" {
		d.Fix = "did you mean `" + e.Near + "`?"
	}
}

// LabelError is a branch to a label of a statement that the branch is not in, or a `continue` to one of no loop.
//
// Example (label):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//	first:
//		for x[i] < 1 {
//			break first
//		}
//		for {
//			x[i] = 0
//			break first
//		}
//	}
type LabelError struct {
	span
	Word, Name string
	Decl       span
}

// Diagnose implements diag.Error.
func (e *LabelError) Diagnose(d *diag.Diagnostic) {
	what := "loop"
	if e.Word == "break" {
		what = "loop, `switch` or block"
	}
	e.fill(d, "label", "`%s` is not the label of a %s round this `%s`", e.Name, what, e.Word)
	d.Label(e.Decl.At, e.Decl.To, "`%s` is declared here", e.Name)
}

// UnusedLabelError is a label that no branch names, an error as in Go.
//
// Example (unused-label):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//	outer:
//		for range 3 {
//			x[i]++
//		}
//	}
type UnusedLabelError struct {
	span
	Name string
}

// Diagnose implements diag.Error.
func (e *UnusedLabelError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "unused-label", "label `%s` is declared and not used", e.Name)
}

// SwitchTypeError is a `switch` over something else than an integer or a bool.
//
// Example (switch-type):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n {
//		switch x[i] {
//		case 1:
//			x[i] = 0
//		}
//	}
type SwitchTypeError struct {
	span
	Text string
	Type types.Type
}

// Diagnose implements diag.Error.
func (e *SwitchTypeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "switch-type", "a `switch` takes an integer or a bool, and `%s` is %s", e.Text, e.Type)
	if k := types.KindOf(e.Type); k.IsFloat() {
		d.Fix = "write `switch {` with conditions, as in `case " + e.Text + " == 1:`"
	}
}

// DuplicateCaseError is a constant, or `default`, that stands twice in a `switch`.
//
// Example (duplicate-case):
//
//	package p
//
//	kernel K(x mut [n]int32) for i in n {
//		switch x[i] {
//		case 1, 2:
//			x[i] = 0
//		case 1 + 1:
//			x[i] = 1
//		}
//	}
type DuplicateCaseError struct {
	span
	Text, Value string // of a default the text is empty
	First       span
}

// Diagnose implements diag.Error.
func (e *DuplicateCaseError) Diagnose(d *diag.Diagnostic) {
	switch e.Text {
	case "":
		e.fill(d, "duplicate-case", "`default` stands twice in this `switch`")
	case e.Value:
		e.fill(d, "duplicate-case", "`case %s` stands twice in this `switch`", e.Value)
	default:
		e.fill(d, "duplicate-case", "`case %s` is %s, which stands in this `switch` already", e.Text, e.Value)
	}
	d.Label(e.First.At, e.First.To, "the first stands here")
}
