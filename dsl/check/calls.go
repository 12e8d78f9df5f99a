package check

import (
	"go/constant"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// call checks a call: a builtin, a conversion or a function.
func (b *body) call(e *dsl.CallExpr) operand {
	if e.Comp != nil {
		return b.comprehend(e)
	}
	switch f := dsl.Unparen(e.Fun).(type) {
	case *dsl.Ident:
		return b.callName(e, f)
	case *dsl.SelectorExpr:
		if bi, space := b.spaceMember(f); bi != nil {
			return b.callBuiltin(e, bi)
		} else if !space {
			b.notCallable(f)
		}
	case *dsl.ArrayType:
		if t := b.typ(f); t != types.Invalid {
			return b.conversion(e, t)
		}
	case *dsl.IndexExpr:
		return b.callIndexed(e, f)
	default:
		b.notCallable(e.Fun)
	}
	b.useAll(e.Args)
	return operand{}
}

// notCallable reports a call of a value.
func (b *body) notCallable(e dsl.Expr) {
	if x := b.raw(e); x.mode == konst || x.mode == value {
		b.report(&NotCallableError{span: at(e), Text: text(e), What: "a value"})
	}
}

func (b *body) callName(e *dsl.CallExpr, f *dsl.Ident) operand {
	o := b.find(f)
	if o == nil {
		b.useAll(e.Args)
		return operand{}
	}
	switch o.kind {
	case objBuiltin:
		return b.callBuiltin(e, o.builtin)
	case objType:
		b.facts.Types[e.Fun] = o.typ
		return b.conversion(e, o.typ)
	case objFunc:
		return b.callFunc(e, o.fn, nil, at(f))
	case objVar:
		o.used = true
		if o.v.Type != types.Invalid {
			b.report(&NotCallableError{span: at(f), Text: f.Name, What: "a variable of type " + o.v.Type.String()})
		}
	case objBad:
	default:
		b.report(&NotCallableError{span: at(f), Text: f.Name, What: o.kind.what(), Kernel: o.kind == objKernel})
	}
	b.useAll(e.Args)
	return operand{}
}

// callIndexed checks `f[T](…)`.
func (b *body) callIndexed(e *dsl.CallExpr, f *dsl.IndexExpr) operand {
	if id, ok := dsl.Unparen(f.X).(*dsl.Ident); ok {
		o := b.find(id)
		switch {
		case o == nil || o.kind == objBad:
			b.useAll(e.Args)
			b.useAll(f.Args)
			return operand{}
		case o.kind == objFunc:
			return b.callFunc(e, o.fn, f.Args, at(id))
		case o.kind != objVar:
			b.report(&GenericArgsError{span: at(id), Func: id.Name})
			b.useAll(e.Args)
			return operand{}
		}
	}
	if x := b.raw(f); x.mode != bad {
		b.report(&NotCallableError{span: at(f), Text: text(f), What: "a value"})
	}
	b.useAll(e.Args)
	return operand{}
}

// spaceMember is the builtin that `bits.float32` names, nil if that is reported; space is false where a value stands before
// the dot.
func (b *body) spaceMember(s *dsl.SelectorExpr) (bi *builtin, space bool) {
	id, ok := dsl.Unparen(s.X).(*dsl.Ident)
	if !ok || id.Name == "_" {
		return nil, false
	}
	if o := b.scope.lookup(id.Name); o == nil || o.kind == objBad {
		if hint := dsl.Member(id.Name, s.Sel.Name, isBuiltin); hint != "" {
			b.report(&UnknownNameError{span: at(s), Name: text(s), Hint: hint})
			return nil, true
		}
	}
	o := b.find(id)
	switch {
	case o == nil || o.kind == objBad:
		return nil, true
	case o.kind != objSpace:
		return nil, false
	}
	if bi := spaced(o.name, s.Sel.Name); bi != nil {
		return bi, true
	}
	e := &NoFieldError{span: at(s.Sel), Text: o.name, Name: s.Sel.Name, Near: nearest(s.Sel.Name, spaceNames(o.name))}
	if e.Near == "" {
		e.Near = nearest(withoutType(s.Sel.Name), spaceNames(o.name))
	}
	switch {
	case o.name == "atomic" && (s.Sel.Name == "CAS" || strings.HasPrefix(s.Sel.Name, "CompareAndSwap")):
		e.Near = "CompareExchange"
	case o.name == "atomic" && strings.HasPrefix(s.Sel.Name, "Swap"):
		e.Near = "Exchange"
	case o.name == "bits":
		e.Hint = goBits[withoutType(s.Sel.Name)]
	}
	b.report(e)
	return nil, true
}

// withoutType is a name of Go's packages without the type at its end, as in `atomic.AddInt32` and `bits.OnesCount64`.
func withoutType(name string) string {
	name = strings.TrimRight(name, "0123456789")
	return strings.TrimSuffix(strings.TrimSuffix(name, "Int"), "Uint")
}

// goBits says what stands for functions of Go's package math/bits.
var goBits = map[string]string{
	"OnesCount": "write `popcount(x)`", "LeadingZeros": "write `clz(x)`", "TrailingZeros": "write `ctz(x)`", "Reverse": "write `reverse(x)`",
	"RotateLeft": "write `rotl(x, k)`", "Mul": "write `mulhi(x, y)`, the upper half",
}

// conversion checks T(x).
func (b *body) conversion(e *dsl.CallExpr, t types.Type) operand {
	b.facts.Calls[e] = Call{Kind: ConversionCall}
	b.facts.Types[e.Fun] = t
	if v, ok := t.(*types.Vector); ok {
		return b.construct(e, v)
	}
	if n := len(e.Args); n != 1 {
		b.useAll(e.Args)
		hint := ""
		if _, ok := t.(*types.Struct); ok {
			hint = "a struct is made by `" + t.String() + "{…}`"
		}
		b.report(&ArgumentCountError{span: at(e), Name: t.String(), Have: n, Min: 1, Max: 1, Hint: hint})
		return operand{}
	}
	x := b.expr(e.Args[0])
	if x.mode == bad {
		return operand{}
	}
	from, to := x.kind(), types.KindOf(t)
	switch {
	case to == types.Invalid:
		if types.Identical(x.typ, t) {
			return operand{mode: value, typ: t}
		}
		fallthrough
	case from == types.Invalid || from.IsBool() != to.IsBool():
		b.report(&ConversionError{span: at(e), Text: x.text(), Have: x.typ, Want: t})
		return operand{}
	}
	if x.mode == konst {
		v, ok := b.constantTo(x.expr, x.val, to)
		if !ok {
			return operand{}
		}
		b.settleLoose(x.expr, to)
		return operand{mode: konst, typ: to, val: v}
	}
	if x.untyped() {
		k := to
		if from == types.UntypedFloat && to.IsInteger() {
			k = types.Float32
		}
		if !b.untypedTo(&x, k) {
			return operand{}
		}
	}
	return operand{mode: value, typ: to}
}

// settleLoose gives the argument of a constant conversion a type, where it has none and can have one.
func (b *body) settleLoose(e dsl.Expr, k types.Kind) {
	if v := b.facts.Values[e]; v.Const != nil && types.KindOf(v.Type).IsUntyped() {
		if _, f := fit(v.Const, k); f == fits {
			b.settle(e, k)
		}
	}
}

// callFunc checks a call of a function: its generic arguments are inferred where they are not written, as in Go.
func (b *body) callFunc(e *dsl.CallExpr, fn *funcDecl, explicit []dsl.Expr, place span) operand {
	if b.iota != nil { // before the functions are declared, and no call of one is constant
		b.useAll(e.Args)
		b.report(&NotConstantError{span: at(e), Text: text(e), Where: "the value of a constant"})
		return operand{}
	}
	if fn.bad {
		b.useAll(e.Args)
		return operand{}
	}
	if len(explicit) > len(fn.generics) || len(explicit) > 0 && len(fn.generics) == 0 {
		b.useAll(e.Args)
		b.report(&GenericArgsError{span: at(explicit[min(len(fn.generics), len(explicit)-1)]), Func: fn.name(), Have: len(explicit), Want: len(fn.generics)})
		return operand{}
	}
	args := make([]operand, len(e.Args))
	refs := make([]*reference, len(e.Args)) // of the arguments by reference
	ok := true
	for i, a := range e.Args {
		if i < len(fn.params) && fn.params[i].view {
			refs[i] = b.reference(a, fn, i)
			ok = ok && refs[i] != nil
			continue
		}
		if i >= len(fn.params) { // one too many
			b.use(a)
			continue
		}
		args[i] = b.expr(a)
		ok = ok && args[i].mode != bad
	}
	if len(args) != len(fn.params) {
		if ok {
			b.report(&ArgumentCountError{span: at(e), Name: fn.name(), Have: len(args), Min: len(fn.params), Max: len(fn.params), Sig: fn.signature()})
		}
		return operand{}
	}
	f := fn.instances[""]
	if len(fn.generics) > 0 {
		if !ok {
			return operand{}
		}
		f = b.infer(fn, explicit, args, refs, place)
	}
	if f == nil {
		return operand{}
	}
	ok = b.references(e, f, refs) && ok
	for i := range args {
		if !fn.params[i].view && args[i].mode != bad && !b.assign(&args[i], f.Params[i].Type, "argument `"+f.Params[i].Name+"` of `"+fn.name()+"`") {
			ok = false
		}
	}
	b.facts.Calls[e] = Call{Kind: FuncCall, Func: f}
	b.calls = append(b.calls, callSite{f, place, b.unorderedLoop()})
	if !ok {
		return operand{}
	}
	switch len(f.Results) {
	case 0:
		return operand{mode: nothing}
	case 1:
		if f.Results[0] == types.Invalid {
			return operand{}
		}
		return operand{mode: value, typ: f.Results[0]}
	}
	return operand{mode: several, n: len(f.Results)}
}

// binding is what is known of the generic arguments of a call.
type binding map[string]Generic

// infer finds the instance that a call means.
func (b *body) infer(fn *funcDecl, explicit []dsl.Expr, args []operand, refs []*reference, place span) *Func {
	known := binding{}
	for i, e := range explicit {
		g := fn.generics[i]
		if g.consts != nil {
			n, ok := b.constInt(e, "generic argument `"+g.name+"`")
			if !ok {
				return nil
			}
			known[g.name] = Generic{Param: g.name, Value: n}
			continue
		}
		t := b.typ(e)
		if t == types.Invalid {
			return nil
		}
		known[g.name] = Generic{Param: g.name, Type: t}
	}
	for i, p := range fn.params {
		if refs[i] != nil {
			known.unifyView(fn, p.typ, refs[i])
		} else if !args[i].untyped() {
			known.unify(fn, p.typ, args[i].typ)
		}
	}
	// What is left takes the default type of the untyped constants that stand for it.
	loose := map[string]types.Kind{}
	for i, p := range fn.params {
		if id, ok := dsl.Unparen(p.typ).(*dsl.Ident); ok && args[i].untyped() {
			if _, done := known[id.Name]; !done && fn.generic(id.Name) != nil {
				loose[id.Name] = max(loose[id.Name], args[i].kind())
			}
		}
	}
	for name, k := range loose {
		known[name] = Generic{Param: name, Type: k.Default()}
	}
	var list []Generic
	for _, g := range fn.generics {
		a, ok := known[g.name]
		if !ok {
			b.report(&InferError{span: place, Func: fn.name(), Param: g.name, Decl: g.place})
			return nil
		}
		if !g.lists(a) {
			b.report(&NotListedError{span: place, Func: fn.name(), Param: g.name, Value: a.text(), List: g.text(), Decl: g.place})
			return nil
		}
		list = append(list, a)
	}
	return fn.instances[key(list)]
}

// unify binds the generic parameters in a parameter's type by the type of an argument. What does not fit is reported when
// the argument is assigned.
func (known binding) unify(fn *funcDecl, param dsl.Expr, arg types.Type) {
	switch p := dsl.Unparen(param).(type) {
	case *dsl.Ident:
		if g := fn.generic(p.Name); g != nil && g.consts == nil {
			if _, ok := known[p.Name]; !ok {
				known[p.Name] = Generic{Param: p.Name, Type: arg}
			}
		}
	case *dsl.ArrayType:
		a, ok := arg.(*types.Array)
		if !ok || len(a.Dims) != len(p.Dims) {
			return
		}
		for i, d := range p.Dims {
			id, ok := dsl.Unparen(d).(*dsl.Ident)
			if !ok {
				continue
			}
			if g := fn.generic(id.Name); g != nil && g.consts != nil {
				if _, ok := known[id.Name]; !ok {
					known[id.Name] = Generic{Param: id.Name, Value: a.Dims[i]}
				}
			}
		}
		known.unify(fn, p.Elem, a.Elem)
	}
}

// text is a generic argument as it is written.
func (g Generic) text() string {
	if g.Type != nil {
		return g.Type.String()
	}
	return strconv.FormatInt(g.Value, 10)
}

// condition checks that x is a bool.
func (b *body) condition(x *operand) bool {
	if x.mode == bad {
		return false
	}
	if !x.kind().IsBool() {
		b.report(&ConditionError{span: x.at(), Text: x.text(), Type: x.typ})
		return false
	}
	return b.setDefault(x)
}

// index checks `x[i, j]`.
func (b *body) index(e *dsl.IndexExpr) operand {
	if o := b.viewOf(e.X); o != nil {
		v := o.v.Type.(*types.View)
		if !b.indexes(e, v.Rank, b.dimsOf(o.v)) {
			return operand{}
		}
		return elementOf(v.Elem)
	}
	if id, ok := dsl.Unparen(e.X).(*dsl.Ident); ok {
		if o := b.scope.lookup(id.Name); o != nil && o.kind == objFunc {
			b.report(&NotAValueError{span: at(e), Text: text(e), What: "a function"})
			return operand{}
		}
	}
	if b.chained(e) {
		return operand{}
	}
	x := b.expr(e.X)
	if x.mode == bad {
		b.useAll(e.Args)
		return operand{}
	}
	a, ok := x.typ.(*types.Array)
	if !ok {
		b.useAll(e.Args)
		b.report(&NotIndexableError{span: x.at(), Text: x.text(), Type: x.typ})
		return operand{}
	}
	dims := make([]*types.Header, len(a.Dims))
	for i, n := range a.Dims {
		dims[i] = types.Const(n)
	}
	if !b.indexes(e, len(a.Dims), dims) {
		return operand{}
	}
	if x.row != nil {
		return b.rowElement(e, x.row)
	}
	return elementOf(a.Elem)
}

// chained reports `x[i][j]` of an x with two dims, for which `x[i, j]` is meant.
func (b *body) chained(e *dsl.IndexExpr) bool {
	inner, ok := dsl.Unparen(e.X).(*dsl.IndexExpr)
	args := e.Args
	for ok {
		args = append(inner.Args[:len(inner.Args):len(inner.Args)], args...)
		next, more := dsl.Unparen(inner.X).(*dsl.IndexExpr)
		if !more {
			break
		}
		inner = next
	}
	if !ok {
		return false
	}
	id, ok := dsl.Unparen(inner.X).(*dsl.Ident)
	if !ok {
		return false
	}
	o := b.scope.lookup(id.Name)
	if o == nil || o.v == nil {
		return false
	}
	rank := 0
	switch t := o.v.Type.(type) {
	case *types.View:
		rank = t.Rank
	case *types.Array:
		rank = len(t.Dims)
	}
	if len(inner.Args) >= rank || len(args) != rank {
		return false
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = text(a)
	}
	o.used = true
	b.useAll(args)
	b.report(&IndexCountError{
		span: span{inner.X.End(), inner.End()}, Name: id.Name, Have: len(inner.Args), Want: rank, Meant: id.Name + "[" + strings.Join(texts, ", ") + "]",
	})
	return true
}

func elementOf(t types.Type) operand {
	if t == types.Invalid {
		return operand{}
	}
	return operand{mode: value, typ: t}
}

// indexes checks the indexes of an element: as many as dims, integers, within constant extents. It returns whether they are
// as many.
func (b *body) indexes(e *dsl.IndexExpr, rank int, dims []*types.Header) bool {
	if len(e.Args) != rank {
		b.useAll(e.Args)
		b.report(&IndexCountError{span: span{e.X.End(), e.End()}, Name: text(e.X), Have: len(e.Args), Want: rank})
		return false
	}
	for i, a := range e.Args {
		extent := int64(-1)
		if i < len(dims) && dims[i] != nil && dims[i].Op == types.HConst {
			extent = dims[i].Val
		}
		b.indexValue(a, extent)
	}
	return true
}

// indexValue checks one index against an extent that is not known if it is negative.
func (b *body) indexValue(e dsl.Expr, extent int64) {
	x := b.expr(e)
	switch {
	case x.mode == bad:
		return
	case x.kind().IsBool() || x.kind() == types.Invalid || x.kind().IsFloat() && !(x.mode == konst && x.untyped()):
		b.report(&IndexTypeError{span: at(e), Text: text(e), Type: x.typ})
		return
	case x.mode == konst && constant.Sign(x.val) < 0:
		b.report(&IndexRangeError{span: at(e), Value: show(x.val), Extent: extent})
		return
	case x.untyped() && !b.assign(&x, types.Int, "an index"):
		return
	}
	if x.mode == konst && extent >= 0 {
		if n, ok := constant.Int64Val(constant.ToInt(x.val)); !ok || n >= extent {
			b.report(&IndexRangeError{span: at(e), Value: show(x.val), Extent: extent})
		}
	}
}
