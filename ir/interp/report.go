package interp

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/ir"
)

// Report is what a run noticed.
type Report struct {
	Points   int64 // points, or threads of a scheduled kernel, that ran to their end
	Findings []Finding
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

// The kinds of finding. The first four are faults of the kernel, as a checked build reports them; BrokenProof is a
// fault of a pass.
const (
	Bounds FindingKind = iota
	ZeroDivisor
	NegativeShift
	Race
	BrokenProof
)

var findingNames = [...]string{Bounds: "bounds", ZeroDivisor: "zero-divisor", NegativeShift: "negative-shift", Race: "race", BrokenProof: "broken-proof"}

// String is the name of the kind.
func (k FindingKind) String() string { return findingNames[k] }

// Finding is one thing noticed at one instruction: its first occurrence, and how often it happened.
type Finding struct {
	Kind   FindingKind
	Pos    diag.Pos
	Name   string // Bounds, Race: the parameter or local; BrokenProof: the operation
	Dim    int    // Bounds
	Index  int64  // Bounds: the index; Race: the element; NegativeShift: the count
	Extent int64  // Bounds
	Point  int64  // linear number of the first point, or thread
	Other  diag.Pos
	Count  int64
}

// String is the finding in one line.
func (f Finding) String() string {
	switch f.Kind {
	case Bounds:
		return fmt.Sprintf("%s: index %d of dim %d of %s is outside its extent %d (point %d)", f.Pos, f.Index, f.Dim, f.Name, f.Extent, f.Point)
	case ZeroDivisor:
		return fmt.Sprintf("%s: division by zero (point %d)", f.Pos, f.Point)
	case NegativeShift:
		return fmt.Sprintf("%s: shift by %d (point %d)", f.Pos, f.Index, f.Point)
	case Race:
		return fmt.Sprintf("%s: element %d of %s is also accessed by another point at %s (point %d)", f.Pos, f.Index, f.Name, f.Other, f.Point)
	}
	return fmt.Sprintf("%s: %s does not keep what a pass proved (point %d)", f.Pos, f.Name, f.Point)
}

type findingKey struct {
	in   *ir.Instr
	kind FindingKind
}

// note records f for in; later occurrences only count.
func (m *machine) note(in *ir.Instr, f Finding) {
	key := findingKey{in, f.Kind}
	if i, ok := m.seen[key]; ok {
		m.report.Findings[i].Count++
		return
	}
	m.seen[key] = len(m.report.Findings)
	f.Pos, f.Point, f.Count = in.Pos, m.id, 1
	m.report.Findings = append(m.report.Findings, f)
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
