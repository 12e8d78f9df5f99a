//go:build !gpuhost && linux && !android && (amd64 || arm64)

package cuda

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// These tests talk to testdata/fakecuda.c, built with the machine's C compiler. Real GPUs are tested in runtime/gpu.
func TestMain(m *testing.M) {
	if os.Getenv("GPUGEN_CUDA") != "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "fakecuda")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lib := filepath.Join(dir, "libfakecuda.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", lib, "testdata/fakecuda.c").CombinedOutput(); err == nil {
		os.Setenv("GPUGEN_CUDA", lib)
	} else {
		fmt.Fprintf(os.Stderr, "no C compiler for the stand-in library (install gcc): %v\n%s", err, out)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func open(t *testing.T) *device {
	t.Helper()
	require.Tool(t, "cc", os.Getenv("GPUGEN_CUDA") != "", "install gcc, which builds the stand-in library")
	d, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return d.(*device)
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestList(t *testing.T) {
	open(t)
	list, err := List()
	ok(t, err)
	if len(list) != 2 || list[0] != list[1] || list[0] != (driver.Info{Name: "Fake GPU", Arch: "sm_86", Driver: "CUDA 12.4", Memory: 1 << 34}) {
		t.Errorf("%+v", list)
	}
	for _, n := range []int{-1, 2, 99} {
		if _, err := Open(n); err == nil || !strings.Contains(err.Error(), "the driver shows 2") {
			t.Errorf("device %d: %v", n, err)
		}
	}
}

func TestMemory(t *testing.T) {
	d := open(t)
	free, total, err := d.Memory()
	ok(t, err)
	m, zero, err := d.Alloc(16)
	ok(t, err)
	if zero || m.Addr == 0 {
		t.Error("fresh device memory is not known to be zero")
	}
	if f, _, _ := d.Memory(); f != free-16 || total != 1<<34 {
		t.Errorf("%d of %d free", f, total)
	}
	var oom *driver.OutOfMemory
	if _, _, err := d.Alloc(1 << 40); !errors.As(err, &oom) || oom.Requested != 1<<40 || oom.Available != free-16 {
		t.Error(err)
	}
	s, err := d.NewStream()
	ok(t, err)
	ok(t, s.Zero(m, 0, 16))
	in := []byte{1, 2, 3, 4}
	ok(t, s.CopyIn(m, 4, unsafe.Pointer(&in[0]), 4))
	ok(t, s.Copy(m, 12, m, 4, 4))
	out := make([]byte, 16)
	ok(t, s.CopyOut(unsafe.Pointer(&out[0]), m, 0, 16))
	if fmt.Sprint(out) != "[0 0 0 0 1 2 3 4 0 0 0 0 1 2 3 4]" {
		t.Error(out)
	}
	var f *driver.Fault
	if err := s.Zero(m, 8, 16); !errors.As(err, &f) || f.Code != 1 || f.Op != "cuMemsetD8Async" || f.Sticky || f.Name == "" || f.Message == "" {
		t.Errorf("%#v", err)
	}
	ok(t, d.Free(m))
	if err := d.Free(m); err == nil {
		t.Error("freed twice")
	}
	o, err := d.NewStream()
	ok(t, err)
	ok(t, s.After(o))
	ok(t, s.After(o))
	ok(t, s.Sync())
	ok(t, s.Close())
	ok(t, o.Close())
	if err := s.Sync(); err == nil {
		t.Error("a destroyed stream was used")
	}
	ok(t, d.Close(false))
}

// artifactText is a fake cubin with an entry.
func artifactText(start, entry string) *string {
	s := start + "\n.target sm_75, texmode\n.visible .entry " + entry + "(\n"
	return &s
}

func TestLoadOrder(t *testing.T) {
	d := open(t) // sm_86
	good := func(entry string) *string { return artifactText("CUBIN", entry) }
	for _, c := range []struct {
		name  string
		code  driver.Code
		entry string
		tried []string // of the failure; nil loads
		from  string   // the artifact that served
	}{
		{"exact", driver.Code{PTX: artifactText(".version 7.8", "k"), Cubins: []driver.Cubin{{Arch: 80, Data: good("k")}, {Arch: 86, Data: good("k")}, {Arch: 90, Data: good("k")}}}, "k", nil, "cubin sm_86"},
		{"family", driver.Code{PTX: artifactText(".version 7.8", "k"), Cubins: []driver.Cubin{{Arch: 75, Data: good("k")}, {Arch: 80, Data: good("k")}, {Arch: 89, Data: good("k")}}}, "k", nil, "cubin sm_80"},
		{"PTX", driver.Code{PTX: artifactText(".version 7.8", "k"), Cubins: []driver.Cubin{{Arch: 75, Data: good("k")}, {Arch: 90, Data: good("k")}}}, "k", nil, "PTX 7.8 for sm_75"},
		{"a bad cubin", driver.Code{PTX: artifactText(".version 7.8", "k"), Cubins: []driver.Cubin{{Arch: 86, Data: artifactText("BAD", "k")}}}, "k", nil, "PTX 7.8 for sm_75"},
		{"an entry that is missing", driver.Code{PTX: artifactText(".version 7.8", "k"), Cubins: []driver.Cubin{{Arch: 86, Data: good("other")}}}, "k", nil, "PTX 7.8 for sm_75"},
		{"a variant", driver.Code{Cubins: []driver.Cubin{{Arch: 86, Data: good("k")}, {Arch: 86, Variant: "a", Data: good("k")}}}, "k", nil, "cubin sm_86a"},
		{"a variant of another", driver.Code{Cubins: []driver.Cubin{{Arch: 80, Variant: "f", Data: good("k")}, {Arch: 80, Variant: "a", Data: good("k")}}}, "k", nil, "cubin sm_80f"},
		{"nothing", driver.Code{}, "k", []string{}, ""},
		{"all bad", driver.Code{PTX: artifactText("no version", "k"), Cubins: []driver.Cubin{{Arch: 80, Data: artifactText("BAD", "k")}, {Arch: 86, Data: artifactText("BAD 86", "k")}}}, "k",
			[]string{"cubin sm_86", "cubin sm_80", "PTX ? for sm_75"}, ""},
		{"all bad, in files", driver.Code{Stem: "_gpu/x", PTX: artifactText("no version", "k"), Cubins: []driver.Cubin{{Arch: 80, Variant: "a", Data: artifactText("BAD", "k")}, {Arch: 86, Variant: "a", Data: artifactText("BAD 86", "k")}}}, "k",
			[]string{"_gpu/x.sm_86a.cubin (cubin sm_86a)", "_gpu/x.ptx (PTX ? for sm_75)"}, ""},
	} {
		f, err := d.Load(&driver.Kernel{Name: "K", Entry: c.entry, Code: &c.code})
		if c.tried == nil {
			ok(t, err)
			if f.MaxThreads() != 1024 {
				t.Errorf("%s: at most %d threads", c.name, f.MaxThreads())
			}
			for _, a := range artifacts(&c.code, 86) {
				if m := d.modules[a]; m != nil && m.err == nil && strings.Contains(*a.data, ".entry k(") && a.label(&c.code) != c.from {
					t.Errorf("%s: loaded %s, want %s", c.name, a.label(&c.code), c.from)
				}
			}
			continue
		}
		var e *driver.LoadFailure
		if !errors.As(err, &e) || e.Arch != "sm_86" || e.Driver != "CUDA 12.4" || len(e.Tried) != len(c.tried) {
			t.Errorf("%s: %#v", c.name, err)
			continue
		}
		for i, want := range c.tried {
			if e.Tried[i].Artifact != want || e.Tried[i].Err == nil {
				t.Errorf("%s: tried %+v", c.name, e.Tried)
			}
		}
		if n := len(e.Tried); n > 0 && !strings.Contains(e.Tried[n-1].Err.Error(), "ptxas: syntax error") {
			t.Errorf("%s: the compiler's log is lost: %v", c.name, e.Tried[n-1].Err)
		}
	}
	_, err := d.Load(&driver.Kernel{Entry: "k", Code: &driver.Code{Stem: "_gpu/x", PTX: artifactText(".version 99.0", "k")}})
	var e *driver.LoadFailure
	if !errors.As(err, &e) || !errors.Is(e.Tried[0].Err, driver.ErrPTXTooNew) || e.Tried[0].Artifact != "_gpu/x.ptx (PTX 99.0 for sm_75)" || !strings.Contains(e.Tried[0].Err.Error(), "99.0") || !strings.Contains(e.Tried[0].Err.Error(), "CUDA 12.4") {
		t.Errorf("%#v", err)
	}
	ok(t, d.Close(false))
}

// A call makes its device's context current and gives the thread back the one that it had: another GPU's, or another
// library's (B27).
func TestB27ThreadKeepsItsContext(t *testing.T) {
	d := open(t)
	o, err := Open(1)
	ok(t, err)
	other := o.(*device)
	if d.current == other.current {
		t.Fatal("two GPUs with one context")
	}
	current := func() uintptr {
		p := new(uintptr)
		purego.SyscallN(d.cuCtxGetCurrent, uintptr(unsafe.Pointer(p)))
		return *p
	}
	s, err := d.NewStream()
	ok(t, err)
	f, err := d.Load(&driver.Kernel{Entry: "Poke_not", Code: &driver.Code{PTX: artifactText(".version 7.8", "Poke_not")}})
	ok(t, err)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for name, call := range map[string]func() error{
		"Memory": func() error { _, _, err := d.Memory(); return err },
		"Sync":   s.Sync,
		"Launch": func() error {
			return s.Launch(f, &driver.Grid{Blocks: [3]uint32{1, 1, 1}, Threads: [3]uint32{1, 1, 1}}, driver.NewArgs())
		},
		"a call that fails": func() error {
			if d.Free(driver.Mem{Addr: 1}) == nil {
				return errors.New("memory that is none was freed")
			}
			return nil
		},
	} {
		for _, before := range []uintptr{other.current[0], d.current[0]} {
			purego.SyscallN(d.cuCtxSetCurrent, before)
			ok(t, call())
			if got := current(); got != before {
				t.Errorf("%s leaves context %#x on the thread, which had %#x", name, got, before)
			}
		}
	}
	purego.SyscallN(d.cuCtxSetCurrent, 0)
	ok(t, s.Close())
	ok(t, other.Close(false))
	ok(t, d.Close(false))
}
