package kernelgen

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
)

// halfTexts are constants that 16-bit floats hold, rounded: none is too large, and none becomes zero.
var halfTexts = map[types.Kind][]string{
	types.Float16: {
		"0", "1", "2", "0.5", "-1", "-2.5", "0.1", "3", "100", "1e-3", "65504", "-65504", "2049", "0.3333333333333333", "6.1035e-5", "6.0975e-5", "6e-8", "-1e-6", "1.0009765625",
		"0.49975586", "32768", "1025", "-2047.5", "3e-8", "65519",
	},
	types.BFloat16: {
		"0", "1", "2", "0.5", "-1", "-2.5", "0.1", "3", "100", "1e-3", "257", "1e10", "-1e-10", "0.3333333333333333", "1.5e30", "-7e33", "1e-40", "1.1754944e-38", "9.2e-41",
		"3.389e38", "-3.389e38", "0.498046875", "129", "1.0078125", "2147483648",
	},
}

// halves reports a kind that may stand for a 16-bit float, of which nothing is fused.
func (k *kind) halves() bool { return slices.ContainsFunc(k.set, types.Kind.IsHalf) }

// exactTo reports a float kind of which every number up to n is exact, for whatever it stands.
func (k *kind) exactTo(n int) bool {
	most := map[types.Kind]int{types.Float16: 1 << 11, types.BFloat16: 1 << 8}
	return !slices.ContainsFunc(k.set, func(t types.Kind) bool { return t.IsHalf() && most[t] < n })
}

// patterns are the integers of which a float takes the bits.
var patterns = map[types.Kind][]types.Kind{
	types.Float32: {types.Uint32, types.Int32}, types.Float64: {types.Uint64, types.Int64}, types.Float16: {types.Uint16, types.Int16}, types.BFloat16: {types.Uint16, types.Int16},
}

// patternOf reports that an integer kind has the width of the bits of a float.
func (k *kind) patternOf(float *kind) bool {
	return float.single() && k.single() && slices.Contains(patterns[float.set[0]], k.set[0])
}
