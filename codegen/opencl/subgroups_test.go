package opencl

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
)

// kernelOfLanes is an empty kernel of one block.
func kernelOfLanes(threads ...ir.Thread) *ir.Kernel {
	k := &ir.Kernel{
		Name: "K", Instance: "K", Entry: "K", Targets: types.AllTargets, Body: &ir.Block{},
		Domain: []ir.Dim{{Name: "b", Lo: types.Const(0), Hi: types.Sym("n")}}, Group: threads,
		Sched: &ir.Schedule{Block: [3]int{1, 1, 1}, Per: 1}, Symbols: []*ir.Symbol{{Name: "n"}},
	}
	for d, t := range threads {
		k.Sched.Block[len(threads)-1-d] = int(t.N)
	}
	return k
}

// TestSubgroupsAreOfOneRow: no driver has to agree about which threads of several rows share a subgroup. The block is one
// row, and a thread's place in it follows from its subgroup and lane; a kernel without subgroups keeps its rows.
func TestSubgroupsAreOfOneRow(t *testing.T) {
	threads := func(n ...int64) (out []ir.Thread) {
		for i, n := range n {
			out = append(out, ir.Thread{Name: string(rune('r' + i)), N: n})
		}
		return out
	}
	for _, c := range []struct {
		threads []ir.Thread
		shape   string
		index   [3]string // x, y, z; "" is not asked
	}{
		{threads(64), "64, 1, 1", [3]string{"(int)thread_at"}},
		{threads(4, 16), "64, 1, 1", [3]string{"(int)(thread_at % 16u)", "(int)(thread_at / 16u)"}},
		{threads(2, 3, 16), "96, 1, 1", [3]string{"(int)(thread_at % 16u)", "(int)((thread_at / 16u) % 3u)", "(int)(thread_at / 48u)"}},
		{threads(2, 1, 16), "32, 1, 1", [3]string{"(int)(thread_at % 16u)", "(int)0u", "(int)(thread_at / 16u)"}},
		{threads(32, 1), "32, 1, 1", [3]string{"(int)0u", "(int)thread_at"}},
	} {
		for _, exchanged := range []bool{true, false} {
			k := kernelOfLanes(c.threads...)
			w := ir.Builder{Block: k.Body}
			p := &ir.Param{Name: "p", Mut: true, Type: &types.View{Rank: 1, Elem: types.Int32}, Dims: []*types.Header{types.Sym("n")}}
			k.Params = []*ir.Param{p}
			for d := range c.threads {
				at := w.New(ir.OpThreadIdx, types.Int32)
				at.Dim = d
				v := at
				if exchanged {
					v = w.Shuffle(v, w.Const(types.Int32, 0))
				}
				w.Store(p, v, at)
			}
			if err := ir.VerifyKernel(k); err != nil {
				t.Fatal(err)
			}
			text := Emit(&ir.Module{Package: "p", File: "p.gpu", Kernels: []*ir.Kernel{k}}).Text
			b := k.Sched.Block
			shape := fmt.Sprintf("%d, %d, %d", b[0], b[1], b[2])
			if exchanged {
				shape = c.shape
			}
			if !strings.Contains(text, "reqd_work_group_size("+shape+")") || strings.Contains(text, "get_local_id") == exchanged {
				t.Errorf("%v, exchanged: %v: no blocks of %s in\n%s", c.threads, exchanged, shape, text)
			}
			for d, index := range c.index {
				if exchanged && !strings.Contains(text, index) {
					t.Errorf("%v: the index %d is not %s in\n%s", c.threads, d, index, text)
				}
			}
		}
	}
}

// TestSubgroupsCompile has clang read exchanges of every kind, as on a device that has the extensions. Elsewhere the kernel
// is not there.
func TestSubgroupsCompile(t *testing.T) {
	clang, err := exec.LookPath("clang-19")
	require.Tool(t, "clang", err == nil, "run make setup")
	k := kernelOfLanes(ir.Thread{Name: "t", N: 64})
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
