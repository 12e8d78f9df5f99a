package gpugen_test

import (
	"context"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/kernelgen/cudahost"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/pass"
)

// TestGoldenCUDA runs the CUDA C of every archive on the CPU, narrow and wide, against the interpreter.
func TestGoldenCUDA(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for _, c := range load(t) {
		if c.pkg == nil {
			continue
		}
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := runCUDA(context.Background(), c); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		})
	}
	group.Wait()
}

// TestNegationsOfTheAssembler: no negation of the golden negated_min reaches ptxas as one, which loses some of them
// (docs/RATIONALE.md). A GPU shows what the assembler makes of the rest.
func TestNegationsOfTheAssembler(t *testing.T) {
	lost := regexp.MustCompile(`(neg\.s(16|32)|mul\.lo\.\w+\s.*, -1;|sub\.s(16|32)\s+%r\w+, 0,).*`)
	for _, c := range load(t) {
		if c.Name != "negated_min" {
			continue
		}
		for version, ptx := range ptxOf(t, c.pkg.Units[0].CUDA.Text) {
			if lost.MatchString(ptx) || strings.Count(ptx, "not.b32") < 30 {
				t.Errorf("NVRTC %s: %q; %d × not.b32", version, lost.FindAllString(ptx, 5), strings.Count(ptx, "not.b32"))
			}
		}
		return
	}
	if *only == "" {
		t.Fatal("no golden negated_min")
	}
}

func runCUDA(ctx context.Context, c *compiled) error {
	lines, err := c.Runs()
	if err != nil {
		return err
	}
	for _, u := range c.pkg.Units {
		for _, v := range u.Variants() {
			lines := lines
			if v == u.Checked {
				lines = inChecked(lines)
			}
			if v.CUDA == nil {
				continue
			}
			if err := runUnitCUDA(ctx, c.Name, v, lines); err != nil {
				return err
			}
		}
	}
	return nil
}

func runUnitCUDA(ctx context.Context, archive string, u *gpugen.Variant, lines []*golden.RunLine) error {
	p, err := cudahost.Build(ctx, hostrun.Clang(), u.CUDA.Text)
	if err != nil {
		return &disagreement{"clang on CUDA C", "", err}
	}
	defer p.Close()
	oracle := pass.Oracle(u.Module, types.CUDA)
	for _, k := range pass.For(u.Module, types.CUDA).Kernels {
		at := slices.IndexFunc(oracle.Kernels, func(o *ir.Kernel) bool { return o.Instance == k.Instance })
		for _, line := range lines {
			if !matches(line, k) {
				continue
			}
			c, err := golden.NewCase(types.CUDA, archive, archive, line, oracle.Kernels[at], k)
			if err != nil {
				return err
			}
			if err := launchCUDA(ctx, p, c, k); err != nil {
				return &disagreement{"CUDA C " + k.Entry, line.Text, err}
			}
		}
	}
	return nil
}

// launchCUDA runs one case, unless the wrapper refuses it or has nothing to launch.
func launchCUDA(ctx context.Context, p *cudahost.Program, c *golden.Case, k *ir.Kernel) error {
	if !c.Launches() || c.Grid[0]*c.Grid[1]*c.Grid[2] == 0 {
		return nil
	}
	var args []cudahost.Arg
	for _, s := range c.Slots {
		a := cudahost.Arg{Data: slices.Clone(s.Data), View: s.Kind == "view" || s.Kind == "record"}
		if s.Share != nil {
			a.Part, a.Of, a.Offset = true, s.Share.Slot, s.Share.Offset
		}
		args = append(args, a)
	}
	if err := p.Run(ctx, c.Entry, c.Grid, c.Block, args); err != nil {
		return err
	}
	for i, s := range c.Slots {
		if s.Kind == "record" {
			if err := c.CheckTold(abi.Of(k), args[i].Data); err != nil {
				return err
			}
		}
		if s.Kind != "view" || s.Share != nil || c.Fails != nil {
			continue
		}
		if err := s.Check(args[i].Data); err != nil {
			return err
		}
	}
	return nil
}
