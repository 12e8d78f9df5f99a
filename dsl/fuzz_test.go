package dsl

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// corpus returns the sources in the archives of testdata.
func corpus(t testing.TB) (out []string) {
	names, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".gpu") {
				out = append(out, string(f.Data))
			}
		}
	}
	return out
}

// FuzzParse checks that any bytes give a tree and diagnostics inside the file, in time, and that what is read without an
// error survives printing.
func FuzzParse(f *testing.F) {
	for _, src := range corpus(f) {
		f.Add(src)
	}
	for _, build := range towers {
		f.Add(build(3))
	}
	f.Fuzz(func(t *testing.T, src string) {
		start := time.Now()
		tree, errs := Parse("k.gpu", []byte(src))
		if d := time.Since(start); d > 10*time.Second {
			t.Fatalf("%v for %d bytes", d, len(src))
		}
		checkPositions(t, tree, src)
		for _, e := range errs {
			if e.Pos.File != "k.gpu" || e.Pos.Line < 1 || e.Pos.Col < 1 || e.Pos.Offset < 0 || e.Pos.Offset > len(src) || e.End.Offset > len(src) {
				t.Errorf("%+v", e)
			}
			if e.Code == "" || e.Message == "" || strings.Contains(e.Message, "expected ,") || strings.Contains(e.Message, "expected  ") {
				t.Errorf("%+v", e)
			}
		}
		if len(errs) > 0 {
			return
		}
		dump, text := Dump(tree), mustPrint(t, tree)
		again, errs := Parse("k.gpu", []byte(text))
		if len(errs) > 0 {
			t.Fatalf("printed text does not parse: %v\n%s", errs, text)
		}
		if got := Dump(again); got != dump {
			t.Fatalf("printing changed the tree from\n%s\nto\n%s\nby\n%s", dump, got, text)
		}
	})
}
