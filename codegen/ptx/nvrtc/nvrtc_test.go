package nvrtc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/internal/nvrtc"
)

// TestFloor: the floor is made by the old NVRTC, so that it loads on drivers from 520 on, and the report comes with it.
func TestFloor(t *testing.T) {
	need(t, "11.8", "13.0")
	for _, spelling := range []string{"sm_75", "compute_75"} {
		r := compileText(t, Request{Name: "saxpy.cu", Source: sample, Arch: spelling})
		m := r.Meta
		if m.NVRTC != "11.8" || m.PTXVersion != "7.8" || m.Target != floor || m.CUDA != "11.8" || m.MinDriver.Linux != "520.61.05" {
			t.Errorf("%s: %+v", spelling, m)
		}
		contains(t, string(r.Code), ".version 7.8", ".target sm_75", ".entry Saxpy(", "fma.rn.f32")
		contains(t, strings.Join(m.Options, " "), "--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true", "-arch=sm_75")
		if got := r.Resources["Saxpy"]; got.Registers < 4 || got.Registers > 32 || got.SharedBytes != 0 || got.ConstBytes < 32 {
			t.Errorf("resources %+v", r.Resources)
		}
		if len(r.Warnings) != 0 {
			t.Errorf("warnings %v", r.Warnings)
		}
	}
}

// TestNoVendorFusing: a*b+c stays two operations, division and square root are exact, subnormals stay.
func TestNoVendorFusing(t *testing.T) {
	need(t, "11.8", "13.0")
	source := `extern "C" __global__ void F(float *x) { x[0] = x[1]*x[2] + x[3]; x[4] = x[5]/x[6]; x[7] = sqrtf(x[8]); }`
	for _, version := range []string{"11.8", "13.0"} {
		ptx := string(compileText(t, Request{Name: "f.cu", Source: source, Arch: floor, NVRTC: version}).Code)
		contains(t, ptx, "div.rn.f32", "sqrt.rn.f32", "mul.", "add.")
		for _, wrong := range []string{"fma.rn.f32", ".ftz", ".approx"} {
			if strings.Contains(ptx, wrong) {
				t.Errorf("NVRTC %s: %s in\n%s", version, wrong, ptx)
			}
		}
	}
}

// TestOldestThatKnows: a cubin comes from the oldest NVRTC that knows its architecture.
func TestOldestThatKnows(t *testing.T) {
	need(t, "11.8", "13.0")
	for _, c := range []struct {
		arch, version string
		kind          Kind
	}{
		{"sm_75", "11.8", Cubin},
		{"sm_90", "11.8", Cubin},
		{"sm_90a", "13.0", Cubin}, // 11.8 knows 90 and not its variant
		{"sm_100", "13.0", Cubin},
		{"sm_100f", "13.0", Cubin},
		{"sm_120", "13.0", Cubin},
		{"compute_80", "11.8", PTX},
		{"compute_120", "13.0", PTX},
	} {
		r := compileText(t, Request{Name: "saxpy.cu", Source: sample, Arch: c.arch, Kind: c.kind})
		if r.Meta.NVRTC != c.version || isELF(r.Code) != (c.kind == Cubin) || r.Resources["Saxpy"].Registers == 0 {
			t.Errorf("%s %s: NVRTC %s, want %s; ELF %v; %v", c.kind, c.arch, r.Meta.NVRTC, c.version, isELF(r.Code), r.Resources)
		}
		if c.version == "13.0" && r.Meta.MinDriver.Linux != "580.65.06" {
			t.Errorf("%s: driver %+v", c.arch, r.Meta.MinDriver)
		}
	}
	if r := compileText(t, Request{Name: "saxpy.cu", Source: sample, Arch: floor, NVRTC: "13.0"}); r.Meta.PTXVersion != "9.0" {
		t.Errorf("the version demanded was 13.0: %+v", r.Meta)
	}
}

// TestB30UnknownArch: the error names the option, its value, every version and what it supports.
func TestB30UnknownArch(t *testing.T) {
	need(t, "11.8", "13.0")
	_, err := Compile(t.Context(), Request{Name: "k.cu", Source: sample, Arch: "sm_999", Kind: Cubin})
	var e *ArchError
	if !errors.As(err, &e) || !Missing(err) {
		t.Fatalf("%v", err)
	}
	contains(t, err.Error(), "sm_999", "-arch", "11.8", "13.0", "sm_75", "sm_90", "sm_120", nvrtc.Env)

	_, err = Compile(t.Context(), Request{Name: "k.cu", Source: sample, Arch: "sm_100", NVRTC: "11.8"})
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	contains(t, err.Error(), "sm_100", "is version 11.8")

	for _, bad := range []string{"", "sm_", "sm_x", "75", "sm_7 5", "sm_-80", "sm_+80", "sm_80aa", "compute75"} {
		if _, err := Compile(t.Context(), Request{Name: "k.cu", Source: sample, Arch: bad}); err == nil || Missing(err) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := Compile(t.Context(), Request{Name: "k.cu", Source: sample, Arch: "compute_75", Kind: Cubin}); err == nil {
		t.Error("a cubin for compute_75")
	}
}

// TestB29Missing: no library where the user says.
func TestB29Missing(t *testing.T) {
	t.Setenv(nvrtc.Env, filepath.Join(t.TempDir(), "absent"))
	_, err := Compile(t.Context(), Request{Name: "k.cu", Source: sample, Arch: floor})
	if err == nil || !Missing(err) {
		t.Fatalf("%v", err)
	}
	contains(t, err.Error(), nvrtc.Env, "absent")
	_, err = CompileAll(t.Context(), []Request{{Name: "a.cu", Arch: floor}, {Name: "b.cu", Arch: floor}}, nil)
	if err == nil || !Missing(err) || strings.Count(err.Error(), "was not found") != 1 {
		t.Errorf("many: %v", err)
	}
	if Missing(errors.New("other")) || Missing(nil) {
		t.Error("Missing says yes to anything")
	}

	// A library that is there and is none.
	bad := filepath.Join(t.TempDir(), "libnvrtc.so.12")
	if err := os.WriteFile(bad, []byte("no ELF"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(nvrtc.Env, bad)
	_, err = Compile(t.Context(), Request{Name: "k.cu", Source: sample, Arch: floor})
	if err == nil || !Missing(err) {
		t.Fatalf("%v", err)
	}
	contains(t, err.Error(), bad, "set "+nvrtc.Env, "pip install")
	_, err = CompileAll(t.Context(), []Request{{Name: "a.cu", Arch: floor}, {Name: "b.cu", Arch: "sm_90"}}, nil)
	if err == nil || !Missing(err) || strings.Count(err.Error(), "cannot be used") != 1 {
		t.Errorf("many: %v", err)
	}
	list, err := Toolchains()
	if err != nil || len(list) != 1 || list[0].Err == nil {
		t.Errorf("Toolchains: %+v %v", list, err)
	}
}

// TestErrorsAreLocated: messages of both versions, mapped to the .gpu file with the generated line underneath.
func TestErrorsAreLocated(t *testing.T) {
	need(t, "11.8", "13.0")
	source := "// generated\nextern \"C\" __global__ void F(float *x) {\n\tint unused;\n\tx[0] = missing;\n\tx[1] =\n\t\twrong(x[2]);\n}\n"
	lines := make([]diag.Pos, 7)
	lines[1] = diag.Pos{File: "f.gpu", Line: 3, Col: 1}
	lines[3] = diag.Pos{File: "f.gpu", Line: 4, Col: 9}
	lines[4] = diag.Pos{File: "f.gpu", Line: 5, Col: 2}
	for _, version := range []string{"11.8", "13.0"} {
		e := compileError(t, Request{Name: "f.cu", Source: source, Arch: floor, NVRTC: version, Lines: lines})
		want := []Item{
			{4, lines[3], `identifier "missing" is undefined`},
			{6, lines[4], `identifier "wrong" is undefined`},
		}
		if !reflect.DeepEqual(e.Items, want) {
			t.Errorf("NVRTC %s: %+v\n%s", version, e.Items, e.Log)
		}
		text := "f.gpu:4:9: error: identifier \"missing\" is undefined\n\tf.cu:4: x[0] = missing;\n" +
			"f.gpu:5:2: error: identifier \"wrong\" is undefined\n\tf.cu:6: wrong(x[2]);\n\t(NVRTC " + version + ", sm_75)"
		if e.Error() != text {
			t.Errorf("message\n%s\nwant\n%s", e.Error(), text)
		}
		e = compileError(t, Request{Name: "f.cu", Source: source, Arch: floor, NVRTC: version})
		contains(t, e.Error(), "f.cu:4: error: identifier")
	}
}

// TestPtxasErrors: what only ptxas finds is an error here, not when somebody loads the PTX.
func TestPtxasErrors(t *testing.T) {
	need(t, "11.8", "13.0")
	for _, version := range []string{"11.8", "13.0"} {
		shared := compileError(t, Request{Name: "s.cu", Arch: floor, NVRTC: version,
			Source: `extern "C" __global__ void Big(float *x) { __shared__ float t[20000]; t[threadIdx.x] = x[0]; __syncthreads(); x[1] = t[7]; }`})
		contains(t, shared.Error(), "s.cu: error: ", "`Big`", "80000 bytes", "49152")
		assembly := compileError(t, Request{Name: "a.cu", Arch: floor, NVRTC: version,
			Source: `extern "C" __global__ void Asm(int *x) { asm("bogus.s32 %0, %0;" : "+r"(x[0])); }`})
		if len(assembly.Items) != 1 {
			t.Errorf("%+v", assembly.Items)
		}
		contains(t, assembly.Error(), "bogus")
		option := compileError(t, Request{Name: "o.cu", Source: sample, Arch: floor, NVRTC: version, Options: []string{"--no-such-option"}})
		contains(t, option.Error(), "--no-such-option", "-arch=sm_75")
	}
	// min.NaN exists from sm_80 on: a bare compute_75 would let it through and fail when it is loaded.
	minNaN := compileError(t, Request{Name: "m.cu", Arch: floor,
		Source: `extern "C" __global__ void M(float *x) { asm("min.NaN.f32 %0, %0, %1;" : "+f"(x[0]) : "f"(x[1])); }`})
	contains(t, minNaN.Error(), "sm_80")
}

func TestWarnings(t *testing.T) {
	need(t, "11.8", "13.0")
	for _, version := range []string{"11.8", "13.0"} {
		r := compileText(t, Request{Name: "w.cu", Source: "extern \"C\" __global__ void W() {\n\tint unused;\n}\n", Arch: floor, NVRTC: version})
		if len(r.Warnings) != 1 || r.Warnings[0].GenLine != 2 || !strings.Contains(r.Warnings[0].Msg, "unused") {
			t.Errorf("NVRTC %s: %+v", version, r.Warnings)
		}
	}
}

// TestB34Deterministic: the same bytes every time, for both versions and kinds.
func TestB34Deterministic(t *testing.T) {
	need(t, "11.8", "13.0")
	for _, version := range []string{"11.8", "13.0"} {
		for _, kind := range []Kind{PTX, Cubin} {
			r := Request{Name: "saxpy.cu", Source: sample, Arch: floor, Kind: kind, NVRTC: version}
			if a, b := compileText(t, r), compileText(t, r); !bytes.Equal(a.Code, b.Code) || !reflect.DeepEqual(a.Resources, b.Resources) {
				t.Errorf("%s by %s differs from run to run", kind, version)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	need(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compile(ctx, Request{Name: "c.cu", Source: sample, Arch: floor}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestMetaDrivers: every CUDA version of the table has a driver, and versions only rise.
func TestMetaDrivers(t *testing.T) {
	last, lastDriver := 0.0, 0.0
	for _, r := range releases {
		var cuda, driver float64
		if _, err := fmt.Sscanf(r.cuda, "%f", &cuda); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscanf(r.driver.Linux, "%f", &driver); err != nil {
			t.Fatal(err)
		}
		if cuda <= last || driver <= lastDriver {
			t.Errorf("CUDA %s, driver %s: not rising", r.cuda, r.driver.Linux)
		}
		last, lastDriver = cuda, driver
	}
	if v, ok := cudaOf("8.5"); !ok || v != "12.5" {
		t.Errorf("PTX 8.5: CUDA %s, want the first that knows it", v)
	}
	if _, ok := cudaOf("99.0"); ok || driverOf("99.0") != (Driver{}) {
		t.Error("an unknown version is known")
	}
}
