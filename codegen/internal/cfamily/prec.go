package cfamily

import "strings"

// Prec is how tightly an expression holds together, in C's order; Go's differs.
type Prec uint8

// The levels of C++.
const (
	PrecCond Prec = iota + 1 // ?:
	PrecLogOr
	PrecLogAnd
	PrecBitOr
	PrecBitXor
	PrecBitAnd
	PrecEqual
	PrecRelation
	PrecShift
	PrecAdd
	PrecMul
	PrecUnary // prefix operators and casts
	PrecPostfix
)

// Expr is the text of an expression and how tightly it holds together.
type Expr struct {
	Text string
	Prec Prec
}

// Atom is an expression that needs parentheses nowhere: a name, a literal, a call.
func Atom(text string) Expr { return Expr{text, PrecPostfix} }

// At gives the text as an operand that must hold at least as tightly as min.
func (e Expr) At(min Prec) string {
	if e.Prec < min {
		return "(" + e.Text + ")"
	}
	return e.Text
}

// infixes has the level of each infix operator.
var infixes = map[string]Prec{
	"||": PrecLogOr, "&&": PrecLogAnd, "|": PrecBitOr, "^": PrecBitXor, "&": PrecBitAnd, "==": PrecEqual, "!=": PrecEqual,
	"<": PrecRelation, "<=": PrecRelation, ">": PrecRelation, ">=": PrecRelation, "<<": PrecShift, ">>": PrecShift,
	"+": PrecAdd, "-": PrecAdd, "*": PrecMul, "/": PrecMul, "%": PrecMul,
}

// Infix is x op y. Beyond what C needs it writes the parentheses that compilers ask for: around arithmetic in shifts and
// bit operations, around comparisons of comparisons, around && in ||.
func Infix(x Expr, op string, y Expr) Expr {
	prec := infixes[op]
	left, right := prec, prec+1
	switch op {
	case "|", "^", "&":
		left, right = PrecUnary, PrecUnary
		if x.Prec == prec {
			left = prec
		}
	case "<<", ">>":
		left, right = PrecUnary, PrecUnary
	case "==", "!=", "<", "<=", ">", ">=":
		left, right = PrecShift, PrecShift
	case "||":
		left, right = PrecBitOr, PrecBitOr
		if x.Prec == prec {
			left = prec
		}
	}
	return Expr{x.At(left) + " " + op + " " + y.At(right), prec}
}

// Prefix is op x; two minus signs never meet.
func Prefix(op string, x Expr) Expr {
	text := x.At(PrecUnary)
	if strings.HasPrefix(text, op) && (op == "-" || op == "+") {
		text = "(" + text + ")"
	}
	return Expr{op + text, PrecUnary}
}

// Cast is (type)x.
func Cast(typ string, x Expr) Expr { return Expr{"(" + typ + ")" + x.At(PrecUnary), PrecUnary} }

// Cond is c ? x : y.
func Cond(c, x, y Expr) Expr {
	return Expr{c.At(PrecLogOr) + " ? " + x.At(PrecLogOr) + " : " + y.At(PrecCond), PrecCond}
}

// Call is f(args…).
func Call(f string, args ...Expr) Expr {
	text := make([]string, len(args))
	for i, a := range args {
		text[i] = a.Text
	}
	return Atom(f + "(" + strings.Join(text, ", ") + ")")
}
