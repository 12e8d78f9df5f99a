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
	"github.com/gpugen/gpugen/ir"
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
		LongHelp: "Stages: tree, ir (after lowering), layout (slot tables), cuda, metal, opencl, cpu (text), and every pass of a target, as `cuda/coarsen`;\n" +
			"in a folder with `//gpugen:checked` those of the checked build, as `checked/cuda` and `checked/cuda/check`.\n" +
			"-run runs the kernel as lowering leaves it, or behind the pass that -stage names, and prints what it prints, the views that it writes and what is wrong with it:\n" +
			"assertions that fail, races, indexes out of range, shared memory read before it is written, barriers that not all threads reach. Then the exit code is 1.\n" +
			"Arguments are scalars, lists `[[1 2] [3 4]]`, generators `iota(n)`, `fill(n, 0)`, `rand(seed, [20,30])`, and `&x`: the memory of parameter x.",
		Exec: func(_ context.Context, args []string) error {
			folders, err := loadAll(args, 0)
			if err != nil {
				return err
			}
			list, sources := gather(folders)
			if *call == "" || list.HasErrors() {
				code, err := a.reportList(list, sources)
				if err != nil {
					return err
				}
				if code != exitOK {
					return &exitError{Code: code}
				}
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

// passes adds a stage a pass.
func (d *stageSet) passes(prefix string, list []pass.Stage) {
	seen := map[string]int{}
	for _, s := range list {
		name := prefix + s.Name
		if seen[name]++; seen[name] > 1 { // dce runs more than once
			name += "." + strconv.Itoa(seen[name])
		}
		d.module(name, s.Module)
	}
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
			d.passes(t.String()+"/", pass.Stages(m, t))
		}
	}
	for _, m := range modules {
		for _, t := range program.Options.Targets.List() {
			if program.Options.Checked {
				d.passes("checked/"+t.String()+"/", pass.CheckedStages(m, t))
			}
		}
	}
	for _, u := range f.pkg.Units {
		layout, err := json.MarshalIndent(u.Manifest(nil, nil).Kernels, "", "  ")
		if err != nil {
			return nil, fail(exitInternal, "%w", err)
		}
		d.add("layout", string(layout)+"\n")
		for _, v := range u.Variants() {
			build := ""
			if v == u.Checked {
				build = "checked/"
			}
			if v.CUDA != nil {
				d.add(build+types.CUDA.String(), v.CUDA.Text)
			}
			if v.Metal != nil {
				d.add(build+types.Metal.String(), v.Metal.Text)
			}
			if v.OpenCL != nil {
				d.add(build+types.OpenCL.String(), v.OpenCL.Text)
			}
			if v.CPU != nil {
				d.add(build+types.CPU.String(), string(v.CPU))
			}
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
