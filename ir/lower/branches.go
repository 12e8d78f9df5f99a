package lower

import (
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// leavable runs f with the builder in block, which belongs to a Range, Loop or Scope that branches to s leave or repeat.
func (b *body) leavable(s dsl.Stmt, block *ir.Block, f func()) {
	b.around = append(b.around, s)
	b.within(block, f)
	b.around = b.around[:len(b.around)-1]
}

// branch lowers `break` and `continue`; `fallthrough` is the switch's.
func (b *body) branch(s *dsl.BranchStmt) {
	if s.Word == "fallthrough" {
		return
	}
	to := b.facts.Branches[s]
	level := -1
	for i := len(b.around) - 1; i >= 0; i-- { // of the nested loops of `for j, k in …` a break leaves the outermost
		if b.around[i] == to && (level < 0 || s.Word == "break") {
			level = len(b.around) - 1 - i
		}
	}
	if level < 0 {
		unknown("branch", s)
	}
	op := ir.OpContinue
	if s.Word == "break" {
		op = ir.OpBreak
	}
	b.Exit(op, level)
}

// labeled lowers a statement with a label. Loops and switches are targets as they are; a block becomes a Scope.
func (b *body) labeled(s *dsl.LabeledStmt) {
	block, ok := s.Stmt.(*dsl.Block)
	if !ok {
		b.stmt(s.Stmt)
		return
	}
	b.Pos = s.Pos()
	b.leavable(block, b.Scope().Blocks[0], func() { b.stmts(block.Stmts) })
}

// switchStmt lowers a switch: the tag once, then the cases in order, each evaluated only if none before it is equal.
func (b *body) switchStmt(s *dsl.SwitchStmt) {
	if s.Init != nil {
		b.stmt(s.Init)
	}
	var tag *ir.Instr
	if s.Tag != nil {
		tag = b.expr(s.Tag)
	}
	b.Pos = s.Pos()
	b.leavable(s, b.Scope().Blocks[0], func() {
		if len(s.Cases) > maxChain || falls(s) {
			b.selected(s, tag)
			return
		}
		var rest *dsl.CaseClause
		for _, c := range s.Cases {
			if c.Default {
				rest = c
			}
		}
		b.clauses(s.Cases, rest, tag)
	})
}

// maxChain bounds how deep the branches of a switch nest.
const maxChain = 32

// falls reports whether a clause of s ends with `fallthrough`.
func falls(s *dsl.SwitchStmt) bool {
	for _, c := range s.Cases {
		if fallsThrough(c) {
			return true
		}
	}
	return false
}

// fallsThrough reports whether c ends with `fallthrough`, labelled or not.
func fallsThrough(c *dsl.CaseClause) bool {
	if len(c.Body) == 0 {
		return false
	}
	last := c.Body[len(c.Body)-1]
	for {
		l, ok := last.(*dsl.LabeledStmt)
		if !ok {
			break
		}
		last = l.Stmt
	}
	f, ok := last.(*dsl.BranchStmt)
	return ok && f.Word == "fallthrough"
}

// clauses lowers cases to `if … else if …`, and rest, the default clause, to the last else.
func (b *body) clauses(cases []*dsl.CaseClause, rest *dsl.CaseClause, tag *ir.Instr) {
	for len(cases) > 0 && cases[0].Default {
		cases = cases[1:]
	}
	if len(cases) == 0 {
		if rest != nil {
			b.stmts(rest.Body)
		}
		return
	}
	c := cases[0]
	hit := b.matches(c, tag)
	b.Pos = c.Pos()
	in := b.If(hit)
	b.within(in.Blocks[0], func() { b.stmts(c.Body) })
	b.within(in.Blocks[1], func() { b.clauses(cases[1:], rest, tag) })
}

// matches is the condition of a case: the tag equals one of its values or, without a tag, one of them is true.
func (b *body) matches(c *dsl.CaseClause, tag *ir.Instr) *ir.Instr {
	one := func(e dsl.Expr) *ir.Instr {
		v := b.expr(e)
		if tag == nil {
			return v
		}
		return b.At(e.Pos()).Bin(ir.OpEq, tag, v)
	}
	hit := one(c.Values[0])
	for _, e := range c.Values[1:] {
		b.Pos = e.Pos()
		or := b.Cond(ir.OpCondOr, hit)
		b.within(or.Blocks[0], func() { b.Yield(one(e)) })
		hit = or
	}
	return hit
}

// hidden makes a slot that no message speaks of.
func (b *body) hidden(name string, t types.Type) *ir.Local {
	l := b.local(name, t)
	l.Pos = diag.Pos{}
	return l
}

// selected lowers a switch with `fallthrough`, or one of many cases, in two steps that do not nest: a local gets the
// number of the clause, then each clause runs if it is its turn, and falls by passing the turn on.
func (b *body) selected(s *dsl.SwitchStmt, tag *ir.Instr) {
	turn := b.hidden("turn", types.Int32)
	number := func(i int) *ir.Instr { return b.Const(types.Int32, int64(i)) }
	rest := len(s.Cases) // without a default no clause has this number
	for i, c := range s.Cases {
		if c.Default {
			rest = i
		}
	}
	b.LocalSet(turn, number(rest))
	for i, c := range s.Cases {
		if c.Default {
			continue
		}
		b.Pos = c.Pos()
		open := b.If(b.Bin(ir.OpEq, b.LocalGet(turn), number(rest)))
		b.within(open.Blocks[0], func() {
			hit := b.matches(c, tag)
			b.Pos = c.Pos()
			b.within(b.If(hit).Blocks[0], func() { b.LocalSet(turn, number(i)) })
		})
	}
	for i, c := range s.Cases {
		b.Pos = c.Pos()
		mine := b.If(b.Bin(ir.OpEq, b.LocalGet(turn), number(i)))
		b.within(mine.Blocks[0], func() {
			b.stmts(c.Body)
			if fallsThrough(c) {
				b.LocalSet(turn, number(i+1))
			}
		})
	}
}
