package ir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// refused checks that Verify refuses m with a message that holds want.
func refused(t *testing.T, what string, m *ir.Module, want string) {
	t.Helper()
	err := ir.Verify(m)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want one with %q\n%s", what, err, want, ir.Print(m))
	}
}

// TestVerifyBodies holds a body for every rule on instructions.
func TestVerifyBodies(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"%0 = param float32 x", "value of a view"},
		{"%0 = param int s", "result is int, want float32"},
		{"%0 = extent int32 n", "result is int32, want int"},
		{"%0 = point int 1", "dim 1"},
		{"%0 = point int32 0", "result is int32, want int"},
		{"%0 = blockidx int32 0", "before schedule"},
		{"%0 = get int $0", "result is int, want float32"},
		{"%0 = const bool true\n%1 = add bool %0, %0", "result is bool"},
		{"%0 = const int 1\n%1 = const int32 1\n%2 = add int %0, %1", "operand 1 is int32, want int"},
		{"%0 = const float32 1\n%1 = and float32 %0, %0", "result is float32"},
		{"%0 = const bool true\n%1 = and bool %0, %0", "result is bool"},
		{"%0 = const float32 1\n%1 = shl float32 %0, %0", "result is float32"},
		{"%0 = const float32 1\n%1 = const int 1\n%2 = shl int %1, %0", "count is float32"},
		{"%0 = const int 1\n%1 = lt int %0, %0", "result is int, want bool"},
		{"%0 = const bool true\n%1 = lt bool %0, %0", "operands are bool"},
		{"%0 = const int 1\n%1 = lnot int %0", "result is int"},
		{"%0 = const int 1\n%1 = select int %0, %0, %0", "operand 0 is int, want bool"},
		{"%0 = const int 1\n%1 = fma int %0, %0, %0", "result is int"},
		{"%0 = const int 1\n%1 = sqrt int %0", "result is int"},
		{"%0 = const int 1\n%1 = exp int %0", "result is int"},
		{"%0 = const bool true\n%1 = conv int %0", "from bool"},
		{"%0 = const int 1\n%1 = conv bool %0", "to bool"},
		{"%0 = const int 1\n%1 = bitcast float32 %0", "from int to float32"},
		{"%0 = const int 1\n%1 = load int x [%0]", "result is int, want float32"},
		{"%0 = const int 1\n%1 = load float32 x [%0, %0]", "2 indexes into 1 dims"},
		{"%0 = const int32 1\n%1 = load float32 x [%0]", "index 0 is int32"},
		{"%0 = const int 1\n%1 = load float32 s [%0]", "s is no view"},
		{"%0 = const int 1\nstore y [%0], %0", "operand 1 is int, want float32"},
		{"%0 = const int 1\n%1 = const float32 1\nstore x [%0], %1", "x is not mut"},
		{"%0 = const int 1\n%1 = elem float32 $0 [%0]", "1 indexes into float32"},
		{"%0 = const int 1\nsetelem $1 [%0], %0", "operand 1 is int, want float32"},
		{"%0 = const int 1\nset $0, %0", "operand 0 is int, want float32"},
		{"%0 = const int 1\nif %0 {\n}", "operand 0 is int, want bool"},
		{"%0 = const int 1\n%1 = const int32 1\nrange %0, %1, %0 as %2.j int {\n}", "operand 1 is int32, want int"},
		{"%0 = const float32 1\nrange %0, %0, %0 as %2.j float32 {\n}", "index is float32"},
		{"%0 = const int 1\n%1 = const int 0\nrange %0, %0, %1 as %2.j int {\n}", "step 0"},
		{"%0 = const int 1\n%1 = const int -1\nrange %0, %0, %1 as %2.j int {\n}", "step -1"},
		{"%0 = const int 2\nrange %0, %0, %0 as %1.j int spread 1 {\n}", "a spread loop counts by another step than 1"},
		{"%0 = const int 1\nrange %0, %0, %0 as %1.j int reduce sum $0 {\n}", "reduction of what is no Reduce and no comprehension"},
		{"%0 = const int 1\nrange %0, %0, %0 as %1.j int spread 1 reduce scansum $0 {\n}", "reduction of what is no Reduce and no comprehension"},
		{"%0 = const int 1\nrange %0, %0, %0 as %1.j int spread 1 reduce sum {\n}", "0 accumulators of sum"},
		{"%0 = const int 1\nrange %0, %0, %0 as %1.j int spread 1 reduce argmin $0 {\n}", "1 accumulators of argmin"},
		{"%0 = const int 1\nrange %0, %0, %0 as %1.j int spread 1 reduce sum $1 {\n}", "accumulates in"},
		{"%0 = const int 1\nrange %0, %0, %0 as %1.j int spread 1 reduce argmax $0, $0, $0 {\n}", "the index is in a float32"},
		{"%0 = const int 1\nrange %0, %0, %0 as %1.j int spread 1 reduce any $0 {\n}", "any is in a float32"},
		{"break", "outside a loop's body"},
		{"continue", "outside a loop's body"},
		{"%0 = const bool true\nif %0 {\nbreak\n}", "outside a loop's body"},
		{"%0 = const bool true\nloop {\nbreak\nyield %0\n} do {\n} post {\n}", "outside a loop's body"},
		{"loop {\n} do {\n} post {\ncontinue\n}", "outside a loop's body"},
		{"loop {\n} do {\n} post {\n}\nbreak", "outside a loop's body"},
		{"scope {\ncontinue\n}", "outside a loop's body"},
		{"loop {\n} do {\nscope {\ncontinue 2\n}\n} post {\n}", "outside a loop's body"},
		{"loop {\n} do {\nscope {\nbreak 2\n}\n} post {\n}", "outside a loop's body"},
		{"loop {\n} do {\nbreak 2\n} post {\n}", "level 2 in 1"},
		{"%0 = const bool true\nscope {\n%1 = condand bool %0 {\nbreak\nyield %0\n}\n}", "outside a loop's body"},
		{"barrier", "outside a kernel of blocks"},
		{"%0 = thread int 0", "dim 0"},
		{"%0 = const bool true\n%1 = condand bool %0 {\nreturn\nyield %0\n}", "in a block that gives a value"},
		{"%0 = const bool true\nyield %0", "in a block that gives no value"},
		{"%0 = const bool true\nif %0 {\nyield %0\n}", "in a block that gives no value"},
		{"%0 = const bool true\n%1 = condand bool %0 {\n}", "does not end with yield"},
		{"%0 = const bool true\n%1 = condor bool %0 {\nyield %0\n%2 = const bool true\n}", "not the last of its block"},
		{"%0 = const int 1\nloop {\nyield %0\n} do {\n} post {\n}", "operand 0 is int, want bool"},
		{"%0 = const bool true\nreturn %0", "1 results, want 0"},
		{"call \"f\" () to ($0)", "0 arguments to f"},
		{"%0 = const float32 1\ncall \"f\" (%0) to ()", "0 results from f"},
		{"%0 = const int 1\ncall \"f\" (%0) to ($0)", "operand 0 is int, want float32"},
		{"%0 = const float32 1\ncall \"f\" (%0) to ($1)", "result 0 is float32, want [4]float32"},
		// Scope: a value is gone after its block, and does not reach a sister block.
		{"%0 = const bool true\nif %0 {\n%1 = const int 1\n}\n%2 = neg int %1", "operand 0 (const) is not in scope"},
		{"%0 = const bool true\nif %0 {\n%1 = const int 1\n} else {\n%2 = neg int %1\n}", "operand 0 (const) is not in scope"},
		{"%0 = const bool true\nloop {\n%1 = lnot bool %0\nyield %1\n} do {\n%2 = lnot bool %1\n} post {\n}", "operand 0 (lnot) is not in scope"},
		{"%0 = const int 1\nrange %0, %0, %0 as %1.j int {\n}\n%2 = neg int %1", "operand 0 (iter) is not in scope"},
		// Marks.
		{"%0 = const float32 1\n%1 = add float32 %0, %0 nofuse", "nofuse"},
		{"%0 = const float32 1\n%1 = add float32 %0, %0 nowrap", "nowrap"},
		{"%0 = const uint32 1\n%1 = add uint32 %0, %0 nowrap", "nowrap"},
		{"%0 = const int 1\n%1 = div int %0, %0 nowrap", "nowrap"},
		{"%0 = const int 1 inbounds", "inbounds"},
	} {
		refused(t, c.body, parse(t, fmt.Sprintf(forVerify, c.body)), c.want)
	}
}

// TestVerifyHeaders breaks one thing of a good kernel at a time.
func TestVerifyHeaders(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(*ir.Module, *ir.Kernel)
	}{
		{"index 5", func(m *ir.Module, k *ir.Kernel) { k.Params[1].Index = 5 }},
		{"parameter x is there twice", func(m *ir.Module, k *ir.Kernel) { k.Params[1].Name = "x" }},
		{"has 2 extents", func(m *ir.Module, k *ir.Kernel) { k.Params[1].Dims = append(k.Params[1].Dims, types.Const(1)) }},
		{"view x of [2]int", func(m *ir.Module, k *ir.Kernel) {
			k.Params[0].Type = &types.View{Rank: 1, Elem: &types.Array{Dims: []int64{2}, Elem: types.Int}}
		}},
		{"view x of P", func(m *ir.Module, k *ir.Kernel) {
			k.Params[0].Type = &types.View{Rank: 1, Elem: &types.Struct{Name: "P", Fields: []types.Field{{Name: "a", Type: types.Float32}}}}
		}},
		{"view x of P", func(m *ir.Module, k *ir.Kernel) {
			p := &types.Struct{Name: "P"}
			m.Structs = []*ir.Struct{{Type: p}}
			k.Params[0].Type = &types.View{Rank: 1, Elem: p}
		}},
		{"takes [float32 float32]", func(m *ir.Module, k *ir.Kernel) {
			m.Funcs[0].Sig = &ir.Signature{Params: []ir.SigParam{{Name: "a", Type: &types.Vector{Elem: types.Float32, N: 2}}}, Results: []types.Type{types.Float32}}
		}},
		{"what belongs to a view", func(m *ir.Module, k *ir.Kernel) { k.Params[2].Mut = true }},
		{"type [2]float32", func(m *ir.Module, k *ir.Kernel) {
			k.Params[2].Type = &types.Array{Dims: []int64{2}, Elem: types.Float32}
		}},
		{"symbol n has index 3", func(m *ir.Module, k *ir.Kernel) { k.Symbols[0].Index = 3 }},
		{"name x is there twice", func(m *ir.Module, k *ir.Kernel) { k.Symbols[0].Name = "x" }},
		{"is bound by the extent n", func(m *ir.Module, k *ir.Kernel) { k.Symbols[0].Name = "q" }},
		{"parameter 2 has no dim 0", func(m *ir.Module, k *ir.Kernel) { k.Symbols[0].Param = 2 }},
		{"parameter 1 has no dim 7", func(m *ir.Module, k *ir.Kernel) { k.Equal[0].Dim = 7 }},
		{"s is neither an extent nor an int parameter", func(m *ir.Module, k *ir.Kernel) { k.Domain[0].Hi = types.Sym("s") }},
		{"equality: no expression", func(m *ir.Module, k *ir.Kernel) { k.Equal[0].Want = nil }},
		{"requires: n is of the wrong kind", func(m *ir.Module, k *ir.Kernel) { k.Requires = []ir.Require{{Cond: types.Sym("n")}} }},
		{"domain i: n == n is of the wrong kind", func(m *ir.Module, k *ir.Kernel) {
			k.Domain[0].Lo = &types.Header{Op: types.HEq, X: types.Sym("n"), Y: types.Sym("n")}
		}},
		{"domain of 0 dims", func(m *ir.Module, k *ir.Kernel) { k.Domain = nil }},
		{"in-place pair [0 2]", func(m *ir.Module, k *ir.Kernel) { k.InPlace = [][2]int{{0, 2}} }},
		{"schedule", func(m *ir.Module, k *ir.Kernel) { k.Sched = &ir.Schedule{Block: [3]int{256, 1, 0}, Per: 1} }},
		{"wide without a schedule", func(m *ir.Module, k *ir.Kernel) { k.Wide = true }},
		{"local a has ID 4", func(m *ir.Module, k *ir.Kernel) { k.Locals[0].ID = 4 }},
		{"local a has type untyped int", func(m *ir.Module, k *ir.Kernel) { k.Locals[0].Type = types.UntypedInt }},
		{"entry K is there twice", func(m *ir.Module, k *ir.Kernel) { m.Kernels = append(m.Kernels, k.Clone()) }},
		{"instance f is there twice", func(m *ir.Module, k *ir.Kernel) { m.Funcs = append(m.Funcs, m.Clone().Funcs[0]) }},
		{"parameter a is not local 0", func(m *ir.Module, k *ir.Kernel) { m.Funcs[0].Params = []*ir.Local{{Name: "a", Type: types.Float32}} }},
		{"more parameters than locals", func(m *ir.Module, k *ir.Kernel) { m.Funcs[0].Locals = nil }},
		{"1 results, want 2", func(m *ir.Module, k *ir.Kernel) { m.Funcs[0].Results = append(m.Funcs[0].Results, types.Int) }},
		{"local a is shared outside a kernel of blocks", func(m *ir.Module, k *ir.Kernel) { k.Locals[0].Shared = true }},
		{"local a is shared outside a kernel of blocks", func(m *ir.Module, k *ir.Kernel) { m.Funcs[0].Locals[0].Shared = true }},
		{"group of 4 dims", func(m *ir.Module, k *ir.Kernel) { k.Group = []ir.Thread{{N: 1}, {N: 1}, {N: 1}, {N: 1}} }},
		{"0 threads along t", func(m *ir.Module, k *ir.Kernel) { k.Group = []ir.Thread{{Name: "t"}} }},
		{"group of 1089 threads", func(m *ir.Module, k *ir.Kernel) { k.Group = []ir.Thread{{N: 33}, {N: 33}} }},
		{"other threads than the group's", func(m *ir.Module, k *ir.Kernel) {
			k.Group, k.Sched = []ir.Thread{{N: 4}, {N: 32}}, &ir.Schedule{Block: [3]int{4, 32, 1}, Per: 1}
		}},
		{"other threads than the group's", func(m *ir.Module, k *ir.Kernel) {
			k.Group, k.Sched = []ir.Thread{{N: 32}}, &ir.Schedule{Block: [3]int{32, 1, 1}, Per: 2}
		}},
		{"no block", func(m *ir.Module, k *ir.Kernel) { k.Body = nil }},
		{"f is not of this module", func(m *ir.Module, k *ir.Kernel) { m.Funcs = nil }},
	} {
		m := parse(t, fmt.Sprintf(forVerify, "%0 = get float32 $0\ncall \"f\" (%0) to ($0)"))
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		c.spoil(m, m.Kernels[0])
		refused(t, c.want, m, c.want)
	}
}

// TestVerifyEveryOp breaks every operation in every way that has nothing to do with its own rule.
func TestVerifyEveryOp(t *testing.T) {
	ways := []struct {
		name  string
		spoil func(*ir.Instr) bool // false: does not apply
	}{
		{"another type", func(in *ir.Instr) bool {
			if in.Op == ir.OpConst || in.Op == ir.OpConv { // any type will do for these
				return false
			}
			if in.Type == nil {
				in.Type = types.Int
			} else {
				in.Type = &types.Array{Dims: []int64{77}, Elem: types.Uint16}
			}
			return true
		}},
		{"no type", func(in *ir.Instr) bool { was := in.Type != nil; in.Type = nil; return was }},
		{"an operand more", func(in *ir.Instr) bool {
			if len(in.Args) == 0 {
				return false
			}
			in.Args = append(in.Args, in.Args[0])
			return in.Op != ir.OpPrint || in.Site != nil
		}},
		{"an operand less", func(in *ir.Instr) bool {
			if len(in.Args) == 0 {
				return false
			}
			in.Args = in.Args[1:]
			return in.Op != ir.OpPrint || in.Site != nil
		}},
		{"no operand", func(in *ir.Instr) bool {
			if len(in.Args) == 0 {
				return false
			}
			in.Args[0] = nil
			return true
		}},
		{"an operand from elsewhere", func(in *ir.Instr) bool {
			if len(in.Args) == 0 {
				return false
			}
			in.Args[0] = ir.ConstInt(types.Int, 1)
			return true
		}},
		{"a block more", func(in *ir.Instr) bool { in.Blocks = append(in.Blocks, &ir.Block{}); return true }},
		{"no block", func(in *ir.Instr) bool {
			if len(in.Blocks) == 0 {
				return false
			}
			in.Blocks[0] = nil
			return true
		}},
		{"a parameter", func(in *ir.Instr) bool { in.Param = &ir.Param{Name: "q", Type: types.Int}; return true }},
		{"a symbol", func(in *ir.Instr) bool { in.Sym = &ir.Symbol{Name: "q"}; return true }},
		{"a local", func(in *ir.Instr) bool { in.Local = &ir.Local{Name: "q", Type: types.Float32}; return true }},
		{"a function", func(in *ir.Instr) bool { in.Func = &ir.Func{Instance: "q"}; return true }},
		{"results", func(in *ir.Instr) bool { in.Outs = []*ir.Local{{Name: "q", Type: types.Float32}}; return true }},
		{"bits", func(in *ir.Instr) bool { in.Bits = 1 << 40; return in.Type != types.Int || in.Op != ir.OpConst }},
		{"a level", func(in *ir.Instr) bool { in.Level = 9; return true }},
		{"all marks", func(in *ir.Instr) bool { in.NoFuse, in.InBounds, in.NoWrap = true, true, true; return true }},
		{"unroll", func(in *ir.Instr) bool {
			in.Unroll = -1
			if in.Op != ir.OpRange && in.Op != ir.OpLoop {
				in.Unroll = 2
			}
			return true
		}},
		{"spread", func(in *ir.Instr) bool {
			in.Spread = -1
			if in.Op != ir.OpRange {
				in.Spread = 1
			}
			return true
		}},
		{"invalid", func(in *ir.Instr) bool { in.Op = ir.OpInvalid; return true }},
		{"a text", func(in *ir.Instr) bool {
			in.Text = "why"
			return in.Op != ir.OpAssert && (in.Site != nil || in.Op != ir.OpReport && in.Op != ir.OpPrint)
		}},
		{"a site", func(in *ir.Instr) bool { in.Site = &ir.Site{}; return true }},
		{"out of the table", func(in *ir.Instr) bool { in.Op = ir.NumOps; return true }},
	}
	list := func(m *ir.Module) (all []*ir.Instr) {
		m.Kernels[0].Body.Walk(func(in *ir.Instr) { all = append(all, in) })
		return all
	}
	for _, w := range ways {
		applied := 0
		for at := range list(everyOp()) {
			m := everyOp()
			in := list(m)[at]
			op := in.Op
			did := w.spoil(in)
			if !did {
				continue
			}
			applied++
			if ir.Verify(m) == nil {
				t.Errorf("%s with %s passes", op, w.name)
			}
		}
		if applied == 0 {
			t.Errorf("%s applies to nothing", w.name)
		}
	}
}

// TestVerifySharing refuses an instruction that stands in two places and an index that two loops share.
func TestVerifySharing(t *testing.T) {
	m := parse(t, fmt.Sprintf(forVerify, "%0 = const int 1"))
	k := m.Kernels[0]
	k.Body.Add(k.Body.Instrs[0])
	refused(t, "twice", m, "stands in two places")

	m = parse(t, fmt.Sprintf(forVerify, "%0 = const int 1\nrange %0, %0, %0 as %1.j int {\n}\nrange %0, %0, %0 as %2.j int {\n}"))
	k = m.Kernels[0]
	k.Body.Instrs[2].Blocks[0].Iter = k.Body.Instrs[1].Blocks[0].Iter
	refused(t, "index", m, "no index of its own")
}

// TestVerifySchedule looks at what changes after schedule.
func TestVerifySchedule(t *testing.T) {
	for _, c := range []struct{ head, body, want string }{
		{"sched 256 1 1 per 1", "%0 = point int 0", "after schedule"},
		{"group t in 256\nsched 256 1 1 per 1", "%0 = thread int 0", "after schedule"},
		{"group t in 256", "%0 = thread int 1", "dim 1"},
		{"group t in 256", "%0 = thread int32 0", "result is int32, want int"},
		{"group ty in 4\ngroup tx in 64\nsched 64 4 1 per 1", "barrier", ""},
		{"group ty in 4\ngroup tx in 64", "%0 = thread int 1\nscope {\nloop {\n} do {\nbreak 1\n} post {\n}\n}", ""},
		{"sched 256 1 1 per 1", "%0 = threadidx int 0", "result is int, want int32"},
		{"sched 256 1 1 per 1\nwide", "%0 = griddim int32 0", "result is int32, want int"},
		{"sched 256 1 1 per 1", "%0 = blockidx int32 3", "dim 3"},
		{"sched 256 1 1 per 1\nwide", "%0 = const int32 0\n%1 = load float32 x [%0]", "index 0 is int32"},
		{"sched 256 1 1 per 1", "%0 = const int32 0\n%1 = load float32 x [%0]", ""},
	} {
		text := strings.Replace(fmt.Sprintf(forVerify, c.body), "\tlocal", c.head+"\n\tlocal", 1)
		m := parse(t, text)
		if c.want == "" {
			if err := ir.Verify(m); err != nil {
				t.Error(err)
			}
			continue
		}
		refused(t, c.body, m, c.want)
	}
}

const forVerify = `module p "p.gpu"

func f "f" {
	param $0.a float32
	result float32
	body {
		%%0 = get float32 $0.a
		return %%0
	}
}

kernel K "K" K {
	param x [n]float32
	param y mut [n]float32
	param s float32
	symbol n x 0
	equal y 0 = n
	domain i in 0 : n
	local $0.a float32
	local $1.arr [4]float32
	body {
%s
	}
}
`
