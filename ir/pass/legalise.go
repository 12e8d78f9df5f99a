package pass

import (
	"math/bits"

	"github.com/gpugen/gpugen/ir"
)

// The targets' own operators are undefined or trap where the meaning table has a value: at a zero divisor, at MinInt / -1,
// at shift counts outside the width, at signed overflow. What ranges prove to be free of that gets the operation or the
// mark that printers write plainly; the rest goes through helpers. Division of what is not negative by a power of two
// becomes a shift, the remainder a mask.
var legalise = Pass{
	Name: "legalise",
	Doc:  "mark divisions, shifts and arithmetic that the target's own operators get right",
	Run: func(k *ir.Kernel) {
		l := &legaliser{ranges: newRanges(k), masks: map[*ir.Instr]*ir.Instr{}}
		l.walk(k.Body, l.instr)
		splice(k.Body, func(in *ir.Instr) []*ir.Instr {
			if c := l.masks[in]; c != nil {
				return []*ir.Instr{c, in}
			}
			return []*ir.Instr{in}
		})
	},
}

// legaliser marks the instructions of one kernel.
type legaliser struct {
	*ranges
	masks map[*ir.Instr]*ir.Instr // the new constant operand of an instruction
}

// instr marks one instruction.
func (l *legaliser) instr(in *ir.Instr) {
	k := in.Kind()
	if !k.IsInteger() {
		return
	}
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg:
		if v, ok := l.exact(in); ok && k.IsSigned() && v.fits(k) {
			in.NoWrap = true
		}
	case ir.OpDiv, ir.OpRem, ir.OpDivNZ, ir.OpRemNZ:
		l.division(in)
	case ir.OpShl, ir.OpShr:
		if c := l.span(in.Args[1]); !c.open && 0 <= c.lo && c.hi < int64(k.Bits()) {
			in.Op += ir.OpShlIn - ir.OpShl
		}
	}
}

// division makes a shift or a mask of a division by a power of two, and otherwise proves the divisor harmless.
func (l *legaliser) division(in *ir.Instr) {
	x, y := in.Args[0], in.Args[1]
	quotient := in.Op == ir.OpDiv || in.Op == ir.OpDivNZ
	if y.IsConst() && l.span(x).lo >= 0 && y.Int64() > 0 && bits.OnesCount64(y.Bits) == 1 {
		mask := int64(y.Bits - 1)
		in.Op = ir.OpAnd
		if quotient {
			in.Op, mask = ir.OpShrIn, int64(bits.TrailingZeros64(y.Bits))
		}
		c := ir.ConstInt(in.Kind(), mask)
		c.Pos = in.Pos
		in.Args[1], l.masks[in] = c, c
		return
	}
	if y.IsInt(0) {
		return // in code that is never reached everything is proven, but compilers refuse to divide by a zero that they see
	}
	d := l.span(y)
	if l.notZero(y) && (d.lo > -1 || !d.open && d.hi < -1 || l.span(x).lo > fullOf(in.Kind()).lo) {
		in.Op = ir.OpRemNZ
		if quotient {
			in.Op = ir.OpDivNZ
		}
	}
}
