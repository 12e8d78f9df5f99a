package lower

import (
	gconst "go/constant"
	"math"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// over lowers `for j, k in n, lo:hi` to nested counting loops, whose ends are evaluated before the first, and runs f in
// the innermost. The loops are what a branch to s leaves or repeats; s is nil for a comprehension. It gives the outermost.
func (b *body) over(s dsl.Stmt, vars []*dsl.Ident, extents []dsl.Extent, f func()) (outermost *ir.Instr) {
	pos := b.Pos
	lo, hi := make([]*ir.Instr, len(vars)), make([]*ir.Instr, len(vars))
	for i, x := range extents {
		if x.Lo != nil {
			lo[i] = b.expr(x.Lo)
		}
		hi[i] = b.expr(x.Hi)
		if lo[i] == nil {
			lo[i] = b.Const(hi[i].Kind(), 0)
		}
	}
	var nest func(d int)
	nest = func(d int) {
		if d == len(vars) {
			f()
			return
		}
		b.Pos = pos
		loop := b.Range(vars[d].Name, lo[d], hi[d], b.Const(hi[d].Kind(), 1))
		loop.Spread = len(vars) - d
		if d == 0 {
			outermost = loop
		}
		if d == len(vars)-1 { // `@unroll` means the innermost
			loop.Unroll = b.facts.Unroll[s]
		}
		b.leavable(s, loop.Blocks[0], func() {
			b.iterate(b.facts.Defs[vars[d]], loop.Blocks[0].Iter)
			nest(d + 1)
		})
	}
	before := len(*b.locals)
	nest(0)
	if b.byBlock && writesArray(outermost.Blocks[0], before) {
		for l := outermost; l != nil; {
			inner := l.Inner()
			l.Spread = 0
			l = inner
		}
	}
	return outermost
}

// writesArray reports whether b changes an array variable of the thread that is one of the first n locals. Only a function that
// takes it by reference has such a loop, which cannot be spread: each thread has an array of its own, and makes all of it.
func writesArray(b *ir.Block, n int) bool {
	found := false
	b.Walk(func(in *ir.Instr) {
		switch l := in.Local; in.Op {
		case ir.OpElemSet, ir.OpLocalSet:
			_, array := l.Type.(*types.Array)
			found = found || array && !l.Shared && l.ID < n
		}
	})
	return found
}

// foldOps are the comprehensions that one operation makes, from an element that it leaves alone.
var foldOps = map[string]ir.Op{"sum": ir.OpAdd, "prod": ir.OpMul, "min": ir.OpMin, "max": ir.OpMax}

// comprehension evaluates `sum(e for j in n)` and the like in sequence, in a local.
func (b *body) comprehension(e *dsl.CallExpr, name string) *ir.Instr {
	reduce, ok := ir.ReductionOf(name)
	if !ok {
		unknown("comprehension "+name, e)
	}
	each := func(f func(v *ir.Instr), in ...*ir.Local) {
		b.Pos = e.Pos()
		loop := b.over(nil, e.Comp.Vars, e.Comp.Extents, func() {
			v := b.expr(e.Comp.Elem)
			b.Pos = e.Pos()
			f(v)
		})
		if loop.Spread > 0 {
			loop.Reduce, loop.Outs = reduce, in
		}
		b.Pos = e.Pos()
	}
	switch name {
	case "argmin", "argmax":
		return b.argument(e, name == "argmin", each)
	case "any", "all":
		acc := b.hidden(name, types.Bool)
		b.LocalSet(acc, b.Bool(name == "all"))
		each(func(v *ir.Instr) {
			if name == "all" {
				v = b.Un(ir.OpLNot, v)
			}
			hit := b.In(b.If(v).Blocks[0])
			hit.LocalSet(acc, hit.Bool(name == "any"))
		}, acc)
		return b.LocalGet(acc)
	}
	kind := types.KindOf(b.facts.Values[e].Type)
	acc := b.hidden(name, kind)
	b.LocalSet(acc, b.neutral(name, kind))
	each(func(v *ir.Instr) { b.LocalSet(acc, b.arith(foldOps[name], b.LocalGet(acc), v)) }, acc)
	return b.LocalGet(acc)
}

// neutral is what a comprehension over nothing gives.
func (b *body) neutral(name string, k types.Kind) *ir.Instr {
	switch {
	case name == "sum":
		return b.small(k, 0)
	case name == "prod":
		return b.small(k, 1)
	case k.IsFloat():
		v := math.Inf(1)
		if name == "max" {
			v = math.Inf(-1)
		}
		return b.Float(k, v)
	case name == "min":
		return b.Bits(k, maxBits(k))
	}
	return b.Bits(k, minBits(k))
}

// minBits is the smallest value of an integer kind.
func minBits(k types.Kind) uint64 {
	if k.IsSigned() {
		return ir.IntBits(k, -1<<(k.Bits()-1))
	}
	return 0
}

// argument evaluates argmin and argmax: the first index whose element min or max would choose, or -1.
func (b *body) argument(e *dsl.CallExpr, least bool, each func(func(*ir.Instr), ...*ir.Local)) *ir.Instr {
	kind := types.KindOf(b.facts.Values[dsl.Unparen(e.Comp.Elem)].Type)
	at, best := b.hidden("at", types.Int), b.hidden("best", kind)
	acc := []*ir.Local{at, best}
	b.LocalSet(at, b.Int(-1))
	b.LocalSet(best, b.Zero(kind))
	none := func() *ir.Instr { return b.Bin(ir.OpLt, b.LocalGet(at), b.Int(0)) }
	if lo := e.Comp.Extents[0].Lo; lo != nil && !b.natural(lo) { // -1 may be an index
		found := b.hidden("found", types.Bool)
		acc = append(acc, found)
		b.LocalSet(found, b.Bool(false))
		none = func() *ir.Instr {
			first := b.Un(ir.OpLNot, b.LocalGet(found))
			b.LocalSet(found, b.Bool(true))
			return first
		}
	}
	each(func(v *ir.Instr) {
		better := b.Cond(ir.OpCondOr, none())
		b.within(better.Blocks[0], func() { b.Yield(b.better(least, v, b.LocalGet(best))) })
		hit := b.If(better)
		b.within(hit.Blocks[0], func() {
			b.LocalSet(at, b.index(b.values[b.facts.Defs[e.Comp.Vars[0]]][0]))
			b.LocalSet(best, v)
		})
	}, acc...)
	return b.LocalGet(at)
}

// natural reports a constant that is not negative.
func (b *body) natural(e dsl.Expr) bool {
	v := b.facts.Values[dsl.Unparen(e)].Const
	return v != nil && gconst.Sign(v) >= 0
}

// better reports whether min or max of two values is v and not as good as old: NaN wins over all, -0 < +0.
func (b *body) better(least bool, v, old *ir.Instr) *ir.Instr {
	op := ir.OpGt
	if least {
		op = ir.OpLt
	}
	less := b.Bin(op, v, old)
	k := v.Kind()
	if !k.IsFloat() {
		return less
	}
	or := func(x *ir.Instr, y func() *ir.Instr) *ir.Instr {
		in := b.Cond(ir.OpCondOr, x)
		b.within(in.Blocks[0], func() { b.Yield(y()) })
		return in
	}
	and := func(x *ir.Instr, y func() *ir.Instr) *ir.Instr {
		in := b.Cond(ir.OpCondAnd, x)
		b.within(in.Blocks[0], func() { b.Yield(y()) })
		return in
	}
	zeros := func() *ir.Instr {
		return and(b.Bin(ir.OpEq, v, old), func() *ir.Instr {
			one := b.Float(k, 1)
			return b.Bin(op, b.Bin(ir.OpCopysign, one, v), b.Bin(ir.OpCopysign, one, old))
		})
	}
	nan := func() *ir.Instr {
		return and(b.Bin(ir.OpNe, v, v), func() *ir.Instr { return b.Bin(ir.OpEq, old, old) })
	}
	return or(or(less, zeros), nan)
}

// shared declares shared variables; they are garbage until written.
func (b *body) shared(s *dsl.SharedStmt) {
	for _, id := range s.Names {
		if v := b.facts.Defs[id]; v != nil {
			for _, l := range b.declare(v) {
				l.Shared = true
			}
		}
	}
}

// thread is the index of the thread that v names, along a dim of the group.
func (b *body) thread(v *check.Var) *ir.Instr {
	in := b.Thread(v.Index)
	in.Name = v.Name
	return in
}
