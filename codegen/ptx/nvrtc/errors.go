package nvrtc

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/internal/nvrtc"
)

// A CompileError is a text that NVRTC or ptxas refused. The text is generated, so either gpugen is wrong or the kernel
// asks for more than the architecture has.
type CompileError struct {
	Name   string // of the text, "saxpy.cu"
	Arch   string // sm_75
	NVRTC  string // 11.8
	Source string // the generated text
	Log    string // everything that NVRTC wrote
	Items  []Item
}

// An Item is one message about one line.
type Item struct {
	GenLine int      // line of the generated text from 1, 0 if the message has none
	Pos     diag.Pos // the .gpu position behind it, zero if unknown
	Msg     string
}

// Error shows each message at its .gpu position with the generated line underneath.
func (e *CompileError) Error() string {
	var b strings.Builder
	for i, item := range e.Items {
		if i > 0 {
			b.WriteByte('\n')
		}
		generated := fmt.Sprintf("%s:%d", e.Name, item.GenLine)
		switch {
		case item.Pos.IsValid():
			b.WriteString(item.Pos.String())
		case item.GenLine > 0:
			b.WriteString(generated)
		default:
			b.WriteString(e.Name)
		}
		fmt.Fprintf(&b, ": error: %s", item.Msg)
		if text := sourceLine(e.Source, item.GenLine); text != "" {
			fmt.Fprintf(&b, "\n\t%s: %s", generated, text)
		}
	}
	fmt.Fprintf(&b, "\n\t(NVRTC %s, %s)", e.NVRTC, e.Arch)
	return b.String()
}

// locate fills in positions. A line without one takes that of the nearest line above: emitters mark the first line of a
// statement.
func (e *CompileError) locate(lines []diag.Pos) {
	for i := range e.Items {
		e.Items[i].Pos = Locate(lines, e.Items[i].GenLine)
	}
}

// Locate is the .gpu position behind a line of generated text (from 1), taken from the nearest line at or above it that
// has one; zero if there is none.
func Locate(lines []diag.Pos, line int) diag.Pos {
	for i := min(line, len(lines)) - 1; i >= 0; i-- {
		if lines[i].IsValid() {
			return lines[i]
		}
	}
	return diag.Pos{}
}

func sourceLine(source string, line int) string {
	if line <= 0 {
		return ""
	}
	for text := range strings.Lines(source) {
		if line--; line == 0 {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// sharedLimit is what a block may declare statically on every architecture so far.
const sharedLimit = 48 << 10

func newCompileError(r *Request, a arch, version, log string, cause error) error {
	e := &CompileError{Name: r.Name, Arch: a.String(), NVRTC: version, Source: r.Source, Log: log, Items: parseItems(log, "error")}
	var call *nvrtc.CallError
	if !errors.As(cause, &call) {
		return cause
	}
	if len(e.Items) == 0 && call.Code == nvrtc.CodeCompilation {
		// NVRTC swallows ptxas's complaint about shared memory and leaves only the report.
		for _, entry := range sortedKeys(parseResources(log)) {
			if n := parseResources(log)[entry].SharedBytes; n > sharedLimit {
				e.Items = append(e.Items, Item{Msg: fmt.Sprintf("entry `%s` declares %d bytes of shared memory, over the limit of %d", entry, n, sharedLimit)})
			}
		}
	}
	if len(e.Items) == 0 {
		msg := cause.Error()
		if log = strings.TrimSpace(log); log != "" {
			msg += "\n" + log
		}
		e.Items = []Item{{Msg: msg}}
	}
	if call.Code == nvrtc.CodeInvalidOption {
		e.Items[0].Msg += " (options " + strings.Join(r.options(a), " ") + ")"
	}
	return e
}

// The shapes of messages: the front end's `saxpy.cu(12): error: …`, NVRTC's own `nvrtc: error: …`, and ptxas's
// `ptxas application ptx input, line 20; error : …`, whose line is one of PTX that nobody has seen.
var (
	frontLine = regexp.MustCompile(`^(?:.*)\((\d+)\): (?:catastrophic |internal )?(error|warning)(?: #[0-9A-Za-z-]+)?: (.*)$`)
	toolLine  = regexp.MustCompile(`^(?:nvrtc: (error|warning)\s*: (.*)|ptxas\s(?:.*; )?(error|warning|fatal)\s*: (.*))$`)
	moreLine  = regexp.MustCompile(`^ {8,}[^\s^]`)
)

const aborted = "Ptx assembly aborted due to errors"

// parseItems collects the messages of a severity, in the order in which NVRTC wrote them.
func parseItems(log, severity string) []Item {
	var items []Item
	open := false // the line before belongs to items[len(items)-1] and may go on
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\r\n")
		if m := frontLine.FindStringSubmatch(line); m != nil {
			if open = m[2] == severity; open {
				items = append(items, Item{GenLine: number(m[1]), Msg: m[3]})
			}
			continue
		}
		if m := toolLine.FindStringSubmatch(line); m != nil {
			level, msg := m[1]+m[3], m[2]+m[4]
			if open = level == severity || level == "fatal" && severity == "error"; open {
				items = append(items, Item{Msg: msg})
			}
			continue
		}
		if open && moreLine.MatchString(line) {
			items[len(items)-1].Msg += "; " + strings.TrimSpace(line)
			continue
		}
		open = false
	}
	if len(items) > 1 {
		items = slices.DeleteFunc(items, func(i Item) bool { return i.Msg == aborted })
	}
	return items
}

func sortedKeys(m map[string]Resources) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
