package ir

// MaxPlacedDepth bounds the nesting of expressions that [Placed] allows, far below the bracket limits of C compilers.
const MaxPlacedDepth = 64

// Placed says which values of a function's body a printer writes at their use instead of declaring them.
//
// What threads meet at, and atomic operations, stay where they stand. Leaves are always placed, however often they are used and even when named. Another value is placed when it is
// unnamed, has exactly one use, and evaluating it there gives the same: a load crosses no store to the same scalar or to another view, a read of a local
// crosses no assignment to it, neither a load nor a read of a shared local crosses a barrier, nothing but leaves enters a loop body, no read enters a nested block, and what stands in
// the place of a Range's hi or step, which C evaluates again in each iteration, reads nothing that changes. CondAnd and
// CondOr are placed when everything in their block is, so that they print as `&&` and `||`. No tree of placed values is
// deeper than [MaxPlacedDepth].
func Placed(body *Block) map[*Instr]bool {
	n := body.Len()
	p := &placer{placed: make(map[*Instr]bool, n), uses: make(map[*Instr]int, n), site: make(map[*Instr]place, n), loop: map[*Block]*Block{}}
	p.count(body)
	p.block(body, body, 0)
	return p.placed
}

// place is where a value is printed: within the statement at index of block.
type place struct {
	block *Block
	index int
	depth int  // of the placed tree above
	again bool // the place is evaluated more than once: a Range's hi or step
}

// placer holds what is known while blocks are walked from their ends.
type placer struct {
	placed map[*Instr]bool
	uses   map[*Instr]int
	site   map[*Instr]place  // of a value's last seen use; exact when it has one use
	loop   map[*Block]*Block // the innermost loop block around or at a block
}

// effects is what a statement reads or writes. A barrier writes memory and every shared local: other threads have.
type effects struct {
	memory []memory
	shared bool // some shared local; a barrier
	locals []*Local
}

// memory is one scalar of the elements of a view, or with a nil param all memory.
type memory struct {
	param *Param
	leaf  int
}

// meets reports that two may be the same bytes: of one view different scalars never are, two views may be one range.
func (m memory) meets(o memory) bool {
	return m.param == nil || o.param == nil || m.param != o.param || m.leaf == o.leaf
}

// add merges o into e.
func (e *effects) add(o effects) {
	e.memory = append(e.memory, o.memory...)
	e.shared = e.shared || o.shared
	e.locals = append(e.locals, o.locals...)
}

// count counts the uses of every value.
func (p *placer) count(b *Block) {
	b.Walk(func(in *Instr) {
		for _, a := range in.Args {
			p.uses[a]++
		}
	})
}

// block decides the instructions of b from the last to the first; loop is the innermost loop block and depth the depth
// of placed trees that end in a Yield of b. It gives what b writes.
func (p *placer) block(b, loop *Block, depth int) effects {
	p.loop[b] = loop
	var all effects
	store := map[memory]int{} // index of the next write
	meet := len(b.Instrs)     // index of the next barrier
	set := map[*Local]int{}   // index of the next assignment to a local
	crosses := func(read effects, to int) bool {
		if read.shared && meet < to {
			return true
		}
		for _, m := range read.memory {
			for w, i := range store {
				if i < to && m.meets(w) {
					return true
				}
			}
		}
		for _, l := range read.locals {
			if i, ok := set[l]; ok && i < to {
				return true
			}
		}
		return false
	}
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		in := b.Instrs[i]
		writes := p.decide(b, in, i, depth, crosses)
		for _, m := range writes.memory {
			store[m] = i
		}
		if writes.shared {
			meet = i
		}
		for _, l := range writes.locals {
			set[l] = i
		}
		all.add(writes)
	}
	return all
}

// decide settles one instruction, notes where its operands are used, and gives what it writes.
func (p *placer) decide(b *Block, in *Instr, i, yieldDepth int, crosses func(effects, int) bool) effects {
	at := place{block: b, index: i}
	if in.Op == OpYield {
		at.depth = yieldDepth
	}
	use, used := p.site[in]
	candidate := used && p.uses[in] == 1 && in.Name == "" && use.depth < MaxPlacedDepth && p.loop[use.block] == p.loop[b]
	var writes effects
	inner := at
	if candidate {
		inner = use
	}
	switch info := Ops[in.Op]; {
	case info.Class == Leaf:
		p.placed[in] = true
		return writes
	case in.Op == OpCondAnd || in.Op == OpCondOr:
		writes = p.block(in.Blocks[0], p.loop[b], inner.depth+1)
		var reads effects
		candidate = candidate && p.whole(in.Blocks[0], &reads) && p.reach(b, use, reads, crosses)
	case !info.Value || info.Class == Collective || in.Op == OpAtomic:
		writes = p.statement(b, in)
		candidate = false
	default:
		candidate = candidate && p.reach(b, use, readsOf(in), crosses)
	}
	if candidate {
		p.placed[in] = true
		at = use
		at.depth++
	}
	for n, a := range in.Args {
		s := at
		s.again = s.again || in.Op == OpRange && n > 0
		p.site[a] = s
	}
	return writes
}

// reach reports whether a value of block b with the given reads may be evaluated at the place instead.
func (p *placer) reach(b *Block, at place, reads effects, crosses func(effects, int) bool) bool {
	if len(reads.memory) == 0 && len(reads.locals) == 0 {
		return true
	}
	return at.block == b && !at.again && !crosses(reads, at.index)
}

// whole reports whether everything in a block but its Yield is placed, and collects what it reads.
func (p *placer) whole(b *Block, reads *effects) bool {
	for _, in := range b.Instrs {
		if in.Op == OpYield {
			continue
		}
		if !p.placed[in] {
			return false
		}
		reads.add(readsOf(in))
		for _, c := range in.Blocks {
			if !p.whole(c, reads) {
				return false
			}
		}
	}
	return true
}

// statement walks the blocks of an instruction without a value and gives what it writes.
func (p *placer) statement(b *Block, in *Instr) effects {
	var writes effects
	switch in.Op {
	case OpStore:
		writes.memory = []memory{{in.Param, in.Leaf}}
	case OpAtomic: // of a view, or else
		if in.Local != nil {
			writes.locals = append(writes.locals, in.Local)
		} else {
			writes.memory = []memory{{in.Param, in.Leaf}}
		}
	case OpLocalSet, OpElemSet:
		writes.locals = append(writes.locals, in.Local)
	case OpBarrier:
		writes.memory, writes.shared = []memory{{}}, true
	case OpCall:
		writes.locals = append(writes.locals, in.Outs...)
	}
	for n := len(in.Blocks) - 1; n >= 0; n-- {
		c := in.Blocks[n]
		if c.Iter != nil {
			p.placed[c.Iter] = true
		}
		loop := p.loop[b]
		if in.Op == OpRange || in.Op == OpLoop {
			loop = c
		}
		writes.add(p.block(c, loop, 0))
	}
	return writes
}

// readsOf is what evaluating one instruction reads, its blocks not counted.
func readsOf(in *Instr) effects {
	switch in.Op {
	case OpLoad:
		if !in.Param.IsView() && in.InBounds {
			return effects{} // by value: nothing changes it
		}
		return effects{memory: []memory{{in.Param, in.Leaf}}}
	case OpTableGet: // it reads nothing that changes, but a fault stays where it is
		if in.InBounds {
			return effects{}
		}
		return effects{memory: []memory{{}}}
	case OpLocalGet, OpElemGet:
		return effects{shared: in.Local.Shared, locals: []*Local{in.Local}}
	}
	return effects{}
}
