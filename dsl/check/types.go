package check

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// maxArrayBytes bounds an array that each thread holds; devices keep such arrays in local memory, a few hundred KiB a
// thread at most.
const maxArrayBytes = 1 << 16

// typ is the type that e names, or Invalid once that is reported.
func (b *body) typ(e dsl.Expr) types.Type {
	t := b.typeOf(e)
	if t != types.Invalid {
		b.facts.Types[e] = t
	}
	return t
}

// typeFirst reports a parameter or field that is written as in C, `float32 x`: what stands in the place of its name is a type,
// and what stands in that of its type is nothing.
func (b *body) typeFirst(names []*dsl.Ident, e dsl.Expr) {
	id, ok := dsl.Unparen(e).(*dsl.Ident)
	if !ok || len(names) != 1 || b.scope.lookup(id.Name) != nil || b.unknown[id.Name] {
		return
	}
	typ := names[0].Name
	if o := b.scope.lookup(typ); o == nil || o.kind != objType {
		write, ok := strings.CutPrefix(dsl.Elsewhere(typ), "write `")
		if !ok {
			return
		}
		typ = strings.TrimSuffix(write, "`")
	}
	b.unknown[id.Name] = true
	b.report(&UnknownNameError{span: at(id), Name: id.Name, Hint: "the name stands before its type: `" + id.Name + " " + typ + "`"})
}

func (b *body) typeOf(e dsl.Expr) types.Type {
	switch e := e.(type) {
	case *dsl.ParenExpr:
		return b.typ(e.X)
	case *dsl.Ident:
		o := b.find(e)
		switch {
		case o == nil || o.kind == objBad:
		case o.kind == objType:
			return o.typ
		default:
			if o.kind == objVar {
				o.used = true
			}
			b.report(&NotATypeError{span: at(e), Text: e.Name, Any: e.Name == "any"})
		}
		return types.Invalid
	case *dsl.ArrayType:
		return b.arrayType(e, maxArrayBytes, "an array of a thread")
	}
	b.report(&NotATypeError{span: at(e), Text: text(e)})
	b.use(e)
	return types.Invalid
}

// arrayType is a fixed array of at most so many bytes; views are the business of params.go.
func (b *body) arrayType(e *dsl.ArrayType, most int64, what string) types.Type {
	if len(e.Dims) == 0 {
		b.report(&dsl.NotInLanguageError{At: e.Pos(), To: e.Elem.Pos(), What: "slices", Instead: "an array has a constant size; a kernel's views have extents, as `[n]float32`"})
		return types.Invalid
	}
	if len(e.Dims) > maxDepth {
		b.report(&ArraySizeError{span: at(e), Why: fmt.Sprintf("an array has at most %d dims", maxDepth)})
		return types.Invalid
	}
	a := &types.Array{}
	ok := true
	for _, d := range e.Dims {
		n, good := b.constInt(d, "the size of an array")
		switch {
		case !good:
			ok = false
		case n < 0:
			b.report(&NegativeSizeError{span: at(d), Value: n})
			ok = false
		case n == 0:
			b.report(&ArraySizeError{span: at(d), Why: "an array has at least one element"})
			ok = false
		case n > most:
			b.tooLarge(d, most, what)
			ok = false
		}
		a.Dims = append(a.Dims, n)
	}
	if a.Elem = b.typ(e.Elem); a.Elem == types.Invalid || !ok {
		return types.Invalid
	}
	size := types.Size(a.Elem)
	for _, n := range a.Dims {
		if size *= n; size > most {
			b.tooLarge(e, most, what)
			return types.Invalid
		}
	}
	return a
}

func (b *body) tooLarge(e dsl.Expr, most int64, what string) {
	b.report(&ArraySizeError{span: at(e), Why: fmt.Sprintf("%s takes at most %d bytes", what, most)})
}

// composite checks a literal of an array or struct that names its type.
func (b *body) composite(e *dsl.CompositeLit) operand {
	if e.Type == nil {
		b.report(&LiteralError{span: at(e), Why: "the type of this literal is missing"})
		b.useElements(e)
		return operand{}
	}
	t := b.typ(e.Type)
	if t == types.Invalid {
		b.useElements(e)
		return operand{}
	}
	if !b.braces(e, t) {
		return operand{}
	}
	return operand{mode: value, typ: t}
}

// braces checks what stands in the braces of a literal of type t.
func (b *body) braces(e *dsl.CompositeLit, t types.Type) bool {
	switch t := t.(type) {
	case *types.Array:
		return b.elements(e, t)
	case *types.Struct:
		return b.structLit(e, t)
	case *types.Vector:
		b.report(&LiteralError{span: at(e), Why: "a vector has no braces: its components stand in a call, as in `" + t.String() + "(0)`"})
	default:
		b.report(&LiteralError{span: at(e), Why: "only arrays and structs have literals in braces, and `" + t.String() + "` is neither"})
	}
	b.useElements(e)
	return false
}

func (b *body) useElements(e *dsl.CompositeLit) {
	for _, el := range e.Elems {
		if el.Key != nil {
			b.use(el.Key)
		}
		b.use(el.Value)
	}
}

// elements checks the elements of a literal of type a. A literal of several dims nests a level a dim.
func (b *body) elements(e *dsl.CompositeLit, a *types.Array) bool {
	elem := a.Elem
	if len(a.Dims) > 1 {
		elem = &types.Array{Dims: a.Dims[1:], Elem: a.Elem}
	}
	ok := true
	next := int64(0)
	seen := map[int64]bool{}
	for _, el := range e.Elems {
		if el.Key != nil {
			n, good := b.constInt(el.Key, "the index of an element")
			if !good || n < 0 || n >= a.Dims[0] {
				if good {
					b.report(&IndexRangeError{span: at(el.Key), Value: text(el.Key), Extent: a.Dims[0]})
				}
				b.use(el.Value)
				ok = false
				continue
			}
			next = n
		}
		switch {
		case next >= a.Dims[0]:
			b.report(&LiteralError{span: at(el.Value), Why: fmt.Sprintf("there are more than %d elements", a.Dims[0])})
			for _, rest := range e.Elems {
				b.use(rest)
			}
			return false
		case seen[next]:
			b.report(&LiteralError{span: at(el), Why: fmt.Sprintf("element %d stands twice", next)})
			ok = false
		}
		seen[next] = true
		next++
		ok = b.element(el.Value, elem) && ok
	}
	return ok
}

func (b *body) element(e dsl.Expr, t types.Type) bool {
	if lit, ok := e.(*dsl.CompositeLit); ok && lit.Type == nil {
		if !b.braces(lit, t) {
			return false
		}
		b.facts.Values[lit] = Value{Type: t}
		return true
	}
	x := b.expr(e)
	return b.assign(&x, t, "an element")
}
