package uniform

import (
	"slices"

	"github.com/gpugen/gpugen/ir"
)

// block walks b from state s, which it changes, and gives what holds at its end.
func (a *analysis) block(b *ir.Block, s *state) *state {
	for _, in := range b.Instrs {
		if s == nil { // behind an exit
			return nil
		}
		s = a.instr(in, s)
	}
	return s
}

// instr walks one instruction.
func (a *analysis) instr(in *ir.Instr, s *state) *state {
	switch in.Op {
	case ir.OpBarrier:
		a.meet(in, s, "barrier")
	case ir.OpReduce:
		a.meet(in, s, "block")
		a.value(in, s)
	case ir.OpSubReduce, ir.OpShuffle, ir.OpBallot:
		a.meet(in, s, "subgroup")
		a.value(in, s)
	case ir.OpBreak, ir.OpContinue, ir.OpReturn:
		a.exit(in, s)
		return nil
	case ir.OpIf:
		return a.branch(in, s)
	case ir.OpCondAnd, ir.OpCondOr:
		return a.shortCircuit(in, s)
	case ir.OpScope:
		return a.scope(in, s)
	case ir.OpRange, ir.OpLoop:
		return a.loop(in, s)
	case ir.OpLocalSet, ir.OpElemSet:
		a.set(in, s)
	case ir.OpAssert:
		return a.block(in.Blocks[0], s)
	case ir.OpStore, ir.OpYield, ir.OpReport, ir.OpPrint:
	case ir.OpCall:
		panic("uniform: a call of " + in.Func.Instance + " is not inlined")
	default:
		a.value(in, s)
	}
	return s
}

// meet wants all threads, or none, at an instruction, which begins with the word in the source.
func (a *analysis) meet(in *ir.Instr, s *state, word string) {
	if s.ctl != nil && !a.found[in] && meets(in, a.sub) {
		a.found[in] = true
		a.errs = append(a.errs, &BarrierError{Pos: in.Pos, Word: word, Why: s.ctl})
	}
}

// exit sends the state to where the exit leads. One that only some threads take makes what it skips divergent.
func (a *analysis) exit(in *ir.Instr, s *state) {
	w := way{op: in.Op}
	for i := len(a.around) - 1 - in.Level; in.Op != ir.OpReturn; i-- {
		if in.Op == ir.OpBreak || a.around[i].Op != ir.OpScope {
			w.target = a.around[i]
			break
		}
	}
	a.ends[w] = join(a.ends[w], s)
	if s.ctl != nil {
		a.leave(exit{w, exitCause(in, s.ctl)})
	}
}

// leave notes a divergent exit, one a way.
func (a *analysis) leave(e exit) {
	if !slices.ContainsFunc(a.left, func(o exit) bool { return o.way == e.way }) {
		a.left = append(slices.Clip(a.left), e)
	}
}

// arrive ends a way: it gives the state there, and what still lies ahead of the threads on other ways.
func (a *analysis) arrive(w way) *state {
	s := a.ends[w]
	delete(a.ends, w)
	a.left = slices.DeleteFunc(slices.Clone(a.left), func(e exit) bool { return e.way == w })
	return s
}

// behind is s behind an instruction in front of which control was as ctl says: threads that took an exit out of it are
// missing.
func (a *analysis) behind(s *state, ctl *cause) *state {
	if s == nil {
		return nil
	}
	s.ctl = ctl
	if ctl == nil && len(a.left) > 0 {
		s.ctl = a.left[0].why
	}
	return s
}

// within walks a block that runs under a condition that diverges for the reason why, unless that is nil. The exits in it
// count behind it alone.
func (a *analysis) within(b *ir.Block, s *state, why *cause) (*state, []exit) {
	before := a.left
	in := s.clone()
	in.ctl = first(s.ctl, why)
	out := a.block(b, in)
	left := a.left
	a.left = before
	return out, left
}

func (a *analysis) branch(in *ir.Instr, s *state) *state {
	why := a.condition(in)
	yes, l := a.within(in.Blocks[0], s, why)
	no, r := a.within(in.Blocks[1], s, why)
	for _, e := range append(slices.Clip(l), r...) {
		a.leave(e)
	}
	return a.behind(join(yes, no), s.ctl)
}

func (a *analysis) shortCircuit(in *ir.Instr, s *state) *state {
	out, _ := a.within(in.Blocks[0], s, a.condition(in))
	y := in.Blocks[0].Instrs[len(in.Blocks[0].Instrs)-1].Args[0]
	a.diverges(in, first(a.why[in.Args[0]], a.why[y]))
	return a.behind(join(s, out), s.ctl)
}

func (a *analysis) scope(in *ir.Instr, s *state) *state {
	ctl := s.ctl
	a.around = append(a.around, in)
	out := a.block(in.Blocks[0], s)
	a.around = a.around[:len(a.around)-1]
	return a.behind(join(out, a.arrive(way{ir.OpBreak, in})), ctl)
}

// loop walks a Range or Loop until nothing new diverges at the start of its iterations.
func (a *analysis) loop(in *ir.Instr, s *state) *state {
	ctl, before := s.ctl, a.left
	a.around = append(a.around, in)
	entry := join(a.entry[in], s).clone()
	var out *state
	for {
		a.left = before
		var next *state
		if in.Op == ir.OpRange {
			next, out = a.iteration(in, entry.clone())
		} else {
			next, out = a.turn(in, entry.clone())
		}
		if next == nil {
			break
		}
		next = join(entry, next)
		if same(entry, next) {
			break
		}
		entry = next
	}
	a.entry[in] = entry
	a.around = a.around[:len(a.around)-1]
	if in.Op == ir.OpRange { // it may end before any iteration
		out = join(out, entry.clone())
	}
	return a.behind(join(out, a.arrive(way{ir.OpBreak, in})), ctl)
}

// iteration walks the body of a Range: it gives what holds at the start of the next iteration.
func (a *analysis) iteration(in *ir.Instr, s *state) (next, out *state) {
	why := a.condition(in)
	a.diverges(in.Blocks[0].Iter, iterCause(in, first(a.why[in.Args[0]], a.why[in.Args[1]], a.why[in.Args[2]])))
	s.ctl = first(s.ctl, why)
	return a.body(in, in.Blocks[0], s), nil
}

// turn walks condition, body and post of a Loop: it gives what holds at the start of the next iteration, and behind the
// loop where the condition is false.
func (a *analysis) turn(in *ir.Instr, s *state) (next, out *state) {
	if cond := in.Blocks[0]; len(cond.Instrs) > 0 {
		s = a.block(cond, s)
		out = s.clone()
		why := a.condition(in)
		s.ctl = first(s.ctl, why)
		if why != nil {
			a.leave(exit{way{ir.OpBreak, in}, why})
		}
	}
	s = a.body(in, in.Blocks[1], s)
	if s == nil {
		return nil, out
	}
	ctl := s.ctl
	return a.behind(a.block(in.Blocks[2], s), ctl), out
}

// body walks the body of a loop up to where its iterations end.
func (a *analysis) body(in *ir.Instr, b *ir.Block, s *state) *state {
	ctl := s.ctl
	end := a.block(b, s)
	return a.behind(join(end, a.arrive(way{ir.OpContinue, in})), ctl)
}
