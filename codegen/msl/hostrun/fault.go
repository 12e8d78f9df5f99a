package hostrun

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Kind is what went wrong in a run.
type Kind string

// The kinds of faults.
const (
	Race       Kind = "race"               // two threads touch the same memory, one writes, nothing orders them
	Bounds     Kind = "out of bounds"      // outside of a buffer, an array, a variable
	Unwritten  Kind = "unwritten memory"   // threadgroup memory is read that nothing wrote
	Divergence Kind = "divergent barrier"  // not all threads come to the same barrier
	Undefined  Kind = "undefined behavior" // as the undefined-behaviour sanitizer words it
	Crash      Kind = "crash"              // whatever else ends the program
)

// A Fault is what a run did that Metal leaves undefined.
type Fault struct {
	Kernel string
	Kind   Kind
	Text   string // with the lines of the Metal text: "k.metal:12"
}

func (f *Fault) Error() string {
	return fmt.Sprintf("hostrun: kernel %s: %s: %s", f.Kernel, f.Kind, f.Text)
}

var (
	ubsanLine = regexp.MustCompile(`(?m)^([^\s:]+:\d+:\d+): runtime error: (.*)$`)
	headline  = regexp.MustCompile(`(?m)(?:ERROR|WARNING): (\w+Sanitizer): (.*?)(?: on (?:unknown )?address .*| \(pid=\d+\))?$`)
	frame     = regexp.MustCompile(`\((?:[^()]*/)?` + regexp.QuoteMeta(library) + `\+0x([0-9a-f]+)\)`)
	section   = regexp.MustCompile(`^ *((?:Previous )?(?:[Ww]rite|[Rr]ead|WRITE|READ) of size \d+)|(READ|WRITE) memory access`)
)

// fault reads what a program left on standard error when it ended.
func (p *Program) fault(kernel Kernel, log string, end error) *Fault {
	f := &Fault{Kernel: kernel.Name, Kind: Crash, Text: strings.TrimSpace(log)}
	if end != nil {
		f.Text = strings.TrimSpace(end.Error() + "\n" + f.Text)
	}
	for l := range strings.Lines(log) {
		if words, ok := strings.CutPrefix(l, "hostrun-report "); ok {
			if kind, text := p.report(kernel, strings.Fields(words)); text != "" {
				f.Kind, f.Text = kind, text
				return f
			}
		}
	}
	if m := ubsanLine.FindStringSubmatch(log); m != nil {
		f.Kind, f.Text = Undefined, m[1]+": "+m[2]
		if strings.Contains(m[2], "out of bounds") {
			f.Kind = Bounds
		}
		return f
	}
	if m := headline.FindStringSubmatch(log); m != nil {
		f.Text = m[1] + ": " + m[2] + p.frames(log)
		switch {
		case strings.Contains(m[2], "data race"):
			f.Kind = Race
		case strings.Contains(m[2], "-overflow") || strings.Contains(m[2], "-underflow") || strings.Contains(m[2], "SEGV"):
			f.Kind = Bounds
		}
	}
	return f
}

// frames names the Metal lines of a sanitizer's report: the innermost one of each access.
func (p *Program) frames(log string) string {
	out, what := "", ""
	for l := range strings.Lines(log) {
		if m := section.FindStringSubmatch(l); m != nil {
			what = strings.ToLower(m[1] + m[2])
		}
		m := frame.FindStringSubmatch(l)
		if m == nil || what == "" {
			continue
		}
		at, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			continue
		}
		if place := p.image.place(at); strings.HasPrefix(place, mainFile) {
			out += "; " + what + " at " + place
			what = ""
		}
	}
	return out
}

// report reads a line of our own runtime; its words are numbers.
func (p *Program) report(k Kernel, words []string) (Kind, string) {
	if len(words) == 0 {
		return "", ""
	}
	n := make([]int64, len(words)-1)
	for i, w := range words[1:] {
		v, err := strconv.ParseInt(w, 10, 64)
		if err != nil {
			return "", ""
		}
		n[i] = v
	}
	verb := func(write int64) string {
		if write != 0 {
			return "writes"
		}
		return "reads"
	}
	place := func(pc int64) string { return p.image.fromAnchor(pc) }
	switch words[0] {
	case "race":
		if len(n) != 10 {
			break
		}
		whose := "of another threadgroup"
		if n[5] != 0 {
			whose = "of the same threadgroup"
		}
		return Race, fmt.Sprintf("%s: thread %d of threadgroup %d %s it at %s, thread %d %s %s it at %s, and nothing orders the two",
			memoryName(k, n[0], n[1]), n[8], n[9], verb(n[6]), place(n[7]), n[4], whose, verb(n[2]), place(n[3]))
	case "bounds":
		if len(n) != 8 {
			break
		}
		return Bounds, fmt.Sprintf("%s: thread %d of threadgroup %d %s %d bytes there at %s; it has %d",
			memoryName(k, n[0], n[1]), n[6], n[7], verb(n[4]), n[2], place(n[5]), n[3])
	case "unwritten":
		if len(n) != 5 {
			break
		}
		return Unwritten, fmt.Sprintf("%s: thread %d of threadgroup %d reads it at %s, and no thread wrote it before",
			memoryName(k, variables+n[0], n[1]), n[3], n[4], place(n[2]))
	case "divergent":
		if len(n) != 6 {
			break
		}
		other := "has ended"
		if n[5] != 0 {
			other = fmt.Sprintf("waits at %s:%d", mainFile, n[5])
		}
		return Divergence, fmt.Sprintf("%d of %d threads of threadgroup %d wait at %s:%d, thread %d %s", n[1], n[2], n[0], mainFile, n[3], n[4], other)
	}
	return "", ""
}

// variables is the number from which the runtime counts threadgroup variables; those below are buffers.
const variables = 31

// memoryName names a byte of a kernel's memory.
func memoryName(k Kernel, index, offset int64) string {
	if index >= variables {
		if v := index - variables; v < int64(len(k.Threadgroup)) {
			return fmt.Sprintf("byte %d of threadgroup %s", offset, k.Threadgroup[v].Name)
		}
		return fmt.Sprintf("byte %d of threadgroup memory", offset)
	}
	for _, b := range k.Buffers {
		if int64(b.Index) == index {
			return fmt.Sprintf("byte %d of buffer %s", offset, b.Name)
		}
	}
	return fmt.Sprintf("byte %d of buffer %d", offset, index)
}
