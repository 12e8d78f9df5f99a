package check

import "github.com/gpugen/gpugen/dsl/types"

// random checks `rand.Philox(seed, counter)` and `rand.Float32(u)`.
func (b *body) random(bi *builtin, args []operand) operand {
	takes, gives := types.Uint64, types.Type(&types.Vector{Elem: types.Uint32, N: 4})
	if bi.name == "rand.Float32" {
		takes, gives = types.Uint32, types.Float32
	}
	for i := range args {
		if !b.assign(&args[i], takes, "the argument of `"+bi.name+"`") {
			return operand{}
		}
	}
	return operand{mode: value, typ: gives}
}
