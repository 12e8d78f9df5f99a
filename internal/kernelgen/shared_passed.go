package kernelgen

import "fmt"

// waitingOn makes a function in which the threads of a block pass values on through a shared array that it takes by
// reference: each writes its element, all meet, each reads another's.
func (g *generator) waitingOn() *function {
	k := g.memory()
	f := &function{name: fmt.Sprintf("u%d_%d", g.seed, len(g.viewFuncs)), views: []*view{{kind: k}}, params: []shape{{kind: g.number()}}, results: []shape{{kind: k}}}
	g.inFunc, g.stays, g.budget, g.results = true, true, 1+g.r.IntN(2), f.results
	g.begin()
	g.open()
	g.declareTables()
	g.declare(&variable{shape: f.params[0], name: "arg", fixed: true, silent: true})
	for _, name := range []string{"at", "count"} {
		g.declare(&variable{shape: shape{kind: intKind}, name: name, fixed: true, silent: true})
	}
	for _, name := range []string{"s", "n", "at", "count", "arg"} {
		g.taken[name] = true
	}
	g.anchor = "arg"
	g.line("func %s(s mut [n]%s, at, count int, arg %s) %s {", f.name, k.name, f.params[0], k.name)
	g.indent++
	g.open()
	if g.one(2) {
		g.simple()
	}
	g.line("s[at] = %s", g.value(k, 2).s)
	g.line("barrier()")
	if g.one(2) {
		g.simple()
	}
	v := &variable{shape: shape{kind: k}, name: g.fresh(localNames)}
	g.line("%s := s[mod(at+%d, %s)]", v.name, g.r.IntN(5)-2, pick(g, []string{"count", "min(count, n)"}))
	g.declare(v)
	g.line("barrier()")
	if g.one(2) {
		g.update("s[at]", k)
	}
	last := "return s[at]"
	if g.one(2) {
		v.used = true
		last = "return " + v.name
	}
	g.close()
	g.line("%s", last)
	g.indent--
	g.line("}\n")
	return f
}

// waitsOn makes such functions for a kernel of blocks.
func (g *generator) waitsOn() {
	if c := g.crew; g.one(4) {
		g.aside(func() { c.passes = append(c.passes, g.waitingOn()) })
	}
}

// meetOver is a call of such a function with a shared array that nobody but its owners touched since the last barrier.
// Behind it each thread has its element alone, as before.
func (g *generator) meetOver() bool {
	for _, f := range g.crew.passes {
		for _, v := range g.views {
			if !v.shared || v.kind != f.views[0].kind || len(v.dims) != 1 || v.dims[0].thread == nil || v.strided || v.mode != private && v.mode != closed || !g.one(2) {
				continue
			}
			place := v.dims[0].thread
			call := fmt.Sprintf("%s(%s, %s, %s, %s)", f.name, v.name, place.turned(v.turn), place.size, g.whole(f.params[0], 1))
			v.written = true
			if x := g.assignable(func(o *variable) bool { return o.equal(f.results[0]) }); x != nil && g.one(2) {
				g.line("%s = %s", x.name, call)
			} else {
				x := &variable{shape: f.results[0], name: g.unseen(localNames)}
				g.line("%s := %s", x.name, call)
				g.declare(x)
			}
			g.line("barrier()")
			return true
		}
	}
	return false
}
