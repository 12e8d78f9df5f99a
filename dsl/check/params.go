package check

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// maxRank bounds the dims of a view.
const maxRank = 4

// params declares the parameters of a kernel instance. The extents of views wait in b.dimExprs. All types are read before
// any name is declared: no parameter hides the type of another.
func (b *body) params(groups []*dsl.Param) {
	read := make([]types.Type, len(groups))
	extents := make([][]dsl.Expr, len(groups))
	for i, g := range groups {
		read[i], extents[i] = b.paramType(g)
	}
	for i, g := range groups {
		t, dims := read[i], extents[i]
		for _, id := range g.Names {
			p := &Param{Index: len(b.kernel.Params), Name: id.Name, Pos: id.Pos(), Type: t, Mut: g.Mut}
			kind := ParamVar
			if _, ok := t.(*types.View); ok {
				kind = ViewVar
			}
			if len(dims) > 0 {
				p.Dims = make([]*types.Header, len(dims))
			}
			if id.Name == "_" {
				b.report(&ParamTypeError{span: at(id), Why: "a kernel's parameter needs a name"})
			}
			p.Var, _ = b.newVar(id, kind, t)
			p.Var.Index = p.Index
			b.kernel.Params = append(b.kernel.Params, p)
			b.dimExprs = append(b.dimExprs, dims)
		}
	}
}

// paramType is the type of a group of parameters, and the extents of a view, which bind names even if its type is wrong.
func (b *body) paramType(g *dsl.Param) (types.Type, []dsl.Expr) {
	a, ok := dsl.Unparen(g.Type).(*dsl.ArrayType)
	if !ok {
		b.typeFirst(g.Names, g.Type)
		return b.typ(g.Type), nil
	}
	switch n := len(a.Dims); {
	case n == 0:
		b.report(&ParamTypeError{span: at(a), Why: "a view says its extents", Hint: "write `[n]" + text(a.Elem) + "`"})
		return types.Invalid, nil
	case n > maxRank:
		b.report(&ParamTypeError{span: at(a), Why: fmt.Sprintf("a view has at most %d dims", maxRank)})
		return types.Invalid, a.Dims
	}
	elem := b.typ(a.Elem)
	if elem == types.Invalid {
		return types.Invalid, a.Dims
	}
	if holds(elem, types.Int) {
		b.report(&ParamTypeError{span: at(a.Elem), Why: "`int` has no form in memory", Hint: "write `int32` or `int64`"})
		return types.Invalid, a.Dims
	}
	return &types.View{Rank: len(a.Dims), Elem: elem}, a.Dims
}
