package pass

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// A `by block` kernel is the program of one thread a point. On a device all threads of a block run it: each computes every
// value and takes every branch, which are the same for all of them, since they start from the same values and loads wait
// for the stores before them (see meetings). Only three things are not done by all alike:
//
//   - a store outside of spread loops, an atomic operation or a print is done by thread 0, which tells the others the value
//     that an atomic operation gave;
//   - an outermost `for … in` gives thread t of T the iterations t, t+T and so on, so that consecutive threads touch
//     consecutive elements; with several indexes subgroups of 32 stand along the last one;
//   - of a comprehension each thread accumulates its part, and a reduction makes one value of the parts, again for all.
//
// Inner loops run in sequence.
var spread = Pass{
	Name: "spread",
	Doc:  "spread the loops of a `by block` kernel over the threads of a block, and place barriers",
	Run: func(k *ir.Kernel) {
		if k.ByBlock {
			newSpreader(k).run()
		}
	},
}

// spreader rewrites one kernel.
type spreader struct {
	kernel  *ir.Kernel
	threads int64
	meets   map[*ir.Instr]bool // a barrier stands in front
	guards  map[*ir.Instr]bool // the Ifs of thread 0
	told    map[types.Kind]*ir.Local
	to      values
}

func newSpreader(k *ir.Kernel) *spreader {
	s := &spreader{kernel: k, threads: int64(k.Threads), guards: map[*ir.Instr]bool{}, told: map[types.Kind]*ir.Local{}, to: values{}}
	if s.threads == 0 {
		s.threads = types.BlockThreads
		if !contains(k.Body, func(in *ir.Instr) bool { return in.Spread > 0 }) {
			s.threads = 1 // nothing to spread
		}
	}
	return s
}

func (s *spreader) run() {
	k := s.kernel
	k.Group = []ir.Thread{{Name: "thread", N: s.threads, Pos: k.Pos}}
	if s.threads == 1 {
		return
	}
	told, sets := values{}, values{}
	s.tell(k.Body, uses(k.Body), told, sets)
	told.apply(k.Body)
	for set, in := range sets {
		set.Args[0] = in
	}
	s.meets = meetings(k)
	for set, in := range sets { // thread 0 does both at once, behind the barrier of either
		s.meets[in] = s.meets[in] || s.meets[set]
		delete(s.meets, set)
	}
	s.block(k.Body)
	s.to.apply(k.Body)
}

// tell lets every atomic operation outside of spread loops whose value is used pass it to all threads, through shared
// memory: a variable that thread 0 sets, and all read, like any shared variable of the source. The readings stand for the
// values from then on, but where the variables are set.
func (s *spreader) tell(b *ir.Block, used map[*ir.Instr]int, told, sets values) {
	out := &ir.Block{}
	for _, in := range b.Instrs {
		out.Add(in)
		if in.Spread > 0 {
			continue
		}
		for _, c := range in.Blocks {
			s.tell(c, used, told, sets)
		}
		if in.Op != ir.OpAtomic || used[in] == 0 {
			continue
		}
		w := ir.Builder{Block: out, Pos: in.Pos}
		l := s.toldOf(in.Kind())
		sets[w.LocalSet(l, in)] = in
		get := w.LocalGet(l)
		get.Name, in.Name = in.Name, ""
		told[in] = get
	}
	b.Instrs = out.Instrs
}

// toldOf is the shared variable for values of kind k.
func (s *spreader) toldOf(k types.Kind) *ir.Local {
	if s.told[k] == nil {
		s.told[k] = s.kernel.NewLocal(&ir.Local{Name: "told", Type: k, Pos: s.kernel.Pos, Shared: true})
	}
	return s.told[k]
}

// block rewrites what stands outside of spread loops.
func (s *spreader) block(b *ir.Block) {
	out := &ir.Block{}
	for _, in := range b.Instrs {
		w := ir.Builder{Block: out, Pos: in.Pos}
		if s.meets[in] {
			w.New(ir.OpBarrier, nil)
		}
		switch {
		case in.Spread > 0:
			s.loop(w, in)
		case stores(in), in.Op == ir.OpPrint, in.Op == ir.OpReport:
			s.once(w, in)
		default:
			for _, c := range in.Blocks {
				s.block(c)
			}
			out.Add(in)
		}
	}
	b.Instrs = out.Instrs
}

// stores reports a store to what threads share.
func stores(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpStore, ir.OpAtomic:
		return true
	case ir.OpLocalSet, ir.OpElemSet:
		return in.Local.Shared
	}
	return false
}

// thread is the index of the thread in its block.
func (s *spreader) thread(w ir.Builder) *ir.Instr {
	t := w.Thread(0)
	t.Name = s.kernel.Group[0].Name
	return t
}

// once lets thread 0 alone run in. An earlier such store moves behind the values that were computed since.
func (s *spreader) once(w ir.Builder, in *ir.Instr) {
	ins := w.Block.Instrs
	for i := len(ins) - 1; i >= 0; i-- {
		if s.guards[ins[i]] {
			guard := ins[i]
			guard.Blocks[0].Add(in)
			w.Block.Instrs = append(slices.Delete(ins, i, i+1), guard)
			return
		}
		if c := ir.Ops[ins[i].Op].Class; c != ir.Leaf && c != ir.Pure {
			break
		}
	}
	guard := w.If(w.Bin(ir.OpEq, s.thread(w), w.Int(0)))
	guard.Blocks[0].Add(in)
	s.guards[guard] = true
}

// loop spreads one loop with all its indexes, and combines what a comprehension has accumulated.
func (s *spreader) loop(w ir.Builder, in *ir.Instr) {
	var along []share
	for r := in; r != nil; r = r.Inner() {
		along = append(along, share{n: 1})
	}
	op, acc := in.Reduce, in.Outs
	s.split(w, along)
	s.strided(w, in, along)
	if op != ir.NoReduction {
		gather(w, op, acc)
	}
}

// share is how many threads stand along an index of a loop, and which of them is this one.
type share struct {
	n  int64
	at *ir.Instr
}

// subgroup is how many threads access memory together.
const subgroup = 32

// split gives the threads to the indexes: subgroups stand along the last, up to 8 of them along the one before, and what is
// left along the first.
func (s *spreader) split(w ir.Builder, along []share) {
	t, last := s.thread(w), len(along)-1
	rows := s.threads / subgroup
	if last == 0 || s.threads%subgroup != 0 || rows == 1 {
		along[last] = share{s.threads, t}
		return
	}
	along[last] = share{subgroup, w.Bin(ir.OpAnd, t, w.Int(subgroup-1))}
	t = w.Bin(ir.OpShr, t, w.Int(5))
	if last == 1 {
		along[0] = share{rows, t}
		return
	}
	n, bits := int64(1), int64(0)
	for n < 8 && rows%(2*n) == 0 {
		n, bits = 2*n, bits+1
	}
	along[1] = share{n, w.Bin(ir.OpAnd, t, w.Int(n-1))}
	along[0] = share{rows / n, w.Bin(ir.OpShr, t, w.Int(bits))}
}

// strided appends the Range r with the iterations of this thread alone, and so for the indexes within.
func (s *spreader) strided(w ir.Builder, r *ir.Instr, along []share) {
	body, inner := r.Blocks[0], r.Inner()
	in := &ir.Block{Iter: body.Iter}
	if a := along[0]; a.n > 1 {
		w = w.At(r.Pos)
		s.stride(w, ir.Builder{Block: in, Pos: r.Pos}, r, a)
	}
	for _, c := range body.Instrs {
		if c == inner {
			s.strided(ir.Builder{Block: in, Pos: c.Pos}, c, along[1:])
			continue
		}
		in.Add(c)
	}
	r.Blocks[0] = in
	r.Spread, r.Reduce, r.Outs = 0, ir.NoReduction, nil // an ordinary loop of one thread from here on
	w.Block.Add(r)
}

// farEnough bounds a constant first index from which a block's threads cannot step past the end of an int: to come near
// it a loop would have to run for years.
const farEnough = 1 << 62

// stride makes r count from the thread's first iteration by the number of threads. Where the first index plus that of a
// thread might not be an int, r counts iterations instead, and body begins with the index.
func (s *spreader) stride(w, body ir.Builder, r *ir.Instr, a share) {
	lo, hi := r.Args[0], r.Args[1]
	if lo.IsConst() && -farEnough < lo.Int64() && lo.Int64() < farEnough {
		first := a.at
		if !lo.IsInt(0) {
			first = exact(w.Bin(ir.OpAdd, lo, a.at))
		}
		r.Args = []*ir.Instr{first, hi, w.Int(a.n)}
		return
	}
	count := w.Select(w.Bin(ir.OpLt, lo, hi), w.Bin(ir.OpSub, hi, lo), w.Int(0))
	r.Args = []*ir.Instr{a.at, count, w.Int(a.n)}
	old := body.Block.Iter
	body.Block.Iter = &ir.Instr{Op: ir.OpIter, Type: old.Type, Pos: old.Pos}
	index := exact(body.Bin(ir.OpAdd, lo, body.Block.Iter))
	index.Name = old.Name
	s.to[old] = index
}
