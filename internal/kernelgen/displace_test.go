package kernelgen

import (
	"testing"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
)

// TestDisplace asks that displaced kernels compile, that nearly all are others than before, and that a seed gives one text.
func TestDisplace(t *testing.T) {
	changed := 0
	const n = 60
	for seed := range uint64(n) {
		source := File("random", New(seed, Options{Float64: seed%6 == 0, Blocks: seed%5 < 2, Rows: seed%5 == 2}))
		text := Displace(source, seed)
		if text != Displace(source, seed) {
			t.Fatalf("seed %d gives another text the second time", seed)
		}
		f, errs := dsl.Parse("displace.gpu", []byte(text))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if _, list := check.Package([]*dsl.File{f}, check.Config{}); list.HasErrors() {
			t.Errorf("seed %d: %v\n%s", seed, list, text)
		}
		if as, _ := dsl.Parse("plain.gpu", []byte(source)); text != repair(as) { // printed alike
			changed++
		}
	}
	if changed < n*3/4 {
		t.Errorf("%d of %d kernels are changed", changed, n)
	}
}
