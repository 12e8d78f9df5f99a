package pass

import (
	"iter"
	"math"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// narrowLimit bounds what the host grants a narrow kernel: every extent, every count of a domain's dim, the elements of
// every view and both ends of every span, negated too, are below 1<<31 - 1<<20. The slack lets index arithmetic pass
// the end by a block of threads times the points a thread, or by a folded grid, without leaving 32 bits.
const narrowLimit = 1<<31 - 1<<20 - 1

// ranges is what is known of the integers of a kernel: an interval of each, and linear inequalities between them that
// hold where control is. It is filled by walking the body in order; see [ranges.walk].
type ranges struct {
	kernel  *ir.Kernel
	limit   int64 // of extents
	spans   map[*ir.Instr]interval
	forms   map[*ir.Instr]form
	atoms   map[string]*atom    // by what they are: symbols, header expressions, shared operations
	keys    []string            // of atoms, in the order in which they were made
	values  map[*ir.Instr]*atom // of single instructions
	next    int                 // id of the next atom
	facts   []form              // each >= 0 here
	granted int                 // the first facts, which the header grants
	linear  map[*ir.Instr]form  // what modular found
	nonzero []form              // each != 0 here
	locals  map[*ir.Local]interval
}

// newRanges learns what holds before a kernel runs. It looks at every assignment once, so that a local integer is as
// narrow as what is assigned to it.
func newRanges(k *ir.Kernel) *ranges {
	r := fresh(k)
	sets := map[*ir.Local]interval{}
	r.walk(k.Body, func(in *ir.Instr) {
		if in.Op != ir.OpLocalSet || !in.Args[0].Kind().IsInteger() || in.Local.Shared { // a shared local is garbage at first
			return
		}
		v := r.span(in.Args[0])
		if old, ok := sets[in.Local]; ok {
			v = v.union(old)
		}
		sets[in.Local] = v
	})
	out := fresh(k)
	out.locals = sets
	return out
}

// fresh is a ranges that knows the header alone.
func fresh(k *ir.Kernel) *ranges {
	n := k.Body.Len()
	r := &ranges{
		kernel: k, limit: math.MaxInt64,
		spans: make(map[*ir.Instr]interval, n), forms: make(map[*ir.Instr]form, n),
		atoms: map[string]*atom{}, values: map[*ir.Instr]*atom{}, locals: map[*ir.Local]interval{}, linear: map[*ir.Instr]form{},
	}
	if k.Sched != nil && !k.Wide {
		r.limit = narrowLimit
	}
	for _, s := range k.Symbols {
		r.symbol(s.Name)
	}
	for _, p := range k.Params {
		for _, d := range p.Dims {
			f := r.header(d)
			r.facts = append(r.facts, f)
			r.grant(f)
		}
	}
	for _, d := range k.Domain {
		lo, hi := r.header(d.Lo), r.header(d.Hi)
		r.facts = append(r.facts, hi.plus(-1, lo).add(-1))
		r.grant(lo)
		r.grant(lo.times(-1))
		r.grant(hi)
		r.grant(hi.times(-1))
		r.grant(hi.plus(-1, lo))
	}
	for _, q := range k.Requires {
		r.assumeHeader(q.Cond)
	}
	r.granted = len(r.facts)
	r.indexes()
	return r
}

// indexes makes the atoms of points and threads, which are the same everywhere, wherever they are first met.
func (r *ranges) indexes() {
	known := func(op ir.Op, t types.Type, dims int) {
		for d := range dims {
			r.define(&ir.Instr{Op: op, Type: t, Dim: d})
		}
	}
	switch k := r.kernel; {
	case k.Sched == nil:
		known(ir.OpPoint, types.Int, len(k.Domain))
		known(ir.OpThread, types.Int, len(k.Group))
	case k.Wide:
		known(ir.OpBlockIdx, types.Int, 1)
		known(ir.OpThreadIdx, types.Int, 3)
	default:
		known(ir.OpBlockIdx, types.Int32, 1)
		known(ir.OpThreadIdx, types.Int32, 3)
	}
}

// grant adds that f is at most narrowLimit in a narrow kernel.
func (r *ranges) grant(f form) {
	if r.limit == narrowLimit && len(f.terms) > 0 {
		r.facts = append(r.facts, f.times(-1).add(narrowLimit))
	}
}

// newAtom makes an atom with the constant bounds of its interval.
func (r *ranges) newAtom(in *ir.Instr, span interval) *atom {
	a := &atom{id: r.next, in: in, span: span}
	r.next++
	return a
}

// named is the atom of a key, made with the interval when it is new; it reports whether it is.
func (r *ranges) named(key string, in *ir.Instr, span interval) (*atom, bool) {
	if a := r.atoms[key]; a != nil {
		return a, false
	}
	a := r.newAtom(in, span)
	r.atoms[key] = a
	r.keys = append(r.keys, key)
	return a, true
}

// symbol is the form of a name in a header: an extent, or an int parameter, which is bounded when it is an extent.
func (r *ranges) symbol(name string) form {
	span := fullOf(types.Int)
	for _, s := range r.kernel.Symbols {
		if s.Name == name {
			span = interval{0, r.limit, false}
		}
	}
	for _, p := range r.kernel.Params {
		for _, d := range p.Dims {
			if d.Op == types.HSym && d.Name == name {
				span = interval{0, r.limit, false}
			}
		}
	}
	a, _ := r.named(name, nil, span)
	return atomForm(a)
}

// header is the form of a header expression, whose arithmetic the host has found not to overflow.
func (r *ranges) header(h *types.Header) form {
	switch h.Op {
	case types.HConst:
		return constForm(h.Val)
	case types.HSym:
		return r.symbol(h.Name)
	case types.HNeg:
		return r.header(h.X).times(-1)
	case types.HAdd:
		return r.header(h.X).plus(1, r.header(h.Y))
	case types.HSub:
		return r.header(h.X).plus(-1, r.header(h.Y))
	}
	x, y := r.header(h.X), r.header(h.Y)
	if h.Op == types.HCeilDiv { // as lowering computes it: x/y + (x%y > 0)
		a, made := r.named("ceildiv "+x.key()+" "+y.key(), nil, ceilSpan(r.spanOf(x), r.spanOf(y)))
		if made && y.isConst() && y.c > 0 && r.nonneg(x) {
			a.lower = []bound{{y.c, []form{x}}}
			a.upper = []bound{{y.c, []form{x.add(y.c - 1)}}}
		}
		return atomForm(a)
	}
	span := fullOf(types.Int)
	if v, ok := exactBinary(headerOps[h.Op], types.Int, r.spanOf(x), r.spanOf(y)); ok {
		span = v.within(span)
	}
	return r.operation(headerOps[h.Op], x, y, nil, span)
}

// spanOf is the interval of a form of ints by the intervals of its atoms.
func (r *ranges) spanOf(f form) interval {
	out := fullOf(types.Int)
	if lo, ok := r.least(f); ok {
		out.lo = lo
	}
	if hi, ok := r.most(f); ok {
		out.hi = hi
	}
	return out
}

// ceilSpan is the interval of a quotient rounded up; the host has found the divisor positive.
func ceilSpan(x, y interval) interval {
	y = interval{max(y.lo, 1), max(y.hi, 1), false}
	out, _ := corners(x, y, func(a, b int64) (int64, bool) {
		q := a / b
		if a%b > 0 {
			q++
		}
		return q, true
	})
	return out
}

// headerOps maps operators of headers to the operations that compute them.
var headerOps = map[types.HeaderOp]ir.Op{
	types.HMul: ir.OpMul, types.HDiv: ir.OpDiv, types.HRem: ir.OpRem, types.HMin: ir.OpMin, types.HMax: ir.OpMax,
}

// span is the interval of an integer value that stands before the place where control is, by its definition and by the
// inequalities that hold here.
func (r *ranges) span(v *ir.Instr) interval {
	s, ok := r.spans[v]
	f := r.forms[v]
	if !ok {
		return fullOf(v.Kind())
	}
	if f.isConst() {
		return s
	}
	for g := range r.relevant() { // f - g <= f <= f + g
		if lo, ok := f.leastWith(1, -1, g); ok {
			s = s.within(interval{lo, math.MaxInt64, true})
		}
		if lo, ok := f.leastWith(-1, -1, g); ok && lo != math.MinInt64 {
			s = s.within(interval{math.MinInt64, -lo, false})
		}
	}
	return s
}

// factWindow bounds how many facts a question looks at, so that a thousand nested branches cost no million.
const factWindow = 48

// relevant gives the newest facts, newest first, then those of the header.
func (r *ranges) relevant() iter.Seq[form] {
	return func(yield func(form) bool) {
		oldest := max(len(r.facts)-factWindow, r.granted)
		for i := len(r.facts) - 1; i >= oldest; i-- {
			if !yield(r.facts[i]) {
				return
			}
		}
		for _, g := range r.facts[:min(r.granted, len(r.facts))] {
			if !yield(g) {
				return
			}
		}
	}
}

// most is the largest value of f by the intervals of its atoms.
func (r *ranges) most(f form) (int64, bool) {
	lo, ok := r.least(f.times(-1))
	if !ok || lo == math.MinInt64 {
		return 0, false
	}
	return -lo, true
}

// least is the smallest value of f by the intervals of its atoms.
func (r *ranges) least(f form) (int64, bool) {
	if f.bad {
		return 0, false
	}
	sum, ok := f.c, true
	for _, t := range f.terms {
		if sum, ok = t.least(sum); !ok {
			return 0, false
		}
	}
	return sum, true
}

// least is the smallest value of sum and the term, by the interval of its atom.
func (t term) least(sum int64) (int64, bool) {
	end := t.a.span.lo
	if t.k < 0 {
		if t.a.span.open {
			return 0, false
		}
		end = t.a.span.hi
	}
	p, ok := mulOK(t.k, end)
	if !ok {
		return 0, false
	}
	return addOK(sum, p)
}

// leastWith is the smallest value of j·f + k·g, for which no form is made: it is what compiling asks most.
func (f form) leastWith(j, k int64, g form) (int64, bool) {
	if f.bad || g.bad {
		return 0, false
	}
	c, ok := mulOK(j, f.c)
	d, ok2 := mulOK(k, g.c)
	sum, ok3 := addOK(c, d)
	ok = ok && ok2 && ok3
	for i, n := 0, 0; ok && (i < len(f.terms) || n < len(g.terms)); {
		var t term
		switch {
		case n == len(g.terms) || i < len(f.terms) && f.terms[i].a.id < g.terms[n].a.id:
			t.a = f.terms[i].a
			t.k, ok = mulOK(j, f.terms[i].k)
			i++
		case i == len(f.terms) || g.terms[n].a.id < f.terms[i].a.id:
			t.a = g.terms[n].a
			t.k, ok = mulOK(k, g.terms[n].k)
			n++
		default:
			t.a = f.terms[i].a
			if c, ok = mulOK(j, f.terms[i].k); ok {
				if d, ok = mulOK(k, g.terms[n].k); ok {
					t.k, ok = addOK(c, d)
				}
			}
			i, n = i+1, n+1
		}
		if ok && t.k != 0 {
			sum, ok = t.least(sum)
		}
	}
	return sum, ok
}
