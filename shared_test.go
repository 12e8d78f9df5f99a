package gpugen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpugen/gpugen"
)

// TestSharedOfAllTargets: a wrapper speaks of the target whose blocks take the most shared memory. Reductions take less where a
// device has subgroups.
func TestSharedOfAllTargets(t *testing.T) {
	src := "package p\n\nkernel Sums(x [rows, n]float32, y mut [rows]float32) for r in rows by block { y[r] = sum(x[r, j] for j in n) }\n"
	p, list := gpugen.Compile(gpugen.Input{Sources: []gpugen.Source{{Name: "k.gpu", Text: []byte(src)}}})
	if list.HasErrors() {
		t.Fatal(list)
	}
	u := p.Units[0]
	says := func(text string) (n int) {
		_, rest, _ := strings.Cut(text, "for each r, ")
		if _, err := fmt.Sscanf(rest, "%d bytes of shared memory a block", &n); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		return n
	}
	cuda, opencl := says(u.CUDA.Text), says(u.OpenCL.Text)
	if most := u.Layouts[0].Shared; cuda >= opencl || most != opencl {
		t.Errorf("CUDA takes %d bytes, OpenCL %d; the wrapper says %d", cuda, opencl, most)
	}
}
