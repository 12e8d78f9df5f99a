package kernelgen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// printed is what a kernel prints, if it does: one in six. What it draws comes from a stream of its own, so that prints
// change nothing about the kernels that have none.
type printed struct {
	r    *rand.Rand
	left int  // prints that may still be written
	body bool // the kernel's own body has one
}

func newPrinted(seed uint64) *printed {
	r := rand.New(rand.NewPCG(seed, 0x7072696e746564))
	if r.IntN(6) > 0 {
		return nil
	}
	return &printed{r: r, left: 1 + r.IntN(4)}
}

// aloud runs f with the stream of prints, if the kernel prints.
func (g *generator) aloud(f func()) {
	if g.prints == nil {
		return
	}
	r, budget := g.r, g.budget
	g.r = g.prints.r
	f()
	g.r, g.budget = r, budget
}

// tell writes a print now and then.
func (g *generator) tell() {
	g.aloud(func() {
		if g.prints.left > 0 && g.one(7) {
			g.print()
		}
	})
}

// tellOnce writes a print unless the kernel's body has one.
func (g *generator) tellOnce() {
	g.aloud(func() {
		if !g.prints.body {
			g.print()
		}
	})
}

// print writes one print, in most places from few threads: a device has room for few hundreds in the tests.
func (g *generator) print() {
	g.prints.left--
	g.prints.body = g.prints.body || !g.inFunc
	var conditions []string
	if n := pick(g, []int{1, 2, 5, 16, 16, 50, 50, 99}); n > 1 {
		at := g.anchor
		if g.inFunc {
			at = "int(" + at + ")"
		}
		conditions = append(conditions, fmt.Sprintf("mod(%s, %d) == %d", at, n, g.r.IntN(min(n, 7))))
	}
	if g.one(3) {
		conditions = append(conditions, g.condition(1).at(precAnd))
	}
	if len(conditions) > 0 {
		g.line("if %s {", strings.Join(conditions, " && "))
		g.indent++
	}
	for range 1 + g.r.IntN(8)/7 {
		g.printCall()
	}
	if len(conditions) > 0 {
		g.indent--
		g.line("}")
	}
}

// verbs are those that take any value of a class.
var verbs = struct{ any, bools, ints, floats, both []string }{
	any:    []string{"%v", "%T", "%6v"},
	bools:  []string{"%t", "%6t", "%-7t"},
	ints:   []string{"%d", "%d", "%d", "%+d", "%5d", "%-6d|", "%06d", "% d", "%x", "%#x", "%X", "%o", "%#o", "%O", "%b", "%q", "%U", "%#U", "%[N]d %[N]T", "%.3d"},
	floats: []string{"%g", "%g", "%g", "%+g", "%e", "%.3e", "%10.2f", "%G", "%F", "%08.1f", "% g", "%#g", "%[N]g %[N]T", "%x"},
	both:   []string{"%x", "%b", "%v", "%T", "%+v"},
}

// printCall writes `print("format", …)`, which prints one line.
func (g *generator) printCall() {
	if g.one(24) { // a constant has a type of its own
		g.line(`print("%%v %%[1]T\n", %s)`, pick(g, []string{"7", "-1.5", "true", "1 << 20"}))
		return
	}
	format := pick(g, []string{"", "", "at ", "100%% ", "\\t\"π\" ", "a\\\\b "})
	var values []string
	for n := g.r.IntN(9) * g.r.IntN(2) / (1 + g.r.IntN(3)); len(values) < n; {
		k := g.scalar()
		e := g.live(k, 1+g.r.IntN(2))
		list := verbs.both
		switch {
		case g.one(8):
			list = verbs.any
		case k.isBool():
			list = verbs.bools
		case k.isInt():
			list = verbs.ints
		case k.isFloat():
			list = verbs.floats
		}
		verb := pick(g, list)
		switch {
		case len(values) < 7 && k.isInt() && g.one(12): // a width that is a value
			values = append(values, g.small(intKind, 7).s)
			verb = "%*d"
		case k.isInt() && g.one(12): // a character that is no end of a line
			e = g.small(k, 7)
			verb = "%c"
		}
		values = append(values, e.s)
		format += strings.ReplaceAll(verb, "N", fmt.Sprint(len(values))) + pick(g, []string{" ", ", ", "/", ";"})
	}
	g.line("print(%s)", strings.Join(append([]string{`"` + strings.ReplaceAll(format, `"`, `\"`) + `\n"`}, values...), ", "))
}
