package kernelgen

import (
	"fmt"
	"strings"
)

var tableShapes = []shape{{dims: []int64{2}}, {dims: []int64{3}}, {dims: []int64{4}}, {dims: []int64{5}}, {dims: []int64{8}}, {dims: []int64{2, 3}}, {dims: []int64{2, 2}, nested: true}}

// chooseTables declares constant arrays of the package, which every body may read and pass on.
func (g *generator) chooseTables() {
	if !g.one(3) {
		return
	}
	for range 1 + g.r.IntN(2) {
		name := fmt.Sprintf("%s%d_%d", pick(g, []string{"t", "T"}), g.seed, len(g.tables))
		g.tables = append(g.tables, g.table(name))
		g.out.WriteByte('\n')
	}
}

// table writes the declaration of a table.
func (g *generator) table(name string) *variable {
	s := pick(g, tableShapes)
	s.kind = pick(g, append([]*kind{intKind}, g.palette...))
	if g.one(8) {
		s.kind = boolKind
	}
	g.line("const %s = %s%s", name, s, g.constants(s.kind, s.dims))
	return &variable{shape: s, name: name, fixed: true, konst: true, even: true, silent: true}
}

// constants are braces with constant elements, now and then fewer than there are.
func (g *generator) constants(k *kind, dims []int64) string {
	var list []string
	for range dims[0] {
		switch {
		case len(list) > 0 && g.one(8):
			return "{" + strings.Join(list, ", ") + "}"
		case len(dims) > 1:
			list = append(list, g.constants(k, dims[1:]))
		case k.isBool():
			list = append(list, pick(g, []string{"true", "false"}))
		default:
			list = append(list, g.untyped(k, false).s)
		}
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// declareTables brings the tables of the package into scope.
func (g *generator) declareTables() {
	for _, t := range g.tables {
		g.declare(t)
	}
}
