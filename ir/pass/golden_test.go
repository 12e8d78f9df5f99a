package pass

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

var update = flag.Bool("update", false, "write the outputs of the golden archives")

// archives gives the golden archives of a folder; there must be one.
func archives(t *testing.T, folder string) map[string]*txtar.Archive {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/%s: no archive (%v)", folder, err)
	}
	out := map[string]*txtar.Archive{}
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[f] = a
	}
	return out
}

// section is the text of a file in an archive.
func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// parsed reads the input of an archive, and checks it.
func parsed(t *testing.T, file string, a *txtar.Archive) *ir.Module {
	t.Helper()
	m, err := ir.Parse("module p \"p.gpu\"\n" + section(a, "in"))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return m
}

// compare checks the named output of an archive, or updates it.
func compare(t *testing.T, file string, a *txtar.Archive, name, got string) {
	t.Helper()
	if !*update {
		if want := section(a, name); got != want {
			t.Errorf("%s: %s is\n%s\nwant\n%s", file, name, got, want)
		}
		return
	}
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		i = len(a.Files)
		a.Files = append(a.Files, txtar.File{Name: name})
	}
	a.Files[i].Data = []byte(got)
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// body is the text of a module without its first line.
func body(m *ir.Module) string {
	_, text, _ := strings.Cut(ir.Print(m), "\n\n")
	return text
}

// passes is every pass of every table, once.
func passes() []*Pass {
	var out []*Pass
	for _, s := range slices.Concat(common, checked, fusing, final) {
		if !slices.Contains(out, s.Pass) {
			out = append(out, s.Pass)
		}
	}
	return out
}

// TestGolden runs each pass alone over its archives: in → out. A line "before: fold, dce" in an archive's comment names
// passes to run first, without showing what they do.
func TestGolden(t *testing.T) {
	for _, p := range passes() {
		t.Run(p.Name, func(t *testing.T) {
			for file, a := range archives(t, p.Name) {
				m := parsed(t, file, a)
				var run []*Pass
				for line := range strings.Lines(string(a.Comment)) {
					if names, ok := strings.CutPrefix(line, "before: "); ok {
						for name := range strings.SplitSeq(strings.TrimSpace(names), ", ") {
							i := slices.IndexFunc(passes(), func(p *Pass) bool { return p.Name == name })
							if i < 0 {
								t.Fatalf("%s: no pass %s", file, name)
							}
							run = append(run, passes()[i])
						}
					}
				}
				for _, p := range append(run, p) {
					for _, k := range m.Kernels {
						p.Run(k)
						if err := ir.VerifyKernel(k); err != nil {
							t.Fatalf("%s: after %s: %v\n%s", file, p.Name, err, ir.PrintKernel(k))
						}
					}
				}
				if p.Func != nil {
					for _, f := range m.Funcs {
						p.Func(f)
					}
					if err := ir.Verify(m); err != nil {
						t.Fatalf("%s: after %s: %v\n%s", file, p.Name, err, ir.Print(m))
					}
				}
				compare(t, file, a, "out", body(m))
			}
		})
	}
}

// TestTargets runs whole pipelines: in → one section a target.
func TestTargets(t *testing.T) {
	for file, a := range archives(t, "targets") {
		for _, target := range []types.Target{types.CUDA, types.CPU} {
			m := parsed(t, file, a)
			o := Options{Verify: true}
			o.Common(m)
			compare(t, file, a, target.String(), body(o.For(m, target)))
		}
	}
}

// TestTables checks that every row says why it is there, and that names are unique.
func TestTables(t *testing.T) {
	names := map[string]bool{}
	for _, p := range passes() {
		if p.Name == "" || p.Doc == "" || p.Run == nil || names[p.Name] {
			t.Errorf("pass %q is incomplete or there twice", p.Name)
		}
		names[p.Name] = true
	}
	for _, s := range slices.Concat(common, checked, fusing, final) {
		if s.why == "" || s.on == 0 {
			t.Errorf("the row of %s has no reason or no target", s.Name)
		}
	}
}

// TestTestdataHasNoOrphan checks that every folder belongs to a pass.
func TestTestdataHasNoOrphan(t *testing.T) {
	dirs, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if d.Name() != "targets" && !slices.ContainsFunc(passes(), func(p *Pass) bool { return p.Name == d.Name() }) {
			t.Errorf("testdata/%s belongs to no pass", d.Name())
		}
	}
}
