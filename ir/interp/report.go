package interp

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/ir"
)

// Report is what a run noticed.
type Report struct {
	Points   int64 // points, or threads of a kernel with blocks or a schedule, that ran to their end
	Findings []Finding
	Prints   []Print // in the order of points or threads, each with its own in their order
	Dropped  int64   // prints beyond MaxPrints

	// Firsts is, if [Options] ask for it, the first failure of each point or thread that a checked build reports, in the order
	// in which they happened: any may be the first of a launch on a device.
	Firsts []Finding
}

// MaxPrints bounds what a run keeps of what a kernel prints.
const MaxPrints = 1 << 16

// Print is what a thread printed at once.
type Print struct {
	Text   string
	Values int // how many of them are formatted
	By     Worker
	Pos    diag.Pos
	At     []int64 // the point or thread: its operands where there are some, else its number

	// Of a `by block` kernel. Before its loops are spread: which run of a loop without an order this is in, and which
	// iteration; outside of such loops both are 0. Behind: since which barrier, and from which thread.
	Loop, Turn int64
}

// Output is all that the kernel printed.
func (r *Report) Output() string {
	var b strings.Builder
	for _, p := range r.Prints {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Has reports whether a finding of the kind was made.
func (r *Report) Has(kind FindingKind) bool {
	for _, f := range r.Findings {
		if f.Kind == kind {
			return true
		}
	}
	return false
}

// FindingKind says what a finding is about.
type FindingKind uint8

// The kinds of finding. BrokenProof is a fault of a pass, all others are the kernel's.
const (
	Bounds FindingKind = iota
	ZeroDivisor
	NegativeShift
	Race
	Uninitialised // shared memory is read that no thread of the block has written
	Divergent     // threads of a block wait at a barrier, or to compute something together, where others do not come
	Assertion     // an assert does not hold
	BrokenProof
)

var findingNames = [...]string{
	Bounds: "bounds", ZeroDivisor: "zero-divisor", NegativeShift: "negative-shift",
	Race: "race", Uninitialised: "uninitialised", Divergent: "divergent", Assertion: "assert", BrokenProof: "broken-proof",
}

// Fails reports a kind that a checked build reports.
func (k FindingKind) Fails() bool {
	return k == Bounds || k == ZeroDivisor || k == NegativeShift || k == Assertion
}

// String is the name of the kind.
func (k FindingKind) String() string { return findingNames[k] }

// Access is what a thread does with an element.
type Access uint8

// The accesses.
const (
	Reads Access = iota
	Writes
	Updates // atomically
)

// String is the verb.
func (a Access) String() string {
	return [...]string{Reads: "reads", Writes: "writes", Updates: "atomically updates"}[a]
}

// Finding is one thing noticed at one instruction, or between two: its first occurrence, and how often it happened.
type Finding struct {
	Kind    FindingKind
	Kernel  string // instance
	Pos     diag.Pos
	Name    string // Bounds, Race, Uninitialised: the parameter or local; Assertion: the text; BrokenProof, Divergent: the operation
	Element string // Race, Uninitialised: the index as the source writes it, empty for a scalar
	Dim     int    // Bounds
	Index   int64  // Bounds: the index; Race, Uninitialised: the element in row-major order; NegativeShift: the count
	Extent  int64  // Bounds
	Point   int64  // linear number of By
	By      Worker // the first point or thread
	Access  Access // Race: what By does at Pos
	Count   int64

	Other       diag.Pos // Race: of the other access; Bounds, Uninitialised: of the declaration; Divergent: where the other waits, none at the kernel's end
	OtherBy     Worker   // Race, Divergent
	OtherAccess Access   // Race
	Loop        diag.Pos // Race between two iterations of one worker: the `for … in` or the comprehension
}

// String is the finding in one line.
func (f Finding) String() string {
	switch f.Kind {
	case Bounds:
		decl := ""
		if f.Other.IsValid() {
			decl = ", declared at " + f.Other.String() + ","
		}
		return fmt.Sprintf("%s: index %d of dim %d of %s%s is outside its extent %d (%s)", f.Pos, f.Index, f.Dim, f.Name, decl, f.Extent, f.By)
	case ZeroDivisor:
		return fmt.Sprintf("%s: division by zero (%s)", f.Pos, f.By)
	case NegativeShift:
		return fmt.Sprintf("%s: shift by %d (%s)", f.Pos, f.Index, f.By)
	case Assertion:
		return fmt.Sprintf("%s: assertion failed: %s (%s)", f.Pos, f.Name, f.By)
	case Race:
		if f.Loop.IsValid() {
			return fmt.Sprintf("%s: race in %s: an iteration of the loop at %s %s %s%s, which another one %s at %s, and iterations have no order (%s)", f.Pos, f.Kernel, f.Loop, f.Access, f.Name, f.Element, f.OtherAccess, f.Other, f.By)
		}
		why := "and nothing orders the two"
		if f.By.SameBlock(f.OtherBy) {
			why = "with no barrier between"
		}
		return fmt.Sprintf("%s: race in %s: %s %s %s%s, which %s %s at %s, %s", f.Pos, f.Kernel, f.By, f.Access, f.Name, f.Element, f.OtherBy, f.OtherAccess, f.Other, why)
	case Uninitialised:
		return fmt.Sprintf("%s: %s of %s reads %s%s, declared at %s, before its block has written it", f.Pos, f.By, f.Kernel, f.Name, f.Element, f.Other)
	case Divergent:
		where := "has ended"
		if f.Other.IsValid() {
			where = "waits at " + f.Other.String()
		}
		return fmt.Sprintf("%s: divergent %s in %s: %s waits here, %s %s", f.Pos, f.Name, f.Kernel, f.By, f.OtherBy, where)
	}
	return fmt.Sprintf("%s: %s does not keep what a pass proved (%s)", f.Pos, f.Name, f.By)
}

// findingKey makes findings one: those of one kind at one instruction, and races between the same two accesses.
type findingKey struct {
	in, other *ir.Instr
	kind      FindingKind
	how       [2]Access
}

// again counts one more occurrence of a finding that is known.
func (m *machine) again(in *ir.Instr, kind FindingKind) bool {
	i, ok := m.seen[findingKey{in: in, kind: kind}]
	if ok {
		m.report.Findings[i].Count++
	}
	return ok
}

// note records f for in; later occurrences only count.
func (m *machine) note(in *ir.Instr, f Finding) {
	if m.told && f.Kind.Fails() && in.Op != ir.OpReport {
		return
	}
	if m.failed != nil && f.Kind.Fails() && !m.failed[m.id] {
		m.failed[m.id] = true
		m.report.Firsts = append(m.report.Firsts, m.found(in, f))
	}
	if !m.again(in, f.Kind) {
		m.record(findingKey{in: in, kind: f.Kind}, in, f)
	}
}

func (m *machine) record(key findingKey, in *ir.Instr, f Finding) {
	m.seen[key] = len(m.report.Findings)
	m.report.Findings = append(m.report.Findings, m.found(in, f))
}

// found is f with what is known of where it is found.
func (m *machine) found(in *ir.Instr, f Finding) Finding {
	f.Kernel, f.Pos, f.Point, f.By, f.Count = m.kernel.Instance, in.Pos, m.id, m.place.worker(m.id), 1
	return f
}

func (m *machine) broken(in *ir.Instr) {
	m.note(in, Finding{Kind: BrokenProof, Name: in.Op.String()})
}

// ShapeError says that a view has another extent than the header asks for.
type ShapeError struct {
	Kernel, Param string
	Dim           int
	Want, Got     int64
	Pos           diag.Pos
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s: dim %d of %s is %d, want %d", e.Kernel, e.Dim, e.Param, e.Got, e.Want)
}

// ContractError says that a relation of the header does not hold or cannot be evaluated.
type ContractError struct {
	Kernel, Text, Reason string
	Pos                  diag.Pos
}

func (e *ContractError) Error() string { return fmt.Sprintf("%s: %s %s", e.Kernel, e.Text, e.Reason) }

// AliasError says that a mut view shares memory with another view of the launch.
type AliasError struct {
	Kernel, Param, Other string
	Pos                  diag.Pos
}

func (e *AliasError) Error() string {
	return fmt.Sprintf("%s: %s and %s overlap", e.Kernel, e.Param, e.Other)
}

// StepError says that a run used up its budget of points and loop iterations.
type StepError struct {
	Kernel string
	Steps  int64
}

func (e *StepError) Error() string {
	return fmt.Sprintf("%s: did not end within %d steps", e.Kernel, e.Steps)
}
