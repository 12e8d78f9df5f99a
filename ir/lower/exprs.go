package lower

import (
	"fmt"
	gconst "go/constant"
	"math"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// expr evaluates an expression of a basic type, or of an array of one.
func (b *body) expr(e dsl.Expr) *ir.Instr {
	v := b.leaves(e)
	if len(v) != 1 {
		unknown("value of several leaves", e)
	}
	return v[0]
}

// leaves evaluates an expression of one value: its leaves, which is the value itself for a basic type.
func (b *body) leaves(e dsl.Expr) []*ir.Instr {
	e = dsl.Unparen(e)
	old := b.Pos
	b.Pos = e.Pos()
	defer func() { b.Pos = old }()
	if v := b.facts.Values[e]; v.Const != nil {
		return []*ir.Instr{b.Bits(v.Type, bitsOf(types.KindOf(v.Type), v.Const))}
	}
	switch e := e.(type) {
	case *dsl.Ident:
		if v := b.facts.Uses[e]; b.facts.Tables[e] == nil && v.Kind != check.SharedVar {
			return b.variable(v)
		}
		return b.read(b.target(e))
	case *dsl.UnaryExpr:
		return b.unary(e)
	case *dsl.BinaryExpr:
		return b.binary(e)
	case *dsl.IndexExpr, *dsl.SelectorExpr:
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
func (b *body) variable(v *check.Var) []*ir.Instr {
	if ls := b.vars[v]; ls != nil {
		out := make([]*ir.Instr, len(ls))
		for i, l := range ls {
			if l == nil {
				out[i] = b.values[v][i]
			} else {
				out[i] = b.LocalGet(l)
			}
		}
		return out
	}
	if in := b.values[v]; in != nil {
		return in
	}
	one := func(in *ir.Instr) []*ir.Instr { return []*ir.Instr{in} }
	switch v.Kind {
	case check.ParamVar:
		if !types.IsComposite(v.Type) {
			return one(b.Param(b.params[v.Index]))
		}
		return b.read(&place{param: b.params[v.Index], leaves: all(v.Type), typ: v.Type, pos: at(b.Pos)})
	case check.ExtentVar:
		if b.fn != nil {
			s := b.fn.Symbols[v.Index]
			return one(b.extentOf(b.fn.Params[s.Param], s.Dim))
		}
		return one(b.Extent(b.syms[v.Index]))
	case check.PointVar:
		in := b.Point(v.Index)
		in.Name = v.Name
		return one(in)
	case check.ThreadVar:
		return one(b.thread(v))
	}
	panic(fmt.Sprintf("lower: variable %s at %s has no value", v.Name, v.Pos))
}

// at is a place in the source as a node.
type at diag.Pos

// Pos implements dsl.Node.
func (p at) Pos() diag.Pos { return diag.Pos(p) }

// End implements dsl.Node.
func (p at) End() diag.Pos { return diag.Pos(p) }

// unaryOperators maps Go's operators of one operand; `+` gives the operand.
var unaryOperators = map[string]ir.Op{"-": ir.OpNeg, "!": ir.OpLNot, "^": ir.OpNot}

func (b *body) unary(e *dsl.UnaryExpr) []*ir.Instr {
	x := b.leaves(e.X)
	if e.Op == "+" {
		return x
	}
	op, ok := unaryOperators[e.Op]
	if !ok {
		unknown("operator "+e.Op, e)
	}
	out := make([]*ir.Instr, len(x))
	for i := range x {
		out[i] = b.Un(op, x[i])
	}
	return out
}

func (b *body) binary(e *dsl.BinaryExpr) []*ir.Instr {
	if e.Op == "&&" || e.Op == "||" {
		op := ir.OpCondAnd
		if e.Op == "||" {
			op = ir.OpCondOr
		}
		x := b.expr(e.X)
		b.Pos = e.OpPos
		in := b.Cond(op, x)
		b.within(in.Blocks[0], func() { b.Yield(b.expr(e.Y)) })
		return []*ir.Instr{in}
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
	v := b.leaves(x)
	for i := len(spine) - 1; i >= 0; i-- {
		y := b.leaves(spine[i].Y)
		b.Pos = spine[i].OpPos
		v = b.compare(binaryOps[spine[i].Op], b.facts.Values[dsl.Unparen(spine[i].Y)].Type, v, y)
	}
	return v
}

// arith appends a binary operation.
func (b *body) arith(op ir.Op, x, y *ir.Instr) *ir.Instr {
	in := b.Bin(op, x, y)
	in.NoFuse = b.exact && op == ir.OpMul
	return in
}

// index is an index as an int, which every integer type's values but the upper half of uint64 fit; those become an
// index that is out of range in any view.
func (b *body) index(x *ir.Instr) *ir.Instr {
	if x.Op == ir.OpConst {
		return b.Int(x.Int64())
	}
	return b.Conv(types.Int, x)
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
