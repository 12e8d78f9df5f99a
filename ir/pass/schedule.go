package pass

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// The last dim, x, is spread over blocks of Block[0]*Per points and has no limit; y and z are grid strides, since a grid
// has at most 65,535 blocks along them and the host folds more. With x in front of the loops over y and z:
//
//	x = lo + blockidx.x*Block[0] + threadidx.x
//	for y = blockidx.y*Block[1] + threadidx.y; y < count; y += griddim.y*Block[1] {
//		if x < hi { body }
//	}
//
// In a wide kernel lo may be so large that the threads behind the last point have no x: there the guard compares what is
// to be added to lo.
//
// A kernel of blocks says itself what a block and its threads are: the host launches exactly the blocks of the last dim, so
// that x = lo + blockidx.x needs no guard, and the loops over y and z stride by whole grids. Where threads share memory a
// barrier at the end of the body keeps a block from starting its next point while some thread is still in the last. The
// blocks of a `by block` kernel are its points, of which there may be more than 2^31 along x: its wide variant strides
// there too.
//
// In a narrow kernel the arithmetic is int32 and cannot wrap: see narrowLimit. Per is 1 here; coarsen raises it.
var schedule = Pass{
	Name: "schedule",
	Doc:  "map the points of the domain to blocks of threads",
	Run: func(k *ir.Kernel) {
		s := &scheduler{kernel: k, kind: types.Int32, point: make([]*ir.Instr, len(k.Domain))}
		if k.Wide {
			s.kind = types.Int
		}
		if len(k.Group) > 0 {
			s.blocks()
			return
		}
		k.Sched = &ir.Schedule{Block: blockShape(len(k.Domain), k.Threads), Per: 1}
		s.run()
	},
}

// maxGridBlock bounds Block[1] and Block[2]: a folded grid strides by 65,535 of them, which must stay under the slack of
// narrowLimit.
const maxGridBlock = 8

// blockShape is the threads of a block along x, y and z for a domain of the given dims; threads is @block's number or 0.
// Rows of a block are whole subgroups of 32 wherever the number allows it.
func blockShape(dims, threads int) [3]int {
	if threads == 0 {
		threads = 256
	}
	rows := threads / 32
	if dims == 1 || threads%32 != 0 {
		return [3]int{threads, 1, 1}
	}
	z := 1
	if dims == 3 && rows%2 == 0 {
		z = 2
	}
	y := maxGridBlock / z
	for rows/z%y != 0 {
		y--
	}
	return [3]int{threads / (y * z), y, z}
}

// scheduler rewrites one kernel.
type scheduler struct {
	kernel  *ir.Kernel
	kind    types.Kind // of the index arithmetic
	point   []*ir.Instr
	threads []*ir.Instr // by dim of Group
}

// run puts the body under the schedule.
func (s *scheduler) run() {
	k := s.kernel
	body := k.Body.Instrs
	k.Body = &ir.Block{}
	w := ir.Builder{Block: k.Body, Pos: k.Pos}
	last := len(k.Domain) - 1
	d := k.Domain[last]
	far := k.Wide && d.Lo.Op != types.HConst
	var x, lo *ir.Instr
	if far {
		w.Pos = d.Pos
		x, lo = s.thread(w, 0), s.end(w, d.Lo)
	} else {
		x = s.first(w, 0, d)
	}
	hi := s.end(w, d.Hi)
	if far {
		hi = exact(w.Bin(ir.OpSub, hi, lo))
	}
	for d := range last { // z outside y
		w = s.stride(w, d)
	}
	w.Pos = d.Pos
	w = w.In(w.If(w.Bin(ir.OpLt, x, hi)).Blocks[0])
	if far {
		x = exact(w.Bin(ir.OpAdd, lo, x))
		x.Name = d.Name
	}
	s.point[last] = x
	s.place(w, body)
}

// blocks puts the body of a kernel of blocks under its schedule.
func (s *scheduler) blocks() {
	k := s.kernel
	k.Sched = &ir.Schedule{Block: [3]int{1, 1, 1}, Per: 1}
	body := k.Body.Instrs
	meets := slices.ContainsFunc(k.Locals, func(l *ir.Local) bool { return l.Shared }) ||
		contains(k.Body, func(in *ir.Instr) bool { return in.Op == ir.OpBarrier })
	k.Body = &ir.Block{}
	w := ir.Builder{Block: k.Body, Pos: k.Pos}
	for d, t := range k.Group {
		dim := len(k.Group) - 1 - d
		k.Sched.Block[dim] = int(t.N)
		in := s.index(w.At(t.Pos), ir.OpThreadIdx, dim)
		in.Name = t.Name
		s.threads = append(s.threads, in)
	}
	last := len(k.Domain) - 1
	strides := last
	if k.ByBlock && k.Wide { // there may be more points than a grid has blocks
		strides++
	} else {
		s.point[last] = s.first(w, 0, k.Domain[last])
	}
	for d := range strides {
		w = s.stride(w, d)
	}
	s.place(w, body)
	if n := len(body); strides > 0 && meets && (n == 0 || body[n-1].Op != ir.OpBarrier) {
		w.New(ir.OpBarrier, nil)
	}
}

// place appends the body with its points, and the indexes of threads in their block, replaced.
func (s *scheduler) place(w ir.Builder, body []*ir.Instr) {
	widened := func(indexes []*ir.Instr) (out []*ir.Instr) {
		for _, p := range indexes {
			out = append(out, w.Conv(types.Int, p))
		}
		return out
	}
	with := map[ir.Op][]*ir.Instr{ir.OpPoint: widened(s.point), ir.OpThread: widened(s.threads)}
	to := values{}
	b := &ir.Block{Instrs: body}
	splice(b, func(in *ir.Instr) []*ir.Instr {
		wide := with[in.Op]
		if wide == nil {
			return []*ir.Instr{in}
		}
		to[in] = wide[in.Dim]
		return nil
	})
	to.apply(b)
	w.Block.Instrs = append(w.Block.Instrs, b.Instrs...)
}

// exact marks index arithmetic that the limits of a narrow kernel keep in range; in 64 bits nothing on earth reaches
// the end.
func exact(in *ir.Instr) *ir.Instr {
	in.NoWrap = true
	return in
}

// index is a BlockIdx, ThreadIdx or GridDim.
func (s *scheduler) index(w ir.Builder, op ir.Op, dim int) *ir.Instr {
	in := w.New(op, s.kind)
	in.Dim = dim
	return in
}

// thread is the number of the thread along a grid dim, blockidx*Block + threadidx; in a kernel of blocks that of the block.
func (s *scheduler) thread(w ir.Builder, dim int) *ir.Instr {
	if len(s.kernel.Group) > 0 {
		return s.index(w, ir.OpBlockIdx, dim)
	}
	size := w.Const(s.kind, int64(s.kernel.Sched.Block[dim]))
	block := exact(w.Bin(ir.OpMul, s.index(w, ir.OpBlockIdx, dim), size))
	return exact(w.Bin(ir.OpAdd, block, s.index(w, ir.OpThreadIdx, dim)))
}

// first is the point of the thread in a domain dim, which carries the dim's name.
func (s *scheduler) first(w ir.Builder, dim int, d ir.Dim) *ir.Instr {
	w.Pos = d.Pos
	x := s.thread(w, dim)
	if !d.Lo.IsConst(0) {
		x = exact(w.Bin(ir.OpAdd, s.end(w, d.Lo), x))
	}
	x.Name = d.Name
	return x
}

// stride opens the loop over domain dim d and gives a builder for its body.
func (s *scheduler) stride(w ir.Builder, d int) ir.Builder {
	dim := len(s.kernel.Domain) - 1 - d
	domain := s.kernel.Domain[d]
	w.Pos = domain.Pos
	count := s.end(w, domain.Hi)
	zero := domain.Lo.IsConst(0)
	var lo *ir.Instr
	if !zero {
		lo = s.end(w, domain.Lo)
		count = exact(w.Bin(ir.OpSub, count, lo))
	}
	step := s.index(w, ir.OpGridDim, dim)
	if len(s.kernel.Group) == 0 {
		step = exact(w.Bin(ir.OpMul, step, w.Const(s.kind, int64(s.kernel.Sched.Block[dim]))))
	}
	name := domain.Name
	if !zero {
		name = ""
	}
	loop := w.Range(name, s.thread(w, dim), count, step)
	w = w.In(loop.Blocks[0])
	p := loop.Blocks[0].Iter
	if !zero {
		p = exact(w.Bin(ir.OpAdd, lo, p))
		p.Name = domain.Name
	}
	s.point[d] = p
	return w
}

// end evaluates a header expression in the kind of index arithmetic.
func (s *scheduler) end(w ir.Builder, h *types.Header) *ir.Instr {
	return w.Conv(s.kind, evaluate(w, s.kernel, h))
}

// evaluate appends the int arithmetic of a header expression. The host has found that nothing in it overflows and that
// no divisor is zero; ceildiv divides by something positive.
func evaluate(w ir.Builder, k *ir.Kernel, h *types.Header) *ir.Instr {
	switch h.Op {
	case types.HConst:
		return w.Int(h.Val)
	case types.HSym:
		if i := slices.IndexFunc(k.Symbols, func(s *ir.Symbol) bool { return s.Name == h.Name }); i >= 0 {
			return w.Extent(k.Symbols[i])
		}
		i := slices.IndexFunc(k.Params, func(p *ir.Param) bool { return p.Name == h.Name })
		return w.Param(k.Params[i])
	case types.HNeg:
		return exact(w.Un(ir.OpNeg, evaluate(w, k, h.X)))
	}
	x, y := evaluate(w, k, h.X), evaluate(w, k, h.Y)
	switch h.Op {
	case types.HAdd:
		return exact(w.Bin(ir.OpAdd, x, y))
	case types.HSub:
		return exact(w.Bin(ir.OpSub, x, y))
	case types.HMul:
		return exact(w.Bin(ir.OpMul, x, y))
	case types.HDiv:
		return w.Bin(ir.OpDivNZ, x, y)
	case types.HRem:
		return w.Bin(ir.OpRemNZ, x, y)
	case types.HMin:
		return w.Bin(ir.OpMin, x, y)
	case types.HMax:
		return w.Bin(ir.OpMax, x, y)
	case types.HCeilDiv:
		up := w.Bin(ir.OpGt, w.Bin(ir.OpRemNZ, x, y), w.Int(0))
		return exact(w.Bin(ir.OpAdd, w.Bin(ir.OpDivNZ, x, y), w.Select(up, w.Int(1), w.Int(0))))
	}
	panic("schedule: header " + h.String())
}
