package pass

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// What the threads of a block or subgroup compute together becomes exchanges between lanes, and through shared memory with
// barriers. The order in which values are combined is part of the language's meaning here: it depends on the number of
// threads alone, so that every target gives the same bits, whichever way the values go.
var collect = Pass{
	Name: "collect",
	Doc:  "expand reductions over blocks and subgroups into shuffles, and shared memory for the results of subgroups",
	Run:  func(k *ir.Kernel) { expandCollectives(k, true) },
}

// collectShared is collect for targets on which what is not about subgroups goes through shared memory alone.
var collectShared = Pass{
	Name: "collectshared",
	Doc:  "expand reductions over blocks into steps of a tree through shared memory, those over subgroups into shuffles",
	Run:  func(k *ir.Kernel) { expandCollectives(k, false) },
}

// expandCollectives expands what is Collective in k, and the lane and number of subgroups.
func expandCollectives(k *ir.Kernel, shuffles bool) {
	if len(k.Group) == 0 {
		return
	}
	c := &collector{kernel: k, scratch: map[scratch]*ir.Local{}, head: &ir.Block{}}
	c.shuffles = shuffles && k.GroupSize()%ir.Subgroup == 0
	to := values{}
	c.block(k.Body, to, false)
	to.apply(k.Body)
	k.Body.Instrs = append(c.head.Instrs, k.Body.Instrs...)
}

// collector expands the collective operations of one kernel.
type collector struct {
	kernel   *ir.Kernel
	shuffles bool      // reductions over the block go through subgroups
	head     *ir.Block // in front of the body: the thread's linear index
	index    *ir.Instr
	laneAt   *ir.Instr
	lane32   *ir.Instr
	groupAt  *ir.Instr
	scratch  map[scratch]*ir.Local
}

// scratch says for what a shared variable of the pass is. All operations of a kernel that need the same have one, but for
// those on the way of subgroups outside of loops, which have one each.
type scratch struct {
	kind types.Kind
	scan bool
	own  *ir.Instr
}

// block expands what stands in b; loop says that b may run more than once.
func (c *collector) block(b *ir.Block, to values, loop bool) {
	var out []*ir.Instr
	for _, in := range b.Instrs {
		for _, inner := range in.Blocks {
			c.block(inner, to, loop || in.Op == ir.OpRange || in.Op == ir.OpLoop)
		}
		w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
		v := c.expand(w, in, loop)
		if v == nil {
			out = append(out, in)
			continue
		}
		if v.Name == "" && ir.Ops[v.Op].Class != ir.Leaf {
			v.Name = in.Name
		}
		to[in] = v
		out = append(out, w.Block.Instrs...)
	}
	b.Instrs = out
}

// thread is the linear index of the thread in its block.
func (c *collector) thread() *ir.Instr {
	if c.index != nil {
		return c.index
	}
	w := ir.Builder{Block: c.head, Pos: c.kernel.Pos}
	for d, t := range c.kernel.Group {
		i := w.Thread(d)
		i.Name = t.Name
		if d == 0 {
			c.index = i
			continue
		}
		row := exact(w.Bin(ir.OpMul, c.index, w.Int(t.N)))
		c.index = exact(w.Bin(ir.OpAdd, row, i))
	}
	return c.index
}

// lane is the thread's number in its subgroup.
func (c *collector) lane() *ir.Instr {
	if c.laneAt == nil {
		i := c.thread()
		w := ir.Builder{Block: c.head, Pos: c.kernel.Pos}
		c.laneAt = w.Bin(ir.OpAnd, i, w.Int(ir.Subgroup-1))
	}
	return c.laneAt
}

// laneInt32 is the lane as shuffles take it.
func (c *collector) laneInt32() *ir.Instr {
	if c.lane32 == nil {
		l := c.lane()
		c.lane32 = ir.Builder{Block: c.head, Pos: c.kernel.Pos}.Conv(types.Int32, l)
	}
	return c.lane32
}

// subgroup is the number of the thread's subgroup.
func (c *collector) subgroup() *ir.Instr {
	if c.groupAt == nil {
		i := c.thread()
		w := ir.Builder{Block: c.head, Pos: c.kernel.Pos}
		c.groupAt = w.Bin(ir.OpShr, i, w.Int(5))
	}
	return c.groupAt
}

// shared is the variable of the given number of elements for what s says.
func (c *collector) shared(s scratch, size int64) *ir.Local {
	l := c.scratch[s]
	if l == nil {
		l = c.kernel.NewLocal(&ir.Local{Name: "scratch", Type: &types.Array{Dims: []int64{size}, Elem: s.kind}, Pos: c.kernel.Pos, Shared: true})
		c.scratch[s] = l
	}
	return l
}

// expand appends what in computes; nil for what stays.
func (c *collector) expand(w ir.Builder, in *ir.Instr, loop bool) *ir.Instr {
	switch in.Op {
	case ir.OpLane:
		return c.lane()
	case ir.OpSubgroup:
		return c.subgroup()
	case ir.OpShuffle:
		return c.shuffle(w, in)
	case ir.OpReduce, ir.OpSubReduce:
	default:
		return nil
	}
	reduce := c.tree
	switch {
	case in.Op == ir.OpSubReduce:
		reduce = c.butterfly
	case c.shuffles:
		reduce = func(w ir.Builder, r ir.Reduction, v *ir.Instr) *ir.Instr { return c.bySubgroups(w, r, v, in, loop) }
	}
	x, r := in.Args[0], in.Reduce
	switch k := x.Kind(); k {
	case types.Bool:
		if in.Op == ir.OpSubReduce || c.shuffles {
			return c.vote(w, in, loop)
		}
		// As numbers, whose bits say it.
		n := reduce(w, r, w.Select(x, w.Const(types.Uint32, 1), w.Const(types.Uint32, 0)))
		return w.Bin(ir.OpNe, n, w.Const(types.Uint32, 0))
	case types.Int: // which has no form in memory
		return w.Conv(k, reduce(w, r, w.Conv(types.Int64, x)))
	case types.Float16, types.BFloat16: // the reduction of float32 values, rounded once
		return w.Conv(k, reduce(w, r, w.Conv(types.Float32, x)))
	}
	return reduce(w, r, x)
}

// combine appends one step of a reduction.
func combine(w ir.Builder, r ir.Reduction, x, y *ir.Instr) *ir.Instr {
	in := w.Bin(r.Op(), x, y)
	in.NoFuse = in.Op == ir.OpMul
	return in
}
