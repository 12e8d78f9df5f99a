package kernelgen

import (
	"slices"

	"github.com/gpugen/gpugen/dsl"
)

// clauses removes the clauses of a switch, their values and what stands before the tag.
func (e *edits) clauses(s *dsl.SwitchStmt) {
	for i, c := range s.Cases {
		e.add(func() { s.Cases = slices.Delete(s.Cases, i, i+1) })
		for j := range c.Values {
			if len(c.Values) > 1 {
				e.add(func() { c.Values = slices.Delete(c.Values, j, j+1) })
			}
		}
	}
	if s.Init != nil {
		e.add(func() { s.Init = nil })
	}
}

// dims removes indexes together with their extents, all but one.
func (e *edits) dims(names *[]*dsl.Ident, extents *[]dsl.Extent) {
	for i := range *names {
		if len(*names) > 1 {
			e.add(func() {
				*names = slices.Delete(*names, i, i+1)
				*extents = slices.Delete(*extents, i, i+1)
			})
		}
	}
}

// call makes the arguments of a call smaller that is a statement: of an atomic operation the indexes of the place.
func (e *edits) call(x dsl.Expr) {
	c, ok := dsl.Unparen(x).(*dsl.CallExpr)
	if !ok {
		return
	}
	for i := range c.Args {
		if u, ok := c.Args[i].(*dsl.UnaryExpr); ok && u.Op == "&" {
			e.indexes(u.X)
			continue
		}
		e.expr(&c.Args[i])
	}
}

// comprehension puts the element in the place of the whole, and makes extents and element smaller.
func (e *edits) comprehension(at *dsl.Expr, c *dsl.Comprehension) {
	e.add(func() { *at = c.Elem })
	e.dims(&c.Vars, &c.Extents)
	e.extents(c.Extents)
	e.expr(&c.Elem)
}
