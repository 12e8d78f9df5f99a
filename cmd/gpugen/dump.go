package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/lower"
	"github.com/gpugen/gpugen/ir/pass"
)

func (a *app) dumpCommand() *ffcli.Command {
	fs := a.flags("dump")
	a.outputFlags(fs)
	stage := fs.String("stage", "", "what to print; without it, the stages are listed")
	call := fs.String("run", "", "run a call such as `Saxpy(2, [1 2], [3 4])` and print what it leaves")
	return &ffcli.Command{
		Name: "dump", FlagSet: fs, ShortUsage: "gpugen dump -stage NAME | -run CALL [package]", ShortHelp: "print what a stage of the compiler makes of a package, or run a kernel on the interpreter",
		LongHelp: "Stages: tree, ir (after lowering), layout (slot tables), cuda, metal, opencl, cpu (text), and every pass of a target, as `cuda/coarsen`.\n" +
			"-run runs the kernel as lowering leaves it, or behind the pass that -stage names, and prints what it prints, the views that it writes and what is wrong with it:\n" +
			"assertions that fail, races, indexes out of range, shared memory read before it is written, barriers that not all threads reach. Then the exit code is 1.\n" +
			"Arguments are scalars, lists `[[1 2] [3 4]]`, generators `iota(n)`, `fill(n, 0)`, `rand(seed, [20,30])`, and `&x`: the memory of parameter x.",
		Exec: func(_ context.Context, args []string) error {
			folders, code, err := a.loadAll(args, 0)
			if err != nil {
				return err
			}
			if code != exitOK {
				return &exitError{Code: code}
			}
			if *call != "" {
				return a.runCall(folders, *stage, *call)
			}
			for _, f := range folders {
				d, err := stages(f)
				if err != nil {
					return err
				}
				if err := a.dump(d, *stage); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// stageSet is everything that the compiler makes of a folder, by the names of stages.
type stageSet struct {
	names   []string
	texts   map[string]string
	modules map[string][]*ir.Module // of the stages that have IR
}

func (d *stageSet) add(name, text string) {
	if _, ok := d.texts[name]; !ok {
		d.names = append(d.names, name)
	}
	d.texts[name] += text
}

func (d *stageSet) module(name string, m *ir.Module) {
	d.add(name, ir.Print(m))
	d.modules[name] = append(d.modules[name], m)
}

// stages compiles f once more, stage by stage.
func stages(f *folder) (*stageSet, error) {
	d := &stageSet{texts: map[string]string{}, modules: map[string][]*ir.Module{}}
	var files []*dsl.File
	for _, s := range f.in.Sources {
		file, _ := dsl.Parse(s.Name, s.Text)
		files = append(files, file)
		var tree strings.Builder
		if err := dsl.Print(&tree, file); err != nil {
			return nil, fail(exitInternal, "%w", err)
		}
		d.add("tree", tree.String())
	}
	program, _ := check.Package(files, check.Config{GoNames: f.in.GoNames})
	modules := lower.Program(program)
	for _, m := range modules {
		d.module("ir", m)
	}
	for _, m := range modules {
		for _, t := range program.Options.Targets.List() {
			seen := map[string]int{}
			for _, s := range pass.Stages(m, t) {
				name := t.String() + "/" + s.Name
				if seen[name]++; seen[name] > 1 { // dce runs more than once
					name += "." + strconv.Itoa(seen[name])
				}
				d.module(name, s.Module)
			}
		}
	}
	for _, u := range f.pkg.Units {
		layout, err := json.MarshalIndent(u.Manifest(nil, nil).Kernels, "", "  ")
		if err != nil {
			return nil, fail(exitInternal, "%w", err)
		}
		d.add("layout", string(layout)+"\n")
		if u.CUDA != nil {
			d.add(types.CUDA.String(), u.CUDA.Text)
		}
		if u.Metal != nil {
			d.add(types.Metal.String(), u.Metal.Text)
		}
		if u.OpenCL != nil {
			d.add(types.OpenCL.String(), u.OpenCL.Text)
		}
		if u.CPU != nil {
			d.add(types.CPU.String(), string(u.CPU))
		}
	}
	return d, nil
}

// dump prints one stage of a folder, or the names of all of them.
func (a *app) dump(d *stageSet, stage string) error {
	if stage == "" {
		fmt.Fprintln(a.stdout, strings.Join(d.names, "\n"))
		return nil
	}
	if !slices.Contains(d.names, stage) {
		return fail(exitUsage, "no stage `%s`; there are %s", stage, strings.Join(d.names, ", "))
	}
	fmt.Fprint(a.stdout, d.texts[stage])
	return nil
}

// runCall runs a call on every kernel instance of that name, as the stage leaves it.
func (a *app) runCall(folders []*folder, stage, text string) error {
	if stage == "" {
		stage = "ir"
	}
	call, err := golden.ParseCall(text)
	if err != nil {
		return fail(exitUsage, "-run: %w", err)
	}
	var names []string
	ran, wrong := false, false
	for _, f := range folders {
		d, err := stages(f)
		if err != nil {
			return err
		}
		if d.modules[stage] == nil {
			return fail(exitUsage, "there is no IR of stage `%s` to run", stage)
		}
		for _, m := range d.modules[stage] {
			for _, k := range m.Kernels {
				names = append(names, k.Instance)
				if !call.Matches(abi.Of(k)) {
					continue
				}
				ran = true
				ok, err := a.runKernel(k, call)
				if err != nil {
					return err
				}
				wrong = wrong || !ok
			}
		}
	}
	switch {
	case !ran:
		return fail(exitUsage, "-run: no kernel `%s`; there are %s", call.Kernel, strings.Join(names, ", "))
	case wrong:
		return &exitError{Code: exitInput}
	}
	return nil
}

// runKernel prints the views that a call leaves and what is found; ok reports that nothing is.
func (a *app) runKernel(k *ir.Kernel, call *golden.RunLine) (ok bool, err error) {
	c, err := call.Bind(abi.Of(k))
	if err != nil {
		return false, fail(exitUsage, "-run: %w", err)
	}
	unit := "points"
	if len(k.Group) > 0 || k.Sched != nil {
		unit = "threads"
	}
	variant := ""
	if k.Wide {
		variant = ", wide"
	}
	report, err := interp.Run(k, c.Args, interp.Options{Races: true})
	if report == nil { // refused as the wrapper would
		fmt.Fprintf(a.stdout, "%s%s: %s: %v\n", k.Instance, variant, golden.ErrorName(err), err)
		return false, nil
	}
	fmt.Fprintf(a.stdout, "%s%s: %d %s\n", k.Instance, variant, report.Points, unit)
	fmt.Fprint(a.stdout, report.Output())
	if report.Dropped > 0 {
		fmt.Fprintf(a.stdout, "%d more prints are left out\n", report.Dropped)
	}
	for i, p := range k.Params {
		if p.Mut {
			fmt.Fprintf(a.stdout, "%s = %s\n", p.Name, golden.BufferText(c.Args[i].Buffer))
		}
	}
	for _, f := range report.Findings {
		more := ""
		if f.Count > 1 {
			more = fmt.Sprintf(" (%d times)", f.Count)
		}
		fmt.Fprintf(a.stdout, "%s%s [%s]\n", f, more, f.Kind)
	}
	if err != nil {
		fmt.Fprintln(a.stdout, err)
	}
	return err == nil && len(report.Findings) == 0, nil
}
