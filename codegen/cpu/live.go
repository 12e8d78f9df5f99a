package cpu

import (
	"github.com/gpugen/gpugen/ir"
)

// liveness says which instructions are printed: what has an effect, and what such an instruction needs. Go refuses a
// variable that nothing reads, so nothing else may be.
type liveness struct {
	live   map[*ir.Instr]bool
	locals map[*ir.Local]bool
	uses   map[*ir.Instr]int         // by live instructions
	users  map[*ir.Instr][]*ir.Instr // live ones
	parent map[*ir.Instr]*ir.Instr
	sets   map[*ir.Local][]*ir.Instr
	body   map[*ir.Block][]*ir.Instr   // the reachable instructions of each block
	order  map[*ir.Instr]int           // of the reachable instructions in the text
	end    map[*ir.Instr]int           // the order of the last instruction inside
	rows   map[*ir.Instr]*row          // accesses that need only the last of their indexes
	needs  func(*ir.Instr) []*ir.Instr // the values that the text of an instruction needs; nil: its operands
	todo   []*ir.Instr
}

func findLive(body *ir.Block, rows map[*ir.Instr]*row, needs func(*ir.Instr) []*ir.Instr) *liveness {
	l := &liveness{
		live: map[*ir.Instr]bool{}, locals: map[*ir.Local]bool{}, uses: map[*ir.Instr]int{}, users: map[*ir.Instr][]*ir.Instr{},
		parent: map[*ir.Instr]*ir.Instr{}, sets: map[*ir.Local][]*ir.Instr{}, body: map[*ir.Block][]*ir.Instr{}, order: map[*ir.Instr]int{}, end: map[*ir.Instr]int{}, rows: rows, needs: needs,
	}
	l.collect(body, nil)
	for len(l.todo) > 0 {
		in := l.todo[len(l.todo)-1]
		l.todo = l.todo[:len(l.todo)-1]
		l.follow(in)
	}
	return l
}

// collect walks what is reachable, notes who contains what, and marks the roots.
func (l *liveness) collect(b *ir.Block, parent *ir.Instr) {
	for _, in := range b.Instrs {
		l.body[b] = append(l.body[b], in)
		l.parent[in] = parent
		l.order[in] = len(l.order)
		for _, c := range in.Blocks {
			l.collect(c, in)
		}
		l.end[in] = len(l.order) - 1
		switch in.Op {
		case ir.OpCall:
			l.mark(in)
			for _, o := range in.Outs {
				l.sets[o] = append(l.sets[o], in)
			}
		case ir.OpReport, ir.OpPrint, ir.OpStore, ir.OpAtomic, ir.OpLoop, ir.OpBreak, ir.OpContinue, ir.OpReturn:
			l.mark(in)
		case ir.OpLoad, ir.OpElemGet, ir.OpTableGet:
			if !in.InBounds {
				l.mark(in)
			}
		case ir.OpElemSet:
			l.sets[in.Local] = append(l.sets[in.Local], in)
			if !in.InBounds {
				l.mark(in)
			}
		case ir.OpLocalSet:
			l.sets[in.Local] = append(l.sets[in.Local], in)
		}
		if l.ends(in) {
			break
		}
	}
}

func (l *liveness) mark(in *ir.Instr) {
	if in != nil && !l.live[in] {
		l.live[in] = true
		l.todo = append(l.todo, in)
	}
}

// follow marks what a live instruction needs.
func (l *liveness) follow(in *ir.Instr) {
	args := in.Args
	if l.needs != nil {
		args = l.needs(in)
	}
	if l.rows[in] != nil {
		args = args[rank(in)-1:]
	}
	for _, a := range args {
		l.uses[a]++
		l.users[a] = append(l.users[a], in)
		l.mark(a)
	}
	l.mark(l.parent[in])
	switch in.Op {
	case ir.OpLocalGet, ir.OpElemGet, ir.OpElemSet:
		if !l.locals[in.Local] {
			l.locals[in.Local] = true
			for _, s := range l.sets[in.Local] {
				l.mark(s)
			}
		}
	case ir.OpLoop, ir.OpCondAnd, ir.OpCondOr:
		for _, c := range l.body[in.Blocks[0]] {
			if c.Op == ir.OpYield {
				l.mark(c)
			}
		}
	}
}

// ends reports whether nothing after in runs, by Go's rules of terminating statements and jumps.
func (l *liveness) ends(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpBreak, ir.OpContinue, ir.OpReturn:
		return true
	case ir.OpIf:
		return l.blockEnds(in.Blocks[0]) && l.blockEnds(in.Blocks[1])
	case ir.OpScope:
		return l.blockEnds(in.Blocks[0])
	case ir.OpLoop:
		return len(in.Blocks[0].Instrs) == 0 && !l.breaks(in.Blocks[1]) && !l.breaks(in.Blocks[2])
	}
	return false
}

// blockEnds reports whether the end of b is never reached. It needs the reachable instructions of b.
func (l *liveness) blockEnds(b *ir.Block) bool {
	all := l.body[b]
	return len(all) > 0 && l.ends(all[len(all)-1])
}

// breaks reports whether a Break in b leaves the loop that b belongs to.
func (l *liveness) breaks(b *ir.Block) bool {
	for _, in := range l.body[b] {
		switch in.Op {
		case ir.OpBreak:
			return true
		case ir.OpIf, ir.OpScope, ir.OpCondAnd, ir.OpCondOr:
			for _, c := range in.Blocks {
				if l.breaks(c) {
					return true
				}
			}
		}
	}
	return false
}
