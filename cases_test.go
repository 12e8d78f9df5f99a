package gpugen_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/codegen/opencl"
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
		guarded(t, "metal", text)
	})
	t.Run("opencl", func(t *testing.T) {
		require.Tool(t, "clang", hostrun.Clang() != "", hostrun.Remedy)
		for _, std := range []string{"CL1.2", "CL3.0"} {
			cmd := exec.Command(hostrun.Clang(), "-x", "cl", "-cl-std="+std, "-Xclang", "-finclude-default-header", "-target", "spir64", "-O2", "-S", "-emit-llvm", "-o", "-", "-")
			cmd.Stdin = strings.NewReader(u.OpenCL.Text)
			text, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			guarded(t, std, string(text))
		}
	})
	t.Run("cuda", func(t *testing.T) {
		guard := regexp.MustCompile(`setp\.(lt|gt|le|ge)\.u32\s+%p\d+, %r\d+, (9|10);`)
		for version, ptx := range ptxOf(t, u.CUDA.Text) {
			for _, f := range strings.Split(ptx, ".entry ")[1:] {
				name, _, _ := strings.Cut(f, "(")
				if !guard.MatchString(f) {
					t.Errorf("NVRTC %s: the guard of %s is gone:\n%s", version, name, f)
				}
			}
		}
	})
}

// TestB05NoDoubles: a literal of a float32 expression is one everywhere, so that no target computes in float64 and rounds.
// With a suffix taken off, the text of OpenCL does.
func TestB05NoDoubles(t *testing.T) {
	u := compileText(t, `package p

const tenth = 0.1

func third(x float32) float32 { return x / 3 }

kernel L(x [n]float32, f mut [n]float32) for i in n {
	f[i] = x[i]*0.1 + third(x[i])*tenth - max(x[i], 0.25)*(1/7.0) + float32(0x1.8p-3)
}
`)
	require.Tool(t, "clang", hostrun.Clang() != "", hostrun.Remedy)
	compiled := func(text string) string {
		cmd := exec.Command(hostrun.Clang(), "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-target", "spir64", "-O0", "-S", "-emit-llvm", "-o", "-", "-")
		cmd.Stdin = strings.NewReader(text)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, said.String())
		}
		return string(out)
	}
	metal, err := hostrun.LLVM(context.Background(), u.Metal.Text)
	if err != nil {
		t.Fatal(err)
	}
	bare := strings.ReplaceAll(u.OpenCL.Text, "0.1875f", "0.1875")
	double := regexp.MustCompile(`\bdouble\b|\bfpext\b`)
	for what, c := range map[string]struct {
		text    string
		doubles bool
	}{"opencl": {compiled(u.OpenCL.Text), false}, "metal": {metal, false}, "opencl without a suffix": {compiled(bare), true}} {
		if double.MatchString(c.text) != c.doubles || !strings.Contains(c.text, "fmul") {
			t.Errorf("%s: doubles: %v in\n%s", what, !c.doubles, c.text)
		}
	}
	for version, ptx := range ptxOf(t, u.CUDA.Text) {
		if strings.Contains(ptx, ".f64") || !strings.Contains(ptx, "0f3DCCCCCD") { // 0.1
			t.Errorf("NVRTC %s:\n%s", version, ptx)
		}
	}
}

// TestB08NoFlush: a subnormal reaches every text by its bits, since a device may flush one that it reads in decimal, and
// nothing that NVRTC makes of the text flushes.
func TestB08NoFlush(t *testing.T) {
	u := compileText(t, `package p

const small = 0x1p-149

kernel S(a, b [n]float32, o mut [n, 3]float32) for i in n {
	o[i, 0] = a[i] * b[i]
	o[i, 1] = float32(1e-10) * float32(1e-30)
	o[i, 2] = a[i]/2 + max(b[i], small) - sqrt(a[i])
}
`)
	decimal := regexp.MustCompile(`[0-9.]e-(3[89]|4[0-9])`) // what is below the least normal number, 1.18e-38
	for what, text := range map[string]string{"CUDA": u.CUDA.Text, "Metal": u.Metal.Text, "OpenCL": u.OpenCL.Text, "Go": string(u.CPU)} {
		if what != "Go" && (decimal.MatchString(text) || !strings.Contains(text, "0x116c2u") || !strings.Contains(text, "(0x1u)")) {
			t.Errorf("%s has no bits for subnormals:\n%s", what, text)
		}
		if !regexp.MustCompile(`0x116c2|1e-40`).MatchString(text) {
			t.Errorf("%s lacks the folded product:\n%s", what, text)
		}
	}
	for _, options := range []string{opencl.Exact, opencl.Inexact} {
		if strings.Contains(options, "denorm") || strings.Contains(options, "fast") || strings.Contains(options, "unsafe") || strings.Contains(options, "finite") {
			t.Errorf("options of OpenCL: %s", options)
		}
	}
	for version, ptx := range ptxOf(t, u.CUDA.Text) {
		if strings.Contains(ptx, ".ftz") || !strings.Contains(ptx, "mul.f32") && !strings.Contains(ptx, "mul.rn.f32") {
			t.Errorf("NVRTC %s flushes:\n%s", version, ptx)
		}
	}
}

// ptxOf is what each NVRTC makes of CUDA C, by its version.
func ptxOf(t *testing.T, text string) map[string]string {
	t.Helper()
	chains, err := nvrtc.Toolchains()
	require.Tool(t, "nvrtc", err == nil, "run make setup")
	out := map[string]string{}
	for _, chain := range chains {
		r, err := nvrtc.Compile(context.Background(), nvrtc.Request{Name: "k.cu", Source: text, Arch: "sm_90", NVRTC: chain.Version})
		if err != nil {
			t.Fatal(err)
		}
		out[fmt.Sprint(chain.Version)] = string(r.Code)
	}
	return out
}

// guarded looks for the test of each function in clang's intermediate text.
func guarded(t *testing.T, what, text string) {
	t.Helper()
	guard := regexp.MustCompile(`icmp (ult|ugt) i32 %\w+, (10|9)\b`)
	functions := strings.Split(text, "\ndefine ")[1:]
	if len(functions) < 3 {
		t.Errorf("%s: only %d functions", what, len(functions))
	}
	for _, f := range functions {
		name, _, _ := strings.Cut(f, "(")
		f, _, _ = strings.Cut(f, "\n}")
		if strings.Contains(f, "llvm.assume") || !guard.MatchString(f) || !strings.Contains(f, "br i1") {
			t.Errorf("%s: the guard of %s is gone:\n%s", what, name, f)
		}
	}
}

// TestB24LargeBlocksFit compiles a kernel whose locals would take more registers than a block of 1,024 threads has: the
// bound in the text makes the compiler keep to its share, so that no launch is refused.
func TestB24LargeBlocksFit(t *testing.T) {
	const live = 120
	var src strings.Builder
	src.WriteString("package p\n\n@block(1024) @targets(cuda, cpu)\nkernel Heavy(x [n]float64, y mut [n]float64) for i in n {\n")
	for v := range live {
		fmt.Fprintf(&src, "\tv%d := x[(i+%d)%%n]\n", v, v)
	}
	src.WriteString("\ts := float64(0)\n")
	for v := range live {
		fmt.Fprintf(&src, "\ts = s*v%d + v%d\n", v, live-1-v)
	}
	src.WriteString("\ty[i] = s\n}\n")
	u := compileText(t, src.String())
	chains, err := nvrtc.Toolchains()
	require.Tool(t, "nvrtc", err == nil, "run make setup")
	free := strings.ReplaceAll(u.CUDA.Text, "__launch_bounds__(1024)", "")
	for _, chain := range chains {
		registers := func(text string) int {
			r, err := nvrtc.Compile(context.Background(), nvrtc.Request{Name: "k.cu", Source: text, Arch: "sm_90", NVRTC: chain.Version})
			if err != nil {
				t.Fatal(err)
			}
			return r.Resources["Heavy"].Registers
		}
		if got := registers(u.CUDA.Text); got == 0 || got > 65536/1024 {
			t.Errorf("NVRTC %s: %d registers a thread; a block of 1,024 has 64 each", chain.Version, got)
		}
		if got := registers(free); got <= 65536/1024 {
			t.Errorf("NVRTC %s: %d registers without the bound: the kernel shows nothing", chain.Version, got)
		}
	}
}

// TestExamplesAreCurrent compares the text that is committed beside the examples with what their sources give.
func TestExamplesAreCurrent(t *testing.T) {
	sources, err := filepath.Glob("examples/*/kernels/*.gpu")
	if err != nil || len(sources) < 4 {
		t.Fatal(sources, err)
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p, diags := gpugen.Compile(gpugen.Input{Sources: []gpugen.Source{{Name: filepath.Base(name), Text: text}}})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		u, dir := p.Units[0], filepath.Dir(name)
		manifest, err := os.ReadFile(filepath.Join(dir, gpugen.OutputFolder, u.Base+".json"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := gpugen.DecodeManifest(manifest)
		if err != nil {
			t.Fatal(err)
		}
		// Artifacts may have been made anywhere; all else follows from the source.
		if string(u.Manifest(m.Artifacts, m.Missing).Encode()) != string(manifest) || len(m.Missing) > 0 {
			t.Errorf("%s/%s/%s.json is not what %s gives: run gpugen generate ./examples/...", dir, gpugen.OutputFolder, u.Base, name)
		}
		for file, want := range map[string]string{
			gpugen.OutputFolder + "/" + u.Base + ".cu": u.CUDA.Text, gpugen.OutputFolder + "/" + u.Base + ".metal": u.Metal.Text,
			gpugen.OutputFolder + "/" + u.Base + ".cl": u.OpenCL.Text, u.Base + "_gpu_cpu.go": string(u.CPU),
		} {
			got, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil || string(got) != want {
				t.Errorf("%s/%s is not what %s gives (%v): run gpugen generate ./examples/...", dir, file, name, err)
			}
		}
	}
}
