package cfamilytest

import (
	"math"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
)

func TestULP(t *testing.T) {
	next := func(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }
	for _, c := range []struct {
		k    types.Kind
		a, b float64
		want float64
	}{
		{types.Float64, 1, 1, 0}, {types.Float64, next(1), 1, 1}, {types.Float64, next(next(1.5)), 1.5, 2}, {types.Float64, 5e-324, 0, 1},
		{types.Float64, next(7e-309), 7e-309, 1}, {types.Float64, math.Inf(1), math.MaxFloat64, 1}, {types.Float64, math.Inf(1), math.Inf(-1), 2 << 52},
		{types.Float32, float64(math.Nextafter32(3, 4)), 3, 1}, {types.Float32, math.SmallestNonzeroFloat32, 0, 1}, {types.Float32, math.Inf(1), math.MaxFloat32, 1},
		{types.Float32, 3 * math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat32, 2},
	} {
		if got := ULP(c.k, c.a, c.b); math.Abs(got-c.want) > 0.01 {
			t.Errorf("ULP(%s, %v, %v) = %v, want %v", c.k, c.a, c.b, got, c.want)
		}
	}
}

func TestCasesReachEveryOperation(t *testing.T) {
	for _, target := range []types.Target{types.CUDA, types.Metal} {
		seen := map[string]bool{}
		for _, c := range Cases(target) {
			if seen[c.String()] {
				t.Errorf("%s is there twice", c)
			}
			seen[c.String()] = true
			if n := c.Buffers()[0].Len(); n < 4 {
				t.Errorf("%s has %d rows", c, n)
			}
		}
		for _, want := range []string{"add int32 int32", "shl int8 uint64", "conv float32 to uint8", "lnot bool", "erf float32", "select bool int16 int16"} {
			if !seen[want] {
				t.Errorf("%s lacks %s", target, want)
			}
		}
	}
}
