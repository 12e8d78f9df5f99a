package opencl

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
)

// TestSubgroupsCompile has clang read exchanges of every kind, as on a device that has the extensions. Elsewhere the kernel
// is not there.
func TestSubgroupsCompile(t *testing.T) {
	clang, err := exec.LookPath("clang-19")
	require.Tool(t, "clang", err == nil, "run make setup")
	k := &ir.Kernel{
		Name: "K", Instance: "K", Entry: "K", Targets: types.AllTargets, Body: &ir.Block{},
		Domain: []ir.Dim{{Name: "b", Lo: types.Const(0), Hi: types.Sym("n")}}, Group: []ir.Thread{{Name: "t", N: 64}},
		Sched: &ir.Schedule{Block: [3]int{64, 1, 1}, Per: 1}, Symbols: []*ir.Symbol{{Name: "n"}},
	}
	w := ir.Builder{Block: k.Body}
	votes := w.New(ir.OpBallot, types.Uint32, w.Bool(true))
	for i, kind := range []types.Kind{types.Uint32, types.Int8, types.Uint16, types.Int32, types.Int64, types.Uint64, types.Float32, types.Float64, types.Bool} {
		p := &ir.Param{Index: i, Name: kind.String(), Mut: true, Type: &types.View{Rank: 1, Elem: kind}, Dims: []*types.Header{types.Sym("n")}}
		k.Params = append(k.Params, p)
		if i > 0 {
			k.Equal = append(k.Equal, ir.Equality{Param: i, Want: types.Sym("n")})
		}
		at := w.New(ir.OpThreadIdx, types.Int32)
		v := w.Shuffle(w.Load(p, at), w.Const(types.Int32, 7))
		v.InBounds = true
		if i == 0 {
			v = w.Bin(ir.OpAdd, v, votes)
		}
		w.Store(p, v, at)
	}
	if err := ir.VerifyKernel(k); err != nil {
		t.Fatal(err)
	}
	text := Emit(&ir.Module{Package: "p", File: "p.gpu", Kernels: []*ir.Kernel{k}}).Text
	if !strings.Contains(text, subgroupSize) || !strings.Contains(text, subgroups[0]) {
		t.Errorf("no size or no condition in\n%s", text)
	}
	cmd := exec.Command(clang, "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-target", "spir64",
		"-Xclang", "-cl-ext=+cl_khr_subgroups", "-Dcl_khr_subgroup_shuffle", "-Dcl_khr_subgroup_ballot", "-Dcl_intel_required_subgroup_size", "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, numbered(text))
	}
	check(t, text)
}
