package pass

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// What the threads of a block compute together becomes exchanges through shared memory, with barriers. The order in which
// values are combined is part of the language's meaning here: it depends on the number of threads alone, so that every
// target gives the same bits.
var collect = Pass{
	Name: "collect",
	Doc:  "expand reductions over a block into steps of a tree through shared memory",
	Run: func(k *ir.Kernel) {
		if !contains(k.Body, func(in *ir.Instr) bool { return ir.Ops[in.Op].Class == ir.Collective }) {
			return
		}
		c := &collector{kernel: k, scratch: map[scratch]*ir.Local{}, head: &ir.Block{}}
		to := values{}
		splice(k.Body, func(in *ir.Instr) []*ir.Instr {
			if ir.Ops[in.Op].Class != ir.Collective {
				return []*ir.Instr{in}
			}
			w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
			v := c.expand(w, in)
			if v.Name == "" {
				v.Name = in.Name
			}
			to[in] = v
			return w.Block.Instrs
		})
		to.apply(k.Body)
		k.Body.Instrs = append(c.head.Instrs, k.Body.Instrs...)
	},
}

// collector expands the collective operations of one kernel.
type collector struct {
	kernel  *ir.Kernel
	head    *ir.Block // in front of the body: the thread's linear index
	index   *ir.Instr
	scratch map[scratch]*ir.Local
}

// scratch says for what a shared variable of the pass is. All operations of a kernel that need the same have one.
type scratch struct {
	kind types.Kind
	scan bool
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

// shared is the variable of the given number of elements for what s says.
func (c *collector) shared(s scratch, size int64) *ir.Local {
	l := c.scratch[s]
	if l == nil {
		l = c.kernel.NewLocal(&ir.Local{Name: "scratch", Type: &types.Array{Dims: []int64{size}, Elem: s.kind}, Pos: c.kernel.Pos, Shared: true})
		c.scratch[s] = l
	}
	return l
}

// expand appends what in computes.
func (c *collector) expand(w ir.Builder, in *ir.Instr) *ir.Instr {
	if in.Op != ir.OpReduce {
		panic("collect: " + in.Op.String())
	}
	x, r := in.Args[0], in.Reduce
	switch k := x.Kind(); k {
	case types.Bool: // as numbers, of which the largest or the least says it
		n := c.block(w, r, w.Select(x, w.Const(types.Uint32, 1), w.Const(types.Uint32, 0)))
		return w.Bin(ir.OpNe, n, w.Const(types.Uint32, 0))
	case types.Int: // which has no form in memory
		return w.Conv(k, c.block(w, r, w.Conv(types.Int64, x)))
	case types.Float16, types.BFloat16: // the reduction of float32 values, rounded once
		return w.Conv(k, c.block(w, r, w.Conv(types.Float32, x)))
	}
	return c.block(w, r, x)
}

// combine appends one step of a reduction.
func combine(w ir.Builder, r ir.Reduction, x, y *ir.Instr) *ir.Instr {
	in := w.Bin(r.Op(), x, y)
	in.NoFuse = in.Op == ir.OpMul
	return in
}
