package cpu

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// row is a slice that a kernel takes before its innermost loop, so that the loop neither multiplies by extents nor
// checks bounds: `src[(y-1)*w:][:w]`.
type row struct {
	first *ir.Instr // the first access through it
	plain bool      // accessed at the innermost index alone: cut at the end of the loop
	name  string
}

// findRows finds the accesses of a kernel that go through rows: proven in range, at leading indexes that do not change
// in the innermost loop. A row is taken for every point, so either an access through it happens at every point, or its
// leading indexes are points of a domain inside the view.
func findRows(k *ir.Kernel) map[*ir.Instr]*row {
	last := len(k.Domain) - 1
	rows := map[*ir.Instr]*row{}
	everywhere := map[*ir.Instr]bool{}
	always(k.Body, func(in *ir.Instr) { everywhere[in] = true })
	var all []*row
	find := func(in *ir.Instr, plain bool) *row {
		for _, r := range all {
			if r.plain == plain && r.first.Param == in.Param && sameIndexes(r.first, in) {
				return r
			}
		}
		return nil
	}
	k.Body.Walk(func(in *ir.Instr) {
		if in.Op != ir.OpLoad && in.Op != ir.OpStore || !in.InBounds || rank(in) < 2 {
			return
		}
		inside := true
		n := rank(in) - 1
		for d, i := range in.Args[:n] {
			if !invariant(i, last, 6) {
				return
			}
			inside = inside && i.Op == ir.OpPoint && within(k.Domain[i.Dim], in.Param.Dims[d])
		}
		plain := isPoint(in.Args[n], last)
		switch whole := everywhere[in] || inside && within(k.Domain[last], in.Param.Dims[n]); {
		case plain && find(in, true) != nil:
			rows[in] = find(in, true)
		case plain && whole:
			rows[in] = &row{first: in, plain: true}
			all = append(all, rows[in])
		case find(in, false) != nil:
			rows[in] = find(in, false)
		case everywhere[in] || inside:
			rows[in] = &row{first: in}
			all = append(all, rows[in])
		}
	})
	return rows
}

// within reports that a dim of the domain lies inside an extent: from a constant that is not negative, to the extent or
// a constant less.
func within(d ir.Dim, extent *types.Header) bool {
	if d.Lo.Op != types.HConst || d.Lo.Val < 0 {
		return false
	}
	hi := d.Hi
	if hi.Op == types.HSub && hi.Y.Op == types.HConst && hi.Y.Val >= 0 {
		hi = hi.X
	}
	return hi.String() == extent.String()
}

// always calls f for the instructions that run at every point.
func always(b *ir.Block, f func(*ir.Instr)) {
	for _, in := range b.Instrs {
		switch in.Op {
		case ir.OpScope:
			always(in.Blocks[0], f)
		case ir.OpLoop, ir.OpReturn, ir.OpBreak, ir.OpContinue:
			return // what follows may never run
		}
		f(in)
	}
}

func rank(in *ir.Instr) int { return len(in.Param.Dims) }

func isPoint(in *ir.Instr, dim int) bool { return in.Op == ir.OpPoint && in.Dim == dim }

func sameIndexes(a, b *ir.Instr) bool {
	for i := range rank(a) - 1 {
		if !same(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}

// invariant reports an int expression of scalars, extents and the outer indexes of the domain.
func invariant(in *ir.Instr, last, depth int) bool {
	if depth == 0 || in.Kind() != types.Int {
		return false
	}
	switch in.Op {
	case ir.OpConst, ir.OpParamGet, ir.OpExtent:
		return true
	case ir.OpPoint:
		return in.Dim < last
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return invariant(in.Args[0], last, depth-1) && invariant(in.Args[1], last, depth-1)
	}
	return false
}

// takeRows declares the rows that live accesses use, in the order of those. end is the end of the innermost loop.
func (f *function) takeRows(out *list, k *ir.Kernel, end string) {
	count := map[*ir.Param]int{}
	k.Body.Walk(func(in *ir.Instr) {
		r := f.l.rows[in]
		if r == nil || r.name != "" || !f.l.live[in] {
			return
		}
		p := in.Param
		name := p.Name + "Row"
		if count[p]++; count[p] > 1 {
			name += strconv.Itoa(count[p])
		}
		last := rank(in) - 1
		at := f.expr(r.first.Args[0])
		for d := 1; d < last; d++ {
			at = value{code: jen.Add(at.in(mulPrec)).Op("*").Add(f.extent(p, d).in(unary)).Op("+").Add(f.expr(r.first.Args[d]).in(mulPrec)), prec: addPrec}
		}
		length := f.extent(p, last).code
		if r.plain {
			length = jen.Id(end)
		}
		start := jen.Add(at.in(mulPrec)).Op("*").Add(f.extent(p, last).in(unary))
		r.name = f.scopes.temp(name)
		out.declare(jen.Id(r.name).Op(":=").Id(f.params[p.Index]).Index(jen.Add(start).Op(":")).Index(jen.Op(":").Add(length)))
	})
}

// cutViews are the one-dimensional views whose every access is at the innermost index and proven, and whose extent the
// domain keeps: an access happens at every point, or the domain lies inside. They are cut at the end of the loop, so that
// the loop checks no bounds.
func cutViews(k *ir.Kernel, l *liveness) []*ir.Param {
	last := len(k.Domain) - 1
	bad, good := map[*ir.Param]bool{}, map[*ir.Param]bool{}
	plain := func(in *ir.Instr) bool {
		return rank(in) == 1 && in.InBounds && isPoint(in.Args[0], last)
	}
	k.Body.Walk(func(in *ir.Instr) {
		if (in.Op == ir.OpLoad || in.Op == ir.OpStore) && in.Param.IsView() {
			bad[in.Param] = bad[in.Param] || !plain(in)
			good[in.Param] = good[in.Param] || l.live[in] && within(k.Domain[last], in.Param.Dims[0])
		}
	})
	always(k.Body, func(in *ir.Instr) {
		if (in.Op == ir.OpLoad || in.Op == ir.OpStore) && l.live[in] && plain(in) {
			good[in.Param] = true
		}
	})
	var out []*ir.Param
	for _, p := range k.Params {
		if good[p] && !bad[p] {
			out = append(out, p)
		}
	}
	return out
}
