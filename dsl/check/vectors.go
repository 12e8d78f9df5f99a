package check

import (
	"go/constant"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// selector checks `x.y` that is not called: a field, a component or a swizzle.
func (b *body) selector(s *dsl.SelectorExpr) operand {
	if bi, space := b.spaceMember(s); space {
		if bi != nil {
			b.report(&NotAValueError{span: at(s), Text: bi.name, What: objBuiltin.what()})
		}
		return operand{}
	}
	x := b.expr(s.X)
	if x.mode == bad {
		return operand{}
	}
	near := ""
	switch t := x.typ.(type) {
	case *types.Struct:
		if i := t.Index(s.Sel.Name); i >= 0 {
			return operand{mode: value, typ: t.Fields[i].Type}
		}
		near = nearest(s.Sel.Name, fieldNames(t))
	case *types.Vector:
		if part := Swizzle(t, s.Sel.Name); part != nil {
			if len(part) == 1 {
				return operand{mode: value, typ: t.Elem}
			}
			return operand{mode: value, typ: &types.Vector{Elem: t.Elem, N: len(part)}}
		}
	}
	e := &NoFieldError{span: at(s.Sel), Text: text(s.X), Name: s.Sel.Name, Near: near, Type: x.typ}
	if o := b.scope.lookup(s.Sel.Name); o != nil {
		switch o.kind {
		case objBad: // a method, which is reported
			return operand{}
		case objFunc, objBuiltin:
			e.Hint = "there are no methods: write `" + s.Sel.Name + "(" + text(s.X) + ")`"
		}
	}
	b.report(e)
	return operand{}
}

// Swizzle gives the components of t that a name such as `zx` lists, nil if it is none.
func Swizzle(t *types.Vector, name string) []int {
	if len(name) < 1 || len(name) > 4 {
		return nil
	}
	var out []int
	for _, c := range name {
		i := strings.IndexRune(types.Components[:t.N], c)
		if i < 0 {
			return nil
		}
		out = append(out, i)
	}
	return out
}

// repeats reports a swizzle that has a component twice, to which nothing can be assigned.
func repeats(name string) bool {
	for i := range name {
		if strings.IndexByte(name[i+1:], name[i]) >= 0 {
			return true
		}
	}
	return false
}

// construct checks `float32x3(1, 2, 3)`, `float32x3(0)` and `float32x3(v)` of another vector of 3.
func (b *body) construct(e *dsl.CallExpr, t *types.Vector) operand {
	args := make([]operand, len(e.Args))
	ok := true
	for i, a := range e.Args {
		args[i] = b.expr(a)
		ok = ok && args[i].mode != bad
	}
	if len(args) != 1 && len(args) != t.N {
		if ok {
			b.report(&ComponentCountError{span: at(e), Type: t, Have: len(args)})
		}
		return operand{}
	}
	if !ok {
		return operand{}
	}
	if v, isVector := args[0].typ.(*types.Vector); isVector && len(args) == 1 {
		if v.N != t.N || v.Elem.IsBool() != t.Elem.IsBool() {
			b.report(&ConversionError{span: at(e), Text: args[0].text(), Have: v, Want: t})
			return operand{}
		}
		return operand{mode: value, typ: t}
	}
	for i := range args {
		ok = b.assign(&args[i], t.Elem, "a component of `"+t.String()+"`") && ok
	}
	if !ok {
		return operand{}
	}
	return operand{mode: value, typ: t}
}

// vectorOf is x's type if it is a vector, or nil.
func vectorOf(x *operand) *types.Vector {
	v, _ := x.typ.(*types.Vector)
	return v
}

// vectorBinary checks an operator with a vector on either side: component by component on equal types; `*`, `/` and shifts
// also with a scalar, which for `*` may stand on the left.
func (b *body) vectorBinary(x, y operand, op string, class opClass, place span, mismatch func()) operand {
	xv, yv := vectorOf(&x), vectorOf(&y)
	v := xv
	if v == nil {
		v = yv
	}
	scalar, on := &y, x
	if xv == nil {
		scalar, on = &x, y
	}
	if class == order || class == logic || op == "%" || class == arith && !v.Elem.IsNumeric() || (class == integer || class == shift) && !v.Elem.IsInteger() {
		b.report(&OperatorError{span: place, Op: op, Text: on.text(), Type: v})
		return operand{}
	}
	switch {
	case xv != nil && yv != nil:
		if *xv != *yv {
			mismatch()
			return operand{}
		}
	case op == "*" || xv != nil && (op == "/" || class == shift):
		if scalar.untyped() {
			if scalar.kind().IsBool() {
				mismatch()
				return operand{}
			}
			if !b.untypedTo(scalar, v.Elem) {
				return operand{}
			}
		}
		if scalar.kind() != v.Elem {
			mismatch()
			return operand{}
		}
		if scalar.mode == konst && v.Elem.IsInteger() {
			switch sign := constant.Sign(scalar.val); {
			case op == "/" && sign == 0:
				b.report(&DivisionByZeroError{span: scalar.at(), Op: op})
				return operand{}
			case class == shift && sign < 0:
				b.report(&ShiftCountError{span: scalar.at(), Text: scalar.text(), Why: "it is negative"})
				return operand{}
			}
		}
	default:
		mismatch()
		return operand{}
	}
	if class == equal {
		return operand{mode: value, typ: types.UntypedBool}
	}
	return operand{mode: value, typ: v}
}

// vectorBuiltin checks `dot`, `cross`, `length` and `normalize`.
func (b *body) vectorBuiltin(bi *builtin, args []operand) operand {
	var first *types.Vector
	for i := range args {
		v := vectorOf(&args[i])
		if v == nil || !bi.arg.has(v.Elem) || bi.name == "cross" && v.N != 3 {
			want := "a vector of " + bi.arg.want
			if bi.name == "cross" {
				want = "a vector of 3 " + bi.arg.want
			}
			b.report(&BuiltinTypeError{span: args[i].at(), Name: bi.name, Text: args[i].text(), Have: args[i].typ, Want: want})
			return operand{}
		}
		if first == nil {
			first = v
		}
		if *v != *first {
			b.report(&ArgumentTypesError{span: args[i].at(), Name: bi.name, X: first, Y: v, XText: args[0].text(), YText: args[i].text(), First: args[0].at()})
			return operand{}
		}
	}
	if bi.name == "dot" || bi.name == "length" {
		return operand{mode: value, typ: first.Elem}
	}
	return operand{mode: value, typ: first}
}

// chooseComposite checks `select` of two vectors or structs.
func (b *body) chooseComposite(bi *builtin, x, y operand) operand {
	if _, array := x.typ.(*types.Array); array {
		b.report(&BuiltinTypeError{span: x.at(), Name: bi.name, Text: x.text(), Have: x.typ, Want: bi.arg.want})
		return operand{}
	}
	if !types.Identical(x.typ, y.typ) {
		b.report(&ArgumentTypesError{span: y.at(), Name: bi.name, X: x.typ, Y: y.typ, XText: x.text(), YText: y.text(), First: x.at()})
		return operand{}
	}
	return operand{mode: value, typ: x.typ}
}
