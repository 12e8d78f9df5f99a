package cfamily

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// tree is an expression; its text form has all parentheses.
type tree struct {
	op   string // "" for a name
	args []*tree
	name string
}

func (x *tree) String() string {
	switch {
	case x.op == "":
		return x.name
	case len(x.args) == 1:
		return "(" + x.op + x.args[0].String() + ")"
	case len(x.args) == 3:
		return "(" + x.args[0].String() + "?" + x.args[1].String() + ":" + x.args[2].String() + ")"
	}
	return "(" + x.args[0].String() + x.op + x.args[1].String() + ")"
}

func (x *tree) expr() Expr {
	switch {
	case x.op == "":
		return Atom(x.name)
	case x.op == "(T)":
		return Cast("T", x.args[0].expr())
	case len(x.args) == 1:
		return Prefix(x.op, x.args[0].expr())
	case len(x.args) == 3:
		return Cond(x.args[0].expr(), x.args[1].expr(), x.args[2].expr())
	}
	return Infix(x.args[0].expr(), x.op, x.args[1].expr())
}

// reader parses C expressions by the standard's grammar, independently of the printer's levels.
type reader struct {
	tokens []string
}

var grammar = [][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}

func (r *reader) peek() string {
	if len(r.tokens) == 0 {
		return ""
	}
	return r.tokens[0]
}

func (r *reader) next() string {
	t := r.peek()
	r.tokens = r.tokens[1:]
	return t
}

func (r *reader) conditional() *tree {
	c := r.binary(0)
	if r.peek() != "?" {
		return c
	}
	r.next()
	x := r.conditional()
	if r.next() != ":" {
		panic("no colon")
	}
	return &tree{op: "?", args: []*tree{c, x, r.conditional()}}
}

func (r *reader) binary(level int) *tree {
	if level == len(grammar) {
		return r.unary()
	}
	x := r.binary(level + 1)
	for {
		found := false
		for _, op := range grammar[level] {
			if r.peek() == op {
				r.next()
				x = &tree{op: op, args: []*tree{x, r.binary(level + 1)}}
				found = true
				break
			}
		}
		if !found {
			return x
		}
	}
}

func (r *reader) unary() *tree {
	switch t := r.next(); t {
	case "-", "!", "~", "(T)":
		return &tree{op: t, args: []*tree{r.unary()}}
	case "(":
		x := r.conditional()
		if r.next() != ")" {
			panic("no parenthesis")
		}
		return x
	default:
		return &tree{name: t}
	}
}

func tokens(s string) []string {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		n := 1
		for _, op := range []string{"(T)", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"} {
			if strings.HasPrefix(s, op) {
				n = len(op)
				break
			}
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

func random(r *rand.Rand, depth int) *tree {
	if depth == 0 || r.IntN(5) == 0 {
		return &tree{name: string(rune('a' + r.IntN(6)))}
	}
	switch r.IntN(8) {
	case 0:
		return &tree{op: []string{"-", "!", "~", "(T)"}[r.IntN(4)], args: []*tree{random(r, depth-1)}}
	case 1:
		return &tree{op: "?", args: []*tree{random(r, depth-1), random(r, depth-1), random(r, depth-1)}}
	}
	level := grammar[r.IntN(len(grammar))]
	return &tree{op: level[r.IntN(len(level))], args: []*tree{random(r, depth-1), random(r, depth-1)}}
}

func TestTextParsesToTheSameTree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 20000 {
		x := random(r, 5)
		text := x.expr().Text
		if strings.Contains(text, "--") {
			t.Fatalf("%s is printed as %s", x, text)
		}
		if got := (&reader{tokens(text)}).conditional(); got.String() != x.String() {
			t.Fatalf("%s is printed as %s, which C reads as %s", x, text, got)
		}
	}
}

// TestGoPrecedence is what Go and C read differently, and what compilers warn about.
func TestGoPrecedence(t *testing.T) {
	a, b, c := Atom("a"), Atom("b"), Atom("c")
	for want, x := range map[string]Expr{
		"(a & b) == c":    Infix(Infix(a, "&", b), "==", c),
		"a & (b == c)":    Infix(a, "&", Infix(b, "==", c)),
		"(a << b) + c":    Infix(Infix(a, "<<", b), "+", c),
		"a << (b + c)":    Infix(a, "<<", Infix(b, "+", c)),
		"a ^ (b + c)":     Infix(a, "^", Infix(b, "+", c)),
		"(a ^ b) + c":     Infix(Infix(a, "^", b), "+", c),
		"a - (b - c)":     Infix(a, "-", Infix(b, "-", c)),
		"a - b - c":       Infix(Infix(a, "-", b), "-", c),
		"a | b | c":       Infix(Infix(a, "|", b), "|", c),
		"(a & b) | c":     Infix(Infix(a, "&", b), "|", c),
		"(a && b) || c":   Infix(Infix(a, "&&", b), "||", c),
		"(a < b) == c":    Infix(Infix(a, "<", b), "==", c),
		"-(a * b)":        Prefix("-", Infix(a, "*", b)),
		"-(-a)":           Prefix("-", Prefix("-", a)),
		"a - -b":          Infix(a, "-", Prefix("-", b)),
		"a & ~b":          Infix(a, "&", Prefix("~", b)),
		"(int)(a + b)":    Cast("int", Infix(a, "+", b)),
		"(a ? b : c) + a": Infix(Cond(a, b, c), "+", a),
	} {
		if x.Text != want {
			t.Errorf("%s, want %s", x.Text, want)
		}
	}
}
