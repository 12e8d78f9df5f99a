package golden

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/ir/interp"
)

// RunLine is a line of a `run` section: a call and what it must give.
type RunLine struct {
	Number   int // in the section, from 1
	Text     string
	Kernel   string
	Generics []string // none: every instance of the kernel
	Args     []Argument
	Want     Outcome
	Fused    *Outcome // on targets that fuse, where that changes the result; nil: as Want
	Checked  *Failure // what a checked build reports; nil: nothing, it gives what a release build gives
	Finds    bool     // a checked build reports what the interpreter finds, if it finds something
}

// Failure is a test of a checked build that fails. What stands behind the line may be left out, and says nothing then: where
// several threads fail, which one is first differs between targets.
type Failure struct {
	Kind   string  `json:"kind"` // bounds, zero-divisor, negative-shift, assert
	Line   int     `json:"line"` // of the source
	Col    int     `json:"col,omitempty"`
	Index  *int64  `json:"index,omitempty"`  // bounds: what was out of range; negative-shift: the count
	Extent *int64  `json:"extent,omitempty"` // bounds: of what
	Point  []int64 `json:"point,omitempty"`  // or the block
	Thread []int64 `json:"thread,omitempty"` // of the block
}

// Argument is a value, or the memory of another parameter.
type Argument struct {
	Value Value
	Same  string // of `&x` and `&x[lo:hi]`: the parameter
	Lo    int64
	Hi    int64 // -1: to the end
}

// Outcome is the right side of a line.
type Outcome struct {
	Views []Want // empty: whatever the interpreter gives, on every target
	ULP   int    // of `oracle ~N`: tolerance of all float results
	Error string // the name of the error type that the launch gives
	Trap  bool   // an index out of range: the interpreter and the CPU target report it, devices are not run

	Finding string // the name of a finding that only the interpreter makes: no target is run
	Lines   []int  // of Finding: where it is, and the other place that it names; none: anywhere

	Prints string // what the kernel prints, on every target
	Tells  bool   // `prints` without a text: the kernel prints whatever it prints in the interpreter, in lines

	Checked bool     // of a checked build: what it reports fails the line, unless it is Fails
	Fails   *Failure // what is left in memory is not looked at
	Finds   bool     // it reports the first failure of one of the points or threads, whichever; they go on as in the interpreter
}

// findings are the kinds of finding that a line may ask for by name.
var findings = [...]string{interp.Bounds.String(), interp.Race.String(), interp.Uninitialised.String(), interp.Divergent.String()}

// Want is the expected content of one view.
type Want struct {
	Param string
	ULP   int // 0: exact
	Value Value
}

// ParseLine reads
//
//	line    = Kernel [ "[" generic { "," generic } "]" ] "(" [ arg { "," arg } ] ")" "->" outcome [ "|" "fused:" outcome ] [ "|" "checked:" ( failure | "oracle" ) ]
//	arg     = value | "&" param [ "[" lo ":" hi "]" ]
//	outcome = ( "oracle" [ "~" ulp ] | "trap" | "error" Type | finding [ line [ line ] ] | want { "," want } ) [ "prints" [ text ] ]
//	finding = "bounds" | "race" | "uninitialised" | "divergent"
//	failure = ( "bounds" | "zero-divisor" | "negative-shift" | "assert" ) line [ ":" column ] [ "index" n [ "of" n ] ] [ "at" n { n } [ "thread" n { n } ] ]
//	want    = param [ "~" ulp ] "=" value
//
// and values as [Value] says.
func ParseLine(text string) (*RunLine, error) {
	s := &scanner{text: text}
	l := &RunLine{Text: text}
	err := s.parse(func() {
		s.call(l)
		s.expect("->")
		l.Want = s.outcome()
		l.Want.Prints, l.Want.Tells = s.prints()
		bar := s.accept("|")
		if bar && s.accept("fused") {
			s.expect(":")
			o := s.outcome()
			o.Prints, o.Tells = s.prints()
			l.Fused = &o
			bar = s.accept("|")
		}
		if bar {
			s.expect("checked")
			s.expect(":")
			if l.Finds = s.accept("oracle"); !l.Finds {
				l.Checked = s.failure()
			}
		}
		if rest := s.rest(); rest != "" {
			s.fail("unexpected %q", rest)
		}
	})
	return l, err
}

// ParseCall reads the call of a line alone; whatever it gives is right.
func ParseCall(text string) (*RunLine, error) {
	s := &scanner{text: text}
	l := &RunLine{Text: text}
	err := s.parse(func() {
		s.call(l)
		if rest := s.rest(); rest != "" {
			s.fail("unexpected %q", rest)
		}
	})
	return l, err
}

// call reads a kernel and its arguments.
func (s *scanner) call(l *RunLine) {
	l.Kernel = s.word()
	if s.accept("[") {
		for first := true; !s.accept("]"); first = false {
			if !first {
				s.expect(",")
			}
			l.Generics = append(l.Generics, s.word())
		}
	}
	s.expect("(")
	for first := true; !s.accept(")"); first = false {
		if !first {
			s.expect(",")
		}
		l.Args = append(l.Args, s.argument())
	}
}

// String is the line in its canonical form; parsing it gives the same line.
func (l *RunLine) String() string {
	var b strings.Builder
	b.WriteString(l.Kernel)
	if len(l.Generics) > 0 {
		b.WriteString("[" + strings.Join(l.Generics, ", ") + "]")
	}
	b.WriteByte('(')
	for i, a := range l.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(a.String())
	}
	b.WriteString(") -> " + l.Want.String())
	if l.Fused != nil {
		b.WriteString(" | fused: " + l.Fused.String())
	}
	switch {
	case l.Finds:
		b.WriteString(" | checked: oracle")
	case l.Checked != nil:
		b.WriteString(" | checked: " + l.Checked.String())
	}
	return b.String()
}

// String is the argument as a line spells it.
func (a Argument) String() string {
	switch {
	case a.Same == "":
		return a.Value.String()
	case a.Lo == 0 && a.Hi < 0:
		return "&" + a.Same
	}
	return fmt.Sprintf("&%s[%d:%d]", a.Same, a.Lo, a.Hi)
}

// String is the outcome as a line spells it.
func (o Outcome) String() string {
	switch {
	case o.Tells:
		return o.result() + " prints"
	case o.Prints != "":
		return o.result() + " prints " + strconv.Quote(o.Prints)
	}
	return o.result()
}

func (o Outcome) result() string {
	switch {
	case o.Error != "":
		return "error " + o.Error
	case o.Trap:
		return "trap"
	case o.Finding != "":
		return strings.TrimSuffix(o.Finding+" "+strings.Trim(fmt.Sprint(o.Lines), "[]"), " ")
	case len(o.Views) == 0 && o.ULP > 0:
		return "oracle ~" + strconv.Itoa(o.ULP)
	case len(o.Views) == 0:
		return "oracle"
	}
	var w []string
	for _, v := range o.Views {
		tilde := ""
		if v.ULP > 0 {
			tilde = "~" + strconv.Itoa(v.ULP)
		}
		w = append(w, v.Param+tilde+"="+v.Value.String())
	}
	return strings.Join(w, ", ")
}

// Expect is the outcome on targets that fuse, or on those that do not.
func (l *RunLine) Expect(fused bool) Outcome {
	if fused && l.Fused != nil {
		return *l.Fused
	}
	return l.Want
}

// Tolerance is the ULP distance that a view's results may have, from the literal and between two targets.
func (o Outcome) Tolerance(param string) int {
	for _, v := range o.Views {
		if v.Param == param {
			return v.ULP
		}
	}
	return o.ULP
}

func (s *scanner) argument() Argument {
	if !s.accept("&") {
		return Argument{Value: s.value()}
	}
	a := Argument{Same: s.word(), Hi: -1}
	if s.accept("[") {
		a.Lo = s.integer()
		s.expect(":")
		a.Hi = s.integer()
		s.expect("]")
		if a.Lo < 0 || a.Hi < a.Lo {
			s.fail("range %d:%d", a.Lo, a.Hi)
		}
	}
	return a
}

func (s *scanner) outcome() Outcome {
	var o Outcome
	for first := true; first || s.accept(","); first = false {
		name := s.word()
		if first && !strings.HasPrefix(s.rest(), "=") { // a parameter may have any of these names
			switch name {
			case "error":
				o.Error = s.word()
				return o
			case "trap":
				o.Trap = true
				return o
			case "oracle":
				o.ULP = s.tolerance()
				return o
			}
			if slices.Contains(findings[:], name) && !strings.HasPrefix(s.rest(), "~") {
				o.Finding = name
				for len(o.Lines) < 2 && s.rest() != "" && '0' <= s.rest()[0] && s.rest()[0] <= '9' {
					o.Lines = append(o.Lines, int(s.integer()))
				}
				return o
			}
		}
		w := Want{Param: name, ULP: s.tolerance()}
		s.expect("=")
		w.Value = s.value()
		o.Views = append(o.Views, w)
	}
	return o
}

// InChecked is the line as a checked build runs it.
func (l *RunLine) InChecked() *RunLine {
	c := *l
	c.Want.Checked, c.Want.Fails, c.Want.Finds = true, l.Checked, l.Finds
	if l.Fused != nil {
		o := *l.Fused
		o.Checked, o.Fails, o.Finds = true, l.Checked, l.Finds
		c.Fused = &o
	}
	if l.Checked != nil || l.Finds {
		c.Want.Trap = false
	}
	return &c
}

// prints reads what a kernel prints, as a Go string, or that the line does not say it.
func (s *scanner) prints() (text string, tells bool) {
	if !s.accept("prints") {
		return "", false
	}
	if rest := s.rest(); rest == "" || rest[0] == '|' {
		return "", true
	}
	quoted, err := strconv.QuotedPrefix(s.rest())
	if err != nil {
		s.fail("expected a string, found %q", s.rest())
	}
	s.at += len(quoted)
	text, _ = strconv.Unquote(quoted)
	return text, false
}

func (s *scanner) tolerance() int {
	if !s.accept("~") {
		return 0
	}
	n := s.integer()
	if n < 1 || n > 1<<20 {
		s.fail("a tolerance of %d ULP", n)
	}
	return int(n)
}

// scanner reads one line; a failure unwinds to parse.
type scanner struct {
	text string
	at   int
}

type syntaxError struct{ error }

func (s *scanner) parse(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			err = e.error
		}
	}()
	f()
	return nil
}

func (s *scanner) fail(format string, args ...any) {
	panic(syntaxError{fmt.Errorf("column %d: %s", s.at+1, fmt.Sprintf(format, args...))})
}

func (s *scanner) rest() string {
	s.text = strings.TrimRight(s.text, " \t")
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
	return s.text[s.at:]
}

// accept takes token if it comes next; a word is taken whole or not at all.
func (s *scanner) accept(token string) bool {
	r := s.rest()
	if !strings.HasPrefix(r, token) || isWord(token[0]) && len(r) > len(token) && isWord(r[len(token)]) {
		return false
	}
	s.at += len(token)
	return true
}

func (s *scanner) expect(token string) {
	if !s.accept(token) {
		s.fail("expected %q, found %q", token, s.rest())
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// word is a name or number, with signs where a number has them.
func (s *scanner) word() string {
	r := s.rest()
	n := 0
	for n < len(r) && (isWord(r[n]) || (r[n] == '-' || r[n] == '+') && (n == 0 || exponentBefore(r[:n])) && !strings.HasPrefix(r[n:], "->")) {
		n++
	}
	if n == 0 {
		s.fail("expected a name or a number, found %q", r)
	}
	s.at += n
	return r[:n]
}

// exponentBefore reports that a sign after w belongs to the same number, as in 1e-3 and 0x1p-3.
func exponentBefore(w string) bool {
	if w[0] != '-' && w[0] != '+' && (w[0] < '0' || w[0] > '9') {
		return false
	}
	last := w[len(w)-1] | 0x20
	return last == 'p' || last == 'e' && !strings.Contains(strings.ToLower(w), "0x")
}

func (s *scanner) integer() int64 {
	w := s.word()
	v, err := strconv.ParseInt(w, 0, 64)
	if err != nil {
		s.fail("%q is no integer", w)
	}
	return v
}
