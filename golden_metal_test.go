package gpugen_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/pass"
)

// TestGoldenMetal has clang check the Metal text of every archive and example against our metal_stdlib, compares its bindings with
// the slot tables, and runs every line on it, narrow and wide, in three orders of threads, against the interpreter.
func TestGoldenMetal(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for _, c := range withExamples(t) {
		if c.pkg == nil {
			continue
		}
		lines, err := c.Runs()
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range c.pkg.Units {
			for _, v := range u.Variants() {
				lines := lines
				if v == u.Checked {
					lines = inChecked(lines)
				}
				if v.Metal == nil {
					continue
				}
				group.Go(func() {
					slots <- struct{}{}
					defer func() { <-slots }()
					if err := runMetal(context.Background(), c.Name, v, lines, true); err != nil {
						t.Errorf("%s/%s.metal: %v", c.Name, u.Base, err)
					}
				})
			}
		}
	}
	group.Wait()
}

// inChecked are lines as a checked build runs them.
func inChecked(lines []*golden.RunLine) (out []*golden.RunLine) {
	for _, l := range lines {
		out = append(out, l.InChecked())
	}
	return out
}

// runMetal checks and runs the Metal text of a unit, with one threadgroup along y and z doing the work of all once more.
// The thorough way runs texts with barriers under every sanitizer and in every order of threads.
func runMetal(ctx context.Context, archive string, u *gpugen.Variant, lines []*golden.RunLine, thorough bool) error {
	for _, s := range hostrun.Sanitizers {
		if s != hostrun.Watch && (!thorough || !strings.Contains(u.Metal.Text, "threadgroup_barrier")) {
			continue
		}
		p, err := hostrun.BuildWith(ctx, u.Metal.Text, s)
		if err != nil {
			return &disagreement{"clang on Metal", "", err}
		}
		defer p.Close()
		err = eachMetal(p, archive, u, lines, func(c *golden.Case, k *ir.Kernel) error {
			return launchMetal(ctx, p, c, k, thorough)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// eachMetal calls f for each line on each kernel of the text that it calls, in a form that a device can launch. Lines
// that the wrapper refuses, empty domains and lines whose views share memory, which a program gets as separate copies,
// are left to the targets that have a wrapper.
func eachMetal(p *hostrun.Program, archive string, u *gpugen.Variant, lines []*golden.RunLine, f func(*golden.Case, *ir.Kernel) error) error {
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
			c, err := golden.NewCase(types.Metal, archive, "", line, oracle.Kernels[at], k)
			if err != nil {
				return err
			}
			shared := slices.ContainsFunc(c.Slots, func(s golden.Slot) bool { return s.Share != nil })
			if !c.Launches() || shared || c.Grid[0]*c.Grid[1]*c.Grid[2] == 0 {
				continue
			}
			if err := f(c, k); err != nil {
				return &disagreement{"Metal " + k.Entry, line.Text, err}
			}
		}
	}
	return nil
}

// metalLaunch is a case as the program takes it, over fresh memory.
func metalLaunch(c *golden.Case) hostrun.Launch {
	l := hostrun.Launch{Seed: uint64(c.Line), Buffers: map[int][]byte{}}
	for d := range 3 {
		l.Grid[d], l.Block[d] = int(c.Grid[d]), int(c.Block[d])
	}
	if c.Consts > 0 {
		l.Buffers[0] = make([]byte, c.Consts)
	}
	for _, s := range c.Slots {
		if s.Kind == "view" || s.Kind == "record" {
			l.Buffers[s.Buffer] = slices.Clone(s.Data)
			continue
		}
		copy(l.Buffers[0][s.Offset:], s.Data)
	}
	return l
}

// launchMetal runs one case on its own grid and on a folded one, in one order of threads, since any would show a race, or,
// the thorough way, with barriers in every order, and compares the memory.
func launchMetal(ctx context.Context, p *hostrun.Program, c *golden.Case, k *ir.Kernel, thorough bool) error {
	orders := hostrun.Orders
	if !thorough || len(barriers(k.Body)) == 0 {
		orders = orders[c.Line%len(orders):][:1]
	}
	for _, order := range orders {
		for _, l := range foldings(metalLaunch(c)) {
			l.Order = order
			if err := p.Run(ctx, c.Entry, l); err != nil {
				return err
			}
			for _, s := range c.Slots {
				if s.Kind == "record" {
					if err := c.CheckTold(abi.Of(k), l.Buffers[s.Buffer]); err != nil {
						return fmt.Errorf("order %d, grid %v: %w", order, l.Grid, err)
					}
				}
				if s.Kind != "view" || c.Fails != nil {
					continue
				}
				if err := s.Check(l.Buffers[s.Buffer]); err != nil {
					return fmt.Errorf("order %d, grid %v: %w", order, l.Grid, err)
				}
			}
		}
	}
	return nil
}

// manyThreads is the number above which a launch is run folded only: most of its threads find nothing to do.
const manyThreads = 1 << 22

// foldings are the launch and, where it has threadgroups along y or z, the same with one there.
func foldings(l hostrun.Launch) []hostrun.Launch {
	if l.Grid[1]*l.Grid[2] == 1 {
		return []hostrun.Launch{l}
	}
	folded := l
	folded.Grid[1], folded.Grid[2] = 1, 1
	folded.Buffers = map[int][]byte{}
	for i, b := range l.Buffers {
		folded.Buffers[i] = slices.Clone(b)
	}
	if l.Grid[0]*l.Grid[1]*l.Grid[2]*l.Block[0]*l.Block[1]*l.Block[2] > manyThreads {
		return []hostrun.Launch{folded}
	}
	return []hostrun.Launch{l, folded}
}

// ordersNothing marks, at the end of a source line, a barrier that its kernel could do without.
const ordersNothing = "// orders nothing"

// TestGoldenMetalMutations leaves out the barriers of every archive and example, one source line after the other, and expects a race
// both from the Metal text and from the interpreter; of a barrier that is marked it expects none. Barriers that the
// schedule puts between two blocks of a folded grid are counted: some kernel must need one.
func TestGoldenMetalMutations(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	ctx := context.Background()
	needed, between := 0, 0
	for _, c := range withExamples(t) {
		if c.pkg == nil || c.page { // a page's lines are for readers, and small
			continue
		}
		lines, err := c.Runs()
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range c.pkg.Units {
			err := errors.Join(c.mutateIR(u, lines, types.Metal), c.mutateIR(u, lines, types.CPU))
			if err != nil {
				t.Errorf("%s/%s: %v", c.Name, u.Base, err)
			}
			if u.Metal == nil || !strings.Contains(u.Metal.Text, "threadgroup_barrier") {
				continue
			}
			n, b, err := c.mutate(ctx, u, lines)
			if err != nil {
				t.Errorf("%s/%s: %v", c.Name, u.Base, err)
			}
			needed, between = needed+n, between+b
		}
	}
	t.Logf("%d barriers are needed, and %d that the schedule made", needed, between)
	if needed < 4 || between == 0 {
		t.Errorf("only %d barriers of the archives are needed, and %d that the schedule made", needed, between)
	}
}

// mutate tests the barriers of a unit, and gives how many were found to be needed: of the source, of the schedule.
func (c *compiled) mutate(ctx context.Context, u *gpugen.Unit, lines []*golden.RunLine) (needed, between int, err error) {
	p, err := hostrun.Build(ctx, u.Metal.Text)
	if err != nil {
		return 0, 0, err
	}
	defer p.Close()
	launches := map[string][]hostrun.Launch{}
	err = eachMetal(p, c.Name, &u.Variant, lines, func(g *golden.Case, _ *ir.Kernel) error {
		launches[g.Entry] = append(launches[g.Entry], foldings(metalLaunch(g))...)
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	var errs []error
	for _, k := range p.Kernels() {
		if len(k.Barriers) == 0 {
			continue
		}
		if c.finds(lines, u, k.Name) {
			continue
		}
		if len(launches[k.Name]) == 0 {
			errs = append(errs, fmt.Errorf("no line launches %s, which has barriers", k.Name))
			continue
		}
		needless, err := p.Needless(ctx, k.Name, launches[k.Name]...)
		if err != nil {
			return 0, 0, err
		}
		for _, at := range k.Barriers {
			pos := u.Metal.Lines[at-1]
			idle := slices.Contains(needless, at)
			switch text := c.sourceLine(pos); {
			case !strings.Contains(text, "barrier()") && !idle:
				between++
			case !strings.Contains(text, "barrier()"):
			case strings.Contains(text, ordersNothing) != idle:
				errs = append(errs, fmt.Errorf("%s: without the barrier of kernel %s, a race is missing: %v, the line: %s", pos, k.Name, idle, text))
			case !idle:
				needed++
			}
		}
	}
	return needed, between, errors.Join(errs...)
}

// finds reports a line that wants a finding of the kernel with that entry: it is wrong on purpose.
func (c *compiled) finds(lines []*golden.RunLine, u *gpugen.Unit, entry string) bool {
	for _, k := range pass.For(u.Module, types.Metal).Kernels {
		for _, l := range lines {
			if k.Entry == entry && matches(l, k) && l.Expect(true).Finding != "" {
				return true
			}
		}
	}
	return false
}

func (c *compiled) sourceLine(pos diag.Pos) string {
	all := strings.Split(string(c.sources[pos.File]), "\n")
	if pos.Line < 1 || pos.Line > len(all) {
		return ""
	}
	return strings.TrimSpace(all[pos.Line-1])
}

// mutateIR is the same for the interpreter, on kernels as they are before the schedule, each for the first target that
// has it, of Metal and the CPU.
func (c *compiled) mutateIR(u *gpugen.Unit, lines []*golden.RunLine, target types.Target) error {
	var errs []error
	for i, k := range pass.Oracle(u.Module, target).Kernels {
		if target != types.Metal && k.Targets.Has(types.Metal) {
			continue
		}
		var own []*golden.RunLine
		for _, l := range lines {
			if o := l.Expect(true); matches(l, k) && o.Error == "" && !o.Trap {
				own = append(own, l)
			}
		}
		if slices.ContainsFunc(own, func(l *golden.RunLine) bool { return l.Expect(true).Finding != "" }) {
			continue
		}
		for n, b := range barriers(k.Body) {
			text := c.sourceLine(b.Pos)
			if len(own) == 0 || !strings.Contains(text, "barrier()") { // made for an operation of the whole block
				continue
			}
			race := false
			for _, l := range own {
				for _, order := range []interp.Order{interp.Forward, interp.Reverse} {
					mutant := pass.Oracle(u.Module, target).Kernels[i]
					remove(mutant.Body, n)
					call, err := l.Bind(abi.Of(mutant))
					if err != nil {
						return err
					}
					report, err := interp.Run(mutant, call.Args, interp.Options{Races: true, Order: order, MaxSteps: 1 << 28})
					race = race || err == nil && report.Has(interp.Race)
				}
			}
			if strings.Contains(text, ordersNothing) == race {
				errs = append(errs, fmt.Errorf("%s: without the barrier of %s the interpreter finds a race: %v, the line: %s", b.Pos, k.Instance, race, text))
			}
		}
	}
	return errors.Join(errs...)
}

// TestMutationsWithoutMetal: a barrier that orders nothing is noticed in a kernel that Metal does not have, and so is one
// that is marked and needed.
func TestMutationsWithoutMetal(t *testing.T) {
	a, err := golden.Parse("plain", []byte(`-- k.gpu --
package p

@targets(cuda, cpu)
kernel K(x [n]float64, y mut [n]float64) blocks b in n/4 threads t in 4 {
	shared s [4]float64
	barrier()
	s[t] = x[b*4+t]
	barrier() // orders nothing, says a mark that is wrong
	y[b*4+t] = s[3-t]
}
-- run --
K(iota(8), fill(8, 0)) -> y=[3 2 1 0 7 6 5 4]
`))
	if err != nil {
		t.Fatal(err)
	}
	c := compile(a)
	lines, err := c.Runs()
	if err != nil || c.pkg == nil {
		t.Fatal(err, c.diags)
	}
	err = c.mutateIR(c.pkg.Units[0], lines, types.CPU)
	if err == nil || !strings.Contains(err.Error(), "k.gpu:6:2: ") || !strings.Contains(err.Error(), "k.gpu:8:2: ") || c.mutateIR(c.pkg.Units[0], lines, types.Metal) != nil {
		t.Errorf("%v", err)
	}
}

// barriers are the barriers of a body, in order.
func barriers(b *ir.Block) (out []*ir.Instr) {
	b.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpBarrier {
			out = append(out, in)
		}
	})
	return out
}

// remove takes the n-th barrier out of a body.
func remove(b *ir.Block, n int) {
	victim := barriers(b)[n]
	var from func(b *ir.Block)
	from = func(b *ir.Block) {
		b.Instrs = slices.DeleteFunc(b.Instrs, func(in *ir.Instr) bool { return in == victim })
		for _, in := range b.Instrs {
			for _, c := range in.Blocks {
				from(c)
			}
		}
	}
	from(b)
}
