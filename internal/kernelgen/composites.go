package kernelgen

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
)

// composite is what values of a kind are made of that is no scalar.
type composite struct {
	elem   *kind // of a vector
	n      int
	fields []field // of a struct
	parts  []part
}

// field is a field of a struct.
type field struct {
	shape
	name string
}

// part is what a value holds: a component, a field, an element of an array, or a part of these.
type part struct {
	shape
	path []step
}

// step is one step towards a part: a selector, or an index into an array.
type step struct {
	text    string
	dims    []int64
	between string
}

func (k *kind) isComposite() bool { return k.comp != nil }
func (k *kind) isVector() bool    { return k.comp != nil && k.comp.elem != nil }
func (k *kind) isStruct() bool    { return k.comp != nil && k.comp.elem == nil }
func (k *kind) isNumber() bool    { return k.comp == nil && !k.isBool() }

// numbers reports a number or a vector of numbers.
func (k *kind) numbers() bool { return k.isNumber() || k.isVector() && !k.comp.elem.isBool() }

// scalars is how many scalars a value of the shape has.
func (s shape) scalars() int64 {
	n := int64(1)
	for _, d := range s.dims {
		n *= d
	}
	switch {
	case s.kind.isVector():
		n *= int64(s.kind.comp.n)
	case s.kind.isStruct():
		all := int64(0)
		for _, f := range s.kind.comp.fields {
			all += f.scalars()
		}
		n *= all
	}
	return n
}

// vector is the kind of vectors of n scalars of a basic kind.
func (g *generator) vector(elem *kind, n int) *kind {
	name := fmt.Sprintf("%sx%d", elem.name, n)
	if k := g.vectors[name]; k != nil {
		return k
	}
	k := &kind{name: name, comp: &composite{elem: elem, n: n}}
	for i := range n {
		k.comp.parts = append(k.comp.parts, part{shape{kind: elem}, []step{{text: "." + types.Components[i:i+1]}}})
	}
	if g.vectors == nil {
		g.vectors = map[string]*kind{}
	}
	g.vectors[name] = k
	return k
}

// basicKind is a kind of the palette or bool: what vectors and structs hold.
func (g *generator) basicKind() *kind {
	if g.one(8) {
		return boolKind
	}
	return pick(g, g.palette)
}

// chooseComposites chooses the vectors and structs of a kernel, and declares the structs.
func (g *generator) chooseComposites() {
	if g.one(2) {
		for range 1 + g.r.IntN(2) {
			g.composites = append(g.composites, g.vector(g.basicKind(), 2+g.r.IntN(3)))
		}
	}
	if g.one(3) {
		for range 1 + g.r.IntN(2) {
			g.structType()
		}
	}
}

var fieldNames = []string{"pos", "Vel", "x", "w", "half", "float", "register", "value", "Data", "this", "hits", "template", "Mass", "thread", "xy", "first"}

// structType declares a struct; it may hold vectors, arrays and the structs before it.
func (g *generator) structType() {
	// Of capital letters, or the wrappers of kernels that take one could not be called from another package.
	k := &kind{name: fmt.Sprintf("%s%d_%d", pick(g, []string{"S", "St"}), g.seed, len(g.composites)), comp: &composite{}}
	seen := map[string]bool{}
	var text []string
	for range 1 + g.r.IntN(4) {
		f := field{shape{kind: g.basicKind()}, pick(g, fieldNames)}
		if seen[f.name] {
			continue
		}
		seen[f.name] = true
		switch {
		case g.one(3):
			f.kind = g.vector(g.basicKind(), 2+g.r.IntN(3))
		case len(g.composites) > 0 && g.one(3):
			f.kind = pick(g, g.composites)
		}
		if g.one(4) {
			f.dims = pick(g, [][]int64{{2}, {3}, {2, 2}})
			f.nested = len(f.dims) > 1 && g.one(2)
		}
		if f.scalars() > 8 {
			f.shape = shape{kind: pick(g, g.palette)}
		}
		k.comp.fields = append(k.comp.fields, f)
		text = append(text, f.name+" "+f.String())
	}
	k.comp.parts = partsOf(k.comp)
	g.line("type %s struct {\n\t%s\n}\n", k.name, strings.Join(text, "\n\t"))
	g.composites = append(g.composites, k)
}

// partsOf lists the parts of a struct, the fields first and each before its own.
func partsOf(c *composite) (out []part) {
	for _, f := range c.fields {
		p := part{f.shape, []step{{text: "." + f.name}}}
		out = append(out, p)
		if f.array() {
			p = part{shape{kind: f.kind}, append(p.path[:1:1], step{dims: f.dims, between: f.between()})}
			out = append(out, p)
		}
		if f.kind.isComposite() {
			for _, inner := range f.kind.comp.parts {
				out = append(out, part{inner.shape, append(p.path[:len(p.path):len(p.path)], inner.path...)})
			}
		}
	}
	return out
}

// walk is the text of a part of the value that base names.
func (g *generator) walk(base string, p part) string {
	for _, s := range p.path {
		if s.dims == nil {
			base += s.text
			continue
		}
		var at []string
		for _, d := range s.dims {
			at = append(at, g.inside(d).s)
		}
		base += "[" + strings.Join(at, s.between) + "]"
	}
	return base
}

// fitting are the parts of k of a shape.
func (k *kind) fitting(s shape) (out []part) {
	if k.isComposite() {
		for _, p := range k.comp.parts {
			if p.equal(s) {
				out = append(out, p)
			}
		}
	}
	return out
}

// partOf reads a part of that shape: of a variable, of an element of an array or of a view.
func (g *generator) partOf(s shape) (expr, bool) {
	if len(g.composites) == 0 || g.indexes >= 2 {
		return expr{}, false
	}
	var ways []func() string
	for _, v := range g.visible() {
		if parts := v.kind.fitting(s); len(parts) > 0 {
			ways = append(ways, func() string {
				v.used = true
				base := v.name
				if v.array() {
					base = g.at(v)
				}
				return g.walk(base, pick(g, parts))
			})
		}
	}
	for _, v := range g.views {
		if parts := v.kind.fitting(s); len(parts) > 0 && !v.twin && g.readable(v) {
			ways = append(ways, func() string { return g.walk(v.name+"["+g.own(v)+"]", pick(g, parts)) })
		}
	}
	if len(ways) == 0 {
		return expr{}, false
	}
	return primary("%s", pick(g, ways)()), true
}

// anything is a kind that variables have: a scalar, a vector or a struct.
func (g *generator) anything() *kind {
	if len(g.composites) > 0 && g.one(5) {
		return pick(g, g.composites)
	}
	return g.scalar()
}

// fromComposite is a scalar of a vector or struct.
func (g *generator) fromComposite(k *kind, depth int) (expr, bool) {
	if depth > 1 && !g.one(3) {
		for _, v := range g.composites {
			if !v.isVector() || v.comp.elem != k || g.one(3) {
				continue
			}
			a := func() string { return g.compositeValue(v, depth-1).s }
			switch {
			case g.one(3):
				return primary("%s.%s", g.compositeValue(v, depth-1).at(precPrimary), g.letters(v.comp.n, 1, false)), true
			case k.isFloat() && g.one(4):
				return primary("length(%s)", a()), true
			case !k.isBool():
				return primary("dot(%s, %s)", a(), a()), true
			}
		}
	}
	return g.partOf(shape{kind: k})
}

// letters are m of the names of n components; apart: none twice.
func (g *generator) letters(n, m int, apart bool) string {
	out := ""
	for len(out) < m {
		c := types.Components[g.r.IntN(n)]
		if !apart || strings.IndexByte(out, c) < 0 {
			out += string(c)
		}
	}
	return out
}

// compositeValue is an expression of a vector's or a struct's kind.
func (g *generator) compositeValue(k *kind, depth int) expr {
	if depth <= 0 || g.one(4) {
		return g.compositeLeaf(k)
	}
	if g.one(5) {
		if e, ok := g.callOf(shape{kind: k}, depth); ok {
			return e
		}
	}
	if g.one(5) {
		if e, ok := g.reading(k, depth); ok {
			return e
		}
	}
	switch {
	case g.one(10):
		return primary("select(%s, %s, %s)", g.condition(depth-1).s, g.compositeValue(k, depth-1).s, g.compositeValue(k, depth-1).s)
	case k.isStruct():
		return g.structLiteral(k, depth-1)
	}
	return g.vectorValue(k, depth)
}

// compositeLeaf is a variable, an element or a part that is there, or a short literal.
func (g *generator) compositeLeaf(k *kind) expr {
	switch g.r.IntN(5) {
	case 0:
		if e, ok := g.load(k); ok {
			return e
		}
	case 1:
		if v := g.find(func(v *variable) bool { return v.kind == k && v.array() && g.indexes < 2 }); v != nil {
			return g.element(v)
		}
	case 2:
		if e, ok := g.partOf(shape{kind: k}); ok {
			return e
		}
	}
	if v := g.find(func(v *variable) bool { return v.kind == k && !v.array() }); v != nil {
		v.used = true
		return primary("%s", v.name)
	}
	if k.isStruct() {
		return g.structLiteral(k, 0)
	}
	return g.construct(k, 0)
}

// structLiteral names some fields, or gives all of them in order.
func (g *generator) structLiteral(k *kind, depth int) expr {
	return expr{s: k.name + g.fieldValues(k, depth), prec: precUnary}
}

func (g *generator) fieldValues(k *kind, depth int) string {
	var list []string
	keyed := g.one(2)
	for _, f := range k.comp.fields {
		if keyed && g.one(3) {
			continue
		}
		e := g.whole(f.shape, depth)
		if keyed {
			e = f.name + ": " + e
		}
		list = append(list, e)
	}
	if keyed {
		g.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// construct is a vector of its components, or of one for all.
func (g *generator) construct(k *kind, depth int) expr {
	n := k.comp.n
	if g.one(4) {
		n = 1
	}
	var list []string
	for range n {
		list = append(list, g.value(k.comp.elem, depth).s)
	}
	return primary("%s(%s)", k.name, strings.Join(list, ", "))
}

func (g *generator) vectorValue(k *kind, depth int) expr {
	elem := k.comp.elem
	v := func() expr { return g.compositeValue(k, depth-1) }
	switch g.r.IntN(12) {
	case 0, 1:
		return g.construct(k, depth-1)
	case 2: // each component converted
		o := pick(g, g.composites)
		if o.isVector() && o.comp.n == k.comp.n && o.comp.elem.isBool() == elem.isBool() {
			return primary("%s(%s)", k.name, g.compositeValue(o, depth-1).s)
		}
	case 3:
		from := g.vector(elem, 2+g.r.IntN(3))
		return primary("%s.%s", g.compositeValue(from, depth-1).at(precPrimary), g.letters(from.comp.n, k.comp.n, false))
	}
	if elem.isBool() {
		return g.construct(k, depth-1)
	}
	switch g.r.IntN(8) {
	case 0:
		if k.comp.n == 3 {
			return primary("cross(%s, %s)", v().s, v().s)
		}
	case 1:
		if elem.isFloat() {
			return primary("normalize(%s)", v().s)
		}
		return unary("^", v())
	case 2:
		return unary("-", v())
	case 3:
		return g.binary(g.live(elem, depth-1), "*", v())
	}
	op, y := g.vectorOperand(k, depth)
	return g.binary(v(), op, y)
}

// vectorOperand is an operator on vectors of kind k and what may stand behind it.
func (g *generator) vectorOperand(k *kind, depth int) (string, expr) {
	elem := k.comp.elem
	ops := []string{"+", "-", "*", "/", "+", "*"}
	if elem.isInt() {
		ops = append(ops, "&", "|", "^", "&^", "<<", ">>")
	}
	op := pick(g, ops)
	scalar := op == "*" || op == "/" || op == "<<" || op == ">>"
	switch {
	case !scalar || g.one(2):
		return op, g.compositeValue(k, depth-1)
	case g.one(3) && (op == "<<" || op == ">>"):
		return op, expr{pick(g, []string{"0", "1", "3", "7", "8", "33", "100"}), precPrimary, true}
	case g.one(3) && op == "/":
		return op, g.nonzero(elem)
	}
	return op, g.live(elem, depth-1)
}

// equality compares two values of a vector or struct. Braces in the head of a statement need parentheses.
func (g *generator) equality(depth int) expr {
	k := pick(g, g.composites)
	side := func() expr {
		e := g.compositeValue(k, depth-1)
		if k.isStruct() {
			return primary("%s", e.at(precPrimary))
		}
		return e
	}
	return g.binary(side(), pick(g, []string{"==", "!="}), side())
}

// updateComposite changes a vector or struct, as a whole or a part of it.
func (g *generator) updateComposite(place string, k *kind) {
	c := k.comp
	switch r := g.r.IntN(9); {
	case r < 2:
		g.line("%s = %s", place, g.compositeValue(k, 2).s)
	case r == 2:
		if !g.swapParts(place, k) {
			g.line("%s = %s", place, g.compositeValue(k, 2).s)
		}
	case r < 6 && k.isVector() && !c.elem.isBool():
		op, y := g.vectorOperand(k, 2)
		g.line("%s %s= %s", place, op, y.s)
	case r == 6 && k.isVector():
		to := g.vector(c.elem, 2+g.r.IntN(c.n-1))
		g.line("%s.%s = %s", place, g.letters(c.n, to.comp.n, true), g.compositeValue(to, 2).s)
	default:
		p := pick(g, c.parts)
		if p.array() {
			g.line("%s = %s", g.walk(place, p), g.whole(p.shape, 1))
			return
		}
		g.update(g.walk(place, p), p.kind)
	}
}

// swapParts exchanges two parts of one value, or copies one to the other.
func (g *generator) swapParts(place string, k *kind) bool {
	p := pick(g, k.comp.parts)
	q := pick(g, k.fitting(p.shape))
	x, y := g.walk(place, p), g.walk(place, q)
	if x == y {
		return false
	}
	if g.one(2) {
		g.line("%s = %s", x, y)
	} else {
		g.line("%s, %s = %s, %s", x, y, y, x)
	}
	return true
}

// deeper is a part of a place that is a vector or struct, as often as not.
func (g *generator) deeper(t target) target {
	if !t.kind.isComposite() || g.one(3) {
		return t
	}
	p := pick(g, t.kind.comp.parts)
	if p.array() {
		return t
	}
	return target{g.walk(t.text, p), p.kind, t.v}
}

// edges is a value of a shape as a run line spells it.
func (g *generator) edges(s shape) string {
	var list []string
	switch {
	case s.array():
		for range s.dims[0] {
			list = append(list, g.edges(shape{kind: s.kind, dims: s.dims[1:]}))
		}
	case s.kind.isVector():
		for range s.kind.comp.n {
			list = append(list, g.edges(shape{kind: s.kind.comp.elem}))
		}
	case s.kind.isStruct():
		for _, f := range s.kind.comp.fields {
			list = append(list, g.edges(f.shape))
		}
	default:
		return g.edge(s.kind)
	}
	return "{" + strings.Join(list, " ") + "}"
}

// compositeArg is a view of vectors or structs in a run line.
func (g *generator) compositeArg(v *view, sizes []string, shaped string, total int64) string {
	seed := g.r.IntN(1000)
	switch {
	case total > 0 && total*(shape{kind: v.kind}).scalars() <= 24 && g.one(2):
		var list []string
		for range total {
			list = append(list, g.edges(shape{kind: v.kind}))
		}
		if len(sizes) == 1 {
			return "[" + strings.Join(list, " ") + "]"
		}
		return shaped + "{" + strings.Join(list, " ") + "}"
	case g.one(3):
		return fmt.Sprintf("fill(%s, %d)", shaped, g.r.IntN(2))
	case g.one(3):
		return fmt.Sprintf("randbits(%d, %s)", seed, shaped)
	}
	return fmt.Sprintf("rand(%d, %s)", seed, shaped)
}
