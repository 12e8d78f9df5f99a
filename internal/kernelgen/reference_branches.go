package kernelgen

import (
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// branch begins the way to where a branch leads.
func (f *frame) branch(s *dsl.BranchStmt) control {
	f.goal = f.facts.Branches[s]
	switch s.Word {
	case "break":
		return breaks
	case "continue":
		return continues
	}
	return falls
}

// arrives reports a branch that leads to s.
func (f *frame) arrives(c, want control, s dsl.Stmt) bool { return c == want && f.goal == s }

func (f *frame) labeled(s *dsl.LabeledStmt) control {
	c := f.stmt(s.Stmt)
	if block, ok := s.Stmt.(*dsl.Block); ok && f.arrives(c, breaks, block) {
		return onward
	}
	return c
}

func (f *frame) switchStmt(s *dsl.SwitchStmt) control {
	if s.Init != nil {
		f.stmt(s.Init)
	}
	var tag *cell
	if s.Tag != nil {
		tag = f.expr(s.Tag).clone()
	}
	for at := f.chosen(s, tag); at >= 0 && at < len(s.Cases); at++ {
		switch c := f.stmts(s.Cases[at].Body); {
		case c == falls:
			continue
		case f.arrives(c, breaks, s):
			return onward
		default:
			return c
		}
	}
	return onward
}

// chosen is the clause that a switch begins with; -1: none.
func (f *frame) chosen(s *dsl.SwitchStmt, tag *cell) int {
	other := -1
	for i, c := range s.Cases {
		if c.Default {
			other = i
		}
		for _, e := range c.Values {
			v := f.expr(e)
			if tag == nil && v.bits != 0 || tag != nil && f.operate(ir.OpEq, tag, v).bits != 0 {
				return i
			}
		}
	}
	return other
}

// body runs the body of the loop s and says whether the loop goes on.
func (f *frame) body(s dsl.Stmt, b *dsl.Block) (more bool, end control) {
	switch c := f.stmts(b.Stmts); {
	case c == onward || f.arrives(c, continues, s):
		return true, onward
	case f.arrives(c, breaks, s):
		return false, onward
	default:
		return false, c
	}
}

func (f *frame) forStmt(s *dsl.ForStmt) control {
	if s.Init != nil {
		f.stmt(s.Init)
	}
	for s.Cond == nil || f.expr(s.Cond).bits != 0 {
		if more, end := f.body(s, s.Body); !more {
			return end
		}
		if s.Post != nil {
			f.stmt(s.Post)
		}
	}
	return onward
}

func (f *frame) forRange(s *dsl.ForRangeStmt) control {
	n := f.expr(s.N).clone()
	for i := uint64(0); ; i++ {
		if n.kind.IsSigned() && int64(i) >= int64(n.bits) || !n.kind.IsSigned() && i >= n.bits {
			return onward
		}
		if s.Var != nil {
			v := f.facts.Defs[s.Var]
			if s.Assign == "=" {
				v = f.facts.Uses[s.Var]
			}
			f.vars[v] = number(n.kind, i)
		}
		if more, end := f.body(s, s.Body); !more {
			return end
		}
	}
}

// forIn runs the iterations in order; what leaves it is a branch of an outer loop's iteration, which the checker refuses.
func (f *frame) forIn(s *dsl.ForInStmt) control {
	f.over(s.Vars, s.Extents, func() { f.body(s, s.Body) })
	return onward
}

// over calls visit for each combination of the indexes, the last fastest. All ends are evaluated before the first.
func (f *frame) over(vars []*dsl.Ident, extents []dsl.Extent, visit func()) {
	lo, hi := make([]int64, len(vars)), make([]int64, len(vars))
	for i, x := range extents {
		if x.Lo != nil {
			lo[i] = int64(f.expr(x.Lo).bits)
		}
		hi[i] = int64(f.expr(x.Hi).bits)
	}
	if f.depth++; f.depth == 1 {
		f.loop, f.turn = f.loop+1, 0
	}
	defer func() { f.depth-- }()
	var nest func(d int)
	nest = func(d int) {
		if d == len(vars) {
			if f.depth == 1 {
				f.turn++
			}
			visit()
			return
		}
		for i := lo[d]; i < hi[d]; i++ {
			f.vars[f.facts.Defs[vars[d]]] = number(types.Int, uint64(i))
			nest(d + 1)
		}
	}
	nest(0)
}
