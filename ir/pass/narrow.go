package pass

import (
	"math"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// A 64-bit integer whose interval lies in int32 is computed in int32, where every operand does too; where one does not,
// the value is computed as before and converted. What uses it in 64 bits gets a conversion back; dce removes what nobody
// asks for. Indexes, comparisons, conversions and loops take the 32-bit value.
var narrow = Pass{
	Name: "narrow",
	Doc:  "compute integers in 32 bits where ranges prove the same result",
	Run: func(k *ir.Kernel) {
		if k.Wide {
			return
		}
		n := &narrower{fits: map[*ir.Instr]bool{}, small: values{}, to: values{}}
		n.prove(k)
		n.block(k.Body, func() {})
	},
}

// narrower rewrites one kernel.
type narrower struct {
	fits  map[*ir.Instr]bool // 64-bit values whose intervals lie in int32
	small values             // their int32 values
	to    values             // what stands for a value in 64 bits
	out   []*ir.Instr
}

// is64 reports a signed 64-bit kind.
func is64(in *ir.Instr) bool { return in.Type == types.Int || in.Type == types.Int64 }

// prove finds the values that fit, and the loops whose index never passes the end of int32.
func (n *narrower) prove(k *ir.Kernel) {
	r := newRanges(k)
	r.walk(k.Body, func(in *ir.Instr) {
		if is64(in) {
			n.fits[in] = r.span(in).fits(types.Int32)
		}
		if in.Op != ir.OpRange || !is64(in.Blocks[0].Iter) {
			return
		}
		hi, step := r.span(in.Args[1]), r.span(in.Args[2])
		end, ok := addOK(hi.hi, step.hi)
		n.fits[in.Blocks[0].Iter] = ok && end <= math.MaxInt32 && r.span(in.Args[0]).fits(types.Int32) && hi.fits(types.Int32) && step.fits(types.Int32)
	})
}

// block rewrites b; prelude may append instructions in front.
func (n *narrower) block(b *ir.Block, prelude func()) {
	saved := n.out
	n.out = nil
	prelude()
	for _, in := range b.Instrs {
		n.instr(in)
	}
	b.Instrs, n.out = n.out, saved
}

// emit appends an instruction at the position of in.
func (n *narrower) emit(in *ir.Instr, op ir.Op, t types.Type, args ...*ir.Instr) *ir.Instr {
	out := &ir.Instr{Op: op, Type: t, Args: args, Pos: in.Pos}
	n.out = append(n.out, out)
	return out
}

// instr rewrites one instruction and its blocks.
func (n *narrower) instr(in *ir.Instr) {
	if n.fits[in] {
		n.shrink(in)
		return
	}
	prelude := func() {}
	if in.Op == ir.OpRange && n.fits[in.Blocks[0].Iter] {
		iter := in.Blocks[0].Iter
		small := &ir.Instr{Op: ir.OpIter, Type: types.Int32, Pos: iter.Pos, Name: iter.Name}
		n.small[iter] = small
		for i, a := range in.Args {
			in.Args[i] = n.small[a]
		}
		in.Blocks[0].Iter = small
		prelude = func() { n.to[iter] = n.emit(iter, ir.OpConv, iter.Type, small) }
	} else {
		n.use(in)
	}
	for i, b := range in.Blocks {
		if i > 0 {
			prelude = func() {}
		}
		n.block(b, prelude)
	}
	if in.Op == ir.OpConv && in.Type == types.Int32 && in.Args[0].Type == types.Int32 {
		n.to[in] = in.Args[0]
		return
	}
	n.out = append(n.out, in)
}

// use replaces the operands of in: by int32 values where the operation takes them as well as 64-bit ones.
func (n *narrower) use(in *ir.Instr) {
	from, end := len(in.Args), len(in.Args) // operands that may be narrow
	switch in.Op {
	case ir.OpLoad, ir.OpElemGet, ir.OpTableGet, ir.OpConv:
		from = 0
	case ir.OpStore, ir.OpElemSet:
		from, end = 0, len(in.Args)-1
	case ir.OpAtomic:
		from, end = 0, len(in.Indexes())
	case ir.OpShl, ir.OpShr:
		from = 1
	case ir.OpReport:
		from = 0
	case ir.OpPrint:
		from = len(in.Site.Args) // who prints; the values keep their types
	}
	if in.Op.IsCompare() && n.small[in.Args[0]] != nil && n.small[in.Args[1]] != nil {
		from = 0
	}
	for i, a := range in.Args {
		if s := n.small[a]; s != nil && from <= i && i < end {
			in.Args[i] = s
		} else {
			in.Args[i] = n.to.of(a)
		}
	}
}

// shrink computes a value that fits in int32.
func (n *narrower) shrink(in *ir.Instr) {
	switch in.Op {
	case ir.OpConst:
		n.out = append(n.out, in)
		c := n.emit(in, ir.OpConst, types.Int32)
		c.Bits = in.Bits
		n.small[in] = c
		return
	case ir.OpConv:
		w := in.Args[0]
		s := n.small[w]
		if s == nil {
			s = n.to.of(w)
		}
		if s.Type != types.Int32 {
			s = n.emit(in, ir.OpConv, types.Int32, s)
		}
		n.small[in] = s
	case ir.OpSelect, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpAbs, ir.OpDiv, ir.OpDivNZ, ir.OpRem, ir.OpRemNZ,
		ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpNot, ir.OpMin, ir.OpMax, ir.OpShl, ir.OpShr:
		args, ok := n.smallArgs(in)
		if !ok {
			break
		}
		s := n.emit(in, in.Op, types.Int32, args...)
		s.NoWrap = in.Op == ir.OpAdd || in.Op == ir.OpSub || in.Op == ir.OpMul || in.Op == ir.OpNeg
		n.small[in] = s
	}
	if s := n.small[in]; s != nil {
		if s.Name == "" && ir.Ops[s.Op].Class != ir.Leaf {
			s.Name = in.Name
		}
		n.to[in] = n.emit(in, ir.OpConv, in.Type, s)
		return
	}
	n.use(in)
	for _, b := range in.Blocks {
		n.block(b, func() {})
	}
	n.out = append(n.out, in)
	n.small[in] = n.emit(in, ir.OpConv, types.Int32, in)
}

// smallArgs is the operands of in for the same operation in int32. The condition of a Select stays what it is, and so may
// a shift count: where the 64-bit result fits in int32, counts from 32 on give the same in both widths.
func (n *narrower) smallArgs(in *ir.Instr) ([]*ir.Instr, bool) {
	var args []*ir.Instr
	for i, a := range in.Args {
		s := n.small[a]
		if s == nil && (in.Op == ir.OpSelect && i == 0 || (in.Op == ir.OpShl || in.Op == ir.OpShr) && i == 1) {
			s = n.to.of(a)
		}
		if s == nil {
			return nil, false
		}
		args = append(args, s)
	}
	return args, true
}
