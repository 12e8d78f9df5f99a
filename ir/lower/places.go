package lower

import (
	"slices"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// place is where a value lies: a variable, an element of a view, a value that has no variable, or a part of one of these,
// its indexes evaluated. A part is some of the leaves of the whole.
type place struct {
	param  *ir.Param   // a view, or a parameter by value
	locals []*ir.Local // of a variable: one a leaf, nil for those that never change and are in vals
	vals   []*ir.Instr // of a value: one a leaf
	table  *ir.Table   // a constant array
	leaves []int       // the leaves at the place, as numbers among those of the whole; a swizzle orders them anew
	index  []*ir.Instr // all indexes on the way, those into a view first
	typ    types.Type  // of the place
	pos    dsl.Node
}

// all are the numbers of the leaves of t.
func all(t types.Type) []int {
	out := make([]int, len(types.Leaves(t)))
	for i := range out {
		out[i] = i
	}
	return out
}

// target evaluates the place that e names; nil for the blank name.
func (b *body) target(e dsl.Expr) *place {
	e = dsl.Unparen(e)
	switch e := e.(type) {
	case *dsl.Ident:
		if e.Name == "_" {
			return nil
		}
		return b.named(e)
	case *dsl.IndexExpr:
		p := *b.target(e.X)
		p.pos = e
		p.index = p.index[:len(p.index):len(p.index)]
		for _, a := range e.Args {
			p.index = append(p.index, b.index(b.expr(a)))
		}
		switch t := p.typ.(type) {
		case *types.View:
			p.typ = t.Elem
		case *types.Array:
			p.typ = t.Elem
		default:
			unknown("index of "+p.typ.String(), e)
		}
		return &p
	case *dsl.SelectorExpr:
		p := *b.target(e.X)
		p.pos = e
		p.leaves, p.typ = part(p.leaves, p.typ, e)
		return &p
	}
	t := b.facts.Values[e].Type
	return &place{vals: b.leaves(e), leaves: all(t), typ: t, pos: e}
}

// part chooses the leaves of a field or swizzle among those of a value of type t, and gives its type.
func part[T any](leaves []T, t types.Type, e *dsl.SelectorExpr) ([]T, types.Type) {
	switch t := t.(type) {
	case *types.Struct:
		at := 0
		for _, f := range t.Fields {
			n := len(types.Leaves(f.Type))
			if f.Name == e.Sel.Name {
				return leaves[at : at+n : at+n], f.Type
			}
			at += n
		}
	case *types.Vector:
		var out []T
		for _, c := range check.Swizzle(t, e.Sel.Name) {
			out = append(out, leaves[c])
		}
		if len(out) == 1 {
			return out, t.Elem
		}
		return out, &types.Vector{Elem: t.Elem, N: len(out)}
	}
	unknown("selector of "+t.String(), e)
	return nil, nil
}

// named is the place of a variable.
func (b *body) named(id *dsl.Ident) *place {
	if t := b.facts.Tables[id]; t != nil {
		return &place{table: b.table(t), leaves: []int{0}, typ: t.Type, pos: id}
	}
	v := b.facts.Uses[id]
	if r := b.refs[v]; r != nil {
		p := *r
		p.typ, p.pos = v.Type, id
		return &p
	}
	p := &place{typ: v.Type, pos: id}
	switch {
	case v.Kind == check.ViewVar:
		p.param = b.params[v.Index]
		p.leaves = all(p.param.Elem())
		return p
	case b.vars[v] != nil:
		p.locals, p.vals = b.vars[v], b.values[v]
	case b.values[v] == nil && v.Kind == check.ParamVar && types.IsComposite(v.Type):
		p.param = b.params[v.Index]
	default:
		p.vals = b.variable(v)
	}
	p.leaves = all(v.Type)
	return p
}

// slot is the variable of a leaf, nil where there is none.
func (p *place) slot(leaf int) *ir.Local {
	if p.locals == nil {
		return nil
	}
	return p.locals[leaf]
}

// name is what a copy of a leaf is called.
func (p *place) name(leaf int) string {
	if l := p.slot(leaf); l != nil {
		return l.Name
	}
	if p.table != nil {
		return p.table.Name
	}
	l := p.param.Leaf(leaf)
	return leafName(p.param.Name, &l)
}

// missing are the dims of a leaf that the indexes of p leave open.
func (p *place) missing(leaf int) (open []int64, kind types.Kind) {
	var t types.Type
	switch {
	case p.param != nil:
		l := p.param.Leaf(leaf)
		return l.Dims[max(len(p.index)-len(p.param.Dims), 0):], l.Kind
	case p.table != nil:
		t = p.table.Type
	case p.slot(leaf) != nil:
		t = p.locals[leaf].Type
	default:
		t = p.vals[leaf].Type
	}
	a, ok := t.(*types.Array)
	if !ok {
		return nil, t.(types.Kind)
	}
	return a.Dims[len(p.index):], a.Elem.(types.Kind)
}

// read is the value at p, leaf by leaf.
func (b *body) read(p *place) []*ir.Instr {
	out := make([]*ir.Instr, len(p.leaves))
	for i, leaf := range p.leaves {
		open, kind := p.missing(leaf)
		bb := b.At(p.pos.Pos())
		switch {
		case p.slot(leaf) != nil && len(p.index) == 0 && !b.many(p.locals[leaf]):
			out[i] = bb.LocalGet(p.locals[leaf])
		case p.vals != nil && p.slot(leaf) == nil && len(p.index) == 0:
			out[i] = p.vals[leaf]
		case p.vals != nil && p.slot(leaf) == nil:
			out[i] = b.read(b.held(p, leaf))[0]
		case len(open) > 0:
			out[i] = b.copied(p, leaf, &types.Array{Dims: open, Elem: kind})
		default:
			out[i] = b.load(p, leaf, nil)
		}
	}
	return out
}

// many reports a shared array: as a value it is copied element by element, so that what follows sees accesses of elements
// alone.
func (b *body) many(l *ir.Local) bool {
	_, array := l.Type.(*types.Array)
	return l.Shared && array
}

// held is p with a slot for a leaf of a value that is an array, so that it can be indexed.
func (b *body) held(p *place, leaf int) *place {
	l := b.local("held", p.vals[leaf].Type)
	b.LocalSet(l, p.vals[leaf])
	h := *p
	h.locals, h.leaves = make([]*ir.Local, len(p.vals)), []int{leaf}
	h.locals[leaf] = l
	return &h
}

// load reads one scalar of a leaf; more are the indexes that p leaves open.
func (b *body) load(p *place, leaf int, more []*ir.Instr) *ir.Instr {
	bb := b.At(p.pos.Pos())
	index := append(p.index[:len(p.index):len(p.index)], more...)
	switch {
	case p.table != nil:
		return bb.TableGet(p.table, index...)
	case p.param == nil:
		return bb.ElemGet(p.locals[leaf], index...)
	case !p.param.IsView() && len(index) == 0:
		return bb.ParamLeaf(p.param, leaf)
	}
	return bb.LoadLeaf(p.param, leaf, index...)
}

// save assigns one scalar of a leaf.
func (b *body) save(p *place, leaf int, v *ir.Instr, more []*ir.Instr) {
	bb := b.At(p.pos.Pos())
	index := append(p.index[:len(p.index):len(p.index)], more...)
	if p.param != nil {
		bb.StoreLeaf(p.param, leaf, v, index...)
		return
	}
	bb.ElemSet(p.locals[leaf], v, index...)
}

// write assigns a value to p, leaf by leaf.
func (b *body) write(p *place, vals []*ir.Instr) {
	for i, leaf := range p.leaves {
		open, kind := p.missing(leaf)
		switch {
		case p.param == nil && len(p.index) == 0 && !b.many(p.locals[leaf]):
			b.At(p.pos.Pos()).LocalSet(p.locals[leaf], vals[i])
		case len(open) > 0:
			row := &types.Array{Dims: open, Elem: kind}
			src := b.unchanged(vals[i])
			if src == nil {
				src = b.local(p.name(leaf), row)
				b.LocalSet(src, vals[i])
			}
			b.each(row.Dims, func(ix []*ir.Instr) { b.save(p, leaf, b.ElemGet(src, ix...), ix) })
		default:
			b.save(p, leaf, vals[i], nil)
		}
	}
}

// unchanged is the slot from which v was read, if it still has that value: nothing in the block has assigned it since.
func (b *body) unchanged(v *ir.Instr) *ir.Local {
	if v.Op != ir.OpLocalGet || v.Local.Shared {
		return nil
	}
	for _, in := range slices.Backward(b.Block.Instrs) {
		if in == v {
			return v.Local
		}
		if len(in.Blocks) > 0 || in.Local == v.Local && !ir.Ops[in.Op].Value {
			return nil
		}
	}
	return nil
}

// copied copies a part of an array, a value, into a slot of its own.
func (b *body) copied(p *place, leaf int, row *types.Array) *ir.Instr {
	dst := b.local(p.name(leaf), row)
	b.fresh[dst] = true
	b.LocalSet(dst, b.Zero(row))
	b.each(row.Dims, func(ix []*ir.Instr) { b.ElemSet(dst, b.load(p, leaf, ix), ix...) })
	return b.LocalGet(dst)
}

// each runs f in nested loops over all indexes of an array.
func (b *body) each(dims []int64, f func(index []*ir.Instr)) {
	var nest func(ix []*ir.Instr)
	nest = func(ix []*ir.Instr) {
		if len(ix) == len(dims) {
			f(ix)
			return
		}
		loop := b.Range("", b.Int(0), b.Int(dims[len(ix)]), b.Int(1))
		b.within(loop.Blocks[0], func() { nest(append(ix[:len(ix):len(ix)], loop.Blocks[0].Iter)) })
	}
	nest(nil)
}
