package interp

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/gpugen/gpugen/dsl/types"
)

var (
	errOverflow = errors.New("overflows int")
	errZero     = errors.New("divides by zero")
)

// evalHeader is the value of h; a relation is 0 or 1. Overflow, a zero divisor and a ceildiv by less than 1 are errors.
// The right sides of && and || are evaluated only when they decide.
func evalHeader(h *types.Header, env map[string]int64) (int64, error) {
	switch h.Op {
	case types.HConst:
		return h.Val, nil
	case types.HSym:
		v, ok := env[h.Name]
		if !ok {
			panic(fmt.Sprintf("interp: header name %q is bound by nothing", h.Name))
		}
		return v, nil
	}
	x, err := evalHeader(h.X, env)
	if err != nil {
		return 0, err
	}
	switch {
	case h.Op == types.HNeg:
		if x == math.MinInt64 {
			return 0, errOverflow
		}
		return -x, nil
	case h.Op == types.HNot:
		return 1 - x, nil
	case h.Op == types.HAnd && x == 0, h.Op == types.HOr && x != 0:
		return x, nil
	}
	y, err := evalHeader(h.Y, env)
	if err != nil {
		return 0, err
	}
	return headerBinary(h.Op, x, y)
}

func headerBinary(op types.HeaderOp, x, y int64) (int64, error) {
	is := func(b bool) (int64, error) { return int64(b2u(b)), nil }
	switch op {
	case types.HAdd:
		s := x + y
		if (s > x) != (y > 0) && y != 0 {
			return 0, errOverflow
		}
		return s, nil
	case types.HSub:
		s := x - y
		if (s < x) != (y > 0) && y != 0 {
			return 0, errOverflow
		}
		return s, nil
	case types.HMul:
		return headerMul(x, y)
	case types.HDiv, types.HRem:
		if y == 0 {
			return 0, errZero
		}
		if op == types.HRem {
			return x % y, nil
		}
		if x == math.MinInt64 && y == -1 {
			return 0, errOverflow
		}
		return x / y, nil
	case types.HCeilDiv:
		if y == 0 {
			return 0, errZero
		}
		if y < 0 {
			return 0, errors.New("has a ceildiv by a negative number")
		}
		q := x / y
		if x%y > 0 {
			q++
		}
		return q, nil
	case types.HMin:
		return min(x, y), nil
	case types.HMax:
		return max(x, y), nil
	case types.HEq:
		return is(x == y)
	case types.HNe:
		return is(x != y)
	case types.HLt:
		return is(x < y)
	case types.HLe:
		return is(x <= y)
	case types.HGt:
		return is(x > y)
	case types.HGe:
		return is(x >= y)
	case types.HAnd, types.HOr:
		return y, nil
	}
	panic(fmt.Sprintf("interp: header operator %d", op))
}

func headerMul(x, y int64) (int64, error) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	if hi != uint64(int64(lo)>>63) { // the high word must repeat the sign of the low one
		return 0, errOverflow
	}
	return int64(lo), nil
}
