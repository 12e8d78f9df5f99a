package kernelgen

import (
	"fmt"
	"strings"
)

// statements fills a block from the budget.
func (g *generator) statements() {
	for n := 1 + g.r.IntN(4); n > 0 || len(g.scopes) == 2 && g.budget > 0; n-- {
		g.statement()
	}
}

// block is `{ … }` behind a header that is written already.
func (g *generator) block(first func()) {
	g.indent++
	g.open()
	if first != nil {
		first()
	}
	g.statements()
	g.close()
	g.indent--
}

func (g *generator) statement() {
	g.tell()
	g.budget--
	if g.budget < 0 || len(g.scopes)-g.base > 5 {
		g.simple()
		return
	}
	if (g.loops > 0 || len(g.labels) > 0) && g.one(5) {
		g.exit()
		return
	}
	if g.rows != nil && g.apart == nil && g.loops < 2 && g.one(5) && g.spread() {
		return
	}
	switch g.r.IntN(19) {
	case 16, 17:
		g.switchStmt()
	case 18:
		if g.crew == nil || !g.strides() && !g.raggedStmt() {
			l := &label{}
			g.labelled(l, func() {
				g.line("{")
				g.block(nil)
				g.line("}")
			})
		}
	case 14, 15:
		if !g.along() {
			g.exit()
		}
	case 12:
		if !g.guarded() {
			g.simple()
		}
	case 13:
		if !g.window() {
			g.exit()
		}
	case 0, 1, 2:
		g.ifElse()
	case 3, 4:
		if g.loops < 2 {
			g.loop()
			return
		}
		g.simple()
	case 5:
		if g.one(3) {
			g.line("{")
			g.block(nil)
			g.line("}")
			return
		}
		g.exit()
	default:
		g.simple()
	}
}

// simple is a statement without a block.
func (g *generator) simple() {
	switch g.r.IntN(21) {
	case 18, 19:
		if !g.atomically() {
			g.assign()
		}
	case 20:
		if g.one(5) {
			g.assertion()
			return
		}
		g.assign()
	case 0, 1, 2:
		g.define(g.r.IntN(6))
	case 3:
		if !g.writing() {
			g.defineSeveral()
		}
	case 4:
		if len(g.viewFuncs) > 0 && g.one(3) {
			f := pick(g, g.viewFuncs)
			if f.generic == nil {
				g.arrayFor(f, nil)
				return
			}
		}
		g.localConst()
	case 5, 16, 17:
		g.assignSeveral()
	case 6, 7:
		s := shape{kind: g.anything(), dims: pick(g, [][]int64{{2}, {3}, {4}, {5}, {8}, {2, 3}, {3, 2}})}
		if s.kind.isComposite() {
			s.dims = pick(g, [][]int64{{2}, {3}, {2, 2}})
		}
		if len(s.dims) > 1 {
			s.nested = g.one(2)
		}
		g.declareArray(s)
	case 8, 9:
		if !g.assignElement() {
			g.define(0)
		}
	case 10, 11, 12:
		if g.one(3) && g.writing() {
			return
		}
		if !g.store() {
			g.assign()
		}
	default:
		g.assign()
	}
}

// define declares one scalar.
func (g *generator) define(form int) {
	k := g.anything()
	v := &variable{shape: shape{kind: k}}
	value := ""
	if form > 0 {
		value = g.value(k, 3).s
	}
	v.name = g.fresh(localNames)
	switch form {
	case 0:
		g.line("var %s %s", v.name, k.name)
	case 1:
		g.line("var %s %s = %s", v.name, k.name, value)
	case 2:
		g.line("var %s = %s", v.name, value)
	default:
		g.line("%s := %s", v.name, value)
	}
	g.declare(v)
}

// defineSeveral declares several variables at once, by expressions or by a call.
func (g *generator) defineSeveral() {
	shapes, text := g.results2()
	var names []string
	var vars []*variable
	for _, s := range shapes {
		if len(vars) > 0 && g.one(4) {
			names = append(names, "_")
			continue
		}
		v := &variable{shape: s, name: g.fresh(localNames)}
		for contains(names, v.name) {
			v.name = g.fresh(loopNames)
		}
		names = append(names, v.name)
		vars = append(vars, v)
	}
	g.line("%s := %s", strings.Join(names, ", "), text)
	for _, v := range vars {
		g.declare(v)
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// results2 is the right side of a definition of several variables.
func (g *generator) results2() ([]shape, string) {
	for _, f := range g.funcs {
		if len(f.results) < 2 || g.one(2) {
			continue
		}
		k := g.number()
		if call, ok := g.call(f, k); ok {
			var shapes []shape
			for _, r := range f.results {
				shapes = append(shapes, f.of(r, k))
			}
			g.budget--
			return shapes, call
		}
	}
	var shapes []shape
	var vals []string
	for range 2 + g.r.IntN(2) {
		k := g.anything()
		shapes = append(shapes, shape{kind: k})
		vals = append(vals, g.value(k, 2).s)
	}
	return shapes, strings.Join(vals, ", ")
}

func (g *generator) localConst() {
	if g.one(6) {
		g.declare(g.table(g.fresh(localNames)))
		return
	}
	k := g.number()
	name := g.fresh(localNames)
	g.line("const %s = %s(%s)", name, k.name, g.untyped(k, true).s)
	g.declare(&variable{shape: shape{kind: k}, name: name, konst: true, fixed: true, silent: true})
}

func (g *generator) assign() {
	v := g.assignable(func(v *variable) bool { return !v.array() })
	if v == nil {
		g.define(3)
		return
	}
	g.update(v.name, v.kind)
}

// update writes an assignment of any form to a place.
func (g *generator) update(place string, k *kind) {
	if k.isComposite() {
		g.updateComposite(place, k)
		return
	}
	if k.isBool() || g.one(3) {
		g.line("%s = %s", place, g.value(k, 3).s)
		return
	}
	if g.one(5) {
		g.line("%s%s", place, pick(g, []string{"++", "--"}))
		return
	}
	ops := []string{"+", "-", "*", "/"}
	if k.isInt() {
		ops = append(ops, "%", "&", "|", "^", "&^", "<<", ">>")
	}
	op := pick(g, ops)
	if op == "<<" || op == ">>" {
		g.line("%s %s= %s", place, op, g.counts(2).s)
		return
	}
	e := g.value(k, 3)
	if e.konst && (op == "/" || op == "%") {
		e = g.nonzero(k)
	}
	g.line("%s %s= %s", place, op, e.s)
}

// target is a place that may be assigned: a variable, an element of a local array or of a view.
type target struct {
	text string
	kind *kind
	v    *variable // or nil
}

// read is the text of a place that is read.
func (t target) read() string {
	if t.v != nil {
		t.v.used = true
	}
	return t.text
}

func (g *generator) target() (target, bool) {
	switch g.r.IntN(4) {
	case 0:
		if v := g.assignable(func(v *variable) bool { return v.array() }); v != nil {
			return g.deeper(target{g.at(v), v.kind, v}), true
		}
	case 1, 2:
		if v := g.writable(); v != nil {
			return g.deeper(target{fmt.Sprintf("%s[%s]", v.name, g.own(v)), v.kind, nil}), true
		}
	}
	v := g.assignable(func(v *variable) bool { return !v.array() })
	if v == nil {
		return target{}, false
	}
	return g.deeper(target{v.name, v.kind, v}), true
}

// assignSeveral assigns to several places at once, often what stands in the others.
func (g *generator) assignSeveral() {
	var places []target
	for range 2 + g.r.IntN(2) {
		if p, ok := g.target(); ok {
			places = append(places, p)
		}
	}
	var names, values []string
	for i, p := range places {
		names = append(names, p.text)
		from := places[(i+1)%len(places)]
		switch {
		case from.kind == p.kind && !g.one(4):
			values = append(values, from.read())
		case from.kind != p.kind && p.kind.isNumber() && from.kind.isNumber() && g.one(2):
			values = append(values, p.kind.name+"("+from.read()+")")
		default:
			values = append(values, g.value(p.kind, 2).s)
		}
	}
	if len(places) > 0 {
		g.line("%s = %s", strings.Join(names, ", "), strings.Join(values, ", "))
	}
}

// declareArray declares a local array: zero, by a literal or as a copy.
func (g *generator) declareArray(s shape) {
	v := &variable{shape: s}
	from := g.find(func(o *variable) bool { return o.equal(s) })
	if g.one(3) {
		if e, ok := g.partOf(s); ok {
			v.name = g.fresh(localNames)
			g.line("%s := %s", v.name, e.s)
			g.declare(v)
			return
		}
	}
	rows := g.find(func(o *variable) bool { return o.nested && s.equal(o.row()) })
	switch {
	case rows != nil && g.one(2):
		rows.used = true
		at := fmt.Sprintf("%s[%s]", rows.name, g.inside(rows.dims[0]).s)
		v.name = g.fresh(localNames)
		g.line("%s := %s", v.name, at)
	case from != nil && g.one(2):
		from.used = true
		v.name = g.fresh(localNames)
		g.line("%s := %s", v.name, from.name)
	case g.one(2):
		v.name = g.fresh(localNames)
		g.line("var %s %s", v.name, s)
	default:
		lit := g.elements(s.kind, s.dims)
		v.name = g.fresh(localNames)
		g.line("%s := %s%s", v.name, s, lit)
	}
	g.declare(v)
}

func (g *generator) elements(k *kind, dims []int64) string {
	var list []string
	for i := int64(0); i < dims[0]; i++ {
		if g.one(6) {
			break
		}
		e := ""
		if g.one(8) {
			e = fmt.Sprintf("%d: ", i)
		}
		if len(dims) > 1 {
			e += g.elements(k, dims[1:])
		} else if k.isStruct() && g.one(2) {
			e += g.fieldValues(k, 1)
		} else {
			e += g.value(k, 1).s
		}
		list = append(list, e)
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// assignElement writes an element of a local array, swaps two or copies a whole array.
func (g *generator) assignElement() bool {
	v := g.assignable(func(v *variable) bool { return v.array() })
	if v == nil {
		return false
	}
	switch g.r.IntN(6) {
	case 0:
		v.used = true
		x, y := g.at(v), g.at(v)
		g.line("%s, %s = %s, %s", x, y, y, x)
	case 2:
		if !v.nested {
			g.update(g.at(v), v.kind)
			break
		}
		row := g.find(func(o *variable) bool { return o.equal(v.row()) })
		at := fmt.Sprintf("%s[%s]", v.name, g.inside(v.dims[0]).s)
		switch {
		case row == nil:
			g.line("%s = %s%s", at, v.row(), g.elements(v.kind, v.dims[1:]))
		case !row.fixed && (g.apart == nil || row.depth > 0) && g.one(2):
			v.used = true
			g.line("%s = %s", row.name, at)
		default:
			row.used = true
			g.line("%s = %s", at, row.name)
		}
	case 1:
		if o := g.find(func(o *variable) bool { return o.equal(v.shape) && o.name != v.name }); o != nil {
			o.used = true
			if !o.fixed && (g.apart == nil || o.depth > 0) && g.one(2) {
				v.used = true
				g.line("%s, %s = %s, %s", v.name, o.name, o.name, v.name)
				return true
			}
			g.line("%s = %s", v.name, o.name)
			return true
		}
		fallthrough
	default:
		v.used = true
		g.update(g.at(v), v.kind)
	}
	return true
}

func (g *generator) ifElse() {
	init := ""
	g.open()
	if g.one(5) {
		k := g.number()
		e := g.value(k, 2)
		v := &variable{shape: shape{kind: k}, name: g.fresh(localNames), silent: true}
		init = fmt.Sprintf("%s := %s; ", v.name, e.s)
		g.declare(v)
	}
	head := fmt.Sprintf("if %s%s {", init, g.headCondition(init))
	g.line("%s", head)
	g.block(nil)
	for {
		switch {
		case g.one(3):
			g.line("} else {")
			g.block(nil)
		case g.one(3) && g.budget > 0:
			g.line("} else if %s {", g.condition(2).s)
			g.block(nil)
			continue
		}
		break
	}
	g.line("}")
	g.scopes = g.scopes[:len(g.scopes)-1]
}

// headCondition reads the variable of the header, which must be read.
func (g *generator) headCondition(init string) string {
	if init == "" {
		return g.condition(3).s
	}
	v := g.scopes[len(g.scopes)-1].vars[0]
	v.used = true
	c := g.binary(primary("%s", v.name), pick(g, []string{"<", ">", "!=", ">="}), g.value(v.kind, 1))
	if g.one(2) {
		c = g.binary(c, pick(g, []string{"&&", "||"}), g.condition(1))
	}
	return c.s
}

// exit leaves a loop, an iteration, the function or the point, under a condition.
func (g *generator) exit() {
	var ways []func() string
	way := func(s string) { ways = append(ways, func() string { return s }) }
	if g.exits > 0 {
		way("continue")
	}
	if g.exits > 1 || g.cases {
		way("break")
		way("break")
	}
	ways = append(ways, g.branches()...)
	if g.mayReturn() && (g.inFunc || len(g.scopes) > 2 || g.one(4)) {
		ways = append(ways, g.returned)
	}
	if len(ways) == 0 {
		g.simple()
		return
	}
	g.line("if %s {", g.condition(2).s)
	g.indent++
	g.open()
	if g.one(3) {
		g.simple()
	}
	word := pick(g, ways)()
	g.close()
	g.line("%s", word)
	g.indent--
	g.line("}")
}

// mayReturn reports that the body may be left here. Threads that meet at barriers later may not leave by themselves.
func (g *generator) mayReturn() bool {
	return g.apart == nil && !g.stays && (g.inFunc || g.crew == nil || g.crew.last)
}
