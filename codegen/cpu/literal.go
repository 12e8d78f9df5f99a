package cpu

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// literal is a constant: Go's shortest text that reads back to the same bits. Infinities, NaN and -0 have no literal
// and become calls.
func (f *function) literal(in *ir.Instr) value {
	k := in.Kind()
	switch {
	case k == types.Invalid:
		return value{code: goType(in.Type).Values(), prec: primary}
	case k == types.Bool:
		text := strconv.FormatBool(in.Bool())
		return value{code: jen.Id(text), typed: jen.Id(text), prec: primary, constant: true}
	case k.IsUnsigned():
		return integer(k, strconv.FormatUint(in.Bits, 10))
	case k.IsInteger():
		return integer(k, strconv.FormatInt(in.Int64(), 10))
	}
	if k.IsHalf() {
		return value{code: goType(k).Call(jen.Id(fmt.Sprintf("%#04x", in.Bits))), prec: primary}
	}
	v := in.Float()
	special := func(call *jen.Statement) value {
		if k == types.Float32 {
			call = jen.Float32().Call(call)
		}
		return value{code: call, prec: primary}
	}
	switch {
	case v != v:
		return special(jen.Qual(mathPath, "NaN").Call())
	case math.IsInf(v, 0):
		sign := 1
		if v < 0 {
			sign = -1
		}
		return special(jen.Qual(mathPath, "Inf").Call(jen.Lit(sign)))
	case v == 0 && math.Signbit(v):
		return special(jen.Qual(mathPath, "Copysign").Call(jen.Lit(0), jen.Lit(-1)))
	}
	text := strconv.FormatFloat(v, 'g', -1, k.Bits())
	out := value{code: jen.Id(text), prec: literalPrec(text), constant: true}
	switch {
	case k != types.Float64:
		out.typed = goType(k).Call(jen.Id(text))
	case strings.ContainsAny(text, ".e"):
		out.typed = jen.Id(text)
	default:
		out.typed = jen.Id(text + ".0")
	}
	return out
}

func integer(k types.Kind, text string) value {
	v := value{code: jen.Id(text), prec: literalPrec(text), constant: true}
	v.typed = jen.Id(text)
	if k != types.Int {
		v.typed = goType(k).Call(jen.Id(text))
	}
	return v
}

func literalPrec(text string) int {
	if text[0] == '-' {
		return unary
	}
	return primary
}

// goType is a type of the language as Go spells it. A [4, 4]float32 is an array of arrays, a float32x3 an array.
func goType(t types.Type) *jen.Statement {
	if a, ok := t.(*types.Array); ok {
		s := &jen.Statement{}
		for _, d := range a.Dims {
			s.Index(jen.Lit(int(d)))
		}
		return s.Add(goType(a.Elem))
	}
	switch t := t.(type) {
	case *types.Vector:
		return jen.Index(jen.Lit(t.N)).Add(goType(t.Elem))
	case *types.Struct:
		return jen.Id(t.Name)
	}
	switch k := types.KindOf(t); k {
	case types.Float16:
		return jen.Qual(runtimePath, "Float16")
	case types.BFloat16:
		return jen.Qual(runtimePath, "BFloat16")
	case types.Invalid:
		panic("cpu: no Go type for " + t.String())
	default:
		return jen.Id(k.String())
	}
}
