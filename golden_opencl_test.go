package gpugen_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/opencl"
	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/pass"
)

// TestGoldenOpenCL compiles the OpenCL C of every archive with the driver of an OpenCL device, PoCL where there is no
// GPU, and runs every line on it, narrow and wide, against the interpreter.
func TestGoldenOpenCL(t *testing.T) {
	d, err := clrun.Open()
	require.Tool(t, "opencl", err == nil, clrun.Remedy)
	launches := 0
	faults := faultsOf(d)
	for _, c := range load(t) {
		if c.pkg == nil {
			continue
		}
		n, err := runOpenCL(d, c)
		note, err := faults.judge(d, faults.archives[c.Name], err)
		if note != "" {
			t.Logf("%s %s", c.Name, note)
		}
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		launches += n
	}
	t.Logf("%d launches on %s", launches, d.Name)
	if launches < 100 && *only == "" {
		t.Errorf("only %d launches", launches)
	}
}

// runOpenCL runs the lines of an archive and counts the launches.
func runOpenCL(d *clrun.Device, c *compiled) (launches int, err error) {
	lines, err := c.Runs()
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, u := range c.pkg.Units {
		for _, v := range u.Variants() {
			lines := lines
			if v == u.Checked {
				lines = inChecked(lines)
			}
			if v.OpenCL == nil {
				continue
			}
			n, err := runUnitOpenCL(d, c.Name, v, lines)
			launches += n
			errs = append(errs, err)
		}
	}
	return launches, errors.Join(errs...)
}

func runUnitOpenCL(d *clrun.Device, archive string, u *gpugen.Variant, lines []*golden.RunLine) (launches int, err error) {
	options := opencl.Exact
	if !d.Exact {
		options = opencl.Inexact
	}
	p, err := d.Build(u.OpenCL.Text, options)
	if err != nil {
		return 0, disagrees("the OpenCL compiler", "", err)
	}
	defer p.Close()
	oracle := pass.Oracle(u.Module, types.OpenCL)
	for _, k := range pass.For(u.Module, types.OpenCL).Kernels {
		if len(d.Lacks(u.OpenCL.Text, k.Entry)) > 0 {
			continue
		}
		at := slices.IndexFunc(oracle.Kernels, func(o *ir.Kernel) bool { return o.Instance == k.Instance })
		layout := abi.Of(k)
		for _, line := range lines {
			if !matches(line, k) {
				continue
			}
			c, err := golden.NewCase(types.OpenCL, archive, "", line, oracle.Kernels[at], k)
			if err != nil {
				return launches, err
			}
			if !c.Launches() || c.Grid[0]*c.Grid[1]*c.Grid[2] == 0 {
				continue // the wrapper refuses it, or has nothing to launch
			}
			launches++
			if err := launchOpenCL(p, c, layout); err != nil {
				return launches, disagrees("OpenCL C "+k.Entry, line.Text, err)
			}
		}
	}
	return launches, nil
}

// disagrees says at which stage err came, and whether the driver's process ended there: a kernel for which it does is not
// to be shrunk to one for which it does not.
func disagrees(stage, run string, err error) error {
	if ended := (*clrun.EndedError)(nil); errors.As(err, &ended) {
		stage += ", which ends the driver's process"
	}
	return &disagreement{stage, run, err}
}

// launchOpenCL runs one case and compares the memory.
func launchOpenCL(p *clrun.Program, c *golden.Case, layout abi.Layout) error {
	var args []clrun.Arg
	for i, s := range c.Slots {
		a := clrun.Arg{Data: slices.Clone(s.Data)}
		if s.Kind == "view" {
			a.Elem = int(types.Size(layout.Slots[i].Type.(*types.View).Elem))
		}
		if s.Kind == "record" {
			a.Elem = types.Uint32.Size()
		}
		if s.Share != nil {
			a.Part, a.Of, a.Offset = true, s.Share.Slot, int(s.Share.Offset)
		}
		args = append(args, a)
	}
	var grid, block [3]int
	for d := range 3 {
		grid[d], block[d] = int(c.Grid[d]), int(c.Block[d])
	}
	if err := p.Run(c.Entry, grid, block, args); err != nil {
		return err
	}
	for i, s := range c.Slots {
		if s.Kind == "record" {
			if err := c.CheckTold(layout, args[i].Data); err != nil {
				return fmt.Errorf("grid %v: %w", grid, err)
			}
		}
		if s.Kind != "view" || s.Share != nil || c.Fails != nil {
			continue
		}
		if err := s.Check(args[i].Data); err != nil {
			return fmt.Errorf("grid %v: %w", grid, err)
		}
	}
	return nil
}
