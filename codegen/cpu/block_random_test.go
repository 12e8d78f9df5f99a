package cpu

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

var (
	blockKernels  = flag.Int("block-kernels", 500, "how many random kernels of blocks to split")
	blockPrograms = flag.Int("block-programs", 40, "how many of them to run as Go")
)

// TestRandomBlocks splits kernels of blocks of random structure, and runs some of the results as Go.
func TestRandomBlocks(t *testing.T) {
	m := &ir.Module{Package: "blocks", File: "blocks.gpu"}
	for i := range *blockKernels {
		k := randomBlocks(*firstSeed + uint64(i))
		for _, n := range []int64{37, 5} {
			sameAsFission(t, k, randomArgs(k, map[string]int64{"*": n}, uint64(i)))
		}
		if i < *blockPrograms {
			m.Kernels = append(m.Kernels, k)
		}
	}
	p := newProgram(t)
	p.integers = true
	p.add("blocks", m, namesOf(m))
	for i, k := range m.Kernels {
		p.launch("blocks", k, randomArgs(k, map[string]int64{"*": 37}, uint64(i))...)
	}
	p.run()
}

// blockMaker builds the body of a kernel of blocks without races: threads write shared elements of their own, and barriers
// stand around every reading of another's.
type blockMaker struct {
	r      *rand.Rand
	b      ir.Builder
	k      *ir.Kernel
	values [][]*ir.Instr // in scope, by block
	same   [][]*ir.Instr // those that all threads have in common
	shared *ir.Local
	total  *ir.Local
	vars   []*ir.Local // private
	count  []*ir.Local // in common
	array  *ir.Local
	depth  int
	loops  int // outer loops around that may be left
	width  int64
	lanes  bool // with exchanges in subgroups
}

func randomBlocks(seed uint64) *ir.Kernel {
	width := int64(6)
	lanes := seed%6 == 1 // threads exchange values in subgroups
	if lanes {
		width = 2 * ir.Subgroup
	}
	name := fmt.Sprintf("B%d", seed)
	n := types.Sym("n")
	view := func(i int, name string, mut bool) *ir.Param {
		return &ir.Param{Index: i, Name: name, Type: &types.View{Rank: 1, Elem: types.Int32}, Mut: mut, Dims: []*types.Header{n}}
	}
	k := &ir.Kernel{Name: name, Instance: name, Entry: name, Targets: types.AllTargets, Body: &ir.Block{}, Params: []*ir.Param{
		view(0, "x", false), view(1, "y", true), {Index: 2, Name: "c", Type: types.Int32},
	}}
	k.Symbols = []*ir.Symbol{{Name: "n"}}
	k.Equal = []ir.Equality{{Param: 1, Want: n}}
	k.Domain = []ir.Dim{{Name: "b", Lo: types.Const(0), Hi: &types.Header{Op: types.HCeilDiv, X: n, Y: types.Const(width)}}}
	k.Group = []ir.Thread{{Name: "t", N: width}}
	switch {
	case seed%3 == 0:
		k.Group = []ir.Thread{{Name: "ty", N: 2}, {Name: "tx", N: 3}}
	case lanes && seed%4 == 1:
		k.Group = []ir.Thread{{Name: "ty", N: 2}, {Name: "tx", N: 32}}
	case lanes && seed%4 == 3 && seed%8 == 3:
		k.Group = []ir.Thread{{Name: "ty", N: 8}, {Name: "tx", N: 8}}
	}
	g := &blockMaker{
		r: rand.New(rand.NewPCG(seed, 5)), b: ir.Builder{Block: k.Body, Pos: diag.Pos{File: "blocks.gpu", Line: 1, Col: 1}}, k: k,
		values: [][]*ir.Instr{nil}, same: [][]*ir.Instr{nil}, width: width, lanes: lanes,
	}
	g.shared = k.NewLocal(&ir.Local{Name: "s", Type: &types.Array{Dims: []int64{width}, Elem: types.Int32}, Shared: true})
	g.total = k.NewLocal(&ir.Local{Name: "total", Type: types.Int32, Shared: true})
	g.array = k.NewLocal(&ir.Local{Name: "mine", Type: &types.Array{Dims: []int64{2, 2}, Elem: types.Int32}})
	for _, name := range []string{"v", "w", ""} {
		g.vars = append(g.vars, k.NewLocal(&ir.Local{Name: name, Type: types.Int32}))
	}
	for _, name := range []string{"k", ""} {
		g.count = append(g.count, k.NewLocal(&ir.Local{Name: name, Type: types.Int32}))
	}
	b := g.b
	b.LocalSet(g.array, b.Zero(g.array.Type))
	for i, l := range g.vars {
		b.LocalSet(l, b.Conv(types.Int32, b.Bin(ir.OpAdd, g.thread(), b.Int(int64(i)))))
	}
	for i, l := range g.count {
		b.LocalSet(l, b.Const(types.Int32, int64(i+2)))
	}
	b.ElemSet(g.shared, b.Bin(ir.OpAdd, g.common(1), b.Conv(types.Int32, g.thread())), g.thread()).InBounds = true
	first := b.If(b.Bin(ir.OpEq, g.thread(), b.Int(0)))
	b.In(first.Blocks[0]).LocalSet(g.total, b.In(first.Blocks[0]).Const(types.Int32, 3))
	b.New(ir.OpBarrier, nil)
	for range 7 {
		g.outer()
	}
	at := b.Bin(ir.OpAdd, b.Bin(ir.OpMul, b.Point(0), b.Int(width)), g.thread())
	end := b.If(b.Bin(ir.OpLt, at, b.Extent(k.Symbols[0])))
	g.within(end.Blocks[0], func() {
		sum := g.b.LocalGet(g.vars[0])
		for _, l := range append(g.vars[1:], g.count...) {
			sum = g.b.Bin(ir.OpAdd, g.b.Bin(ir.OpMul, sum, g.b.Const(types.Int32, 31)), g.b.LocalGet(l))
		}
		g.b.Store(k.Params[1], g.b.Bin(ir.OpXor, sum, g.expr(2)), at).InBounds = true
	})
	return k
}

// thread is the number of the thread in its block.
func (g *blockMaker) thread() *ir.Instr {
	if len(g.k.Group) == 1 {
		return g.b.Thread(0)
	}
	return g.b.Bin(ir.OpAdd, g.b.Bin(ir.OpMul, g.b.Thread(0), g.b.Int(g.k.Group[1].N)), g.b.Thread(1))
}

func (g *blockMaker) within(b *ir.Block, f func()) {
	outer := g.b
	g.b = g.b.In(b)
	g.values, g.same = append(g.values, nil), append(g.same, nil)
	g.depth++
	f()
	g.depth--
	g.values, g.same = g.values[:len(g.values)-1], g.same[:len(g.same)-1]
	g.b = outer
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// any picks a value in scope; ok is false when there is none.
func (g *blockMaker) any(from [][]*ir.Instr) (v *ir.Instr, ok bool) {
	var all []*ir.Instr
	for _, l := range from {
		all = append(all, l...)
	}
	if len(all) == 0 {
		return nil, false
	}
	return pick(g.r, all), true
}

var blockOps = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpXor, ir.OpAnd, ir.OpMin, ir.OpMax, ir.OpDiv, ir.OpRem}

// common is an int32 that all threads have in common.
func (g *blockMaker) common(depth int) *ir.Instr {
	b := g.b
	if depth > 0 && g.r.IntN(3) > 0 {
		return b.Bin(pick(g.r, blockOps), g.common(depth-1), g.common(depth-1))
	}
	switch g.r.IntN(5) {
	case 0:
		return b.Param(g.k.Params[2])
	case 1:
		return b.Conv(types.Int32, b.Point(0))
	case 2:
		return b.LocalGet(pick(g.r, g.count))
	case 3:
		if v, ok := g.any(g.same); ok {
			return v
		}
	}
	return b.Const(types.Int32, int64(g.r.IntN(9)-2))
}

// expr is any int32.
func (g *blockMaker) expr(depth int) *ir.Instr {
	b := g.b
	if depth > 0 && g.r.IntN(3) > 0 {
		return b.Bin(pick(g.r, blockOps), g.expr(depth-1), g.expr(depth-1))
	}
	switch g.r.IntN(8) {
	case 0:
		return g.common(1)
	case 1:
		return b.Conv(types.Int32, b.Thread(g.r.IntN(len(g.k.Group))))
	case 2:
		return b.LocalGet(pick(g.r, g.vars))
	case 3:
		in := b.ElemGet(g.array, b.Int(int64(g.r.IntN(2))), b.Bin(ir.OpAnd, g.thread(), b.Int(1)))
		in.InBounds = g.r.IntN(2) == 0
		return in
	case 4:
		in := b.Load(g.k.Params[0], b.Bin(ir.OpMin, g.thread(), b.Bin(ir.OpSub, b.Extent(g.k.Symbols[0]), b.Int(1))))
		in.InBounds = g.r.IntN(2) == 0
		return in
	case 5:
		in := b.ElemGet(g.shared, g.thread()) // its own element
		in.InBounds = true
		return in
	}
	if v, ok := g.any(g.values); ok {
		return v
	}
	return g.common(0)
}

// name keeps a value in scope, under a name or without.
func (g *blockMaker) name(v *ir.Instr, list [][]*ir.Instr) {
	if v.Name == "" && ir.Ops[v.Op].Class == ir.Pure && g.r.IntN(2) == 0 {
		v.Name = pick(g.r, []string{"a", "i", "row", "t", "vs", "v"})
	}
	list[len(list)-1] = append(list[len(list)-1], v)
}

// inner is a statement without barriers; exits says that it may go on with the next iteration.
func (g *blockMaker) inner(exits bool) {
	b := g.b
	switch g.r.IntN(9) {
	case 0, 1:
		b.LocalSet(pick(g.r, g.vars), g.expr(2))
	case 2:
		b.ElemSet(g.array, g.expr(1), b.Int(int64(g.r.IntN(2))), b.Bin(ir.OpAnd, g.thread(), b.Int(1))).InBounds = g.r.IntN(2) == 0
	case 3:
		b.ElemSet(g.shared, g.expr(1), g.thread()).InBounds = true
	case 4:
		g.name(g.expr(2), g.values)
	case 5:
		if g.depth > 4 {
			return
		}
		in := b.If(b.Bin(ir.OpLt, g.expr(1), g.expr(1)))
		g.within(in.Blocks[0], func() { g.several(exits) })
		if g.r.IntN(2) == 0 {
			g.within(in.Blocks[1], func() { g.several(exits) })
		}
	case 6:
		if g.depth > 4 {
			return
		}
		in := b.Range("j", b.Int(0), b.Int(int64(g.r.IntN(3)+1)), b.Int(1))
		g.within(in.Blocks[0], func() {
			g.name(g.b.Conv(types.Int32, in.Blocks[0].Iter), g.values)
			g.several(g.r.IntN(2) == 0)
		})
	case 7:
		in := b.If(b.Bin(pick(g.r, []ir.Op{ir.OpLt, ir.OpEq, ir.OpGe, ir.OpGt}), b.Thread(0), b.Int(int64(g.r.IntN(4)))))
		g.within(in.Blocks[0], func() { g.several(false) })
	case 8:
		both := b.Cond(ir.OpCondAnd, b.Bin(ir.OpLt, b.Thread(len(g.k.Group)-1), b.Conv(types.Int, g.common(1))))
		g.within(both.Blocks[0], func() { g.b.Yield(g.b.Bin(ir.OpNe, g.expr(1), g.expr(0))) })
		in := b.If(both)
		g.within(in.Blocks[0], func() { g.several(false) })
	}
}

// several are statements without barriers, which may end with a Continue.
func (g *blockMaker) several(exits bool) {
	for range g.r.IntN(3) + 1 {
		g.inner(exits)
	}
	if exits && g.r.IntN(4) == 0 {
		g.b.New(ir.OpContinue, nil)
	}
}

// exchange lets threads read what others have written, between barriers.
func (g *blockMaker) exchange() {
	b := g.b
	b.New(ir.OpBarrier, nil)
	at := b.Bin(ir.OpRem, b.Bin(ir.OpAdd, g.thread(), b.Int(g.r.Int64N(g.width))), b.Int(g.width))
	v := b.ElemGet(g.shared, at)
	v.InBounds = g.r.IntN(2) == 0
	g.name(v, g.values)
	if g.r.IntN(2) == 0 {
		g.name(b.LocalGet(g.total), g.values)
	}
	if g.r.IntN(2) == 0 {
		b.LocalSet(pick(g.r, g.vars), b.Bin(ir.OpAdd, v, g.expr(1)))
	}
	b.New(ir.OpBarrier, nil)
	if g.r.IntN(3) == 0 {
		one := b.If(b.Bin(ir.OpEq, g.thread(), b.Int(g.r.Int64N(g.width))))
		g.within(one.Blocks[0], func() { g.b.LocalSet(g.total, g.expr(2)) })
		b.New(ir.OpBarrier, nil)
	}
}

// subgroup is what the threads of a subgroup exchange.
func (g *blockMaker) subgroup() {
	b := g.b
	if g.r.IntN(3) == 0 {
		votes := b.New(ir.OpBallot, types.Uint32, b.Bin(ir.OpLt, g.expr(1), g.expr(1)))
		g.name(b.New(ir.OpBitcast, types.Int32, votes), g.values)
		return
	}
	lane := b.Bin(ir.OpAnd, g.expr(1), b.Const(types.Int32, ir.Subgroup-1))
	v := b.Shuffle(g.expr(1), lane)
	v.InBounds = true
	g.name(v, g.values)
	if g.r.IntN(2) == 0 {
		b.LocalSet(pick(g.r, g.vars), b.Bin(ir.OpXor, v, g.expr(1)))
	}
}

// together are exchanges in subgroups, now and then of those that come to them alone.
func (g *blockMaker) together() {
	b := g.b
	statements := func() {
		for range g.r.IntN(3) + 1 {
			if g.r.IntN(2) == 0 {
				g.inner(false)
			} else {
				g.subgroup()
			}
		}
	}
	number := b.Conv(types.Int32, b.New(ir.OpSubgroup, types.Int))
	switch g.r.IntN(4) {
	case 0:
		in := b.If(b.Bin(pick(g.r, []ir.Op{ir.OpLt, ir.OpEq, ir.OpNe}), number, b.Const(types.Int32, 1)))
		for _, c := range in.Blocks {
			g.within(c, statements)
		}
	case 1:
		in := b.Range("q", b.Const(types.Int32, 0), b.Bin(ir.OpAdd, number, b.Const(types.Int32, 1)), b.Const(types.Int32, 1))
		g.within(in.Blocks[0], func() {
			g.name(in.Blocks[0].Iter, g.values)
			statements()
		})
	default:
		g.subgroup()
	}
}

// outer is a statement that all threads run together.
func (g *blockMaker) outer() {
	b := g.b
	if g.lanes && g.r.IntN(2) == 0 {
		g.together()
		return
	}
	switch g.r.IntN(8) {
	case 0, 1:
		g.inner(false)
	case 2:
		g.exchange()
	case 3:
		b.LocalSet(pick(g.r, g.count), g.common(2))
	case 4:
		g.name(g.common(2), g.same)
	case 5:
		if g.depth > 2 {
			return
		}
		in := b.If(b.Bin(ir.OpLt, g.common(1), g.common(1)))
		for _, c := range in.Blocks {
			g.within(c, func() {
				g.body()
				if g.loops > 0 && g.r.IntN(3) == 0 {
					g.b.New(pick(g.r, []ir.Op{ir.OpBreak, ir.OpContinue}), nil)
				}
			})
		}
	case 6:
		if g.depth > 2 {
			return
		}
		in := b.Range("p", b.Int(0), b.Int(int64(g.r.IntN(3)+1)), b.Int(1))
		g.within(in.Blocks[0], func() {
			g.name(g.b.Conv(types.Int32, in.Blocks[0].Iter), g.same)
			g.loop()
		})
	case 7:
		if g.depth > 2 {
			return
		}
		i := g.k.NewLocal(&ir.Local{Name: "r", Type: types.Int32})
		b.LocalSet(i, b.Const(types.Int32, 0))
		in := b.Loop()
		g.within(in.Blocks[0], func() {
			if g.r.IntN(3) == 0 {
				g.exchange()
			}
			g.b.Yield(g.b.Bin(ir.OpLt, g.b.LocalGet(i), g.b.Const(types.Int32, int64(g.r.IntN(3)+1))))
		})
		g.within(in.Blocks[1], func() { g.loop() })
		g.within(in.Blocks[2], func() {
			if g.r.IntN(3) == 0 {
				g.exchange()
			}
			g.b.LocalSet(i, g.b.Bin(ir.OpAdd, g.b.LocalGet(i), g.b.Const(types.Int32, 1)))
		})
	}
}

func (g *blockMaker) body() {
	for range g.r.IntN(3) + 1 {
		g.outer()
	}
}

// loop is the body of an outer loop: what only some threads do at its end may go on with the next iteration.
func (g *blockMaker) loop() {
	loops := g.loops
	g.loops = 1
	g.b.New(ir.OpBarrier, nil)
	g.body()
	if g.r.IntN(2) == 0 {
		for range g.r.IntN(3) + 1 {
			g.inner(true)
		}
	}
	g.loops = loops
}
