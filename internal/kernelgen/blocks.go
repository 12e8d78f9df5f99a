package kernelgen

import (
	"fmt"
	"strings"
)

// crewKernel makes a kernel with blocks of threads. Elements that a thread writes between two barriers belong to it, by a
// permutation that holds up to the next barrier, or nobody writes the view: no race is possible.
func (g *generator) crewKernel(k *Kernel) {
	c := &crew{whole: g.one(3)}
	g.crew = c
	for range g.r.IntN(2) {
		c.waits = append(c.waits, g.waiting())
	}
	clear(g.taken)
	g.parameters()
	g.binders = map[string]bool{}
	g.open()
	g.declareTables()
	g.makeThreads()
	scalars := g.makeDomain()
	if len(g.points) == 1 && g.points[0].fixed == 0 && g.points[0].shift == 0 && !c.linear.open && g.one(3) {
		g.points[0].ragged = true
		g.points[0].domain = fmt.Sprintf("ceildiv(%s, %s)", g.points[0].extent, c.linear.size)
	}
	for _, p := range g.points {
		if p.shift > 0 {
			g.bind(p)
		}
	}
	for range 1 + g.r.IntN(2) {
		g.add(g.blockView(true))
	}
	for range g.r.IntN(4) {
		g.add(g.input())
	}
	for range g.r.IntN(3) {
		if v := g.raggedView(); v != nil {
			g.add(v)
		}
	}
	g.addCounters()
	params := g.views
	for range g.r.IntN(3) {
		scalars = append(scalars, &variable{shape: shape{kind: g.anything()}, name: g.reserve(paramNames), fixed: true, silent: true})
	}
	for _, v := range scalars {
		v.even = true
		g.declare(v)
	}
	for _, p := range g.points {
		g.declare(&variable{shape: shape{kind: intKind}, name: p.name, fixed: true, even: true, silent: true, below: p.fixed})
	}
	for _, t := range c.threads {
		below := t.n
		if t.open {
			below = 0
		}
		g.declare(&variable{shape: shape{kind: intKind}, name: t.text, fixed: true, silent: true, below: below})
	}
	if g.count != nil {
		g.declare(&variable{shape: shape{kind: intKind}, name: "N", fixed: true, even: true, silent: true, konst: true})
	}
	g.anchor = c.threads[len(c.threads)-1].text
	g.viewFunctions()
	g.waitsOn()
	g.attributes()
	g.line("%s {", g.head(k.Name, scalars))
	g.indent++
	g.crewBody()
	g.indent--
	g.line("}")
	k.Source = g.out.String()
	g.views = params
	k.Runs = g.runs(k, scalars)
}

// add adds a view behind those that were made for it.
func (g *generator) add(v *view) { g.views = append(g.views, v) }

func (g *generator) crewBody() {
	g.begin()
	g.open()
	for range 1 + g.r.IntN(2) {
		g.sharedArray()
	}
	if g.one(2) {
		g.sharedScalar()
	}
	g.budget = 6 + g.r.IntN(12)
	g.prepare()
	for range 1 + g.r.IntN(3) {
		g.define(1 + g.r.IntN(5))
	}
	g.meet()
	g.intervals(2 + g.r.IntN(4))
	g.finish(0, 0)
	g.crew.last = true
	g.prepare()
	text := g.capture(func() { g.stretch(1 + g.r.IntN(4)) })
	g.out.WriteString(text)
	g.tellOnce()
	g.raggedStmt()
	for _, v := range g.views {
		if v.mut && !v.shared && !v.ragged && v.mode == private {
			g.line("%s[%s] = %s", v.name, g.own(v), g.value(v.kind, 3).s)
		}
	}
	if g.one(6) && !strings.Contains(text, "return") {
		g.line("barrier()")
	}
	g.close()
}

// waiting makes a function with a barrier: it keeps values of its own across it.
func (g *generator) waiting() *function {
	k := g.number()
	f := &function{name: fmt.Sprintf("w%d_%d", g.seed, len(g.funcs)), params: []shape{{kind: k}, {kind: g.number()}}, results: []shape{{kind: g.number()}}}
	g.inFunc, g.budget, g.results = true, 3+g.r.IntN(4), f.results
	g.begin()
	g.open()
	g.declareTables()
	for i, p := range f.params {
		g.declare(&variable{shape: p, name: []string{"arg", "more"}[i], fixed: i == 0, silent: true})
	}
	g.anchor = "arg"
	g.taken["arg"], g.taken["more"] = true, true
	g.line("func %s(arg %s, more %s) %s {", f.name, f.params[0], f.params[1], f.results[0])
	g.indent++
	g.open()
	g.stays = true
	for range 1 + g.r.IntN(2) {
		g.statement()
	}
	if g.one(4) {
		g.gather()
	}
	switch g.r.IntN(4) {
	case 0:
		g.line("for range %d {", 1+g.r.IntN(2))
		g.line("\tbarrier()")
		g.line("}")
	default:
		g.line("barrier()")
	}
	g.stays = false
	g.statement()
	last := g.returned()
	g.close()
	g.line("%s", last)
	g.indent--
	g.line("}")
	g.out.WriteByte('\n')
	g.scopes = nil
	g.results, g.inFunc = nil, false
	return f
}
