package check

import (
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// atomicOps maps the builtins to their names in types.Atomics, `Sub` to that of the sum that it is.
var atomicOps = map[string]string{
	"atomic.Add": "add", "atomic.Sub": "add", "atomic.Min": "min", "atomic.Max": "max", "atomic.And": "and", "atomic.Or": "or", "atomic.Xor": "xor",
	"atomic.Exchange": "exchange", "atomic.CompareExchange": "cas", "atomic.Load": "load", "atomic.Store": "store",
}

// atomicUse is an atomic operation: on which kind, and where.
type atomicUse struct {
	kind  types.Kind
	op    types.Operation
	place span
	via   span // where the called function has it
}

// atomic checks `atomic.Add(&x[i], v)` and its like: an element of a `mut` view or of a shared array, or a shared variable,
// then values of its type.
func (b *body) atomic(e *dsl.CallExpr, bi *builtin) operand {
	t, ok := b.atomicPlace(e, bi)
	if !ok {
		b.useAll(e.Args[1:])
		return operand{}
	}
	k := types.KindOf(t)
	if !types.InLanguage(types.Atomics[atomicOps[bi.name]], k) || bi.name == "atomic.Sub" && k.IsFloat() {
		b.useAll(e.Args[1:])
		b.report(&AtomicTypeError{span: at(e.Args[0]), Name: bi.name, Have: t, Float: types.InLanguage(types.AtomicAdd, k)})
		return operand{}
	}
	good := true
	for _, a := range e.Args[1:] {
		x := b.expr(a)
		good = x.mode != bad && b.assign(&x, k, "the argument of `"+bi.name+"`") && good
	}
	if !good {
		return operand{}
	}
	b.atomics = append(b.atomics, atomicUse{kind: k, op: types.Atomics[atomicOps[bi.name]], place: at(e)})
	if bi.name == "atomic.Store" {
		return operand{mode: nothing}
	}
	return operand{mode: value, typ: k}
}

// atomicPlace checks the place that an atomic operation is for and gives its type.
func (b *body) atomicPlace(e *dsl.CallExpr, bi *builtin) (types.Type, bool) {
	arg := dsl.Unparen(e.Args[0])
	u, ok := arg.(*dsl.UnaryExpr)
	if !ok || u.Op != "&" {
		fix := ""
		switch arg.(type) {
		case *dsl.Ident, *dsl.IndexExpr, *dsl.SelectorExpr:
			fix = "&" + text(arg)
		}
		b.use(arg)
		b.report(&AtomicPlaceError{span: at(arg), Name: bi.name, Text: text(arg), Fix: fix})
		return nil, false
	}
	var root dsl.Expr = u.X
	element := false
	for found := true; found; {
		switch x := dsl.Unparen(root).(type) {
		case *dsl.IndexExpr:
			root, element = x.X, true
		case *dsl.SelectorExpr:
			root, element = x.X, true
		default:
			found = false
		}
	}
	if id, ok := dsl.Unparen(root).(*dsl.Ident); ok {
		o := b.scope.lookup(id.Name)
		if o != nil && o.kind == objVar && o.v.Type != types.Invalid && o.v.Kind != ViewVar && o.v.Kind != SharedVar {
			o.used = true
			b.report(&AtomicPlaceError{span: at(u.X), Name: bi.name, Text: text(u.X)})
			return nil, false
		}
		if o != nil && o.kind == objVar && o.v.Kind == SharedVar && !element && !o.v.wholeShared() { // a variable of the block is memory
			o.used, o.v.Assigned = true, true
			b.facts.Uses[id] = o.v
			b.facts.Values[id] = Value{Type: o.v.Type}
			return o.v.Type, true
		}
	}
	t, ok := b.target(u.X, true)
	return t, ok && t != nil
}

// atomicsOf are the atomic operations of a body and of the functions that it calls, the first of each kind: a target that
// has one of them on a kind has all. Those of a function count where it is called. There is no recursion by then.
func (c *checker) atomicsOf(own []atomicUse, calls []callSite) (out []atomicUse) {
	note := func(u atomicUse) {
		i := slices.IndexFunc(out, func(o atomicUse) bool { return o.kind == u.kind })
		switch {
		case i < 0:
			out = append(out, u)
		case u.place.At.Compare(out[i].place.At) < 0:
			out[i] = u
		}
	}
	for _, u := range own {
		note(u)
	}
	for _, s := range calls {
		for _, u := range c.funcAtomics(s.fn) {
			note(atomicUse{u.kind, u.op, s.place, u.place})
		}
	}
	return out
}

// funcAtomics is atomicsOf of a function.
func (c *checker) funcAtomics(f *Func) []atomicUse {
	u, ok := c.atomicAll[f]
	if !ok {
		u = c.atomicsOf(c.atomicIn[f], c.calls[f])
		c.atomicAll[f] = u
	}
	return u
}

// isAtomic reports a builtin of the family, which may stand as a statement.
func isAtomic(name string) bool { return strings.HasPrefix(name, "atomic.") }
