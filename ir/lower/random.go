package lower

import (
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Philox4x32-10 is a counter-based generator (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// 2011): ten rounds of multiplications mix a counter of 128 bits with a key of 64. It has no state, so that every thread,
// on every target, has the numbers of its counter.
const (
	philoxRounds = 10
	philoxMul0   = 0xD2511F53
	philoxMul1   = 0xCD9E8D57
	philoxKey0   = 0x9E3779B9 // what the key grows by from round to round
	philoxKey1   = 0xBB67AE85
)

// philox evaluates rand.Philox: the seed is the key, the counter the low half of the generator's.
func (b *body) philox(seed, counter *ir.Instr, e *dsl.CallExpr) []*ir.Instr {
	b.Pos = e.Pos()
	low := func(x *ir.Instr) *ir.Instr { return b.Conv(types.Uint32, x) }
	high := func(x *ir.Instr) *ir.Instr {
		return b.Conv(types.Uint32, b.Bin(ir.OpShr, x, b.Const(types.Uint64, 32)))
	}
	zero := b.Const(types.Uint32, 0)
	out := philox(b.Builder, [4]*ir.Instr{low(counter), high(counter), zero, zero}, [2]*ir.Instr{low(seed), high(seed)})
	return out[:]
}

// philox appends the rounds.
func philox(w ir.Builder, c [4]*ir.Instr, key [2]*ir.Instr) [4]*ir.Instr {
	word := func(v int64) *ir.Instr { return w.Const(types.Uint32, v) }
	for round := range philoxRounds {
		if round > 0 {
			key[0], key[1] = w.Bin(ir.OpAdd, key[0], word(philoxKey0)), w.Bin(ir.OpAdd, key[1], word(philoxKey1))
		}
		m0, m1 := word(philoxMul0), word(philoxMul1)
		high0, low0 := w.Bin(ir.OpMulHi, c[0], m0), w.Bin(ir.OpMul, c[0], m0)
		high1, low1 := w.Bin(ir.OpMulHi, c[2], m1), w.Bin(ir.OpMul, c[2], m1)
		c = [4]*ir.Instr{
			w.Bin(ir.OpXor, w.Bin(ir.OpXor, high1, c[1]), key[0]), low1,
			w.Bin(ir.OpXor, w.Bin(ir.OpXor, high0, c[3]), key[1]), low0,
		}
	}
	return c
}

// unitFloat evaluates rand.Float32: the upper 24 bits as a fraction, which a float32 holds exactly; 1 is not reached.
func (b *body) unitFloat(u *ir.Instr) *ir.Instr {
	top := b.Bin(ir.OpShr, u, b.Const(types.Uint32, 8))
	return b.Bin(ir.OpMul, b.Conv(types.Float32, top), b.Float(types.Float32, 1.0/(1<<24)))
}
