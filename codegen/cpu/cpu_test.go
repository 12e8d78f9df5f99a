package cpu

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/lower"
	"github.com/gpugen/gpugen/ir/pass"
	"github.com/gpugen/gpugen/ir/uniform"
)

var update = flag.Bool("update", false, "write the goldens")

// namesOf chooses names as package gpugen does, for one module.
func namesOf(m *ir.Module, declared ...string) *codegen.GoNames {
	f := codegen.GoFile{File: m.File}
	var local []string
	add := func(body *ir.Block, locals []*ir.Local) {
		for n := range userNames(body, locals) {
			local = append(local, n)
		}
	}
	for _, k := range m.Kernels {
		f.Kernels = append(f.Kernels, instance(k.Name, k.Instance, k.Generics))
		add(k.Body, k.Locals)
		for _, p := range k.Params {
			local = append(local, p.Name)
		}
		for _, s := range k.Symbols {
			local = append(local, s.Name)
		}
		for _, d := range k.Domain {
			local = append(local, d.Name)
		}
		declared = append(declared, k.Name)
	}
	for _, fn := range m.Funcs {
		f.Funcs = append(f.Funcs, instance(fn.Name, fn.Instance, fn.Generics))
		add(fn.Body, fn.Locals)
		declared = append(declared, fn.Name)
	}
	return codegen.NewGoNames(declared, local, []codegen.GoFile{f})
}

func instance(name, inst string, args []ir.Generic) codegen.GoInstance {
	g := codegen.GoInstance{Name: name, Instance: inst}
	for _, a := range args {
		if a.Type != nil {
			g.Args = append(g.Args, a.Type.String())
			continue
		}
		v := strconv.FormatInt(a.Value, 10)
		g.Args = append(g.Args, v)
		g.Consts = append(g.Consts, codegen.GoConst{Param: a.Param, Value: v})
	}
	return g
}

// archives are the goldens: IR text in, Go out.
func archives(t *testing.T) map[string]*txtar.Archive {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	all := map[string]*txtar.Archive{}
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		all[p] = a
	}
	return all
}

func section(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// parse is the module of an archive: IR as the printer gets it, or a source with everything in front of the printer.
func parse(t *testing.T, a *txtar.Archive) *ir.Module {
	t.Helper()
	if text := section(a, "in.gpu"); text != nil {
		return compile(t, text)
	}
	m, err := ir.Parse(string(section(a, "in.ir")))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compile(t *testing.T, text []byte) *ir.Module {
	t.Helper()
	file, errs := dsl.Parse("in.gpu", text)
	program, more := check.Package([]*dsl.File{file}, check.Config{})
	errs.Add(more...)
	if errs.HasErrors() {
		t.Fatal(errs)
	}
	m := lower.Program(program)[0]
	if errs := uniform.Check(pass.Inlined(m)); errs.HasErrors() {
		t.Fatal(errs)
	}
	pass.Common(m)
	return pass.For(m, types.CPU)
}

func TestGolden(t *testing.T) {
	for path, a := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			m := parse(t, a)
			got := string(Emit(m, namesOf(m, strings.Fields(string(section(a, "declared")))...)))
			if want := string(section(a, "out.go")); got != want {
				if !*update {
					t.Fatalf("%s is stale, run with -update; got:\n%s", path, got)
				}
				set(a, "out.go", got)
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func set(a *txtar.Archive, name, text string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(text)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
}
