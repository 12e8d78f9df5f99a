package check

import (
	"fmt"
	"go/constant"
	"slices"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// maxInstances bounds the instances of one declaration.
const maxInstances = 256

// genericParam is one generic parameter with what its declaration lists.
type genericParam struct {
	name   string
	place  span
	types  []types.Type
	consts []int64 // nil for a type parameter
}

func (g *genericParam) args() []Generic {
	var out []Generic
	for _, t := range g.types {
		out = append(out, Generic{Param: g.name, Type: t})
	}
	for _, n := range g.consts {
		out = append(out, Generic{Param: g.name, Value: n})
	}
	return out
}

func (g *genericParam) lists(a Generic) bool {
	for _, x := range g.args() {
		if x.Value == a.Value && types.Identical(x.Type, a.Type) {
			return true
		}
	}
	return false
}

// text lists what is listed.
func (g *genericParam) text() string {
	var s []string
	for _, x := range g.args() {
		s = append(s, x.text())
	}
	return strings.Join(s, ", ")
}

// generics reads the lists of a declaration; ok is false if one is empty once its mistakes are left out.
func (c *checker) generics(file *dsl.File, groups []*dsl.Generic) (out []*genericParam, ok bool) {
	b := c.newBody(file, c.scope)
	ok = true
	total := 1
	for _, g := range groups {
		var listed []types.Type
		var consts []int64
		for _, e := range g.Types {
			t := b.typ(e)
			_, array := t.(*types.Array)
			switch {
			case t == types.Invalid:
			case array:
				b.report(&GenericListError{span: at(e), Why: "arrays cannot be listed, and `" + t.String() + "` is one"})
			case slices.ContainsFunc(listed, func(o types.Type) bool { return types.Identical(o, t) }):
				b.report(&GenericListError{span: at(e), Why: "`" + t.String() + "` is listed twice"})
			default:
				listed = append(listed, t)
			}
		}
		for _, e := range g.Consts {
			n, good := b.constInt(e, "a listed value")
			switch {
			case !good:
			case slices.Contains(consts, n):
				b.report(&GenericListError{span: at(e), Why: fmt.Sprintf("%d is listed twice", n)})
			default:
				consts = append(consts, n)
			}
		}
		if len(listed)+len(consts) == 0 {
			ok = false
		}
		for _, id := range g.Names {
			out = append(out, &genericParam{name: id.Name, place: at(id), types: listed, consts: consts})
			if total *= len(listed) + len(consts); total > maxInstances {
				b.report(&GenericListError{span: at(id), Why: fmt.Sprintf("there are more than %d instances", maxInstances)})
				return nil, false
			}
		}
	}
	return out, ok
}

// instances lists all combinations of generic arguments, the last parameter varying fastest.
func instances(params []*genericParam) [][]Generic {
	out := [][]Generic{nil}
	for _, p := range params {
		var next [][]Generic
		for _, head := range out {
			for _, a := range p.args() {
				next = append(next, append(head[:len(head):len(head)], a))
			}
		}
		out = next
	}
	return out
}

// key is a list of generic arguments as a map key.
func key(list []Generic) string {
	var s []string
	for _, g := range list {
		s = append(s, g.text())
	}
	return strings.Join(s, ", ")
}

// instanceName is "Saxpy[float32]".
func instanceName(name string, list []Generic) string {
	if len(list) == 0 {
		return name
	}
	return name + "[" + key(list) + "]"
}

// entryName is "Saxpy_float32".
func entryName(name string, list []Generic) string {
	for _, g := range list {
		switch {
		case g.Type != nil:
			name += "_" + g.Type.String()
		case g.Value < 0:
			name += "_m" + strings.TrimPrefix(strconv.FormatInt(g.Value, 10), "-")
		default:
			name += "_" + strconv.FormatInt(g.Value, 10)
		}
	}
	return name
}

// bindGenerics declares the generic parameters of an instance.
func (b *body) bindGenerics(params []*genericParam, args []Generic) {
	b.args = args
	for i, a := range args {
		o := &object{kind: objType, name: a.Param, place: params[i].place, typ: a.Type}
		if a.Type == nil {
			o.kind, o.typ, o.val = objConst, types.Int, constant.MakeInt64(a.Value)
		}
		if a.Param != "_" {
			b.declare(o)
		}
	}
}

// funcDecl is a function with all its instances.
type funcDecl struct {
	decl      *dsl.FuncDecl
	file      *dsl.File
	generics  []*genericParam
	params    []funcParam
	instances map[string]*Func // by key
	order     []*Func
	bad       bool // its signature has mistakes: calls are not checked
}

type funcParam struct {
	id    *dsl.Ident
	typ   dsl.Expr
	group *dsl.Param
	view  bool // by reference
}

func (f *funcDecl) name() string { return f.decl.Name.Name }

// generic is the generic parameter of a name, or nil.
func (f *funcDecl) generic(name string) *genericParam {
	for _, g := range f.generics {
		if g.name == name {
			return g
		}
	}
	return nil
}

// signature is the function's head as text.
func (f *funcDecl) signature() string {
	var s []string
	for _, p := range f.params {
		mut := ""
		if p.group.Mut {
			mut = "mut "
		}
		s = append(s, p.id.Name+" "+mut+text(p.typ))
	}
	out := f.name() + "(" + strings.Join(s, ", ") + ")"
	var r []string
	for _, t := range f.decl.Results {
		r = append(r, text(t))
	}
	switch len(r) {
	case 0:
		return out
	case 1:
		return out + " " + r[0]
	}
	return out + " (" + strings.Join(r, ", ") + ")"
}

// declareFunc reads the generic lists and the signature of a function and makes its instances, without their bodies.
func (c *checker) declareFunc(f *funcDecl) {
	f.instances = map[string]*Func{}
	for _, p := range f.decl.Params {
		for _, id := range p.Names {
			f.params = append(f.params, funcParam{id: id, typ: p.Type, group: p})
		}
	}
	var ok bool
	if f.generics, ok = c.generics(f.file, f.decl.Generics); !ok {
		f.bad = true
		return
	}
	probe := c.newBody(f.file, c.scope)
	byReference := false
	for i, p := range f.params {
		f.params[i].view = probe.byReference(f, p.group)
		byReference = byReference || f.params[i].view
	}
	a := probe.attrsOf(f.decl.Attrs, "function")
	for i, args := range instances(f.generics) {
		fn := &Func{
			Decl: f.decl, File: f.file.Name, Name: f.name(), Instance: instanceName(f.name(), args), Exported: exported(f.name()),
			Generics: args, Exact: a.exact,
		}
		b := c.newBody(f.file, newScope(c.scope))
		b.fn = fn
		if i > 0 {
			b.instance = fn.Instance
		}
		fn.Body = b.facts
		b.bindGenerics(f.generics, args)
		groups := map[dsl.Expr]types.Type{} // a group of parameters has one type
		dims := map[dsl.Expr][]dsl.Expr{}
		if byReference {
			fn.Views = make([]*Param, len(f.params))
		}
		for _, p := range f.params { // all types before any name: no parameter hides the type of another
			if _, seen := groups[p.typ]; seen {
				continue
			}
			if p.view {
				groups[p.typ], dims[p.typ] = b.paramType(p.group)
			} else {
				b.typeFirst(p.group.Names, p.typ)
				groups[p.typ] = b.typ(p.typ)
			}
		}
		for _, r := range f.decl.Results {
			t := b.typ(r)
			f.bad = f.bad || t == types.Invalid
			fn.Results = append(fn.Results, t)
		}
		for i, p := range f.params {
			t := groups[p.typ]
			f.bad = f.bad || t == types.Invalid
			kind := LocalVar
			if p.view && t != types.Invalid {
				kind = ViewVar
				fn.Views[i] = &Param{Index: i, Name: p.id.Name, Pos: p.id.Pos(), Type: t, Mut: p.group.Mut, Dims: make([]*types.Header, len(dims[p.typ]))}
			}
			v, _ := b.newVar(p.id, kind, t)
			v.Index = i
			fn.Params = append(fn.Params, v)
		}
		b.functionExtents(f, dims)
		f.instances[key(args)] = fn
		f.order = append(f.order, fn)
		c.bodies = append(c.bodies, b)
	}
}

// functionExtents binds the extents of a function's views and notes what the others must be.
func (b *body) functionExtents(f *funcDecl, dims map[dsl.Expr][]dsl.Expr) {
	var views []*Param
	var exprs [][]dsl.Expr
	for i, v := range b.fn.Views {
		if v != nil {
			views = append(views, v)
			exprs = append(exprs, dims[f.params[i].typ])
		}
	}
	b.fn.Symbols = b.bindExtents(views, exprs)
	b.fn.Equal = b.unify(views, exprs, b.fn.Symbols)
	for _, v := range views {
		f.bad = f.bad || slices.Contains(v.Dims, nil)
	}
}

// byReference reports a group of parameters that are views or arrays by reference: `mut`, or with an extent that is not
// constant.
func (b *body) byReference(f *funcDecl, p *dsl.Param) bool {
	a, ok := dsl.Unparen(p.Type).(*dsl.ArrayType)
	if !ok {
		return false
	}
	symbolic := p.Mut
	for _, d := range a.Dims {
		dsl.Walk(d, func(n dsl.Node) bool {
			if id, ok := n.(*dsl.Ident); ok && f.generic(id.Name) == nil {
				o := b.scope.lookup(id.Name)
				symbolic = symbolic || o == nil || o.kind != objConst && o.kind != objBad && o.kind != objBuiltin && o.kind != objType
			}
			return true
		})
	}
	return symbolic
}
