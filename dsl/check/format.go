package check

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// A format is one of package fmt, which formats on the host what a kernel prints. The rules are those of go vet: every
// verb has a value that it takes, with flags that mean something to it.

// verb is a value that a format asks for: a verb's own, or the width or precision that stands as `*`.
type verb struct {
	text   string // as written: "%+6.2f"
	lo, hi int    // its bytes in the format
	char   rune   // 0: a `*`
	arg    int    // which value, from 0
}

func (v verb) span(lit *dsl.BasicLit) span { return literalSpan(lit, v.lo, v.hi) }

// formatFault is a format that package fmt would answer with an error in the text.
type formatFault struct {
	lo, hi int
	why    string
}

func (f *formatFault) span(lit *dsl.BasicLit) span { return literalSpan(lit, f.lo, f.hi) }

// valueSet is a set of the types that a verb takes.
type valueSet uint8

const (
	bools valueSet = 1 << iota
	ints
	floats
)

// The flags that verbs know: those of numbers, and `#` beside them.
const (
	numberFlags = " -+0"
	sharpFlags  = numberFlags + "#"
)

// formatVerbs is the table of verbs. `%s`, `%p` and `%w` are for values that kernels do not have.
var formatVerbs = map[rune]struct {
	flags string
	takes valueSet
}{
	'b': {sharpFlags, ints | floats},
	'c': {"-", ints},
	'd': {numberFlags, ints},
	'e': {sharpFlags, floats}, 'E': {sharpFlags, floats}, 'f': {sharpFlags, floats}, 'F': {sharpFlags, floats}, 'g': {sharpFlags, floats}, 'G': {sharpFlags, floats},
	'o': {sharpFlags, ints}, 'O': {sharpFlags, ints},
	'q': {sharpFlags, ints},
	't': {"-", bools},
	'T': {"-", bools | ints | floats},
	'U': {"-#", ints},
	'v': {sharpFlags, bools | ints | floats},
	'x': {sharpFlags, ints | floats}, 'X': {sharpFlags, ints | floats},
}

// takes reports whether the verb fits a value of kind k.
func (v verb) takes(k types.Kind) bool {
	set := ints // of a `*`
	if v.char != 0 {
		set = formatVerbs[v.char].takes
	}
	switch {
	case k.IsBool():
		return set&bools != 0
	case k.IsInteger():
		return set&ints != 0
	}
	return set&floats != 0
}

// want is what the verb takes, in words.
func (v verb) want() string {
	set := ints
	if v.char != 0 {
		set = formatVerbs[v.char].takes
	}
	switch set {
	case bools:
		return "a bool"
	case ints:
		return "an integer"
	case floats:
		return "a floating-point number"
	case ints | floats:
		return "a number"
	}
	return "any scalar"
}

// formatScanner reads one format.
type formatScanner struct {
	text  string
	at    int
	next  int // value of the next verb
	verbs []verb
}

// parseFormat lists what a format asks for, in its order.
func parseFormat(format string) ([]verb, *formatFault) {
	s := &formatScanner{text: format}
	for {
		i := strings.IndexByte(s.text[s.at:], '%')
		if i < 0 {
			return s.verbs, nil
		}
		s.at += i
		if f := s.directive(); f != nil {
			return nil, f
		}
	}
}

// directive reads `%[flags][width][.precision]verb`.
func (s *formatScanner) directive() *formatFault {
	start := s.at
	fault := func(why string, args ...any) *formatFault {
		return &formatFault{start, min(s.at, len(s.text)), fmt.Sprintf(why, args...)}
	}
	s.at++
	flags := s.run(" -+0#")
	stars := len(s.verbs)
	if !s.number() {
		return fault("`%s` has no index of a value between its brackets", s.text[start:s.at])
	}
	if s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		if !s.number() {
			return fault("`%s` has no index of a value between its brackets", s.text[start:s.at])
		}
	}
	if !s.index() {
		return fault("`%s` has no index of a value between its brackets", s.text[start:s.at])
	}
	if s.at == len(s.text) {
		return fault("the format ends within `%s`", s.text[start:])
	}
	char, size := utf8.DecodeRuneInString(s.text[s.at:])
	s.at += size
	text := s.text[start:s.at]
	for i := stars; i < len(s.verbs); i++ {
		s.verbs[i].text, s.verbs[i].lo, s.verbs[i].hi = text, start, s.at
	}
	if char == '%' {
		return nil
	}
	known, ok := formatVerbs[char]
	switch {
	case char == 's', char == 'p', char == 'w':
		return fault("`%s` is for values that kernels do not have", text)
	case !ok:
		return fault("`%s` is no verb of package fmt", text)
	}
	for _, f := range flags {
		if !strings.ContainsRune(known.flags, f) {
			return fault("`%s`: the flag `%c` means nothing to `%%%c`", text, f, char)
		}
	}
	s.verbs = append(s.verbs, verb{text, start, s.at, char, s.next})
	s.next++
	return nil
}

// run skips bytes of a set.
func (s *formatScanner) run(set string) string {
	from := s.at
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
	return s.text[from:s.at]
}

// number reads a width or a precision: digits, or `*`, which takes a value; an index may stand before it.
func (s *formatScanner) number() bool {
	before, next := s.at, s.next
	if !s.index() {
		return false
	}
	if s.at < len(s.text) && s.text[s.at] == '*' {
		s.at++
		s.verbs = append(s.verbs, verb{arg: s.next})
		s.next++
		return true
	}
	if s.at > before { // the index is the verb's
		s.at, s.next = before, next
		return true
	}
	s.run("0123456789")
	return true
}

// index reads `[n]`, the number of the value that follows; false when it is none.
func (s *formatScanner) index() bool {
	if s.at == len(s.text) || s.text[s.at] != '[' {
		return true
	}
	end := strings.IndexByte(s.text[s.at:], ']')
	if end < 0 {
		s.at = len(s.text)
		return false
	}
	n, err := strconv.Atoi(s.text[s.at+1 : s.at+end])
	s.at += end + 1
	s.next = n - 1
	return err == nil && n >= 1
}
