package kernelgen

import (
	"fmt"
	"slices"
	"strings"
)

// aside runs f, which makes a declaration of its own, in the middle of another.
func (g *generator) aside(f func()) {
	old := *g
	g.scopes, g.views, g.points, g.requires, g.results, g.taken = nil, nil, nil, nil, nil, map[string]bool{}
	g.stays, g.generic, g.count, g.crew, g.rows, g.apart, g.anchor = false, nil, nil, nil, nil, nil, ""
	f()
	old.viewFuncs, old.vectors, old.noise = g.viewFuncs, g.vectors, g.noise
	*g = old
}

// viewFunctions makes functions that take such views by reference as there are.
func (g *generator) viewFunctions() {
	if !g.one(2) {
		return
	}
	for range 1 + g.r.IntN(2) {
		v := pick(g, g.views)
		k, rank, writes := v.kind, len(v.dims), v.mut && !g.one(3)
		if g.one(2) || g.crew != nil && g.one(2) { // arrays of threads and shared ones are of one dim as a rule
			rank, writes = 1, g.one(2)
			if g.one(2) {
				k = pick(g, g.palette)
			}
		}
		g.aside(func() { g.viewFunction(k, rank, writes) })
	}
}

// viewFunction makes a function of one or two views of that kind and rank. One that writes has the element's indexes as
// parameters: it touches that element alone. One that reads goes anywhere, or walks through a few elements.
func (g *generator) viewFunction(k *kind, rank int, writes bool) {
	f := &function{name: fmt.Sprintf("v%d_%d", g.seed, len(g.viewFuncs)), writes: writes, walks: !writes && g.one(3)}
	switch {
	case k.isComposite():
	case !k.single():
		f.generic = &kind{name: "T", set: k.set}
	case g.one(3):
		for _, set := range typeSets {
			if slices.Contains(set, k.set[0]) && (f.generic == nil || g.one(2)) {
				f.generic = &kind{name: "T", set: set}
			}
		}
	}
	if f.generic != nil {
		g.generic, k = f.generic, f.generic
	}
	g.inFunc, g.budget = true, 1+g.r.IntN(2)
	g.begin()
	g.open()
	g.declareTables()
	v := &view{name: g.reserve(viewNames), kind: k, mut: writes}
	for d := range rank {
		n := g.reserve(symbols)
		x := dim{text: n, point: -1, least: -1, far: !f.walks}
		if writes {
			x.point, x.far = d, false
			g.points = append(g.points, point{name: g.reserve(pointNames[min(d, 2)]), extent: n, domain: n})
		}
		v.dims = append(v.dims, x)
	}
	f.views = []*view{v}
	switch {
	case writes && g.one(3): // of the same extents
		o := *v
		o.name, o.mut = g.reserve(viewNames), false
		f.views, f.alike = append(f.views, &o), true
	case g.one(4):
		f.views = append(f.views, &view{name: g.reserve(viewNames), kind: pick(g, append([]*kind{k}, g.palette...)), dims: []dim{{text: g.reserve(symbols), point: -1, least: -1, far: !f.walks}}})
	}
	g.views = f.views
	var params []string
	for _, v := range g.views {
		params = append(params, v.param())
	}
	for _, p := range g.points {
		g.declare(&variable{shape: shape{kind: intKind}, name: p.name, fixed: true, silent: true})
		params = append(params, p.name+" int")
	}
	f.params = []shape{{kind: g.number()}}
	if g.one(3) {
		f.params = append(f.params, g.randomShape())
	}
	for i, s := range f.params {
		name := g.reserve([]string{"arg", "more"}[i : i+1])
		g.declare(&variable{shape: s, name: name, fixed: i == 0, silent: true})
		params = append(params, name+" "+s.String())
	}
	g.anchor = "arg"
	if !writes || g.one(2) {
		f.results = []shape{{kind: k}}
		if g.one(3) {
			f.results[0].kind = g.number()
		}
	}
	g.results = f.results
	head := "func " + f.name
	if f.generic != nil {
		head += "[" + f.generic.declaration() + "]"
	}
	head += "(" + strings.Join(params, ", ") + ")"
	for _, r := range f.results {
		head += " " + r.String()
	}
	g.line("%s {", head)
	g.indent++
	g.open()
	g.statements()
	last := ""
	if writes {
		g.update(v.name+"["+g.own(v)+"]", k)
	}
	if len(f.results) > 0 {
		e, ok := expr{}, false
		if !writes && g.one(2) && f.results[0].kind == k { // what it is for
			e, ok = g.load(k)
		}
		if last = "return " + e.s; !ok {
			last = g.returned()
		}
	}
	g.close()
	if last != "" {
		g.line("%s", last)
	}
	g.indent--
	g.line("}\n")
	g.viewFuncs = append(g.viewFuncs, f)
}

// param is a view as a parameter.
func (v *view) param() string {
	var dims []string
	for _, d := range v.dims {
		dims = append(dims, d.text)
	}
	mut := ""
	if v.mut {
		mut = "mut "
	}
	return fmt.Sprintf("%s %s[%s]%s", v.name, mut, strings.Join(dims, ", "), v.kind.name)
}

// argument is what is passed by reference, with the extents that it has, and an element that may be written.
type argument struct {
	text string
	dims string
	own  func() []string
	v    *variable // an array's
}

// near reports a view of few elements in each dim.
func (v *view) near() bool {
	for _, d := range v.dims {
		if d.point >= 0 || d.far || d.thread != nil && d.thread.n > 8 {
			return false
		}
	}
	return true
}

// filled reports a view without a column that no thread has, which stays garbage in shared memory.
func (v *view) filled() bool {
	return !slices.ContainsFunc(v.dims, func(d dim) bool { return v.shared && d.thread != nil && d.n != d.thread.n })
}

// arguments are what may be passed where a function takes a view of kind k.
func (g *generator) arguments(f *function, p *view, k *kind) (list []argument) {
	for _, v := range g.views {
		if v.kind != k || len(v.dims) != len(p.dims) || v.twin || v.ragged {
			continue
		}
		var dims []string
		for _, d := range v.dims {
			dims = append(dims, d.text)
		}
		a := argument{text: v.name, dims: strings.Join(dims, ", "), own: func() []string { return g.owned(v) }}
		switch {
		case p.mut:
			if !v.mut || v.mode != private || v.strided || g.apart != nil && g.apart.view != v {
				continue
			}
		case v.counts, !v.filled(), v.mut && (!v.shared || v.mode != common || g.even || g.apart != nil), f.walks && !v.near(): // other blocks write theirs
			continue
		}
		list = append(list, a)
	}
	for _, v := range g.visible() {
		if v.kind != k || v.nested || len(v.dims) != len(p.dims) || p.mut && (v.fixed || v.konst || g.apart != nil && v.depth == 0) {
			continue
		}
		list = append(list, argument{v.name, fmt.Sprint(v.dims, v.open), func() (at []string) {
			for _, d := range v.dims {
				at = append(at, g.inside(d).s)
			}
			return at
		}, v})
	}
	return list
}

// passed is a call of f whose type parameter, if it has one, is k. It takes the view first, if that is given.
func (g *generator) passed(f *function, k *kind, depth int, first *view) (string, bool) {
	var given []argument
	for i, p := range f.views {
		list := g.arguments(f, p, f.of(shape{kind: p.kind}, k).kind)
		if i == 1 && f.alike {
			list = only(list, func(a argument) bool { return a.dims == given[0].dims })
		}
		if first != nil && i == 0 {
			list = only(list, func(a argument) bool { return a.text == first.name })
		}
		if len(list) == 0 {
			return "", false
		}
		if arrays := only(list, func(a argument) bool { return a.v != nil }); len(arrays) > 0 && g.one(2) {
			list = arrays
		}
		given = append(given, pick(g, list))
	}
	var args []string
	for _, a := range given {
		args = append(args, a.text)
		if a.v != nil {
			a.v.used = true
		}
	}
	if f.writes {
		for _, at := range given[0].own() { // of any type
			args = append(args, "int("+at+")")
		}
	}
	for _, p := range f.params {
		args = append(args, g.whole(f.of(p, k), depth))
	}
	g.budget--
	return f.name + "(" + strings.Join(args, ", ") + ")", true
}

func only[T any](list []T, keep func(T) bool) (out []T) {
	for _, x := range list {
		if keep(x) {
			out = append(out, x)
		}
	}
	return out
}

// arrayFor declares an array that f may take.
func (g *generator) arrayFor(f *function, k *kind) {
	v := f.views[0]
	g.declareArray(shape{kind: f.of(shape{kind: v.kind}, k).kind, dims: pick(g, [][]int64{{2, 2, 2, 2}, {3, 2, 2, 3}, {5, 3, 1, 2}})[:len(v.dims)]})
}

// sharedKind is a kind of which a function takes an array of one dim, if there is one.
func (g *generator) sharedKind() *kind {
	for _, f := range g.crew.passes {
		if g.one(2) {
			return f.views[0].kind
		}
	}
	for _, f := range g.viewFuncs {
		if len(f.views[0].dims) == 1 && f.generic == nil && g.one(2) {
			return f.views[0].kind
		}
	}
	return nil
}

// reading is a call of a function that reads what it takes by reference and gives a value of kind k.
func (g *generator) reading(k *kind, depth int) (expr, bool) {
	if len(g.viewFuncs) == 0 || g.budget < -40 || g.indexes > 0 {
		return expr{}, false
	}
	f := pick(g, g.viewFuncs)
	if f.writes || f.generic != nil && !f.takes(k) || f.of(f.results[0], k).kind != k {
		return expr{}, false
	}
	call, ok := g.passed(f, k, min(depth-1, 1), nil)
	return primary("%s", call), ok
}

// writing is a statement that calls a function which writes what it takes by reference.
func (g *generator) writing() bool {
	if len(g.viewFuncs) == 0 || g.even {
		return false
	}
	f := pick(g, g.viewFuncs)
	k := g.number()
	if f.generic != nil && !f.takes(k) {
		k = pick(g, g.palette)
	}
	if !f.writes || f.generic != nil && !f.takes(k) {
		return false
	}
	if g.one(2) {
		g.arrayFor(f, k)
	}
	return g.written(f, k, nil)
}

// writtenBy is a call of a function that writes an element of v.
func (g *generator) writtenBy(v *view) bool {
	for _, f := range g.viewFuncs {
		fits := f.generic == nil && f.views[0].kind == v.kind || f.generic != nil && f.takes(v.kind)
		if f.writes && fits && g.one(2) && g.written(f, v.kind, v) {
			return true
		}
	}
	return false
}

// written is a statement that calls f.
func (g *generator) written(f *function, k *kind, first *view) bool {
	call, ok := g.passed(f, k, 1, first)
	if !ok {
		return false
	}
	if len(f.results) == 0 || g.one(4) {
		g.line("%s", call)
		return true
	}
	r := f.of(f.results[0], k)
	if x := g.assignable(func(v *variable) bool { return v.equal(r) }); x != nil && g.one(2) {
		g.line("%s = %s", x.name, call)
		return true
	}
	v := &variable{shape: r, name: g.fresh(localNames)}
	g.line("%s := %s", v.name, call)
	g.declare(v)
	return true
}
