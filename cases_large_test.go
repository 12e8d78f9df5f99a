package gpugen_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/require"
)

// twoGiB stores at the end of a buffer whose elements 32 bits do not count; a row of it ends there as well.
const twoGiB = `
-- large.gpu --
package large

kernel Fill(o mut [n]uint8, lo int) for i in lo:n { o[i] = 1 }

kernel Row(o mut [h, w]uint8, r int, lo int) requires r < h for c in lo:w { o[r, c] += 2 }
-- large_test.go --
package large

import (
	"errors"
	"testing"

	"github.com/gpugen/gpugen/runtime/gpu"
)

func TestLarge(t *testing.T) {
	d, err := gpu.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s := d.DefaultStream()
	const h, w = 3, 1<<30 + 16 // rows of 1 GiB
	x, err := gpu.Alloc2[uint8](s, h, w)
	if full := (*gpu.AllocError)(nil); errors.As(err, &full) {
		t.Skipf("no 3 GiB here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer x.Free()
	all := x.Flat()
	const n = h * w
	if err := Fill(s, all, n-40); err != nil {
		t.Fatal(err)
	}
	if err := Row(s, x, 2, w-8); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, n - 1<<32 + 1<<31, n - 1<<31 - 64, n - 64} { // the end, and where it would be in 32 bits
		if at < 0 {
			continue
		}
		got := make([]uint8, 64)
		if err := all.Slice(at, at+64).Download(s, got); err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			want := uint8(0)
			if at+i >= n-40 {
				want++
			}
			if at+i >= n-8 {
				want += 2
			}
			if v != want {
				t.Fatalf("element %d is %d, want %d", at+i, v, want)
			}
		}
	}
}
`

// TestB04LargeBuffers reaches elements behind 2^31 through generated wrappers. The CPU's memory is zero until it is
// touched, so that the launches cost what they write.
func TestB04LargeBuffers(t *testing.T) {
	dir := t.TempDir()
	if _, err := newModule(dir, false); err != nil {
		t.Fatal(err)
	}
	a, err := golden.Parse("large", []byte(twoGiB))
	if err != nil {
		t.Fatal(err)
	}
	if err := writePackage(filepath.Join(dir, "large"), compile(a), false); err != nil {
		t.Fatal(err)
	}
	_, test, _ := strings.Cut(twoGiB, "-- large_test.go --\n")
	if err := writeFile(dir, "large/large_test.go", []byte(test)); err != nil {
		t.Fatal(err)
	}
	for _, device := range []string{"cpu", "opencl"} {
		t.Run(device, func(t *testing.T) {
			if device == "opencl" {
				_, err := clrun.Open()
				require.Tool(t, "opencl", err == nil, clrun.Remedy)
			}
			if out, err := goRun(dir, device, false, "test", "-count=1", "-v", "./large"); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}
