package pass

import (
	"math"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// walk visits the instructions of b in order, outer before inner, each with the facts that hold where it stands: the
// conditions of the branches around it, the ranges of loops, and what an earlier branch that leaves has ruled out.
// Values are immutable, so a fact about them holds as long as its values are in scope.
func (r *ranges) walk(b *ir.Block, visit func(*ir.Instr)) {
	defer r.scope()()
	for _, in := range b.Instrs {
		r.define(in)
		visit(in)
		switch in.Op {
		case ir.OpIf:
			c := in.Args[0]
			r.under(c, true, in.Blocks[0], visit)
			r.under(c, false, in.Blocks[1], visit)
			if leaves(in.Blocks[0]) {
				r.assume(c, false)
			} else if leaves(in.Blocks[1]) {
				r.assume(c, true)
			}
		case ir.OpCondAnd:
			r.under(in.Args[0], true, in.Blocks[0], visit)
		case ir.OpCondOr:
			r.under(in.Args[0], false, in.Blocks[0], visit)
		case ir.OpRange:
			r.loop(in, visit)
		case ir.OpLoop:
			r.walk(in.Blocks[0], visit)
			r.under(yielded(in.Blocks[0]), true, in.Blocks[1], visit)
			r.walk(in.Blocks[2], visit)
		default:
			for _, c := range in.Blocks {
				r.walk(c, visit)
			}
		}
	}
}

// scope gives a function that forgets the facts, and the shared atoms, that were added since.
func (r *ranges) scope() func() {
	facts, nonzero, keys := len(r.facts), len(r.nonzero), len(r.keys)
	return func() {
		r.facts, r.nonzero = r.facts[:facts], r.nonzero[:nonzero]
		for _, k := range r.keys[keys:] {
			delete(r.atoms, k)
		}
		r.keys = r.keys[:keys]
	}
}

// under walks b with the condition c, which may be nil, true or false.
func (r *ranges) under(c *ir.Instr, truth bool, b *ir.Block, visit func(*ir.Instr)) {
	defer r.scope()()
	if c != nil {
		r.assume(c, truth)
	}
	r.walk(b, visit)
}

// loop walks the body of a Range: lo <= index < hi.
func (r *ranges) loop(in *ir.Instr, visit func(*ir.Instr)) {
	defer r.scope()()
	iter := in.Blocks[0].Iter
	lo, hi := r.form(in.Args[0]), r.form(in.Args[1])
	span := r.span(in.Args[0]).union(r.span(in.Args[1]))
	span.lo = r.span(in.Args[0]).lo
	if !span.open && span.hi > span.lo {
		span.hi--
	}
	if l, h, s := r.span(in.Args[0]), r.span(in.Args[1]), in.Args[2]; l.lo == l.hi && h.lo == h.hi && l.lo < h.lo && !l.open && !h.open && s.IsConst() && s.Int64() > 0 {
		if d, ok := addOK(h.lo-1, -l.lo); ok && l.lo > math.MinInt64 { // the last index that the step reaches
			span.hi = l.lo + d/s.Int64()*s.Int64()
		}
	}
	r.spans[iter] = span
	f := r.opaque(iter, span)
	r.forms[iter] = f
	r.fact(f.plus(-1, lo))
	r.fact(hi.plus(-1, f).add(-1))
	r.walk(in.Blocks[0], visit)
}

// yielded is the value that a block gives, nil for an empty block.
func yielded(b *ir.Block) *ir.Instr {
	if len(b.Instrs) == 0 {
		return nil
	}
	return b.Instrs[len(b.Instrs)-1].Args[0]
}

// fact adds f >= 0.
func (r *ranges) fact(f form) {
	if !f.bad {
		r.facts = append(r.facts, f)
	}
}

// assume adds what the truth of a bool says about integers.
func (r *ranges) assume(c *ir.Instr, truth bool) {
	switch {
	case c.Op == ir.OpLNot:
		r.assume(c.Args[0], !truth)
	case c.Op == ir.OpCondAnd && truth, c.Op == ir.OpCondOr && !truth:
		r.assume(c.Args[0], truth)
		r.assume(yielded(c.Blocks[0]), truth)
	case c.Op.IsCompare() && c.Args[0].Kind().IsInteger():
		op := c.Op
		if !truth {
			op = inverse[op]
		}
		r.relation(op, r.form(c.Args[0]), r.form(c.Args[1]))
	}
}

// relation adds x op y.
func (r *ranges) relation(op ir.Op, x, y form) {
	d := y.plus(-1, x)
	switch op {
	case ir.OpLt:
		r.fact(d.add(-1))
	case ir.OpLe:
		r.fact(d)
	case ir.OpGt:
		r.fact(d.times(-1).add(-1))
	case ir.OpGe:
		r.fact(d.times(-1))
	case ir.OpEq:
		r.fact(d)
		r.fact(d.times(-1))
	case ir.OpNe:
		switch {
		case d.bad:
		case r.nonneg(d):
			r.fact(d.add(-1))
		case r.nonneg(d.times(-1)):
			r.fact(d.times(-1).add(-1))
		default:
			r.nonzero = append(r.nonzero, d)
		}
	}
}

// headerRelations maps relations of `requires` to comparisons.
var headerRelations = map[types.HeaderOp]ir.Op{
	types.HEq: ir.OpEq, types.HNe: ir.OpNe, types.HLt: ir.OpLt, types.HLe: ir.OpLe, types.HGt: ir.OpGt, types.HGe: ir.OpGe,
}

// assumeHeader adds a relation that the host tested.
func (r *ranges) assumeHeader(h *types.Header) {
	if h.Op == types.HAnd {
		r.assumeHeader(h.X)
		r.assumeHeader(h.Y)
	} else if op, ok := headerRelations[h.Op]; ok && !h.X.IsBool() {
		r.relation(op, r.header(h.X), r.header(h.Y))
	}
}

// proofSteps and proofDepth bound a proof.
const (
	proofSteps = 400
	proofDepth = 12
)

// nonneg reports whether f >= 0 is proved here: by one fact and intervals, or by a search.
func (r *ranges) nonneg(f form) bool {
	if lo, ok := r.least(f); ok && lo >= 0 {
		return true
	}
	for g := range r.relevant() { // most often a guard says it all
		if lo, ok := f.leastWith(1, -1, g); ok && lo >= 0 {
			return true
		}
	}
	steps := proofSteps
	return r.prove(f, proofDepth, &steps)
}

// prove replaces the latest atom of f by a bound until intervals decide. An atom with a positive coefficient is replaced
// by something that it is at least, so that f shrinks; one with a negative coefficient by something that it is at most.
func (r *ranges) prove(f form, depth int, steps *int) bool {
	if lo, ok := r.least(f); ok && lo >= 0 {
		return true
	}
	if *steps--; f.bad || len(f.terms) == 0 || depth == 0 || *steps < 0 {
		return false
	}
	for i := len(f.terms) - 1; i >= 0; i-- {
		t := f.terms[i]
		for _, b := range r.bounds(t.a, t.k > 0) {
			if r.replaced(f, t, b, depth, steps) {
				return true
			}
		}
	}
	return false
}

// replaced proves f with the term t replaced by the bound.
func (r *ranges) replaced(f form, t term, b bound, depth int, steps *int) bool {
	rest := f.plus(-t.k, atomForm(t.a)).times(b.k)
	return !slices.ContainsFunc(b.all, func(g form) bool {
		return !r.prove(rest.plus(t.k, g), depth-1, steps)
	})
}

// bounds lists what bounds an atom from below or above: by its definition, then by the facts that mention it.
func (r *ranges) bounds(a *atom, lower bool) []bound {
	out := a.upper
	if lower {
		out = a.lower
	}
	out = slices.Clip(out)
	for g := range r.relevant() {
		k := g.coefficient(a)
		switch { // g = k·a + rest >= 0
		case k > 0 && lower:
			out = append(out, bound{k, []form{g.plus(-k, atomForm(a)).times(-1)}})
		case k < 0 && !lower:
			out = append(out, bound{-k, []form{g.plus(-k, atomForm(a))}})
		}
	}
	return out
}

// notZero reports whether v is proved not to be zero here.
func (r *ranges) notZero(v *ir.Instr) bool {
	if d := r.span(v); d.lo > 0 || !d.open && d.hi < 0 {
		return true
	}
	f := r.form(v)
	for _, g := range r.nonzero {
		if z, n := f.plus(-1, g), f.plus(1, g); z.isConst() && z.c == 0 || n.isConst() && n.c == 0 {
			return true
		}
	}
	return r.nonneg(f.add(-1)) || r.nonneg(f.times(-1).add(-1))
}
