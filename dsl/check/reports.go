package check

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gpugen/gpugen/dsl"
)

// maxPrinted bounds the values of one `print`: each takes a place in a buffer on the device.
const maxPrinted = 8

// assert checks `assert(cond, "text")`.
func (b *body) assert(e *dsl.CallExpr) operand {
	if lit, ok := dsl.Unparen(e.Args[0]).(*dsl.BasicLit); ok && lit.Kind == dsl.StringLit { // the text stands first: one mistake
		b.constantText(e, "assert", e.Args[1])
		b.useAll(e.Args)
		return operand{}
	}
	x := b.expr(e.Args[0])
	ok := b.condition(&x)
	text, constant := b.constantText(e, "assert", e.Args[1])
	if !ok || !constant {
		return operand{}
	}
	c := b.facts.Calls[e]
	c.Text = text
	b.facts.Calls[e] = c
	return operand{mode: nothing}
}

// print checks `print("format", …)`: the format is Go's, and each of its verbs fits the value that it stands for.
func (b *body) print(e *dsl.CallExpr) operand {
	format, ok := b.constantText(e, "print", e.Args[0])
	values := e.Args[1:]
	args := make([]operand, len(values))
	for i, a := range values {
		args[i] = b.expr(a)
		if args[i].mode == bad || !b.setDefault(&args[i]) {
			ok = false
			continue
		}
		if k := args[i].kind(); !k.IsNumeric() && !k.IsBool() {
			b.report(&PrintValueError{span: at(a), Text: text(a), Type: args[i].typ})
			ok = false
		}
	}
	if len(values) > maxPrinted {
		b.report(&PrintValueError{span: span{values[maxPrinted].Pos(), values[len(values)-1].End()}, Count: len(values)})
		ok = false
	}
	if !ok || !b.format(e, format, args) {
		return operand{}
	}
	c := b.facts.Calls[e]
	c.Text = format
	b.facts.Calls[e] = c
	return operand{mode: nothing}
}

// constantText is the text of an argument, which must be written where it stands.
func (b *body) constantText(call *dsl.CallExpr, name string, a dsl.Expr) (string, bool) {
	lit, ok := dsl.Unparen(a).(*dsl.BasicLit)
	if !ok || lit.Kind != dsl.StringLit {
		b.use(a)
		b.report(&TextError{span: at(a), Name: name})
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil // else the scanner has reported it
}

// format compares the verbs of a format with the values, as go vet does.
func (b *body) format(e *dsl.CallExpr, format string, args []operand) bool {
	lit := dsl.Unparen(e.Args[0]).(*dsl.BasicLit)
	verbs, err := parseFormat(format)
	if err != nil {
		b.report(&FormatError{span: err.span(lit), Why: err.why})
		return false
	}
	used := make([]bool, len(args))
	ok := true
	for _, v := range verbs {
		if v.arg < 0 || v.arg >= len(args) {
			b.report(&FormatError{span: v.span(lit), Why: fmt.Sprintf("`%s` stands for value %d, and the call has %s", v.text, v.arg+1, count(len(args), "value"))})
			return false
		}
		used[v.arg] = true
		if x := &args[v.arg]; !v.takes(x.kind()) {
			b.report(&VerbError{span: x.at(), Verb: v.text, Text: x.text(), Type: x.typ, Want: v.want(), In: v.span(lit)})
			ok = false
		}
	}
	for i := range used {
		if !used[i] && ok {
			b.report(&FormatError{span: args[i].at(), Why: "no verb of the format stands for `" + args[i].text() + "`"})
			return false
		}
	}
	return ok
}

// literalSpan is the place of the bytes lo to hi of a literal's value within the literal; where escapes move them, the
// whole literal.
func literalSpan(lit *dsl.BasicLit, lo, hi int) span {
	raw := lit.Value
	odd := func(r rune) bool { return r < ' ' || r >= utf8.RuneSelf }
	if value, err := strconv.Unquote(raw); err != nil || len(value)+2 != len(raw) || strings.ContainsFunc(raw, odd) {
		return at(lit)
	}
	return span{lit.Pos().Advance(lo + 1), lit.Pos().Advance(hi + 1)}
}
