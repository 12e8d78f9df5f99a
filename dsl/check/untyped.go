package check

import (
	"go/constant"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// This file gives untyped expressions their types, as go/types does: a constant is converted, a tree that is not constant
// gets the final type at every node of it.

// assign makes x a value of type t, for the place that where names, and reports it if it cannot be one.
func (b *body) assign(x *operand, t types.Type, where string) bool {
	if x.mode == bad || t == types.Invalid {
		return false
	}
	if !x.untyped() {
		if types.Identical(x.typ, t) {
			return true
		}
		b.report(&WrongTypeError{span: x.at(), Text: x.text(), Have: x.typ, Want: t, Where: where})
		return false
	}
	k, ok := t.(types.Kind)
	if !ok || k.IsBool() != x.kind().IsBool() || x.mode == value && x.kind() == types.UntypedFloat && k.IsInteger() {
		b.report(&WrongTypeError{span: x.at(), Text: x.text(), Have: x.typ, Want: t, Where: where})
		return false
	}
	return b.untypedTo(x, k)
}

// untypedTo converts an untyped operand to a kind of the same sort, bool or number.
func (b *body) untypedTo(x *operand, k types.Kind) bool {
	if x.mode == konst {
		v, ok := b.constantTo(x.expr, x.val, k)
		if !ok {
			x.mode = bad
			return false
		}
		x.typ, x.val = k, v
		b.settle(x.expr, k)
		return true
	}
	if x.kind() == types.UntypedFloat && k.IsInteger() {
		b.report(&WrongTypeError{span: x.at(), Text: x.text(), Have: x.typ, Want: k, Where: "this expression"})
		x.mode = bad
		return false
	}
	x.typ = k
	return b.settle(x.expr, k)
}

// constantTo converts a constant, or reports why it has no value in k.
func (b *body) constantTo(e dsl.Expr, v constant.Value, k types.Kind) (constant.Value, bool) {
	out, f := fit(v, k)
	switch f {
	case fits:
		return out, true
	case truncates:
		b.report(&ConstantTruncatedError{span: at(e), Value: show(v), Type: k})
	case overflows:
		b.report(&ConstantOverflowError{span: at(e), Value: show(v), Type: k})
	default:
		b.report(&WrongTypeError{span: at(e), Text: text(e), Have: types.UntypedInt, Want: k, Where: "this expression"})
	}
	return nil, false
}

// setDefault gives an untyped operand the type that it has alone.
func (b *body) setDefault(x *operand) bool {
	if !x.untyped() {
		return x.mode != bad
	}
	return b.untypedTo(x, x.kind().Default())
}

// settle gives the nodes of an untyped expression their final type. The operands of a constant are left alone: nothing
// uses them.
func (b *body) settle(e dsl.Expr, k types.Kind) bool {
	v, ok := b.facts.Values[e]
	if !ok || !types.KindOf(v.Type).IsUntyped() {
		return true
	}
	if v.Const != nil {
		c, ok := b.constantTo(e, v.Const, k)
		if !ok {
			delete(b.facts.Values, e)
			return false
		}
		b.facts.Values[e] = Value{Type: k, Const: c}
		if p, ok := e.(*dsl.ParenExpr); ok {
			return b.settle(p.X, k)
		}
		return true
	}
	was := types.KindOf(v.Type)
	b.facts.Values[e] = Value{Type: k}
	switch e := e.(type) {
	case *dsl.ParenExpr:
		return b.settle(e.X, k)
	case *dsl.UnaryExpr:
		if e.Op == "^" && !k.IsInteger() {
			return b.unsettled(e, k)
		}
		return b.settle(e.X, k)
	case *dsl.BinaryExpr:
		return b.settleBinary(e, was, k)
	case *dsl.CallExpr:
		return b.settleCall(e, k)
	}
	return true
}

// unsettled reports an operation on integers that the context would make one on floats.
func (b *body) unsettled(e dsl.Expr, k types.Kind) bool {
	b.report(&UntypedOperandError{span: at(e), Text: text(e), Type: k})
	return false
}

func (b *body) settleBinary(e *dsl.BinaryExpr, was, k types.Kind) bool {
	switch class := ops[e.Op].class; {
	case class == equal || class == order:
		return true // the operands have their type already
	case class == shift:
		if !k.IsInteger() {
			return b.unsettled(e, k)
		}
		return b.settle(e.X, k)
	case !k.IsInteger() && (class == integer || e.Op == "/" && was == types.UntypedInt):
		return b.unsettled(e, k)
	}
	x := b.settle(e.X, k)
	return b.settle(e.Y, k) && x
}

// settleCall settles the arguments that share the type of a builtin's result.
func (b *body) settleCall(e *dsl.CallExpr, k types.Kind) bool {
	bi := b.pending[e]
	if bi == nil {
		return true
	}
	delete(b.pending, e)
	if bi.arg == intArg && !k.IsInteger() {
		return b.unsettled(e, k)
	}
	if e.Comp != nil {
		return b.settle(e.Comp.Elem, k)
	}
	ok := true
	for i, a := range e.Args {
		if bi.shares(i) {
			ok = b.settle(a, k) && ok
		}
	}
	return ok
}
