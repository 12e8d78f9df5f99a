// Package gpugen turns the .gpu files of one folder into everything that is text: CUDA C, Metal, OpenCL C, Go for the CPU and,
// once it is known which artifacts there are, the Go wrappers and the manifest. [Compile] is the whole pipeline on one
// screen.
//
// The command calls it, and so do the tests that run every stage. It is pure: it reads and writes no file and starts no
// tool, so that its output is a function of the sources alone.
package gpugen

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/codegen/cpu"
	"github.com/gpugen/gpugen/codegen/msl"
	"github.com/gpugen/gpugen/codegen/opencl"
	"github.com/gpugen/gpugen/codegen/ptx"
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/lower"
	"github.com/gpugen/gpugen/ir/pass"
	"github.com/gpugen/gpugen/ir/uniform"
)

// Source is one .gpu file.
type Source struct {
	Name string // as in messages; its last element names the outputs
	Text []byte
}

// Input is the .gpu files of one folder.
type Input struct {
	Sources []Source
	// GoNames are the names that the folder's own Go files declare at package level; a kernel may not declare them
	// again, and hidden names of generated code keep out of their way.
	GoNames map[string]diag.Pos
	// GoPackage is the name that those files have in their package clauses, empty if there are none.
	GoPackage string
	// Only, unless empty, narrows the targets of the `//gpugen:targets` lines.
	Only types.TargetSet
}

// Package is a compiled folder.
type Package struct {
	Name    string
	Options check.Options
	Units   []*Unit // one a file, sorted by name
}

// Unit is what one .gpu file becomes before any tool of a vendor runs.
type Unit struct {
	File    string   // base name, "saxpy.gpu"
	Base    string   // "saxpy": its outputs are saxpy_gpu.go, _gpu/saxpy.ptx and so on
	Hash    string   // SHA-256 of the source with CRLF read as LF, in hex
	Variant          // the release build
	Checked *Variant // the checked build, of folders with a line `//gpugen:checked`; nil without one

	names *codegen.GoNames
	opts  check.Options
}

// Variant is a build of a file: release, or checked, whose kernels test and report what may fail.
type Variant struct {
	Module  *ir.Module
	Layouts []abi.Layout    // one a kernel instance, in order
	CUDA    *codegen.Source // nil if the target is off or no kernel of the file is for it
	Metal   *codegen.Source
	OpenCL  *codegen.Source
	CPU     []byte // Go source of saxpy_gpu_cpu.go, or of saxpy_gpu_checked.go
}

// Compile runs the pipeline: text → tree → facts → IR → uniformity → passes → slot tables and text of every target. The
// package is nil if the list holds an error.
func Compile(in Input) (p *Package, list diag.List) {
	sources := slices.Clone(in.Sources)
	slices.SortFunc(sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })

	var files []*dsl.File
	for _, s := range sources {
		if why := fileNameFault(path.Base(s.Name)); why != "" {
			list.Report(&FileNameError{Name: s.Name, Why: why})
		}
		f, errs := dsl.Parse(s.Name, s.Text)
		files = append(files, f)
		list.Add(errs...)
		if f.Package != nil && in.GoPackage != "" && f.Package.Name != in.GoPackage {
			list.Report(&PackageNameError{Clause: f.Package, Go: in.GoPackage})
		}
	}
	program, errs := check.Package(files, check.Config{GoNames: in.GoNames})
	list.Add(errs...)
	if list = list.Dedupe(); list.HasErrors() {
		return nil, list
	}

	if in.Only != 0 {
		program.Options.Targets &= in.Only
	}
	at := "lower"
	defer func() {
		if r := recover(); r != nil {
			p = nil
			list.Report(&InternalError{Stage: at, Panic: r, Stack: string(debug.Stack())})
		}
	}()
	modules := lower.Program(program)
	for _, m := range modules {
		at = "uniform " + m.File
		list.Add(uniform.Check(pass.Inlined(m))...)
	}
	if list = list.Dedupe(); list.HasErrors() {
		return nil, list
	}
	nameEntries(modules)
	p = &Package{Name: program.Package, Options: program.Options}
	names := goNames(in.GoNames, program, modules)
	for i, m := range modules {
		at = "emit " + m.File
		u := unit(m, sources[i], program.Options, names)
		for _, v := range u.Variants() {
			if e := tooDeep(types.Metal, v.Metal); e != nil {
				list.Report(e)
			} else if e := tooDeep(types.OpenCL, v.OpenCL); e != nil {
				list.Report(e)
			}
		}
		p.Units = append(p.Units, u)
	}
	if list.HasErrors() {
		return nil, list
	}
	return p, list
}

// unit runs the passes and printers over one module.
func unit(m *ir.Module, s Source, opts check.Options, names *codegen.GoNames) *Unit {
	u := &Unit{File: m.File, Hash: hash(s.Text), opts: opts, names: names}
	u.Base = strings.TrimSuffix(u.File, ".gpu")
	if opts.Checked {
		c := m.Clone()
		pass.Checked(c)
		u.Checked = variant(c, opts, names.Checked())
	}
	pass.Common(m)
	u.Variant = *variant(m, opts, names)
	return u
}

// variant brings a module behind the passes that all targets share to text.
func variant(m *ir.Module, opts check.Options, names *codegen.GoNames) *Variant {
	v := &Variant{Module: m}
	device := map[string]*ir.Kernel{} // the narrow variant, by entry: it has the schedule
	shared := map[string]int{}        // the most that a target takes, by entry
	emit := func(t types.Target, print func(*ir.Module) codegen.Source) *codegen.Source {
		if !opts.Targets.Has(t) {
			return nil
		}
		tm := pass.For(m, t)
		if len(tm.Kernels) == 0 {
			return nil
		}
		for _, k := range tm.Kernels {
			if !k.Wide && device[k.Entry] == nil {
				device[k.Entry] = k
			}
			shared[k.Entry] = max(shared[k.Entry], abi.Of(k).Shared)
		}
		src := print(tm)
		return &src
	}
	v.CUDA = emit(types.CUDA, ptx.Emit)
	v.Metal = emit(types.Metal, msl.Emit)
	v.OpenCL = emit(types.OpenCL, opencl.Emit)
	for _, k := range m.Kernels {
		l := abi.Of(k)
		if d := device[k.Entry]; d != nil {
			l = abi.Of(d)
			l.Shared = shared[k.Entry]
		}
		l.Targets &= opts.Targets
		v.Layouts = append(v.Layouts, l)
	}
	if opts.Targets.Has(types.CPU) {
		v.CPU = cpu.Emit(pass.For(m, types.CPU), names)
	}
	return v
}

// Variants are the release build and, if there is one, the checked build.
func (u *Unit) Variants() []*Variant {
	if u.Checked == nil {
		return []*Variant{&u.Variant}
	}
	return []*Variant{&u.Variant, u.Checked}
}

// stem begins the names of a variant's artifacts.
func (u *Unit) stem(v *Variant) string {
	if v == u.Checked {
		return u.Base + ".checked"
	}
	return u.Base
}

// hash is the source hash of the manifest: a checkout with CRLF, or an editor's byte order mark, is the same source.
func hash(text []byte) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(strings.TrimPrefix(string(text), "\ufeff"), "\r\n", "\n")))
	return hex.EncodeToString(sum[:])
}
