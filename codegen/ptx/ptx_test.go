package ptx

import (
	"context"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/codegen/internal/cfamily/cfamilytest"
	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
)

// compile compiles text with every NVRTC that is here, for the floor and for an architecture with min.NaN.
func compile(t *testing.T, m *ir.Module) {
	t.Helper()
	tools, err := nvrtc.Toolchains()
	require.Tool(t, "nvrtc", err == nil && len(tools) > 0, "run make setup")
	src := Emit(m)
	for _, tool := range tools {
		for _, arch := range []string{"sm_75", "sm_90"} {
			r, err := nvrtc.Compile(context.Background(), nvrtc.Request{Name: m.File, Source: src.Text, Arch: arch, NVRTC: tool.Version, Lines: src.Lines})
			if err != nil {
				t.Fatalf("%v\n%s", err, src.Text)
			}
			for _, w := range r.Warnings {
				t.Errorf("NVRTC %s, %s: %+v", tool.Version, arch, w)
			}
		}
	}
}

func TestTableHasNoHole(t *testing.T) {
	for _, h := range dialect.Table.Holes(dialect.Prelude) {
		t.Errorf("no rule for %s", h)
	}
}

// TestNothingIsCalled: ptxas loses pointers that it gives a function in uniform registers, so every helper is inlined.
func TestNothingIsCalled(t *testing.T) {
	for _, line := range strings.Split(preludeText, "\n") {
		if strings.HasPrefix(line, "__device__") && !strings.HasPrefix(line, "__device__ __forceinline__ ") || strings.Contains(line, "noinline") {
			t.Errorf("prelude/cuda.h: %s", line)
		}
	}
}

func TestFastMathIsInTheTableOfBounds(t *testing.T) {
	for _, err := range cfamilytest.Loose(types.CUDA, dialect.Table) {
		t.Error(err)
	}
}

func TestEveryOperationCompiles(t *testing.T) {
	compile(t, cfamilytest.Module(cfamilytest.Cases(types.CUDA)))
}

// fastCases are the operations that @fastmath changes.
func fastCases() []cfamilytest.Case {
	var out []cfamilytest.Case
	for _, c := range cfamilytest.Cases(types.CUDA) {
		if dialect.Table.Rule(c.Op, c.To, true) != dialect.Table.Rule(c.Op, c.To, false) {
			c.Kernel.FastMath = true
			out = append(out, c)
		}
	}
	return out
}

func TestFastMathCompiles(t *testing.T) {
	cases := fastCases()
	if len(cases) < 12 {
		t.Errorf("@fastmath changes %d operations", len(cases))
	}
	compile(t, cfamilytest.Module(cases))
}

func TestNamesCompile(t *testing.T) {
	compile(t, cfamilytest.Names())
}

func TestBlocksCompile(t *testing.T) {
	m := cfamilytest.BlockModule(cfamilytest.Blocks())
	compile(t, m)
	text := Emit(m).Text
	for _, want := range []string{
		"// Matmul: blocks by, bx of 4 x 4 threads ty, tx, 128 bytes of shared memory a block; every view and extent under 2^31.\n",
		"__launch_bounds__(16)\nMatmul(const float* __restrict__ a, const float* __restrict__ b, float* c, long long m,",
		"\t__shared__ float left[4][4];\n\t__shared__ float right[4][4];\n", "\t__shared__ int total;\n", "\t\t\t__syncthreads();\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestTables: what does not fit into constant memory any more lies in global memory, and the whole compiles; names keep out
// of the way of words, kernels and what kernels declare.
func TestTables(t *testing.T) {
	table := func(name string, n int64) *ir.Table {
		return &ir.Table{Name: name, Type: &types.Array{Dims: []int64{n}, Elem: types.Float32}, Bits: make([]uint64, n)}
	}
	m := &ir.Module{Package: "p", File: "p.gpu", Tables: []*ir.Table{table("half", 6000), table("K", 6000), table("more", 8000), table("i", 3), table("unused", 3)}}
	n := types.Sym("n")
	y := &ir.Param{Name: "y", Mut: true, Type: &types.View{Rank: 1, Elem: types.Float32}, Dims: []*types.Header{n}}
	k := &ir.Kernel{
		Name: "K", Instance: "K", Entry: "K", Params: []*ir.Param{y}, Symbols: []*ir.Symbol{{Name: "n"}}, Targets: types.AllTargets,
		Domain: []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: n}}, Sched: &ir.Schedule{Block: [3]int{256, 1, 1}, Per: 1}, Body: &ir.Block{},
	}
	m.Kernels = []*ir.Kernel{k}
	b := ir.Builder{Block: k.Body}
	i := cfamilytest.Index(b, types.Int32, 256)
	for _, table := range m.Tables[:4] {
		b.Store(y, b.TableGet(table, i), i)
	}
	text := Emit(m).Text
	for _, want := range []string{
		"static __constant__ const float half_[6000] = {\n", "static __constant__ const float K_[6000] = {\n", "static __device__ const float more_[8000] = {\n",
		"static __device__ const float i_[3] = {0.0f, 0.0f, 0.0f};\n", "int i = ", "y[i] = i_[i];",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "unused") {
		t.Error("a table that nothing reads is there")
	}
	compile(t, m)
}

// TestBarriersKeepReadOnlyLoads: the views that a kernel only reads are still fetched through the read-only path.
func TestBarriersKeepReadOnlyLoads(t *testing.T) {
	tools, err := nvrtc.Toolchains()
	require.Tool(t, "nvrtc", err == nil && len(tools) > 0, "run make setup")
	src := Emit(cfamilytest.BlockModule(cfamilytest.Blocks()[:1]))
	r, err := nvrtc.Compile(context.Background(), nvrtc.Request{Name: "blocks.cu", Source: src.Text, Arch: "sm_75"})
	if err != nil {
		t.Fatal(err)
	}
	if ptx := string(r.Code); !strings.Contains(ptx, "ld.global.nc.f32") || strings.Contains(ptx, "ld.global.f32") {
		t.Errorf("loads of a and b are not read-only:\n%s", ptx)
	}
}
