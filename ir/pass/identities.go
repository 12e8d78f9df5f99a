package pass

import (
	"math"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// identity is the value that in equals for every value of its operands, or nil. It may append instructions.
func (f *folder) identity(in *ir.Instr) *ir.Instr {
	switch k := in.Kind(); {
	case in.Op == ir.OpConv:
		if in.Args[0].Type == in.Type {
			return in.Args[0]
		}
	case in.Op == ir.OpBitcast:
		if x := in.Args[0]; x.Type == in.Type && k.IsInteger() {
			return x
		}
	case in.Op == ir.OpSelect:
		return selected(in)
	case in.Op == ir.OpLNot:
		return f.not(in)
	case in.Op.IsCompare():
		return f.compare(in)
	case k.IsInteger() && len(in.Args) == 2:
		return f.integer(in, k)
	case k.IsInteger() && len(in.Args) == 1:
		x := in.Args[0]
		if x.Op == in.Op && (in.Op == ir.OpNeg || in.Op == ir.OpNot || in.Op == ir.OpReverse) {
			return x.Args[0]
		}
		if in.Op == ir.OpNot && (x.Op == ir.OpAdd && x.Args[1].IsInt(-1) || x.Op == ir.OpSub && x.Args[1].IsInt(1)) {
			return f.emit(in, ir.OpNeg, x.Args[0])
		}
	case k.IsFloat() && len(in.Args) == 2:
		return float(in)
	}
	return nil
}

// selected is the operand of a Select whose condition is constant or whose operands are one.
func selected(in *ir.Instr) *ir.Instr {
	c, a, b := in.Args[0], in.Args[1], in.Args[2]
	switch {
	case c.IsConst() && c.Bool() || a == b:
		return a
	case c.IsConst():
		return b
	}
	return nil
}

// float holds what is exact on floats, for NaN, infinities and both zeros: x*1, x/1, x - (+0), x + (-0).
func float(in *ir.Instr) *ir.Instr {
	x, y := in.Args[0], in.Args[1]
	if !y.IsConst() {
		return nil
	}
	v := y.Float()
	one := v == 1
	zero, neg := v == 0 && !math.Signbit(v), v == 0 && math.Signbit(v)
	if (in.Op == ir.OpMul || in.Op == ir.OpDiv) && one || in.Op == ir.OpSub && zero || in.Op == ir.OpAdd && neg {
		return x
	}
	return nil
}

// integer holds the identities of integer operations of two operands; a constant of a commutative one is y.
func (f *folder) integer(in *ir.Instr, k types.Kind) *ir.Instr {
	x, y := in.Args[0], in.Args[1]
	zero, one, ones := y.IsInt(0), y.IsInt(1), y.IsInt(-1)
	same := x == y
	switch in.Op {
	case ir.OpAdd:
		if zero {
			return x
		}
		if one && x.Op == ir.OpNot {
			return f.emit(in, ir.OpNeg, x.Args[0])
		}
		if y.Op == ir.OpNeg {
			return f.emit(in, ir.OpSub, x, y.Args[0])
		}
		if x.Op == ir.OpNeg {
			return f.emit(in, ir.OpSub, y, x.Args[0])
		}
		return f.gather(in, k)
	case ir.OpSub:
		if same {
			return f.constant(in, 0)
		}
		if zero {
			return x
		}
		if x.IsInt(0) {
			return f.emit(in, ir.OpNeg, y)
		}
		if y.Op == ir.OpNeg {
			return f.emit(in, ir.OpAdd, x, y.Args[0])
		}
		if y.IsConst() && x.Op == ir.OpAdd && x.Args[1].IsConst() && y.Int64() != math.MinInt64 {
			c := f.constant(&ir.Instr{Type: k, Pos: y.Pos}, ir.IntBits(k, x.Args[1].Int64()-y.Int64()))
			return f.emit(in, ir.OpAdd, x.Args[0], c)
		}
	case ir.OpMul:
		if one {
			return x
		}
		if zero {
			return y
		}
		if ones {
			return f.emit(in, ir.OpNeg, x)
		}
	case ir.OpDiv, ir.OpDivNZ:
		if one || in.Op == ir.OpDiv && zero {
			return x
		}
		if ones && k.IsSigned() {
			return f.emit(in, ir.OpNeg, x)
		}
	case ir.OpRem, ir.OpRemNZ:
		if one || in.Op == ir.OpRem && zero {
			return f.constant(in, 0)
		}
	case ir.OpAnd:
		if zero {
			return y
		}
		if ones || same {
			return x
		}
	case ir.OpOr:
		if zero || same {
			return x
		}
		if ones {
			return y
		}
	case ir.OpXor:
		if same {
			return f.constant(in, 0)
		}
		if zero {
			return x
		}
		if ones {
			return f.emit(in, ir.OpNot, x)
		}
	case ir.OpAndNot:
		if same || ones {
			return f.constant(in, 0)
		}
		if zero {
			return x
		}
	case ir.OpShl, ir.OpShr, ir.OpShlIn, ir.OpShrIn:
		if zero {
			return x
		}
		if !y.IsConst() || y.Kind().IsSigned() && y.Int64() < 0 || y.Bits < uint64(k.Bits()) {
			break // a checked build reports a negative count
		}
		if in.Op == ir.OpShl || k.IsUnsigned() {
			return f.constant(in, 0)
		}
		if last := int64(k.Bits() - 1); y.Int64() != last { // all that is left is the sign
			return f.emit(in, in.Op, x, f.constant(&ir.Instr{Type: y.Type, Pos: y.Pos}, uint64(last)))
		}
	case ir.OpMin, ir.OpMax:
		if same {
			return x
		}
	}
	return nil
}

// gather turns (x + c) + d into x + (c + d), which wraps to the same value.
func (f *folder) gather(in *ir.Instr, k types.Kind) *ir.Instr {
	x, d := in.Args[0], in.Args[1]
	if !d.IsConst() || x.Op != ir.OpAdd || !x.Args[1].IsConst() {
		return nil
	}
	bits := ir.IntBits(k, x.Args[1].Int64()+d.Int64())
	if bits == 0 {
		return x.Args[0]
	}
	c := f.constant(&ir.Instr{Type: k, Pos: d.Pos}, bits)
	return f.emit(in, ir.OpAdd, x.Args[0], c)
}

// inverse pairs comparisons with their opposites.
var inverse = map[ir.Op]ir.Op{
	ir.OpEq: ir.OpNe, ir.OpNe: ir.OpEq, ir.OpLt: ir.OpGe, ir.OpGe: ir.OpLt, ir.OpGt: ir.OpLe, ir.OpLe: ir.OpGt,
}

// not is !x without the negation: of a negation or of a comparison, on floats of == and != alone since NaN is
// neither less nor not less.
func (f *folder) not(in *ir.Instr) *ir.Instr {
	x := in.Args[0]
	switch {
	case x.Op == ir.OpLNot:
		return x.Args[0]
	case x.Op.IsCompare() && (x.Args[0].Kind().IsInteger() || x.Op == ir.OpEq || x.Op == ir.OpNe):
		return f.emit(in, inverse[x.Op], x.Args[0], x.Args[1])
	}
	return nil
}

// compare is the constant of an integer compared with itself, and of an unsigned one compared with zero.
func (f *folder) compare(in *ir.Instr) *ir.Instr {
	x, y := in.Args[0], in.Args[1]
	k := x.Kind()
	if !k.IsInteger() {
		return nil
	}
	switch {
	case x == y:
		return f.constant(in, ir.BoolBits(in.Op == ir.OpEq || in.Op == ir.OpLe || in.Op == ir.OpGe))
	case k.IsUnsigned() && y.IsInt(0) && (in.Op == ir.OpLt || in.Op == ir.OpGe):
		return f.constant(in, ir.BoolBits(in.Op == ir.OpGe))
	case k.IsUnsigned() && x.IsInt(0) && (in.Op == ir.OpGt || in.Op == ir.OpLe):
		return f.constant(in, ir.BoolBits(in.Op == ir.OpLe))
	}
	return nil
}
