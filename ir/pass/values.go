package pass

import (
	"math"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// define learns the interval and the form of an integer value where it is defined. Both hold wherever it is in scope.
func (r *ranges) define(in *ir.Instr) {
	k := in.Kind()
	if !k.IsInteger() {
		return
	}
	exact, fits := r.exact(in)
	span := fullOf(k)
	switch {
	case fits && exact.fits(k):
		span = exact
	case fits && in.NoWrap:
		span = exact.within(span)
	}
	r.spans[in] = span
	r.forms[in] = r.formOf(in, span, fits && exact.fits(k) || in.NoWrap)
}

// exact is the interval of the exact result of in, if one is known; the result itself may have wrapped.
func (r *ranges) exact(in *ir.Instr) (interval, bool) {
	k := in.Kind()
	switch in.Op {
	case ir.OpConst:
		if v := in.Int64(); k != types.Uint64 || v >= 0 {
			return interval{v, v, false}, true
		}
		return fullOf(k), true
	case ir.OpParamGet:
		if k == types.Int {
			return r.symbol(in.Param.Name).terms[0].a.span, true
		}
		return fullOf(k), true
	case ir.OpExtent:
		return interval{0, r.limit, false}, true
	case ir.OpPoint:
		d := r.kernel.Domain[in.Dim]
		return r.between(r.header(d.Lo), r.header(d.Hi)), true
	case ir.OpLane:
		return interval{0, ir.Subgroup - 1, false}, true
	case ir.OpSubgroup:
		return interval{0, r.kernel.GroupSize()/ir.Subgroup - 1, false}, true
	case ir.OpThread:
		return interval{0, r.kernel.Group[in.Dim].N - 1, false}, true
	case ir.OpBlockIdx:
		if count, ok := r.launched(in); ok {
			return r.between(constForm(0), count), true
		}
		return interval{0, math.MaxInt32, false}, true
	case ir.OpThreadIdx:
		return interval{0, int64(r.kernel.Sched.Block[in.Dim]) - 1, false}, true
	case ir.OpGridDim:
		return interval{1, math.MaxInt32, false}, true
	case ir.OpLocalGet:
		if s, ok := r.locals[in.Local]; ok {
			return s, true
		}
		return fullOf(k), true
	case ir.OpTableGet:
		return tableSpan(in), true
	case ir.OpSelect:
		return r.span(in.Args[1]).union(r.span(in.Args[2])), true
	case ir.OpConv:
		if from := in.Args[0].Kind(); from.IsInteger() {
			return r.span(in.Args[0]), true
		}
		return interval{}, false
	}
	if ir.Ops[in.Op].Class != ir.Pure || ir.Ops[in.Op].Table {
		return fullOf(k), true
	}
	switch len(in.Args) {
	case 1:
		if in.Args[0].Kind().IsInteger() {
			return exactUnary(in.Op, k, r.span(in.Args[0]))
		}
	case 2:
		return exactBinary(in.Op, k, r.span(in.Args[0]), r.span(in.Args[1]))
	}
	return interval{}, false
}

// launched is the number of blocks along the grid dim of a BlockIdx, where the host launches exactly those of the domain.
func (r *ranges) launched(in *ir.Instr) (form, bool) {
	if len(r.kernel.Group) == 0 || in.Dim != 0 {
		return form{}, false
	}
	d := r.kernel.Domain[len(r.kernel.Domain)-1]
	return r.header(d.Hi).plus(-1, r.header(d.Lo)), true
}

// between is the interval of v when lo <= v < hi.
func (r *ranges) between(lo, hi form) interval {
	out := fullOf(types.Int)
	if v, ok := r.least(lo); ok {
		out.lo = v
	}
	if v, ok := r.most(hi); ok && v > math.MinInt64 {
		out.hi = v - 1
	}
	return interval{out.lo, max(out.lo, out.hi), false}
}

// formOf is the form of a value whose interval is span; fits says that the operation did not wrap.
func (r *ranges) formOf(in *ir.Instr, span interval, fits bool) form {
	arg := func(i int) form { return r.form(in.Args[i]) }
	var f form
	switch in.Op {
	case ir.OpConst:
		if span.lo == span.hi && !span.open {
			return constForm(span.lo)
		}
		return r.opaque(in, span)
	case ir.OpParamGet:
		if in.Type == types.Int {
			return r.symbol(in.Param.Name)
		}
		return r.opaque(in, span)
	case ir.OpExtent:
		return r.symbol(in.Sym.Name)
	case ir.OpPoint:
		d := r.kernel.Domain[in.Dim]
		a, made := r.named("point "+string(rune('0'+in.Dim)), in, span)
		if made {
			a.lower = []bound{{1, []form{r.header(d.Lo)}}}
			a.upper = []bound{{1, []form{r.header(d.Hi).add(-1)}}}
		}
		return atomForm(a)
	case ir.OpLane, ir.OpSubgroup:
		a, _ := r.named(in.Op.String(), in, span)
		return atomForm(a)
	case ir.OpThread, ir.OpThreadIdx:
		a, _ := r.named(in.Op.String()+" "+string(rune('0'+in.Dim)), in, span)
		return atomForm(a)
	case ir.OpBlockIdx:
		count, ok := r.launched(in)
		if !ok {
			return r.opaque(in, span)
		}
		a, made := r.named("blockidx 0", in, span)
		if made {
			a.upper = []bound{{1, []form{count.add(-1)}}}
		}
		return atomForm(a)
	case ir.OpAdd:
		f = arg(0).plus(1, arg(1))
	case ir.OpSub:
		f = arg(0).plus(-1, arg(1))
	case ir.OpNeg:
		f = arg(0).times(-1)
	case ir.OpConv:
		if !in.Args[0].Kind().IsInteger() {
			return r.opaque(in, span)
		}
		f = arg(0)
	case ir.OpShl, ir.OpShlIn:
		c := r.span(in.Args[1])
		if c.lo != c.hi || c.lo < 0 || c.lo > 62 {
			return r.opaque(in, span)
		}
		f = arg(0).times(1 << c.lo)
	case ir.OpMul, ir.OpDiv, ir.OpDivNZ, ir.OpRem, ir.OpRemNZ, ir.OpMin, ir.OpMax:
		if !fits && in.Op == ir.OpMul {
			return r.opaque(in, span)
		}
		f = r.operation(in.Op, arg(0), arg(1), in, span)
		fits = true
	default:
		return r.opaque(in, span)
	}
	if !fits || f.bad {
		return r.opaque(in, span)
	}
	return f
}

// tableSpan is the interval of the elements of a table, and of 0, which an index out of range gives.
func tableSpan(in *ir.Instr) interval {
	k := in.Kind()
	var s interval
	for i, b := range in.Table.Bits {
		v := int64(b)
		if k == types.Uint64 && v < 0 {
			return fullOf(k)
		}
		if e := (interval{v, v, false}); i == 0 && in.InBounds {
			s = e
		} else {
			s = s.union(e)
		}
	}
	return s
}

// form is the exact form of an integer value; one that was not defined on the way here is an atom.
func (r *ranges) form(v *ir.Instr) form {
	if f, ok := r.forms[v]; ok {
		return f
	}
	return r.opaque(v, fullOf(v.Kind()))
}

// opaque is the form of a value of which only the interval is known, and for some operations bounds.
func (r *ranges) opaque(in *ir.Instr, span interval) form {
	a := r.values[in]
	if a == nil {
		a = r.newAtom(in, span)
		r.values[in] = a
		r.describe(a, in)
	}
	return atomForm(a)
}

// describe gives an opaque atom the bounds that its operation has.
func (r *ranges) describe(a *atom, in *ir.Instr) {
	switch in.Op {
	case ir.OpSelect:
		both := []bound{{1, []form{r.form(in.Args[1]), r.form(in.Args[2])}}}
		a.lower, a.upper = both, both
	case ir.OpAnd:
		for _, x := range in.Args {
			if r.span(x).lo >= 0 {
				a.upper = append(a.upper, bound{1, []form{r.form(x)}})
			}
		}
	case ir.OpShr, ir.OpShrIn:
		x, c := r.form(in.Args[0]), r.span(in.Args[1])
		if c.lo == c.hi && 0 <= c.lo && c.lo < 62 {
			a.upper = []bound{{1 << c.lo, []form{x}}}
			a.lower = []bound{{1 << c.lo, []form{x.add(1 - 1<<c.lo)}}}
		}
	}
}

// operation is the form of an operation on two forms, shared by all places that compute the same: linear for a product
// with a constant, otherwise an atom with the bounds that the operation has.
func (r *ranges) operation(op ir.Op, x, y form, in *ir.Instr, span interval) form {
	switch {
	case x.bad || y.bad:
		return form{bad: true}
	case op == ir.OpMul && y.isConst():
		return x.times(y.c)
	case op == ir.OpMul && x.isConst():
		return y.times(x.c)
	}
	if op == ir.OpDivNZ {
		op = ir.OpDiv
	} else if op == ir.OpRemNZ {
		op = ir.OpRem
	}
	a, made := r.named(op.String()+" "+x.key()+" "+y.key(), in, span)
	if !made {
		return atomForm(a)
	}
	zero := constForm(0)
	switch op {
	case ir.OpMin:
		a.lower = []bound{{1, []form{x, y}}}
		a.upper = []bound{{1, []form{x}}, {1, []form{y}}}
	case ir.OpMax:
		a.upper = []bound{{1, []form{x, y}}}
		a.lower = []bound{{1, []form{x}}, {1, []form{y}}}
	case ir.OpDiv:
		if y.isConst() && y.c > 0 && r.nonneg(x) {
			a.upper = []bound{{y.c, []form{x}}}
			a.lower = []bound{{1, []form{zero}}, {y.c, []form{x.add(1 - y.c)}}}
		}
	case ir.OpRem:
		if r.nonneg(x) {
			a.lower = []bound{{1, []form{zero}}}
			a.upper = []bound{{1, []form{x}}}
		}
		if r.nonneg(y.add(-1)) {
			a.upper = append(a.upper, bound{1, []form{y.add(-1)}})
		}
	case ir.OpMul:
		if r.nonneg(x) && r.nonneg(y) {
			a.lower = []bound{{1, []form{zero}}}
		}
	}
	return atomForm(a)
}
