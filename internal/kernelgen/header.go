package kernelgen

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
)

// point is one dim of the domain.
type point struct {
	name   string
	extent string // the extent of views in this dim: a symbol or a constant
	domain string // as the header spells it
	fixed  int64  // of a constant extent
	shift  int64  // the domain begins this much below zero, and views hold as many elements more
	ragged bool   // blocks cover the extent with their threads, and perhaps more
}

// dim is one dim of a view.
type dim struct {
	text    string
	point   int    // the dim of the domain that runs over it; -1: none
	n, most int64  // of a constant: its least and its greatest value; 0 of a symbol
	shift   int64  // of the point in this dim
	double  bool   // two elements a point
	extra   bool   // one element more than points
	least   int    // the dim of the domain whose extent this one is required to reach; -1: none
	thread  *coord // threads that run over it, or over each of its points
	far     bool   // of a function's view: it may be long
}

// whole reports a dim that belongs to one point, or thread, as a whole.
func (d dim) whole() bool { return d.point < 0 && d.thread == nil && !d.far }

// requirement is a relation of the header: one symbol is not below another.
type requirement struct{ more, less string }

// maxDims is how many dims a view has at most.
const maxDims = 4

// view is a parameter.
type view struct {
	name string
	kind *kind
	dims []dim
	mut  bool
	twin bool // read at the point's own index before anything is written, so that it may be the same memory as an output

	// Of kernels with blocks of threads.
	shared  bool // no parameter
	ragged  bool // touched where the thread's index is inside
	strided bool // thread i has the elements i, i+n, … for n threads
	written bool // it holds no garbage
	mode    mode // of what somebody writes
	turn    int  // how elements belong to threads now

	counts bool   // all points update it atomically, and nobody touches it otherwise
	family family // of atomic operations on what several update now
}

// constant is the number of dims that belong to one point as a whole.
func (v *view) constant() (n int) {
	for _, d := range v.dims {
		if d.whole() {
			n++
		}
	}
	return n
}

// load reads an element of a view of kind k.
func (g *generator) load(k *kind) (expr, bool) {
	if g.indexes >= 2 {
		return expr{}, false
	}
	var of []*view
	for _, v := range g.views {
		if v.kind == k && !v.twin && g.readable(v) {
			of = append(of, v)
		}
	}
	if len(of) == 0 {
		return expr{}, false
	}
	v := pick(g, of)
	return primary("%s[%s]", v.name, g.own(v)), true
}

// readable reports that elements of v may be read here.
func (g *generator) readable(v *view) bool {
	switch {
	case v.ragged || v.mode == closed || v.mode == updated || v.mut && g.even:
		return false
	case v.mode == private && v.strided:
		return false
	}
	return !v.mut || g.apart == nil || g.apart.view == v || g.rows != nil && g.apart.updates != v
}

// writable is a view that may be written here.
func (g *generator) writable() *view {
	var of []*view
	for _, v := range g.views {
		if v.mut && v.mode == private && !v.ragged && !v.strided && (g.apart == nil || g.apart.view == v) {
			of = append(of, v)
		}
	}
	if len(of) == 0 {
		return nil
	}
	return pick(g, of)
}

// store writes an element of a view that belongs to the point.
func (g *generator) store() bool {
	v := g.writable()
	if v == nil {
		return false
	}
	if g.writtenBy(v) {
		return true
	}
	g.update(fmt.Sprintf("%s[%s]", v.name, g.own(v)), v.kind)
	return true
}

// own is an index that may be touched: of a view that somebody writes one that no other point or thread, and no other
// iteration of an unordered loop, has, as long as threads do not have the view in common.
func (g *generator) own(v *view) string { return strings.Join(g.owned(v), ", ") }

// owned is such an index, a text for each dim.
func (g *generator) owned(v *view) (at []string) {
	for i, d := range v.dims {
		at = append(at, g.reach(v, i, d))
	}
	return at
}

// reach is such an index in one dim.
func (g *generator) reach(v *view, i int, d dim) string {
	switch {
	case !v.mut && !v.twin:
		return g.anywhere(v, d)
	case d.thread != nil && (v.mode == common || v.mode == updated):
		return g.ofBlock(d, g.anyone(d.thread))
	case d.thread != nil:
		return g.ofBlock(d, d.thread.turned(v.turn))
	case d.point < 0 && g.apart != nil && g.apart.view == v:
		return g.apart.names[i]
	case d.point < 0:
		return g.constantIndex(d)
	case d.double:
		p := g.points[d.point].name
		return pick(g, []string{"2*" + p, "2*" + p + "+1"})
	}
	return g.ownIndex(d)
}

// ofBlock is the index of a place among the threads, in a dim that may hold the places of many blocks.
func (g *generator) ofBlock(d dim, place string) string {
	if d.point < 0 {
		return place
	}
	return fmt.Sprintf("%s*%s+%s", g.points[d.point].name, d.thread.size, place)
}

// ownIndex is the element of the point in a dim along the domain.
func (g *generator) ownIndex(d dim) string {
	p := g.points[d.point].name
	switch {
	case d.shift == 0:
		return p
	case g.one(3):
		return fmt.Sprintf("%d+%s", d.shift, p)
	}
	return fmt.Sprintf("%s+%d", p, d.shift)
}

// constantIndex is an index in a dim that belongs to each point as a whole.
func (g *generator) constantIndex(d dim) string {
	switch {
	case d.n == 0:
		return fmt.Sprintf(pick(g, []string{"mod(%s, %s)", "clamp(%s, 0, %s-1)", "min(max(%s, 0), %s-1)"}), g.index(intKind, 1).s, d.text)
	case d.n == d.most:
		return g.inside(d.n).s
	case g.one(2):
		return fmt.Sprint(g.r.Int64N(d.n))
	}
	return fmt.Sprintf("mod(%s, %s)", g.index(intKind, 1).s, d.text)
}

// anywhere is an index inside a dim of a view that nobody writes.
func (g *generator) anywhere(v *view, d dim) string {
	if d.thread != nil {
		switch {
		case g.one(5):
			return fmt.Sprintf("mod(%s, %s)", g.index(intKind, 1).s, d.text)
		case g.even:
			return g.ofBlock(d, "int("+g.inside(d.thread.n).s+")")
		}
		return g.ofBlock(d, g.anyone(d.thread))
	}
	if d.n > 0 && (d.point < 0 || g.one(2)) {
		return g.constantIndex(d)
	}
	if d.shift > 0 && g.one(2) {
		return g.ownIndex(d)
	}
	any := func() string { return g.index(intKind, 1).s }
	if d.least >= 0 && g.one(2) { // a symbol that is required to reach as far
		return g.points[d.least].name
	}
	if g.one(4) {
		return fmt.Sprintf("mod(%s, %s)", any(), d.text)
	}
	if d.point < 0 || g.one(6) {
		return fmt.Sprintf("clamp(%s, 0, %s-1)", any(), d.text)
	}
	p := g.points[d.point].name
	switch {
	case d.double:
		return pick(g, []string{"2*" + p, "2*" + p + "+1", p, p + "*2 + 1", d.text + "-1-" + p})
	case d.shift > 0:
		return pick(g, []string{fmt.Sprintf("%s+%d", p, d.shift), fmt.Sprintf("min(%s+%d, %s-1)", p, d.shift+1, d.text), fmt.Sprintf("max(%s, 0)", p), fmt.Sprintf("(%s+%d) %% %s", p, d.shift+2, d.text)})
	case d.extra:
		return pick(g, []string{p, p + "+1", p + "+1", d.text + "-1-" + p})
	}
	if g.one(5) { // round the end
		return pick(g, []string{"(" + p + "+1) % " + d.text, "(" + p + "+" + d.text + "-1) % " + d.text, "mod(" + p + "-2, " + d.text + ")", p + " % " + d.text})
	}
	return pick(g, []string{p, p, p, p, "min(" + p + "+1, " + d.text + "-1)", "max(" + p + "-1, 0)", d.text + "-1-" + p})
}

// extent is the extent of a symbol or a view.
func (g *generator) extent() (expr, bool) {
	if len(g.views) == 0 {
		return expr{}, false
	}
	v := pick(g, g.views)
	d := g.r.IntN(len(v.dims))
	e := primary("len(%s, %d)", v.name, d)
	if d == 0 && g.one(2) {
		e = primary("len(%s)", v.name)
	}
	x := v.dims[d]
	e.konst = x.n > 0
	if !e.konst && !x.double && !x.extra && x.shift == 0 && !strings.Contains(x.text, "*") && g.one(2) {
		e = primary("%s", x.text)
	}
	return e, true
}

// makeDomain chooses the domain's dims.
func (g *generator) makeDomain() (scalars []*variable) {
	for d := range 1 + g.r.IntN(6)*g.r.IntN(2)/2 { // dims
		if d == 3 {
			break
		}
		p := point{name: g.reserve(pointNames[d])}
		if g.one(8) {
			p.fixed = 2 + g.r.Int64N(6)
			p.extent = fmt.Sprint(p.fixed)
			p.domain = pick(g, []string{p.extent, "1:" + p.extent})
		} else {
			s := g.reserve(symbols)
			p.extent = s
			forms := []string{
				s, s, s, s, s, s, "1:" + s + "-1", "1:" + s, s + "/2", "min(" + s + ", 7)", s + "-1", "ceildiv(" + s + ", 2)", s + "/3*2", s + "-" + s + "/2:" + s, "max(" + s + "-3, 0)", s + "%5", "1+" + s + "/4:" + s,
			}
			if g.one(6) {
				lo, hi := g.reserve([]string{"lo", "from"}), g.reserve([]string{"hi", "upto"})
				for _, n := range []string{lo, hi} {
					scalars = append(scalars, &variable{shape: shape{kind: intKind}, name: n, fixed: true, silent: true})
				}
				forms = []string{fmt.Sprintf("max(%s, 0):min(%s, %s)", lo, hi, s)}
			}
			p.domain = pick(g, forms)
			if g.one(10) {
				p.shift = 1 + g.r.Int64N(3)
				p.domain = pick(g, []string{fmt.Sprintf("-%d:%s", p.shift, s), fmt.Sprintf("-%d:%s-1", p.shift, s), fmt.Sprintf("1-%d:%s", p.shift+1, s)})
			}
		}
		g.points = append(g.points, p)
	}
	return scalars
}

// pointDim is the dim of a view along dim d of the domain.
func (g *generator) pointDim(d int) dim {
	p := g.points[d]
	x := dim{text: p.extent, point: d, n: p.fixed, most: p.fixed, least: -1, shift: p.shift}
	if p.shift > 0 {
		x.text = fmt.Sprintf("(%s+%d)", p.extent, p.shift)
	}
	return x
}

func (g *generator) constDim() dim {
	if g.rows != nil && g.one(2) {
		return pick(g, g.rows.dims)
	}
	if g.count != nil && g.one(2) {
		return *g.count
	}
	if g.one(4) {
		return dim{text: g.reserve(symbols), point: -1, least: -1}
	}
	n := int64(2 + g.r.IntN(4))
	return dim{text: fmt.Sprint(n), point: -1, n: n, most: n, least: -1}
}

// memory is a kind that memory holds.
func (g *generator) memory() *kind {
	if len(g.composites) > 0 && g.one(4) {
		return pick(g, g.composites)
	}
	for {
		if k := g.scalar(); k != intKind {
			return k
		}
	}
}

// output is a view that holds a place for every point.
func (g *generator) output() *view {
	v := &view{name: g.reserve(viewNames), kind: g.memory(), mut: true}
	for d := range g.points {
		v.dims = append(v.dims, g.pointDim(d))
	}
	for len(v.dims) < maxDims && g.one(3) {
		v.dims = append(v.dims, g.constDim())
	}
	if g.one(4) {
		g.r.Shuffle(len(v.dims), func(i, j int) { v.dims[i], v.dims[j] = v.dims[j], v.dims[i] })
	}
	return v
}

// input is a view of any shape.
func (g *generator) input() *view {
	var v *view
	if g.crew != nil {
		v = g.blockView(false)
	} else {
		v = g.output()
		v.mut = false
	}
	switch g.r.IntN(6) {
	case 0:
		s := g.reserve(symbols)
		v.dims = []dim{{text: s, point: -1, least: -1}}
		if d := g.r.IntN(len(g.points)); g.points[d].fixed == 0 && g.points[d].shift == 0 && g.one(2) {
			v.dims[0].least = d
			g.requires = append(g.requires, requirement{s, g.points[d].extent})
		}
	case 1:
		v.dims = []dim{g.constDim()}
	case 2: // one dim of the domain alone
		d := g.r.IntN(len(g.points))
		x := g.pointDim(d)
		if x.n == 0 && x.shift == 0 && g.one(2) {
			x.text, x.double = "2*"+x.text, true
		} else if x.n == 0 && x.shift == 0 && g.one(2) {
			x.text, x.extra = x.text+"+1", true
		}
		v.dims = []dim{x}
	}
	return v
}

// kernel makes the functions and the kernel.
func (g *generator) kernel(o Options) *Kernel {
	g.choosePalette()
	g.chooseComposites()
	g.chooseTables()
	for range g.r.IntN(7) / 2 {
		g.function()
	}
	k := &Kernel{Seed: g.seed, Name: fmt.Sprintf("R%d", g.seed)}
	switch {
	case o.Blocks:
		g.crewKernel(k)
		return k
	case o.Rows:
		g.rowsKernel(k)
		return k
	}
	clear(g.taken)
	g.parameters()
	g.open()
	g.declareTables()
	scalars := g.makeDomain()
	for _, p := range g.points {
		if p.shift > 0 { // what binds the symbol by itself
			g.views = append(g.views, &view{name: g.reserve(viewNames), kind: g.memory(), dims: []dim{{text: p.extent, point: -1, least: -1}}})
		}
	}
	first := len(g.views)
	g.views = append(g.views, g.output())
	for range g.r.IntN(2) {
		g.views = append(g.views, g.output())
	}
	for range g.r.IntN(4) {
		g.views = append(g.views, g.input())
	}
	if out := g.views[first]; out.constant() == 0 && g.one(2) {
		g.views = append(g.views, &view{name: g.reserve(viewNames), kind: out.kind, dims: out.dims, twin: true})
	}
	g.addCounters()
	scalars = g.begins(k.Name, scalars)
	g.budget = 6 + g.r.IntN(14)
	g.begin()
	g.open()
	for _, v := range g.views { // something to compute with
		var e expr
		ok := v.twin
		if v.twin {
			e = primary("%s[%s]", v.name, g.own(v))
		} else if g.one(2) {
			e, ok = g.load(v.kind)
		}
		if ok {
			x := &variable{shape: shape{kind: v.kind}, name: g.fresh(localNames)}
			g.line("%s := %s", x.name, e.s)
			g.declare(x)
		}
	}
	g.statements()
	g.tellOnce()
	for _, v := range g.views {
		if v.mut && !v.counts {
			g.line("%s[%s] = %s", v.name, g.own(v), g.value(v.kind, 3).s)
		}
	}
	g.close()
	g.indent--
	g.line("}")
	k.Source = g.out.String()
	k.Runs = g.runs(k, scalars)
	return k
}

// parameters chooses the kernel's generic parameters.
func (g *generator) parameters() {
	if g.one(5) {
		g.generic = g.typeParam()
	}
	if g.one(6) {
		g.count = &dim{text: "N", point: -1, n: 2, most: 4, least: -1}
		g.taken["N"] = true
	}
}

func (g *generator) attributes() {
	if g.float64s {
		g.line("@targets(%s)", pick(g, []string{"cuda, cpu", "cuda, opencl, cpu", "cpu, opencl, cuda"}))
	}
	if g.rows != nil {
		if n := pick(g, []int{0, 0, 1, 4, 7, 32, 33, 64, 96, 100}); n > 0 {
			g.line("@block(%d)", n)
		}
	}
	if g.one(12) {
		g.line("@exact")
	}
}

// head is the kernel's header.
func (g *generator) head(name string, scalars []*variable) string {
	var generics, params []string
	if g.generic != nil {
		generics = append(generics, g.generic.declaration())
	}
	if g.count != nil {
		generics = append(generics, "N = 2|4")
	}
	for _, v := range scalars {
		params = append(params, v.name+" "+v.kind.name)
	}
	for _, v := range g.views {
		params = append(params, v.param())
	}
	head := "kernel " + name
	if len(generics) > 0 {
		head += "[" + strings.Join(generics, ", ") + "]"
	}
	var vars, domain []string
	for _, p := range g.points {
		vars = append(vars, p.name)
		domain = append(domain, p.domain)
	}
	requires := ""
	for i, r := range g.requires {
		requires += []string{" requires ", ", "}[min(i, 1)] + pick(g, []string{r.more + " >= " + r.less, r.less + " <= " + r.more, "!(" + r.more + " < " + r.less + ")"})
	}
	if g.crew == nil {
		head = fmt.Sprintf("%s(%s)%s for %s in %s", head, strings.Join(params, ", "), requires, strings.Join(vars, ", "), strings.Join(domain, ", "))
		if g.rows != nil {
			head += " by block"
		}
		return head
	}
	var threads, counts []string
	for _, t := range g.crew.threads {
		threads = append(threads, t.text)
		counts = append(counts, t.size)
	}
	return fmt.Sprintf("%s(%s)%s blocks %s in %s threads %s in %s", head, strings.Join(params, ", "), requires, strings.Join(vars, ", "), strings.Join(domain, ", "), strings.Join(threads, ", "), strings.Join(counts, ", "))
}

// instances are the generic arguments of the lines that must name them: shapes depend on constants.
func (g *generator) instances() [][]string {
	if g.count == nil {
		return [][]string{nil}
	}
	var out [][]string
	kinds := []types.Kind{types.Invalid}
	if g.generic != nil {
		kinds = g.generic.set
	}
	for _, t := range kinds {
		for _, n := range []string{"2", "4"} {
			if t == types.Invalid {
				out = append(out, []string{n})
			} else {
				out = append(out, []string{t.String(), n})
			}
		}
	}
	return out
}

// begins writes the attributes and the header of a kernel whose views and points are chosen, behind the functions that take
// such views, and declares its parameters: the given scalars and up to two more, which it adds to them.
func (g *generator) begins(name string, scalars []*variable) []*variable {
	for range g.r.IntN(3) {
		scalars = append(scalars, &variable{shape: shape{kind: g.anything()}, name: g.reserve(paramNames), fixed: true, silent: true})
	}
	for _, v := range scalars {
		g.declare(v)
	}
	for _, p := range g.points {
		g.declare(&variable{shape: shape{kind: intKind}, name: p.name, fixed: true, silent: true, below: p.fixed})
	}
	if g.count != nil {
		g.declare(&variable{shape: shape{kind: intKind}, name: "N", fixed: true, silent: true, konst: true})
	}
	g.anchor = g.points[len(g.points)-1].name
	g.viewFunctions()
	g.attributes()
	g.line("%s {", g.head(name, scalars))
	g.indent++
	return scalars
}
