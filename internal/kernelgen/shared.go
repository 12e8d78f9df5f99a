package kernelgen

import "fmt"

// sharedArray declares one or two shared arrays with an element for each thread, or for several.
func (g *generator) sharedArray() {
	c := g.crew
	v := &view{name: g.reserve(viewNames), kind: g.memory(), mut: true, shared: true, mode: closed}
	passed := g.sharedKind()
	if passed != nil {
		v.kind = passed
	}
	switch {
	case g.one(5) && !c.linear.open: // more elements than threads, or fewer
		v.strided = true
		n := 1 + g.r.Int64N(2*c.linear.n+8)
		v.dims = []dim{{text: fmt.Sprint(n), point: -1, n: n, most: n, least: -1}}
	default:
		coords := c.threads
		if passed != nil || g.one(2) {
			coords = []*coord{c.linear}
		}
		for _, x := range coords {
			d := g.threadDim(x)
			if g.one(5) && !x.open { // a column that nobody has
				d.n++
				d.most++
				d.text = fmt.Sprint(d.n)
			}
			v.dims = append(v.dims, d)
		}
		if n := len(v.dims); n < maxDims && g.one(5-n) {
			n := 2 + g.r.Int64N(2)
			at := g.r.IntN(len(v.dims) + 1)
			whole := dim{text: fmt.Sprint(n), point: -1, n: n, most: n, least: -1}
			v.dims = append(v.dims[:at:at], append([]dim{whole}, v.dims[at:]...)...)
		}
	}
	s := shape{kind: v.kind}
	for _, d := range v.dims {
		s.dims = append(s.dims, d.most)
	}
	if v.kind.isComposite() && s.scalars() > 400 { // a block has little memory
		v.kind = pick(g, g.palette)
	}
	text := ""
	for i, d := range v.dims {
		if i > 0 {
			text += ", "
		}
		text += d.text
	}
	names := v.name
	g.views = append(g.views, v)
	if g.one(4) { // its twin
		o := *v
		o.name = g.reserve(viewNames)
		names += ", " + o.name
		g.views = append(g.views, &o)
	}
	g.line("shared %s [%s]%s", names, text, v.kind.name)
}

// sharedScalar declares a shared scalar.
func (g *generator) sharedScalar() {
	v := &variable{shape: shape{kind: g.memory()}, name: g.reserve(viewNames), fixed: true, hidden: true, silent: true}
	g.line("shared %s %s", v.name, v.kind.name)
	g.declare(v)
	g.crew.flags = append(g.crew.flags, &flag{v: v})
}

// raise has one thread write a shared scalar.
func (g *generator) raise(f *flag) {
	condition := ""
	for i, c := range g.crew.threads {
		if i > 0 {
			condition += " && "
		}
		who := fmt.Sprint(g.r.Int64N(c.n))
		if g.one(4) {
			g.evenly(func() { who = "int(" + g.inside(c.n).s + ")" })
		}
		condition += c.text + " == " + who
	}
	g.line("if %s {", condition)
	g.line("\t%s = %s", f.v.name, g.value(f.v.kind, 2).s)
	g.line("}")
	f.written = true
}

// fill writes every element of a shared array, each by its thread.
func (g *generator) fill(v *view) {
	v.mode = closed
	if v.strided {
		g.stride(v, true)
	} else {
		at, names := "", []string{}
		var dims []dim
		g.open()
		for i, d := range v.dims {
			if i > 0 {
				at += ", "
			}
			if d.whole() {
				q := &variable{shape: shape{kind: intKind}, name: g.unseen(loopNames), fixed: true, silent: true, below: d.n}
				g.declare(q)
				names, dims = append(names, q.name), append(dims, d)
				at += q.name
				continue
			}
			at += g.reach(v, i, d)
		}
		switch {
		case len(names) == 0:
			g.line("%s[%s] = %s", v.name, at, g.value(v.kind, 3).s)
		case g.one(2):
			g.line("for %s in %s {", names[0], dims[0].text)
			g.line("\t%s[%s] = %s", v.name, at, g.value(v.kind, 2).s)
			g.line("}")
		default:
			g.line("for %s := range %s {", names[0], dims[0].text)
			g.line("\t%s[%s] = %s", v.name, at, g.value(v.kind, 2).s)
			g.line("}")
		}
		g.scopes = g.scopes[:len(g.scopes)-1]
	}
	v.mode, v.written = private, true
}

// stride is a loop over the elements of a strided array that belong to the thread.
func (g *generator) stride(v *view, fill bool) {
	c := g.crew.linear
	g.open()
	i := &variable{shape: shape{kind: intKind}, name: g.unseen(loopNames), fixed: true, silent: true, below: v.dims[0].n}
	g.line("for %s := %s; %s < %s; %s += %s {", i.name, c.text, i.name, v.dims[0].text, i.name, c.size)
	g.declare(i)
	g.indent++
	place := fmt.Sprintf("%s[%s]", v.name, i.name)
	if fill {
		g.line("%s = %s", place, g.value(v.kind, 2).s)
	} else {
		g.update(place, v.kind)
	}
	g.indent--
	g.line("}")
	g.scopes = g.scopes[:len(g.scopes)-1]
}

// strides updates a strided array that is private now.
func (g *generator) strides() bool {
	for _, v := range g.views {
		if v.strided && v.mode == private && g.apart == nil && g.loops < 2 && g.one(2) {
			g.stride(v, false)
			return true
		}
	}
	return false
}

// finish ends the scope of the shared variables behind the first ones: the checker wants each to be read.
func (g *generator) finish(views, flags int) {
	for _, v := range g.views[views:] {
		if v.shared && !v.written {
			g.line("_ = len(%s)", v.name)
		}
	}
	for _, f := range g.crew.flags[flags:] {
		if f.v.used {
			continue
		}
		for _, v := range g.views {
			if v.mut {
				v.mode = closed
			}
		}
		g.raise(f)
		g.line("barrier()")
		g.line("_ = %s", f.v.name)
		g.line("barrier()")
	}
}
