package kernelgen

import (
	"fmt"
	"strings"
)

// apart is the state inside a `for … in`, whose iterations have no order: the one view that may be touched, at the
// loop's own indexes alone.
type apart struct {
	view    *view
	names   map[int]string // by dim
	updates *view          // another one that all iterations update atomically, or nil
}

// within runs f inside a loop whose exits may be left: 0 none, 1 by continue, 2 by break as well.
func (g *generator) within(exits int, f func()) {
	old, cases := g.exits, g.cases
	g.exits, g.cases = exits, false
	g.loops++
	f()
	g.loops--
	g.exits, g.cases = old, cases
}

// run writes a loop whose first line is given; first and last write into its body.
func (g *generator) run(head string, exits int, first, last func()) {
	l := &label{loop: true, unordered: exits < 2}
	g.labelled(l, func() {
		g.line("%s", head)
		g.within(exits, func() { g.block(first) })
		if last != nil {
			last()
		}
		g.line("}")
	})
}

func (g *generator) loop() {
	g.open()
	defer func() { g.scopes = g.scopes[:len(g.scopes)-1] }()
	switch g.r.IntN(8) {
	case 0, 1:
		g.threeClause()
	case 2, 3:
		g.overRange()
	case 4:
		g.conditionLoop()
	case 5:
		g.endless()
	default:
		if g.apart != nil || !g.forIn() {
			g.overRange()
		}
	}
}

// bound is a limit of at most 7 for a loop's counter of kind k.
func (g *generator) bound(k *kind) (expr, int64) {
	if g.one(2) {
		n := 1 + g.r.IntN(5)
		return expr{fmt.Sprint(n), precPrimary, true}, int64(n)
	}
	if k.isInt() {
		return g.small(k, 3), 3
	}
	return primary("fmin(%s, 3)", g.live(k, 1).s), 3
}

func (g *generator) threeClause() {
	k := g.integer()
	if g.one(8) {
		for _, p := range g.palette {
			if p.isFloat() {
				k = p
			}
		}
	}
	limit, n := g.bound(k)
	v := &variable{shape: shape{kind: k}, name: g.fresh(loopNames), fixed: true, silent: true, below: n}
	more := func(c expr) string {
		if g.one(4) {
			return g.binary(c, "&&", g.condition(1)).s
		}
		return c.s
	}
	x := primary("%s", v.name)
	var head string
	up := false
	switch g.r.IntN(5) {
	case 0: // downwards
		v.below = n + 1
		head = fmt.Sprintf("for %s := %s(%s); %s; %s--", v.name, k.name, limit.s, more(g.binary(x, ">", expr{"0", precPrimary, true})), v.name)
		if k.isFloat() { // a fraction would still end it, a NaN never begins
			v.below = 0
		}
	case 1: // by halves
		op := pick(g, []string{"/= 2", "/= 3"})
		if k.isInt() && g.one(2) {
			op = ">>= 1"
		}
		if k.isFloat() {
			op = "-= 1.5"
			v.below = -1
		}
		v.below++
		head = fmt.Sprintf("for %s := %s(%s); %s; %s %s", v.name, k.name, limit.s, more(g.binary(x, ">", expr{"0", precPrimary, true})), v.name, op)
	case 2:
		v.below += 1
		head = fmt.Sprintf("for %s := %s(0); %s; %s += 2", v.name, k.name, more(g.binary(x, "<=", limit)), v.name)
	default:
		up = true
		head = fmt.Sprintf("for %s := %s(0); %s; %s++", v.name, k.name, more(g.binary(x, "<", limit)), v.name)
	}
	g.declare(v)
	g.run(head+" {", 2, func() {
		if up && k.isInt() && g.one(8) { // a step more
			v.below = 0
			g.line("%s += %s", v.name, g.binary(g.live(k, 1), "&", expr{"1", precPrimary, true}).s)
		}
	}, nil)
}

// end is the end of a range, and what its index stays below.
func (g *generator) end(k *kind) (n expr, _ *kind, below int64) {
	switch g.r.IntN(4) {
	case 0:
		c := 1 + g.r.IntN(5)
		return expr{fmt.Sprint(c), precPrimary, true}, intKind, int64(c)
	case 1: // below zero nothing runs
		return g.binary(g.live(k, 1), "%", expr{"5", precPrimary, true}), k, 4
	case 2:
		if g.count != nil {
			return primary("%s", g.count.text), intKind, 0
		}
	}
	return g.small(k, 3), k, 3
}

func (g *generator) overRange() {
	k := g.integer()
	var n expr
	below := int64(0)
	var first func()
	moving := g.assignable(func(v *variable) bool { return v.kind.isInt() && !v.array() })
	switch form := g.r.IntN(6); {
	case form < 2 && moving != nil: // the body changes what the end was computed from
		moving.used = true
		k = moving.kind
		n, below = g.binary(primary("%s", moving.name), "&", expr{"3", precPrimary, true}), 3
		g.taken[moving.name] = true
		defer delete(g.taken, moving.name)
		first = func() { g.update(moving.name, moving.kind) }
	default:
		n, k, below = g.end(k)
	}
	if g.one(5) {
		g.run("for range "+n.s+" {", 2, first, nil)
		return
	}
	if o := g.assignable(func(v *variable) bool { return v.kind == k && !v.array() }); o != nil && g.one(4) {
		g.run("for "+o.name+" = range "+n.s+" {", 2, first, nil)
		return
	}
	// Assigning to the index changes this iteration alone, but then it bounds nothing.
	v := &variable{shape: shape{kind: k}, name: g.fresh(loopNames), below: below}
	if g.one(4) {
		v.below = 0
	} else {
		v.fixed = true
	}
	head := fmt.Sprintf("for %s := range %s {", v.name, n.s)
	g.declare(v)
	g.taken[v.name] = true // hidden, it could not be read at the end
	g.run(head, 2, first, func() {
		delete(g.taken, v.name)
		if !v.used {
			g.line("\t_ = %s", v.name)
		}
	})
}

func (g *generator) turns() *variable {
	k := pick(g, []*kind{intKind, int32Kind, g.integer()})
	v := &variable{shape: shape{kind: k}, name: g.fresh(loopNames), fixed: true, silent: true, used: true}
	g.line("%s := %s(0)", v.name, k.name)
	return v
}

func (g *generator) conditionLoop() {
	outer := len(g.scopes) - 2
	v := g.inOuter(outer)
	limit := 1 + g.r.IntN(4)
	c := g.binary(primary("%s", v.name), "<", expr{fmt.Sprint(limit), precPrimary, true})
	if g.one(2) {
		c = g.binary(c, "&&", g.condition(2))
	}
	g.run("for "+c.s+" {", 2, func() { g.line("%s++", v.name) }, nil)
}

// inOuter declares a counter in the block that holds the loop.
func (g *generator) inOuter(outer int) *variable {
	inner := g.scopes[outer+1:]
	g.scopes = g.scopes[:outer+1]
	v := g.turns()
	g.declare(v)
	g.scopes = append(g.scopes, inner...)
	return v
}

func (g *generator) endless() {
	v := g.inOuter(len(g.scopes) - 2)
	g.run("for {", 2, func() {
		g.line("%s++", v.name)
		g.line("if %s > %d {", v.name, 1+g.r.IntN(4))
		g.line("\tbreak")
		g.line("}")
	}, nil)
}

// forIn is an unordered loop over the constant dims of a view that it writes.
func (g *generator) forIn() bool {
	var of []*view
	for _, v := range g.views {
		if v.mut && v.constant() > 0 && v.mode == private && !v.strided && !v.ragged {
			of = append(of, v)
		}
	}
	if len(of) == 0 {
		return false
	}
	v := pick(g, of)
	a := &apart{view: v, names: map[int]string{}, updates: g.updatable(v)}
	if a.updates != nil {
		a.updates.family = g.familyOf(a.updates.kind)
	}
	var names, extents []string
	var vars []*variable
	for d, x := range v.dims {
		if !x.whole() {
			continue
		}
		loopVar := &variable{shape: shape{kind: intKind}, name: g.fresh(loopNames), fixed: true, silent: true, used: true, below: x.most}
		for contains(names, loopVar.name) {
			loopVar.name = g.fresh(loopNames)
		}
		if x.most != x.n {
			loopVar.below = 0
		}
		extent := x.text
		switch {
		case x.n == 0:
			loopVar.below = 0
			extent = pick(g, []string{x.text, "1:" + x.text, "0:" + x.text, "min(" + x.text + ", 3)", x.text + "/2:" + x.text})
		case x.n > 1 && g.one(4):
			extent = "1:" + x.text
		case x.n >= 3 && g.one(4):
			extent = g.small(intKind, 3).s
		case g.one(8):
			extent = fmt.Sprintf("int(%s):%s", g.inside(x.n).s, x.text)
		}
		a.names[d] = loopVar.name
		names = append(names, loopVar.name)
		extents = append(extents, extent)
		vars = append(vars, loopVar)
	}
	for _, v := range vars {
		g.declare(v)
		g.taken[v.name] = true
	}
	outer := g.labels
	g.labels = nil
	g.apart = a
	g.run(fmt.Sprintf("for %s in %s {", strings.Join(names, ", "), strings.Join(extents, ", ")), 1, func() { g.store() }, nil)
	g.apart = nil
	g.labels = outer
	for _, n := range names {
		delete(g.taken, n)
	}
	return true
}
