package kernelgen

import (
	"math/bits"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/interp"
)

// philox is Philox4x32-10 as its authors define it, with the counter in the low half and the seed as key.
func philox(seed, counter uint64) [4]uint32 {
	c := [4]uint32{uint32(counter), uint32(counter >> 32)}
	key := [2]uint32{uint32(seed), uint32(seed >> 32)}
	for range 10 {
		hi0, lo0 := bits.Mul32(0xD2511F53, c[0])
		hi1, lo1 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ key[0], lo1, hi0 ^ c[3] ^ key[1], lo0}
		key[0] += 0x9E3779B9
		key[1] += 0xBB67AE85
	}
	return c
}

// philox is rand.Philox.
func (f *frame) philox(e *dsl.CallExpr) *cell {
	seed := f.expr(e.Args[0]).bits
	c := &cell{typ: &types.Vector{Elem: types.Uint32, N: 4}}
	for _, word := range philox(seed, f.expr(e.Args[1]).bits) {
		c.elem = append(c.elem, uint64(word))
	}
	return c
}

// fraction is rand.Float32.
func (f *frame) fraction(e *dsl.CallExpr) *cell {
	u := f.expr(e.Args[0]).bits
	return number(types.Float32, interp.FloatBits(types.Float32, float64(u>>8)/(1<<24)))
}
