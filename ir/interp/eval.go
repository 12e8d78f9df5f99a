package interp

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Eval computes one operation of class Pure on operand bits. arg is the kind of the first operand, to that of the
// result. It reports false for a combination that the language does not have.
func Eval(op ir.Op, arg, to types.Kind, x ...uint64) (uint64, bool) {
	switch len(x) {
	case 1:
		if f := unary(op, arg, to); f != nil {
			return f(x[0]), true
		}
	case 2:
		if f := binary(op, arg); f != nil {
			return f(x[0], x[1]), true
		}
	case 3:
		if op == ir.OpSelect {
			return x[2-b2u(x[0] != 0)], true
		}
		if f := fma(op, arg); f != nil {
			return f(x[0], x[1], x[2]), true
		}
	}
	return 0, false
}

func unary(op ir.Op, arg, to types.Kind) func(uint64) uint64 {
	switch op {
	case ir.OpConv:
		return conv(arg, to)
	case ir.OpBitcast:
		if arg.Bits() != to.Bits() || arg == types.Bool || to == types.Bool {
			return nil
		}
		return func(x uint64) uint64 { return norm(to, x) }
	case ir.OpLNot:
		if arg != types.Bool {
			return nil
		}
		return func(x uint64) uint64 { return x ^ 1 }
	}
	switch {
	case arg.IsInteger():
		return intUnary(op, arg)
	case arg.IsFloat():
		return floatUnary(op, arg)
	}
	return nil
}

func binary(op ir.Op, k types.Kind) func(x, y uint64) uint64 {
	switch {
	case k.IsInteger():
		return intBinary(op, k)
	case k.IsFloat():
		return floatBinary(op, k)
	case op == ir.OpEq:
		return func(x, y uint64) uint64 { return b2u(x == y) }
	case op == ir.OpNe:
		return func(x, y uint64) uint64 { return x ^ y }
	}
	return nil
}

func fma(op ir.Op, k types.Kind) func(x, y, z uint64) uint64 {
	switch {
	case op != ir.OpFMA:
		return nil
	case k == types.Float32:
		return func(x, y, z uint64) uint64 { return b32(fma32(f32(x), f32(y), f32(z))) }
	case k == types.Float64:
		return func(x, y, z uint64) uint64 { return b64(fma64(f64(x), f64(y), f64(z))) }
	}
	return nil
}
