package cfamilytest

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// Block is a kernel of blocks, as the schedule leaves it, with one launch of it.
type Block struct {
	Kernel  *ir.Kernel
	Grid    [3]int           // blocks
	Buffers []*interp.Buffer // the views, in order
	Extents []int64          // the symbols
	Out     int              // the buffer that the kernel writes
	Want    []uint64         // its elements afterwards
}

// maker builds the body of a kernel of blocks.
type maker struct {
	ir.Builder
	*Block
}

// blocks starts a kernel whose block has the given threads, the last dim x.
func blocks(name string, grid [3]int, domain []ir.Dim, threads ...ir.Thread) *maker {
	k := &ir.Kernel{
		Name: name, Instance: name, Entry: name, Targets: types.AllTargets, Domain: domain, Group: threads,
		Sched: &ir.Schedule{Block: [3]int{1, 1, 1}, Per: 1}, Body: &ir.Block{},
	}
	for d, t := range threads {
		k.Sched.Block[len(threads)-1-d] = int(t.N)
	}
	return &maker{ir.Builder{Block: k.Body}, &Block{Kernel: k, Grid: grid}}
}

// extent adds a symbol; a view that is added later binds it.
func (m *maker) extent(name string, n int64) (*ir.Symbol, *types.Header) {
	s := &ir.Symbol{Index: len(m.Kernel.Symbols), Name: name}
	m.Kernel.Symbols = append(m.Kernel.Symbols, s)
	m.Extents = append(m.Extents, n)
	return s, types.Sym(name)
}

// view adds a view and its memory; value gives each element.
func (m *maker) view(name string, k types.Kind, mut bool, sizes []int64, dims []*types.Header, value func(i int64) uint64) *ir.Param {
	b := interp.NewBuffer(k, sizes...)
	for i := range b.Len() {
		b.Set(i, value(i))
	}
	p := &ir.Param{Index: len(m.Buffers), Name: name, Mut: mut, Type: &types.View{Rank: len(dims), Elem: k}, Dims: dims}
	for _, s := range m.Kernel.Symbols {
		if s.Name == dims[0].Name {
			s.Param = p.Index
		}
	}
	if mut {
		m.Out = len(m.Buffers)
	}
	m.Buffers = append(m.Buffers, b)
	m.Kernel.Params = append(m.Kernel.Params, p)
	return p
}

// shared adds a variable of the block.
func (m *maker) shared(name string, k types.Kind, dims ...int64) *ir.Local {
	l := &ir.Local{ID: len(m.Kernel.Locals), Name: name, Type: k, Shared: true}
	if len(dims) > 0 {
		l.Type = &types.Array{Dims: dims, Elem: k}
	}
	m.Kernel.Locals = append(m.Kernel.Locals, l)
	return l
}

// local adds a variable of the thread.
func (m *maker) local(name string, k types.Kind) *ir.Local {
	l := &ir.Local{ID: len(m.Kernel.Locals), Name: name, Type: k}
	m.Kernel.Locals = append(m.Kernel.Locals, l)
	return l
}

func (m *maker) in(b *ir.Block) *maker { return &maker{m.In(b), m.Block} }

func (m *maker) barrier() { m.New(ir.OpBarrier, nil) }

// index is an index of the launch under a name.
func (m *maker) index(op ir.Op, dim int, name string) *ir.Instr {
	in := m.New(op, types.Int32)
	in.Dim, in.Name = dim, name
	return in
}

// sum is x + y, mul x * y, both without overflow.
func (m *maker) sum(x, y *ir.Instr) *ir.Instr { return m.exact(ir.OpAdd, x, y) }
func (m *maker) mul(x, y *ir.Instr) *ir.Instr { return m.exact(ir.OpMul, x, y) }

func (m *maker) exact(op ir.Op, x, y *ir.Instr) *ir.Instr {
	in := m.Bin(op, x, y)
	in.NoWrap = true
	return in
}

func (m *maker) i32(v int64) *ir.Instr { return m.Const(types.Int32, v) }

// below guards what follows by x < y.
func (m *maker) below(x, y *ir.Instr) *maker { return m.in(m.If(m.Bin(ir.OpLt, x, y)).Blocks[0]) }

// Blocks are kernels that use shared memory and barriers in all the ways that lowering has. Every barrier in them is
// needed: without it some order of threads gives a race.
func Blocks() []*Block {
	return []*Block{matmul(), reduce(), neighbours(), flags()}
}

// BlockModule is a module of the kernels of Blocks.
func BlockModule(list []*Block) *ir.Module {
	m := &ir.Module{Package: "blocks", File: "blocks.gpu"}
	for _, b := range list {
		m.Kernels = append(m.Kernels, b.Kernel)
	}
	return m
}

// matmul multiplies matrices of small whole numbers through two tiles of 4 x 4. The rows of blocks are more than the
// blocks of the grid along y, so that a block works on several.
func matmul() *Block {
	const rows, inner, cols = 10, 7, 9
	m := blocks("Matmul", [3]int{3, 2, 1},
		[]ir.Dim{
			{Name: "by", Lo: types.Const(0), Hi: &types.Header{Op: types.HCeilDiv, X: types.Sym("m"), Y: types.Const(4)}},
			{Name: "bx", Lo: types.Const(0), Hi: &types.Header{Op: types.HCeilDiv, X: types.Sym("n"), Y: types.Const(4)}},
		},
		ir.Thread{Name: "ty", N: 4}, ir.Thread{Name: "tx", N: 4})
	symM, hm := m.extent("m", rows)
	symK, hk := m.extent("k", inner)
	symN, hn := m.extent("n", cols)
	small := func(i int64) uint64 { return ir.FloatBits(types.Float32, float64(i*7%11-5)) }
	a := m.view("a", types.Float32, false, []int64{rows, inner}, []*types.Header{hm, hk}, small)
	b := m.view("b", types.Float32, false, []int64{inner, cols}, []*types.Header{hk, hn}, small)
	c := m.view("c", types.Float32, true, []int64{rows, cols}, []*types.Header{hm, hn}, func(int64) uint64 { return 0 })
	symK.Dim, symN.Param, symN.Dim = 1, 1, 1
	left, right := m.shared("left", types.Float32, 4, 4), m.shared("right", types.Float32, 4, 4)
	acc := m.local("acc", types.Float32)
	ty, tx := m.index(ir.OpThreadIdx, 1, "ty"), m.index(ir.OpThreadIdx, 0, "tx")
	nm, nk, nn := m.Conv(types.Int32, m.Extent(symM)), m.Conv(types.Int32, m.Extent(symK)), m.Conv(types.Int32, m.Extent(symN))
	step := m.New(ir.OpGridDim, types.Int32)
	step.Dim = 1
	by := m.New(ir.OpBlockIdx, types.Int32)
	by.Dim = 1
	outer := m.Range("by", by, m.Bin(ir.OpDivNZ, m.sum(nm, m.i32(3)), m.i32(4)), step)
	o := m.in(outer.Blocks[0])
	row := o.sum(o.mul(outer.Blocks[0].Iter, o.i32(4)), ty)
	row.Name = "row"
	col := o.sum(o.mul(o.New(ir.OpBlockIdx, types.Int32), o.i32(4)), tx)
	col.Name = "col"
	o.LocalSet(acc, o.Float(types.Float32, 0))
	loop := o.Range("t", o.i32(0), nk, o.i32(4))
	l := o.in(loop.Blocks[0])
	t := loop.Blocks[0].Iter
	tile := func(to *ir.Local, v *ir.Param, r, c, rn, cn *ir.Instr) {
		l.ElemSet(to, l.Float(types.Float32, 0), ty, tx)
		in := l.below(r, rn).below(c, cn)
		in.ElemSet(to, in.Load(v, r, c), ty, tx)
	}
	tile(left, a, row, l.sum(t, tx), nm, nk)
	tile(right, b, l.sum(t, ty), col, nk, nn)
	l.barrier()
	q := l.Range("q", l.i32(0), l.i32(4), l.i32(1))
	p := l.in(q.Blocks[0])
	p.LocalSet(acc, p.Bin(ir.OpAdd, p.LocalGet(acc), p.Bin(ir.OpMul, p.ElemGet(left, ty, q.Blocks[0].Iter), p.ElemGet(right, q.Blocks[0].Iter, tx))))
	l.barrier()
	e := o.below(row, nm).below(col, nn)
	e.Store(c, e.LocalGet(acc), row, col)
	value := func(i int64) int64 { return i*7%11 - 5 }
	for i := range int64(rows) {
		for j := range int64(cols) {
			sum := int64(0)
			for k := range int64(inner) {
				sum += value(i*inner+k) * value(k*cols+j)
			}
			m.Want = append(m.Want, ir.FloatBits(types.Float32, float64(sum)))
		}
	}
	return m.Block
}

// reduce adds 64 numbers a block in a tree. The sum goes through a shared scalar back to all threads.
func reduce() *Block {
	const groups, n = 3, 150
	m := blocks("Reduce", [3]int{groups, 1, 1}, []ir.Dim{{Name: "b", Lo: types.Const(0), Hi: types.Sym("g")}}, ir.Thread{Name: "t", N: 64})
	symN, hn := m.extent("n", n)
	_, hg := m.extent("g", groups)
	value := func(i int64) int64 { return i*31%17 - 8 }
	x := m.view("x", types.Int32, false, []int64{n}, []*types.Header{hn}, func(i int64) uint64 { return ir.IntBits(types.Int32, value(i)) })
	y := m.view("y", types.Int32, true, []int64{groups, 64}, []*types.Header{hg, types.Const(64)}, func(int64) uint64 { return 0 })
	s, total := m.shared("s", types.Int32, 64), m.shared("total", types.Int32)
	half := m.local("half", types.Int32)
	t, b := m.index(ir.OpThreadIdx, 0, "t"), m.index(ir.OpBlockIdx, 0, "b")
	i := m.sum(m.mul(b, m.i32(64)), t)
	i.Name = "i"
	m.ElemSet(s, m.i32(0), t)
	in := m.below(i, m.Conv(types.Int32, m.Extent(symN)))
	in.ElemSet(s, in.Load(x, i), t)
	m.barrier()
	m.LocalSet(half, m.i32(32))
	loop := m.Loop()
	c := m.in(loop.Blocks[0])
	c.Yield(c.Bin(ir.OpGt, c.LocalGet(half), c.i32(0)))
	l := m.in(loop.Blocks[1])
	add := l.below(t, l.LocalGet(half))
	add.ElemSet(s, add.Bin(ir.OpAdd, add.ElemGet(s, t), add.ElemGet(s, add.sum(t, add.LocalGet(half)))), t)
	l.barrier()
	post := m.in(loop.Blocks[2])
	post.LocalSet(half, post.Bin(ir.OpShrIn, post.LocalGet(half), post.i32(1)))
	first := m.below(t, m.i32(1))
	first.LocalSet(total, first.ElemGet(s, first.i32(0)))
	m.barrier()
	m.Store(y, m.sum(m.LocalGet(total), t), b, t)
	for g := range int64(groups) {
		sum := int64(0)
		for i := g * 64; i < min(n, g*64+64); i++ {
			sum += value(i)
		}
		for t := range int64(64) {
			m.Want = append(m.Want, ir.IntBits(types.Int32, sum+t))
		}
	}
	return m.Block
}

// neighbours exchanges elements of a view: a barrier orders views too. Each thread reads its element twice, and a
// neighbour has written it in between.
func neighbours() *Block {
	const groups = 2
	m := blocks("Neighbours", [3]int{groups, 1, 1}, []ir.Dim{{Name: "b", Lo: types.Const(0), Hi: types.Sym("g")}}, ir.Thread{Name: "t", N: 32})
	_, hg := m.extent("g", groups)
	y := m.view("y", types.Uint32, true, []int64{groups, 32}, []*types.Header{hg, types.Const(32)}, func(i int64) uint64 { return uint64(i) })
	t, b := m.index(ir.OpThreadIdx, 0, "t"), m.index(ir.OpBlockIdx, 0, "b")
	other := m.Bin(ir.OpXor, t, m.i32(1))
	other.Name = "other"
	before := m.Load(y, b, t)
	before.Name = "before"
	m.barrier()
	m.Store(y, m.Bin(ir.OpMul, before, m.Const(types.Uint32, 3)), b, other)
	m.barrier()
	after := m.Load(y, b, t)
	after.Name = "after"
	m.Store(y, m.Bin(ir.OpAdd, m.Bin(ir.OpMul, before, m.Const(types.Uint32, 1000)), after), b, t)
	for i := range uint64(groups * 32) {
		m.Want = append(m.Want, i*1000+(i^1)*3)
	}
	return m.Block
}

// flags has shared arrays of the narrow types, whose neighbours different threads write. One of them has a name that
// means something to Metal.
func flags() *Block {
	m := blocks("Flags", [3]int{1, 1, 1}, []ir.Dim{{Name: "b", Lo: types.Const(0), Hi: types.Const(1)}},
		ir.Thread{Name: "tz", N: 2}, ir.Thread{Name: "ty", N: 2}, ir.Thread{Name: "tx", N: 8})
	_, hn := m.extent("n", 2)
	y := m.view("y", types.Uint8, true, []int64{2, 2, 8}, []*types.Header{hn, types.Const(2), types.Const(8)}, func(int64) uint64 { return 0 })
	odd, bytes := m.shared("odd", types.Bool, 2, 2, 8), m.shared("threadgroup_barrier", types.Uint8, 8)
	tz, ty, tx := m.index(ir.OpThreadIdx, 2, "tz"), m.index(ir.OpThreadIdx, 1, "ty"), m.index(ir.OpThreadIdx, 0, "tx")
	m.ElemSet(odd, m.Bin(ir.OpEq, m.Bin(ir.OpAnd, m.sum(m.sum(tx, ty), tz), m.i32(1)), m.i32(1)), tz, ty, tx)
	once := m.below(m.sum(ty, tz), m.i32(1))
	once.ElemSet(bytes, once.Conv(types.Uint8, once.mul(tx, once.i32(3))), tx)
	m.barrier()
	flip := func(x *ir.Instr) *ir.Instr { return m.Bin(ir.OpXor, x, m.i32(1)) }
	v := m.Select(m.ElemGet(odd, flip(tz), flip(ty), flip(tx)), m.ElemGet(bytes, flip(tx)), m.Const(types.Uint8, 200))
	m.Store(y, v, tz, ty, tx)
	for z := range uint64(2) {
		for y := range uint64(2) {
			for x := range uint64(8) {
				want := uint64(200)
				if ((x^1)+(y^1)+(z^1))%2 == 1 {
					want = (x ^ 1) * 3
				}
				m.Want = append(m.Want, want)
			}
		}
	}
	return m.Block
}
