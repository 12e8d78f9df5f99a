package lower

import (
	"math"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// subgroup evaluates `subgroup.Sum(x)` and its like. All that take a value from another lane are a Shuffle; a lane that is
// computed may lie outside, which gives the thread its own value.
func (b *body) subgroup(e *dsl.CallExpr, name string, x []*ir.Instr) *ir.Instr {
	if r, ok := blockOps["block."+name]; ok {
		return b.SubReduce(r, x[0])
	}
	switch name {
	case "Lane":
		return b.New(ir.OpLane, types.Int)
	case "ID":
		return b.New(ir.OpSubgroup, types.Int)
	case "Ballot":
		return b.New(ir.OpBallot, types.Uint32, x[0])
	case "Broadcast": // its lane counts modulo the size, so that all get the same
		lane := b.Bin(ir.OpAnd, x[1], b.Const(x[1].Kind(), ir.Subgroup-1))
		in := b.Shuffle(x[0], b.Conv(types.Int32, lane))
		in.InBounds = true
		return in
	}
	n := b.amount(x[1])
	switch name {
	case "ShuffleXor":
		n = b.Bin(ir.OpXor, b.New(ir.OpLane, types.Int), n)
	case "ShuffleUp":
		n = b.Bin(ir.OpSub, b.New(ir.OpLane, types.Int), n)
	case "ShuffleDown":
		n = b.Bin(ir.OpAdd, b.New(ir.OpLane, types.Int), n)
	case "Shuffle":
	default:
		unknown("builtin subgroup."+name, e)
	}
	return b.Shuffle(x[0], b.Conv(types.Int32, b.Bin(ir.OpMin, b.Bin(ir.OpMax, n, b.Int(-1)), b.Int(ir.Subgroup))))
}

// amount is a lane or distance as an int; what does not fit one, or would overflow with a lane, is far outside as well.
func (b *body) amount(n *ir.Instr) *ir.Instr {
	const far = math.MaxInt32
	if n.Kind() == types.Uint64 {
		n = b.Bin(ir.OpMin, n, b.Const(types.Uint64, far))
	}
	n = b.Conv(types.Int, n)
	if n.Op == ir.OpConst {
		return b.Int(min(max(n.Int64(), -far), far))
	}
	return b.Bin(ir.OpMin, b.Bin(ir.OpMax, n, b.Int(-far)), b.Int(far))
}
