package gpugen_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gpugen/gpugen/internal/golden"
)

// examples are the kernels of examples/ with calls of them, as archives that are on no disk.
var examples = sync.OnceValues(func() ([]*compiled, error) {
	calls, err := txtar.ParseFile("testdata/examples.txtar")
	if err != nil {
		return nil, err
	}
	var out []*compiled
	for _, f := range calls.Files {
		sources, err := filepath.Glob(filepath.Join("examples", f.Name, "kernels", "*.gpu"))
		if err != nil || len(sources) == 0 {
			return nil, fmt.Errorf("examples/%s/kernels: no .gpu files (%v)", f.Name, err)
		}
		var b bytes.Buffer
		for _, name := range sources {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "-- %s --\n%s", filepath.Base(name), text)
		}
		fmt.Fprintf(&b, "-- run --\n%s", f.Data)
		a, err := golden.Parse("example_"+f.Name, b.Bytes())
		if err != nil {
			return nil, err
		}
		c := compile(a)
		if c.pkg == nil {
			return nil, fmt.Errorf("%s: %v", a.Name, c.diags)
		}
		out = append(out, c)
	}
	return out, nil
})

// withExamples are the archives, and the examples as such.
func withExamples(t *testing.T) []*compiled {
	t.Helper()
	list, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 5 {
		t.Fatalf("only %d examples", len(list))
	}
	return slices.Concat(load(t), list)
}

// TestExamplesInterpreted runs the calls of the examples as TestGolden runs those of the archives.
func TestExamplesInterpreted(t *testing.T) {
	for _, c := range withExamples(t)[len(load(t)):] {
		t.Run(c.Name, c.interpret)
	}
}
