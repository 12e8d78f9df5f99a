package gpu

import (
	"fmt"
	"math"
	"math/bits"
)

// The arithmetic of kernel headers, in int. What overflows or divides by zero is a *ContractError of the launch, and
// the value is then 0.

func (l *Launch) overflow(format string, args ...any) int {
	if l.err == nil {
		l.err = &ContractError{l.k.Name, "the header overflows: " + fmt.Sprintf(format, args...)}
	}
	return 0
}

func (l *Launch) divisor(format string, args ...any) int {
	if l.err == nil {
		l.err = &ContractError{l.k.Name, "the header divides by " + fmt.Sprintf(format, args...)}
	}
	return 0
}

// Add is a + b.
func (l *Launch) Add(a, b int) int {
	if c := a + b; (c > a) == (b > 0) {
		return c
	}
	return l.overflow("%d + %d", a, b)
}

// Sub is a - b.
func (l *Launch) Sub(a, b int) int {
	if c := a - b; (c < a) == (b > 0) {
		return c
	}
	return l.overflow("%d - %d", a, b)
}

// Mul is a * b.
func (l *Launch) Mul(a, b int) int {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	negative := (a < 0) != (b < 0)
	switch {
	case hi == 0 && lo <= math.MaxInt:
		return a * b
	case hi == 0 && negative && lo == math.MaxInt+1:
		return math.MinInt
	}
	return l.overflow("%d * %d", a, b)
}

func magnitude(a int) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// Neg is -a.
func (l *Launch) Neg(a int) int {
	if a == math.MinInt {
		return l.overflow("-(%d)", a)
	}
	return -a
}

// Div is a / b, truncated.
func (l *Launch) Div(a, b int) int {
	switch {
	case b == 0:
		return l.divisor("zero: %d / 0", a)
	case b == -1:
		return l.Neg(a)
	}
	return a / b
}

// Mod is a % b, with the sign of a.
func (l *Launch) Mod(a, b int) int {
	if b == 0 {
		return l.divisor("zero: %d %% 0", a)
	}
	return a % b
}

// CeilDiv is a / b rounded up; b is over 0.
func (l *Launch) CeilDiv(a, b int) int {
	if b <= 0 {
		return l.divisor("what is not over zero: ceildiv(%d, %d)", a, b)
	}
	if a > 0 {
		return (a-1)/b + 1
	}
	return a / b
}

// Min is the lower of a and b.
func (l *Launch) Min(a, b int) int { return min(a, b) }

// Max is the higher of a and b.
func (l *Launch) Max(a, b int) int { return max(a, b) }

// Overflow records that header arithmetic done elsewhere did not hold; text says which.
func (l *Launch) Overflow(ok bool, text string) {
	if !ok && l.err == nil {
		l.err = &ContractError{l.k.Name, text}
	}
}
