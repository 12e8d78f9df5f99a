package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says how bad a diagnostic is. The zero Severity is SeverityError.
type Severity uint8

const (
	SeverityError   Severity = iota // the input is refused
	SeverityWarning                 // the input is accepted, but probably wrong
	SeverityNote                    // information alone
)

// String returns the word that the renderers print.
func (s Severity) String() string {
	switch s {
	case SeverityError:
		return "error"
	case SeverityWarning:
		return "warning"
	case SeverityNote:
		return "note"
	}
	panic(fmt.Sprintf("diag: severity %d", uint8(s)))
}

// Label points at a second place that explains a diagnostic.
type Label struct {
	Pos, End Pos // End is just behind the span; zero: one column
	Message  string
}

// Diagnostic is one message about the input.
type Diagnostic struct {
	Code     string // kebab-case, never renamed
	Severity Severity
	Pos, End Pos    // End is just behind the span; zero: one column
	Message  string // lower case, no full stop, backticks round code
	Labels   []Label
	Notes    []string
	Fix      string // what to write instead, if one change is likely to be right
}

// Error returns the first line of the text rendering.
func (d *Diagnostic) Error() string {
	s := d.Severity.String() + ": " + d.Message
	if d.Pos != (Pos{}) {
		s = d.Pos.String() + ": " + s
	}
	if d.Code != "" {
		s += " [" + d.Code + "]"
	}
	return s
}

// Label adds a second place.
func (d *Diagnostic) Label(pos, end Pos, format string, args ...any) {
	d.Labels = append(d.Labels, Label{pos, end, fmt.Sprintf(format, args...)})
}

// Note adds a line of explanation.
func (d *Diagnostic) Note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// Error is a mistake of a user: a struct with what is known about it, which fills in its diagnostic.
type Error interface{ Diagnose(*Diagnostic) }

// List is the diagnostics of one run. The zero List is empty and ready for use.
type List []*Diagnostic

// Add appends d.
func (l *List) Add(d ...*Diagnostic) { *l = append(*l, d...) }

// Report appends the diagnostic of e.
func (l *List) Report(e Error) {
	d := new(Diagnostic)
	e.Diagnose(d)
	*l = append(*l, d)
}

// Sort orders the list by file, offset, code and message.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b *Diagnostic) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
}

// Dedupe sorts the list and returns it with one of each group that says the same at the same place.
func (l List) Dedupe() List {
	l.Sort()
	return slices.CompactFunc(l, func(a, b *Diagnostic) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message
	})
}

// HasErrors reports whether the list refuses the input.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d *Diagnostic) bool { return d.Severity == SeverityError })
}

// Error returns one line a diagnostic, so that a list can be an error.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, d := range l {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// Err returns the list as an error, or nil if it holds no error.
func (l List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return l
}
