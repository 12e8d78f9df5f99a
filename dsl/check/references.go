package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// reference is an argument by reference: a view, a shared array, an array variable or a table of constants.
type reference struct {
	expr dsl.Expr
	obj  *object
	view *types.View
	dims []*types.Header // in the caller's terms; nil where a mistake is reported
}

// reference checks that an argument of fn can be taken by reference; nil if that is reported.
func (b *body) reference(e dsl.Expr, fn *funcDecl, i int) *reference {
	refuse := func(why string) *reference {
		b.use(e)
		b.report(&ReferenceError{span: at(e), Text: text(e), Func: fn.name(), Param: fn.params[i].id.Name, Why: why})
		return nil
	}
	id, ok := dsl.Unparen(e).(*dsl.Ident)
	if !ok {
		return refuse("it has no name")
	}
	if id.Name == "_" {
		b.report(&BlankValueError{at(id)})
		return nil
	}
	o := b.find(id)
	if o == nil || o.kind == objBad {
		return nil
	}
	r := &reference{expr: e, obj: o}
	var array types.Type
	switch {
	case o.kind == objVar && o.v.Type == types.Invalid:
		o.used = true
		return nil
	case o.kind == objVar:
		o.used = true
		b.facts.Uses[id] = o.v
		if v, ok := o.v.Type.(*types.View); ok {
			r.view, r.dims = v, b.dimsOf(o.v)
			return r
		}
		array = o.v.Type
	case o.kind == objConst && o.table != nil:
		b.facts.Tables[id] = o.table
		array = o.typ
	default:
		return refuse("it is " + o.kind.what())
	}
	a, ok := array.(*types.Array)
	if !ok {
		return refuse("it is " + array.String())
	}
	if _, nested := a.Elem.(*types.Array); nested {
		return refuse("it is an array of arrays")
	}
	r.view = &types.View{Rank: len(a.Dims), Elem: a.Elem}
	for _, n := range a.Dims {
		r.dims = append(r.dims, types.Const(n))
	}
	return r
}

// unifyView binds the generic parameters in a parameter's type by an argument by reference.
func (known binding) unifyView(fn *funcDecl, param dsl.Expr, r *reference) {
	a, ok := dsl.Unparen(param).(*dsl.ArrayType)
	if !ok || len(a.Dims) != r.view.Rank {
		return
	}
	for i, d := range a.Dims {
		id, ok := dsl.Unparen(d).(*dsl.Ident)
		if !ok || i >= len(r.dims) || r.dims[i] == nil || r.dims[i].Op != types.HConst {
			continue
		}
		if g := fn.generic(id.Name); g != nil && g.consts != nil {
			if _, ok := known[id.Name]; !ok {
				known[id.Name] = Generic{Param: id.Name, Value: r.dims[i].Val}
			}
		}
	}
	known.unify(fn, a.Elem, r.view.Elem)
}

// references checks the arguments by reference of a call of f: their types, that what is `mut` may be written, and that
// extents are what the function says.
func (b *body) references(e *dsl.CallExpr, f *Func, refs []*reference) bool {
	ok := true
	for i, r := range refs {
		if r == nil {
			ok = ok && f.Params[i].Kind != ViewVar
			continue
		}
		p := f.Views[i]
		if !types.Identical(r.view, p.Type) {
			b.report(&WrongTypeError{span: at(r.expr), Text: text(r.expr), Have: r.view, Want: p.Type, Where: "argument `" + p.Name + "` of `" + f.Name + "`"})
			ok = false
			continue
		}
		ok = (!p.Mut || b.mutable(r)) && ok
	}
	return ok && b.extentsAgree(f, refs)
}

// mutable reports an argument whose elements a function may not write.
func (b *body) mutable(r *reference) bool {
	id := dsl.Unparen(r.expr).(*dsl.Ident)
	switch o := r.obj; {
	case o.kind == objVar && o.v.Kind == ViewVar:
		if p := b.viewParam(o.v); p == nil || !p.Mut {
			b.report(&NotMutError{span: at(id), Name: id.Name, Decl: o.place})
			return false
		}
	case o.kind == objVar && o.v.Kind == SharedVar:
		o.v.Assigned = true
	default:
		if !b.assignable(id, o) {
			return false
		}
		o.v.Assigned = true
	}
	return true
}

// extentsAgree checks the dims that bind nothing against what the function says they are. Nothing is tested when a kernel
// runs, so that they must be equal by what the caller's own header says.
func (b *body) extentsAgree(f *Func, refs []*reference) bool {
	bound := map[string]linear{}
	dim := func(param, d int) (linear, bool) {
		if h := refs[param].dims; d < len(h) && h[d] != nil {
			return linearOf(h[d], nil), true
		}
		return linear{}, false
	}
	for _, s := range f.Symbols {
		x, ok := dim(s.Param, s.Dim)
		if !ok {
			return false
		}
		bound[s.Name] = x
	}
	good := true
	for _, q := range f.Equal {
		have, ok := dim(q.Param, q.Dim)
		if !ok {
			return false
		}
		if want := linearOf(q.Want, bound); !have.equal(want) {
			r := refs[q.Param]
			b.report(&ExtentArgumentError{
				span: at(r.expr), Text: text(r.expr), Dim: q.Dim, Have: have.String(), Want: want.String(), Func: f.Name,
				Param: f.Views[q.Param].Name, Says: q.Want.String(), Decl: span{q.Pos, q.Pos.Advance(1)},
			})
			good = false
		}
	}
	return good
}

// linear is a header expression as a sum of terms, so that equal ones compare equal however they are written.
type linear struct {
	c     int64
	terms map[string]int64 // none is 0
}

// linearOf is h with names replaced as bound says.
func linearOf(h *types.Header, bound map[string]linear) linear {
	switch h.Op {
	case types.HConst:
		return linear{c: h.Val}
	case types.HSym:
		if x, ok := bound[h.Name]; ok {
			return x
		}
	case types.HNeg:
		return linearOf(h.X, bound).times(-1)
	case types.HAdd:
		return linearOf(h.X, bound).plus(linearOf(h.Y, bound), 1)
	case types.HSub:
		return linearOf(h.X, bound).plus(linearOf(h.Y, bound), -1)
	case types.HMul:
		x, y := linearOf(h.X, bound), linearOf(h.Y, bound)
		switch {
		case len(x.terms) == 0:
			return y.times(x.c)
		case len(y.terms) == 0:
			return x.times(y.c)
		}
	}
	return linear{terms: map[string]int64{substituted(h, bound).String(): 1}}
}

// substituted is h with names replaced.
func substituted(h *types.Header, bound map[string]linear) *types.Header {
	switch {
	case h == nil || h.Op == types.HConst:
		return h
	case h.Op == types.HSym:
		if x, ok := bound[h.Name]; ok {
			s := x.String()
			if strings.Contains(s, " ") {
				s = "(" + s + ")"
			}
			return types.Sym(s)
		}
		return h
	}
	out := *h
	out.X, out.Y = substituted(h.X, bound), substituted(h.Y, bound)
	return &out
}

func (x linear) plus(y linear, factor int64) linear {
	out := linear{c: x.c + factor*y.c, terms: map[string]int64{}}
	maps.Copy(out.terms, x.terms)
	for t, n := range y.terms {
		if out.terms[t] += factor * n; out.terms[t] == 0 {
			delete(out.terms, t)
		}
	}
	return out
}

func (x linear) times(n int64) linear { return linear{}.plus(x, n) }

func (x linear) equal(y linear) bool { return x.c == y.c && maps.Equal(x.terms, y.terms) }

// String is the sum in the language's syntax, its terms sorted.
func (x linear) String() string {
	var h *types.Header
	for _, t := range slices.Sorted(maps.Keys(x.terms)) {
		n := x.terms[t]
		term := types.Sym(t)
		if n != 1 && (n != -1 || h == nil) {
			k := n
			if h != nil && n < 0 {
				k = -n
			}
			term = &types.Header{Op: types.HMul, X: types.Const(k), Y: term}
		}
		switch {
		case h == nil:
			h = term
		case n < 0:
			h = &types.Header{Op: types.HSub, X: h, Y: term}
		default:
			h = &types.Header{Op: types.HAdd, X: h, Y: term}
		}
	}
	switch {
	case h == nil:
		h = types.Const(x.c)
	case x.c > 0:
		h = &types.Header{Op: types.HAdd, X: h, Y: types.Const(x.c)}
	case x.c < 0:
		h = &types.Header{Op: types.HSub, X: h, Y: types.Const(-x.c)}
	}
	return h.String()
}
