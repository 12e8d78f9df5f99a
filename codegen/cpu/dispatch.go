package cpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// generic is a type parameter of an exported function and its listed types.
type generic struct {
	name  string // in Go
	types []types.Type
}

// dispatcher prints the generic Go function over the instances of one function. Go finds the instance by the type
// arguments; the switch costs a nanosecond and allocates nothing.
func (e *emitter) dispatcher(out *list, all []*ir.Func) {
	first := all[0]
	s := e.scopes(map[string]bool{})
	var params []generic
	for i, g := range first.Generics {
		p := generic{name: s.declare(g.Param)}
		for _, fn := range all {
			if t := fn.Generics[i].Type; indexOf(p.types, t) < 0 {
				p.types = append(p.types, t)
			}
		}
		params = append(params, p)
	}
	// spell is a type in the signature: a type parameter where the instances differ as that does.
	spell := func(get func(*ir.Func) types.Type) *jen.Statement { return spellType(all, params, get) }
	var constraints, sig []jen.Code
	for _, p := range params {
		var list []jen.Code
		for _, t := range p.types {
			list = append(list, goType(t))
		}
		constraints = append(constraints, jen.Id(p.name).Union(list...))
	}
	var names []string
	var group []jen.Code // neighbours of one type share it
	text := ""
	for i, p := range signatureOf(first).Params {
		name := s.declare(p.Name)
		names = append(names, name)
		t := spell(func(fn *ir.Func) types.Type { return signatureOf(fn).Params[i].Type })
		if now := t.GoString(); len(group) == 0 || now != text {
			text, group = now, nil
			sig = append(sig, nil)
		}
		group = append(group, jen.Id(name))
		sig[len(sig)-1] = jen.List(group...).Add(t)
	}
	var results []jen.Code
	for i := range signatureOf(first).Results {
		results = append(results, spell(func(fn *ir.Func) types.Type { return signatureOf(fn).Results[i] }))
	}
	result := jen.Null()
	if len(results) == 1 {
		result = jen.Add(results[0])
	} else if len(results) > 1 {
		result = jen.Params(results...)
	}
	body := &list{}
	d := dispatch{e: e, all: all, params: params, names: names, scopes: s, result: results}
	d.zeros(body)
	d.choose(body, nil)
	e.doc(out, first)
	out.add(jen.Func().Id(first.Name).Types(constraints...).Params(sig...).Add(result).Block(body.code...), jen.Line())
}

func indexOf(list []types.Type, t types.Type) int {
	for i, x := range list {
		if types.Identical(x, t) {
			return i
		}
	}
	return -1
}

// spellType finds the type parameter that a type follows through all instances, inside arrays as well.
func spellType(all []*ir.Func, params []generic, get func(*ir.Func) types.Type) *jen.Statement {
	if a, ok := get(all[0]).(*types.Array); ok {
		s := &jen.Statement{}
		for _, d := range a.Dims {
			s.Index(jen.Lit(int(d)))
		}
		return s.Add(spellType(all, params, func(fn *ir.Func) types.Type { return get(fn).(*types.Array).Elem }))
	}
	for n, p := range params {
		follows := true
		for _, fn := range all {
			follows = follows && types.Identical(get(fn), fn.Generics[n].Type)
		}
		if follows {
			return jen.Id(p.name)
		}
	}
	return goType(get(all[0]))
}

// dispatch prints the body of a dispatcher.
type dispatch struct {
	e      *emitter
	all    []*ir.Func
	params []generic
	names  []string
	scopes *scopes
	result []jen.Code
	zero   []string
}

// zeros declares a variable of each type parameter to switch on.
func (d *dispatch) zeros(out *list) {
	for _, p := range d.params {
		name := d.scopes.temp("zero" + p.name)
		out.add(jen.Var().Id(name).Id(p.name))
		d.zero = append(d.zero, name)
	}
}

func (d *dispatch) choose(out *list, args []types.Type) {
	n := len(args)
	if n == len(d.params) {
		d.forward(out, args)
		return
	}
	out.add(jen.Switch(d.boxed(jen.Id(d.zero[n])).Assert(jen.Type())).BlockFunc(func(s *jen.Group) {
		last := len(d.params[n].types) - 1
		for i, t := range d.params[n].types {
			inner := &list{}
			d.choose(inner, append(args[:n:n], t))
			if i == last {
				s.Default().Block(inner.code...)
			} else {
				s.Case(goType(t)).Block(inner.code...)
			}
		}
	}))
}

// boxed is a value as an empty interface.
func (d *dispatch) boxed(x *jen.Statement) *jen.Statement {
	if d.e.names.Declares("any") {
		return jen.Interface().Call(x)
	}
	return jen.Any().Call(x)
}

// forward calls the instance with the given type arguments.
func (d *dispatch) forward(out *list, args []types.Type) {
	var fn *ir.Func
	for _, x := range d.all {
		ok := true
		for i, t := range args {
			ok = ok && types.Identical(x.Generics[i].Type, t)
		}
		if ok {
			fn = x
		}
	}
	if fn == nil {
		panic("cpu: no instance of " + d.all[0].Name)
	}
	var in []jen.Code
	for i, p := range signatureOf(fn).Params {
		in = append(in, d.boxed(jen.Id(d.names[i])).Assert(goType(p.Type)))
	}
	c := jen.Id(d.e.typed[fn]).Call(in...)
	switch len(d.result) {
	case 0:
		out.add(c)
	case 1:
		out.add(jen.Return(d.boxed(c).Assert(d.result[0])))
	default:
		var names, vals []jen.Code
		for i := range d.result {
			name := d.scopes.fresh("r")
			names = append(names, jen.Id(name))
			vals = append(vals, d.boxed(jen.Id(name)).Assert(d.result[i]))
		}
		out.add(jen.List(names...).Op(":=").Add(c), jen.Return(vals...))
	}
}
