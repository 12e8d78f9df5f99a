package check

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// maxThreads bounds the threads of a block: what every target can run.
const maxThreads = 1024

// maxSharedBytes bounds a shared array where a target would take it, so that sizes can be computed; the targets' own
// limits are far below.
const maxSharedBytes = 1 << 30

// sharedAlign is the most that a target aligns a shared variable to. Sizes are rounded up to it, as in the layout that
// the host reads, so that the order in which a vendor's compiler places them does not matter.
const sharedAlign = 16

// sharedVar is a variable of a kernel's shared memory.
type sharedVar struct {
	v     *Var
	place span
}

// wholeShared reports a shared array, which is used by its elements alone.
func (v *Var) wholeShared() bool {
	_, array := v.Type.(*types.Array)
	return array && v.Kind == SharedVar
}

// arrayOf checks what stands before an index or in `len`.
func (b *body) arrayOf(e dsl.Expr) operand {
	_, b.indexed = dsl.Unparen(e).(*dsl.Ident)
	return b.expr(e)
}

// byBlock reports the body of a `by block` kernel.
func (b *body) byBlock() bool { return b.kernel != nil && b.kernel.ByBlock }

// blocksDomain reads `blocks … in … threads … in …`. The indexes are declared behind all extents.
func (b *body) blocksDomain(x *dsl.BlocksDomain) {
	if b.kernel.Threads > 0 {
		b.report(&AttributeError{span: b.blockAt, Name: "block", Why: "gives a `for` domain its blocks; here `threads` says how large they are"})
		b.kernel.Threads = 0
	}
	lo, hi := b.extents(x.Blocks, x.BlockExtents)
	counts := b.threadCounts(x)
	b.points(x.Blocks, lo, hi)
	for i, id := range x.Threads {
		v := b.indexVar(id, ThreadVar)
		v.Index = i
		b.kernel.Group = append(b.kernel.Group, Thread{Name: id.Name, N: counts[i], Pos: id.Pos(), Var: v})
	}
}

// threadCounts evaluates the thread extents; one that is wrong counts as 1.
func (b *body) threadCounts(x *dsl.BlocksDomain) []int64 {
	b.rank(x.Threads, "`threads` has at most %d dims")
	counts := make([]int64, len(x.Threads))
	for i := range counts {
		counts[i] = 1
	}
	total := int64(1)
	for i, e := range x.ThreadExtents {
		if i >= len(counts) {
			break
		}
		if e.Lo != nil {
			b.useAll([]dsl.Expr{e.Lo, e.Hi})
			b.report(&ThreadsError{span: span{e.Pos(), e.End()}, Why: "threads count from 0, so that a range cannot stand here"})
			continue
		}
		n, ok := b.constInt(e.Hi, "the number of threads")
		switch {
		case !ok:
			continue
		case n < 1:
			b.report(&ThreadsError{span: at(e.Hi), Why: fmt.Sprintf("a block has at least 1 thread, and not %d", n)})
			continue
		case n > maxThreads:
			b.report(&ThreadsError{span: at(e.Hi), Why: fmt.Sprintf("a block has at most %d threads, and not %d", maxThreads, n)})
			continue
		}
		counts[i] = n
		total *= n // up to 3 dims are kept, and the rest is reported
		if total > maxThreads {
			place := span{x.ThreadExtents[0].Pos(), e.End()}
			b.report(&ThreadsError{span: place, Why: fmt.Sprintf("a block has at most %d threads, and these are %d", maxThreads, total)})
			total = 1
		}
	}
	return counts
}

// sharedStmt declares shared variables.
func (b *body) sharedStmt(s *dsl.SharedStmt) {
	t := types.Type(types.Invalid)
	if b.blocks || b.byBlock() {
		t = b.sharedType(s.Type)
	} else {
		b.use(s.Type)
		b.report(&MisplacedError{span: opSpan(s.Pos(), "shared"), Word: "shared", Where: "has a meaning in kernels of `blocks … threads …` and `by block` alone"})
	}
	for _, id := range s.Names {
		if id.Name == "_" {
			continue
		}
		v, o := b.newVar(id, SharedVar, t)
		o.checked = t != types.Invalid
		if o.checked {
			b.shared = append(b.shared, sharedVar{v, at(id)})
		}
	}
}

// sharedType is the type of shared variables: a scalar, or an array of scalars.
func (b *body) sharedType(e dsl.Expr) types.Type {
	elem, t := e, types.Type(types.Invalid)
	if a, ok := dsl.Unparen(e).(*dsl.ArrayType); ok {
		if _, ok := dsl.Unparen(a.Elem).(*dsl.ArrayType); ok {
			b.use(a)
			b.report(&NotYetError{span: at(a.Elem), What: "`shared` arrays of arrays"})
			return t
		}
		elem = a.Elem
		if t = b.arrayType(a, maxSharedBytes, "a `shared` array"); t != types.Invalid {
			b.facts.Types[e] = t
		}
	} else {
		t = b.typ(e)
	}
	if baseKind(t) == types.Int {
		b.report(&SharedTypeError{at(elem)})
		return types.Invalid
	}
	return t
}

// sharedLimit tests the shared memory of a block against the limit of t. The error names every target of the kernel that
// the same variable is too much for.
func (b *body) sharedLimit(t types.Target) diag.Error {
	bytes := b.scratch()
	if bytes > int64(types.LimitsOf(t).Shared) {
		return b.sharedError(&SharedLimitError{span: at(b.kernel.Decl.Name), Bytes: bytes, Scratch: bytes}, 0)
	}
	for _, s := range b.shared {
		before := bytes
		if bytes += types.Size(s.v.Type); bytes <= int64(types.LimitsOf(t).Shared) {
			bytes = aligned(bytes)
			continue
		}
		e := &SharedLimitError{span: s.place, Name: s.v.Name, Bytes: bytes, Whole: before == 0, Scratch: b.scratch()}
		return b.sharedError(e, before)
	}
	return nil
}

// sharedError adds to e the targets whose limit lies between what was needed before and what is needed now, and those
// that have room for all.
func (b *body) sharedError(e *SharedLimitError, before int64) *SharedLimitError {
	for _, o := range b.asked.List() {
		limit := int64(types.LimitsOf(o).Shared)
		if before <= limit && e.Bytes > limit {
			e.Targets = append(e.Targets, o)
		}
		if b.sharedBytes() <= limit {
			e.Others |= types.TargetsOf(o)
		}
	}
	return e
}

// sharedBytes is the shared memory of a block.
func (b *body) sharedBytes() (n int64) {
	n = b.scratch()
	for _, s := range b.shared {
		n += aligned(types.Size(s.v.Type))
	}
	return n
}

// scratch is the shared memory in which the threads of a `by block` kernel combine what comprehensions give, at most.
func (b *body) scratch() (n int64) {
	if !b.byBlock() {
		return 0
	}
	threads := b.kernel.Threads
	if threads == 0 {
		threads = types.BlockThreads
	}
	kinds := map[types.Kind]bool{}
	seen := map[*Func]bool{}
	var visit func(facts *Body, calls []callSite)
	visit = func(facts *Body, calls []callSite) {
		for e := range facts.Calls {
			if e.Comp == nil {
				continue
			}
			if k := types.KindOf(facts.Values[e].Type); k != types.Invalid {
				kinds[types.ScratchKind(k)] = true
			}
			if k := types.KindOf(facts.Values[dsl.Unparen(e.Comp.Elem)].Type); k != types.Invalid { // argmin, argmax
				kinds[types.ScratchKind(k)] = true
			}
		}
		for _, s := range calls {
			if !seen[s.fn] {
				seen[s.fn] = true
				visit(s.fn.Body, b.checker.calls[s.fn])
			}
		}
	}
	visit(b.facts, b.calls)
	for k := range kinds {
		all, parts := types.ScratchElems(threads)
		n += aligned(int64(all*k.Size())) + aligned(int64(parts*k.Size()))
	}
	return n
}

func aligned(bytes int64) int64 { return (bytes + sharedAlign - 1) &^ (sharedAlign - 1) }

// barrier checks `barrier()`, which functions may call for the kernels that call them.
func (b *body) barrier(e *dsl.CallExpr) operand {
	b.barriers = append(b.barriers, at(e))
	switch {
	case len(b.unordered) > 0:
		b.report(&UnorderedLoopError{span: at(e), What: "`barrier`", Loop: b.unorderedLoop()})
	case b.fn == nil && !b.blocks:
		b.report(&BarrierError{span: at(e), ByBlock: b.byBlock()})
	}
	return operand{mode: nothing}
}

// barrierRules checks the calls of functions with barriers: they count as barriers where they stand. There is no recursion
// by then.
func (c *checker) barrierRules() {
	done := map[*Func]bool{}
	var meets func(f *Func) (span, bool)
	meets = func(f *Func) (span, bool) {
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
			place, ok := meets(s.fn)
			switch {
			case !ok:
			case s.loop.At.IsValid():
				b.report(&UnorderedLoopError{span: s.place, What: "`" + s.fn.Name + "`, which has a `barrier`,", Loop: s.loop})
			case b.fn == nil && !b.blocks:
				b.report(&BarrierError{span: s.place, Func: s.fn.Name, Via: place, ByBlock: b.byBlock()})
			}
		}
	}
	for _, b := range c.bodies {
		calls(b)
		if place, ok := meets(b.fn); ok && b.fn.Exported {
			b.report(&BarrierError{span: at(b.fn.Decl.Name), Func: b.fn.Name, Via: place, Go: true})
		}
	}
	for _, k := range c.kernels {
		for _, b := range k.bodies {
			calls(b)
		}
	}
}
