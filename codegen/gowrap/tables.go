package gowrap

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
)

// elements are the elements of a constant array in braces, a level a dim.
func elements(a *types.Array, dims []int64, bits []uint64) *jen.Statement {
	size := len(bits) / int(dims[0])
	return jen.ValuesFunc(func(v *jen.Group) {
		const row = 12
		for i := range int(dims[0]) {
			var e *jen.Statement
			if len(dims) > 1 {
				e = elements(a, dims[1:], bits[i*size:][:size])
			} else {
				e = jen.Op(literal(a.Elem.(types.Kind), bits[i]))
			}
			if len(dims) > 1 || int(dims[0]) > row && i%row == 0 {
				v.Line().Add(e)
			} else {
				v.Add(e)
			}
		}
		if len(dims) > 1 || dims[0] > row {
			v.Line()
		}
	})
}

// literal is a constant of the language, which is finite, as an untyped Go literal; of a 16-bit float its bits.
func literal(k types.Kind, bits uint64) string {
	switch {
	case k == types.Bool:
		return strconv.FormatBool(bits != 0)
	case k.IsUnsigned():
		return strconv.FormatUint(bits, 10)
	case k.IsInteger():
		return strconv.FormatInt(int64(bits), 10)
	case k.IsHalf():
		return fmt.Sprintf("%#04x", bits)
	case k == types.Float32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	}
	return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
}
