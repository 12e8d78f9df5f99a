package interp

import (
	"math/bits"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// pickInt gives f for the Go type of k: a function made once a type, so that no operation looks at its kind again.
func pickInt[F any](k types.Kind, i8, i16, i32, i64, u8, u16, u32, u64 F) F {
	switch k {
	case types.Int8:
		return i8
	case types.Int16:
		return i16
	case types.Int32:
		return i32
	case types.Int64, types.Int:
		return i64
	case types.Uint8:
		return u8
	case types.Uint16:
		return u16
	case types.Uint32:
		return u32
	}
	return u64
}

func intUnary(op ir.Op, k types.Kind) func(uint64) uint64 {
	w := k.Bits()
	pick := pickInt(k, unaryOf[int8], unaryOf[int16], unaryOf[int32], unaryOf[int64], unaryOf[uint8], unaryOf[uint16], unaryOf[uint32], unaryOf[uint64])
	return pick(op, w)
}

// unaryOf uses that a conversion of a signed T to uint64 extends the sign and that registers hold extended values.
func unaryOf[T integer](op ir.Op, w int) func(uint64) uint64 {
	mask := ^uint64(0) >> (64 - w)
	switch op {
	case ir.OpNeg:
		return func(x uint64) uint64 { return uint64(-T(x)) }
	case ir.OpAbs:
		return func(x uint64) uint64 {
			if v := T(x); v < 0 {
				return uint64(-v)
			}
			return x
		}
	case ir.OpNot:
		return func(x uint64) uint64 { return uint64(^T(x)) }
	case ir.OpPopcount:
		return func(x uint64) uint64 { return uint64(bits.OnesCount64(x & mask)) }
	case ir.OpClz:
		return func(x uint64) uint64 { return uint64(bits.LeadingZeros64(x&mask) - (64 - w)) }
	case ir.OpCtz:
		return func(x uint64) uint64 { return uint64(min(bits.TrailingZeros64(x&mask), w)) }
	case ir.OpReverse:
		return func(x uint64) uint64 { return uint64(T(bits.Reverse64(x) >> (64 - w))) }
	}
	return nil
}

func intBinary(op ir.Op, k types.Kind) func(x, y uint64) uint64 {
	pick := pickInt(k, binaryOf[int8], binaryOf[int16], binaryOf[int32], binaryOf[int64], binaryOf[uint8], binaryOf[uint16], binaryOf[uint32], binaryOf[uint64])
	return pick(op, k)
}

func binaryOf[T integer](op ir.Op, k types.Kind) func(x, y uint64) uint64 {
	switch op {
	case ir.OpAdd:
		return func(x, y uint64) uint64 { return uint64(T(x) + T(y)) }
	case ir.OpSub:
		return func(x, y uint64) uint64 { return uint64(T(x) - T(y)) }
	case ir.OpMul:
		return func(x, y uint64) uint64 { return uint64(T(x) * T(y)) }
	case ir.OpDiv, ir.OpDivNZ: // Go's own division gives MinInt / -1 = MinInt
		return func(x, y uint64) uint64 {
			if T(y) == 0 {
				return x
			}
			return uint64(T(x) / T(y))
		}
	case ir.OpRem, ir.OpRemNZ:
		return func(x, y uint64) uint64 {
			if T(y) == 0 {
				return 0
			}
			return uint64(T(x) % T(y))
		}
	case ir.OpAnd:
		return func(x, y uint64) uint64 { return x & y }
	case ir.OpOr:
		return func(x, y uint64) uint64 { return x | y }
	case ir.OpXor:
		return func(x, y uint64) uint64 { return x ^ y }
	case ir.OpAndNot:
		return func(x, y uint64) uint64 { return x &^ y }
	case ir.OpShl, ir.OpShlIn: // a negative count is, sign-extended, a huge one
		return func(x, n uint64) uint64 { return uint64(T(x) << n) }
	case ir.OpShr, ir.OpShrIn:
		return func(x, n uint64) uint64 { return uint64(T(x) >> n) }
	case ir.OpMin:
		return func(x, y uint64) uint64 { return uint64(min(T(x), T(y))) }
	case ir.OpMax:
		return func(x, y uint64) uint64 { return uint64(max(T(x), T(y))) }
	case ir.OpMulHi:
		return mulHi(k)
	}
	return compareOf[T](op)
}

func compareOf[T integer | float32 | float64](op ir.Op) func(x, y uint64) uint64 {
	of := valueOf[T]()
	switch op {
	case ir.OpEq:
		return func(x, y uint64) uint64 { return b2u(of(x) == of(y)) }
	case ir.OpNe:
		return func(x, y uint64) uint64 { return b2u(of(x) != of(y)) }
	case ir.OpLt:
		return func(x, y uint64) uint64 { return b2u(of(x) < of(y)) }
	case ir.OpLe:
		return func(x, y uint64) uint64 { return b2u(of(x) <= of(y)) }
	case ir.OpGt:
		return func(x, y uint64) uint64 { return b2u(of(x) > of(y)) }
	case ir.OpGe:
		return func(x, y uint64) uint64 { return b2u(of(x) >= of(y)) }
	}
	return nil
}

// valueOf reads a register as a T.
func valueOf[T integer | float32 | float64]() func(uint64) T {
	var t T
	switch any(t).(type) {
	case float32:
		return func(x uint64) T { return T(f32(x)) }
	case float64:
		return func(x uint64) T { return T(f64(x)) }
	}
	return func(x uint64) T { return T(x) }
}

func mulHi(k types.Kind) func(x, y uint64) uint64 {
	w := k.Bits()
	switch {
	case w < 64 && k.IsSigned():
		return func(x, y uint64) uint64 { return uint64(int64(x) * int64(y) >> w) }
	case w < 64:
		return func(x, y uint64) uint64 { return x * y >> w }
	case k.IsSigned():
		return func(x, y uint64) uint64 {
			hi, _ := bits.Mul64(x, y)
			return hi - uint64(int64(x)>>63)&y - uint64(int64(y)>>63)&x
		}
	}
	return func(x, y uint64) uint64 { hi, _ := bits.Mul64(x, y); return hi }
}

// overflows reports whether signed arithmetic of kind k leaves its range: what NoWrap claims does not happen.
func overflows(op ir.Op, k types.Kind, x, y int64) bool {
	var v int64
	var ok bool
	switch op {
	case ir.OpAdd:
		v, ok = x+y, (y >= 0) == (x+y >= x)
	case ir.OpSub:
		v, ok = x-y, (y >= 0) == (x-y <= x)
	case ir.OpMul:
		p, err := headerMul(x, y)
		v, ok = p, err == nil
	case ir.OpNeg:
		v, ok = -x, x == 0 || (x > 0) != (-x > 0)
	}
	return !ok || int64(norm(k, uint64(v))) != v
}
