package lower

import (
	gconst "go/constant"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// forRange lowers `for i := range n`, `for i = range n` and `for range n`.
func (b *body) forRange(s *dsl.ForRangeStmt) {
	n := b.expr(s.N)
	b.Pos = s.Pos()
	name := ""
	if s.Var != nil && s.Var.Name != "_" {
		name = s.Var.Name
	}
	loop := b.Range(name, b.Const(n.Kind(), 0), n, b.Const(n.Kind(), 1))
	loop.Unroll = b.facts.Unroll[s]
	iter := loop.Blocks[0].Iter
	b.leavable(s, loop.Blocks[0], func() {
		switch {
		case s.Var == nil || s.Var.Name == "_":
		case s.Assign == ":=":
			b.iterate(b.facts.Defs[s.Var], iter)
		default:
			b.LocalSet(b.vars[b.facts.Uses[s.Var]][0], iter)
		}
		b.stmts(s.Body.Stmts)
	})
}

// iterate binds a loop's variable to its index; a variable that the body assigns gets a slot of its own, as in Go.
func (b *body) iterate(v *check.Var, iter *ir.Instr) {
	if v == nil {
		return
	}
	if v.Assigned {
		b.LocalSet(b.declare(v)[0], iter)
		return
	}
	b.values[v] = []*ir.Instr{iter}
}

// forIn lowers `for j, k in n, lo:hi`.
func (b *body) forIn(s *dsl.ForInStmt) {
	b.over(s, s.Vars, s.Extents, func() { b.stmts(s.Body.Stmts) })
}

func (b *body) forStmt(s *dsl.ForStmt) {
	if b.counting(s) {
		return
	}
	if s.Init != nil {
		b.stmt(s.Init)
	}
	b.Pos = s.Pos()
	loop := b.Loop()
	loop.Unroll = b.facts.Unroll[s]
	if s.Cond != nil {
		b.within(loop.Blocks[0], func() { b.Yield(b.expr(s.Cond)) })
	}
	b.leavable(s, loop.Blocks[1], func() { b.stmts(s.Body.Stmts) })
	if s.Post != nil {
		b.within(loop.Blocks[2], func() { b.stmt(s.Post) })
	}
}

// counting lowers `for i := lo; i < hi; i++` to a Range, and for a constant hi also `i <= hi` and `i += step`, if hi cannot
// change in the loop and the body does not assign i; it reports whether it did.
func (b *body) counting(s *dsl.ForStmt) bool {
	init, ok := s.Init.(*dsl.DefineStmt)
	if !ok || len(init.Names) != 1 || len(init.Values) != 1 {
		return false
	}
	v := b.facts.Defs[init.Names[0]]
	cond, ok := dsl.Unparen(s.Cond).(*dsl.BinaryExpr)
	if v == nil || !ok || cond.Op != "<" && cond.Op != "<=" || !b.is(cond.X, v) || !b.invariant(cond.Y) || b.assigns(s.Body, v) {
		return false
	}
	k := types.KindOf(v.Type)
	if !k.IsInteger() {
		return false
	}
	step, ok := b.increment(s.Post, v, k)
	if !ok {
		return false
	}
	if last := b.facts.Values[cond.Y].Const; last == nil && (cond.Op == "<=" || step != 1) ||
		last != nil && !b.before(k, bitsOf(k, last), cond.Op, step) { // the index behind the last may not exist, and Go counts on from the lowest
		return false
	}
	lo := b.expr(init.Values[0])
	hi := b.expr(cond.Y)
	if cond.Op == "<=" {
		hi = b.Const(k, hi.Int64()+1)
	}
	b.Pos = s.Pos()
	loop := b.Range(v.Name, lo, hi, b.Bits(k, step))
	loop.Unroll = b.facts.Unroll[s]
	b.values[v] = []*ir.Instr{loop.Blocks[0].Iter}
	b.leavable(s, loop.Blocks[0], func() { b.stmts(s.Body.Stmts) })
	return true
}

// maxBits is the largest value of an integer kind.
func maxBits(k types.Kind) uint64 {
	if k.IsSigned() {
		return 1<<(k.Bits()-1) - 1
	}
	return 1<<(k.Bits()-1)<<1 - 1
}

// is reports whether e is the variable v.
func (b *body) is(e dsl.Expr, v *check.Var) bool {
	id, ok := dsl.Unparen(e).(*dsl.Ident)
	return ok && b.facts.Uses[id] == v
}

// increment is the step of `v++` and of `v += step` for a positive constant.
func (b *body) increment(s dsl.SimpleStmt, v *check.Var, k types.Kind) (uint64, bool) {
	switch s := s.(type) {
	case *dsl.IncDecStmt:
		return 1, s.Op == "++" && b.is(s.X, v)
	case *dsl.AssignStmt:
		if s.Op != "+" || !b.is(s.Targets[0], v) {
			return 0, false
		}
		if c := b.facts.Values[s.Values[0]].Const; c != nil && gconst.Sign(c) > 0 {
			return bitsOf(k, c), true
		}
	}
	return 0, false
}

// before reports whether every index up to the constant hi, plus step, is a value of kind k.
func (b *body) before(k types.Kind, hi uint64, op string, step uint64) bool {
	room := maxBits(k) - hi // of what a signed kind holds too: hi is below its largest value
	if op == "<" && step == 1 {
		return true
	}
	if op == "<" {
		step--
	}
	return step <= room
}

// assigns reports whether a statement in n changes v.
func (b *body) assigns(n dsl.Node, v *check.Var) bool {
	found := false
	dsl.Walk(n, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.AssignStmt:
			for _, t := range n.Targets {
				found = found || b.is(t, v)
			}
		case *dsl.DefineStmt:
			for _, id := range n.Names {
				found = found || b.facts.Uses[id] == v
			}
		case *dsl.IncDecStmt:
			found = found || b.is(n.X, v)
		case *dsl.ForRangeStmt:
			found = found || n.Var != nil && b.facts.Uses[n.Var] == v
		}
		return !found
	})
	return found
}

// invariant reports whether e is built from constants and variables that never change.
func (b *body) invariant(e dsl.Expr) bool {
	e = dsl.Unparen(e)
	if b.facts.Values[e].Const != nil {
		return true
	}
	switch e := e.(type) {
	case *dsl.Ident:
		v := b.facts.Uses[e]
		switch {
		case v == nil:
			return false
		case v.Kind == check.LocalVar, v.Kind == check.IterVar, v.Kind == check.SharedVar:
			return b.vars[v] == nil && b.values[v] != nil
		}
		return true
	case *dsl.SelectorExpr:
		return b.invariant(e.X)
	case *dsl.BinaryExpr:
		return b.invariant(e.X) && b.invariant(e.Y)
	case *dsl.CallExpr:
		return b.facts.Calls[e].Kind == check.BuiltinCall && b.facts.Calls[e].Builtin == "len"
	}
	return false
}
