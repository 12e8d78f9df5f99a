package check

import (
	"path/filepath"
	"testing"

	"github.com/gpugen/gpugen/dsl"
)

// FuzzCheck: whatever the parser makes of a file, the checker neither panics nor loses an error's place, and says the same
// twice.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"testdata/*.gpu", "../testdata/*.gpu", "../../examples/*/kernels/*.gpu"} {
		names, _ := filepath.Glob(pattern)
		for _, n := range names {
			f.Add(readFile(f, n))
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		check := func() string {
			file, _ := dsl.Parse("p.gpu", []byte(src))
			p, list := Package([]*dsl.File{file}, Config{})
			if p == nil {
				t.Fatal("no program")
			}
			for _, d := range list {
				if !d.Pos.IsValid() || d.Code == "" || d.Message == "" {
					t.Fatalf("incomplete diagnostic: %+v", d)
				}
			}
			return list.Error()
		}
		if a, b := check(), check(); a != b {
			t.Fatalf("two runs differ:\n%s\n---\n%s", a, b)
		}
	})
}
