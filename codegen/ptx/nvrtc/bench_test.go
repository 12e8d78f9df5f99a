package nvrtc

import (
	"context"
	"fmt"
	"github.com/gpugen/gpugen/internal/require"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// oneEnv makes the test binary compile one file and leave: what a command does, from the start of the process on.
const oneEnv = "GPUGEN_TEST_ONE"

// compileOne is main under oneEnv: ARGS are SOURCE OUTPUT.
func compileOne() {
	source, err := os.ReadFile(os.Args[1])
	if err == nil {
		var r *Result
		if r, err = Compile(context.Background(), Request{Name: "k.cu", Source: string(source), Arch: floor}); err == nil {
			err = os.WriteFile(os.Args[2], r.Code, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// BenchmarkProcess compares whole processes that load NVRTC, compile one kernel and write its PTX: one in C
// (testdata/compile.c), one in Go. The bar for the command is 1.5.
func BenchmarkProcess(b *testing.B) {
	need(b, "11.8")
	cc, err := exec.LookPath("cc")
	require.Tool(b, "cc", err == nil, "install gcc, which builds the yardstick")
	dir := b.TempDir()
	yardstick, source := filepath.Join(dir, "compile"), filepath.Join(dir, "k.cu")
	if out, err := exec.Command(cc, "-O2", "-o", yardstick, filepath.Join("testdata", "compile.c"), "-ldl").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(source, []byte(sample), 0o644); err != nil {
		b.Fatal(err)
	}
	a, err := parseArch(floor, PTX)
	if err != nil {
		b.Fatal(err)
	}
	t, err := choose(a, "")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		argv []string
		env  string
	}{
		{"c", []string{yardstick, t.Path, source, filepath.Join(dir, "c.ptx"), floor}, ""},
		{"go", []string{os.Args[0], source, filepath.Join(dir, "go.ptx")}, oneEnv + "=1"},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(c.argv[0], c.argv[1:]...)
				cmd.Env = append(os.Environ(), c.env)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			}
		})
	}
	want, err := os.ReadFile(filepath.Join(dir, "c.ptx"))
	if err != nil {
		b.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "go.ptx")); err != nil || string(got) != string(want) {
		b.Errorf("the two wrote different PTX (%v)", err)
	}
}

// BenchmarkHundred compiles 100 kernels in worker processes and in this process alone.
func BenchmarkHundred(b *testing.B) {
	need(b, "11.8")
	for _, workers := range []bool{true, false} {
		b.Run(fmt.Sprintf("workers=%v", workers), func(b *testing.B) {
			hooked.Store(workers)
			defer hooked.Store(true)
			for b.Loop() {
				if _, err := CompileAll(b.Context(), many(100), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
