package lower

import (
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// TestPhiloxKnownAnswers runs the known answers of Random123 (kat_vectors, philox4x32 10) with all words of the counter.
func TestPhiloxKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		counter [4]int64
		key     [2]int64
		want    [4]uint64
	}{
		{[4]int64{}, [2]int64{}, [4]uint64{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]int64{-1, -1, -1, -1}, [2]int64{-1, -1}, [4]uint64{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{
			[4]int64{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]int64{0xa4093822, 0x299f31d0},
			[4]uint64{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	} {
		k := &ir.Kernel{
			Name: "K", Instance: "K", Entry: "K", Targets: types.AllTargets, Body: &ir.Block{},
			Domain: []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: types.Const(1)}},
			Params: []*ir.Param{{Name: "y", Mut: true, Type: &types.View{Rank: 1, Elem: types.Uint32}, Dims: []*types.Header{types.Const(4)}}},
			Equal:  []ir.Equality{{Want: types.Const(4)}},
		}
		w := ir.Builder{Block: k.Body}
		var counter [4]*ir.Instr
		for i, v := range c.counter {
			counter[i] = w.Const(types.Uint32, v)
		}
		for i, v := range philox(w, counter, [2]*ir.Instr{w.Const(types.Uint32, c.key[0]), w.Const(types.Uint32, c.key[1])}) {
			w.Store(k.Params[0], v, w.Int(int64(i)))
		}
		if err := ir.VerifyKernel(k); err != nil {
			t.Fatal(err)
		}
		y := interp.NewBuffer(types.Uint32, 4)
		if _, err := interp.Run(k, []interp.Arg{interp.View(y)}, interp.Options{}); err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got := y.At(int64(i)); got != want {
				t.Errorf("counter %x, key %x: word %d is %#x, want %#x", c.counter, c.key, i, got, want)
			}
		}
	}
}
