package cpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// start is where the accesses of an innermost loop begin that differ in their last index alone: a row of an array, taken by
// its address, or the number of a view's first element in the row. The Go compiler moves neither out of a loop.
type start struct {
	first *ir.Instr
	name  string
}

// findStarts finds them in a kernel of blocks, by loop, and gives each access its own.
func (f *function) findStarts(k *ir.Kernel) {
	f.starts, f.startOf = map[*ir.Instr][]*start{}, map[*ir.Instr]*start{}
	loops := map[*ir.Instr]*ir.Instr{} // index → Range
	k.Body.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpRange {
			loops[in.Blocks[0].Iter] = in
		}
	})
	for _, loop := range loops {
		if body := loop.Blocks[0]; innermost(body) {
			f.findIn(loop, loops)
		}
	}
}

func innermost(b *ir.Block) bool {
	yes := true
	b.Walk(func(in *ir.Instr) { yes = yes && in.Op != ir.OpRange && in.Op != ir.OpLoop })
	return yes
}

// findIn finds those of one loop.
func (f *function) findIn(loop *ir.Instr, loops map[*ir.Instr]*ir.Instr) {
	body := loop.Blocks[0]
	inside := map[*ir.Instr]bool{body.Iter: true}
	body.Walk(func(in *ir.Instr) { inside[in] = true })
	runs := map[*ir.Instr]bool{} // whenever the loop is reached
	if lo, hi := loop.Args[0], loop.Args[1]; lo.IsConst() && hi.IsConst() && lo.Int64() < hi.Int64() {
		always(body, func(in *ir.Instr) { runs[in] = true })
	}
	body.Walk(func(in *ir.Instr) {
		lead := leading(in)
		if len(lead) == 0 || !in.InBounds || !f.l.live[in] {
			return
		}
		for d, i := range lead {
			if inside[i] || in.Local != nil && !runs[in] && !f.sure(i, in.Local, d, loops) {
				return
			}
		}
		for _, s := range f.starts[loop] {
			if s.first.Param == in.Param && s.first.Local == in.Local && f.sameAll(leading(s.first), lead) {
				f.startOf[in] = s
				return
			}
		}
		s := &start{first: in}
		f.startOf[in] = s
		f.starts[loop] = append(f.starts[loop], s)
	})
}

// leading are the indexes of an access but the last, none where the element is an array.
func leading(in *ir.Instr) []*ir.Instr {
	n := len(in.Args)
	switch in.Op {
	case ir.OpStore, ir.OpElemSet:
		n--
	case ir.OpLoad, ir.OpElemGet:
	default:
		return nil
	}
	if in.Op == ir.OpElemSet || in.Op == ir.OpElemGet {
		if t, _ := ir.ElemType(in.Local.Type, n); types.KindOf(t) == types.Invalid {
			return nil
		}
	}
	return in.Args[:n-1]
}

// sure reports an index into dim d of an array that is in range whether or not the access happens.
func (f *function) sure(i *ir.Instr, l *ir.Local, d int, loops map[*ir.Instr]*ir.Instr) bool {
	t := l.Type.(*types.Array)
	for d >= len(t.Dims) {
		d -= len(t.Dims)
		t = t.Elem.(*types.Array)
	}
	n := t.Dims[d]
	if i.IsConst() {
		return i.Bits < uint64(n)
	}
	loop := loops[i]
	if loop == nil || !loop.Args[0].IsConst() || loop.Args[0].Int64() < 0 {
		return false
	}
	hi := loop.Args[1]
	if hi.Op == ir.OpMin {
		hi = hi.Args[1]
	}
	return hi.IsConst() && hi.Int64() <= n
}

// takeStarts declares them in front of their loop.
func (f *function) takeStarts(out *list, loop *ir.Instr) {
	for _, s := range f.starts[loop] {
		lead := leading(s.first)
		if l := s.first.Local; l != nil {
			row := jen.Op("&").Id(f.locals[l])
			for _, i := range lead {
				row = row.Index(f.expr(i).code)
			}
			s.name = f.scopes.temp(f.locals[l] + "Row")
			out.declare(jen.Id(s.name).Op(":=").Add(row))
			continue
		}
		p := s.first.Param
		at := f.expr(lead[0])
		for d := 1; d <= len(lead); d++ {
			at = value{code: jen.Add(at.in(mulPrec)).Op("*").Add(f.extent(p, d).in(unary)), prec: mulPrec}
			if d < len(lead) {
				at = value{code: jen.Add(at.code).Op("+").Add(f.expr(lead[d]).in(mulPrec)), prec: addPrec}
			}
		}
		s.name = f.scopes.temp(p.Name + "At")
		out.declare(jen.Id(s.name).Op(":=").Add(at.code))
	}
}
