package kernelgen

import "fmt"

// neighbour is a view with one dim along a dim of the domain, whose elements beside the point's own are read under
// guards, as stencils do: what proves an index in range is then a condition or a loop's ends.
func (g *generator) neighbour() (v *view, d int, ok bool) {
	var of []*view
	for _, v := range g.views {
		if !v.mut && !v.twin && !v.ragged && v.kind.numbers() {
			for _, d := range v.dims {
				if d.point >= 0 && d.thread == nil && !d.double && !d.extra && d.shift == 0 {
					of = append(of, v)
					break
				}
			}
		}
	}
	if len(of) == 0 {
		return nil, 0, false
	}
	v = pick(g, of)
	for d = range v.dims {
		if x := v.dims[d]; x.point >= 0 && x.thread == nil && !x.double && !x.extra && x.shift == 0 {
			return v, d, true
		}
	}
	return nil, 0, false
}

// readAt is an element of v whose index in dim d is given.
func (g *generator) readAt(v *view, d int, index string) string {
	at := ""
	for i, x := range v.dims {
		if i > 0 {
			at += ", "
		}
		if i == d {
			at += index
		} else {
			at += g.anywhere(v, x)
		}
	}
	return fmt.Sprintf("%s[%s]", v.name, at)
}

// guarded reads a neighbour in the branch of an `if` that keeps it in range.
func (g *generator) guarded() bool {
	v, d, ok := g.neighbour()
	target := g.assignable(func(x *variable) bool { return v != nil && x.kind == v.kind && !x.array() })
	if !ok || target == nil {
		return false
	}
	p, n := g.points[v.dims[d].point].name, v.dims[d].text
	step := 1 + g.r.IntN(3)
	type guard struct{ condition, index string }
	c := pick(g, []guard{
		{fmt.Sprintf("%s+%d < %s", p, step, n), fmt.Sprintf("%s+%d", p, step)},
		{fmt.Sprintf("%s < %s-%d", p, n, step), fmt.Sprintf("%s+%d", p, step)},
		{fmt.Sprintf("%s >= %d", p, step), fmt.Sprintf("%s-%d", p, step)},
		{fmt.Sprintf("%s > %d", p, step-1), fmt.Sprintf("%s - %d", p, step)},
		{fmt.Sprintf("!(%s < %d)", p, step), fmt.Sprintf("%s-%d", p, step)},
		{fmt.Sprintf("2*%s+1 < %s", p, n), fmt.Sprintf("2*%s+1", p)},
		{fmt.Sprintf("%s != 0", p), fmt.Sprintf("%s-1", p)},
	})
	e := g.readAt(v, d, c.index)
	switch g.r.IntN(4) {
	case 0: // short-circuit
		g.line("if %s && %s != %s {", c.condition, e, g.value(v.kind, 1).s)
		g.line("\t%s = %s", target.name, g.value(v.kind, 1).s)
	case 1:
		g.line("if !(%s) {", c.condition)
		g.line("\t%s = %s", target.name, g.value(v.kind, 2).s)
		g.line("} else {")
		g.line("\t%s = %s", target.name, e)
	default:
		g.line("if %s {", c.condition)
		g.line("\t%s %s= %s", target.name, pick(g, []string{"+", "-", "*"}), e)
	}
	g.line("}")
	return true
}

// window adds up the neighbours within a distance, by a loop whose ends keep them in range.
func (g *generator) window() bool {
	v, d, ok := g.neighbour()
	target := g.assignable(func(x *variable) bool { return v != nil && x.kind == v.kind && !x.array() })
	if !ok || target == nil || g.loops > 1 || g.apart != nil {
		return false
	}
	p, n := g.points[v.dims[d].point].name, v.dims[d].text
	q := g.unseen(loopNames)
	lo, hi := 1+g.r.IntN(2), 1+g.r.IntN(3)
	switch g.r.IntN(3) {
	case 0:
		g.line("for %s := max(%s-%d, 0); %s < min(%s+%d, %s); %s++ {", q, p, lo, q, p, hi, n, q)
		g.line("\t%s += %s", target.name, g.readAt(v, d, q))
	case 1:
		g.line("for %s := %s; %s < %s && %s-%s <= 2; %s++ {", q, p, q, n, q, p, q)
		g.line("\t%s -= %s", target.name, g.readAt(v, d, q))
	default:
		g.line("for %s := range min(%s-%s, 3) {", q, n, p)
		g.line("\t%s = %s", target.name, g.binary(primary("%s", target.name), "*", primary("%s", g.readAt(v, d, p+"+"+q))).s)
	}
	target.used = true
	g.line("}")
	return true
}

// along reads a view along a dim that belongs to no point, by any form of loop over it.
func (g *generator) along() bool {
	var of []*view
	for _, v := range g.views {
		if !v.twin && v.kind.isNumber() && g.apart == nil && g.readable(v) && v.dims[len(v.dims)-1].whole() {
			of = append(of, v)
		}
	}
	if len(of) == 0 || g.loops > 1 {
		return false
	}
	v := pick(g, of)
	target := g.assignable(func(x *variable) bool { return x.kind == v.kind && !x.array() })
	if target == nil {
		return false
	}
	d := len(v.dims) - 1
	n := v.dims[d].text
	q := g.unseen(loopNames)
	form := pick(g, [][2]string{
		{"for %[1]s := range %[2]s {", "%[1]s"},
		{"for %[1]s := 0; %[1]s < %[2]s; %[1]s++ {", "%[1]s"},
		{"for %[1]s := 1; %[1]s < %[2]s; %[1]s++ {", "%[1]s-1"},
		{"for %[1]s := 0; %[1]s < %[2]s-1; %[1]s++ {", "%[1]s+1"},
		{"for %[1]s := 0; %[1]s <= %[2]s-1; %[1]s++ {", "%[1]s"},
		{"for %[1]s := 0; %[1]s < %[2]s; %[1]s += 2 {", "%[1]s"},
		{"for %[1]s := %[2]s-1; %[1]s >= 0; %[1]s-- {", "%[1]s"},
		{"for %[1]s := %[2]s; %[1]s > 0; %[1]s-- {", "%[1]s-1"},
		{"for %[1]s := %[2]s-1; %[1]s > 0; %[1]s /= 2 {", "%[1]s"},
		{"for %[1]s := range %[2]s/2 {", "%[1]s*2+1"},
		{"for %[1]s := range %[2]s/2 {", "%[2]s-1-%[1]s"},
		{"for %[1]s := 1; %[1]s < %[2]s; %[1]s *= 2 {", "%[1]s"},
		{"for %[1]s := int32(0); %[1]s < int32(%[2]s); %[1]s++ {", "%[1]s"},
		{"for %[1]s := uint32(0); %[1]s < uint32(%[2]s); %[1]s += 3 {", "%[1]s"},
		{"for %[1]s := range uint8(%[2]s) {", "%[1]s"},
	})
	read := v.name + "["
	for i, x := range v.dims {
		switch {
		case i == d:
			read += fmt.Sprintf(form[1]+"%.0[2]s", q, n)
		default:
			read += g.reach(v, i, x) + ", "
		}
	}
	read += "]"
	target.used = true
	g.line("%s", fmt.Sprintf(form[0]+"%.0[2]s", q, n))
	switch g.r.IntN(4) {
	case 0:
		g.line("\tif %s > %s {", read, target.name)
		g.line("\t\t%s", pick(g, []string{"break", "continue"}))
		g.line("\t}")
	case 1:
		g.line("\t%s = max(%s, %s)", target.name, target.name, read)
	}
	g.line("\t%s %s= %s", target.name, pick(g, []string{"+", "-", "*"}), read)
	g.line("}")
	return true
}
