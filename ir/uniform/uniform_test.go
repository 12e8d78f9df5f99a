package uniform_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/lower"
	"github.com/gpugen/gpugen/ir/pass"
	"github.com/gpugen/gpugen/ir/uniform"
)

var update = flag.Bool("update", false, "write the errors of the archives")

// module compiles a file up to what uniform.Check looks at.
func module(t *testing.T, name string, src []byte) *ir.Module {
	t.Helper()
	f, list := dsl.Parse(name, src)
	if list.HasErrors() {
		t.Fatalf("%s: %v", name, list)
	}
	p, list := check.Package([]*dsl.File{f}, check.Config{})
	if list.HasErrors() {
		t.Fatalf("%s: %v", name, list)
	}
	m := lower.Program(p)[0]
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	out := pass.Inlined(m)
	if err := ir.Verify(out); err != nil {
		t.Fatalf("%s: inlined: %v", name, err)
	}
	return out
}

// TestRefused compares the errors of each file of the archive: the barrier, the condition, and why it diverges.
func TestRefused(t *testing.T) {
	const file = "testdata/refused.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range a.Files {
		if name, ok := strings.CutSuffix(f.Name, ".errors"); ok {
			want[name] = string(f.Data)
		}
	}
	var out []txtar.File
	for _, f := range a.Files {
		name, ok := strings.CutSuffix(f.Name, ".gpu")
		if !ok {
			continue
		}
		list := uniform.Check(module(t, f.Name, f.Data))
		var b bytes.Buffer
		if err := diag.Text(&b, list, diag.Sources{f.Name: f.Data}); err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			t.Errorf("%s passes", name)
		}
		for _, d := range list {
			if d.Code != "divergent-barrier" || len(d.Labels) == 0 || !d.Pos.IsValid() {
				t.Errorf("%s: no reason, or no place: %v", name, d)
			}
		}
		out = append(out, f, txtar.File{Name: name + ".errors", Data: b.Bytes()})
		if !*update && b.String() != want[name] {
			t.Errorf("%s: errors are\n%s\nwant\n%s", name, b.String(), want[name])
		}
	}
	if len(out) < 2*20 {
		t.Errorf("only %d sections", len(out))
	}
	if *update {
		a.Files = out
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAccepted expects no error of any file of the archive.
func TestAccepted(t *testing.T) {
	a, err := txtar.ParseFile("testdata/accepted.txtar")
	if err != nil || len(a.Files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, f := range a.Files {
		m := module(t, f.Name, f.Data)
		meets := false
		m.Kernels[0].Body.Walk(func(in *ir.Instr) { meets = meets || in.Op == ir.OpBarrier || ir.Ops[in.Op].Class == ir.Collective })
		if list := uniform.Check(m); len(list) > 0 || !meets {
			t.Errorf("%s: meets %v: %v", f.Name, meets, list)
		}
	}
}
