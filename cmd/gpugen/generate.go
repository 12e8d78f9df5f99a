package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/peterbourgon/ff/v3/ffcli"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/dsl/types"
)

// generateOptions are the flags of generate.
type generateOptions struct {
	allowMissing bool
	emit         bool
	out          string
	targets      string
}

func (a *app) generateCommand() *ffcli.Command {
	var o generateOptions
	fs := a.flags("generate")
	a.outputFlags(fs)
	fs.BoolVar(&a.dryRun, "n", false, "say what would be written, write nothing")
	fs.BoolVar(&o.allowMissing, "allow-missing", false, "without NVRTC, leave its artifacts out instead of failing")
	fs.BoolVar(&o.emit, "emit", false, "write the text of each target to the folder of -o, compile nothing")
	fs.StringVar(&o.out, "o", "", "folder for -emit")
	fs.StringVar(&o.targets, "targets", "", "targets for -emit: a list of cuda, metal, opencl, cpu (default: those of the sources)")
	return &ffcli.Command{
		Name: "generate", FlagSet: fs,
		ShortUsage: "gpugen generate [flags] [packages]",
		ShortHelp:  "generate device code and Go wrappers beside the .gpu files",
		Exec: func(ctx context.Context, args []string) error {
			if o.emit {
				return a.emit(o, args)
			}
			if o.out != "" || o.targets != "" {
				return fail(exitUsage, "-o and -targets go with -emit: what is generated beside the sources depends on the sources alone (`//gpugen:targets`)")
			}
			return a.generate(ctx, o, args)
		},
	}
}

// loadAll loads folders in parallel, reports their diagnostics and gives the exit code these call for.
func (a *app) loadAll(patterns []string, only types.TargetSet) ([]*folder, int, error) {
	folders, err := loadAll(patterns, only)
	if err != nil {
		return nil, exitOK, err
	}
	code, err := a.report(folders)
	return folders, code, err
}

func loadAll(patterns []string, only types.TargetSet) ([]*folder, error) {
	dirs, err := expand(patterns)
	if err != nil {
		return nil, err
	}
	folders, errs := loadFolders(dirs, only)
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return folders, nil
}

// loadFolders loads folders in parallel. Each has its own error, and is nil then.
func loadFolders(dirs []string, only types.TargetSet) ([]*folder, []error) {
	folders := make([]*folder, len(dirs))
	errs := make([]error, len(dirs))
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, dir := range dirs {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			folders[i], errs[i] = load(dir, only)
		})
	}
	group.Wait()
	return folders, errs
}

// generate compiles every folder that has no errors, then writes: a folder is written whole or not at all, and none is
// when the device compiler refuses any text.
func (a *app) generate(ctx context.Context, o generateOptions, patterns []string) error {
	folders, err := loadAll(patterns, 0)
	if err != nil {
		return err
	}
	list, sources := gather(folders)
	code := exitOK
	late := a.json || a.format == "json" // all diagnostics are one array; others are shown while compilers work
	if !late {
		if code, err = a.reportList(list, sources); err != nil {
			return err
		}
		list = nil
	}
	var builds []*build
	for _, f := range folders {
		if f.pkg == nil {
			continue
		}
		for _, u := range f.pkg.Units {
			builds = append(builds, newBuild(f, u))
		}
	}
	failed := a.compile(ctx, builds, o.allowMissing)
	refused, _ := failed.(*refusal)
	if refused != nil {
		list = append(list, refused.list...)
		failed = &exitError{Code: exitInternal}
	}
	if late || refused != nil {
		if code, err = a.reportList(list, sources); err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	outputs := map[*folder][]gpugen.File{}
	for _, b := range builds {
		files, err := b.outputs()
		if err != nil {
			return fail(exitInput, "%w", err)
		}
		outputs[b.folder] = append(outputs[b.folder], files...)
	}
	var plans []*plan
	for _, f := range folders {
		if f.pkg == nil {
			continue
		}
		p, err := planFolder(f.dir, outputs[f])
		if err != nil {
			return err
		}
		plans = append(plans, p)
	}
	for _, p := range plans {
		if err := a.apply(p); err != nil {
			return err
		}
	}
	if code != exitOK {
		return &exitError{Code: code}
	}
	return nil
}

// emit writes the text of the targets to another folder. Packages below one another keep their relative paths.
func (a *app) emit(o generateOptions, patterns []string) error {
	if o.out == "" {
		return fail(exitUsage, "-emit needs -o DIR")
	}
	only, err := parseTargets(o.targets)
	if err != nil {
		return err
	}
	folders, code, err := a.loadAll(patterns, only)
	if err != nil {
		return err
	}
	for _, f := range folders {
		if f.pkg == nil {
			continue
		}
		p := &plan{dir: o.out}
		prefix := ""
		if len(folders) > 1 {
			prefix = below(f.dir)
		}
		var err error
		for _, u := range f.pkg.Units {
			for _, text := range u.Texts() {
				err = errors.Join(err, p.add(gpugen.File{Name: prefix + text.Name, Data: text.Data}))
			}
		}
		if err != nil {
			return err
		}
		if !a.dryRun {
			if err := os.MkdirAll(o.out, 0o777); err != nil {
				return fail(exitInternal, "%w", err)
			}
		}
		if err := a.apply(p); err != nil {
			return err
		}
	}
	if code != exitOK {
		return &exitError{Code: code}
	}
	return nil
}

// below turns a folder's path into one that stays below another folder, `..` spelt `__`, with a slash at its end.
func below(dir string) string {
	out := ""
	for _, e := range strings.Split(filepath.ToSlash(strings.TrimPrefix(dir, filepath.VolumeName(dir))), "/") {
		switch e {
		case "", ".":
		case "..":
			out += "__/"
		default:
			out += e + "/"
		}
	}
	return out
}

// parseTargets reads the list of -targets; an empty list is the empty set, which narrows nothing.
func parseTargets(list string) (types.TargetSet, error) {
	var set types.TargetSet
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		t, ok := types.TargetNamed(name)
		if !ok {
			return 0, fail(exitUsage, "-targets: `%s` is none of cuda, metal, opencl, cpu", name)
		}
		set |= types.TargetsOf(t)
	}
	return set, nil
}

func (a *app) checkCommand(name string) *ffcli.Command {
	fs := a.flags(name)
	a.outputFlags(fs)
	help := "check types and portability, write nothing"
	if name == "vet" {
		help = "the same as check"
	}
	return &ffcli.Command{
		Name: name, FlagSet: fs, ShortUsage: "gpugen " + name + " [flags] [packages]", ShortHelp: help,
		Exec: func(_ context.Context, args []string) error {
			folders, code, err := a.loadAll(args, 0)
			if err != nil {
				return err
			}
			for _, f := range folders {
				if f.pkg != nil {
					a.say("%s: %d files", f.dir, len(f.pkg.Units))
				}
			}
			if code != exitOK {
				return &exitError{Code: code}
			}
			return nil
		},
	}
}

// terminal reports whether w is one; progress goes only there.
func terminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// progress shows a counter on a terminal; the function it returns ends it.
func (a *app) progress(what string, total int) (step func(int), end func()) {
	if total < 2 || !terminal(a.stderr) {
		return nil, func() {}
	}
	n := 0
	return func(int) {
			n++
			fmt.Fprintf(a.stderr, "\r%s %d/%d", what, n, total)
		}, func() {
			fmt.Fprint(a.stderr, "\r\x1b[K")
		}
}
