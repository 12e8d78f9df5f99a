package check

import (
	"cmp"
	"fmt"
	"slices"

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

// wholeShared reports a shared array.
func (v *Var) wholeShared() bool {
	_, array := v.Type.(*types.Array)
	return array && v.Kind == SharedVar
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

// sharedType is the type of shared variables: one that can live in memory.
func (b *body) sharedType(e dsl.Expr) types.Type {
	elem := e
	var t types.Type
	if a, ok := dsl.Unparen(e).(*dsl.ArrayType); ok {
		elem = a.Elem
		if t = b.arrayType(a, maxSharedBytes, "a `shared` array"); t != types.Invalid {
			b.facts.Types[e] = t
		}
	} else {
		t = b.typ(e)
	}
	if holds(t, types.Int) {
		b.report(&SharedTypeError{at(elem)})
		return types.Invalid
	}
	return t
}

// sharedLimit tests the shared memory of a block against the limit of t. The error names every target of the kernel that
// the same variable, or reduction, is too much for.
func (b *body) sharedLimit(t types.Target) diag.Error {
	bytes := int64(0)
	parts := b.sharedParts()
	for _, p := range parts {
		before := bytes
		if bytes += p.bytes; bytes <= int64(types.LimitsOf(t).Shared) {
			bytes = aligned(bytes)
			continue
		}
		all := int64(0)
		for _, p := range parts {
			all += aligned(p.bytes)
		}
		e := &SharedLimitError{span: p.place, Name: p.name, Bytes: bytes, Whole: before == 0}
		for _, o := range b.asked.List() {
			limit := int64(types.LimitsOf(o).Shared)
			if before <= limit && bytes > limit {
				e.Targets = append(e.Targets, o)
			}
			if all <= limit {
				e.Others |= types.TargetsOf(o)
			}
		}
		return e
	}
	return nil
}

// sharedPart is something that takes shared memory.
type sharedPart struct {
	name  string
	bytes int64
	place span
}

// sharedParts are the shared variables, then what reductions and spread comprehensions take, in the order of their places.
func (b *body) sharedParts() (out []sharedPart) {
	for _, s := range b.shared {
		out = append(out, sharedPart{s.v.Name, sharedSize(s.v.Type), s.place})
	}
	n, name, reduces := int64(1), "block", map[scratch]span(nil)
	switch {
	case b.byBlock():
		n, name = types.BlockThreads, ""
		if b.kernel.Threads > 0 {
			n = int64(b.kernel.Threads)
		}
		for _, u := range b.atomicsOf(b.atomics, b.calls) { // thread 0 tells the others
			out = append(out, sharedPart{"", int64(u.kind.Size()), u.place})
		}
		reduces = b.reductions(b.folds, b.checker.folds, b.foldAll, b.calls)
	case b.blocks:
		n = b.groupSize()
		reduces = b.reductions(b.reduces, b.checker.scratch, b.reduceAll, b.calls)
	}
	own := len(out)
	for s, place := range reduces {
		out = append(out, sharedPart{name, types.ReduceScratch(n, s.scan) * int64(s.kind.Size()), place})
	}
	slices.SortFunc(out[own:], func(p, q sharedPart) int {
		return cmp.Or(p.place.At.Compare(q.place.At), cmp.Compare(p.bytes, q.bytes))
	})
	return out
}

func aligned(bytes int64) int64 { return (bytes + sharedAlign - 1) &^ (sharedAlign - 1) }

// sharedSize is the shared memory of a variable: each leaf of a composite one is a variable of its own.
func sharedSize(t types.Type) (n int64) {
	for _, l := range types.Leaves(t) {
		n = aligned(n) + types.Size(l.Type())
	}
	return n
}
