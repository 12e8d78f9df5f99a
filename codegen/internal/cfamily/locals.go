package cfamily

import "github.com/gpugen/gpugen/ir"

// declarations says where locals are declared: as near to their uses as their meaning allows.
type declarations struct {
	at     map[*ir.Instr]*ir.Local   // an assignment that is the declaration
	before map[*ir.Instr][]*ir.Local // declared, zero, before an instruction
	top    []*ir.Local               // declared, zero, at the kernel's start: a loop may carry their values around
}

// nest is where a block stands.
type nest struct {
	parent *ir.Block
	index  int // of its owner in the parent
	depth  int
	loop   bool // within a loop
	expr   bool // may be printed as an expression, where nothing can be declared
}

// declare places each local that body uses. All its uses lie in one innermost block; when the first thing there is an
// assignment, that one declares it. Otherwise it is declared before the first thing, unless a loop stands around.
func declare(body *ir.Block) declarations {
	d := declarations{at: map[*ir.Instr]*ir.Local{}, before: map[*ir.Instr][]*ir.Local{}}
	nests := map[*ir.Block]nest{body: {}}
	type span struct {
		block *ir.Block
		first int
	}
	spans := map[*ir.Local]*span{}
	var order []*ir.Local
	up := func(s span) span {
		n := nests[s.block]
		return span{n.parent, n.index}
	}
	var walk func(b *ir.Block)
	walk = func(b *ir.Block) {
		for i, in := range b.Instrs {
			for _, c := range in.Blocks {
				n := nests[b]
				nests[c] = nest{
					parent: b, index: i, depth: n.depth + 1,
					loop: n.loop || in.Op == ir.OpRange || in.Op == ir.OpLoop,
					expr: in.Op == ir.OpCondAnd || in.Op == ir.OpCondOr || in.Op == ir.OpLoop && c != in.Blocks[1],
				}
				walk(c)
			}
			if in.Local == nil || in.Local.Shared {
				continue // the kernel declares what is shared
			}
			s, ok := spans[in.Local]
			if !ok {
				spans[in.Local] = &span{b, i}
				order = append(order, in.Local)
				continue
			}
			here := span{b, i}
			for s.block != here.block {
				if nests[s.block].depth >= nests[here.block].depth {
					*s = up(*s)
				} else {
					here = up(here)
				}
			}
			s.first = min(s.first, here.first)
		}
	}
	walk(body)
	for _, l := range order {
		s := spans[l]
		first := s.block.Instrs[s.first]
		if first.Op == ir.OpLocalSet && first.Local == l {
			d.at[first] = l
			continue
		}
		for nests[s.block].expr {
			*s = up(*s)
			first = s.block.Instrs[s.first]
		}
		switch {
		case nests[s.block].loop:
			d.top = append(d.top, l)
		default:
			d.before[first] = append(d.before[first], l)
		}
	}
	return d
}
