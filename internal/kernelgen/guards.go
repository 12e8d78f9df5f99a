package kernelgen

import "fmt"

// neighbour is a view with one dim along a dim of the domain, whose elements beside the point's own are read under
// guards, as stencils do: what proves an index in range is then a condition or a loop's ends.
func (g *generator) neighbour() (v *view, d int, ok bool) {
	var of []*view
	for _, v := range g.views {
		if !v.mut && !v.twin && !v.kind.isBool() {
			for _, d := range v.dims {
				if d.point >= 0 && !d.double && !d.extra {
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
		if x := v.dims[d]; x.point >= 0 && !x.double && !x.extra {
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
	g.open()
	q := g.fresh(loopNames)
	for q == target.name {
		q = g.fresh(loopNames)
	}
	g.scopes = g.scopes[:len(g.scopes)-1]
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
