package dsl

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gpugen/gpugen/dsl/diag"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// archives calls f for each archive of a folder; what f leaves in the archive must be what the file holds.
func archives(t *testing.T, folder string, f func(*testing.T, *txtar.Archive)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives in %s: %v", folder, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			old, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(old)
			f(t, a)
			got := txtar.Format(a)
			if bytes.Equal(old, got) {
				return
			}
			if *update {
				if err := os.WriteFile(name, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			was, is := strings.Split(string(old), "\n"), strings.Split(string(got), "\n")
			n := 0
			for n < len(was)-1 && n < len(is)-1 && was[n] == is[n] {
				n++
			}
			t.Errorf("%s:%d: the file says\n%s\nbut now it is\n%s\n(-update rewrites it; read the difference)", name, n+1, was[n], is[n])
		})
	}
}

func mustParse(t testing.TB, name, src string) *File {
	t.Helper()
	f, errs := Parse(name, []byte(src))
	if len(errs) > 0 {
		t.Fatalf("%v\nin\n%s", errs, src)
	}
	return f
}

func mustPrint(t testing.TB, n Node) string {
	t.Helper()
	var b strings.Builder
	if err := Print(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func section(a *txtar.Archive, name string) *txtar.File {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name})
	return &a.Files[len(a.Files)-1]
}

// TestPrograms parses programs that are right, and parses what Print makes of them.
func TestPrograms(t *testing.T) {
	archives(t, "programs", func(t *testing.T, a *txtar.Archive) {
		f := mustParse(t, "in.gpu", string(section(a, "in.gpu").Data))
		dump := Dump(f)
		section(a, "dump").Data = []byte(dump + "\n")
		text := mustPrint(t, f)
		again := mustParse(t, "printed.gpu", text)
		if got := Dump(again); got != dump {
			t.Errorf("printing changed the tree from\n%s\nto\n%s\nby\n%s", dump, got, text)
		}
		if got := mustPrint(t, again); got != text {
			t.Errorf("printing twice differs:\n%s\n%s", text, got)
		}
		checkPositions(t, f, string(section(a, "in.gpu").Data))
	})
}

// TestFaults renders the errors of programs that are wrong.
func TestFaults(t *testing.T) {
	archives(t, "faults", func(t *testing.T, a *txtar.Archive) {
		var files []txtar.File
		for _, f := range a.Files {
			name, ok := strings.CutSuffix(f.Name, ".gpu")
			if !ok {
				continue
			}
			tree, errs := Parse(f.Name, f.Data)
			if len(errs) == 0 {
				t.Errorf("%s: no error in\n%s", f.Name, f.Data)
			}
			var b strings.Builder
			if err := diag.Text(&b, errs, diag.Sources{f.Name: f.Data}); err != nil {
				t.Fatal(err)
			}
			files = append(files, f, txtar.File{Name: name + ".txt", Data: []byte(b.String())})
			checkPositions(t, tree, string(f.Data))
			if strings.Contains(string(f.Data), "kernel L(") && !strings.Contains(Dump(tree), "kernel L(") {
				t.Errorf("%s: the declaration behind the fault is lost: %s", f.Name, Dump(tree))
			}
		}
		a.Files = files
	})
}

// checkPositions checks that every node lies in the source and inside its parent.
func checkPositions(t testing.TB, n Node, src string) {
	t.Helper()
	for _, c := range children(n) {
		p, e := c.Pos(), c.End()
		if p.File != n.Pos().File || p.Line < 1 || p.Col < 1 || p.Offset < 0 || p.Offset >= len(src) || e.Offset <= p.Offset || e.Offset > len(src) {
			t.Errorf("%T from %v (%d) to %v (%d) in %d bytes", c, p, p.Offset, e, e.Offset, len(src))
		}
		_, isAttr := c.(*Attr) // attributes stand above the keyword that places their declaration
		if !isAttr && p.Offset < n.Pos().Offset || e.Offset > n.End().Offset {
			t.Errorf("%T %v-%v lies outside of %T %v-%v", c, p, e, n, n.Pos(), n.End())
		}
		checkPositions(t, c, src)
	}
}

func children(n Node) (out []Node) {
	Walk(n, func(c Node) bool {
		if c != n {
			out = append(out, c)
		}
		return c == n
	})
	return out
}
