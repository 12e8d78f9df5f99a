package lower

import (
	"fmt"
	gconst "go/constant"
	"go/token"
	"math"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// expr evaluates an expression of one value.
func (b *body) expr(e dsl.Expr) *ir.Instr {
	e = dsl.Unparen(e)
	old := b.Pos
	b.Pos = e.Pos()
	defer func() { b.Pos = old }()
	if v := b.facts.Values[e]; v.Const != nil {
		return b.Bits(v.Type, bitsOf(types.KindOf(v.Type), v.Const))
	}
	switch e := e.(type) {
	case *dsl.Ident:
		if b.facts.Tables[e] != nil {
			return b.read(b.target(e))
		}
		return b.variable(b.facts.Uses[e])
	case *dsl.UnaryExpr:
		return b.unary(e)
	case *dsl.BinaryExpr:
		return b.binary(e)
	case *dsl.IndexExpr:
		return b.read(b.target(e))
	case *dsl.CallExpr:
		return b.call(e)[0]
	case *dsl.CompositeLit:
		return b.composite(e)
	}
	unknown("expression", e)
	return nil
}

// variable is the value of a variable.
func (b *body) variable(v *check.Var) *ir.Instr {
	if in := b.values[v]; in != nil {
		return in
	}
	if l := b.vars[v]; l != nil {
		return b.LocalGet(l)
	}
	switch v.Kind {
	case check.ParamVar:
		return b.Param(b.params[v.Index])
	case check.ExtentVar:
		if b.fn != nil {
			s := b.fn.Symbols[v.Index]
			return b.extentOf(b.fn.Params[s.Param], s.Dim)
		}
		return b.Extent(b.syms[v.Index])
	case check.PointVar:
		in := b.Point(v.Index)
		in.Name = v.Name
		return in
	case check.ThreadVar:
		return b.thread(v)
	}
	panic(fmt.Sprintf("lower: variable %s at %s has no value", v.Name, v.Pos))
}

func (b *body) unary(e *dsl.UnaryExpr) *ir.Instr {
	x := b.expr(e.X)
	switch e.Op {
	case "+":
		return x
	case "-":
		return b.Un(ir.OpNeg, x)
	case "!":
		return b.Un(ir.OpLNot, x)
	case "^":
		return b.Un(ir.OpNot, x)
	}
	unknown("operator "+e.Op, e)
	return nil
}

func (b *body) binary(e *dsl.BinaryExpr) *ir.Instr {
	if e.Op == "&&" || e.Op == "||" {
		op := ir.OpCondAnd
		if e.Op == "||" {
			op = ir.OpCondOr
		}
		x := b.expr(e.X)
		b.Pos = e.OpPos
		in := b.Cond(op, x)
		b.within(in.Blocks[0], func() { b.Yield(b.expr(e.Y)) })
		return in
	}
	// An operator chain leans to the left and may be long; its left spine is walked without recursion.
	var spine []*dsl.BinaryExpr
	var x dsl.Expr = e
	for {
		bin, ok := dsl.Unparen(x).(*dsl.BinaryExpr)
		if !ok || bin.Op == "&&" || bin.Op == "||" || b.facts.Values[bin].Const != nil {
			break
		}
		spine = append(spine, bin)
		x = bin.X
	}
	v := b.expr(x)
	for i := len(spine) - 1; i >= 0; i-- {
		y := b.expr(spine[i].Y)
		b.Pos = spine[i].OpPos
		v = b.arith(binaryOps[spine[i].Op], v, y)
	}
	return v
}

// arith appends a binary operation.
func (b *body) arith(op ir.Op, x, y *ir.Instr) *ir.Instr {
	in := b.Bin(op, x, y)
	in.NoFuse = b.exact && op == ir.OpMul
	return in
}

// indexes gives the variable and all indexes of `x[i][j, k]`.
func (b *body) indexes(e dsl.Expr) (*dsl.Ident, []*ir.Instr) {
	switch e := dsl.Unparen(e).(type) {
	case *dsl.Ident:
		return e, nil
	case *dsl.IndexExpr:
		root, index := b.indexes(e.X)
		for _, a := range e.Args {
			index = append(index, b.index(b.expr(a)))
		}
		return root, index
	}
	unknown("indexed expression", e)
	return nil, nil
}

// index is an index as an int, which every integer type's values but the upper half of uint64 fit; those become an
// index that is out of range in any view.
func (b *body) index(x *ir.Instr) *ir.Instr {
	if x.Op == ir.OpConst {
		return b.Int(x.Int64())
	}
	return b.Conv(types.Int, x)
}

// composite evaluates an array literal in a slot of its own.
func (b *body) composite(e *dsl.CompositeLit) *ir.Instr {
	t := flat(b.facts.Values[e].Type).(*types.Array)
	l := b.local("lit", t)
	b.LocalSet(l, b.Zero(t))
	b.fill(l, b.facts.Values[e].Type.(*types.Array), e, nil)
	return b.LocalGet(l)
}

// fill assigns the elements of literal e, of type t, to l behind the given indexes.
func (b *body) fill(l *ir.Local, t *types.Array, e *dsl.CompositeLit, at []*ir.Instr) {
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
		ix := append(at[:len(at):len(at)], b.Int(next))
		next++
		if inner, ok := el.Value.(*dsl.CompositeLit); ok {
			b.fill(l, elem.(*types.Array), inner, ix)
			continue
		}
		v := b.expr(el.Value)
		b.write(&place{local: l, index: ix, typ: flat(elem), pos: el}, v)
	}
}

// bitsOf is the bits of a constant of kind k, rounded once for floats.
func bitsOf(k types.Kind, v gconst.Value) uint64 {
	switch {
	case k == types.Bool:
		return ir.BoolBits(gconst.BoolVal(v))
	case k.IsUnsigned():
		u, ok := gconst.Uint64Val(gconst.ToInt(v))
		if !ok {
			panic(fmt.Sprintf("lower: constant %s of type %s", v, k))
		}
		return u
	case k.IsInteger():
		i, ok := gconst.Int64Val(gconst.ToInt(v))
		if !ok {
			panic(fmt.Sprintf("lower: constant %s of type %s", v, k))
		}
		return ir.IntBits(k, i)
	case k == types.Float32:
		f, _ := gconst.Float32Val(gconst.ToFloat(v))
		return uint64(math.Float32bits(f))
	case k == types.Float64:
		f, _ := gconst.Float64Val(gconst.ToFloat(v))
		return math.Float64bits(f)
	case k.IsHalf(): // the checker has rounded it
		f, _ := gconst.Float64Val(gconst.ToFloat(v))
		return ir.FloatBits(k, f)
	}
	panic(fmt.Sprintf("lower: constant of type %s", k))
}

// constant is a package constant as the generated Go declares it.
func (l *lowerer) constant(c *check.Const) *ir.Const {
	out := &ir.Const{Name: c.Name, Doc: docLines(c.Doc), Pos: c.Pos}
	if c.Table != nil {
		out.Table = l.table(c.Table)
		return out
	}
	out.Type = c.Type
	k := types.KindOf(c.Type)
	if k.IsUntyped() {
		out.Type = nil
	}
	switch {
	case k.IsBool():
		out.Value = c.Value.ExactString()
	case k == types.Float32:
		f, _ := gconst.Float32Val(gconst.ToFloat(c.Value))
		out.Value = strconv.FormatFloat(float64(f), 'g', -1, 32)
	case k == types.Float64:
		f, _ := gconst.Float64Val(gconst.ToFloat(c.Value))
		out.Value = strconv.FormatFloat(f, 'g', -1, 64)
	case k.IsHalf(): // Go has no literals of these: the bits
		f, _ := gconst.Float64Val(gconst.ToFloat(c.Value))
		out.Value = fmt.Sprintf("%#04x", ir.FloatBits(k, f))
	case k == types.UntypedFloat:
		out.Value = exactFloat(gconst.ToFloat(c.Value))
	default:
		out.Value = gconst.ToInt(c.Value).ExactString()
	}
	return out
}

// exactFloat is an untyped float constant as a Go expression without loss: a decimal if that is exact, else a quotient.
func exactFloat(v gconst.Value) string {
	num, den := gconst.Num(v), gconst.Denom(v)
	if num.Kind() != gconst.Int || den.Kind() != gconst.Int { // too large for a ratio: the shortest text that reads back
		f, _ := gconst.Float64Val(v)
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	if f, exact := gconst.Float64Val(v); exact {
		s := strconv.FormatFloat(f, 'g', -1, 64)
		if gconst.Compare(gconst.MakeFromLiteral(s, token.FLOAT, 0), token.EQL, v) {
			if !strings.ContainsAny(s, ".e") {
				s += ".0"
			}
			return s
		}
	}
	return num.ExactString() + ".0 / " + den.ExactString()
}
