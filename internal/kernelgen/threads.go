package kernelgen

import (
	"fmt"
	"strings"
)

// crew is the state of a kernel with blocks of threads.
type crew struct {
	threads []*coord // one a dim
	linear  *coord   // all dims counted through
	flags   []*flag  // shared scalars
	waits   []*function
	passes  []*function // that take a shared array by reference and have barriers
	nest    int         // uniform loops and branches round this place
	loops   []*label    // of them, the loops
	last    bool        // no barrier follows
	whole   bool        // the threads are whole subgroups
}

// coord is a place among the threads of a block.
type coord struct {
	text string // `t`, `(ty*4+tx)`
	size string // how many there are, as text
	n    int64  // and their least number
	open bool   // a constant parameter says how many there are
}

// flag is a shared scalar.
type flag struct {
	v       *variable
	written bool
	family  family // of atomic operations on it now, or nil
}

// mode is who may touch a view that somebody writes, between two barriers.
type mode uint8

const (
	private mode = iota // each thread the elements that belong to it
	common              // all threads of the block may read its elements
	closed              // nobody: it holds garbage
	updated             // all threads of the block may update its elements atomically
)

var threadNames = [][]string{{"t", "tx", "lane", "id0"}, {"ty", "u0", "warp"}, {"tz", "v0", "thread0"}}

// makeThreads chooses the dims of the threads.
func (g *generator) makeThreads() {
	c := g.crew
	rank := pick(g, []int{1, 1, 1, 2, 2, 3})
	sizes := [][]int64{{1, 2, 4, 4, 8, 8, 16, 16, 32, 3, 5, 7, 12, 33, 64, 96, 100, 128}, {1, 2, 3, 4, 4, 8}, {1, 2, 3, 4}}[rank-1]
	counted := pick(g, map[int][][]int64{1: {{32}, {64}, {64}, {96}, {128}}, 2: {{8, 8}, {2, 16}, {32, 2}, {3, 32}, {4, 16}}, 3: {{2, 4, 4}, {4, 4, 4}, {3, 2, 32}}}[rank])
	var names, counts []string
	total := int64(1)
	for d := range rank {
		x := &coord{text: g.reserve(threadNames[d]), n: pick(g, sizes)}
		if c.whole {
			x.n = counted[d]
		}
		x.size = fmt.Sprint(x.n)
		if g.count != nil && !c.whole && g.one(2) {
			x.n, x.size, x.open = g.count.n, g.count.text, true
		}
		total *= x.n
		c.threads = append(c.threads, x)
		names = append(names, x.text)
		counts = append(counts, x.size)
	}
	c.linear = c.threads[0]
	if rank > 1 {
		text := names[0]
		for d := 1; d < rank; d++ {
			text = fmt.Sprintf("%s*%s+%s", text, counts[d], names[d])
			if d < rank-1 {
				text = "(" + text + ")"
			}
		}
		c.linear = &coord{text: "(" + text + ")", n: total, size: strings.Join(counts, "*")}
		for _, x := range c.threads {
			c.linear.open = c.linear.open || x.open
		}
		if !c.linear.open {
			c.linear.size = fmt.Sprint(total)
		}
	}
}

// turns are the permutations of the places that an interval may give a view: every thread owns the element at its turn.
const turns = 4

func (c *coord) turned(turn int) string {
	switch {
	case turn == 1:
		return fmt.Sprintf("(%s-1-%s)", c.size, c.text)
	case turn == 2:
		return fmt.Sprintf("(%s+1)%%(%s)", c.text, c.size)
	case turn == 3 && (c.open || c.n%2 == 0):
		return "(" + c.text + "^1)"
	}
	return c.text
}

// anyone is a place of any thread of the block.
func (g *generator) anyone(c *coord) string {
	switch g.r.IntN(5) {
	case 0:
		return "int(" + g.inside(c.n).s + ")"
	case 1:
		return fmt.Sprintf("(%s+%d)%%(%s)", c.text, 1+g.r.IntN(5), c.size)
	case 2:
		return fmt.Sprintf("min(%s+1, %s-1)", c.text, c.size)
	}
	return c.turned(g.r.IntN(turns))
}

// blockView is a view that holds a place for every thread of every block.
func (g *generator) blockView(mut bool) *view {
	v := &view{name: g.reserve(viewNames), kind: g.memory(), mut: mut}
	c := g.crew
	coords := append([]*coord(nil), c.threads...)
	if len(g.points)+len(coords) > maxDims || g.one(3) {
		coords = []*coord{c.linear}
	}
	full := len(g.points)+len(coords) > maxDims
	for d, p := range g.points {
		x := g.pointDim(d)
		if p.shift == 0 && len(coords) > 0 && (g.one(2) || full && d == len(g.points)-1) {
			x.thread, coords = coords[0], coords[1:]
			x.text = fmt.Sprintf("%s*%s", p.extent, x.thread.size)
			x.n, x.most = p.fixed*x.thread.n, p.fixed*x.thread.n
			g.bind(p)
		}
		v.dims = append(v.dims, x)
	}
	for _, x := range coords {
		v.dims = append(v.dims, g.threadDim(x))
	}
	for len(v.dims) < maxDims && g.one(4) {
		v.dims = append(v.dims, g.constDim())
	}
	if g.one(4) {
		g.r.Shuffle(len(v.dims), func(i, j int) { v.dims[i], v.dims[j] = v.dims[j], v.dims[i] })
	}
	return v
}

func (g *generator) threadDim(c *coord) dim {
	d := dim{text: c.size, point: -1, thread: c, n: c.n, most: c.n, least: -1}
	if c.open {
		d.most++
	}
	return d
}

// bind adds a view whose dim is the extent of p by itself, once.
func (g *generator) bind(p point) {
	if p.fixed > 0 || g.binders[p.extent] {
		return
	}
	g.binders[p.extent] = true
	g.views = append(g.views, &view{name: g.reserve(viewNames), kind: g.memory(), dims: []dim{{text: p.extent, point: -1, least: -1}}})
}

// raggedView has as many elements as the domain says a block at a time; the last block may reach beyond.
func (g *generator) raggedView() *view {
	for d, p := range g.points {
		if p.ragged && len(g.points) == 1 {
			return &view{name: g.reserve(viewNames), kind: g.memory(), mut: g.one(2), ragged: true, dims: []dim{{text: p.extent, point: d, thread: g.crew.linear, least: -1}}}
		}
	}
	return nil
}

// raggedStmt touches the thread's own element of a ragged view, if there is one.
func (g *generator) raggedStmt() bool {
	var of []*view
	for _, v := range g.views {
		if v.ragged {
			of = append(of, v)
		}
	}
	if len(of) == 0 || g.apart != nil {
		return false
	}
	v := pick(g, of)
	d := v.dims[0]
	at := fmt.Sprintf("%s*%s+%s", g.points[d.point].name, d.thread.size, d.thread.text)
	head := fmt.Sprintf("if %s < %s {", at, d.text)
	if g.one(2) {
		i := g.unseen(loopNames)
		head = fmt.Sprintf("if %s := %s; %s < %s {", i, at, i, d.text)
		at = i
	}
	if v.mut {
		g.line("%s", head)
		g.indent++
		g.update(fmt.Sprintf("%s[%s]", v.name, at), v.kind)
		g.indent--
		g.line("}")
		return true
	}
	x := g.assignable(func(x *variable) bool { return x.kind == v.kind && !x.array() })
	if x == nil {
		return false
	}
	g.line("%s", head)
	g.line("\t%s = %s[%s]", x.name, v.name, at)
	g.line("}")
	return true
}
