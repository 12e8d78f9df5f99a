//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package opencl

import (
	"strings"
	"testing"
)

// TestLacks reads the conditions around kernels.
func TestLacks(t *testing.T) {
	const source = `#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

void Plain(int a) {}

#ifdef cl_khr_fp64
#if defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics)
void Both(int a) {}
#endif
void Double(int a) {}
#endif
#if defined(cl_khr_subgroup_shuffle) && defined(cl_khr_subgroup_ballot)
void Lanes(int a) {}
#endif
`
	for entry, want := range map[string][]string{
		"Plain": nil, "Missing": nil, "Double": {"double"}, "Both": {"double", "64 bits"}, "Lanes": {"subgroups"},
	} {
		got := lacks(source, entry)
		if (got == "") != (want == nil) {
			t.Errorf("%s lacks %q", entry, got)
		}
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s lacks %q, want %q in it", entry, got, w)
			}
		}
	}
}
