package cpu

import (
	"slices"

	"github.com/gpugen/gpugen/ir"
)

// guards are the loops over the threads of a region that is one If: `if t < s { … }` needs no loop over the other
// threads, `if t == 0 { … }` none at all.
type guards struct {
	lo, hi []int64     // by dim
	bound  []*ir.Instr // by dim: the loop ends there if that is less; or nil
	minus  []*ir.Instr // by dim: what is taken off the bound; or nil
	cond   *ir.Instr   // what all threads have in common, around the loops; or nil
	rest   []*ir.Instr // conditions that stay
	before []*ir.Instr // values that stand in front of the If
	branch *ir.Instr
	gone   map[*ir.Instr]bool // conjunctions that were split
}

// guards are those of a region with the given instructions, nil if there are none.
func (t *threads) guards(instrs []*ir.Instr) *guards {
	branch := instrs[len(instrs)-1]
	if branch.Op != ir.OpIf || len(branch.Blocks[1].Instrs) > 0 {
		return nil
	}
	for _, in := range instrs[:len(instrs)-1] {
		if acts(in) || t.f.spill[in] != nil {
			return nil
		}
	}
	g := &guards{before: instrs[:len(instrs)-1], branch: branch, gone: map[*ir.Instr]bool{}}
	for _, d := range t.f.k.Group {
		g.lo, g.hi, g.bound, g.minus = append(g.lo, 0), append(g.hi, d.N), append(g.bound, nil), append(g.minus, nil)
	}
	found := false
	for _, c := range t.conditions(g, branch.Args[0], nil) {
		if t.shorten(g, c) {
			found = true
		} else {
			g.rest = append(g.rest, c)
		}
	}
	for d := range g.lo {
		if found = found && g.lo[d] < g.hi[d]; !found {
			return nil // no thread: as written
		}
	}
	return g
}

// conditions splits a conjunction whose right sides may be computed whatever the left ones are.
func (t *threads) conditions(g *guards, v *ir.Instr, list []*ir.Instr) []*ir.Instr {
	if !t.splits(v) {
		return append(list, v)
	}
	g.gone[v] = true
	return t.conditions(g, yielded(v.Blocks[0]), t.conditions(g, v.Args[0], list))
}

// splits reports such a conjunction. Nothing but what it is a condition of may use it, since it is gone then.
func (t *threads) splits(v *ir.Instr) bool {
	return v.Op == ir.OpCondAnd && t.f.home[v] == t.r && t.uses(v) == 1 && !slices.ContainsFunc(v.Blocks[0].Instrs, func(in *ir.Instr) bool {
		return in.Op != ir.OpYield && in.Op != ir.OpThread && !harmless(in) && !t.splits(in)
	})
}

// uses counts the uses of a value in the region.
func (t *threads) uses(v *ir.Instr) int {
	n := 0
	walk(t.r.instrs, func(in *ir.Instr) {
		for _, a := range in.Args {
			if a == v {
				n++
			}
		}
	})
	return n
}

// mirror is a comparison with its operands exchanged.
var mirror = map[ir.Op]ir.Op{ir.OpEq: ir.OpEq, ir.OpLt: ir.OpGt, ir.OpLe: ir.OpGe, ir.OpGt: ir.OpLt, ir.OpGe: ir.OpLe}

// shorten makes a condition part of the loops; false if it is no bound of a thread's index.
func (t *threads) shorten(g *guards, c *ir.Instr) bool {
	if t.f.home[c] == nil { // the whole block's
		if g.cond != nil {
			return false
		}
		g.cond = t.f.shown(c)
		return true
	}
	op, known := c.Op, mirror[c.Op] != 0
	if !known {
		return false
	}
	x, y := c.Args[0], c.Args[1]
	if t.f.home[x] == nil && x.Op != ir.OpThread {
		x, y, op = y, x, mirror[op]
	}
	var plus *ir.Instr // x is the thread's index and that
	if x.Op == ir.OpAdd && x.NoWrap {
		plus, x = x.Args[0], x.Args[1]
		if plus.Op == ir.OpThread {
			plus, x = x, plus
		}
	}
	if x.Op != ir.OpThread {
		return false
	}
	d := x.Dim
	switch {
	case plus != nil: // both are not negative, so that the difference does not overflow
		if op != ir.OpLt || g.bound[d] != nil || !t.blocks(plus) || !t.blocks(y) || !t.f.notNegative(plus) || !t.f.notNegative(y) {
			return false
		}
		g.bound[d], g.minus[d] = y, plus
		return true
	case y.IsConst():
		n := y.Int64()
		if n < -1 || n > ir.MaxGroup {
			return false
		}
		switch op {
		case ir.OpEq:
			g.lo[d], g.hi[d] = max(g.lo[d], n), min(g.hi[d], n+1)
		case ir.OpLt:
			g.hi[d] = min(g.hi[d], n)
		case ir.OpLe:
			g.hi[d] = min(g.hi[d], n+1)
		case ir.OpGt:
			g.lo[d] = max(g.lo[d], n+1)
		case ir.OpGe:
			g.lo[d] = max(g.lo[d], n)
		}
		return true
	case op == ir.OpLt && t.blocks(y) && g.bound[d] == nil:
		g.bound[d] = y
		return true
	}
	return false
}

// blocks reports a value that is computed once a block.
func (t *threads) blocks(v *ir.Instr) bool {
	return v.Op != ir.OpThread && (t.f.home[v] == nil || ir.Ops[v.Op].Class == ir.Leaf && v.Op != ir.OpIter)
}

// body is what is left of the region in the loops.
func (g *guards) body(t *threads) []*ir.Instr {
	before := slices.DeleteFunc(slices.Clone(g.before), func(in *ir.Instr) bool { return g.gone[in] })
	if len(g.rest) == 0 {
		return append(before, g.branch.Blocks[0].Instrs...)
	}
	w := ir.Builder{Block: &ir.Block{}, Pos: g.branch.Pos}
	cond := g.rest[0]
	for _, c := range g.rest[1:] {
		both := w.Cond(ir.OpCondAnd, cond)
		w.In(both.Blocks[0]).Yield(c)
		cond = both
	}
	branch := w.If(cond)
	branch.Blocks[0] = g.branch.Blocks[0]
	for _, in := range w.Block.Instrs {
		t.f.settle(t.r, in)
	}
	return append(before, w.Block.Instrs...)
}
