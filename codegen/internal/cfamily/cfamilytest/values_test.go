package cfamilytest

import (
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
)

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
