package pass

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// A product that is used exactly once, by Add or Sub, becomes part of an fma: x*y + z and z + x*y are fma(x, y, z),
// z - x*y is fma(-x, y, z), x*y - z is fma(x, y, -z). When both operands of an addition or subtraction are such
// products the left one is fused. Only float32 and float64 have an fma; an explicit conversion around the product
// (NoFuse) and @exact keep it apart.
var fuse = Pass{
	Name: "fuse",
	Doc:  "turn products used once by + or - into fma",
	Run: func(k *ir.Kernel) {
		if k.Exact {
			return
		}
		count := uses(k.Body)
		product := func(in *ir.Instr) bool { return in.Op == ir.OpMul && !in.NoFuse && count[in] == 1 }
		splice(k.Body, func(in *ir.Instr) []*ir.Instr {
			if in.Op != ir.OpAdd && in.Op != ir.OpSub || in.Type != types.Float32 && in.Type != types.Float64 {
				return []*ir.Instr{in}
			}
			w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
			x, y := in.Args[0], in.Args[1]
			switch {
			case product(x):
				if in.Op == ir.OpSub {
					y = negated(w, y)
				}
				in.Args = []*ir.Instr{x.Args[0], x.Args[1], y}
			case product(y):
				a := y.Args[0]
				if in.Op == ir.OpSub {
					a = negated(w, a)
				}
				in.Args = []*ir.Instr{a, y.Args[1], x}
			default:
				return []*ir.Instr{in}
			}
			in.Op = ir.OpFMA
			return append(w.Block.Instrs, in)
		})
	},
}

// negated is -x, exactly; of a constant at once.
func negated(w ir.Builder, x *ir.Instr) *ir.Instr {
	if !x.IsConst() {
		return w.Un(ir.OpNeg, x)
	}
	return w.Bits(x.Type, x.Bits^1<<(x.Kind().Bits()-1))
}
