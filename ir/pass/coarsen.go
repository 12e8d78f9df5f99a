package pass

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// A thread of a memory-bound kernel needs several loads in flight: with one point a thread an elementwise kernel reaches
// about 78 % of the device's bandwidth, with four it reaches all of it. The four points lie a block's width apart, so
// that a subgroup's accesses stay contiguous. Where all four are in the domain everything up to the first store runs for
// all of them before any store; the last blocks take what is left one by one.
//
// Kernels of blocks say themselves what a thread does. Bodies with loops have their own loads in flight and keep one point,
// as do long ones, which would run out of registers, and those that print: they are for reading, not for speed.
var coarsen = Pass{
	Name: "coarsen",
	Doc:  "give a thread four points when the body is short, has no loop, and the domain may fill them",
	Run: func(k *ir.Kernel) {
		c := &coarsener{kernel: k}
		if len(k.Group) == 0 && c.find() {
			c.run()
		}
	},
}

const (
	coarsenPer = 4
	coarsenMax = 160 // instructions of a body, without leaves
)

// coarsener holds the parts of what schedule made.
type coarsener struct {
	kernel *ir.Kernel
	size   *ir.Instr // the block's width in blockidx.x*size
	block  *ir.Block // ends with guard
	guard  *ir.Instr // if x < hi { body }
}

// find reports whether the body is worth several points, and finds the parts.
func (c *coarsener) find() bool {
	for _, in := range c.kernel.Body.Instrs {
		if in.Op == ir.OpMul && in.Args[0].Op == ir.OpBlockIdx && in.Args[0].Dim == 0 {
			c.size = in.Args[1]
		}
	}
	c.block = c.kernel.Body
	for {
		c.guard = c.block.Instrs[len(c.block.Instrs)-1]
		if c.guard.Op != ir.OpRange {
			break
		}
		c.block = c.guard.Blocks[0]
	}
	d := c.kernel.Domain[len(c.kernel.Domain)-1]
	if d.Lo.Op == types.HConst && d.Hi.Op == types.HConst && d.Hi.Val-d.Lo.Val < coarsenPer*c.size.Int64() {
		return false
	}
	body := c.guard.Blocks[0]
	if contains(body, func(in *ir.Instr) bool {
		return in.Op == ir.OpRange || in.Op == ir.OpLoop || in.Op == ir.OpPrint
	}) {
		return false
	}
	n := 0
	body.Walk(func(in *ir.Instr) {
		if ir.Ops[in.Op].Class != ir.Leaf {
			n++
		}
	})
	return n <= coarsenMax
}

// run replaces the guard by `if x + 3*width < hi { four copies } else { a loop over what is left }`.
func (c *coarsener) run() {
	x, hi := c.guard.Args[0].Args[0], c.guard.Args[0].Args[1]
	k := x.Kind()
	width := c.size.Int64()
	c.size.Bits *= coarsenPer
	c.kernel.Sched.Per = coarsenPer

	at := len(c.block.Instrs) - 2 // the comparison, then the guard
	body := c.guard.Blocks[0].Instrs
	w := ir.Builder{Block: c.block, Pos: c.guard.Pos}
	c.block.Instrs = slices.Clip(c.block.Instrs[:at])
	step := func(w ir.Builder, u int64) *ir.Instr { return exact(w.Bin(ir.OpAdd, x, w.Const(k, u*width))) }

	fast := w.If(w.Bin(ir.OpLt, step(w, coarsenPer-1), hi))
	f := w.In(fast.Blocks[0])
	first := slices.IndexFunc(body, writes)
	if first < 0 {
		first = len(body)
	}
	var late [][]*ir.Instr
	for u := range int64(coarsenPer) {
		p := x
		if u > 0 {
			p = step(f, u)
			p.Name = x.Name
		}
		copied := c.copy(body, x, p)
		f.Block.Instrs = append(f.Block.Instrs, copied[:first]...)
		late = append(late, copied[first:])
	}
	for _, l := range late {
		f.Block.Instrs = append(f.Block.Instrs, l...)
	}

	t := w.In(fast.Blocks[1])
	rest := t.Range(x.Name, x, hi, t.Const(k, width))
	rest.Blocks[0].Instrs = c.copy(body, x, rest.Blocks[0].Iter)
}

// copy is the body with p for x and with locals of its own.
func (c *coarsener) copy(body []*ir.Instr, x, p *ir.Instr) []*ir.Instr {
	cl := ir.NewCloner()
	cl.Values[x] = p
	b := &ir.Block{Instrs: body}
	b.Walk(func(in *ir.Instr) {
		if l := in.Local; l != nil && cl.Locals[l] == nil {
			n := *l
			cl.Locals[l] = c.kernel.NewLocal(&n)
		}
	})
	return cl.Block(b).Instrs
}

// writes reports whether in stores to memory, itself or in a block.
func writes(in *ir.Instr) bool {
	return contains(&ir.Block{Instrs: []*ir.Instr{in}}, func(in *ir.Instr) bool { return in.Op == ir.OpStore || in.Op == ir.OpAtomic })
}
