package pass

import (
	"fmt"

	"github.com/gpugen/gpugen/ir"
)

// An index that is linear in the index of a loop is in range in all iterations if it is in the first and in the last one.
// A loop with such accesses becomes two: where the tests of both ends hold, one that makes them no more, and one that
// makes them each time. Tests of single accesses cost 18 to 54 % of a kernel's time, those in front of a loop next to
// nothing.
//
// Between the ends nothing may wrap. An index a*i + b with |a| <= 2^30 moves by less than 2^62 while i stays within 2^31 of
// zero, which is tested unless it is known, and where the index of the first iteration is not above that of the last (a >= 0),
// it has not wrapped on the way.
const (
	maxCoefficient = 1 << 30
	maxIndex       = 1 << 31
	maxHoisted     = 400 // instructions of a loop that is copied
)

// loop gives what stands for a Range.
func (c *checker) loop(in *ir.Instr) []*ir.Instr {
	h := c.hoist(in)
	if h == nil {
		c.block(in.Blocks[0])
		return []*ir.Instr{in}
	}
	w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
	branch := w.If(h.tests(w))
	w.Block.Instrs = append(h.before, w.Block.Instrs...)
	cl := ir.NewCloner()
	fast := cl.Instr(in)
	for old, now := range cl.Values {
		if h.proved[old] {
			now.InBounds = true
		} else if n := c.needs[old]; n != nil {
			c.needs[now] = n
		}
	}
	branch.Blocks[0].Add(fast)
	branch.Blocks[1].Add(in)
	c.block(fast.Blocks[0])
	c.block(in.Blocks[0])
	return w.Block.Instrs
}

// hoister makes the tests of a loop.
type hoister struct {
	*checker
	loop   *ir.Instr
	iter   *ir.Instr
	inside map[*ir.Instr]bool // what the loop defines
	sets   map[*ir.Local]bool // what it assigns
	list   []*ir.Instr        // the accesses whose tests move, in order
	proved map[*ir.Instr]bool // the same
	before []*ir.Instr        // values in front of the loop
}

// hoist looks for accesses whose tests can be made in front of a loop; nil where that is not worth it: the loop is long,
// threads meet in it, or a loop inside has accesses of its own to make tests for.
func (c *checker) hoist(in *ir.Instr) *hoister {
	h := &hoister{checker: c, loop: in, iter: in.Blocks[0].Iter, inside: map[*ir.Instr]bool{}, sets: map[*ir.Local]bool{}, proved: map[*ir.Instr]bool{}}
	ends, ok := c.loops[in]
	if step := in.Args[2]; !ok || !step.IsConst() || step.Int64() <= 0 || ends.lo.open || ends.hi.open {
		return nil
	}
	n := 0
	worth := true
	in.Blocks[0].Walk(func(x *ir.Instr) {
		n++
		h.inside[x] = true
		for _, b := range x.Blocks {
			if b.Iter != nil {
				h.inside[b.Iter] = true
			}
		}
		switch {
		case x.Op == ir.OpLocalSet, x.Op == ir.OpElemSet:
			h.sets[x.Local] = true
		case x.Op == ir.OpBarrier, ir.Ops[x.Op].Class == ir.Collective:
			worth = false
		case x.Op == ir.OpRange:
			x.Blocks[0].Walk(func(y *ir.Instr) { worth = worth && (c.needs[y] == nil || len(c.needs[y].sides) == 0) })
		}
		if need := c.needs[x]; need != nil && len(need.sides) > 0 && h.linear(x, need.sides) {
			h.list = append(h.list, x)
			h.proved[x] = true
		}
	})
	if !worth || n > maxHoisted || len(h.list) == 0 {
		return nil
	}
	return h
}

// linear reports whether all indexes to be tested are linear in the loop's index.
func (h *hoister) linear(in *ir.Instr, sides []side) bool {
	for _, s := range sides {
		if _, ok := h.coefficient(in.Args[s.dim]); !ok {
			return false
		}
	}
	return true
}

// coefficient is a of a value a*i + b, where i is the loop's index and b does not change in the loop.
func (h *hoister) coefficient(v *ir.Instr) (a int64, ok bool) {
	switch {
	case v == h.iter:
		return 1, true
	case !h.inside[v]:
		return 0, true
	case h.needs[v] != nil: // it may fail, which an iteration that does not run must not report
		return 0, false
	}
	long := v.Kind().IsSigned() && v.Kind().Bits() == 64
	sum := func(sign int64) (int64, bool) {
		x, okX := h.coefficient(v.Args[0])
		y, okY := h.coefficient(v.Args[1])
		a := x + sign*y
		return a, okX && okY && (long || x == 0 && y == 0) && -maxCoefficient <= a && a <= maxCoefficient
	}
	switch info := ir.Ops[v.Op]; {
	case v.Op == ir.OpIter:
		return 0, false
	case info.Class == ir.Leaf:
		return 0, true
	case v.Op == ir.OpLocalGet:
		return 0, !v.Local.Shared && !h.sets[v.Local]
	case v.Op == ir.OpAdd:
		return sum(1)
	case v.Op == ir.OpSub:
		return sum(-1)
	case v.Op == ir.OpMul:
		for i, x := range v.Args {
			if !x.IsConst() || !x.Kind().IsInteger() {
				continue
			}
			k, other := x.Int64(), v.Args[1-i]
			a, ok := h.coefficient(other)
			if !ok || a != 0 && (!long || k < -maxCoefficient || k > maxCoefficient || a*k < -maxCoefficient || a*k > maxCoefficient) {
				return 0, false
			}
			return a * k, true
		}
	case v.Op == ir.OpConv:
		from := v.Args[0].Kind()
		if a, ok = h.coefficient(v.Args[0]); a != 0 { // every number of a narrower type, and every one of this
			ok = ok && long && from.IsInteger() && (from.Bits() < 64 || from.IsSigned())
		}
		return a, ok
	}
	if ir.Ops[v.Op].Class != ir.Pure {
		return 0, false
	}
	for _, x := range v.Args {
		if a, ok := h.coefficient(x); !ok || a != 0 {
			return 0, false
		}
	}
	return 0, true
}

// tests gives the conjunction of all tests of the loop; what they compute stands in front.
func (h *hoister) tests(w ir.Builder) *ir.Instr {
	front := &ir.Block{}
	f := w.In(front)
	k := h.iter.Kind()
	lo, hi, step := h.loop.Args[0], h.loop.Args[1], h.loop.Args[2]
	last := f.Bin(ir.OpSub, hi, f.Const(k, 1))
	if step.Int64() != 1 {
		count := f.Bin(ir.OpDiv, f.Bin(ir.OpSub, last, lo), f.Const(k, step.Int64()))
		last = f.Bin(ir.OpAdd, lo, f.Bin(ir.OpMul, count, f.Const(k, step.Int64())))
	}
	first, end := h.values(f, lo), h.values(f, last)
	var tests []func(ir.Builder) *ir.Instr
	test := func(op ir.Op, x, y *ir.Instr) {
		tests = append(tests, func(w ir.Builder) *ir.Instr { return w.Bin(op, x, y) })
	}
	seen := map[string]bool{}
	moves := false
	for _, in := range h.list {
		for _, s := range h.needs[in].sides {
			x := in.Args[s.dim]
			what := fmt.Sprintf("%s %v %p", memory(in, s.dim), s, x)
			if seen[what] {
				continue
			}
			seen[what] = true
			a, _ := h.coefficient(x)
			least, most := first(x), end(x)
			if a < 0 {
				least, most = most, least
			}
			if s.lo {
				test(ir.OpGe, least, f.Int(0))
			}
			if a != 0 {
				moves = true
				test(ir.OpLe, least, most)
			}
			if s.hi {
				test(ir.OpLt, most, h.extent(f, in, s.dim))
			}
		}
	}
	if ends := h.loops[h.loop]; moves && k.Bits() == 64 {
		if ends.lo.lo < -maxIndex {
			test(ir.OpGe, lo, f.Const(k, -maxIndex))
		}
		if ends.hi.hi > maxIndex {
			test(ir.OpLe, hi, f.Const(k, maxIndex))
		}
	}
	h.before = front.Instrs
	ok := tests[0](f)
	h.before = front.Instrs
	for _, t := range tests[1:] {
		in := w.Cond(ir.OpCondAnd, ok)
		y := w.In(in.Blocks[0])
		y.Yield(t(y))
		ok = in
	}
	return ok
}

// values gives a function that computes in front of the loop what a value is in the iteration with that index.
func (h *hoister) values(w ir.Builder, index *ir.Instr) func(v *ir.Instr) *ir.Instr {
	made := map[*ir.Instr]*ir.Instr{h.iter: index}
	var at func(v *ir.Instr) *ir.Instr
	at = func(v *ir.Instr) *ir.Instr {
		if !h.inside[v] && v != h.iter {
			return h.to.of(v)
		}
		if m := made[v]; m != nil {
			return m
		}
		c := *v
		c.Name, c.NoWrap = "", false // what is proved within the loop may not hold in front of one that does not run
		c.Args = make([]*ir.Instr, len(v.Args))
		for i, a := range v.Args {
			c.Args[i] = at(a)
		}
		made[v] = w.Block.Add(&c)
		return &c
	}
	return at
}
