package cpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// start is what the accesses of an innermost loop have in common that does not change in it; the Go compiler moves none of
// it out of a loop. Of a view it is a slice of as many elements as the loop has iterations, if all iterations access
// one after the other, which saves the checks of bounds as well; else the number of the first element of the row. Of an
// array it is the address of the row.
type start struct {
	accesses []*ir.Instr
	slice    bool
	some     bool      // it exists only if the loop has an iteration
	offset   *ir.Instr // of a slice: what is added to the loop's index; or nil
	name     string
}

// starts are those of a kernel of blocks.
type starts struct {
	of    map[*ir.Instr][]*start // by loop
	at    map[*ir.Instr]*start   // by access
	loops map[*ir.Instr]*ir.Instr
}

// findStarts finds those of the innermost loops of a kernel.
func findStarts(k *ir.Kernel) *starts {
	s := &starts{of: map[*ir.Instr][]*start{}, at: map[*ir.Instr]*start{}, loops: map[*ir.Instr]*ir.Instr{}}
	k.Body.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpRange {
			s.loops[in.Blocks[0].Iter] = in
		}
	})
	k.Body.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpRange && !holds(in.Blocks[0], ir.OpRange, ir.OpLoop) {
			s.find(in)
		}
	})
	return s
}

// holds reports an instruction of one of the operations in b or below.
func holds(b *ir.Block, ops ...ir.Op) bool {
	found := false
	b.Walk(func(in *ir.Instr) { found = found || slices.Contains(ops, in.Op) })
	return found
}

// find finds those of one loop.
func (s *starts) find(loop *ir.Instr) {
	body := loop.Blocks[0]
	inside := map[*ir.Instr]bool{body.Iter: true}
	body.Walk(func(in *ir.Instr) { inside[in] = true })
	each := map[*ir.Instr]bool{} // runs in every iteration
	if !holds(body, ir.OpBreak, ir.OpContinue) {
		always(body, func(in *ir.Instr) { each[in] = true })
	}
	lo := loop.Args[0]
	body.Walk(func(in *ir.Instr) {
		if !in.InBounds || in.Op == ir.OpLocalGet || in.Op == ir.OpLocalSet {
			return
		}
		lead, last, ok := indexes(in)
		if !ok || slices.ContainsFunc(lead, func(i *ir.Instr) bool { return inside[i] }) {
			return
		}
		n := &start{accesses: []*ir.Instr{in}}
		if in.Param != nil && each[in] && lo.IsInt(0) && loop.Args[2].IsInt(1) {
			n.slice, n.offset = follows(last, body.Iter, inside)
			n.some = n.slice
		}
		if len(lead) == 0 && !n.slice {
			return
		}
		for d, i := range lead {
			switch {
			case in.Param != nil || s.sure(i, in.Local, d):
			case each[in]:
				n.some = true
			default:
				return
			}
		}
		for _, o := range s.of[loop] {
			first := o.accesses[0]
			if l, _, _ := indexes(first); first.Param == in.Param && first.Local == in.Local && o.slice == n.slice && o.offset == n.offset && slices.EqualFunc(l, lead, agree) {
				o.accesses = append(o.accesses, in)
				o.some = o.some && n.some
				s.at[in] = o
				return
			}
		}
		s.at[in] = n
		s.of[loop] = append(s.of[loop], n)
	})
}

// indexes are the indexes of an access to an element of a basic type, or to a scalar of an element that no array in it
// holds: all but the last, and that.
func indexes(in *ir.Instr) (lead []*ir.Instr, last *ir.Instr, ok bool) {
	n := len(in.Args)
	switch in.Op {
	case ir.OpStore, ir.OpElemSet:
		n--
	case ir.OpLoad, ir.OpElemGet:
	default:
		return nil, nil, false
	}
	if in.Param != nil && n != max(rank(in), 1) {
		return nil, nil, false
	}
	if in.Param != nil && !in.Param.IsView() {
		return nil, nil, false
	}
	if in.Local != nil {
		if t, _ := ir.ElemType(in.Local.Type, n); types.KindOf(t) == types.Invalid {
			return nil, nil, false
		}
	}
	return in.Args[:n-1], in.Args[n-1], true
}

// follows reports an index that is the loop's, or that and an offset from outside.
func follows(i, iter *ir.Instr, inside map[*ir.Instr]bool) (ok bool, offset *ir.Instr) {
	switch {
	case i == iter:
		return true, nil
	case i.Op == ir.OpAdd && i.Args[0] == iter && !inside[i.Args[1]]:
		return true, i.Args[1]
	case i.Op == ir.OpAdd && i.Args[1] == iter && !inside[i.Args[0]]:
		return true, i.Args[0]
	}
	return false, nil
}

// sure reports an index into dim d of an array that is in range whether or not the access happens.
func (s *starts) sure(i *ir.Instr, l *ir.Local, d int) bool {
	t := l.Type.(*types.Array)
	for d >= len(t.Dims) {
		d -= len(t.Dims)
		t = t.Elem.(*types.Array)
	}
	n := t.Dims[d]
	if i.IsConst() {
		return i.Bits < uint64(n)
	}
	loop := s.loops[i]
	if loop == nil || !loop.Args[0].IsConst() || loop.Args[0].Int64() < 0 {
		return false
	}
	hi := loop.Args[1]
	if hi.Op == ir.OpMin {
		hi = hi.Args[1]
	}
	return hi.IsConst() && hi.Int64() <= n
}

// agree reports that two values are one, wherever they are computed: a variable, an array or memory may have changed between
// two readings.
func agree(a, b *ir.Instr) bool {
	if a == b {
		return true
	}
	switch a.Op {
	case ir.OpConst, ir.OpParamGet, ir.OpExtent, ir.OpPoint, ir.OpThread:
		return same(a, b)
	}
	return ir.Ops[a.Op].Class == ir.Pure && a.Op == b.Op && types.Identical(a.Type, b.Type) && slices.EqualFunc(a.Args, b.Args, agree)
}

// needs are the values that the text of an access needs: the start is that of the first access.
func (s *starts) needs(in *ir.Instr) []*ir.Instr {
	n := s.at[in]
	if n == nil {
		return in.Args
	}
	lead, _, _ := indexes(n.accesses[0])
	_, last, _ := indexes(in)
	args := slices.Clone(lead)
	if !n.slice {
		return append(args, in.Args[len(lead):]...)
	}
	switch {
	case n.offset == nil:
		args = append(args, last)
	case last.Args[0] == n.offset:
		args = append(args, last.Args[0], last.Args[1])
	default:
		args = append(args, last.Args[1], last.Args[0])
	}
	if in.Op == ir.OpStore {
		args = append(args, in.Args[len(in.Args)-1])
	}
	return args
}

// startAccess is an access through a start.
func (f *function) startAccess(s *start, in *ir.Instr) *jen.Statement {
	_, last, _ := indexes(in)
	switch {
	case s.slice && s.offset != nil && last.Args[0] == s.offset:
		return jen.Id(s.name).Index(f.expr(last.Args[1]).code)
	case s.slice && s.offset != nil:
		return jen.Id(s.name).Index(f.expr(last.Args[0]).code)
	case s.slice || in.Local != nil:
		return jen.Id(s.name).Index(f.expr(last).code)
	}
	return jen.Id(f.params[in.Param.Index]).Index(jen.Id(s.name).Op("+").Add(f.expr(last).in(mulPrec)))
}

// printed reports a start that some access needs.
func (s *start) printed(l *liveness) bool {
	return slices.ContainsFunc(s.accesses, func(in *ir.Instr) bool { return l.live[in] })
}

// some reports a loop whose starts exist only if it has an iteration, which is not known.
func (s *starts) some(loop *ir.Instr, l *liveness) bool {
	lo, hi := loop.Args[0], loop.Args[1]
	if lo.IsConst() && hi.IsConst() && lo.Int64() < hi.Int64() {
		return false
	}
	return slices.ContainsFunc(s.of[loop], func(n *start) bool { return n.some && n.printed(l) })
}

// takeStarts declares the starts of a loop with the given end, which is made where it is needed: it may declare constants
// as variables.
func (f *function) takeStarts(out *list, loop *ir.Instr, end func() *jen.Statement) {
	for _, s := range f.starts.of[loop] {
		if !s.printed(f.l) {
			continue
		}
		first := s.accesses[0]
		lead, _, _ := indexes(first)
		if l := first.Local; l != nil && f.locals[l] == "" { // declared in the loop: it has no rows before
			for _, in := range s.accesses {
				delete(f.starts.at, in)
			}
			continue
		}
		if l := first.Local; l != nil {
			row := jen.Op("&").Id(f.locals[l])
			for _, i := range lead {
				row = row.Index(f.expr(i).code)
			}
			s.name = f.scopes.temp(f.locals[l] + "Row")
			out.declare(jen.Id(s.name).Op(":=").Add(row))
			continue
		}
		p := first.Param
		at := f.firstOf(p, lead)
		if !s.slice {
			s.name = f.scopes.temp(p.Name + "At")
			out.declare(jen.Id(s.name).Op(":=").Add(at.code))
			continue
		}
		row := jen.Id(f.params[p.Index])
		switch {
		case len(lead) > 0 && s.offset != nil:
			row = row.Index(jen.Add(at.code).Op("+").Add(f.expr(s.offset).in(mulPrec)).Op(":"))
		case len(lead) > 0:
			row = row.Index(jen.Add(at.code).Op(":"))
		case s.offset != nil:
			row = row.Index(jen.Add(f.expr(s.offset).code).Op(":"))
		}
		s.name = f.scopes.temp(p.Name + "Row")
		out.declare(jen.Id(s.name).Op(":=").Add(row).Index(jen.Op(":").Add(end())))
	}
}

// firstOf is the number of the first element of a row of a view.
func (f *function) firstOf(p *ir.Param, lead []*ir.Instr) value {
	var at value
	for d, i := range lead {
		if d == 0 {
			at = f.expr(i)
		} else {
			at = value{code: jen.Add(at.code).Op("+").Add(f.expr(i).in(mulPrec)), prec: addPrec}
		}
		at = value{code: jen.Add(at.in(mulPrec)).Op("*").Add(f.extent(p, d+1).in(unary)), prec: mulPrec}
	}
	return at
}
