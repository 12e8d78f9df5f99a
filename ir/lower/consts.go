package lower

import (
	"fmt"
	gconst "go/constant"
	"go/token"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

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

// longest is the number of digits up to which a decimal is easier to read than a quotient.
const longest = 80

// exactFloat is an untyped float constant as a Go expression without loss: a decimal if one of some length is exact, else
// a hexadecimal literal or a quotient.
func exactFloat(v gconst.Value) string {
	f, exact := gconst.Float64Val(v)
	if s := strconv.FormatFloat(f, 'g', -1, 64); !math.IsInf(f, 0) && gconst.Compare(gconst.MakeFromLiteral(s, token.FLOAT, 0), token.EQL, v) {
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return s
	}
	if exact {
		return strconv.FormatFloat(f, 'x', -1, 64)
	}
	num, den := gconst.Num(v), gconst.Denom(v)
	if num.Kind() == gconst.Unknown { // of an exponent too large for a ratio
		return gconst.Val(v).(*big.Float).Text('g', -1)
	}
	if s := decimal(num, den); s != "" {
		return s
	}
	return num.ExactString() + ".0 / " + den.ExactString()
}

// decimal is num/den as a decimal, or nothing if it is none or has too many digits.
func decimal(num, den gconst.Value) string {
	n, _ := new(big.Int).SetString(num.ExactString(), 10)
	d, _ := new(big.Int).SetString(den.ExactString(), 10)
	exponent := 0 // num/den is n/d * 10^exponent
	ten := big.NewInt(10)
	shift := func(x *big.Int, step int) {
		for q, r := new(big.Int), new(big.Int); ; exponent += step {
			if q.QuoRem(x, ten, r); r.Sign() != 0 {
				return
			}
			x.Set(q)
		}
	}
	shift(n, 1)
	shift(d, -1)
	for _, prime := range []int64{2, 5} { // what is left of d makes n a multiple of the other prime of 10
		p, other := big.NewInt(prime), big.NewInt(10/prime)
		for q, r := new(big.Int), new(big.Int); ; exponent-- {
			if q.QuoRem(d, p, r); r.Sign() != 0 {
				break
			}
			d.Set(q)
			n.Mul(n, other)
		}
	}
	digits := strings.TrimPrefix(n.String(), "-")
	if !d.IsInt64() || d.Int64() != 1 || len(digits) > longest {
		return ""
	}
	exponent += len(digits) - 1
	s := digits[:1]
	switch {
	case 0 <= exponent && exponent < len(digits)-1:
		s, exponent = digits[:exponent+1]+"."+digits[exponent+1:], 0
	case len(digits) > 1:
		s += "." + digits[1:]
	}
	if exponent != 0 {
		s += fmt.Sprintf("e%+03d", exponent)
	} else if !strings.Contains(s, ".") {
		s += ".0"
	}
	if n.Sign() < 0 {
		s = "-" + s
	}
	return s
}
