package check

import (
	"maps"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// meeting is a place where the threads of a block meet.
type meeting struct {
	span
	what string // `barrier`, `block.Sum`
}

// barrier checks `barrier()`, which functions may call for the kernels that call them.
func (b *body) barrier(e *dsl.CallExpr) operand {
	b.meet(meeting{at(e), "barrier"})
	return operand{mode: nothing}
}

// meet notes a meeting of the threads of a block, and refuses it where there is no block or an order is missing.
func (b *body) meet(m meeting) {
	b.meetings = append(b.meetings, m)
	switch {
	case len(b.unordered) > 0:
		b.report(&UnorderedLoopError{span: m.span, What: "`" + m.what + "`", Loop: b.unorderedLoop()})
	case b.fn == nil && !b.blocks:
		b.report(&BarrierError{span: m.span, What: m.what, ByBlock: b.byBlock()})
	}
}

// reduction checks `block.Sum(x)` and its like.
func (b *body) reduction(e *dsl.CallExpr, bi *builtin, args []operand) operand {
	b.meet(meeting{at(e), bi.name})
	x := b.sameType(e, bi, args)
	if x.mode == bad {
		return x
	}
	s := scratch{kind: scratchKind(x.kind().Default()), scan: bi.name == "block.ScanSum"}
	if _, ok := b.reduces[s]; !ok {
		b.reduces[s] = at(e)
	}
	return x
}

// scratchKind is the kind of the elements in which values of kind k are combined.
func scratchKind(k types.Kind) types.Kind {
	switch k {
	case types.Bool:
		return types.Uint32
	case types.Int:
		return types.Int64
	case types.Float16, types.BFloat16:
		return types.Float32
	}
	return k
}

// combines notes what a comprehension takes if it is spread over the threads of a block, where no loop without order is
// around it: values of the given kinds are combined.
func (b *body) combines(place span, kinds ...types.Kind) {
	if len(b.unordered) > 0 {
		return
	}
	for _, k := range kinds {
		s := scratch{kind: scratchKind(k.Default())}
		if _, ok := b.folds[s]; !ok {
			b.folds[s] = place
		}
	}
}

// scratch is what reductions of a kind take in shared memory; one for all of them.
type scratch struct {
	kind types.Kind
	scan bool
}

// reductions are those of a body and of the functions that it calls, which count where they are called; not those of
// calls in loops without order, where threads neither meet nor spread. Those of functions are in of, and with what they
// call in all, which grows. There is no recursion by then.
func (c *checker) reductions(own map[scratch]span, of, all map[*Func]map[scratch]span, calls []callSite) map[scratch]span {
	sum := maps.Clone(own)
	for _, s := range calls {
		if s.loop.At.IsValid() {
			continue
		}
		inner, ok := all[s.fn]
		if !ok {
			inner = c.reductions(of[s.fn], of, all, c.calls[s.fn])
			all[s.fn] = inner
		}
		for k := range inner {
			if p, ok := sum[k]; !ok || s.place.At.Compare(p.At) < 0 {
				sum[k] = s.place
			}
		}
	}
	return sum
}

// meetingRules checks the calls of functions in which threads meet: they count as meetings where they stand. There is no
// recursion by then.
func (c *checker) meetingRules() {
	done := map[*Func]bool{}
	var meets func(f *Func) (meeting, bool)
	meets = func(f *Func) (meeting, bool) {
		if !done[f] {
			done[f] = true
			for _, s := range c.calls[f] {
				place, ok := meets(s.fn)
				if _, own := c.meets[f]; ok && !own {
					c.meets[f] = place
				}
			}
		}
		place, ok := c.meets[f]
		return place, ok
	}
	calls := func(b *body) {
		for _, s := range b.calls {
			m, ok := meets(s.fn)
			switch {
			case !ok:
			case s.loop.At.IsValid():
				b.report(&UnorderedLoopError{span: s.place, What: "`" + s.fn.Name + "`, which has a `" + m.what + "`,", Loop: s.loop})
			case b.fn == nil && !b.blocks:
				b.report(&BarrierError{span: s.place, Func: s.fn.Name, What: m.what, Via: m.span, ByBlock: b.byBlock()})
			}
		}
	}
	for _, b := range c.bodies {
		calls(b)
		if m, ok := meets(b.fn); ok && b.fn.Exported {
			b.report(&BarrierError{span: at(b.fn.Decl.Name), Func: b.fn.Name, What: m.what, Via: m.span, Go: true})
		}
	}
	for _, k := range c.kernels {
		for _, b := range k.bodies {
			calls(b)
		}
	}
}
