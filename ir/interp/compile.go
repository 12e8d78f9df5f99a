package interp

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// signal says how control goes on after a step. Break and Continue of Level n are leave and again, n levels on.
type signal uint32

const (
	next signal = iota
	ret
	stop // the run ends here: its budget is spent, or its block is given up
	_
	leave
	again // the next iteration

	level = again - leave + 1
)

// out is what a signal that ends a Range, Loop or Scope means around it.
func (s signal) out() signal {
	switch {
	case s < leave:
		return s
	case s == leave:
		return next
	}
	return s - level
}

// step runs one instruction on the registers.
type step func(r []uint64) signal

// program is a kernel compiled for one launch.
type program struct {
	body             step
	registers        int
	localLo, localHi int // the kernel's locals but the shared ones, zeroed before each point
	constants        []constant
	barriers         bool

	lane, subgroup                              int
	point, thread, blockIdx, threadIdx, gridDim [3]int
}

// file makes a register file.
func (p *program) file() []uint64 {
	r := make([]uint64, p.registers)
	for _, c := range p.constants {
		r[c.reg] = c.bits
	}
	return r
}

// constant is a register that holds one value for the whole launch.
type constant struct {
	reg  int
	bits uint64
}

// compiler gives every value and every local a place in one register file. A function that is not yet inlined has its
// places once: there is no recursion.
type compiler struct {
	m      *machine
	p      *program
	values map[*ir.Instr]int
	locals map[*ir.Local]int
	funcs  map[*ir.Func]*function
	fn     *function          // being compiled; nil in the kernel
	nested map[*ir.Instr]bool // Ranges that are inner indexes of a `for … in`
}

type function struct {
	body    step // nil while it is being compiled
	lo, hi  int  // locals
	results []int
}

func compile(m *machine) *program {
	c := &compiler{m: m, p: &program{}, values: map[*ir.Instr]int{}, locals: map[*ir.Local]int{}, funcs: map[*ir.Func]*function{}, nested: map[*ir.Instr]bool{}}
	for d := range 3 {
		c.p.point[d], c.p.thread[d], c.p.blockIdx[d], c.p.threadIdx[d], c.p.gridDim[d] = c.alloc(1), c.alloc(1), c.alloc(1), c.alloc(1), c.alloc(1)
	}
	c.p.lane, c.p.subgroup = c.alloc(1), c.alloc(1)
	m.common = newCommon(m.kernel)
	c.p.localLo, c.p.localHi = c.place(m.kernel.Locals)
	c.p.body = c.block(m.kernel.Body)
	return c.p
}

func (c *compiler) alloc(words int) int {
	at := c.p.registers
	c.p.registers += words
	return at
}

// place gives locals consecutive registers and returns their range. Shared ones live elsewhere.
func (c *compiler) place(ls []*ir.Local) (lo, hi int) {
	lo = c.p.registers
	for _, l := range ls {
		if !l.Shared {
			c.locals[l] = c.alloc(words(l.Type))
		}
	}
	return lo, c.p.registers
}

// words is the number of registers of a value: one a basic element.
func words(t types.Type) int {
	switch t := t.(type) {
	case nil:
		return 0
	case types.Kind:
		return 1
	case *types.Array:
		return int(t.Len()) * words(t.Elem)
	}
	panic(fmt.Sprintf("interp: value of type %T", t))
}

func (c *compiler) reg(in *ir.Instr) int {
	if r, ok := c.values[in]; ok {
		return r
	}
	r := c.leaf(in)
	c.values[in] = r
	return r
}

// leaf places a value: leaves are set once a launch or once a point, all others by their step.
func (c *compiler) leaf(in *ir.Instr) int {
	fixed := func(bits uint64) int {
		r := c.alloc(1)
		c.p.constants = append(c.p.constants, constant{r, bits})
		return r
	}
	switch in.Op {
	case ir.OpConst:
		if _, isArray := in.Type.(*types.Array); isArray {
			return c.alloc(words(in.Type)) // the zero value, never written
		}
		return fixed(norm(in.Kind(), in.Bits))
	case ir.OpParamGet:
		if b := c.m.args[in.Param.Index].Buffer; b != nil {
			leaf := in.Param.Leaf(in.Leaf)
			return fixed(loader(leaf.Kind)(b.Data[leaf.Offset:], 0))
		}
		return fixed(norm(in.Kind(), c.m.args[in.Param.Index].Bits))
	case ir.OpExtent:
		return fixed(uint64(c.m.launch.Extents[in.Sym.Index]))
	case ir.OpPoint:
		return c.p.point[in.Dim]
	case ir.OpLane:
		return c.p.lane
	case ir.OpSubgroup:
		return c.p.subgroup
	case ir.OpThread:
		return c.p.thread[in.Dim]
	case ir.OpBlockIdx:
		return c.p.blockIdx[in.Dim]
	case ir.OpThreadIdx:
		return c.p.threadIdx[in.Dim]
	case ir.OpGridDim:
		return c.p.gridDim[in.Dim]
	}
	return c.alloc(words(in.Type))
}

func (c *compiler) regs(ins []*ir.Instr) []int {
	rs := make([]int, len(ins))
	for i, in := range ins {
		rs[i] = c.reg(in)
	}
	return rs
}

// block compiles the instructions of b to one step.
func (c *compiler) block(b *ir.Block) step {
	var steps []step
	for _, in := range b.Instrs {
		if s := c.instr(in); s != nil {
			steps = append(steps, s)
		}
	}
	switch len(steps) {
	case 0:
		return func([]uint64) signal { return next }
	case 1:
		return steps[0]
	}
	return func(r []uint64) signal {
		for _, s := range steps {
			if sig := s(r); sig != next {
				return sig
			}
		}
		return next
	}
}

// yielding compiles a block that ends with Yield, and says where its value is.
func (c *compiler) yielding(b *ir.Block) (body step, value int) {
	last := b.Instrs[len(b.Instrs)-1]
	if last.Op != ir.OpYield {
		panic(fmt.Sprintf("interp: a block ends with %s, not yield", last.Op))
	}
	body = c.block(&ir.Block{Instrs: b.Instrs[:len(b.Instrs)-1]})
	return body, c.reg(last.Args[0])
}

// instr compiles one instruction; nil when there is nothing to do at its place.
func (c *compiler) instr(in *ir.Instr) step {
	switch info := ir.Ops[in.Op]; info.Class {
	case ir.Leaf:
		c.reg(in)
		return nil
	case ir.Pure:
		return c.pure(in)
	case ir.Collective:
		return c.collective(in)
	case ir.Read, ir.Write:
		if in.Op == ir.OpAtomic {
			return c.atomic(in)
		}
		if in.Op == ir.OpReport || in.Op == ir.OpPrint {
			return c.tell(in)
		}
		if in.Local != nil && in.Local.Shared {
			return c.shared(in)
		}
		return c.access(in)
	}
	return c.structure(in)
}

func (c *compiler) pure(in *ir.Instr) step {
	a := c.regs(in.Args)
	d := c.reg(in)
	if in.Op == ir.OpSelect {
		n := words(in.Type)
		return func(r []uint64) signal {
			from := a[1]
			if r[a[0]] == 0 {
				from = a[2]
			}
			copy(r[d:d+n], r[from:from+n])
			return next
		}
	}
	k := in.Args[0].Kind()
	switch len(a) {
	case 1:
		if f := unary(in.Op, k, in.Kind()); f != nil {
			return c.checked(in, a, func(r []uint64) signal { r[d] = f(r[a[0]]); return next })
		}
	case 2:
		x, y := a[0], a[1]
		if f := binary(in.Op, k); f != nil {
			return c.checked(in, a, func(r []uint64) signal { r[d] = f(r[x], r[y]); return next })
		}
	case 3:
		if f := fma(in.Op, k); f != nil {
			return func(r []uint64) signal { r[d] = f(r[a[0]], r[a[1]], r[a[2]]); return next }
		}
	}
	panic(fmt.Sprintf("interp: %s on %s", in.Op, k))
}

// checked adds to s what a checked build reports, and what a pass claimed.
func (c *compiler) checked(in *ir.Instr, a []int, s step) step {
	m, k := c.m, in.Args[0].Kind()
	if in.NoWrap && k.IsSigned() {
		return func(r []uint64) signal {
			if overflows(in.Op, k, int64(r[a[0]]), int64(r[a[len(a)-1]])) {
				m.broken(in)
			}
			return s(r)
		}
	}
	if k.IsFloat() {
		return s
	}
	switch in.Op {
	case ir.OpDiv, ir.OpRem:
		return func(r []uint64) signal {
			if r[a[1]] == 0 {
				m.note(in, Finding{Kind: ZeroDivisor})
			}
			return s(r)
		}
	case ir.OpDivNZ, ir.OpRemNZ:
		least := uint64(1) << (k.Bits() - 1)
		return func(r []uint64) signal {
			if y := r[a[1]]; y == 0 || k.IsSigned() && y == ^uint64(0) && r[a[0]] == norm(k, least) {
				m.broken(in)
			}
			return s(r)
		}
	case ir.OpShl, ir.OpShr:
		if !in.Args[1].Kind().IsSigned() {
			return s
		}
		return func(r []uint64) signal {
			if n := int64(r[a[1]]); n < 0 {
				m.note(in, Finding{Kind: NegativeShift, Index: n})
			}
			return s(r)
		}
	case ir.OpShlIn, ir.OpShrIn:
		return func(r []uint64) signal {
			if r[a[1]] >= uint64(k.Bits()) {
				m.broken(in)
			}
			return s(r)
		}
	}
	return s
}
