package gpugen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/internal/require"
)

// checks are the arguments with which each example compares itself with plain Go at a small size.
var checks = map[string][]string{
	"saxpy": {"-size", "100003"}, "image": {"-size", "103", "-o", "image.png"}, "mandelbrot": {"-size", "103", "-o", "mandelbrot.png"},
	"heat": {"-size", "103", "-frames", "5", "-o", "heat.gif"}, "matmul": {"-size", "103"}, "reduce": {"-size", "100003"},
	"softmax": {"-rows", "7", "-size", "1003"}, "layernorm": {"-rows", "7", "-size", "1003"},
	"transpose": {"-size", "203"}, "nbody": {"-size", "500", "-o", "nbody.gif"}, "life": {"-size", "103", "-o", "life.gif"},
	"histogram": {"-size", "100003"}, "scan": {"-size", "100003"},
	"blackscholes": {"-size", "100003"}, "sort": {"-size", "20001"}, "sgemm16": {"-size", "103", "-out", "float16"},
	"montecarlo": {"-size", "100003"},
}

// TestChecksOfExamples runs every example on the CPU target, and on an OpenCL device if there is one.
func TestChecksOfExamples(t *testing.T) {
	programs, err := filepath.Glob("examples/*/main.go")
	if err != nil || len(programs) < len(checks) {
		t.Fatal(programs, err)
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "./examples/...").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	devices := []string{"cpu"}
	if _, err := clrun.Open(); err == nil {
		devices = append(devices, "opencl")
	}
	for _, program := range programs {
		name := filepath.Base(filepath.Dir(program))
		args, ok := checks[name]
		if !ok {
			t.Errorf("%s has no arguments here", program)
			continue
		}
		for _, device := range devices {
			cmd := exec.Command(filepath.Join(bin, name), append(args, "-check")...)
			cmd.Dir = bin
			cmd.Env = append(os.Environ(), "GPUGEN_DEVICE="+device)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s on %s: %v\n%s", name, device, err, out)
			}
		}
	}
	require.Tool(t, "opencl", len(devices) > 1, clrun.Remedy)
}
