package cpu

import "github.com/gpugen/gpugen/ir"

// declarations say where each live local is declared: in the innermost block that holds all its uses, so that it reads
// as a local of that block, unless its value may be carried from one iteration to the next.
type declarations struct {
	before map[*ir.Instr][]*ir.Local // declared without a value before this instruction
	by     map[*ir.Instr]bool        // this LocalSet declares its local
	last   map[*ir.Instr]*ir.Instr   // of such a LocalSet: the last instruction of its block that uses the local
}

// ref is the way from the body to a use of a local: the instruction in each block on it.
type ref []step

type step struct {
	block *ir.Block
	index int
	owner *ir.Instr // of block
}

// declare places the live locals of a body but those that are declared elsewhere.
func declare(body *ir.Block, l *liveness, elsewhere func(*ir.Local) bool) *declarations {
	d := &declarations{before: map[*ir.Instr][]*ir.Local{}, by: map[*ir.Instr]bool{}, last: map[*ir.Instr]*ir.Instr{}}
	refs := map[*ir.Local][]ref{}
	var order []*ir.Local
	var walk func(b *ir.Block, owner *ir.Instr, path ref)
	walk = func(b *ir.Block, owner *ir.Instr, path ref) {
		for i, in := range l.body[b] {
			here := append(path[:len(path):len(path)], step{b, i, owner})
			if l.live[in] {
				for _, local := range localsOf(in) {
					if l.locals[local] && !elsewhere(local) {
						if refs[local] == nil {
							order = append(order, local)
						}
						refs[local] = append(refs[local], here)
					}
				}
			}
			for _, c := range in.Blocks {
				walk(c, in, here)
			}
		}
	}
	walk(body, nil, nil)
	for _, local := range order {
		d.place(local, refs[local], l)
	}
	return d
}

// localsOf are the locals that an instruction itself reads or writes.
func localsOf(in *ir.Instr) []*ir.Local {
	switch in.Op {
	case ir.OpLocalGet, ir.OpLocalSet, ir.OpElemGet, ir.OpElemSet:
		return []*ir.Local{in.Local}
	case ir.OpCall:
		return in.Outs
	}
	return nil
}

func (d *declarations) place(local *ir.Local, refs []ref, l *liveness) {
	common := len(refs[0])
	for _, r := range refs {
		n := 0
		for n < common && n < len(r) && r[n].block == refs[0][n].block {
			n++
		}
		common = n
	}
	for common > 1 && conditional(refs[0][common-1]) {
		common--
	}
	at := refs[0][common-1]
	if !assigned(l.body[at.block], local, l) {
		// Read before it is set: it keeps its value from the last iteration, so it lives outside all loops.
		for n, s := range refs[0][:common] {
			if s.owner != nil && (s.owner.Op == ir.OpRange || s.owner.Op == ir.OpLoop) {
				at = refs[0][n-1]
				break
			}
		}
	}
	in := l.body[at.block][at.index]
	if in.Op != ir.OpLocalSet || in.Local != local {
		d.before[in] = append(d.before[in], local)
		return
	}
	d.by[in] = true
	end := at.index
	for _, r := range refs {
		end = max(end, r[common-1].index)
	}
	d.last[in] = l.body[at.block][end]
}

// conditional reports a block that may print as an expression or a clause, where nothing can be declared.
func conditional(s step) bool {
	switch s.owner.Op {
	case ir.OpCondAnd, ir.OpCondOr:
		return true
	case ir.OpLoop:
		return s.block != s.owner.Blocks[1]
	}
	return false
}

// assigned reports that every read of local in a block comes after an assignment of its whole value there.
func assigned(block []*ir.Instr, local *ir.Local, l *liveness) bool {
	set := false
	return definite(block, local, l, &set)
}

// definite walks in order; set is whether local has its value. It is false at a read without one.
func definite(block []*ir.Instr, local *ir.Local, l *liveness, set *bool) bool {
	for _, in := range block {
		switch in.Op {
		case ir.OpLocalGet, ir.OpElemGet, ir.OpElemSet:
			if in.Local == local && l.live[in] && !*set {
				return false
			}
		case ir.OpLocalSet:
			*set = *set || in.Local == local
		case ir.OpCall:
			for _, o := range in.Outs {
				*set = *set || o == local
			}
		case ir.OpBreak, ir.OpContinue, ir.OpReturn:
			*set = true // nothing follows
		case ir.OpIf:
			then, other := *set, *set
			if !definite(l.body[in.Blocks[0]], local, l, &then) || !definite(l.body[in.Blocks[1]], local, l, &other) {
				return false
			}
			*set = then && other
		case ir.OpScope:
			if !definite(l.body[in.Blocks[0]], local, l, set) {
				return false
			}
		default:
			for _, b := range in.Blocks {
				inner := *set
				if !definite(l.body[b], local, l, &inner) {
					return false
				}
			}
		}
	}
	return true
}
