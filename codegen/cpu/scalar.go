package cpu

import (
	"slices"

	"github.com/gpugen/gpugen/ir"
)

// common finds which variables and values a block has in common, to the largest sets that agree: a variable is one for the
// block if all that sets it runs once a block, and that is what computes with common values alone. It moves conditions
// of outer loops that some thread must compute into their bodies; then it reports true, and wants to be called again.
func (f *fissioner) common() bool {
	for _, l := range f.k.Locals {
		f.scalar[l] = !l.Shared
	}
	for changed := true; changed; {
		clear(f.uniform)
		f.values(f.k.Body)
		changed = f.demote(f.k.Body)
	}
	moved := false
	f.k.Body.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpLoop && f.outer[in] && slices.ContainsFunc(in.Blocks[0].Instrs, func(c *ir.Instr) bool { return !f.once(c) }) {
			condInside(in)
			moved = true
		}
	})
	return moved
}

// values finds the common values in b.
func (f *fissioner) values(b *ir.Block) {
	for i, in := range b.Instrs {
		args := f.allUniform(in.Args)
		for _, c := range in.Blocks {
			if c.Iter != nil {
				f.ranges[c.Iter] = in
				f.uniform[c.Iter] = args || f.outer[in]
			}
			f.values(c)
		}
		switch in.Op {
		case ir.OpThread, ir.OpAtomic:
		case ir.OpLocalGet, ir.OpElemGet:
			f.uniform[in] = args && (f.scalar[in.Local] || in.InBounds && in.Local.Shared && settled(b, i))
		case ir.OpLoad:
			f.uniform[in] = args && f.steady(in.Param)
		case ir.OpCondAnd, ir.OpCondOr:
			f.uniform[in] = args && !slices.ContainsFunc(in.Blocks[0].Instrs, func(c *ir.Instr) bool { return !f.once(c) })
		default:
			f.uniform[in] = args && ir.Ops[in.Op].Value
		}
	}
}

// settled reports a read of a shared variable, instruction i of b, that stands between two barriers of b where nothing sets
// the variable.
func settled(b *ir.Block, i int) bool {
	sets := setBy(&ir.Instr{Op: ir.OpScope, Blocks: []*ir.Block{{Instrs: stretch(b, i)}}})
	return len(stretch(b, i)) > 0 && !sets[b.Instrs[i].Local]
}

// stretch is what stands between the barriers of b around instruction i; nothing if one of them is missing.
func stretch(b *ir.Block, i int) []*ir.Instr {
	lo, hi := i-1, i+1
	for lo >= 0 && !meets(b.Instrs[lo]) {
		lo--
	}
	for hi < len(b.Instrs) && !meets(b.Instrs[hi]) {
		hi++
	}
	if lo < 0 || hi == len(b.Instrs) || b.Instrs[lo].Op != ir.OpBarrier || b.Instrs[hi].Op != ir.OpBarrier {
		return nil
	}
	return b.Instrs[lo+1 : hi]
}

func (f *fissioner) allUniform(args []*ir.Instr) bool {
	return !slices.ContainsFunc(args, func(a *ir.Instr) bool { return !f.uniform[a] })
}

// steady reports a view whose elements do not change while the kernel runs.
func (f *fissioner) steady(p *ir.Param) bool {
	return !p.Mut && !slices.ContainsFunc(f.k.InPlace, func(pair [2]int) bool { return slices.Contains(pair[:], p.Index) })
}

// once reports an instruction that may run once a block: it computes common values and sets variables of the block.
func (f *fissioner) once(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpStore, ir.OpAtomic, ir.OpBarrier, ir.OpReport, ir.OpPrint:
		return false
	case ir.OpBreak, ir.OpContinue:
		return true
	case ir.OpLocalSet, ir.OpElemSet:
		return f.scalar[in.Local] && f.allUniform(in.Args)
	case ir.OpYield:
		return f.allUniform(in.Args)
	case ir.OpIf, ir.OpRange, ir.OpLoop:
		return f.allUniform(in.Args) && !slices.ContainsFunc(in.Blocks, func(b *ir.Block) bool {
			return slices.ContainsFunc(b.Instrs, func(c *ir.Instr) bool { return !f.once(c) })
		})
	}
	return f.uniform[in]
}

// demote takes the variables out that a region sets, and reports whether there were any.
func (f *fissioner) demote(b *ir.Block) bool {
	changed := false
	for _, in := range b.Instrs {
		if f.outer[in] {
			for _, c := range in.Blocks {
				changed = f.demote(c) || changed
			}
			continue
		}
		if f.once(in) {
			continue
		}
		changed = f.privatise(in) || changed
		for _, c := range in.Blocks {
			c.Walk(func(in *ir.Instr) { changed = f.privatise(in) || changed })
		}
	}
	return changed
}

func (f *fissioner) privatise(in *ir.Instr) bool {
	if in.Op != ir.OpLocalSet && in.Op != ir.OpElemSet || !f.scalar[in.Local] {
		return false
	}
	f.scalar[in.Local] = false
	return true
}
