package kernelgen

import (
	"fmt"
	"strings"
)

// comprehension is one of kind k: sum, prod, min, max, argmin, argmax, any or all over few elements or none. The order
// in which elements are combined is open, so that floats are added and multiplied only where every order gives the same.
func (g *generator) comprehension(k *kind, depth int) (expr, bool) {
	if depth < 1 || g.comps > 1 || g.comps == 1 && !g.one(3) || g.loops > 1 {
		return expr{}, false
	}
	names := []string{"sum", "prod", "min", "max"}
	switch {
	case k.isBool():
		names = []string{"any", "all"}
	case k == intKind && g.one(2):
		names = []string{"argmin", "argmax"}
	}
	name := pick(g, names)
	rank := 1
	exact := name != "sum" && name != "prod" || !k.halves() // few whole numbers are, in 16 bits
	if exact && !strings.HasPrefix(name, "arg") && g.one(4) {
		rank = 2 + g.r.IntN(2)/(1+g.comps)
	}
	g.budget--
	g.comps++
	defer func() { g.comps-- }()
	var vars, extents []string
	var indexes []*variable
	read, element := g.row(k)
	for i := range rank {
		v := &variable{shape: shape{kind: intKind}, fixed: true, even: g.even, silent: true, used: true}
		extent := ""
		if i == 0 && read != nil {
			extent = read.text
			if g.one(4) {
				extent = "1:" + extent
			}
		} else {
			extent, v.below = g.few()
		}
		extents = append(extents, extent)
		indexes = append(indexes, v)
	}
	g.open()
	for _, v := range indexes {
		v.name = g.fresh(loopNames)
		for contains(vars, v.name) {
			v.name = g.fresh(loopNames)
		}
		vars = append(vars, v.name)
		g.declare(v)
	}
	e := g.folded(name, k, depth-1, func() (expr, bool) {
		if read == nil {
			return expr{}, false
		}
		return primary("%s", element(vars[0])), true
	})
	g.scopes = g.scopes[:len(g.scopes)-1]
	return primary("%s(%s for %s in %s)", name, e.s, strings.Join(vars, ", "), strings.Join(extents, ", ")), true
}

// few is an extent of at most 5 indexes, and what they stay below if they are not negative.
func (g *generator) few() (text string, below int64) {
	switch g.r.IntN(8) {
	case 0:
		return pick(g, []string{"-1:2", "-2:1", "-3:-1", "2:2", "3:1", "0:0"}), 0
	case 1:
		return g.small(intKind, 3).s, 3
	case 2:
		return "1:" + g.small(intKind, 3).at(precAdd), 3
	case 3:
		return fmt.Sprintf("2:%d", 3+g.r.IntN(3)), 5
	}
	n := 1 + g.r.Int64N(5)
	return fmt.Sprint(n), n
}

// row is a dim of a view along which a comprehension may read elements of kind k, and the text of one.
func (g *generator) row(k *kind) (*dim, func(index string) string) {
	if g.one(2) && (g.rows == nil || g.apart != nil) || g.indexes > 0 {
		return nil, nil
	}
	if g.rows != nil && (g.apart != nil || g.comps > 1) && !g.one(4) { // loops over rows in loops over rows take long
		return nil, nil
	}
	for _, v := range g.views {
		at := len(v.dims) - 1
		if v.kind != k || at < 0 || !v.dims[at].whole() || v.twin || v.ragged || !g.readable(v) || v.mut && (g.even || g.apart != nil && (g.rows == nil || g.apart.view == v)) { // iterations without an order write others of the row
			continue
		}
		return &v.dims[at], func(index string) string {
			read := ""
			for i, x := range v.dims[:at] {
				read += g.reach(v, i, x) + ", "
			}
			return v.name + "[" + read + index + "]"
		}
	}
	return nil, nil
}

// folded is the element of a comprehension.
func (g *generator) folded(name string, k *kind, depth int, element func() (expr, bool)) expr {
	switch {
	case strings.HasPrefix(name, "arg"):
		return g.live(g.number(), depth)
	case name == "sum" && !k.isInt():
		most := 7
		if !k.exactTo(1000) { // a row has fewer elements than 143
			most = 1
		}
		return primary("%s(%s)", k.name, g.small(intKind, most).s)
	case name == "prod" && !k.isInt(): // powers of two
		return primary("%s(%s)", k.name, g.binary(g.small(intKind, 1), "+", expr{"1", precPrimary, true}).s)
	}
	e, ok := element()
	switch {
	case !ok:
		return g.live(k, depth)
	case k.isBool():
		return g.binary(e, pick(g, []string{"&&", "||", "!="}), g.live(k, depth))
	case g.one(2):
		return e
	}
	return g.binary(e, pick(g, []string{"+", "-", "*"}), g.live(k, depth))
}
