package pass

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// generator makes random well-typed kernels that terminate and have no race: they store only at the point's own index
// and load only from views that nobody writes, or at the own index.
type generator struct {
	*rand.Rand
	w      ir.Builder
	kernel *ir.Kernel // nil in a function
	locals *[]*ir.Local
	vars   []*ir.Local // locals that have a value here
	funcs  []*ir.Func
	scope  []*ir.Instr // values that may be used here
	loops  int         // around this place
	around []ir.Op     // the Ranges, Loops and Scopes that Break and Continue may leave or repeat, the innermost last
	budget int
	ret    func() // appends a Return; nil where none is allowed
}

// scalars are the kinds that the generator computes in.
var scalars = []types.Kind{types.Int, types.Int32, types.Uint32, types.Uint8, types.Int16, types.Int64, types.Uint64, types.Float32, types.Float64, types.Bool}

// elements are the element kinds of the views; each has an input and an output.
var elements = []types.Kind{types.Float32, types.Int32, types.Uint64, types.Uint8, types.Float64, types.Bool}

// randomModule is a module with a kernel and two functions.
func randomModule(seed uint64) *ir.Module {
	r := rand.New(rand.NewPCG(seed, 7))
	k := &ir.Kernel{Name: "K", Instance: "K", Entry: "K", Targets: types.AllTargets, Body: &ir.Block{}}
	m := &ir.Module{Package: "p", File: "p.gpu", Kernels: []*ir.Kernel{k}}
	dims := 1 + r.IntN(3)
	var extents []*types.Header
	for d := range dims {
		name := string(rune('n' + d))
		extents = append(extents, types.Sym(name))
		lo, hi := types.Const(0), types.Sym(name)
		if r.IntN(3) == 0 {
			lo, hi = types.Const(1), &types.Header{Op: types.HSub, X: hi, Y: types.Const(1)}
		}
		k.Domain = append(k.Domain, ir.Dim{Name: "ijk"[d : d+1], Lo: lo, Hi: hi})
	}
	for _, e := range elements {
		for _, mut := range []bool{false, true} {
			p := &ir.Param{Index: len(k.Params), Name: fmt.Sprintf("%c%d", "xy"[btoi(mut)], len(k.Params)), Mut: mut, Dims: extents, Type: &types.View{Rank: dims, Elem: e}}
			k.Params = append(k.Params, p)
			for d, x := range extents {
				if p.Index == 0 {
					k.Symbols = append(k.Symbols, &ir.Symbol{Index: d, Name: x.Name, Param: 0, Dim: d})
				} else {
					k.Equal = append(k.Equal, ir.Equality{Param: p.Index, Dim: d, Want: x})
				}
			}
		}
	}
	for _, t := range []types.Kind{types.Int, types.Float32, types.Int32} {
		k.Params = append(k.Params, &ir.Param{Index: len(k.Params), Name: "s" + t.String(), Type: t})
	}
	for i := range 2 {
		m.Funcs = append(m.Funcs, randomFunc(r, i, m.Funcs))
	}
	g := &generator{Rand: r, w: ir.Builder{Block: k.Body}, kernel: k, locals: &k.Locals, funcs: m.Funcs, budget: 20 + r.IntN(80)}
	g.ret = func() { g.w.New(ir.OpReturn, nil) }
	g.block(3)
	g.store()
	return m
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// randomFunc is a function of a float32, an int32 and an array that returns two values, perhaps early.
func randomFunc(r *rand.Rand, i int, callees []*ir.Func) *ir.Func {
	f := &ir.Func{Name: fmt.Sprintf("f%d", i), Instance: fmt.Sprintf("f%d", i), Results: []types.Type{types.Float32, types.Int32}, Body: &ir.Block{}}
	for j, t := range []types.Type{types.Float32, types.Int32, &types.Array{Dims: []int64{3}, Elem: types.Float32}} {
		f.Locals = append(f.Locals, &ir.Local{ID: j, Name: "abc"[j : j+1], Type: t})
	}
	f.Params = f.Locals[:3:3]
	g := &generator{Rand: r, w: ir.Builder{Block: f.Body}, locals: &f.Locals, vars: f.Params, funcs: callees, budget: 20}
	g.ret = func() {
		x, y := g.expr(types.Float32, 2), g.expr(types.Int32, 2)
		g.w.New(ir.OpReturn, nil, x, y)
	}
	g.block(2)
	g.ret()
	return f
}

// local makes a local that is assigned here.
func (g *generator) local(t types.Type) *ir.Local {
	var v *ir.Instr
	if _, ok := t.(*types.Array); ok {
		v = g.w.Zero(t)
	} else {
		v = g.expr(t.(types.Kind), 2)
	}
	l := &ir.Local{ID: len(*g.locals), Name: fmt.Sprintf("v%d", len(*g.locals)), Type: t}
	*g.locals = append(*g.locals, l)
	g.vars = append(g.vars, l)
	g.w.LocalSet(l, v)
	return l
}

// within runs f with another block; its values are in scope there alone.
func (g *generator) within(b *ir.Block, f func()) {
	w, n, v := g.w, len(g.scope), len(g.vars)
	g.w = g.w.In(b)
	f()
	g.w, g.scope, g.vars = w, g.scope[:n], g.vars[:v]
}

// block appends some statements; it reports whether control may pass.
func (g *generator) block(depth int) {
	for range 2 + g.IntN(4) {
		if g.budget--; g.budget < 0 {
			return
		}
		if !g.stmt(depth) {
			return
		}
	}
}

// stmt appends a statement and reports whether control may pass it.
func (g *generator) stmt(depth int) bool {
	switch n := g.IntN(13); {
	case n < 2:
		g.store()
	case n < 4:
		v := g.expr(scalars[g.IntN(len(scalars))], 3)
		if ir.Ops[v.Op].Class == ir.Pure && v.Name == "" && g.IntN(2) == 0 {
			v.Name = "t"
		}
		g.scope = append(g.scope, v)
	case n == 4:
		g.local(scalars[g.IntN(len(scalars))])
	case n == 5:
		if l := g.pick(func(l *ir.Local) bool { _, ok := l.Type.(types.Kind); return ok }); l != nil {
			g.w.LocalSet(l, g.expr(l.Type.(types.Kind), 3))
		}
	case n == 6:
		l := g.pick(func(l *ir.Local) bool { _, ok := l.Type.(*types.Array); return ok })
		if l == nil || g.IntN(4) == 0 {
			l = g.local(&types.Array{Dims: []int64{3}, Elem: types.Float32})
		}
		g.w.ElemSet(l, g.expr(types.Float32, 2), g.index())
	case n == 7 && depth > 0:
		c := g.w.If(g.expr(types.Bool, 3))
		g.within(c.Blocks[0], func() { g.block(depth - 1) })
		if g.IntN(2) == 0 {
			g.within(c.Blocks[1], func() { g.block(depth - 1) })
		}
	case n == 8 && depth > 0 && g.loops < 2:
		g.loop(depth)
	case n == 9 && g.ret != nil && g.IntN(2) == 0:
		c := g.w.If(g.expr(types.Bool, 2))
		g.within(c.Blocks[0], func() { g.ret() })
	case n == 10 && len(g.around) > 0:
		c := g.w.If(g.expr(types.Bool, 2))
		g.within(c.Blocks[0], g.exit)
	case n == 11 && len(g.funcs) > 0:
		g.call()
	case n == 12 && depth > 0:
		s := g.w.Scope()
		g.leavable(s, s.Blocks[0], func() { g.block(depth - 1) })
	}
	return true
}

// leavable is within, for a block of a Range, Loop or Scope.
func (g *generator) leavable(in *ir.Instr, b *ir.Block, f func()) {
	defer func(around []ir.Op) { g.around = around }(g.around)
	g.around = append(slices.Clip(g.around), in.Op)
	g.within(b, f)
}

// exit appends a Break or Continue of any Level that fits.
func (g *generator) exit() {
	level := g.IntN(len(g.around))
	op := ir.OpBreak
	if g.around[len(g.around)-1-level] != ir.OpScope && g.IntN(2) == 0 {
		op = ir.OpContinue
	}
	g.w.Exit(op, level)
}

// loop appends a Range or a Loop of few iterations.
func (g *generator) loop(depth int) {
	defer func(n int) { g.loops = n }(g.loops)
	k := []types.Kind{types.Int, types.Int32}[g.IntN(2)]
	if g.IntN(2) == 0 {
		lo := g.w.Const(k, int64(g.IntN(4)-2))
		hi := g.w.Bin(ir.OpMin, g.expr(k, 2), g.w.Const(k, 4))
		in := g.w.Range("j", lo, hi, g.w.Const(k, int64(1+g.IntN(2))))
		g.loops++
		g.leavable(in, in.Blocks[0], func() {
			g.scope = append(g.scope, in.Blocks[0].Iter)
			g.block(depth - 1)
		})
		return
	}
	l := g.local(types.Int32)
	g.vars = g.vars[:len(g.vars)-1] // nobody else may assign it
	g.w.LocalSet(l, g.w.Const(types.Int32, 0))
	in := g.w.Loop()
	g.within(in.Blocks[0], func() {
		g.w.Yield(g.w.Bin(ir.OpLt, g.w.LocalGet(l), g.w.Const(types.Int32, 3)))
	})
	g.loops++
	g.leavable(in, in.Blocks[1], func() { g.block(depth - 1) })
	g.within(in.Blocks[2], func() {
		g.w.LocalSet(l, g.w.Bin(ir.OpAdd, g.w.LocalGet(l), g.w.Const(types.Int32, 1)))
	})
}

// call appends a call and puts its results in scope.
func (g *generator) call() {
	f := g.funcs[g.IntN(len(g.funcs))]
	arr := g.pick(func(l *ir.Local) bool { _, ok := l.Type.(*types.Array); return ok })
	if arr == nil {
		arr = g.local(f.Params[2].Type)
	}
	x, y := g.expr(types.Float32, 2), g.expr(types.Int32, 2)
	in := &ir.Instr{Op: ir.OpCall, Func: f, Args: []*ir.Instr{x, y, g.w.LocalGet(arr)}}
	in.Outs = []*ir.Local{g.local(types.Float32), g.local(types.Int32)}
	g.w.Block.Add(in)
	g.scope = append(g.scope, g.w.LocalGet(in.Outs[0]))
}

// pick is a local with the property, or nil.
func (g *generator) pick(ok func(*ir.Local) bool) *ir.Local {
	for range 4 {
		if n := len(g.vars); n > 0 {
			if l := g.vars[g.IntN(n)]; ok(l) {
				return l
			}
		}
	}
	return nil
}

// own is the point's own index.
func (g *generator) own() []*ir.Instr {
	var ix []*ir.Instr
	for d := range g.kernel.Domain {
		p := g.w.Point(d)
		p.Name = g.kernel.Domain[d].Name
		ix = append(ix, p)
	}
	return ix
}

func (g *generator) store() {
	if g.kernel == nil {
		return
	}
	p := g.kernel.Params[1+2*g.IntN(len(elements))]
	v := g.expr(types.KindOf(p.Elem()), 4)
	g.w.Store(p, v, g.own()...)
}

// index is an index into an array of three, mostly in range.
func (g *generator) index() *ir.Instr {
	if g.IntN(3) == 0 {
		return g.expr(types.Int, 2)
	}
	return g.w.Int(int64(g.IntN(3)))
}

// expr appends a value of kind k.
func (g *generator) expr(k types.Kind, depth int) *ir.Instr {
	if g.IntN(3) == 0 {
		for range 3 {
			if n := len(g.scope); n > 0 {
				if v := g.scope[g.IntN(n)]; v.Kind() == k {
					return v
				}
			}
		}
	}
	if depth <= 0 {
		return g.leaf(k)
	}
	switch g.IntN(7) {
	case 0:
		return g.leaf(k)
	case 1:
		return g.w.Select(g.expr(types.Bool, depth-1), g.expr(k, depth-1), g.expr(k, depth-1))
	case 2:
		if k != types.Bool {
			from := scalars[g.IntN(len(scalars)-1)]
			return g.w.New(ir.OpConv, k, g.expr(from, depth-1))
		}
	}
	switch {
	case k == types.Bool:
		return g.boolean(depth)
	case k.IsInteger():
		return g.integer(k, depth)
	}
	ops := []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMul, ir.OpAdd, ir.OpDiv, ir.OpRem, ir.OpMin, ir.OpMax, ir.OpFmin, ir.OpFmax, ir.OpCopysign, ir.OpPow}
	if g.IntN(4) == 0 {
		ops := []ir.Op{ir.OpNeg, ir.OpAbs, ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRound, ir.OpRoundEven, ir.OpSqrt, ir.OpExp}
		return g.w.Un(ops[g.IntN(len(ops))], g.expr(k, depth-1))
	}
	x, y := g.expr(k, depth-1), g.expr(k, depth-1)
	in := g.w.Bin(ops[g.IntN(len(ops))], x, y)
	in.NoFuse = in.Op == ir.OpMul && g.IntN(4) == 0
	return in
}

func (g *generator) integer(k types.Kind, depth int) *ir.Instr {
	switch g.IntN(8) {
	case 0:
		ops := []ir.Op{ir.OpNeg, ir.OpAbs, ir.OpNot, ir.OpPopcount, ir.OpClz, ir.OpCtz, ir.OpReverse}
		return g.w.Un(ops[g.IntN(len(ops))], g.expr(k, depth-1))
	case 1:
		count := scalars[g.IntN(7)]
		x, n := g.expr(k, depth-1), g.expr(count, depth-1)
		if g.IntN(2) == 0 {
			n = g.w.Const(count, int64(g.IntN(70)))
		}
		return g.w.Bin([]ir.Op{ir.OpShl, ir.OpShr}[g.IntN(2)], x, n)
	case 2:
		x := g.expr(k, depth-1)
		c := g.w.Const(k, []int64{1, 2, 4, 8, 3, -1, 0, 16}[g.IntN(8)])
		return g.w.Bin([]ir.Op{ir.OpDiv, ir.OpRem, ir.OpMul, ir.OpAnd, ir.OpAdd}[g.IntN(5)], x, c)
	}
	ops := []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpMin, ir.OpMax, ir.OpMulHi}
	x, y := g.expr(k, depth-1), g.expr(k, depth-1)
	return g.w.Bin(ops[g.IntN(len(ops))], x, y)
}

func (g *generator) boolean(depth int) *ir.Instr {
	switch g.IntN(4) {
	case 0:
		x := g.expr(types.Bool, depth-1)
		in := g.w.Cond([]ir.Op{ir.OpCondAnd, ir.OpCondOr}[g.IntN(2)], x)
		g.within(in.Blocks[0], func() { g.w.Yield(g.expr(types.Bool, depth-1)) })
		return in
	case 1:
		return g.w.Un(ir.OpLNot, g.expr(types.Bool, depth-1))
	}
	k := scalars[g.IntN(len(scalars)-1)]
	x, y := g.expr(k, depth-1), g.expr(k, depth-1)
	return g.w.Bin(ir.OpEq+ir.Op(g.IntN(6)), x, y)
}

// leaf is a constant, a parameter, an extent, a point, a load or a reading of a local.
func (g *generator) leaf(k types.Kind) *ir.Instr {
	if l := g.pick(func(l *ir.Local) bool { return l.Type == k }); l != nil && g.IntN(2) == 0 {
		return g.w.LocalGet(l)
	}
	if k == types.Float32 && g.IntN(4) == 0 {
		if l := g.pick(func(l *ir.Local) bool { _, ok := l.Type.(*types.Array); return ok }); l != nil {
			return g.w.ElemGet(l, g.index())
		}
	}
	if g.kernel != nil && g.IntN(3) > 0 {
		if v := g.kernelLeaf(k); v != nil {
			return v
		}
	}
	switch {
	case k == types.Bool:
		return g.w.Bool(g.IntN(2) == 0)
	case k.IsFloat():
		return g.w.Float(k, []float64{0, 1, -1, 0.5, 3, 1e10, -2.5, 1e-30}[g.IntN(8)])
	}
	return g.w.Const(k, []int64{0, 1, -1, 2, 7, 100, 1 << 31, -1 << 63, 255}[g.IntN(9)])
}

// kernelLeaf is a leaf that only kernels have, or nil.
func (g *generator) kernelLeaf(k types.Kind) *ir.Instr {
	d := g.IntN(len(g.kernel.Domain))
	if k == types.Int {
		switch g.IntN(3) {
		case 0:
			return g.w.Extent(g.kernel.Symbols[d])
		case 1:
			return g.own()[d]
		}
	}
	for _, p := range g.kernel.Params[2*len(elements):] {
		if p.Type == k && g.IntN(2) == 0 {
			return g.w.Param(p)
		}
	}
	for i, e := range elements {
		if e != k {
			continue
		}
		p := g.kernel.Params[2*i+g.IntN(2)]
		ix := g.own()
		if !p.Mut && g.IntN(2) == 0 {
			ix[d] = g.w.Bin(ir.OpAdd, ix[d], g.w.Int(int64(g.IntN(3)-1)))
		}
		return g.w.Load(p, ix...)
	}
	return nil
}
