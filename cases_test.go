package gpugen_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
	"github.com/gpugen/gpugen/internal/require"
)

// compileText compiles one source that has no errors.
func compileText(t *testing.T, src string) *gpugen.Unit {
	t.Helper()
	p, diags := gpugen.Compile(gpugen.Input{Sources: []gpugen.Source{{Name: "k.gpu", Text: []byte(src)}}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return p.Units[0]
}

// loopsThatMayNotEnd have a store that only the end of a loop, or a test in it, guards.
const loopsThatMayNotEnd = `package p

kernel Inside(k [n]uint32, a mut [m]float32) for p in n {
	i := k[p]
	for {
		if i < 10 {
			a[i] = 1
			break
		}
	}
}

kernel Behind(k [n]uint32, a mut [m]float32) for p in n {
	i := k[p]
	for i >= 10 {
	}
	a[i] = 1
}

kernel Post(k [n]uint32, a mut [m]float32) for p in n {
	i := k[p]
	for j := int32(1); i >= 10; j *= 3 {
		if j == 7 {
			continue
		}
	}
	a[i] = 1
}
`

// TestB20GuardsStay looks at what the compilers of the targets make of loops that may not end: C++ lets them conclude
// that a loop ends, and so that its exit held, and then the test that guards a store is gone.
func TestB20GuardsStay(t *testing.T) {
	u := compileText(t, loopsThatMayNotEnd)
	t.Run("metal", func(t *testing.T) {
		require.Tool(t, "clang", hostrun.Clang() != "", hostrun.Remedy)
		text, err := hostrun.LLVM(context.Background(), u.Metal.Text)
		if err != nil {
			t.Fatal(err)
		}
		guard := regexp.MustCompile(`icmp (ult|ugt) i32 %\w+, (10|9)\b`)
		for _, f := range strings.Split(text, "\ndefine ")[1:] {
			name, _, _ := strings.Cut(f, "(")
			f, _, _ = strings.Cut(f, "\n}")
			if strings.Contains(f, "llvm.assume") || !guard.MatchString(f) || !strings.Contains(f, "br i1") {
				t.Errorf("the guard of %s is gone:\n%s", name, f)
			}
		}
	})
	t.Run("cuda", func(t *testing.T) {
		chains, err := nvrtc.Toolchains()
		require.Tool(t, "nvrtc", err == nil, "run make setup")
		guard := regexp.MustCompile(`setp\.(lt|gt|le|ge)\.u32\s+%p\d+, %r\d+, (9|10);`)
		for _, chain := range chains {
			r, err := nvrtc.Compile(context.Background(), nvrtc.Request{Name: "k.cu", Source: u.CUDA.Text, Arch: "sm_90", NVRTC: chain.Version})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range strings.Split(string(r.Code), ".entry ")[1:] {
				name, _, _ := strings.Cut(f, "(")
				if !guard.MatchString(f) {
					t.Errorf("NVRTC %s: the guard of %s is gone:\n%s", chain.Version, name, f)
				}
			}
		}
	})
}
