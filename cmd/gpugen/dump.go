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
	return &ffcli.Command{
		Name: "dump", FlagSet: fs, ShortUsage: "gpugen dump -stage NAME [package]", ShortHelp: "print what a stage of the compiler makes of a package",
		LongHelp: "Stages: tree, ir (after lowering), layout (slot tables), cuda, metal, cpu (text), and every pass of a target, as `cuda/coarsen`.",
		Exec: func(_ context.Context, args []string) error {
			folders, code, err := a.loadAll(args, 0)
			if err != nil {
				return err
			}
			if code != exitOK {
				return &exitError{Code: code}
			}
			for _, f := range folders {
				if err := a.dump(f, *stage); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// dump prints one stage of a folder, or the names of all of them.
func (a *app) dump(f *folder, stage string) error {
	texts := map[string]string{}
	var names []string
	add := func(name, text string) {
		if _, ok := texts[name]; !ok {
			names = append(names, name)
		}
		texts[name] += text
	}
	var files []*dsl.File
	for _, s := range f.in.Sources {
		file, _ := dsl.Parse(s.Name, s.Text)
		files = append(files, file)
		var tree strings.Builder
		if err := dsl.Print(&tree, file); err != nil {
			return fail(exitInternal, "%w", err)
		}
		add("tree", tree.String())
	}
	program, _ := check.Package(files, check.Config{GoNames: f.in.GoNames})
	modules := lower.Program(program)
	for _, m := range modules {
		add("ir", ir.Print(m))
	}
	for _, m := range modules {
		for _, t := range program.Options.Targets.List() {
			seen := map[string]int{}
			for _, s := range pass.Stages(m, t) {
				name := t.String() + "/" + s.Name
				if seen[name]++; seen[name] > 1 { // dce runs more than once
					name += "." + strconv.Itoa(seen[name])
				}
				add(name, ir.Print(s.Module))
			}
		}
	}
	for _, u := range f.pkg.Units {
		layout, err := json.MarshalIndent(u.Manifest(nil, nil).Kernels, "", "  ")
		if err != nil {
			return fail(exitInternal, "%w", err)
		}
		add("layout", string(layout)+"\n")
		if u.CUDA != nil {
			add(types.CUDA.String(), u.CUDA.Text)
		}
		if u.Metal != nil {
			add(types.Metal.String(), u.Metal.Text)
		}
		if u.CPU != nil {
			add(types.CPU.String(), string(u.CPU))
		}
	}
	if stage == "" {
		fmt.Fprintln(a.stdout, strings.Join(names, "\n"))
		return nil
	}
	if !slices.Contains(names, stage) {
		return fail(exitUsage, "no stage `%s`; there are %s", stage, strings.Join(names, ", "))
	}
	fmt.Fprint(a.stdout, texts[stage])
	return nil
}
