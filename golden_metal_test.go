package gpugen_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/pass"
)

// TestGoldenMetal has clang check the Metal text of every archive against our metal_stdlib, compares its bindings with
// the slot tables, and runs every line on it, narrow and wide, against the interpreter.
func TestGoldenMetal(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for _, c := range load(t) {
		if c.pkg == nil {
			continue
		}
		lines, err := c.Runs()
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range c.pkg.Units {
			if u.Metal == nil {
				continue
			}
			group.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				if err := runMetal(context.Background(), c.Name, u, lines); err != nil {
					t.Errorf("%s/%s.metal: %v", c.Name, u.Base, err)
				}
			})
		}
	}
	group.Wait()
}

func runMetal(ctx context.Context, archive string, u *gpugen.Unit, lines []*golden.RunLine) error {
	p, err := hostrun.Build(ctx, u.Metal.Text)
	if err != nil {
		return &disagreement{"clang on Metal", "", err}
	}
	defer p.Close()
	oracle, device := pass.Oracle(u.Module, types.Metal), pass.For(u.Module, types.Metal)
	for i, k := range device.Kernels {
		if got := p.Kernels()[i]; got.Name != k.Entry {
			return fmt.Errorf("kernel %d is %s, want %s", i, got.Name, k.Entry)
		} else if err := got.Match(abi.Of(k)); err != nil {
			return err
		}
		at := slices.IndexFunc(oracle.Kernels, func(o *ir.Kernel) bool { return o.Instance == k.Instance })
		for _, line := range lines {
			if !matches(line, k) {
				continue
			}
			c, err := golden.NewCase(types.Metal, archive, u.Base, line, oracle.Kernels[at], k)
			if err != nil {
				return err
			}
			if err := launchMetal(ctx, p, c); err != nil {
				return &disagreement{"Metal " + k.Entry, line.Text, err}
			}
		}
	}
	return nil
}

// launchMetal runs one case. Cases that the wrapper refuses, empty domains and cases whose views share memory, which
// the program gets as separate copies, are left to the targets that have a wrapper.
func launchMetal(ctx context.Context, p *hostrun.Program, c *golden.Case) error {
	shared := slices.ContainsFunc(c.Slots, func(s golden.Slot) bool { return s.Share != nil })
	if !c.Launches() || shared || c.Grid[0]*c.Grid[1]*c.Grid[2] == 0 {
		return nil
	}
	l := hostrun.Launch{Buffers: map[int][]byte{}}
	for d := range 3 {
		l.Grid[d], l.Block[d] = int(c.Grid[d]), int(c.Block[d])
	}
	if c.Consts > 0 {
		l.Buffers[0] = make([]byte, c.Consts)
	}
	for _, s := range c.Slots {
		if s.Kind == "view" {
			l.Buffers[s.Buffer] = slices.Clone(s.Data)
			continue
		}
		copy(l.Buffers[0][s.Offset:], s.Data)
	}
	if err := p.Run(ctx, c.Entry, l); err != nil {
		return err
	}
	for _, s := range c.Slots {
		if s.Kind == "view" {
			if err := s.Check(l.Buffers[s.Buffer]); err != nil {
				return err
			}
		}
	}
	return nil
}
