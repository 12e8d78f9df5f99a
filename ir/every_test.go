package ir_test

import (
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// everyOp is a module that holds every operation at least once.
func everyOp() *ir.Module {
	x := &ir.Param{Index: 0, Name: "x", Type: &types.View{Rank: 1, Elem: types.Float32}, Dims: []*types.Header{types.Sym("n")}}
	y := &ir.Param{Index: 1, Name: "y", Mut: true, Type: x.Type, Dims: x.Dims}
	s := &ir.Param{Index: 2, Name: "s", Type: types.Float32}
	sym := &ir.Symbol{Name: "n"}
	arr := &ir.Local{ID: 0, Name: "arr", Type: &types.Array{Dims: []int64{2}, Elem: types.Float32}}
	v := &ir.Local{ID: 1, Name: "v", Type: types.Float32}

	a := &ir.Local{Name: "a", Type: types.Float32}
	f := &ir.Func{Name: "f", Instance: "f", Params: []*ir.Local{a}, Locals: []*ir.Local{a}, Results: []types.Type{types.Float32}, Body: &ir.Block{}}
	fb := ir.Builder{Block: f.Body}
	fb.New(ir.OpReturn, nil, fb.LocalGet(a))

	k := func(entry string) *ir.Kernel {
		return &ir.Kernel{
			Name: "K", Instance: "K", Entry: entry, Params: []*ir.Param{x, y, s}, Symbols: []*ir.Symbol{sym}, Targets: types.AllTargets,
			Domain: []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: types.Sym("n")}}, Body: &ir.Block{},
		}
	}
	points, threads := k("K"), k("K_threads")
	blocks := k("K_blocks")
	blocks.Group = []ir.Thread{{Name: "ty", N: 4}, {Name: "tx", N: 32}}
	blocks.Locals = []*ir.Local{{Name: "tile", Type: &types.Array{Dims: []int64{4, 32}, Elem: types.Float32}, Shared: true}}
	bb := ir.Builder{Block: blocks.Body}
	bb.ElemSet(blocks.Locals[0], bb.Float(types.Float32, 1), bb.Thread(0), bb.Thread(1))
	bb.New(ir.OpBarrier, nil)
	bb.AtomicLocal(ir.AtomicAdd, blocks.Locals[0], []*ir.Instr{bb.Thread(0), bb.Thread(1)}, []*ir.Instr{bb.Float(types.Float32, 1)})
	bb.AtomicParam(ir.AtomicLoad, y, 0, []*ir.Instr{bb.Thread(1)}, nil)
	bb.SubReduce(ir.ScanSum, bb.Shuffle(bb.New(ir.OpLane, types.Int), bb.Const(types.Int32, 3)))
	bb.New(ir.OpBallot, types.Uint32, bb.Bin(ir.OpEq, bb.New(ir.OpSubgroup, types.Int), bb.Thread(0)))
	bb.Reduce(ir.ReduceSum, bb.Thread(0))
	bb.Reduce(ir.ReduceAny, bb.Bool(true))
	points.Locals = []*ir.Local{arr, v}
	threads.Sched = &ir.Schedule{Block: [3]int{256, 1, 1}, Per: 4}
	for _, op := range []ir.Op{ir.OpBlockIdx, ir.OpThreadIdx, ir.OpGridDim} {
		ir.Builder{Block: threads.Body}.New(op, types.Int32)
	}

	b := ir.Builder{Block: points.Body}
	i := b.Point(0)
	i.Name = "i"
	n := b.Extent(sym)
	p := b.Param(s)
	yes, h := b.Bool(true), b.Const(types.Int32, 3)
	for op := ir.OpAdd; op < ir.NumOps; op++ {
		info := ir.Ops[op]
		if info.Class != ir.Pure {
			continue
		}
		for _, cand := range []*ir.Instr{h, p, yes} {
			args := []*ir.Instr{cand, cand, cand}[:info.Args]
			t := types.Type(cand.Type)
			switch {
			case op.IsCompare():
				t = types.Bool
			case op == ir.OpSelect:
				args = []*ir.Instr{yes, cand, cand}
			case op == ir.OpConv:
				t = types.Float64
			case op == ir.OpBitcast:
				t = types.Uint32
			}
			in := &ir.Instr{Op: op, Type: t, Args: args}
			if ir.VerifyKernel(alone(in, yes, h, p)) == nil {
				b.Block.Add(in)
				break
			}
		}
	}
	for _, op := range []ir.Op{ir.OpCondAnd, ir.OpCondOr} {
		c := b.Cond(op, yes)
		b.In(c.Blocks[0]).Yield(yes)
	}
	b.Store(y, b.Load(x, i), i)
	b.LocalSet(arr, b.Zero(arr.Type))
	b.ElemSet(arr, b.ElemGet(arr, n), i)
	b.LocalSet(v, b.LocalGet(v))
	table := &ir.Table{Name: "coef", Type: &types.Array{Dims: []int64{2, 9}, Elem: types.Float16}, Bits: make([]uint64, 18)}
	copy(table.Bits, []uint64{0x3c00, 0xfc00, 0x7e00, 1})
	b.TableGet(table, b.Int(1), i).InBounds = true
	call := b.New(ir.OpCall, nil, p)
	call.Func, call.Outs = f, []*ir.Local{v}
	loop := b.Range("j", b.Int(0), n, b.Int(1))
	scope := b.In(loop.Blocks[0]).Scope()
	b.In(b.In(scope.Blocks[0]).If(yes).Blocks[0]).Exit(ir.OpBreak, 1)
	b.In(loop.Blocks[0]).Exit(ir.OpContinue, 0)
	l := b.Loop()
	b.In(l.Blocks[1]).New(ir.OpBreak, nil)
	b.In(b.Assert("why").Blocks[0]).Yield(yes)
	b.Print("%d\n", n)
	b.New(ir.OpReport, nil, i, n).Text = "why"
	points.Sites = []*ir.Site{{Kind: ir.SiteBounds, Name: "x", Dim: 1}, {Index: 1, Kind: ir.SitePrint, Text: "%v %v", Args: []types.Kind{types.Float32, types.Bool}}, {Index: 2, Kind: ir.SiteZeroDivisor}}
	b.New(ir.OpReport, nil, i, n, i).Site = points.Sites[0]
	b.New(ir.OpPrint, nil, p, yes, i).Site = points.Sites[1]
	b.In(b.If(yes).Blocks[0]).New(ir.OpReturn, nil)
	return &ir.Module{Package: "p", File: "p.gpu", Tables: []*ir.Table{table}, Consts: []*ir.Const{{Name: "Coef", Table: table}}, Funcs: []*ir.Func{f}, Kernels: []*ir.Kernel{points, threads, blocks}}
}

// alone is a kernel that holds the operands, some of them twice in the arguments, and in.
func alone(in *ir.Instr, operands ...*ir.Instr) *ir.Kernel {
	k := &ir.Kernel{Name: "K", Instance: "K", Entry: "K", Domain: []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: types.Const(9)}}, Body: &ir.Block{}}
	for _, o := range operands {
		if o.Param != nil {
			p := *o.Param
			p.Index = 0
			k.Params = []*ir.Param{&p}
			c := *o
			c.Param = &p
			args := make([]*ir.Instr, len(in.Args))
			for i, a := range in.Args {
				if args[i] = a; a == o {
					args[i] = &c
				}
			}
			in = &ir.Instr{Op: in.Op, Type: in.Type, Args: args}
			o = &c
		}
		k.Body.Add(o)
	}
	k.Body.Add(in)
	return k
}

// TestEveryOpIsInTheTables prints, reads, copies and verifies a module with every operation.
func TestEveryOpIsInTheTables(t *testing.T) {
	m := everyOp()
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(m))
	}
	seen := map[ir.Op]bool{ir.OpInvalid: true, ir.OpIter: true}
	count := func(in *ir.Instr) { seen[in.Op] = true }
	for _, k := range m.Kernels {
		k.Body.Walk(count)
	}
	m.Funcs[0].Body.Walk(count)
	m.Kernels[0].Body.Walk(func(in *ir.Instr) { seen[ir.OpYield] = seen[ir.OpYield] || in.Op == ir.OpYield })
	names := map[string]bool{}
	for op := ir.OpInvalid; op < ir.NumOps; op++ {
		info := ir.Ops[op]
		if info.Name == "" || names[info.Name] || info.Class == 0 {
			t.Errorf("operation %d (%q) has a hole in Ops", op, info.Name)
		}
		names[info.Name] = true
		if !seen[op] {
			t.Errorf("%s is in no test module", op)
		}
	}
	text := ir.Print(m)
	if again := ir.Print(parse(t, text)); again != text {
		t.Errorf("read back as\n%s\nfrom\n%s", again, text)
	}
}
