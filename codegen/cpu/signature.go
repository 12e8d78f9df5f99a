package cpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// signatureOf is the parameters and results of a function as the source has them.
func signatureOf(fn *ir.Func) *ir.Signature {
	if fn.Sig != nil {
		return fn.Sig
	}
	s := &ir.Signature{Results: fn.Results}
	for _, p := range fn.Params {
		s.Params = append(s.Params, ir.SigParam{Name: p.Name, Type: p.Type})
	}
	return s
}

// signature prints the Go function that takes and gives structs and vectors, round the one that has them taken apart.
func (e *emitter) signature(out *list, fn *ir.Func) {
	w := &wrapping{scopes: e.scopes(map[string]bool{}), body: &list{}}
	w.scopes.stack[0][e.funcs[fn]] = true
	var params, args []jen.Code
	for i := 0; i < len(fn.Sig.Params); {
		t := fn.Sig.Params[i].Type
		var group []jen.Code // neighbours of one type share it
		for ; i < len(fn.Sig.Params) && types.Identical(fn.Sig.Params[i].Type, t); i++ {
			name := w.scopes.declare(fn.Sig.Params[i].Name)
			group = append(group, jen.Id(name))
			for _, l := range types.Leaves(t) {
				args = append(args, w.taken(name, &l))
			}
		}
		params = append(params, jen.List(group...).Add(goType(t)))
	}
	w.results(fn, jen.Id(e.funcs[fn]).Call(args...))
	if e.typed[fn] == e.names.Func(e.m.File, fn.Instance) {
		out.add(jen.Comment("// " + e.typed[fn] + " is the function " + fn.Instance + "."))
	} else {
		e.doc(out, fn)
	}
	out.add(jen.Func().Id(e.typed[fn]).Params(params...).Add(resultTypes(fn.Sig.Results)).Block(w.body.code...), jen.Line())
}

// wrapping is the body of a function with a signature.
type wrapping struct {
	scopes *scopes
	body   *list
}

// results prints the call and puts what it gives together.
func (w *wrapping) results(fn *ir.Func, call *jen.Statement) {
	composite := false
	for _, r := range fn.Sig.Results {
		composite = composite || types.IsComposite(r)
	}
	switch {
	case len(fn.Sig.Results) == 0:
		w.body.add(call)
		return
	case !composite:
		w.body.add(jen.Return(call))
		return
	}
	var whole, targets []jen.Code
	var behind []jen.Code
	for _, r := range fn.Sig.Results {
		name := w.scopes.fresh("r")
		whole = append(whole, jen.Id(name))
		w.body.add(jen.Var().Id(name).Add(goType(r)))
		for _, l := range types.Leaves(r) {
			if !scattered(&l) {
				targets = append(targets, plainLeaf(name, &l))
				continue
			}
			part := w.scopes.fresh("part")
			w.body.add(jen.Var().Id(part).Add(goType(l.Type())))
			targets = append(targets, jen.Id(part))
			behind = append(behind, w.each(name, &l, func(of, array *jen.Statement) *jen.Statement { return of.Op("=").Add(array) }, part))
		}
	}
	w.body.add(jen.List(targets...).Op("=").Add(call))
	w.body.add(behind...)
	w.body.add(jen.Return(whole...))
}

// taken is a leaf of a parameter as an argument, copied together where it lies scattered in an array.
func (w *wrapping) taken(name string, l *types.Leaf) *jen.Statement {
	if !scattered(l) {
		return plainLeaf(name, l)
	}
	part := w.scopes.fresh("part")
	w.body.add(
		jen.Var().Id(part).Add(goType(l.Type())),
		w.each(name, l, func(of, array *jen.Statement) *jen.Statement { return array.Op("=").Add(of) }, part),
	)
	return jen.Id(part)
}

// scattered reports a leaf of an array of structs or vectors: its values are not one array in Go.
func scattered(l *types.Leaf) bool {
	seen := false
	for _, s := range l.Steps {
		if seen && !s.Index {
			return true
		}
		seen = seen || s.Index
	}
	return false
}

// plainLeaf is a leaf that is not scattered, a whole array included.
func plainLeaf(name string, l *types.Leaf) *jen.Statement {
	x := jen.Id(name)
	for _, s := range l.Steps {
		switch {
		case s.Field != "":
			x = x.Dot(s.Field)
		case !s.Index:
			x = x.Index(jen.Lit(s.Comp))
		}
	}
	return x
}

// each copies between the values of a scattered leaf and an array of them.
func (w *wrapping) each(name string, l *types.Leaf, set func(of, array *jen.Statement) *jen.Statement, array string) *jen.Statement {
	var index []string
	to, of := jen.Id(array), jen.Id(name)
	for _, s := range l.Steps {
		switch {
		case s.Index:
			i := w.scopes.fresh("i")
			index = append(index, i)
			to, of = to.Index(jen.Id(i)), of.Index(jen.Id(i))
		case s.Field != "":
			of = of.Dot(s.Field)
		default:
			of = of.Index(jen.Lit(s.Comp))
		}
	}
	body := set(of, to)
	for d := len(index) - 1; d >= 0; d-- {
		body = jen.For(jen.Id(index[d]).Op(":=").Range().Lit(int(l.Dims[d]))).Block(body)
	}
	return body
}
