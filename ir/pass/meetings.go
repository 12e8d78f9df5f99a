package pass

import (
	"slices"

	"github.com/gpugen/gpugen/ir"
)

// meetings finds the instructions of a `by block` kernel in front of which the threads of a block must meet: an access of
// memory, or a spread loop with one, behind an access of the same memory by other threads, if one of the two stores. An
// atomic operation counts as a store: those of one statement have no order, but come before those of the next. So does a print,
// into a memory of all prints: a point prints in its order, but for the iterations of a loop. What stands
// outside of spread loops is loaded by all threads and stored by thread 0. Two spread loops may follow each other without a
// barrier where each thread comes back to the elements that it had in the first. A comprehension ends with a barrier of its
// own where a block is more than one subgroup, so that its reduction goes through shared memory. Control is the same for
// all threads, so that a barrier can stand anywhere.
func meetings(k *ir.Kernel) map[*ir.Instr]bool {
	m := &meeter{before: map[*ir.Instr]bool{}, same: map[*ir.Param]*ir.Param{}, several: k.GroupSize() > ir.Subgroup}
	for _, p := range k.InPlace { // may be one memory
		if a, b := m.one(k.Params[p[0]]), m.one(k.Params[p[1]]); a != b {
			m.same[b] = a
		}
	}
	m.block(k.Body, pending{})
	return m.before
}

// meeter walks the body with the accesses since the last barrier.
type meeter struct {
	before map[*ir.Instr]bool
	same   map[*ir.Param]*ir.Param // of views that may be the same range
	around []*ir.Instr             // Ranges, Loops and Scopes, the innermost last
	ends   map[way]pending

	several bool // a block is several subgroups
}

// touch is an access.
type touch struct {
	write bool
	loop  *ir.Instr // the spread loop that it is in, or nil
	own   []int     // the positions of the loop's indexes among those of the element: only their thread has it; or nil
}

// leaf is a part of the elements of a view.
type leaf struct {
	view *ir.Param
	leaf int
}

// pending is the accesses since the last barrier, by memory: a leaf, a shared *ir.Local or prints. It is nil where control does
// not come.
type pending map[any][]touch

func (p pending) clone() pending {
	if p == nil {
		return nil
	}
	out := pending{}
	for m, ts := range p {
		out[m] = slices.Clip(ts)
	}
	return out
}

// add notes t and reports whether it is new.
func (p pending) add(m any, t touch) bool {
	if slices.ContainsFunc(p[m], func(o touch) bool { return o.write == t.write && o.loop == t.loop && slices.Equal(o.own, t.own) }) {
		return false
	}
	p[m] = append(p[m], t)
	return true
}

// join is what may be pending where p and q come together, and whether q adds something to p.
func join(p, q pending) (out pending, more bool) {
	if p == nil || q == nil {
		if p == nil {
			return q, q != nil
		}
		return p, false
	}
	out = p.clone()
	for m, ts := range q {
		for _, t := range ts {
			more = out.add(m, t) || more
		}
	}
	return out, more
}

func joined(p, q pending) pending {
	out, _ := join(p, q)
	return out
}

// one stands for all views that may be the same range as p.
func (m *meeter) one(p *ir.Param) *ir.Param {
	for m.same[p] != nil {
		p = m.same[p]
	}
	return p
}

// prints is the memory that prints write.
type prints struct{}

// memory is what an access touches; nil: what only this thread has.
func (m *meeter) memory(in *ir.Instr) any {
	switch {
	case in.Op == ir.OpPrint:
		return prints{}
	case in.Param != nil && in.Op != ir.OpParamGet:
		return leaf{m.one(in.Param), in.Leaf}
	case in.Local != nil && in.Local.Shared:
		return in.Local
	}
	return nil
}

// changes reports an access that changes what it touches.
func changes(in *ir.Instr) bool { return stores(in) || in.Op == ir.OpPrint }

func (m *meeter) block(b *ir.Block, s pending) pending {
	for _, in := range b.Instrs {
		if s == nil {
			return nil
		}
		s = m.instr(in, s)
	}
	return s
}

func (m *meeter) instr(in *ir.Instr, s pending) pending {
	switch in.Op {
	case ir.OpIf:
		return joined(m.block(in.Blocks[0], s.clone()), m.block(in.Blocks[1], s.clone()))
	case ir.OpCondAnd, ir.OpCondOr:
		return joined(m.block(in.Blocks[0], s.clone()), s)
	case ir.OpBarrier:
		return pending{}
	case ir.OpReturn:
		return nil
	case ir.OpBreak, ir.OpContinue:
		w := way{in.Op, m.around[target(in, m.around)]}
		m.ends[w] = joined(m.ends[w], s)
		return nil
	case ir.OpScope:
		return m.within(in, func() pending { return m.block(in.Blocks[0], s) })
	case ir.OpRange, ir.OpLoop:
		if in.Spread > 0 {
			return m.spread(in, s)
		}
		return m.loop(in, s)
	}
	if at := m.memory(in); at != nil {
		s = m.meet(in, s, at, touch{write: changes(in)})
		s.add(at, touch{write: changes(in)})
	}
	return s
}

// within runs f with in around, and gives what is pending behind it.
func (m *meeter) within(in *ir.Instr, f func() pending) pending {
	if m.ends == nil {
		m.ends = map[way]pending{}
	}
	m.around = append(m.around, in)
	s := f()
	m.around = m.around[:len(m.around)-1]
	out := way{ir.OpBreak, in}
	s = joined(s, m.ends[out])
	delete(m.ends, out)
	return s
}

// loop walks a loop that runs in sequence until nothing new is pending at the start of an iteration.
func (m *meeter) loop(in *ir.Instr, entry pending) pending {
	again := way{ir.OpContinue, in}
	return m.within(in, func() pending {
		for {
			s, out := entry.clone(), entry
			if in.Op == ir.OpRange {
				s = joined(m.block(in.Blocks[0], s), m.ends[again])
			} else {
				s = m.block(in.Blocks[0], s)
				if out = s.clone(); len(in.Blocks[0].Instrs) == 0 { // it ends by Break alone
					out = nil
				}
				s = m.block(in.Blocks[2], joined(m.block(in.Blocks[1], s), m.ends[again]))
			}
			delete(m.ends, again)
			next, more := join(entry, s)
			if !more {
				return out
			}
			entry = next
		}
	})
}

// spread adds the accesses of a spread loop, which have no order among themselves.
func (m *meeter) spread(in *ir.Instr, s pending) pending {
	type access struct {
		at any
		touch
	}
	var all []access
	in.Blocks[0].Walk(func(c *ir.Instr) {
		if at := m.memory(c); at != nil {
			all = append(all, access{at, touch{changes(c), in, owned(in, c)}})
		}
	})
	for _, a := range all {
		s = m.meet(in, s, a.at, a.touch)
	}
	for _, a := range all {
		s.add(a.at, a.touch)
	}
	if in.Reduce != ir.NoReduction && m.several {
		return pending{}
	}
	return s
}

// meet puts a barrier in front of in if an access of its threads needs one.
func (m *meeter) meet(in *ir.Instr, s pending, at any, t touch) pending {
	if m.before[in] = m.before[in] || slices.ContainsFunc(s[at], t.apart); m.before[in] {
		return pending{}
	}
	return s
}

// apart reports whether a barrier must lie between two accesses of one memory.
func (t touch) apart(o touch) bool {
	switch {
	case !t.write && !o.write:
		return false
	case t.loop == nil && o.loop == nil: // thread 0 stores
		return t.write != o.write
	case t.loop == nil || o.loop == nil || t.own == nil || !slices.Equal(t.own, o.own):
		return true
	}
	a, b := t.loop, o.loop
	for a != nil && b != nil { // iteration i is of thread i-lo, counted round
		if !alwaysSame(a.Args[0], b.Args[0], 0) {
			return true
		}
		a, b = a.Inner(), b.Inner()
	}
	return a != nil || b != nil
}

// owned is where the indexes of a spread loop stand, each alone, among the indexes of an access in it, or nil.
func owned(loop, in *ir.Instr) (own []int) {
	for r := loop; r != nil; r = r.Inner() {
		i := slices.Index(in.Indexes(), r.Blocks[0].Iter)
		if i < 0 {
			return nil
		}
		own = append(own, i)
	}
	return own
}

// maxCompared bounds the depth of values that are compared.
const maxCompared = 8

// alwaysSame reports that two values are the same for the whole of a point, wherever they are computed.
func alwaysSame(a, b *ir.Instr, depth int) bool {
	if a.Op != b.Op || a.Type != b.Type || len(a.Args) != len(b.Args) || depth > maxCompared {
		return false
	}
	switch a.Op {
	case ir.OpConst:
		return a.Bits == b.Bits
	case ir.OpParamGet, ir.OpExtent, ir.OpPoint:
		return a.Param == b.Param && a.Sym == b.Sym && a.Dim == b.Dim
	}
	if ir.Ops[a.Op].Class != ir.Pure {
		return false
	}
	for i := range a.Args {
		if !alwaysSame(a.Args[i], b.Args[i], depth+1) {
			return false
		}
	}
	return true
}
