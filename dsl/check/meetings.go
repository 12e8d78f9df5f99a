package check

import (
	"go/constant"
	"maps"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// meeting is a place where the threads of a block meet.
type meeting struct {
	span
	what string // `barrier`, `block.Sum`
	sub  bool   // it is about subgroups
}

// barrier checks `barrier()`, which functions may call for the kernels that call them.
func (b *body) barrier(e *dsl.CallExpr) operand {
	b.meet(meeting{at(e), "barrier", false})
	return operand{mode: nothing}
}

// meet notes a meeting of the threads of a block, and refuses it where there is no block or an order is missing.
func (b *body) meet(m meeting) {
	b.meetings = append(b.meetings, m)
	waits := m.what != "subgroup.Lane" && m.what != "subgroup.ID"
	switch {
	case waits && len(b.unordered) > 0:
		b.report(&UnorderedLoopError{span: m.span, What: "`" + m.what + "`", Loop: b.unorderedLoop()})
	case b.fn != nil:
	case !b.blocks:
		b.report(&BarrierError{span: m.span, What: m.what, ByBlock: b.byBlock()})
	case m.sub:
		b.wholeSubgroups(m, m.span, "")
	}
}

// wholeSubgroups wants blocks of whole subgroups.
func (b *body) wholeSubgroups(m meeting, place span, fn string) {
	if n := b.groupSize(); n%subgroupSize != 0 {
		b.report(&SubgroupError{span: place, What: m.what, Threads: n, Func: fn, Via: m.span})
	}
}

// groupSize is the number of threads of a block.
func (b *body) groupSize() int64 {
	n := int64(1)
	for _, t := range b.kernel.Group {
		n *= t.N
	}
	return n
}

// subgroupSize is the number of threads of a subgroup, on every target.
const subgroupSize = 32

// subgroup checks what is about subgroups and reduces nothing.
func (b *body) subgroup(e *dsl.CallExpr, bi *builtin, args []operand) operand {
	b.meet(meeting{at(e), bi.name, true})
	switch bi.rule {
	case member:
		return operand{mode: value, typ: types.Int}
	case ballot:
		if x := b.sameType(e, bi, args); x.mode == bad {
			return x
		}
		delete(b.pending, e)
		if args[0].untyped() {
			b.settle(e.Args[0], types.Bool)
		}
		return operand{mode: value, typ: types.Uint32}
	}
	n := args[1]
	if n.untyped() {
		if !b.assign(&n, types.Int, "the lane of `"+bi.name+"`") {
			return operand{}
		}
	} else if !n.kind().IsInteger() {
		b.report(&BuiltinTypeError{span: n.at(), Name: bi.name, Text: n.text(), Have: n.typ, Want: intArg.want})
		return operand{}
	}
	if n.mode == konst && bi.name == "subgroup.Broadcast" {
		if v, ok := constant.Int64Val(constant.ToInt(n.val)); !ok || v < 0 || v >= subgroupSize {
			b.report(&IndexRangeError{span: n.at(), Value: n.text(), Extent: subgroupSize})
			return operand{}
		}
	}
	return b.sameType(e, bi, args[:1])
}

// reduction checks `block.Sum(x)`, `subgroup.Sum(x)` and their like.
func (b *body) reduction(e *dsl.CallExpr, bi *builtin, args []operand) operand {
	sub := strings.HasPrefix(bi.name, "subgroup.")
	b.meet(meeting{at(e), bi.name, sub})
	x := b.sameType(e, bi, args)
	if x.mode == bad || sub {
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

// firsts are the first meeting of all, and the first about subgroups.
func firsts(all []meeting) []meeting {
	if len(all) < 2 {
		return all
	}
	out := all[:1:1]
	if i := slices.IndexFunc(all, func(m meeting) bool { return m.sub }); i > 0 {
		out = append(out, all[i])
	}
	return out
}

// meetingRules checks the calls of functions in which threads meet: they count as meetings where they stand. There is no
// recursion by then.
func (c *checker) meetingRules() {
	done := map[*Func]bool{}
	var meets func(f *Func) []meeting
	meets = func(f *Func) []meeting {
		if !done[f] {
			done[f] = true
			for _, s := range c.calls[f] {
				c.meets[f] = firsts(append(c.meets[f], meets(s.fn)...))
			}
		}
		return c.meets[f]
	}
	calls := func(b *body) {
		for _, s := range b.calls {
			ms := meets(s.fn)
			if len(ms) == 0 {
				continue
			}
			m := ms[0]
			switch {
			case s.loop.At.IsValid():
				b.report(&UnorderedLoopError{span: s.place, What: "`" + s.fn.Name + "`, which has a `" + m.what + "`,", Loop: s.loop})
			case b.fn == nil && !b.blocks:
				b.report(&BarrierError{span: s.place, Func: s.fn.Name, What: m.what, Via: m.span, ByBlock: b.byBlock()})
			case b.fn == nil:
				for _, m := range ms {
					if m.sub {
						b.wholeSubgroups(m, s.place, s.fn.Name)
					}
				}
			}
		}
	}
	for _, b := range c.bodies {
		calls(b)
		if ms := meets(b.fn); len(ms) > 0 && b.fn.Exported {
			m := ms[0]
			b.report(&BarrierError{span: at(b.fn.Decl.Name), Func: b.fn.Name, What: m.what, Via: m.span, Go: true})
		}
	}
	for _, k := range c.kernels {
		for _, b := range k.bodies {
			calls(b)
		}
	}
}
