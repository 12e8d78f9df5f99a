package kernelgen

import (
	"testing"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
)

// TestKernelsCompile asks that every kernel is right, and that the same seed gives the same text.
func TestKernelsCompile(t *testing.T) {
	for seed := range uint64(200) {
		o := Options{Float64: seed%3 == 0, Blocks: seed%5 < 2, Rows: seed%5 == 2}
		k := New(seed, o)
		text := File("random", k)
		f, errs := dsl.Parse("rand.gpu", []byte(text))
		if len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s", seed, errs[0], text)
		}
		if _, list := check.Package([]*dsl.File{f}, check.Config{}); list.HasErrors() {
			t.Errorf("seed %d: %v\n%s", seed, list, text)
			return
		}
		if again := New(seed, o); again.Source != k.Source || len(again.Runs) != len(k.Runs) {
			t.Fatalf("seed %d gives another kernel the second time", seed)
		}
	}
}
