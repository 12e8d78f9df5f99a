package pass

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// One operation on 16-bit floats is the float32 operation rounded once: operands are converted, the result is converted
// back. Behind this pass 16-bit kinds are storage: constants, memory, variables, selections, conversions and bits are
// all that targets need for them. Since every product is rounded at once, none is ever fused. Signs are bits.
var half = Pass{
	Name: "half",
	Doc:  "compute 16-bit floats in float32, each result rounded once",
	Run:  func(k *ir.Kernel) { newHalver().block(k.Body) },
	Func: func(f *ir.Func) { newHalver().block(f.Body) },
}

// Half runs the pass alone; kernels that are made of single operations need no other.
func Half(k *ir.Kernel) { half.Run(k) }

// halver rewrites one body. A value that several operations take is converted once, where the first of them stands.
type halver struct {
	wide map[*ir.Instr]*ir.Instr // values of 16 bits as float32, where that is in scope
	w    ir.Builder
}

func newHalver() *halver { return &halver{wide: map[*ir.Instr]*ir.Instr{}} }

// block rewrites b and what is below it.
func (h *halver) block(b *ir.Block) {
	outer := h.w
	h.w.Block = &ir.Block{}
	var mine []*ir.Instr
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			h.block(c)
		}
		h.w.Pos = in.Pos
		mine = append(mine, h.instr(in)...)
		h.w.Block.Add(in)
	}
	for _, x := range mine {
		delete(h.wide, x)
	}
	b.Instrs = h.w.Block.Instrs
	h.w = outer
}

// instr puts what an operation on 16-bit floats consists of in front of it and makes it the last of that: so it stays the
// value that others use. It gives the values that it converted.
func (h *halver) instr(in *ir.Instr) (converted []*ir.Instr) {
	if ir.Ops[in.Op].Class != ir.Pure || !in.Args[0].Kind().IsHalf() {
		return nil
	}
	w := h.w
	sign := uint64(1) << 15
	bits := func(x *ir.Instr) *ir.Instr { return w.New(ir.OpBitcast, types.Uint16, x) }
	mask := func(m uint64) *ir.Instr { return w.Bits(types.Uint16, m) }
	become := func(op ir.Op, args ...*ir.Instr) { in.Op, in.Args, in.NoFuse = op, args, false }
	widen := func(x *ir.Instr) *ir.Instr {
		if h.wide[x] == nil {
			h.wide[x] = w.Conv(types.Float32, x)
			converted = append(converted, x)
		}
		return h.wide[x]
	}
	switch in.Op {
	case ir.OpSelect, ir.OpBitcast:
	case ir.OpConv:
		if in.Kind() != types.Float32 {
			become(ir.OpConv, widen(in.Args[0]))
		}
	case ir.OpNeg:
		become(ir.OpBitcast, w.Bin(ir.OpXor, bits(in.Args[0]), mask(sign)))
	case ir.OpAbs:
		become(ir.OpBitcast, w.Bin(ir.OpAnd, bits(in.Args[0]), mask(sign-1)))
	case ir.OpCopysign:
		size := w.Bin(ir.OpAnd, bits(in.Args[0]), mask(sign-1))
		become(ir.OpBitcast, w.Bin(ir.OpOr, size, w.Bin(ir.OpAnd, bits(in.Args[1]), mask(sign))))
	default:
		wide := make([]*ir.Instr, len(in.Args))
		for i, a := range in.Args {
			wide[i] = widen(a)
		}
		if in.Op.IsCompare() {
			become(in.Op, wide...)
		} else {
			become(ir.OpConv, w.New(in.Op, types.Float32, wide...))
		}
	}
	return converted
}
