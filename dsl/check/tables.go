package check

import (
	"go/constant"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// row is a constant array, or the part of one behind some constant indexes.
type row struct {
	table *Table
	typ   *types.Array
	first int64 // number of its first element
}

// flatLen is the number of basic values in t.
func flatLen(t types.Type) int64 {
	n := int64(1)
	for {
		a, ok := t.(*types.Array)
		if !ok {
			return n
		}
		n *= a.Len()
		t = a.Elem
	}
}

// flatElem is the kind of the basic values in t.
func flatElem(t types.Type) types.Kind {
	for {
		a, ok := t.(*types.Array)
		if !ok {
			return types.KindOf(t)
		}
		t = a.Elem
	}
}

// table makes the table of a constant declaration whose value x has type a.
func (b *body) table(s spec, x operand, a *types.Array) (*Table, bool) {
	t := &Table{Name: s.id.Name, Type: a, Pos: s.id.Pos()}
	if x.row != nil { // another table, or a part of it
		t.Values = x.row.table.Values[x.row.first:][:flatLen(a)]
		return t, true
	}
	lit, ok := dsl.Unparen(s.value).(*dsl.CompositeLit)
	if !ok {
		b.report(&NotConstantError{span: at(s.value), Text: text(s.value), Where: "the value of constant `" + s.id.Name + "`"})
		return nil, false
	}
	zero := constant.MakeInt64(0)
	if flatElem(a) == types.Bool {
		zero = constant.MakeBool(false)
	}
	for range flatLen(a) {
		t.Values = append(t.Values, zero)
	}
	return t, b.fillTable(t.Values, lit, a, s)
}

// fillTable puts the elements of a checked literal of type a into values.
func (b *body) fillTable(values []constant.Value, e *dsl.CompositeLit, a *types.Array, s spec) bool {
	elem := a.Elem
	if len(a.Dims) > 1 {
		elem = &types.Array{Dims: a.Dims[1:], Elem: a.Elem}
	}
	size := flatLen(elem)
	next := int64(0)
	ok := true
	for _, el := range e.Elems {
		if el.Key != nil {
			next, _ = constant.Int64Val(constant.ToInt(b.facts.Values[el.Key].Const))
		}
		to := values[next*size:][:size]
		next++
		if inner, composite := dsl.Unparen(el.Value).(*dsl.CompositeLit); composite {
			ok = b.fillTable(to, inner, elem.(*types.Array), s) && ok
			continue
		}
		v := b.facts.Values[el.Value].Const
		if v == nil {
			b.report(&NotConstantError{span: at(el.Value), Text: text(el.Value), Where: "an element of constant `" + s.id.Name + "`"})
			ok = false
			continue
		}
		to[0] = v
	}
	return ok
}

// rowElement is what the indexes of e give of a constant array: a constant, or a part of the array, if they are constant.
func (b *body) rowElement(e *dsl.IndexExpr, r *row) operand {
	if len(e.Args) != len(r.typ.Dims) {
		return operand{} // reported
	}
	n, known := int64(0), true
	for d, a := range e.Args {
		v := b.facts.Values[a].Const
		i := int64(-1)
		if v != nil {
			i, _ = constant.Int64Val(constant.ToInt(v))
		}
		if v != nil && (i < 0 || i >= r.typ.Dims[d]) {
			return operand{} // reported
		}
		known = known && v != nil
		n = n*r.typ.Dims[d] + i
	}
	x := elementOf(r.typ.Elem)
	if !known || x.mode == bad {
		return x
	}
	first := r.first + n*flatLen(r.typ.Elem)
	if inner, ok := r.typ.Elem.(*types.Array); ok {
		x.row = &row{table: r.table, typ: inner, first: first}
		return x
	}
	x.mode, x.val = konst, r.table.Values[first]
	return x
}
