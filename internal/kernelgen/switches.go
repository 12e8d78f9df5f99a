package kernelgen

import (
	"fmt"
	"strconv"
	"strings"
)

// switchStmt is a switch over an integer, over a bool or over nothing.
func (g *generator) switchStmt() {
	g.open()
	defer func() { g.scopes = g.scopes[:len(g.scopes)-1] }()
	l := &label{}
	g.labelled(l, func() {
		cases := g.switchHead()
		old := g.cases
		g.cases = true
		g.clauses(cases, g.statements)
		g.cases = old
		g.line("}")
	})
}

// switchHead writes the first line and gives what the clauses test; the clauses follow in any order.
func (g *generator) switchHead() []string {
	init, k := "", g.integer()
	tag := expr{}
	bare := g.one(4)
	if g.one(3) {
		e := g.live(k, 2)
		v := &variable{shape: shape{kind: k}, name: g.fresh(localNames), fixed: true, even: g.even, silent: true}
		init = fmt.Sprintf("%s := %s; ", v.name, e.s)
		g.declare(v)
		tag = primary("%s", v.name)
	} else if !bare {
		tag = g.live(k, 2)
	}
	n := 1 + g.r.IntN(4)
	switch {
	case bare: // conditions, the first that holds
		g.line("switch %s{", init)
		first := ""
		if init != "" {
			first = g.binary(tag, pick(g, []string{"<", "!=", ">="}), g.value(k, 1)).s
		}
		return g.conditions(first, n)
	case g.one(6):
		g.line("switch %s%s {", init, g.binary(tag, pick(g, []string{"<", "==", ">="}), g.value(k, 1)).s)
		if g.one(3) {
			return []string{g.live(boolKind, 2).s}
		}
		return []string{"true", "false"}[:1+g.r.IntN(2)]
	}
	limit := int64(0)
	if g.one(2) {
		limit = pick(g, []int64{3, 7})
		tag = g.binary(tag, "&", expr{fmt.Sprint(limit), precPrimary, true})
	}
	g.line("switch %s%s {", init, tag.s)
	return g.values(k, limit, n)
}

func (g *generator) conditions(first string, n int) (list []string) {
	if first != "" {
		list = append(list, first)
	}
	for range n {
		s := g.condition(2).s
		if g.one(5) {
			s += ", " + g.condition(1).s
		}
		list = append(list, s)
	}
	return list
}

// values are the values of clauses: constants that differ, few of them beyond the limit, and others.
func (g *generator) values(k *kind, limit int64, n int) (list []string) {
	seen := map[string]bool{}
	for range n {
		var these []string
		for range 1 + g.r.IntN(3) {
			if g.one(6) {
				these = append(these, g.live(k, 1).s)
				continue
			}
			s := g.untyped(k, false).s
			if limit > 0 && !g.one(8) {
				s = fmt.Sprint(g.r.Int64N(limit + 1))
			}
			value := s
			if u, err := strconv.ParseUint(s, 0, 64); err == nil {
				value = fmt.Sprint(u)
			}
			if !seen[value] {
				seen[value] = true
				these = append(these, s)
			}
		}
		if len(these) > 0 {
			list = append(list, strings.Join(these, ", "))
		}
	}
	return list
}

// clauses writes the clauses and, anywhere among them, a default. body fills each but a few that are empty; some go on
// in the next.
func (g *generator) clauses(cases []string, body func()) {
	n, other := len(cases), -1
	if len(cases) == 0 || !g.one(3) {
		n++
		other = g.r.IntN(n)
	}
	for i := range n {
		if i == other {
			g.line("default:")
		} else {
			g.line("case %s:", cases[0])
			cases = cases[1:]
		}
		g.indent++
		if !g.one(8) {
			g.open()
			body()
			g.close()
		}
		if i < n-1 && g.one(5) {
			g.line("fallthrough")
		}
		g.indent--
	}
}
