package kernelgen

import (
	"fmt"
	"strings"
)

// rows is the state of a kernel with a block on each point. It is the kernel of points that its text is, with rows that
// are long enough to be spread over threads, and shared memory for scratch.
type rows struct {
	dims []dim // the symbols along which rows lie, the long one first
}

// rowsKernel makes a kernel with a block on each point. Sums and products of floats are exact in any order, as those of
// comprehensions everywhere, so that the threads of the block may add them up as they like.
func (g *generator) rowsKernel(k *Kernel) {
	clear(g.taken)
	g.parameters()
	g.open()
	g.declareTables()
	scalars := g.makeDomain()
	if len(g.points) == 3 && !g.one(3) {
		g.points = g.points[:2]
	}
	g.rows = &rows{}
	for range 1 + g.r.IntN(2) {
		g.rows.dims = append(g.rows.dims, dim{text: g.reserve(symbols), point: -1, least: -1})
	}
	for _, p := range g.points {
		if p.shift > 0 {
			g.views = append(g.views, &view{name: g.reserve(viewNames), kind: g.memory(), dims: []dim{{text: p.extent, point: -1, least: -1}}})
		}
	}
	g.add(g.rowView(true))
	for range 1 + g.r.IntN(2) {
		g.add(g.rowView(g.one(3)))
	}
	for range g.r.IntN(2) {
		g.add(g.output())
	}
	for range g.r.IntN(2) {
		g.add(g.input())
	}
	g.addCounters()
	params := g.views
	scalars = g.begins(k.Name, scalars)
	g.rowsBody(params)
	g.indent--
	g.line("}")
	k.Source = g.out.String()
	g.views = params
	k.Runs = g.runs(k, scalars)
}

func (g *generator) rowsBody(params []*view) {
	g.budget = 5 + g.r.IntN(9)
	g.begin()
	g.open()
	for range g.r.IntN(3) {
		g.scratchArray()
	}
	if g.one(3) {
		k := g.memory()
		v := &variable{shape: shape{kind: k}, name: g.reserve(viewNames)}
		g.line("shared %s %s", v.name, k.name)
		g.line("%s = %s", v.name, g.value(k, 2).s)
		g.declare(v)
	}
	for range 1 + g.r.IntN(3) {
		g.define(1 + g.r.IntN(5))
	}
	g.spread()
	g.statements()
	g.tellOnce()
	for _, v := range params {
		switch {
		case !v.mut || v.counts:
		case v.constant() > 0 && !g.one(3):
			g.spreadOver(v, func() { g.update(fmt.Sprintf("%s[%s]", v.name, g.own(v)), v.kind) })
		default:
			g.line("%s[%s] = %s", v.name, g.own(v), g.value(v.kind, 3).s)
		}
	}
	g.close()
}

// rowView is a view with a row for each point, or one for all.
func (g *generator) rowView(mut bool) *view {
	v := &view{name: g.reserve(viewNames), kind: g.memory(), mut: mut}
	if mut || !g.one(4) {
		for d := range g.points {
			v.dims = append(v.dims, g.pointDim(d))
		}
	}
	if len(v.dims) < maxDims {
		v.dims = append(v.dims, pick(g, g.rows.dims))
	}
	if len(v.dims) < maxDims && g.one(4) {
		n := 2 + g.r.Int64N(3)
		v.dims = append(v.dims, dim{text: fmt.Sprint(n), point: -1, n: n, most: n, least: -1})
	}
	if g.one(6) {
		g.r.Shuffle(len(v.dims), func(i, j int) { v.dims[i], v.dims[j] = v.dims[j], v.dims[i] })
	}
	return v
}

// scratchArray declares a shared array and fills it.
func (g *generator) scratchArray() {
	v := &view{name: g.reserve(viewNames), kind: g.memory(), mut: true, shared: true, mode: closed}
	for range 1 + g.r.IntN(4)/3 {
		n := pick(g, []int64{1, 2, 5, 8, 16, 33, 40})
		if len(v.dims) > 0 {
			n = 2 + n%3
		}
		v.dims = append(v.dims, dim{text: fmt.Sprint(n), point: -1, n: n, most: n, least: -1})
	}
	var sizes []string
	for _, d := range v.dims {
		sizes = append(sizes, d.text)
	}
	g.line("shared %s [%s]%s", v.name, strings.Join(sizes, ", "), v.kind.name)
	g.views = append(g.views[:len(g.views):len(g.views)], v)
	g.spreadOver(v, func() { g.line("%s[%s] = %s", v.name, g.own(v), g.value(v.kind, 2).s) })
	v.mode = private
}

// spreadOver is a loop over all that v has for the point, which the threads of the block share.
func (g *generator) spreadOver(v *view, body func()) {
	g.open()
	a := &apart{view: v, names: map[int]string{}}
	var names, extents []string
	for d, x := range v.dims {
		if !x.whole() {
			continue
		}
		q := &variable{shape: shape{kind: intKind}, name: g.unseen(loopNames), fixed: true, silent: true, below: x.n}
		if x.most != x.n {
			q.below = 0
		}
		g.declare(q)
		a.names[d] = q.name
		names, extents = append(names, q.name), append(extents, x.text)
	}
	g.line("for %s in %s {", strings.Join(names, ", "), strings.Join(extents, ", "))
	g.apart = a
	g.indent++
	body()
	g.indent--
	g.apart = nil
	g.line("}")
	g.scopes = g.scopes[:len(g.scopes)-1]
}

// spread is a loop of any statements over what a view has for the point.
func (g *generator) spread() bool {
	g.open()
	defer func() { g.scopes = g.scopes[:len(g.scopes)-1] }()
	return g.forIn()
}

// rowExtents chooses few points, since each has many threads, and rows of any length.
func (g *generator) rowExtents(out map[string]int64, size int) {
	for _, s := range symbols {
		out[s] = 1 + g.r.Int64N(4)
		for i := range 9 {
			out[fmt.Sprintf("%s%d", s, i+9)] = 1 + g.r.Int64N(4)
		}
	}
	for i, d := range g.rows.dims {
		out[d.text] = 1 + g.r.Int64N(9)
		if i == 0 && size > 0 {
			out[d.text] = 20 + g.r.Int64N(60)
		}
	}
	if p := g.points[0]; g.one(20) && size == 0 && p.shift == 0 && p.fixed == 0 {
		out[p.extent] = 0
	}
	for _, r := range g.requires {
		out[r.more] = out[r.less] + g.r.Int64N(3)
	}
}
