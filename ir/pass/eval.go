package pass

import (
	"math"
	"math/bits"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// eval computes a pure instruction whose operands are all constants, as the meaning table says; it reports false where
// that cannot or must not be done: an operand varies, or the operation is a table function.
func eval(in *ir.Instr) (uint64, bool) {
	info := ir.Ops[in.Op]
	if info.Class != ir.Pure || info.Table {
		return 0, false
	}
	for _, a := range in.Args {
		if !a.IsConst() {
			return 0, false
		}
	}
	k := in.Args[0].Kind()
	switch {
	case in.Op == ir.OpConv:
		return convert(in.Args[0], in.Kind()), true
	case in.Op == ir.OpBitcast:
		return bitcast(in.Args[0], in.Kind()), true
	case in.Op == ir.OpSelect:
		if in.Args[0].Bool() {
			return in.Args[1].Bits, true
		}
		return in.Args[2].Bits, true
	case in.Op.IsCompare():
		return ir.BoolBits(compared(in.Op, in.Args[0], in.Args[1])), true
	case k == types.Bool:
		return in.Args[0].Bits ^ 1, in.Op == ir.OpLNot
	case k.IsFloat() && len(in.Args) == 3:
		return fma(k, in.Args[0].Float(), in.Args[1].Float(), in.Args[2].Float())
	case k.IsFloat() && len(in.Args) == 2:
		return floatBinary(in.Op, k, in.Args[0].Float(), in.Args[1].Float())
	case k.IsFloat():
		return floatUnary(in.Op, k, in.Args[0].Float())
	case len(in.Args) == 2:
		return intBinary(in.Op, k, in.Args[0], in.Args[1])
	}
	return intUnary(in.Op, k, in.Args[0].Int64())
}

// compared evaluates a comparison.
func compared(op ir.Op, a, b *ir.Instr) bool {
	k := a.Kind()
	var less, equal bool
	switch {
	case k.IsFloat():
		x, y := a.Float(), b.Float()
		if x != x || y != y {
			return op == ir.OpNe
		}
		less, equal = x < y, x == y
	case k.IsSigned():
		less, equal = a.Int64() < b.Int64(), a.Bits == b.Bits
	default:
		less, equal = a.Bits < b.Bits, a.Bits == b.Bits
	}
	switch op {
	case ir.OpEq:
		return equal
	case ir.OpNe:
		return !equal
	case ir.OpLt:
		return less
	case ir.OpLe:
		return less || equal
	case ir.OpGt:
		return !less && !equal
	}
	return !less
}

// intBinary evaluates an operation on two integers of kind k; the second of a shift may have another.
func intBinary(op ir.Op, k types.Kind, a, b *ir.Instr) (uint64, bool) {
	x, y := a.Int64(), b.Int64()
	var r int64
	switch op {
	case ir.OpAdd:
		r = x + y
	case ir.OpSub:
		r = x - y
	case ir.OpMul:
		r = x * y
	case ir.OpDiv, ir.OpDivNZ, ir.OpRem, ir.OpRemNZ:
		q, m := divide(k, x, y)
		r = m
		if op == ir.OpDiv || op == ir.OpDivNZ {
			r = q
		}
	case ir.OpAnd:
		r = x & y
	case ir.OpOr:
		r = x | y
	case ir.OpXor:
		r = x ^ y
	case ir.OpAndNot:
		r = x &^ y
	case ir.OpShl, ir.OpShlIn:
		r = x << count(b) // Go shifts everything out at 64 and above, IntBits below
	case ir.OpShr, ir.OpShrIn:
		if r = x >> count(b); k.IsUnsigned() {
			r = int64(a.Bits >> count(b))
		}
	case ir.OpMulHi:
		r = mulHi(k, a.Bits, b.Bits)
	case ir.OpMin, ir.OpMax:
		r = x
		if compared(ir.OpLt, a, b) != (op == ir.OpMin) {
			r = y
		}
	default:
		return 0, false
	}
	return ir.IntBits(k, r), true
}

// divide is quotient and remainder: x/0 is x, x%0 is 0, and MinInt / -1 wraps.
func divide(k types.Kind, x, y int64) (q, m int64) {
	switch {
	case y == 0:
		return x, 0
	case k.IsUnsigned():
		return int64(uint64(x) / uint64(y)), int64(uint64(x) % uint64(y))
	case y == -1:
		return -x, 0
	}
	return x / y, x % y
}

// count is a shift count; a negative one counts as huge.
func count(b *ir.Instr) uint64 {
	if b.Kind().IsSigned() && b.Int64() < 0 {
		return math.MaxUint64
	}
	return b.Bits
}

// mulHi is the high half of the double-width product.
func mulHi(k types.Kind, x, y uint64) int64 {
	hi, lo := bits.Mul64(x, y)
	if k.Bits() < 64 {
		return int64(lo) >> k.Bits()
	}
	if k.IsSigned() { // the unsigned product is too large by the other factor for each negative one
		if int64(x) < 0 {
			hi -= y
		}
		if int64(y) < 0 {
			hi -= x
		}
	}
	return int64(hi)
}

// intUnary evaluates an operation on one integer of kind k.
func intUnary(op ir.Op, k types.Kind, x int64) (uint64, bool) {
	w := k.Bits()
	field := uint64(x) << (64 - w) // the value's own bits, at the top
	var r int64
	switch op {
	case ir.OpNeg:
		r = -x
	case ir.OpAbs:
		if r = x; x < 0 && k.IsSigned() {
			r = -x
		}
	case ir.OpNot:
		r = ^x
	case ir.OpPopcount:
		r = int64(bits.OnesCount64(field))
	case ir.OpClz:
		r = int64(min(bits.LeadingZeros64(field), w))
	case ir.OpCtz:
		r = int64(min(bits.TrailingZeros64(field>>(64-w)), w))
	case ir.OpReverse:
		r = int64(bits.Reverse64(field))
	default:
		return 0, false
	}
	return ir.IntBits(k, r), true
}

// bitcast reads the bits of a value of one kind as another of the same width.
func bitcast(x *ir.Instr, k types.Kind) uint64 {
	if k.IsInteger() {
		return ir.IntBits(k, int64(x.Bits))
	}
	return x.Bits << (64 - k.Bits()) >> (64 - k.Bits())
}
