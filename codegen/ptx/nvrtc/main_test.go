package nvrtc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gpugen/gpugen/internal/require"
)

// TestMain lets the test binary be its own worker, as cmd/gpugen is. In a worker a few names misbehave on purpose.
func TestMain(m *testing.M) {
	if os.Getenv(oneEnv) != "" {
		compileOne()
		return
	}
	runJob = func(j *job) (*Result, error) {
		switch j.Request.Name {
		case "crash.cu":
			fmt.Fprintln(os.Stderr, "about to die")
			self, err := os.FindProcess(os.Getpid())
			if err != nil {
				return nil, err
			}
			if err := self.Signal(syscall.SIGSEGV); err != nil {
				panic(err) // no such signal on this system: another way to die
			}
			time.Sleep(time.Minute)
		case "hang.cu":
			time.Sleep(time.Hour)
		case "chatter.cu":
			if _, err := os.NewFile(1, "stdout").WriteString("this is no frame, it is chatter"); err != nil {
				return nil, err
			}
		}
		return j.run()
	}
	WorkerMain()
	os.Exit(m.Run())
}

const (
	floor  = "sm_75"
	sample = `extern "C" __global__ void Saxpy(float a, const float* __restrict__ x, float* __restrict__ y, long long n) {
	long long i = (long long)blockIdx.x*blockDim.x + threadIdx.x;
	if (i < n) y[i] = __fmaf_rn(a, x[i], y[i]);
}
`
)

// need skips, or fails where nvrtc is demanded, unless every version is on the machine.
func need(t testing.TB, versions ...string) {
	t.Helper()
	list, err := Toolchains()
	require.Tool(t, "nvrtc", err == nil, "run make setup")
	for _, v := range versions {
		found := false
		for _, have := range list {
			found = found || have.Err == nil && have.Version == v
		}
		require.Tool(t, "nvrtc", found, "run make setup: it installs "+v)
	}
}

func compileText(t testing.TB, r Request) *Result {
	t.Helper()
	result, err := Compile(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

func compileError(t *testing.T, r Request) *CompileError {
	t.Helper()
	_, err := Compile(t.Context(), r)
	var e *CompileError
	if !errors.As(err, &e) {
		t.Fatalf("%s for %s: %v (%T), want a *CompileError", r.Name, r.Arch, err, err)
	}
	return e
}

func isELF(b []byte) bool { return bytes.HasPrefix(b, []byte("\x7fELF")) }
