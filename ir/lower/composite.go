package lower

import (
	gconst "go/constant"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// leafName is the name of a variable for a leaf of one called name: p.pos.x lives in p_pos_x.
func leafName(name string, l *types.Leaf) string {
	if l.Path == "" {
		return name
	}
	out := []byte(name + "_" + l.Path)
	for i, c := range out {
		if c == '.' {
			out[i] = '_'
		}
	}
	return string(out)
}

// hasArray reports a type that holds an array.
func hasArray(t types.Type) bool {
	for _, l := range types.Leaves(t) {
		if len(l.Dims) > 0 {
			return true
		}
	}
	return false
}

// zeros are the leaves of the zero value of t.
func (b *body) zeros(t types.Type) []*ir.Instr {
	var out []*ir.Instr
	for _, l := range types.Leaves(t) {
		out = append(out, b.Zero(l.Type()))
	}
	return out
}

// composite evaluates a literal: that of an array in slots of its own.
func (b *body) composite(e *dsl.CompositeLit) []*ir.Instr {
	t := b.facts.Values[e].Type
	if s, ok := t.(*types.Struct); ok {
		return b.fieldValues(s, e)
	}
	ls := b.slots("lit", t)
	for i, z := range b.zeros(t) {
		b.LocalSet(ls[i], z)
		b.fresh[ls[i]] = true
	}
	p := &place{locals: ls, leaves: all(t), typ: t, pos: e}
	b.fill(p, e)
	return b.read(p)
}

// fieldValues are the leaves of a literal of a struct, evaluated as they are written.
func (b *body) fieldValues(t *types.Struct, e *dsl.CompositeLit) []*ir.Instr {
	given := make([][]*ir.Instr, len(t.Fields))
	for i, el := range e.Elems {
		given[fieldOf(t, el, i)] = b.leaves(el.Value)
	}
	var out []*ir.Instr
	for i, f := range t.Fields {
		if given[i] == nil {
			given[i] = b.zeros(f.Type)
		}
		out = append(out, given[i]...)
	}
	return out
}

// fieldOf is the number of the field that element i of a literal gives.
func fieldOf(t *types.Struct, el *dsl.Element, i int) int {
	if el.Key == nil {
		return i
	}
	return t.Index(el.Key.(*dsl.Ident).Name)
}

// fill assigns what stands in the braces of e to p, which is zero.
func (b *body) fill(p *place, e *dsl.CompositeLit) {
	element := func(sub *place, v dsl.Expr) {
		if inner, ok := dsl.Unparen(v).(*dsl.CompositeLit); ok {
			b.fill(sub, inner)
			return
		}
		b.write(sub, b.leaves(v))
	}
	switch t := p.typ.(type) {
	case *types.Struct:
		for i, el := range e.Elems {
			f := fieldOf(t, el, i)
			sub := *p
			sub.pos = el
			sub.leaves, sub.typ = field(p.leaves, t, f), t.Fields[f].Type
			element(&sub, el.Value)
		}
	case *types.Array:
		// A literal of an array of several dims nests a level a dim, as an array of arrays does.
		elem := t.Elem
		if len(t.Dims) > 1 {
			elem = &types.Array{Dims: t.Dims[1:], Elem: t.Elem}
		}
		next := int64(0)
		for _, el := range e.Elems {
			if el.Key != nil {
				next, _ = gconst.Int64Val(gconst.ToInt(b.facts.Values[el.Key].Const))
			}
			sub := *p
			sub.pos, sub.typ = el, elem
			sub.index = append(p.index[:len(p.index):len(p.index)], b.Int(next))
			next++
			element(&sub, el.Value)
		}
	}
}

// field are the leaves of field f among those of a struct.
func field(leaves []int, t *types.Struct, f int) []int {
	at := 0
	for _, g := range t.Fields[:f] {
		at += len(types.Leaves(g.Type))
	}
	n := len(types.Leaves(t.Fields[f].Type))
	return leaves[at : at+n : at+n]
}

// pairwise applies an operator leaf by leaf; a scalar beside a vector stands for every component.
func (b *body) pairwise(op ir.Op, x, y []*ir.Instr) []*ir.Instr {
	out := make([]*ir.Instr, max(len(x), len(y)))
	for i := range out {
		out[i] = b.arith(op, x[min(i, len(x)-1)], y[min(i, len(y)-1)])
	}
	return out
}

// compare evaluates an operator on whole values: `==` and `!=` of composite ones ask all their leaves.
func (b *body) compare(op ir.Op, t types.Type, x, y []*ir.Instr) []*ir.Instr {
	_, basic := t.(types.Kind)
	if basic || !op.IsCompare() {
		return b.pairwise(op, x, y)
	}
	equal := b.equal(x, y)
	if op == ir.OpNe {
		equal = b.Un(ir.OpLNot, equal)
	}
	return []*ir.Instr{equal}
}

// equal reports whether all leaves are equal.
func (b *body) equal(x, y []*ir.Instr) *ir.Instr {
	tests := make([]*ir.Instr, len(x)) // of arrays
	for i := range x {
		if a, ok := x[i].Type.(*types.Array); ok {
			tests[i] = b.equalArrays(a, x[i], y[i])
		}
	}
	one := func(i int) *ir.Instr {
		if tests[i] != nil {
			return tests[i]
		}
		return b.arith(ir.OpEq, x[i], y[i])
	}
	hit := one(0)
	for i := 1; i < len(x); i++ {
		and := b.Cond(ir.OpCondAnd, hit)
		b.within(and.Blocks[0], func() { b.Yield(one(i)) })
		hit = and
	}
	return hit
}

func (b *body) equalArrays(t *types.Array, x, y *ir.Instr) *ir.Instr {
	left, right, same := b.hidden("left", t), b.hidden("right", t), b.hidden("same", types.Bool)
	b.LocalSet(left, x)
	b.LocalSet(right, y)
	b.LocalSet(same, b.Bool(true))
	b.each(t.Dims, func(ix []*ir.Instr) {
		differ := b.arith(ir.OpNe, b.ElemGet(left, ix...), b.ElemGet(right, ix...))
		b.within(b.If(differ).Blocks[0], func() { b.LocalSet(same, b.Bool(false)) })
	})
	return b.LocalGet(same)
}

// construct evaluates `float32x3(1, 2, 3)`, `float32x3(0)` and the conversion of a vector.
func (b *body) construct(e *dsl.CallExpr, t *types.Vector) []*ir.Instr {
	var out []*ir.Instr
	for _, a := range e.Args {
		out = append(out, b.leaves(a)...)
	}
	b.Pos = e.Pos()
	for i, x := range out {
		out[i] = b.convert(t.Elem, x)
	}
	for len(out) < t.N {
		out = append(out, out[0])
	}
	return out
}

// vectorBuiltin evaluates `dot`, `cross`, `length` and `normalize`: sums run from the first component to the last.
func (b *body) vectorBuiltin(name string, x, y []*ir.Instr) []*ir.Instr {
	dot := func(x, y []*ir.Instr) *ir.Instr {
		sum := b.arith(ir.OpMul, x[0], y[0])
		for i := 1; i < len(x); i++ {
			sum = b.arith(ir.OpAdd, sum, b.arith(ir.OpMul, x[i], y[i]))
		}
		return sum
	}
	switch name {
	case "dot":
		return []*ir.Instr{dot(x, y)}
	case "length":
		return []*ir.Instr{b.Un(ir.OpSqrt, dot(x, x))}
	case "normalize":
		return b.pairwise(ir.OpDiv, x, []*ir.Instr{b.Un(ir.OpSqrt, dot(x, x))})
	}
	minor := func(i, j int) *ir.Instr {
		return b.arith(ir.OpSub, b.arith(ir.OpMul, x[i], y[j]), b.arith(ir.OpMul, x[j], y[i]))
	}
	return []*ir.Instr{minor(1, 2), minor(2, 0), minor(0, 1)}
}

// vectorBuiltins are the builtins over whole vectors.
var vectorBuiltins = map[string]bool{"dot": true, "cross": true, "length": true, "normalize": true}
