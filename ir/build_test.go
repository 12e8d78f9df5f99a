package ir

import (
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
)

// Passes and tests put another operand in an instruction's place for one: the instructions of a struct's leaves, which
// lowering builds with one list of indexes, must not change together.
func TestBuilderGivesEachItsOperands(t *testing.T) {
	b := Builder{Block: &Block{}}
	p := &Param{Name: "x", Type: &types.View{Rank: 1, Elem: types.Int32}, Dims: []*types.Header{types.Sym("n")}}
	indexes := []*Instr{b.Int(0)}
	first, second := b.Load(p, indexes...), b.Load(p, indexes...)
	first.Args[0] = b.Int(1)
	if second.Args[0] != indexes[0] {
		t.Error("two loads share their operands")
	}
}
