package gowrap_test

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/codegen/cpu"
	"github.com/gpugen/gpugen/codegen/gowrap"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
)

var update = flag.Bool("update", false, "write the goldens")

var outputs = []string{"wrapper.go", "dev.go", "metal.go"}

// golden is one archive: kernels as IR text, the names of the package, artifacts; and the files made of them.
type golden struct {
	path string
	a    *txtar.Archive
	m    *ir.Module
	in   gowrap.Input
}

func (g *golden) section(name string) (string, bool) {
	for _, f := range g.a.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

func load(t *testing.T) []*golden {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	var all []*golden
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		g := &golden{path: p, a: a}
		text, _ := g.section("in.ir")
		if g.m, err = ir.Parse(text); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if err := ir.Verify(g.m); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		g.in = input(t, g)
		all = append(all, g)
	}
	return all
}

func input(t *testing.T, g *golden) gowrap.Input {
	t.Helper()
	declared, _ := g.section("declared")
	in := gowrap.Input{
		Package: g.m.Package, File: g.m.File, Names: names(g.m, strings.Fields(declared)),
		Targets: types.TargetsOf(types.CUDA, types.Metal, types.CPU),
	}
	for _, k := range g.m.Kernels {
		l := abi.Of(k)
		if !l.Group {
			l.Block, l.Per = [3]int{256, 1, 1}, 4
		}
		in.Kernels = append(in.Kernels, l)
	}
	list, _ := g.section("artifacts")
	kinds := map[string]gowrap.Kind{"cuda": gowrap.CUDA, "ptx": gowrap.PTX, "cubin": gowrap.Cubin, "metal": gowrap.Metal, "metallib": gowrap.Metallib}
	for line := range strings.Lines(list) {
		f := strings.Fields(line)
		kind, ok := kinds[f[0]]
		if !ok {
			t.Fatalf("%s: no kind %s", g.path, f[0])
		}
		a := gowrap.Artifact{Kind: kind, File: f[1]}
		if len(f) > 2 {
			number := strings.TrimRight(f[2], "af")
			a.Arch, _ = strconv.Atoi(number)
			a.Variant = f[2][len(number):]
		}
		in.Artifacts = append(in.Artifacts, a)
	}
	return in
}

// names chooses names as package gpugen does, for one file.
func names(m *ir.Module, declared []string) *codegen.GoNames {
	f := codegen.GoFile{File: m.File}
	var local []string
	for _, k := range m.Kernels {
		declared = append(declared, k.Name)
		inst := codegen.GoInstance{Name: k.Name, Instance: k.Instance}
		for _, a := range k.Generics {
			local = append(local, a.Param)
			if a.Type != nil {
				inst.Args = append(inst.Args, a.Type.String())
				continue
			}
			v := strconv.FormatInt(a.Value, 10)
			inst.Args = append(inst.Args, v)
			inst.Consts = append(inst.Consts, codegen.GoConst{Param: a.Param, Value: v})
		}
		f.Kernels = append(f.Kernels, inst)
		for _, p := range k.Params {
			local = append(local, p.Name)
		}
		for _, s := range k.Symbols {
			local = append(local, s.Name)
		}
		for _, d := range k.Domain {
			local = append(local, d.Name)
		}
	}
	return codegen.NewGoNames(declared, local, []codegen.GoFile{f})
}

func generate(t *testing.T, in gowrap.Input) map[string]string {
	t.Helper()
	out, err := gowrap.File(in)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"wrapper.go": out.Wrapper, "dev.go": out.Dev, "metal.go": out.Metal}
}

func TestGolden(t *testing.T) {
	for _, g := range load(t) {
		t.Run(strings.TrimSuffix(filepath.Base(g.path), ".txtar"), func(t *testing.T) {
			got := generate(t, g.in)
			stale := false
			for _, name := range outputs {
				if formatted, err := format.Source([]byte(got[name])); err != nil || string(formatted) != got[name] {
					t.Errorf("%s is not formatted: %v", name, err)
				}
				want, ok := g.section(name)
				if ok && want == got[name] {
					continue
				}
				stale = true
				if !*update {
					t.Errorf("%s is stale, run with -update; got:\n%s", name, got[name])
				}
			}
			if stale && *update {
				var files []txtar.File
				for _, f := range g.a.Files {
					if _, out := got[f.Name]; !out {
						files = append(files, f)
					}
				}
				for _, name := range outputs {
					files = append(files, txtar.File{Name: name, Data: []byte(got[name])})
				}
				g.a.Files = files
				if err := os.WriteFile(g.path, txtar.Format(g.a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestOutputIsStable generates in many orders of anything that a map could decide.
func TestOutputIsStable(t *testing.T) {
	first := map[string]map[string]string{}
	for range 20 {
		for _, g := range load(t) {
			got := generate(t, g.in)
			if first[g.path] == nil {
				first[g.path] = got
			}
			for name := range got {
				if got[name] != first[g.path][name] {
					t.Fatalf("%s: %s differs between runs", g.path, name)
				}
			}
		}
	}
}

// TestVet builds all goldens as packages of a module of their own, vets them for three systems, and runs their
// wrappers: the right instance is chosen, wrong calls give the typed errors.
func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command, which is not for -short")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	own, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	requires := string(own[strings.Index(string(own), "require ("):])
	write("go.mod", "module example.com/program\n\ngo 1.26\n\nrequire github.com/gpugen/gpugen v0.0.0\n\nreplace github.com/gpugen/gpugen => "+root+"\n\n"+requires)
	write("go.sum", string(sum))
	for _, g := range load(t) {
		out := generate(t, g.in)
		base := g.m.Package + "/" + strings.TrimSuffix(g.m.File, ".gpu")
		write(base+"_gpu.go", out["wrapper.go"])
		write(base+"_gpu_dev.go", out["dev.go"])
		write(base+"_gpu_metal.go", out["metal.go"])
		write(base+"_gpu_cpu.go", string(cpu.Emit(g.m, g.in.Names)))
		if text, ok := g.section("own.go"); ok {
			write(g.m.Package+"/own.go", text)
		}
		for _, a := range g.in.Artifacts {
			write(g.m.Package+"/_gpu/"+a.File, "text of "+a.File)
		}
	}
	program, err := os.ReadFile("testdata/use_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	write("use_test.go", string(program))
	inside, err := os.ReadFile("testdata/inside_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	write("image/inside_test.go", string(inside))
	run := func(env []string, args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "CGO_ENABLED=0"), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s %s: %v\n%s", args, env, err, out)
		}
	}
	run(nil, "vet", "./...")
	run([]string{"GOOS=darwin", "GOARCH=arm64"}, "vet", "./...")
	run([]string{"GOOS=windows", "GOARCH=amd64"}, "vet", "./...")
	run(nil, "test", "./...")
	if t.Failed() {
		t.Log(fmt.Sprint("in ", dir))
	}
}
