package lower

import (
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// results is where the results of a function go that is lowered in its caller.
type results struct {
	slots [][]*ir.Local // when there are early returns: the leaves of each
	last  *dsl.ReturnStmt
	vals  [][]*ir.Instr // otherwise: of the last return
}

// expand lowers the body of a function that takes something by reference in the place of its call: its parameters stand
// for the caller's views and arrays, its extents for theirs. A return that is not the last statement leaves a Scope.
func (b *body) expand(e *dsl.CallExpr, f *check.Func, names []string) [][]*ir.Instr {
	n := newBody(b.lowerer, f.Body, b.locals)
	n.byBlock = b.byBlock
	n.Builder, n.exact, n.params, n.syms, n.fn = b.Builder, f.Exact, b.params, b.syms, f
	n.root = f.Decl.Body
	n.refs, n.result = map[*check.Var]*place{}, &results{}
	vals := make([][]*ir.Instr, len(e.Args))
	for i, a := range e.Args {
		if f.Views[i] != nil {
			n.refs[f.Params[i]] = b.named(dsl.Unparen(a).(*dsl.Ident))
			continue
		}
		vals[i] = b.leaves(a)
	}
	n.Pos = e.Pos()
	for i, v := range f.Params {
		switch {
		case vals[i] == nil:
		case v.Assigned || hasArray(v.Type):
			n.assignAll(n.declare(v), vals[i])
		default:
			n.values[v] = vals[i]
		}
	}
	list := f.Decl.Body.Stmts
	n.result.last = lastReturn(list)
	if !returnsEarly(list, n.result.last) {
		n.stmts(list)
		return n.result.vals
	}
	n.result.last = nil
	for i, t := range f.Results {
		name := f.Name
		if i < len(names) && names[i] != "_" {
			name = names[i]
		}
		n.result.slots = append(n.result.slots, n.slots(name, t))
	}
	n.leavable(nil, n.Scope().Blocks[0], func() { n.stmts(list) })
	b.Pos = e.Pos()
	var out [][]*ir.Instr
	for _, ls := range n.result.slots {
		var v []*ir.Instr
		for _, l := range ls {
			v = append(v, b.LocalGet(l))
		}
		out = append(out, v)
	}
	return out
}

// extentOf is an extent of a view: of the caller's, for what a function takes by reference.
func (b *body) extentOf(v *check.Var, d int) *ir.Instr {
	r := b.refs[v]
	switch {
	case r == nil:
		return b.header(b.params[v.Index].Dims[d])
	case r.param != nil:
		return b.header(r.param.Dims[d])
	case r.table != nil:
		return b.Int(r.table.Type.Dims[d])
	}
	return b.Int(r.locals[0].Type.(*types.Array).Dims[d])
}

// give lowers a return: the values go where the results do, and control behind the body.
func (b *body) give(vals [][]*ir.Instr) {
	r := b.result
	if r.last != nil {
		r.vals = vals
		return
	}
	for i, ls := range r.slots {
		b.assignAll(ls, vals[i])
	}
	b.Exit(ir.OpBreak, len(b.around)-1)
}

// lastReturn is the return that ends a body, or nil.
func lastReturn(list []dsl.Stmt) *dsl.ReturnStmt {
	if len(list) == 0 {
		return nil
	}
	r, _ := list[len(list)-1].(*dsl.ReturnStmt)
	return r
}

// returnsEarly reports whether there is a return besides the one that ends the body.
func returnsEarly(list []dsl.Stmt, last *dsl.ReturnStmt) bool {
	early := false
	for _, s := range list {
		dsl.Walk(s, func(n dsl.Node) bool {
			r, ok := n.(*dsl.ReturnStmt)
			early = early || ok && r != last
			return !early
		})
	}
	return early
}
