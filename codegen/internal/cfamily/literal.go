package cfamily

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
)

func itoa(v int) string { return strconv.Itoa(v) }

// Literal is a constant of kind k by its bits: the shortest text that C reads back to the same bits with the same type.
// A kind narrower than int has no literals of its own in C; the text then has type int and the right value.
func (d *Dialect) Literal(k types.Kind, bits uint64) Expr {
	switch {
	case k == types.Bool:
		return Atom(strconv.FormatBool(bits != 0))
	case k.IsUnsigned():
		return Atom(strconv.FormatUint(bits, 10) + d.Suffix[k])
	case k.IsSigned():
		return d.signed(k, int64(bits))
	case k.IsHalf(): // stored as its bits
		return Atom(fmt.Sprintf("%#04x", bits))
	case k == types.Float32:
		f := math.Float32frombits(uint32(bits))
		plain := bits&0x7f800000 != 0x7f800000 && bits&0x7f800000 != 0 || bits == 0
		return d.float(k, bits, float64(f), plain)
	case k == types.Float64:
		const exp = 0x7ff0000000000000
		return d.float(k, bits, math.Float64frombits(bits), bits&exp != exp && bits&exp != 0 || bits == 0)
	}
	panic(fmt.Sprintf("cfamily: literal of %s", k))
}

// signed writes the lowest value of a type as a difference: C has no negative literals, and the positive one is too large.
func (d *Dialect) signed(k types.Kind, v int64) Expr {
	suffix := d.Suffix[k]
	switch {
	case k.Bits() >= 32 && v == -1<<(k.Bits()-1):
		return Expr{strconv.FormatInt(v+1, 10) + suffix + " - 1" + suffix, PrecAdd}
	case v < 0:
		return Expr{strconv.FormatInt(v, 10) + suffix, PrecUnary}
	}
	return Atom(strconv.FormatInt(v, 10) + suffix)
}

// float writes a normal number or +0 in decimal. The others go through their bits: compilers spell infinities and NaN
// differently, and a device may flush a subnormal or a sign while it reads one.
func (d *Dialect) float(k types.Kind, bits uint64, f float64, plain bool) Expr {
	if !plain {
		return Atom(d.FromBits(k, bits))
	}
	return d.decimal(k, f)
}

// decimal is the shortest text that reads back to the same bits.
func (d *Dialect) decimal(k types.Kind, f float64) Expr {
	text := strconv.FormatFloat(f, 'g', -1, k.Bits())
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	text += d.Suffix[k]
	if f < 0 {
		return Expr{text, PrecUnary}
	}
	return Atom(text)
}
