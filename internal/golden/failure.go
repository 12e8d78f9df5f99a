package golden

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
)

// failures are the kinds of finding that a checked build reports.
var failures = [...]string{interp.Bounds.String(), interp.ZeroDivisor.String(), interp.NegativeShift.String(), interp.Assertion.String()}

// failure reads what a checked build reports.
func (s *scanner) failure() *Failure {
	kind := s.word()
	for s.accept("-") {
		kind += "-" + s.word()
	}
	if !slices.Contains(failures[:], kind) {
		s.fail("%q is no failure of a checked build", kind)
	}
	f := &Failure{Kind: kind, Line: int(s.integer())}
	if s.accept(":") {
		f.Col = int(s.integer())
	}
	if s.accept("index") {
		n := s.integer()
		f.Index = &n
		if s.accept("of") {
			n := s.integer()
			f.Extent = &n
		}
	}
	if s.accept("at") {
		f.Point = s.integers()
		if s.accept("thread") {
			f.Thread = s.integers()
		}
	}
	return f
}

// integers reads one to three numbers.
func (s *scanner) integers() []int64 {
	list := []int64{s.integer()}
	for len(list) < 3 && s.rest() != "" && (s.rest()[0] == '-' || '0' <= s.rest()[0] && s.rest()[0] <= '9') {
		list = append(list, s.integer())
	}
	return list
}

// String is the failure as a line spells it.
func (f Failure) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", f.Kind, f.Line)
	if f.Col > 0 {
		fmt.Fprintf(&b, ":%d", f.Col)
	}
	if f.Index != nil {
		fmt.Fprintf(&b, " index %d", *f.Index)
	}
	if f.Extent != nil {
		fmt.Fprintf(&b, " of %d", *f.Extent)
	}
	for i, at := range [][]int64{f.Point, f.Thread} {
		if len(at) > 0 {
			b.WriteString([]string{" at ", " thread "}[i] + strings.Trim(fmt.Sprint(at), "[]"))
		}
	}
	return b.String()
}

// Admits reports whether a failure that is known in full is this one.
func (f *Failure) Admits(got Failure) bool {
	number := func(want, got *int64) bool { return want == nil || got != nil && *want == *got }
	at := func(want, got []int64) bool { return len(want) == 0 || slices.Equal(want, got) }
	return f.Kind == got.Kind && f.Line == got.Line && (f.Col == 0 || f.Col == got.Col) && number(f.Index, got.Index) &&
		number(f.Extent, got.Extent) && at(f.Point, got.Point) && at(f.Thread, got.Thread)
}

// failureOf is what an interpreter has found, as far as the kernel can know: one behind the schedule no longer has the
// points and threads of the source, but reports them to the host.
func failureOf(found interp.Finding, scheduled bool) Failure {
	f := Failure{Kind: found.Kind.String(), Line: found.Pos.Line, Col: found.Pos.Col}
	f.numbers(found.Index, found.Extent)
	if !scheduled {
		f.Point, f.Thread = found.By.Place(), found.By.Threads()
	}
	return f
}

// firstsOf are the first failures of points and threads.
func firstsOf(rep *interp.Report, k *ir.Kernel) (list []Failure) {
	seen := map[string]bool{}
	for _, found := range rep.Firsts {
		f := failureOf(found, k.Sched != nil)
		if k.ByBlock {
			f.Thread = nil // which of them it is says nothing
		}
		if key := f.String(); !seen[key] {
			seen[key] = true
			list = append(list, f)
		}
	}
	return list
}

// CheckFirst compares what a checked build has reported, or nil, with what it may.
func (c *Case) CheckFirst(got *Failure) error {
	switch {
	case got == nil && len(c.Firsts) == 0:
		return nil
	case got == nil:
		return fmt.Errorf("nothing is reported, want %s", c.Firsts[0])
	case len(c.Firsts) == 0:
		return fmt.Errorf("%s is reported, want nothing", got)
	case !slices.ContainsFunc(c.Firsts, func(f Failure) bool { return f.Admits(*got) }):
		return fmt.Errorf("%s is reported, which is first for nobody; of %d failures the first is %s", got, len(c.Firsts), c.Firsts[0])
	}
	return nil
}

// numbers sets what the kind has of an index and an extent.
func (f *Failure) numbers(index, extent int64) {
	switch f.Kind {
	case interp.Bounds.String():
		f.Index, f.Extent = &index, &extent
	case interp.NegativeShift.String():
		f.Index = &index
	}
}

// Failure is the test that failed of a kernel of the layout, or nil.
func (t *Told) Failure(l abi.Layout) *Failure {
	if t.Failed == nil {
		return nil
	}
	f := &Failure{Kind: t.Failed.Kind, Line: t.Failed.Line, Col: t.Failed.Col, Point: t.Where[:len(l.Domain)]}
	f.numbers(t.Index, t.Extent)
	if !l.Group || l.ByBlock {
		return f
	}
	n := t.Where[abi.Wheres-1]
	f.Thread = make([]int64, l.Threads)
	for d := range l.Threads {
		size := int64(l.Block[d])
		f.Thread[l.Threads-1-d] = n % size
		n /= size
	}
	return f
}

// among looks for the failure.
func (f *Failure) among(found []interp.Finding, scheduled bool) error {
	want := *f
	if scheduled {
		want.Point, want.Thread = nil, nil
	}
	for _, g := range found {
		if want.Admits(failureOf(g, scheduled)) {
			return nil
		}
	}
	return fmt.Errorf("%s is not reported, but %v", f, found)
}
