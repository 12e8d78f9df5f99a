package cpu

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// shape brings control around barriers in b into the form that the rest of fission knows: barriers in the blocks of Ifs,
// Ranges and Loops alone, none in a Loop's condition, and no exit of an outer loop that only some threads may take.
func (f *fissioner) shape(b *ir.Block) {
	to := map[*ir.Instr]*ir.Instr{}
	f.shapeInto(b, to)
	if len(to) > 0 {
		b.Walk(func(in *ir.Instr) {
			for i, a := range in.Args {
				if v := to[a]; v != nil {
					in.Args[i] = v
				}
			}
		})
	}
}

func (f *fissioner) shapeInto(b *ir.Block, to map[*ir.Instr]*ir.Instr) {
	var out []*ir.Instr
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			f.shapeInto(c, to)
		}
		if !meets(in) {
			out = append(out, in)
			continue
		}
		switch in.Op {
		case ir.OpCondAnd, ir.OpCondOr:
			out = append(out, f.branch(in, to)...)
			continue
		case ir.OpLoop:
			if slices.ContainsFunc(in.Blocks[0].Instrs, meets) {
				condInside(in)
			}
			f.straighten(in, in.Blocks[1])
		case ir.OpRange:
			f.straighten(in, in.Blocks[0])
		}
		out = append(out, in)
	}
	b.Instrs = out
}

// branch is && or || with a barrier on its right side as an If.
func (f *fissioner) branch(in *ir.Instr, to map[*ir.Instr]*ir.Instr) []*ir.Instr {
	l := f.k.NewLocal(&ir.Local{Name: in.Name, Type: types.Bool})
	w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
	w.LocalSet(l, in.Args[0])
	cond := in.Args[0]
	if in.Op == ir.OpCondOr {
		cond = w.Un(ir.OpLNot, cond)
	}
	right := w.If(cond).Blocks[0]
	last := len(in.Blocks[0].Instrs) - 1
	right.Instrs = slices.Clip(in.Blocks[0].Instrs[:last])
	w.In(right).LocalSet(l, in.Blocks[0].Instrs[last].Args[0])
	to[in] = w.LocalGet(l)
	return w.Block.Instrs
}

// condInside moves the condition of a Loop to the beginning of its body.
func condInside(loop *ir.Instr) {
	cond := loop.Blocks[0].Instrs
	last := len(cond) - 1
	w := ir.Builder{Block: &ir.Block{Instrs: slices.Clip(cond[:last])}, Pos: cond[last].Pos}
	stop := w.If(w.Un(ir.OpLNot, cond[last].Args[0]))
	w.In(stop.Blocks[0]).New(ir.OpBreak, nil)
	loop.Blocks[0] = &ir.Block{}
	loop.Blocks[1].Instrs = append(w.Block.Instrs, loop.Blocks[1].Instrs...)
}

// straightener takes those exits out of the body of a loop that holds barriers which skip none: they may diverge. Any
// other exit skips a barrier, here or in the next iteration, so that all threads take it together or none does.
type straightener struct {
	k    *ir.Kernel
	soft map[*ir.Instr]bool // the exits to take out
	flag *ir.Local          // whether the thread has taken one, made when first needed
}

func (f *fissioner) straighten(loop *ir.Instr, body *ir.Block) {
	s := &straightener{k: f.k, soft: map[*ir.Instr]bool{}}
	again := !leaves(body) || continues(body)
	s.find(body, false, again)
	if len(s.soft) == 0 {
		return
	}
	breaks := false
	for in := range s.soft {
		breaks = breaks || in.Op == ir.OpBreak
	}
	s.straight(body, true)
	w := ir.Builder{Block: body, Pos: loop.Pos}
	if breaks && !leaves(body) { // there is no next iteration
		w.New(ir.OpBreak, nil)
	}
	if s.flag != nil {
		w.Block = &ir.Block{}
		w.LocalSet(s.flag, w.Bool(false))
		body.Instrs = append(w.Block.Instrs, body.Instrs...)
	}
}

// leaves reports whether the end of b is never reached.
func leaves(b *ir.Block) bool {
	if len(b.Instrs) == 0 {
		return false
	}
	switch in := b.Instrs[len(b.Instrs)-1]; in.Op {
	case ir.OpBreak, ir.OpContinue:
		return true
	case ir.OpIf:
		return leaves(in.Blocks[0]) && leaves(in.Blocks[1])
	}
	return false
}

// continues reports a Continue in b that belongs to the loop around b.
func continues(b *ir.Block) bool {
	return slices.ContainsFunc(b.Instrs, func(in *ir.Instr) bool {
		return in.Op == ir.OpContinue || in.Op == ir.OpIf && slices.ContainsFunc(in.Blocks, continues)
	})
}

// find collects the exits of b; after says that a barrier follows b in the body, again that the loop may go on.
func (s *straightener) find(b *ir.Block, after, again bool) {
	for i, in := range b.Instrs {
		after := after || slices.ContainsFunc(b.Instrs[i+1:], meets)
		switch {
		case in.Op == ir.OpContinue && !after, in.Op == ir.OpBreak && !after && !again:
			s.soft[in] = true
		case in.Op == ir.OpIf:
			for _, c := range in.Blocks {
				s.find(c, after, again)
			}
		}
	}
}

// holds reports an exit to take out in in.
func (s *straightener) holds(in *ir.Instr) bool {
	return s.soft[in] || in.Op == ir.OpIf && slices.ContainsFunc(in.Blocks, func(b *ir.Block) bool { return slices.ContainsFunc(b.Instrs, s.holds) })
}

// straight takes the exits out of b; last says that nothing follows b in the body. What follows an If that may exit moves
// into the branch that does not; where neither branch always leaves, the flag guards it.
func (s *straightener) straight(b *ir.Block, last bool) {
	i := slices.IndexFunc(b.Instrs, s.holds)
	if i < 0 {
		return
	}
	in := b.Instrs[i]
	if s.soft[in] {
		b.Instrs = slices.Clip(b.Instrs[:i])
		if !last {
			w := ir.Builder{Block: b, Pos: in.Pos}
			w.LocalSet(s.done(), w.Bool(true))
		}
		return
	}
	rest := b.Instrs[i+1:]
	b.Instrs = slices.Clip(b.Instrs[:i+1])
	for n, c := range in.Blocks {
		if leaves(c) {
			other := in.Blocks[1-n]
			other.Instrs = append(slices.Clip(other.Instrs), rest...)
			s.straight(c, last)
			s.straight(other, last)
			return
		}
	}
	end := last && len(rest) == 0
	for _, c := range in.Blocks {
		s.straight(c, end)
	}
	if len(rest) > 0 {
		w := ir.Builder{Block: b, Pos: in.Pos}
		guard := w.If(w.Un(ir.OpLNot, w.LocalGet(s.done())))
		guard.Blocks[0].Instrs = slices.Clone(rest)
		s.straight(guard.Blocks[0], last)
	}
}

func (s *straightener) done() *ir.Local {
	if s.flag == nil {
		s.flag = s.k.NewLocal(&ir.Local{Name: "skip", Type: types.Bool})
	}
	return s.flag
}
