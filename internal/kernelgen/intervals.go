package kernelgen

import (
	"fmt"
	"strings"
)

// intervals writes what all threads of a block reach: stretches that end with a barrier, and uniform loops and branches
// round such. Where one begins and ends, nobody waits to touch anything.
func (g *generator) intervals(n int) {
	c := g.crew
	for range n {
		g.budget--
		switch r := g.r.IntN(20); {
		case r < 3 && c.nest < 2 && g.budget > 0:
			g.evenLoop()
		case r < 5 && c.nest < 2 && g.budget > 0:
			g.evenIf()
		case r == 5 && c.nest < 2 && g.budget > 0:
			g.evenSwitch()
		case r == 6:
			g.tree()
		case r == 7:
			g.evenValue()
		case r == 8 && c.nest > 0:
			g.evenExit()
		case r == 9 && c.nest < 2:
			g.sharedArray()
		case r == 10 && c.nest < 2:
			g.sharedScalar()
		default:
			g.interval()
		}
	}
}

// prepare says for each view and each shared variable who may touch it up to the next barrier, and fills some that hold
// garbage.
func (g *generator) prepare() {
	var garbage []*view
	for _, v := range g.views {
		if !v.mut || v.ragged || v.counts {
			continue
		}
		v.family = nil
		v.turn = g.r.IntN(turns)
		switch {
		case v.shared && !v.written:
			v.mode = closed
			if !g.one(3) {
				garbage = append(garbage, v)
			}
		case g.share(v):
		case !g.crew.last && !g.one(3) || v.shared && g.one(2):
			v.mode = common
		default:
			v.mode = private
		}
	}
	var raised []*flag
	for _, f := range g.crew.flags {
		f.v.hidden = !f.written || g.one(3)
		f.family = nil
		switch {
		case f.v.hidden && !g.one(3):
			raised = append(raised, f)
		case f.v.hidden && f.written && g.atomicKind(f.v.kind):
			f.family = g.familyOf(f.v.kind)
		}
	}
	for _, v := range garbage {
		g.fill(v)
		if !v.strided {
			g.writtenBy(v)
		}
	}
	for _, f := range raised {
		g.raise(f)
	}
}

// interval is a stretch of any statements up to a barrier.
func (g *generator) interval() {
	g.prepare()
	g.stretch(1 + g.r.IntN(3))
	g.meet()
}

// stretch is statements that reach no label outside.
func (g *generator) stretch(n int) {
	labels, exits, cases, base := g.labels, g.exits, g.cases, g.base
	g.labels, g.exits, g.cases, g.base = nil, 0, false, len(g.scopes)-2
	for range n {
		switch c := g.crew; { // what no thread has left
		case c.whole && !c.last && g.one(3):
			g.exchange(0)
		case !c.last && g.one(5):
			g.gather()
		default:
			g.statement()
		}
	}
	g.labels, g.exits, g.cases, g.base = labels, exits, cases, base
}

// meet is a barrier, or a call of a function that has one.
func (g *generator) meet() {
	c := g.crew
	if g.meetOver() {
		return
	}
	if len(c.waits) > 0 && g.one(3) {
		f := pick(g, c.waits)
		if x := g.find(func(v *variable) bool { return !v.array() && !v.fixed && !v.konst && v.kind == f.results[0].kind }); x != nil {
			if call, ok := g.call(f, nil); ok {
				g.line("%s = %s", x.name, call)
				return
			}
		}
	}
	g.line("barrier()")
	if g.one(12) {
		g.line("barrier()")
	}
}

// evenly runs f with only what is the same for all threads of the block in reach.
func (g *generator) evenly(f func()) {
	even, anchor := g.even, g.anchor
	g.even, g.anchor = true, g.points[0].name
	f()
	g.even, g.anchor = even, anchor
}

// inner runs f in a block of its own whose shared variables end with it, after which nobody knows what was written in it.
func (g *generator) inner(f func()) {
	c := g.crew
	views, flags := g.views, g.crew.flags
	written := map[any]bool{}
	for _, v := range views {
		written[v] = v.written
	}
	for _, x := range flags {
		written[x] = x.written
	}
	c.nest++
	g.indent++
	g.open()
	f()
	g.finish(len(views), len(flags))
	g.close()
	g.indent--
	c.nest--
	g.views, c.flags = views[:len(views):len(views)], flags[:len(flags):len(flags)]
	for _, v := range views {
		v.written = written[v]
	}
	for _, x := range flags {
		x.written = written[x]
		x.v.hidden = true
	}
}

// evenLoop is a loop with barriers that all threads of a block run as often.
func (g *generator) evenLoop() {
	l := &label{loop: true}
	limit := fmt.Sprint(1 + g.r.IntN(3))
	switch g.r.IntN(6) {
	case 0, 1, 2:
		g.evenly(func() { limit = g.small(intKind, 3).at(precAdd) })
	case 3:
		v := &variable{shape: shape{kind: intKind}, fixed: true, even: true, used: true}
		g.withoutMemory(func() { limit = g.small(intKind, 3).s })
		v.name = g.unseen(localNames)
		g.line("%s := block.%s(%s)", v.name, pick(g, []string{"Min", "Max"}), limit)
		g.declare(v)
		limit = v.name
	}
	g.open()
	q := &variable{shape: shape{kind: intKind}, name: g.unseen(loopNames), fixed: true, even: true, silent: true}
	more := func(first string) string {
		if g.one(5) {
			return first + " && " + g.vote()
		}
		return first
	}
	head, first := "", ""
	switch g.r.IntN(5) {
	case 0:
		head = fmt.Sprintf("for %s := 0; %s; %s++ {", q.name, more(q.name+" < "+limit), q.name)
	case 1:
		head = fmt.Sprintf("for %s := %s; %s > 0; %s /= 2 {", q.name, limit, q.name, q.name)
	case 2:
		g.line("%s := 0", q.name)
		g.scopes[len(g.scopes)-2].vars = append(g.scopes[len(g.scopes)-2].vars, q)
		head, first = fmt.Sprintf("for %s {", more(q.name+" < "+limit)), q.name+"++"
	default:
		head = fmt.Sprintf("for %s := range %s {", q.name, limit)
	}
	g.declare(q)
	used := g.capture(func() {
		g.inner(func() {
			if first != "" {
				g.line("%s", first)
			}
			g.crew.loops = append(g.crew.loops, l)
			if g.one(5) {
				g.sharedArray()
			}
			g.loops++
			g.intervals(1 + g.r.IntN(2))
			g.loops--
			if strings.Contains(head, "range") {
				g.line("_ = %s", q.name)
			}
			g.crew.loops = g.crew.loops[:len(g.crew.loops)-1]
		})
	})
	if l.name != "" {
		g.line("%s:", l.name)
	}
	g.line("%s", head)
	g.out.WriteString(used)
	g.line("}")
	g.scopes = g.scopes[:len(g.scopes)-1]
}

func (g *generator) evenIf() {
	condition := g.evenCondition()
	g.line("if %s {", condition)
	g.inner(func() { g.intervals(1 + g.r.IntN(2)) })
	if g.one(3) {
		g.line("} else {")
		g.inner(func() { g.intervals(1) })
	}
	g.line("}")
}

// evenCondition is the same for all threads of the block, now and then since they vote.
func (g *generator) evenCondition() (text string) {
	if g.one(4) {
		return g.vote()
	}
	g.evenly(func() { text = g.condition(2).s })
	return text
}

func (g *generator) evenSwitch() {
	var cases []string
	g.open()
	g.evenly(func() { cases = g.switchHead() })
	g.clauses(cases, func() { g.inner(func() { g.intervals(1) }) })
	g.line("}")
	g.scopes = g.scopes[:len(g.scopes)-1]
}

// evenValue declares a variable that is the same for all threads of a block, so that later conditions may use it.
func (g *generator) evenValue() {
	k := g.scalar()
	v := &variable{shape: shape{kind: k}, fixed: true, even: true, silent: true}
	value := ""
	g.evenly(func() { value = g.live(k, 2).s })
	v.name = g.unseen(localNames)
	g.line("%s := %s", v.name, value)
	g.line("_ = %s", v.name)
	g.declare(v)
}

// evenExit leaves a uniform loop, or the kernel, with the whole block.
func (g *generator) evenExit() {
	c := g.crew
	words := []string{}
	if len(c.loops) > 0 {
		l := pick(g, c.loops)
		words = []string{"break " + g.nameOf(l), "continue " + g.nameOf(l)}
	} else if g.one(3) {
		words = []string{"return"}
	}
	if len(words) == 0 {
		g.interval()
		return
	}
	g.line("if %s {", g.evenCondition())
	g.line("\t%s", pick(g, words))
	g.line("}")
}

// tree folds a shared array into its first element, by halves.
func (g *generator) tree() {
	var v *view
	for _, x := range g.views {
		if x.shared && !x.strided && !x.kind.isComposite() && len(x.dims) == 1 && !x.dims[0].thread.open {
			if n := x.dims[0].thread.n; n > 1 && n&(n-1) == 0 {
				v = x
			}
		}
	}
	if v == nil {
		g.interval()
		return
	}
	c := v.dims[0].thread
	for _, x := range g.views {
		if x.mut {
			x.mode = closed
		}
	}
	for _, f := range g.crew.flags {
		f.v.hidden = true
	}
	v.turn = 0
	if !v.written || g.one(2) {
		g.fill(v)
		v.mode = closed
		g.line("barrier()")
	}
	half := g.unseen(loopNames)
	x, y := fmt.Sprintf("%s[%s]", v.name, c.text), fmt.Sprintf("%s[%s+%s]", v.name, c.text, half)
	step := fmt.Sprintf("%s += %s", x, y)
	switch {
	case v.kind.isBool():
		step = fmt.Sprintf("%s = %s %s %s", x, x, pick(g, []string{"&&", "||", "!="}), y)
	case g.one(3):
		step = fmt.Sprintf("%s = %s(%s, %s)", x, pick(g, []string{"min", "max"}), x, y)
	}
	g.line("for %s := %d; %s > 0; %s %s {", half, c.n/2, half, half, pick(g, []string{"/= 2", ">>= 1"}))
	g.line("\tif %s < %s {", c.text, half)
	g.line("\t\t%s", step)
	g.line("\t}")
	g.line("\tbarrier()")
	g.line("}")
}
