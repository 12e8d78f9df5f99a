//go:build linux

package nvrtc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpugen/gpugen/internal/require"
)

const kernel = `extern "C" __global__ void Scale(float *x) { x[threadIdx.x] *= 2.0f; }`

// each runs a test on every NVRTC of the machine.
func each(t *testing.T, f func(t *testing.T, l *Library)) {
	found, err := Find()
	require.Tool(t, "nvrtc", err == nil, "run make setup")
	for _, c := range found {
		t.Run(fmt.Sprintf("%s/%s", c.Place, c.Version), func(t *testing.T) {
			l, err := Open(c.Path)
			if old := (*TooOldError)(nil); errors.As(err, &old) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.Version != (Version{}) && c.Version != l.Version() {
				t.Errorf("Find says %s, the library says %s", c.Version, l.Version())
			}
			f(t, l)
		})
	}
}

func compileText(t *testing.T, l *Library, source string, options ...string) (*Program, error) {
	t.Helper()
	p, err := l.NewProgram("scale.cu", source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Destroy)
	return p, p.Compile(options)
}

func TestCompile(t *testing.T) {
	each(t, func(t *testing.T, l *Library) {
		if !slices.Contains(l.SupportedArchs(), 80) || !slices.IsSorted(l.SupportedArchs()) || l.NumSupportedArchs() < 5 {
			t.Errorf("architectures %v", l.SupportedArchs())
		}
		p, err := compileText(t, l, kernel, "-arch=sm_80", "--ptxas-options=-v")
		if err != nil {
			t.Fatal(err)
		}
		ptx, err := p.PTX()
		if err != nil || !bytes.Contains(ptx, []byte(".entry Scale(")) || ptx[len(ptx)-1] == 0 {
			t.Errorf("PTX (%v):\n%s", err, ptx)
		}
		cubin, err := p.Cubin()
		if err != nil || !bytes.HasPrefix(cubin, []byte("\x7fELF")) {
			t.Errorf("cubin of %d bytes (%v)", len(cubin), err)
		}
		if log, err := p.Log(); err != nil || !strings.Contains(log, "registers") {
			t.Errorf("log %q (%v)", log, err)
		}
		p.Destroy()
		p.Destroy()
	})
}

func TestCompileErrors(t *testing.T) {
	each(t, func(t *testing.T, l *Library) {
		for _, c := range []struct {
			source string
			option string
			code   int
			log    string
		}{
			{"__global__ void f() { nothing; }", "-arch=sm_80", CodeCompilation, `scale.cu(1): error: identifier "nothing" is undefined`},
			{kernel, "-arch=sm_999", CodeInvalidOption, "-arch"},
		} {
			p, err := compileText(t, l, c.source, c.option)
			var call *CallError
			if !errors.As(err, &call) || call.Code != c.code || call.Version != l.Version() || call.Program != "scale.cu" {
				t.Errorf("%#v", err)
			}
			if log, err := p.Log(); err != nil || !strings.Contains(log, c.log) {
				t.Errorf("log %q (%v), want %q", log, err, c.log)
			}
		}
		if _, err := l.NewProgram("a.cu", "x\x00y"); err == nil {
			t.Error("a NUL byte in the source is accepted: C would cut the text there")
		}
	})
}

// TestConcurrent: any goroutine, many programs, one answer.
func TestConcurrent(t *testing.T) {
	each(t, func(t *testing.T, l *Library) {
		var group sync.WaitGroup
		results := make([][]byte, 8)
		for i := range results {
			group.Go(func() {
				p, err := l.NewProgram("scale.cu", kernel)
				if err != nil {
					t.Error(err)
					return
				}
				defer p.Destroy()
				if err := p.Compile([]string{"-arch=sm_80"}); err != nil {
					t.Error(err)
					return
				}
				if results[i], err = p.PTX(); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		for _, r := range results[1:] {
			if !bytes.Equal(r, results[0]) {
				t.Error("two compilations of one text differ")
			}
		}
	})
}

// TestB29HalfInstalled: a library without its builtins is an error that names the missing file. It needs a process of
// its own: once any test has loaded the builtins, the loader would find them.
func TestB29HalfInstalled(t *testing.T) {
	if path := os.Getenv("GPUGEN_TEST_HALF"); path != "" {
		_, err := Open(path)
		var half *CompanionError
		if !errors.As(err, &half) || !strings.Contains(err.Error(), half.Companion) || !strings.Contains(half.Companion, half.Version.String()) {
			t.Fatalf("%#v", err)
		}
		return
	}
	found, err := Find()
	require.Tool(t, "nvrtc", err == nil, "run make setup")
	dir := t.TempDir()
	library, err := os.ReadFile(found[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, filepath.Base(found[0].Path))
	if err := os.WriteFile(path, library, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestB29HalfInstalled$")
	cmd.Env = append(os.Environ(), "GPUGEN_TEST_HALF="+path, "LD_LIBRARY_PATH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestOpenRefuses: files that are no NVRTC, an incomplete one, one that is too old. The fakes are real shared libraries.
func TestOpenRefuses(t *testing.T) {
	cc, err := exec.LookPath("clang-19")
	require.Tool(t, "clang", err == nil, "run make setup")
	dir := t.TempDir()
	fake := func(name, source string) string {
		c, so := filepath.Join(dir, name+".c"), filepath.Join(dir, "lib"+name+".so")
		write(t, c, source)
		if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", so, c).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return so
	}
	version := "int nvrtcVersion(int *major, int *minor) { *major = %d; *minor = %d; return 0; }\n"

	_, err = Open(filepath.Join(dir, "absent.so"))
	if e := (*LoadError)(nil); !errors.As(err, &e) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	write(t, filepath.Join(dir, "text.so"), "not a library")
	_, err = Open(filepath.Join(dir, "text.so"))
	if e := (*LoadError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), "text.so") {
		t.Errorf("text file: %v", err)
	}
	_, err = Open(fake("other", "int other;"))
	if e := (*SymbolError)(nil); !errors.As(err, &e) || e.Symbol != "nvrtcVersion" || !strings.Contains(err.Error(), "libother.so") {
		t.Errorf("another library: %v", err)
	}
	_, err = Open(fake("half", fmt.Sprintf(version, 12, 3)+"int nvrtcGetErrorString, nvrtcCreateProgram;"))
	if e := (*SymbolError)(nil); !errors.As(err, &e) || e.Symbol != "nvrtcDestroyProgram" || !strings.Contains(err.Error(), "12.3") {
		t.Errorf("incomplete: %v", err)
	}
	_, err = Open(fake("old", fmt.Sprintf(version, 10, 2)))
	if e := (*TooOldError)(nil); !errors.As(err, &e) || e.Version != (Version{10, 2}) {
		t.Errorf("too old: %v", err)
	}
}
