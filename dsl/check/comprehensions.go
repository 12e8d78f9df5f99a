package check

import (
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// comprehend checks `f(e for j in n)`, where f is one of the builtins that combine many values into one.
func (b *body) comprehend(e *dsl.CallExpr) operand {
	name := text(e.Fun)
	switch f := dsl.Unparen(e.Fun).(type) {
	case *dsl.Ident:
		o := b.find(f)
		if o == nil || o.kind == objBad {
			b.use(e.Comp)
			return operand{}
		}
		if o.kind == objVar {
			o.used = true
		}
		if o.kind == objBuiltin && (o.builtin.rule == fold || o.name == "min" || o.name == "max") {
			return b.comprehension(e, o.builtin)
		}
	case *dsl.SelectorExpr:
		if bi, _ := b.spaceMember(f); bi == nil {
			b.use(e.Comp)
			return operand{}
		}
	}
	b.use(e.Comp)
	b.report(&ComprehensionError{span: at(e.Fun), Name: name})
	return operand{}
}

// comprehension gives the value of a comprehension: an index for `argmin` and `argmax`, a bool for `any` and `all`, else
// the type of the element. An untyped element takes the type that the context gives the whole.
func (b *body) comprehension(e *dsl.CallExpr, bi *builtin) operand {
	c := e.Comp
	b.facts.Calls[e] = Call{Kind: BuiltinCall, Builtin: bi.name}
	b.open()
	b.iterate(c.Vars, c.Extents, at(e.Fun))
	x := b.expr(c.Elem)
	b.unordered = b.unordered[:len(b.unordered)-1]
	b.close()
	place := bi.name == "argmin" || bi.name == "argmax"
	switch {
	case place && len(c.Vars) > 1:
		b.report(&DomainError{span: at(c.Vars[1]), Why: "`" + bi.name + "` gives the value of one index, and has more here"})
		return operand{}
	case x.mode == bad:
		return operand{}
	case !bi.arg.has(x.kind()):
		b.report(&BuiltinTypeError{span: x.at(), Name: bi.name, Text: x.text(), Have: x.typ, Want: bi.arg.want})
		return operand{}
	case place:
		b.setDefault(&x)
		b.combines(at(e.Fun), x.kind(), types.Int)
		return operand{mode: value, typ: types.Int}
	case bi.arg == boolArg:
		b.setDefault(&x)
		b.combines(at(e.Fun), types.Bool)
		return operand{mode: value, typ: types.Bool}
	case x.untyped():
		b.pending[e] = bi
	}
	b.combines(at(e.Fun), x.kind())
	return operand{mode: value, typ: x.typ}
}
