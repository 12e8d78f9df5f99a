package cpu

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// threads writes a region in loops over the threads of a block, the last dim innermost.
type threads struct {
	f   *fissioner
	r   *region
	out *ir.Block

	outermost *ir.Block // out, or what a condition of the whole block stands in
	short     bool      // guards shorten the loops

	index []*ir.Instr // the thread's index along each dim: a loop's, or a constant
	loop  []*ir.Instr // the Range over each dim; nil where one thread is left
	level map[*ir.Instr]int
	now   map[*ir.Instr]*ir.Instr // what stands for an instruction
	temp  map[*ir.Local]*ir.Local // what stands for a kept variable in one thread
	value map[*ir.Local]*ir.Instr // of a kept variable that the region does not set
	known map[string]*ir.Instr    // harmless operations that the loops hold, by what they compute
}

func (f *fissioner) threads(b *ir.Block, r *region) {
	instrs := f.needed(r)
	if len(instrs) == 0 {
		return
	}
	t := &threads{
		f: f, r: r, out: b, outermost: b, level: map[*ir.Instr]int{}, now: map[*ir.Instr]*ir.Instr{},
		temp: map[*ir.Local]*ir.Local{}, value: map[*ir.Local]*ir.Instr{}, known: map[string]*ir.Instr{},
	}
	g := t.guards(instrs)
	t.open(g)
	if g != nil {
		t.short = true
		instrs = g.body(t)
	}
	r.instrs = instrs
	t.fetch()
	for _, in := range instrs {
		t.write(in)
	}
	t.store()
	for d := len(t.loop) - 1; d >= 0; d-- {
		if t.loop[d] != nil {
			t.block(d - 1).Add(t.loop[d])
		}
	}
}

// needed are the instructions of a region that do something, or give a value to one that does or to another region.
func (f *fissioner) needed(r *region) []*ir.Instr {
	need := map[*ir.Instr]bool{}
	var out []*ir.Instr
	for _, in := range slices.Backward(r.instrs) {
		if !need[in] && f.spill[in] == nil && !acts(in) {
			continue
		}
		out = append(out, in)
		walk([]*ir.Instr{in}, func(in *ir.Instr) {
			for _, a := range in.Args {
				need[a] = true
			}
		})
	}
	slices.Reverse(out)
	return out
}

// acts reports an instruction that does more than define a value: an access that may fail counts.
func acts(in *ir.Instr) bool {
	found := false
	walk([]*ir.Instr{in}, func(in *ir.Instr) {
		found = found || !ir.Ops[in.Op].Value && in.Op != ir.OpYield || in.Op == ir.OpAtomic || (in.Op == ir.OpLoad || in.Op == ir.OpElemGet || in.Op == ir.OpTableGet) && !in.InBounds
	})
	return found
}

// open makes the loops, shortened by the guards.
func (t *threads) open(g *guards) {
	out := t.out
	for d, dim := range t.f.k.Group {
		w := ir.Builder{Block: out, Pos: dim.Pos}
		lo, hi := int64(0), dim.N
		var bound *ir.Instr
		if g != nil {
			if g.cond != nil && d == 0 {
				t.out = w.If(g.cond).Blocks[0]
				out = t.out
				w = w.In(out)
			}
			lo, hi, bound = g.lo[d], g.hi[d], g.bound[d]
			if g.minus[d] != nil {
				bound = w.Bin(ir.OpSub, t.leaf(w, bound), t.leaf(w, g.minus[d]))
			} else if bound != nil {
				bound = t.leaf(w, bound)
			}
		}
		if hi-lo == 1 && bound == nil {
			t.index, t.loop = append(t.index, w.Int(lo)), append(t.loop, nil)
			continue
		}
		end := w.Int(hi)
		if bound != nil {
			end = w.Bin(ir.OpMin, bound, end)
		}
		first, step := w.Int(lo), w.Int(1)
		iter := &ir.Instr{Op: ir.OpIter, Type: types.Int, Pos: dim.Pos, Name: dim.Name}
		loop := &ir.Instr{Op: ir.OpRange, Args: []*ir.Instr{first, end, step}, Pos: dim.Pos, Blocks: []*ir.Block{{Iter: iter}}}
		t.index, t.loop = append(t.index, iter), append(t.loop, loop)
		t.level[iter] = d
	}
}

// leaf is a value of the block in front of the loops: a leaf inside a region is copied.
func (t *threads) leaf(w ir.Builder, v *ir.Instr) *ir.Instr {
	if t.f.home[v] == nil {
		return t.f.shown(v)
	}
	c := *v
	return w.Block.Add(&c)
}

// block is where what depends on the first dims up to d stands.
func (t *threads) block(d int) *ir.Block {
	for ; d >= 0; d-- {
		if t.loop[d] != nil {
			return t.loop[d].Blocks[0]
		}
	}
	return t.out
}

// inner is the innermost block.
func (t *threads) inner() *ir.Block { return t.block(len(t.loop) - 1) }

// depth is the dim of the innermost loop that a value depends on, -1 when it is none.
func (t *threads) depth(in *ir.Instr) int {
	if d, ok := t.level[in]; ok {
		return d
	}
	return -1
}

// fetch loads the kept variables that the region needs as they were.
func (t *threads) fetch() {
	var order []*ir.Local
	gets := map[*ir.Local]int{}
	walk(t.r.instrs, func(in *ir.Instr) {
		if l := in.Local; l != nil && t.f.keep[l] != nil && types.KindOf(l.Type) != types.Invalid {
			if gets[l] == 0 {
				order = append(order, l)
			}
			gets[l]++
		}
	})
	w := ir.Builder{Block: t.inner()}
	for _, l := range order {
		w.Pos = l.Pos
		if !t.r.sets(l) {
			v := t.element(w, t.f.keep[l])
			if gets[l] > 1 || !t.plainUse(l) {
				v.Name = l.Name // it will not stand at its use
			}
			t.value[l] = v
			t.level[v] = len(t.loop) - 1
			continue
		}
		if t.plainAccess(l, gets[l]) {
			continue
		}
		t.temp[l] = t.f.k.NewLocal(&ir.Local{Name: l.Name, Type: l.Type, Pos: l.Pos})
		set := false
		if !assigns(t.r.instrs, l, &set) || !set {
			w.LocalSet(t.temp[l], t.element(w, t.f.keep[l]))
		}
	}
}

// plainAccess reports a variable of which n accesses in the region, at most one reading and one assignment outside of any
// branch and loop, go to the element itself.
func (t *threads) plainAccess(l *ir.Local, n int) bool {
	reads := 0
	for _, in := range t.r.instrs {
		if in.Local == l {
			n--
			if in.Op == ir.OpLocalGet {
				reads++
			}
		}
	}
	return n == 0 && reads <= 1 && len(t.assignments(l)) == 1
}

func (t *threads) assignments(l *ir.Local) (sets []*ir.Instr) {
	walk(t.r.instrs, func(in *ir.Instr) {
		if in.Local == l && in.Op == ir.OpLocalSet {
			sets = append(sets, in)
		}
	})
	return sets
}

// plainUse reports a variable that is read once, for an instruction of the region itself and not inside one.
func (t *threads) plainUse(l *ir.Local) bool {
	i := slices.IndexFunc(t.r.instrs, func(in *ir.Instr) bool { return in.Local == l })
	return i >= 0 && slices.ContainsFunc(t.r.instrs[i:], func(in *ir.Instr) bool { return slices.Contains(in.Args, t.r.instrs[i]) })
}

// store keeps what the region has set.
func (t *threads) store() {
	w := ir.Builder{Block: t.inner()}
	for _, l := range t.f.k.Locals {
		if v := t.temp[l]; v != nil {
			w.Pos = l.Pos
			t.setElement(w, t.f.keep[l], w.LocalGet(v))
		}
	}
}

// element is the thread's element of an array over the threads, at further indexes.
func (t *threads) element(w ir.Builder, l *ir.Local, more ...*ir.Instr) *ir.Instr {
	in := w.ElemGet(l, append(slices.Clone(t.index), more...)...)
	in.InBounds = true
	return in
}

func (t *threads) setElement(w ir.Builder, l *ir.Local, v *ir.Instr, more ...*ir.Instr) *ir.Instr {
	in := w.ElemSet(l, v, append(slices.Clone(t.index), more...)...)
	in.InBounds = true
	return in
}

// write writes an instruction of the region, as far out as it may stand.
func (t *threads) write(in *ir.Instr) {
	if ir.Ops[in.Op].Value && t.hoists(in) || t.hoistsRead(in) {
		t.compute(in)
	} else {
		into := &ir.Block{}
		t.copy(into, in) // what it needs of other regions goes before it
		t.inner().Instrs = append(t.inner().Instrs, into.Instrs...)
	}
	if l := t.f.spill[in]; l != nil {
		t.setElement(ir.Builder{Block: t.inner(), Pos: in.Pos}, l, t.now[in])
	}
}

// hoists reports a value that may be computed for more threads at once than need it. A comparison stays with its branch.
func (t *threads) hoists(in *ir.Instr) bool { return harmless(in) && in.Kind() != types.Bool }

// hoistsRead reports a read, by every thread, of an element that does not change in the region and that neighbouring threads
// have in common.
func (t *threads) hoistsRead(in *ir.Instr) bool {
	switch {
	case t.short || !in.InBounds:
		return false
	case in.Op == ir.OpElemGet && (t.f.keep[in.Local] != nil || t.r.sets(in.Local)), in.Op == ir.OpLoad && !t.f.steady(in.Param):
		return false
	case in.Op != ir.OpElemGet && in.Op != ir.OpLoad:
		return false
	}
	d := -1
	for _, a := range in.Args {
		d = max(d, t.depth(t.use(a)))
	}
	return d < len(t.loop)-1
}

// compute writes a harmless operation into the outermost loop that has its operands.
func (t *threads) compute(in *ir.Instr) *ir.Instr {
	c := *in
	c.Args = make([]*ir.Instr, len(in.Args))
	for i, a := range in.Args {
		c.Args[i] = t.use(a)
	}
	d := t.deepest(c.Args)
	if in.Op.IsCompare() || in.Kind() == types.Bool && harmless(in) {
		d = len(t.loop) - 1
	}
	key := computes(&c)
	v := t.known[key]
	switch {
	case v != nil:
	case d < 0 && t.f.lookup(key) != nil:
		v = t.f.lookup(key)
	default:
		v = t.block(d).Add(&c)
		t.level[v], t.known[key] = d, v
		if t.out == t.outermost && d < 0 {
			t.f.learn(key, v)
		}
	}
	v.Name = cmp.Or(v.Name, in.Name)
	t.now[in] = v
	return v
}

// computes says what an operation computes: two that say the same give one value.
func computes(in *ir.Instr) string {
	s := fmt.Sprintf("%d %s %d %d %p %d %p %p", in.Op, in.Type, in.Bits, in.Dim, in.Param, in.Leaf, in.Sym, in.Local)
	for _, a := range in.Args {
		if ir.Ops[a.Op].Class == ir.Leaf && a.Op != ir.OpIter {
			s += " (" + computes(a) + ")"
		} else {
			s += fmt.Sprintf(" %p", a)
		}
	}
	return s
}

// use is what stands for an operand.
func (t *threads) use(in *ir.Instr) *ir.Instr {
	if in.Op == ir.OpThread {
		return t.index[in.Dim]
	}
	if v := t.now[in]; v != nil {
		return v
	}
	switch r := t.f.home[in]; {
	case r == nil && !in.Op.IsCompare():
		return t.f.shown(in)
	case t.f.spill[in] != nil && r != t.r:
		v := t.element(ir.Builder{Block: t.inner(), Pos: in.Pos}, t.f.spill[in])
		v.Name = in.Name
		t.level[v] = len(t.loop) - 1
		t.now[in] = v
		return v
	}
	return t.compute(in)
}

// copy copies an instruction and everything inside into b, as one thread runs it.
func (t *threads) copy(b *ir.Block, in *ir.Instr) {
	w := ir.Builder{Block: b, Pos: in.Pos}
	if in.Op == ir.OpThread {
		return
	}
	args := make([]*ir.Instr, len(in.Args))
	for i, a := range in.Args {
		args[i] = t.use(a)
	}
	if in.Local != nil && t.f.keep[in.Local] != nil {
		t.keptAccess(w, in, args)
		return
	}
	if t.hoists(in) && t.deepest(args) < len(t.loop)-1 {
		t.compute(in) // a branch or loop may skip it, but it does no harm
		return
	}
	c := *in
	c.Args = args
	c.Blocks = make([]*ir.Block, len(in.Blocks))
	for i, from := range in.Blocks {
		to := &ir.Block{}
		if from.Iter != nil {
			iter := *from.Iter
			to.Iter = &iter
			t.now[from.Iter] = &iter
			t.level[&iter] = len(t.loop) - 1
		}
		for _, x := range from.Instrs {
			t.copy(to, x)
		}
		c.Blocks[i] = to
	}
	b.Add(&c)
	t.define(in, &c)
}

// deepest is the depth of the deepest of the values.
func (t *threads) deepest(args []*ir.Instr) int {
	d := -1
	for _, a := range args {
		d = max(d, t.depth(a))
	}
	return d
}

// define notes what stands for a value that the innermost loop computes.
func (t *threads) define(in, v *ir.Instr) {
	t.now[in] = v
	t.level[v] = len(t.loop) - 1
}

// keptAccess is an access to a private variable that lives across barriers.
func (t *threads) keptAccess(w ir.Builder, in *ir.Instr, args []*ir.Instr) {
	l := t.f.keep[in.Local]
	temp := t.temp[in.Local]
	last := len(args) - 1
	switch {
	case in.Op == ir.OpLocalGet && t.value[in.Local] != nil:
		t.now[in] = t.value[in.Local]
	case in.Op == ir.OpLocalGet && temp != nil:
		v := w.LocalGet(temp)
		v.Name = in.Name
		t.define(in, v)
	case in.Op == ir.OpLocalSet && temp != nil:
		w.LocalSet(temp, args[0])
	case in.Op == ir.OpLocalSet:
		t.setElement(w, l, args[0])
	case in.Op == ir.OpElemSet:
		t.setElement(w, l, args[last], args[:last]...).InBounds = in.InBounds
	default:
		v := t.element(w, l, args...)
		v.Name, v.InBounds = in.Name, in.Op == ir.OpLocalGet || in.InBounds
		t.define(in, v)
	}
}
