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

var kernels = flag.Int("kernels", 60, "how many random kernels to run")
var firstSeed = flag.Uint64("seed", 0, "seed of the first random kernel")

// randomKernels prints kernels of random structure: where values are placed, where variables are declared and named, and
// how loops are printed all decide over what they leave.
func randomKernels(t *testing.T, p *program) {
	m := &ir.Module{Package: "random", File: "random.gpu"}
	for i := range *kernels {
		m.Kernels = append(m.Kernels, randomKernel(*firstSeed+uint64(i)))
	}
	p.add("random", m, namesOf(m))
	trapped := 0
	for i, k := range m.Kernels {
		for _, n := range []int64{16, 8} {
			if l := p.launch("random", k, randomArgs(k, map[string]int64{"*": n}, uint64(i))...); l.trap != "" {
				trapped++
			}
		}
	}
	if trapped > *kernels {
		t.Errorf("%d of %d launches trap: too few compare values", trapped, 2**kernels)
	}
}

// maker builds the body of a kernel.
type maker struct {
	r      *rand.Rand
	b      ir.Builder
	k      *ir.Kernel
	values [][]*ir.Instr // what is in scope, by block
	loops  int
	depth  int
	n      int
}

var wordPool = []string{"x", "i", "t1", "lo", "hi", "max", "v", "float32", "first", "end", "args", "y", "sum"}

func randomKernel(seed uint64) *ir.Kernel {
	name := fmt.Sprintf("K%d", seed)
	n := types.Sym("n")
	view := func(name string, k types.Kind, mut bool, dims ...*types.Header) *ir.Param {
		return &ir.Param{Name: name, Type: &types.View{Rank: len(dims), Elem: k}, Mut: mut, Dims: dims}
	}
	k := &ir.Kernel{Name: name, Instance: name, Entry: name, Targets: types.AllTargets, Body: &ir.Block{}, Params: []*ir.Param{
		view("a", types.Int32, false, n), view("b", types.Float32, false, n, types.Const(8)), view("flag", types.Bool, false, n),
		view("o", types.Int32, true, n), view("p", types.Float32, true, n, types.Const(8)), {Name: "c", Type: types.Int32},
	}}
	for i, p := range k.Params {
		p.Index = i
		for d, h := range p.Dims {
			if i+d > 0 {
				k.Equal = append(k.Equal, ir.Equality{Param: i, Dim: d, Want: h})
			}
		}
	}
	k.Symbols = []*ir.Symbol{{Name: "n"}}
	k.Domain = []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: n}, {Name: "j", Lo: types.Const(1), Hi: types.Const(8)}}
	if seed%3 == 0 {
		k.Domain = k.Domain[:1]
	}
	g := &maker{r: rand.New(rand.NewPCG(seed, 99)), b: ir.Builder{Block: k.Body, Pos: diag.Pos{File: "random.gpu", Line: 1, Col: 1}}, k: k, values: [][]*ir.Instr{nil}}
	for range 6 {
		kind := []types.Type{types.Int32, types.Float32, types.Bool, types.Int32, types.Float32, &types.Array{Dims: []int64{2, 4}, Elem: types.Int32}}[len(k.Locals)]
		l := &ir.Local{ID: len(k.Locals), Type: kind}
		if g.r.IntN(3) > 0 {
			l.Name = g.word()
		}
		k.Locals = append(k.Locals, l)
		if g.r.IntN(4) > 0 || l.ID == 5 {
			g.b.LocalSet(l, g.b.Zero(kind))
		}
	}
	for range 8 {
		g.stmt()
	}
	// Races: with two dims only the first point of a row writes what the row shares.
	out := func() {
		g.store(k.Params[3], g.expr(types.Int32, 3), g.b.Point(0))
	}
	if len(k.Domain) == 1 {
		out()
		g.store(k.Params[4], g.expr(types.Float32, 3), g.b.Point(0), g.b.Int(3))
	} else {
		g.store(k.Params[4], g.expr(types.Float32, 3), g.b.Point(0), g.b.Point(1))
		first := g.b.If(g.b.Bin(ir.OpEq, g.b.Point(1), g.b.Int(1)))
		g.within(first.Blocks[0], out)
	}
	return k
}

func (g *maker) store(p *ir.Param, v *ir.Instr, index ...*ir.Instr) {
	g.b.Store(p, v, index...).InBounds = g.r.IntN(4) > 0
}

func (g *maker) word() string { return wordPool[g.r.IntN(len(wordPool))] }

// within builds into a block of its own scope.
func (g *maker) within(b *ir.Block, f func()) {
	outer := g.b
	g.b = g.b.In(b)
	g.values = append(g.values, nil)
	g.depth++
	f()
	g.depth--
	g.values = g.values[:len(g.values)-1]
	g.b = outer
}

func (g *maker) keep(in *ir.Instr) *ir.Instr {
	if g.r.IntN(3) == 0 && ir.Ops[in.Op].Class != ir.Leaf {
		if g.r.IntN(2) == 0 {
			in.Name = g.word()
		}
		top := len(g.values) - 1
		g.values[top] = append(g.values[top], in)
	}
	return in
}

func (g *maker) local(k types.Kind) *ir.Local {
	var of []*ir.Local
	for _, l := range g.k.Locals {
		if l.Type == types.Type(k) {
			of = append(of, l)
		}
	}
	return of[g.r.IntN(len(of))]
}

func (g *maker) kind() types.Kind {
	return []types.Kind{types.Int32, types.Int32, types.Float32, types.Bool}[g.r.IntN(4)]
}

func (g *maker) stmts(n int) {
	for range 1 + g.r.IntN(n) {
		g.stmt()
	}
}

func (g *maker) stmt() {
	g.n++
	choice := g.r.IntN(12)
	if g.depth > 3 || g.n > 60 {
		choice = g.r.IntN(6)
	}
	switch choice {
	case 0, 1, 2:
		k := g.kind()
		g.b.LocalSet(g.local(k), g.expr(k, 3))
	case 3:
		in := g.b.ElemSet(g.k.Locals[5], g.expr(types.Int32, 2), g.index(1), g.index(3))
		in.InBounds = g.r.IntN(2) == 0
	case 4:
		l := g.local(types.Int32)
		g.b.LocalSet(l, g.b.Bin(ir.OpAdd, g.b.LocalGet(l), g.expr(types.Int32, 2)))
	case 5:
		if g.loops > 0 {
			exit := g.b.If(g.expr(types.Bool, 2))
			g.within(exit.Blocks[0], func() {
				if g.r.IntN(2) == 0 {
					g.stmt()
				}
				g.b.New([]ir.Op{ir.OpBreak, ir.OpContinue}[g.r.IntN(2)], nil)
			})
			return
		}
		g.keep(g.expr(g.kind(), 3))
	case 6, 7:
		in := g.b.If(g.expr(types.Bool, 2))
		g.within(in.Blocks[0], func() { g.stmts(3) })
		if g.r.IntN(2) == 0 {
			g.within(in.Blocks[1], func() { g.stmts(3) })
		}
	case 8:
		in := g.b.New(ir.OpScope, nil)
		in.Blocks = []*ir.Block{{}}
		g.within(in.Blocks[0], func() { g.stmts(3) })
	case 9, 10:
		lo, step := g.b.Int(0), g.b.Int(1)
		if g.r.IntN(2) == 0 {
			lo, step = g.b.Int(int64(g.r.IntN(4)-1)), g.b.Int(int64(1+g.r.IntN(2)))
		}
		in := g.b.Range(g.word(), lo, g.b.Bin(ir.OpAnd, g.b.Conv(types.Int, g.expr(types.Int32, 2)), g.b.Int(3)), step)
		g.loops++
		g.within(in.Blocks[0], func() {
			g.values[len(g.values)-1] = append(g.values[len(g.values)-1], in.Blocks[0].Iter)
			g.stmts(3)
		})
		g.loops--
	case 11:
		g.loop()
	}
}

// loop is a Loop that ends by a counter of its own.
func (g *maker) loop() {
	count := &ir.Local{ID: len(g.k.Locals), Type: types.Int}
	if g.r.IntN(2) == 0 {
		count.Name = g.word()
	}
	g.k.Locals = append(g.k.Locals, count)
	g.b.LocalSet(count, g.b.Int(0))
	in := g.b.Loop()
	more := func() *ir.Instr { return g.b.Bin(ir.OpLt, g.b.LocalGet(count), g.b.Int(3)) }
	bump := func() { g.b.LocalSet(count, g.b.Bin(ir.OpAdd, g.b.LocalGet(count), g.b.Int(1))) }
	endless := g.r.IntN(4) == 0
	g.loops++
	if !endless {
		g.within(in.Blocks[0], func() {
			c := more()
			if g.r.IntN(2) == 0 {
				c = g.and(c)
			}
			g.b.Yield(c)
		})
	}
	g.within(in.Blocks[1], func() {
		if endless {
			g.within(g.b.If(g.b.Un(ir.OpLNot, more())).Blocks[0], func() { g.b.New(ir.OpBreak, nil) })
		}
		g.stmts(3)
	})
	g.loops--
	g.within(in.Blocks[2], func() {
		bump()
		if g.r.IntN(3) == 0 {
			loops := g.loops
			g.loops = 0
			g.depth += 4 // no blocks: a post block has no exits either
			g.stmt()
			g.depth -= 4
			g.loops = loops
		}
	})
}

// and is x && y or x || y, whose y may need statements.
func (g *maker) and(x *ir.Instr) *ir.Instr {
	op := []ir.Op{ir.OpCondAnd, ir.OpCondOr}[g.r.IntN(2)]
	if x.Op == ir.OpLt { // a loop's condition: the counter must be able to end it
		op = ir.OpCondAnd
	}
	in := g.b.Cond(op, x)
	g.within(in.Blocks[0], func() { g.b.Yield(g.expr(types.Bool, 2)) })
	return in
}

// index is an int below 2 or 4 that no pass proved.
func (g *maker) index(mask int64) *ir.Instr {
	return g.b.Bin(ir.OpAnd, g.b.Conv(types.Int, g.expr(types.Int32, 1)), g.b.Int(mask))
}

func (g *maker) expr(k types.Kind, depth int) *ir.Instr { return g.keep(g.make(k, depth)) }

func (g *maker) make(k types.Kind, depth int) *ir.Instr {
	if g.r.IntN(4) == 0 { // a value that exists already
		var of []*ir.Instr
		for _, scope := range g.values {
			for _, v := range scope {
				if v.Kind() == k {
					of = append(of, v)
				}
			}
		}
		if len(of) > 0 {
			return of[g.r.IntN(len(of))]
		}
	}
	if depth == 0 || g.r.IntN(5) == 0 {
		return g.leaf(k)
	}
	two := func(k types.Kind, ops ...ir.Op) *ir.Instr {
		x := g.expr(k, depth-1)
		return g.b.Bin(ops[g.r.IntN(len(ops))], x, g.expr(k, depth-1))
	}
	switch k {
	case types.Int32:
		switch g.r.IntN(6) {
		case 0:
			return g.b.Conv(k, g.expr(types.Float32, depth-1))
		case 1:
			c := g.expr(types.Bool, depth-1)
			x := g.expr(k, depth-1)
			return g.b.Select(c, x, g.expr(k, depth-1))
		case 2:
			return g.b.Un([]ir.Op{ir.OpNeg, ir.OpNot, ir.OpAbs, ir.OpPopcount}[g.r.IntN(4)], g.expr(k, depth-1))
		}
		return two(k, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpShl, ir.OpShr, ir.OpAnd, ir.OpXor, ir.OpMin, ir.OpAndNot)
	case types.Float32:
		switch g.r.IntN(5) {
		case 0:
			return g.b.Conv(k, g.expr(types.Int32, depth-1))
		case 1:
			return g.b.Un([]ir.Op{ir.OpNeg, ir.OpFloor, ir.OpSqrt}[g.r.IntN(3)], g.expr(k, depth-1))
		}
		return two(k, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMul, ir.OpDiv, ir.OpMax, ir.OpFmin)
	default:
		switch g.r.IntN(5) {
		case 0:
			return g.b.Un(ir.OpLNot, g.expr(k, depth-1))
		case 1, 2:
			return g.and(g.b.Un(ir.OpLNot, g.expr(k, depth-1)))
		case 3:
			return two(types.Float32, ir.OpEq, ir.OpLt, ir.OpGe)
		}
		return two(types.Int32, ir.OpEq, ir.OpNe, ir.OpLe, ir.OpGt)
	}
}

func (g *maker) leaf(k types.Kind) *ir.Instr {
	point := func() *ir.Instr {
		return g.b.Point(g.r.IntN(len(g.k.Domain)))
	}
	i := g.b.Point(0)
	switch k {
	case types.Int32:
		switch g.r.IntN(6) {
		case 0:
			return g.b.Const(k, int64(g.r.IntN(20)-5))
		case 1:
			return g.b.Conv(k, point())
		case 2:
			return g.b.Param(g.k.Params[5])
		case 3:
			in := g.b.ElemGet(g.k.Locals[5], g.index(1), g.index(3))
			in.InBounds = g.r.IntN(2) == 0
			return in
		case 4:
			return proved(g.b.Load(g.k.Params[0], i))
		}
	case types.Float32:
		switch g.r.IntN(4) {
		case 0:
			return g.b.Float(k, float64(g.r.IntN(9))/4)
		case 1:
			in := g.b.Load(g.k.Params[1], i, g.index(7))
			in.InBounds = g.r.IntN(2) == 0
			return in
		case 2:
			if len(g.k.Domain) > 1 {
				return proved(g.b.Load(g.k.Params[1], i, g.b.Point(1)))
			}
		}
	default:
		if g.r.IntN(2) == 0 {
			return proved(g.b.Load(g.k.Params[2], i))
		}
	}
	return g.b.LocalGet(g.local(k))
}
