package kernelgen

import (
	"slices"

	"github.com/gpugen/gpugen/dsl"
)

// fields removes fields of a struct, and what literals give them.
func (e *edits) fields(f *dsl.File, t *dsl.TypeSpec) {
	at := 0
	for g, group := range t.Fields {
		for i, id := range group.Names {
			number := at
			at++
			e.add(func() {
				if group.Names = slices.Delete(group.Names, i, i+1); len(group.Names) == 0 {
					t.Fields = slices.Delete(t.Fields, g, g+1)
				}
				dsl.Walk(f, func(n dsl.Node) bool {
					lit, ok := n.(*dsl.CompositeLit)
					if !ok {
						return true
					}
					if of, ok := lit.Type.(*dsl.Ident); ok && of.Name == t.Name.Name {
						lit.Elems = without(lit.Elems, id.Name, number)
					}
					return true
				})
			})
		}
	}
}

// without are the elements of a literal but for that of a field.
func without(list []*dsl.Element, name string, number int) []*dsl.Element {
	if len(list) > 0 && list[0].Key == nil {
		if number < len(list) {
			return slices.Delete(list, number, number+1)
		}
		return list
	}
	return slices.DeleteFunc(list, func(el *dsl.Element) bool {
		id, ok := el.Key.(*dsl.Ident)
		return ok && id.Name == name
	})
}

// arguments removes parameters of a function, and what calls give them.
func (e *edits) arguments(f *dsl.File, d *dsl.FuncDecl) {
	at := 0
	for g, group := range d.Params {
		for i := range group.Names {
			number := at
			at++
			e.add(func() {
				if group.Names = slices.Delete(group.Names, i, i+1); len(group.Names) == 0 {
					d.Params = slices.Delete(d.Params, g, g+1)
				}
				dsl.Walk(f, func(n dsl.Node) bool {
					if c, ok := n.(*dsl.CallExpr); ok && called(c) == d.Name.Name && number < len(c.Args) {
						c.Args = slices.Delete(c.Args, number, number+1)
					}
					return true
				})
			})
		}
	}
}

// called is the name of the function that a call calls, generic arguments aside.
func called(c *dsl.CallExpr) string {
	fun := c.Fun
	if x, ok := fun.(*dsl.IndexExpr); ok {
		fun = x.X
	}
	if id, ok := fun.(*dsl.Ident); ok {
		return id.Name
	}
	return ""
}
