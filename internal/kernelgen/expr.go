package kernelgen

import (
	"fmt"
	"strings"
)

// expr is an expression's text. konst says that the checker computes it: two of those never meet in an operation that
// could overflow.
type expr struct {
	s     string
	prec  int
	konst bool
}

// The precedences of Go.
const (
	precOr = iota + 1
	precAnd
	precCompare
	precAdd
	precMul
	precUnary
	precPrimary
)

var precedence = map[string]int{
	"||": precOr, "&&": precAnd, "==": precCompare, "!=": precCompare, "<": precCompare, "<=": precCompare, ">": precCompare, ">=": precCompare,
	"+": precAdd, "-": precAdd, "|": precAdd, "^": precAdd, "*": precMul, "/": precMul, "%": precMul, "&": precMul, "&^": precMul, "<<": precMul, ">>": precMul,
}

func primary(format string, args ...any) expr {
	return expr{s: fmt.Sprintf(format, args...), prec: precPrimary}
}

// at is the text of e where operators of that precedence surround it.
func (e expr) at(prec int) string {
	if e.prec < prec {
		return "(" + e.s + ")"
	}
	return e.s
}

func (g *generator) binary(x expr, op string, y expr) expr {
	p := precedence[op]
	e := expr{s: x.at(p) + " " + op + " " + y.at(p+1), prec: p, konst: x.konst && y.konst}
	if g.one(12) {
		return expr{"(" + e.s + ")", precPrimary, e.konst}
	}
	return e
}

func unary(op string, x expr) expr {
	s := x.at(precUnary)
	if strings.HasPrefix(s, op) { // `--x` is another token
		s = "(" + s + ")"
	}
	return expr{s: op + s, prec: precUnary, konst: x.konst}
}

// value is an expression of kind k.
func (g *generator) value(k *kind, depth int) expr {
	switch {
	case k.isComposite():
		return g.compositeValue(k, depth)
	case depth <= 0 || g.one(6):
		return g.leaf(k)
	case len(g.composites) > 0 && g.one(8):
		if e, ok := g.fromComposite(k, depth); ok {
			return e
		}
	}
	switch {
	case k.isBool():
		return g.condition(depth)
	}
	if g.one(6) {
		if e, ok := g.callOf(shape{kind: k}, depth); ok {
			return e
		}
	}
	if g.one(6) {
		if e, ok := g.reading(k, depth); ok {
			return e
		}
	}
	if g.one(120) {
		if e, ok := g.random(k, depth); ok {
			return e
		}
	}
	if g.one(24) || g.rows != nil && g.apart == nil && g.comps == 0 && g.one(8) {
		if e, ok := g.comprehension(k, depth); ok {
			return e
		}
	}
	switch g.r.IntN(8) {
	case 0:
		return g.convert(k, depth)
	case 1:
		return primary("select(%s, %s, %s)", g.condition(depth-1).s, g.value(k, depth-1).s, g.live(k, depth-1).s)
	case 2:
		return g.extreme(k, depth)
	}
	if k.isFloat() {
		return g.float(k, depth)
	}
	if k.isInt() {
		return g.int(k, depth)
	}
	return g.arith(k, depth, "+", "-", "*", "/")
}

// live is an expression that is no constant.
func (g *generator) live(k *kind, depth int) expr {
	e := g.value(k, depth)
	if e.konst {
		return g.alive(k)
	}
	return e
}

// alive is a short expression of a number's kind that is no constant.
func (g *generator) alive(k *kind) expr {
	if v := g.find(func(v *variable) bool { return v.kind == k && !v.array() && !v.konst }); v != nil {
		v.used = true
		return primary("%s", v.name)
	}
	if k.isComposite() {
		return g.compositeLeaf(k)
	}
	if k.isBool() {
		return g.binary(primary("%s", g.anchor), "!=", expr{"0", precPrimary, true})
	}
	return primary("%s(%s)", k.name, g.anchor)
}

func (g *generator) arith(k *kind, depth int, ops ...string) expr {
	op := pick(g, ops)
	if g.one(12) && op != "/" && op != "%" {
		return g.binary(g.literal(k), op, g.live(k, depth-1))
	}
	x := g.live(k, depth-1)
	y := g.value(k, depth-1)
	if y.konst && (op == "/" || op == "%") {
		y = g.nonzero(k)
	}
	if y.konst && g.one(2) { // an untyped constant takes the other's type
		y = g.untyped(k, op == "/" || op == "%")
	}
	return g.binary(x, op, y)
}

func (g *generator) int(k *kind, depth int) expr {
	switch g.r.IntN(12) {
	case 0:
		return unary(pick(g, []string{"-", "^", "+"}), g.live(k, depth-1))
	case 1:
		return primary("%s(%s)", pick(g, []string{"popcount", "clz", "ctz", "reverse"}), g.value(k, depth-1).s)
	case 2:
		return primary("rotl(%s, %s)", g.value(k, depth-1).s, g.counts(depth-1).s)
	case 3:
		return primary("mulhi(%s, %s)", g.value(k, depth-1).s, g.live(k, depth-1).s)
	case 4:
		x, y := g.live(k, depth-1), g.value(k, depth-1)
		if y.konst { // and with it every variable in it
			y = g.binary(y, "|", expr{"1", precPrimary, true})
		}
		return primary("mod(%s, %s)", x.s, y.s)
	case 5:
		return primary("ceildiv(%s, max(%s, 1))", g.live(k, depth-1).s, g.live(k, depth-1).s)
	case 6, 7:
		return g.binary(g.live(k, depth-1), pick(g, []string{"<<", ">>"}), g.counts(depth-1))
	case 8:
		if e, ok := g.fromBits(k); ok {
			return e
		}
	case 9: // constants that could be gathered
		e := g.live(k, depth-1)
		ops := pick(g, [][]string{{"+", "-"}, {"*", "*"}, {"&", "&"}, {"|", "^"}, {"+", "*"}, {"/", "/"}, {"-", "+"}})
		for _, op := range ops {
			e = g.binary(e, op, g.untyped(k, true))
		}
		if g.one(3) && ops[0] != "/" {
			return g.binary(g.literal(k), ops[0], e)
		}
		return e
	}
	return g.arith(k, depth, "+", "-", "*", "/", "%", "&", "|", "^", "&^", "+", "-", "*")
}

// counts is a shift count: any integer, often around the widths.
func (g *generator) counts(depth int) expr {
	switch g.r.IntN(4) {
	case 0:
		return expr{pick(g, []string{"0", "1", "3", "7", "8", "15", "16", "31", "32", "33", "63", "64", "65", "100", "300", "4294967296"}), precPrimary, true}
	case 1:
		return g.live(g.integer(), depth)
	}
	k := g.integer()
	return g.binary(g.live(k, depth), "&", expr{pick(g, []string{"7", "15", "31", "63", "127"}), precPrimary, true})
}

func (g *generator) float(k *kind, depth int) expr {
	v := func() expr { return g.live(k, depth-1) }
	switch g.r.IntN(14) {
	case 0:
		return unary("-", v())
	case 1:
		return primary("%s(%s)", pick(g, []string{"floor", "ceil", "trunc", "round", "roundeven"}), v().s)
	case 2:
		return primary("sqrt(%s)", v().s)
	case 3:
		if k.halves() {
			break
		}
		return primary("fma(%s, %s, %s)", v().s, g.value(k, depth-1).s, g.value(k, depth-1).s)
	case 4:
		return primary("%s(%s, %s)", pick(g, []string{"fmin", "fmax"}), v().s, g.value(k, depth-1).s)
	case 5:
		return primary("lerp(%s, %s, %s)", v().s, g.value(k, depth-1).s, g.value(k, depth-1).s)
	case 6:
		return primary("mod(%s, %s)", v().s, g.value(k, depth-1).s)
	case 7:
		if x := g.find(func(x *variable) bool { return x.kind == k && !x.array() && !x.konst }); x != nil {
			x.used = true // the sign of a NaN is open
			return primary("copysign(%s, select(isnan(%s), 1, %s))", g.value(k, depth-1).s, x.name, x.name)
		}
	case 8:
		if k.single() {
			from := basic(pick(g, patterns[k.set[0]]))
			return primary("bits.%s(%s)", k.name, g.value(from, depth-1).s)
		}
	case 9: // a product rounded by itself
		return primary("%s(%s)", k.name, g.binary(v(), "*", g.value(k, depth-1)).s)
	case 10, 11:
		return g.binary(g.binary(v(), "*", v()), pick(g, []string{"+", "-"}), v())
	}
	return g.arith(k, depth, "+", "-", "*", "/", "+", "-", "*")
}

// fromBits is the bits of a float that is no NaN.
func (g *generator) fromBits(k *kind) (expr, bool) {
	x := g.find(func(x *variable) bool { return k.patternOf(x.kind) && !x.array() && !x.konst })
	if x == nil {
		return expr{}, false
	}
	x.used = true
	return primary("bits.%s(select(isnan(%s), 0, %s))", k.name, x.name, x.name), true
}

func (g *generator) extreme(k *kind, depth int) expr {
	v := func() string { return g.value(k, depth-1).s }
	switch g.r.IntN(6) {
	case 0:
		return primary("abs(%s)", g.live(k, depth-1).s)
	case 1:
		return primary("sign(%s)", g.live(k, depth-1).s)
	case 2:
		return primary("clamp(%s, %s, %s)", g.live(k, depth-1).s, v(), v())
	case 3:
		return primary("%s(%s, %s, %s)", pick(g, []string{"min", "max"}), v(), g.live(k, depth-1).s, v())
	case 4:
		return primary("%s(%s, %s)", pick(g, []string{"min", "max"}), g.untyped(k, false).s, g.live(k, depth-1).s)
	}
	return primary("%s(%s, %s)", pick(g, []string{"min", "max"}), g.live(k, depth-1).s, v())
}

func (g *generator) convert(k *kind, depth int) expr {
	return primary("%s(%s)", k.name, g.live(g.number(), depth-1).s)
}

// condition is an expression of kind bool.
func (g *generator) condition(depth int) expr {
	if depth <= 0 {
		return g.leaf(boolKind)
	}
	switch g.r.IntN(9) {
	case 7:
		if len(g.composites) > 0 && g.one(2) {
			return g.equality(depth)
		}
	case 8:
		if g.one(3) {
			if e, ok := g.comprehension(boolKind, depth); ok {
				return e
			}
		}
	case 0:
		return unary("!", g.condition(depth-1))
	case 1, 2:
		return g.binary(g.condition(depth-1), "&&", g.condition(depth-1))
	case 3:
		return g.binary(g.condition(depth-1), "||", g.condition(depth-1))
	case 4:
		if g.one(2) {
			return g.leaf(boolKind)
		}
		return g.binary(g.live(boolKind, depth-1), pick(g, []string{"==", "!="}), g.condition(depth-1))
	case 5:
		for _, k := range g.palette {
			if k.isFloat() {
				return primary("%s(%s)", pick(g, []string{"isnan", "isinf"}), g.live(k, depth-1).s)
			}
		}
	}
	k := g.number()
	y := g.value(k, depth-1)
	if y.konst && g.one(2) {
		y = g.untyped(k, false)
	}
	return g.binary(g.live(k, depth-1), pick(g, []string{"==", "!=", "<", "<=", ">", ">="}), y)
}

// leaf is a variable, an element, a constant or a short conversion.
func (g *generator) leaf(k *kind) expr {
	switch g.r.IntN(10) {
	case 0:
		return g.literal(k)
	case 1, 2:
		if e, ok := g.load(k); ok {
			return e
		}
	case 3:
		if v := g.find(func(v *variable) bool { return v.kind == k && v.array() && g.indexes < 2 }); v != nil {
			return g.element(v)
		}
	case 4:
		if v := g.find(func(v *variable) bool { return v.kind != k && !v.array() && v.kind.isNumber() && !v.konst }); v != nil && !k.isBool() {
			v.used = true
			return primary("%s(%s)", k.name, v.name)
		}
	case 5:
		if k == intKind {
			if e, ok := g.extent(); ok {
				return e
			}
		}
	case 6:
		if e, ok := g.partOf(shape{kind: k}); ok {
			return e
		}
	}
	if v := g.find(func(v *variable) bool { return v.kind == k && !v.array() }); v != nil {
		v.used = true
		return expr{v.name, precPrimary, v.konst}
	}
	if g.one(2) {
		if e, ok := g.load(k); ok {
			return e
		}
	}
	if g.one(3) {
		return g.literal(k)
	}
	return g.alive(k)
}

func (g *generator) element(v *variable) expr {
	v.used = true
	at, konst := g.place(v)
	return expr{at, precPrimary, konst && v.konst}
}

// index is an expression for use in an index.
func (g *generator) index(k *kind, depth int) expr {
	g.indexes++
	defer func() { g.indexes-- }()
	return g.live(k, depth)
}

// at is an element of a local array.
func (g *generator) at(v *variable) string {
	s, _ := g.place(v)
	return s
}

// place is an element of a local array or a table; konst says that its indexes are constants.
func (g *generator) place(v *variable) (text string, konst bool) {
	var at []string
	konst = true
	for _, d := range v.dims {
		e := g.inside(d)
		at = append(at, e.s)
		konst = konst && e.konst
	}
	return v.name + "[" + strings.Join(at, v.between()) + "]", konst
}

// inside is an integer from 0 to n-1, by construction.
func (g *generator) inside(n int64) expr {
	if g.one(4) {
		return expr{fmt.Sprint(g.r.Int64N(n)), precPrimary, true}
	}
	if v := g.find(func(v *variable) bool { return v.below > 0 && v.below <= n && v.kind.isInt() && !v.array() }); v != nil && !g.one(3) {
		v.used = true
		return primary("%s", v.name)
	}
	k := g.integer()
	if n > 127 || g.one(3) { // which int8 does not hold
		k = intKind // indexes are where a pass may compute in 32 bits
	}
	if n > 100 { // the narrowest kinds have no such number
		k = int32Kind
	}
	e := g.index(k, 2)
	limit := expr{fmt.Sprint(n), precPrimary, true}
	switch {
	case n&(n-1) == 0 && g.one(2):
		return g.binary(e, "&", expr{fmt.Sprint(n - 1), precPrimary, true})
	case k.isUnsigned() && g.one(2):
		return g.binary(e, "%", limit)
	case g.one(3):
		return primary("clamp(%s, 0, %d)", e.s, n-1)
	case g.one(3):
		return primary("min(max(%s, 0), %d)", e.s, n-1)
	case k.isSigned() && g.one(2):
		return primary("abs(%s)", g.binary(e, "%", limit).s)
	}
	return primary("mod(%s, %s)", e.s, limit.s)
}

// small is a number of kind k from 0 to n, which is 1, 3 or 7, and no constant.
func (g *generator) small(k *kind, n int) expr {
	return g.binary(g.live(k, 1), "&", expr{fmt.Sprint(n), precPrimary, true})
}
