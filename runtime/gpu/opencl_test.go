package gpu_test

import (
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// The tests that begin with TestOpenCL need an OpenCL device, such as PoCL, which is the CPU. They are skipped without
// one and fail without one under GPUGEN_REQUIRE=opencl.

//go:embed testdata/kernels.cl
var kernelsCL string

var clCode = gpu.Code{OpenCL: &kernelsCL}

func opencl(t testing.TB) (*gpu.Device, *gpu.Stream) {
	t.Helper()
	d, err := gpu.Open(gpu.OpenCL(0))
	if errors.Is(err, gpu.ErrNoDevice) {
		require.Tool(t, "opencl", false, "run make setup, which installs PoCL: "+err.Error())
	}
	ok(t, err)
	t.Cleanup(func() { ok(t, d.Close()) })
	return d, d.DefaultStream()
}

func clKernel(name, entry string, block uint32, dims int) *gpu.Kernel {
	return &gpu.Kernel{Name: name, Entry: entry, Code: &clCode, Block: [3]uint32{block, 1, 1}, Per: 1, Dims: dims, Targets: gpu.TargetOpenCL}
}

var (
	clSaxpyKernel = gpu.Kernel{Name: "Saxpy", Entry: "Saxpy_float32", Code: &clCode, Block: [3]uint32{256, 1, 1}, Per: 4, Dims: 1, Targets: gpu.TargetOpenCL}
	clSlowKernel  = clKernel("Slow", "Slow", 1, 1)
)

// clSaxpy is y = a*x + y.
func clSaxpy(s *gpu.Stream, a float32, x, y gpu.Buffer[float32]) error {
	l := clSaxpyKernel.Begin(s)
	gpu.Value(l, a)
	l.Read("x", x.View())
	l.Write("y", y.View())
	l.Extent(x.Len())
	l.Equal("y", 0, y.Len(), x.Len())
	return l.Points(gpu.Span{Hi: x.Len()})
}

func TestOpenCLSaxpy(t *testing.T) {
	d, s := opencl(t)
	t.Logf("%v, %s, %s", d, d.Arch(), d.Driver())
	if d.Kind() != gpu.KindOpenCL || !strings.HasPrefix(d.Arch(), "OpenCL ") || d.Driver() == "" || !strings.HasPrefix(d.String(), "opencl:0 (") {
		t.Errorf("%v %q %q %v", d.Kind(), d.Arch(), d.Driver(), d)
	}
	for _, n := range []int{0, 1, 255, 256, 1000, 1024, 1025, 100000} {
		x, y := make([]float32, n), make([]float32, n+64)
		for i := range y {
			y[i] = 3
		}
		for i := range x {
			x[i] = float32(i % 1000)
		}
		dx, dy := upload(t, s, x...), upload(t, s, y...)
		ok(t, clSaxpy(s, 2, dx, dy.Slice(7, 7+n))) // a view that begins at no multiple of anything
		for i, v := range download(t, s, dy) {
			want := float32(3)
			if 7 <= i && i < 7+n {
				want = 2*x[i-7] + 3
			}
			if v != want {
				t.Fatalf("n = %d: element %d is %v, want %v", n, i, v, want)
			}
		}
		ok(t, dx.Free())
		ok(t, dy.Free())
	}
}

func TestOpenCLAlloc(t *testing.T) {
	d, s := opencl(t)
	free, total, err := d.Memory()
	ok(t, err)
	if free <= 0 || free > total {
		t.Errorf("%d of %d bytes are free", free, total)
	}
	junk := upload(t, s, make([]uint8, 1<<20)...)
	for i := range 20 {
		b, err := gpu.Alloc[uint8](s, 1000+i)
		ok(t, err)
		for _, v := range download(t, s, b) {
			if v != 0 {
				t.Fatal("fresh memory is not zero")
			}
		}
		full := make([]uint8, b.Len())
		for j := range full {
			full[j] = 9
		}
		ok(t, b.Upload(s, full))
		ok(t, b.Slice(i, 990).Zero(s))
		for j, v := range download(t, s, b) {
			if (v == 0) != (i <= j && j < 990) {
				t.Fatalf("element %d is %d after zeroing %d to 990", j, v, i)
			}
		}
		ok(t, gpu.Copy(s, junk.Slice(i, i+b.Len()), b))
		equal(t, download(t, s, junk.Slice(i+990, i+991)), 9)
		ok(t, b.Free())
	}
	_, err = gpu.Alloc[uint8](s, int(total)*2)
	want(t, err, func(e *gpu.AllocError) bool { return e.Requested == 2*total && e.Available > 0 && e.Available <= total })
	ok(t, junk.Free())
	if after, _, err := d.Memory(); err != nil || after != free {
		t.Errorf("%d bytes are free at the end, %d were at the start (%v)", after, free, err)
	}
}

// TestOpenCLLargeCopies are larger than what is staged.
func TestOpenCLLargeCopies(t *testing.T) {
	_, s := opencl(t)
	for _, n := range []int{64<<10 - 1, 64 << 10, 64<<10 + 1, 5 << 20} {
		host := make([]uint8, n)
		for i := range host {
			host[i] = uint8(i * 7)
		}
		b := upload(t, s, host...)
		clear(host)
		for i, v := range download(t, s, b) {
			if v != uint8(i*7) {
				t.Fatalf("%d bytes: byte %d is %d", n, i, v)
			}
		}
		ok(t, b.Free())
	}
}

func TestOpenCLMixedArguments(t *testing.T) {
	_, s := opencl(t)
	out, err := gpu.Alloc[float32](s, 9)
	ok(t, err)
	l := clKernel("Mixed", "Mixed", 1, 1).Begin(s)
	gpu.Value(l, int8(1))
	gpu.Value(l, float32(2.5))
	gpu.Value(l, int8(-3))
	gpu.Value(l, uint16(40000))
	gpu.Value(l, true)
	l.Write("out", out.Slice(3, 9).View())
	l.Extent(6)
	ok(t, l.Points(gpu.Span{Hi: 1}))
	equal(t, download(t, s, out), 0, 0, 0, 1, 2.5, -3, 40000, 1, 3)
	ok(t, out.Free())
}

// TestOpenCLEmptyView passes a view of no memory beside one with some.
func TestOpenCLEmptyView(t *testing.T) {
	_, s := opencl(t)
	none, err := gpu.Alloc[float32](s, 0)
	ok(t, err)
	x := upload[int32](t, s, 1, 2, 3)
	l := clKernel("Touch", "Touch", 256, 1).Begin(s)
	l.Read("none", none.View())
	l.Write("x", x.View())
	l.Extent(0)
	l.Extent(3)
	ok(t, l.Points(gpu.Span{Hi: 3}))
	equal(t, download(t, s, x), 7, 7, 7)
	ok(t, x.Free())
	ok(t, none.Free())
}

func TestOpenCLFoldedRows(t *testing.T) {
	_, s := opencl(t)
	for _, h := range []int{65535, 65536} {
		x, err := gpu.Alloc2[uint8](s, h, 3)
		ok(t, err)
		l := clKernel("Rows", "Rows", 32, 2).Begin(s)
		l.Write("x", x.View())
		l.Extent(h)
		l.Extent(3)
		ok(t, l.Points(gpu.Span{Hi: h}, gpu.Span{Hi: 3}))
		for i, v := range download(t, s, x.Flat()) {
			if v != 1 {
				t.Fatalf("h = %d: row %d was visited %d times", h, i/3, v)
			}
		}
		ok(t, x.Free())
	}
}

// TestOpenCLBlockOfOneRow launches a kernel whose text demands the threads of its block in one row, as those of subgroups do.
func TestOpenCLBlockOfOneRow(t *testing.T) {
	_, s := opencl(t)
	row := gpu.Kernel{Name: "Row", Entry: "Row", Code: &clCode, Block: [3]uint32{16, 4, 1}, Group: true, Per: 1, Dims: 2, Targets: gpu.TargetOpenCL}
	x := upload(t, s, make([]int32, 6*64+1)...)
	l := row.Begin(s)
	l.Write("x", x.View())
	l.Extent(x.Len())
	ok(t, l.Points(gpu.Span{Hi: 2}, gpu.Span{Hi: 3}))
	for i, v := range download(t, s, x) {
		want := int32(64000 + i%64)
		if i == 6*64 {
			want = 0
		}
		if v != want {
			t.Fatalf("element %d is %d, want %d", i, v, want)
		}
	}
	ok(t, x.Free())
}

func TestOpenCLOrderAcrossStreams(t *testing.T) {
	d, s := opencl(t)
	var streams []*gpu.Stream
	for range 4 {
		o, err := d.NewStream()
		ok(t, err)
		streams = append(streams, o)
	}
	x := upload[int32](t, s, 0, 0)
	a, err := d.NewEvent()
	ok(t, err)
	b, err := d.NewEvent()
	ok(t, err)
	if done, err := a.Done(); err != nil || !done {
		t.Errorf("an event that was never recorded: %v, %v", done, err)
	}
	if _, err := b.Since(a); err == nil {
		t.Error("there is a time between events that were never recorded")
	}
	ok(t, onOne(clSlowKernel, streams[0], x))
	ok(t, streams[0].Sync()) // compiled
	ok(t, x.Zero(s))
	ok(t, streams[0].WaitEvent(a))
	ok(t, streams[0].Record(a))
	for _, o := range streams {
		ok(t, onOne(clSlowKernel, o, x))
	}
	ok(t, streams[3].Record(b))
	ok(t, s.WaitEvent(b))
	equal(t, download(t, s, x), 4, 0)
	if done, err := b.Done(); err != nil || !done {
		t.Errorf("the event is not reached: %v, %v", done, err)
	}
	e, err := b.Since(a)
	ok(t, err)
	t.Logf("four launches took %v", e)
	if e < time.Millisecond || e > time.Minute {
		t.Errorf("four launches took %v", e)
	}
	u, err := d.NewStream(gpu.Unordered())
	ok(t, err)
	ok(t, u.WaitEvent(b))
	ok(t, u.Record(a)) // anew
	ok(t, a.Sync())
	ok(t, onOne(clSlowKernel, streams[1], x))
	ok(t, x.Free()) // waits for use in flight
	for _, o := range append(streams, u) {
		ok(t, o.Close())
	}
	ok(t, a.Close())
	ok(t, b.Close())
}

func TestOpenCLMisuse(t *testing.T) {
	d, s := opencl(t)
	_, h := cpu(t)
	x, y := upload[float32](t, s, 1, 2), upload[float32](t, s, 3, 4)
	foreign := upload[float32](t, h, 1, 2)
	want[*gpu.ContractError](t, clSaxpy(s, 1, foreign, y), nil)
	want[*gpu.AliasError](t, clSaxpy(s, 1, x, x), nil)
	want[*gpu.ShapeError](t, clSaxpy(s, 1, x.Slice(0, 1), y), nil)
	ok(t, x.Free())
	ok(t, x.Free())
	if err := clSaxpy(s, 1, x, y); !errors.Is(err, gpu.ErrFreed) {
		t.Error(err)
	}
	s2, err := d.NewStream()
	ok(t, err)
	ok(t, s2.Close())
	if err := clSaxpy(s2, 1, y, y); !errors.Is(err, gpu.ErrClosed) {
		t.Error(err)
	}
	onlyCUDA := gpu.Kernel{Name: "OnlyCUDA", Entry: "Slow", Code: &clCode, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetCUDA}
	want(t, onOne(&onlyCUDA, s, y), func(e *gpu.UnsupportedError) bool { return e.Kernel == "OnlyCUDA" && e.Device == "opencl:0" })
	noText := gpu.Kernel{Name: "NoText", Entry: "Slow", Code: &gpu.Code{}, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetOpenCL}
	want(t, onOne(&noText, s, y), func(e *gpu.UnsupportedError) bool { return strings.Contains(e.Reason, "without its OpenCL code") })
	want[*gpu.UnsupportedError](t, clSaxpy(h, 1, foreign, foreign), nil)
	equal(t, download(t, s, y), 3, 4)
	d2, err := gpu.Open(gpu.OpenCL(0))
	ok(t, err)
	if d2.DefaultStream() != s {
		t.Error("the second handle has a device of its own")
	}
	ok(t, d2.Close())
	ok(t, d2.Close())
	equal(t, download(t, s, y), 3, 4)
	_, err = gpu.Open(gpu.OpenCL(99))
	want[*gpu.NoDeviceError](t, err, nil)
	ok(t, y.Free())
}

func TestOpenCLLoadErrors(t *testing.T) {
	_, s := opencl(t)
	x := upload[int32](t, s, 0)
	try := func(source string) error {
		k := gpu.Kernel{Name: "Slow", Entry: "Slow", Code: &gpu.Code{OpenCL: &source}, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetOpenCL}
		return onOne(&k, s, x)
	}
	broken := "// Slow.\n__kernel void Slow(__global int* x, ulong x_at, long n) { // slow.gpu:4\n\tx += x_at;\n\tx[0] = nonsense; // slow.gpu:7\n}\n"
	err := try(broken)
	t.Log(err)
	want(t, err, func(e *gpu.LoadError) bool {
		return e.Kernel == "Slow" && strings.HasPrefix(e.Arch, "OpenCL ") && len(e.Tried) == 1 && e.Tried[0].Artifact == "OpenCL C"
	})
	want(t, err, func(e *gpu.CompileError) bool {
		return strings.Contains(e.Log, "nonsense") && strings.Contains(e.Log, "slow.gpu:7: ") && e.Source == broken
	})
	err = try(strings.ReplaceAll(kernelsCL, "Slow", "Other"))
	t.Log(err)
	want(t, err, func(e *gpu.LoadError) bool { return strings.Contains(err.Error(), "CL_INVALID_KERNEL_NAME") })
	equal(t, download(t, s, x), 0)
	ok(t, x.Free())
}

func TestOpenCLReopen(t *testing.T) {
	for range 3 {
		d, err := gpu.Open(gpu.OpenCL(0))
		if errors.Is(err, gpu.ErrNoDevice) {
			require.Tool(t, "opencl", false, "run make setup")
		}
		ok(t, err)
		s := d.DefaultStream()
		x, y := upload[float32](t, s, 1, 2), upload[float32](t, s, 3, 4)
		ok(t, clSaxpy(s, 2, x, y))
		equal(t, download(t, s, y), 5, 8)
		ok(t, d.Close())
		if err := clSaxpy(s, 2, x, y); !errors.Is(err, gpu.ErrClosed) {
			t.Error(err)
		}
	}
}

func TestOpenCLLaunchAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools")
	}
	_, s := opencl(t)
	x, y := upload[float32](t, s, 1, 2, 3), upload[float32](t, s, 1, 2, 3)
	ok(t, clSaxpy(s, 0, x, y))
	n := testing.AllocsPerRun(500, func() {
		if clSaxpy(s, 0, x, y) != nil {
			t.Fail()
		}
	})
	ok(t, s.Sync())
	if n != 0 {
		t.Errorf("%v allocations a launch", n)
	}
}

// TestOpenCLChosen opens the device that GPUGEN_DEVICE names, and finds it in the list.
func TestOpenCLChosen(t *testing.T) {
	d, _ := opencl(t)
	if os.Getenv("GPUGEN_DEVICE") != "" {
		t.Skip("unset GPUGEN_DEVICE: the test sets it")
	}
	for _, env := range []string{"opencl", "opencl:0", " OpenCL:0 "} {
		t.Setenv("GPUGEN_DEVICE", env)
		o, err := gpu.Open()
		ok(t, err)
		if o.String() != d.String() {
			t.Errorf("GPUGEN_DEVICE=%q opens %v", env, o)
		}
		ok(t, o.Close())
	}
	t.Setenv("GPUGEN_DEVICE", "opencl:x")
	_, err := gpu.Open()
	want[*gpu.ContractError](t, err, nil)
	found := false
	for _, i := range gpu.Devices() {
		found = found || i.Kind == gpu.KindOpenCL && i.Ordinal == 0 && i.Name == d.Name() && i.Memory > 0
	}
	if !found {
		t.Errorf("the device is not in the list %+v", gpu.Devices())
	}
}

// BenchmarkOpenCLLaunch is the cost of a checked launch of four arguments.
func BenchmarkOpenCLLaunch(b *testing.B) {
	_, s := opencl(b)
	x, y := upload[float32](b, s, 1), upload[float32](b, s, 1)
	ok(b, clSaxpy(s, 0, x, y))
	ok(b, s.Sync())
	b.ReportAllocs()
	for b.Loop() {
		if err := clSaxpy(s, 0, x, y); err != nil {
			b.Fatal(err)
		}
	}
	ok(b, s.Sync())
}

// less builds the library that takes doubles and exact division away, and runs a test in a process that loads it.
func less(t *testing.T, test, fail string) {
	t.Helper()
	opencl(t)
	if runtime.GOOS != "linux" {
		t.Skip("the library that takes away is built on Linux")
	}
	if os.Getenv("GPUGEN_OPENCL") != "" {
		t.Skip("unset GPUGEN_OPENCL: the test names a library of its own")
	}
	source := filepath.Join("..", "internal", "opencl", "testdata", "lesscl.c")
	if _, err := os.Stat(source); err != nil {
		t.Skip("the sources are not here: run it in the repository")
	}
	lib := filepath.Join(t.TempDir(), "liblesscl.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", lib, source, "-Wl,--no-as-needed", "-l:libOpenCL.so.1").CombinedOutput(); err != nil {
		require.Tool(t, "cc", false, "install gcc: "+err.Error()+"\n"+string(out))
	}
	self, err := os.Executable()
	ok(t, err)
	c := exec.Command(self, "-test.run=^"+test+"$", "-test.v")
	c.Env = append(os.Environ(), "GPUGEN_OPENCL="+lib, lessEnv+"=1", "LESSCL_FAIL="+fail)
	out, err := c.CombinedOutput()
	t.Logf("%s", out)
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Error(err)
	}
}

const lessEnv = "GPUGEN_TEST_LESSCL"

// TestOpenCLWithoutDoubles: such a device runs the kernels without doubles and refuses the others.
func TestOpenCLWithoutDoubles(t *testing.T) {
	if os.Getenv(lessEnv) == "" {
		less(t, t.Name(), "")
		return
	}
	_, s := opencl(t)
	source := "__kernel void One(__global float* x, ulong x_at, long n) {\n#ifdef GPUGEN_INEXACT_DIVISION\n\tx[x_at] = 1.0f;\n#endif\n}\n" +
		"#ifdef cl_khr_fp64\n__kernel void Two(__global float* x, ulong x_at, long n) { x[x_at] = (float)(double)x[x_at]; }\n#endif\n"
	kernel := func(entry string) *gpu.Kernel {
		return &gpu.Kernel{Name: entry, Entry: entry, Code: &gpu.Code{OpenCL: &source}, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetOpenCL}
	}
	x := upload[float32](t, s, 0)
	ok(t, onOne(kernel("One"), s, x))
	want(t, onOne(kernel("Two"), s, x), func(e *gpu.UnsupportedError) bool {
		return e.Kernel == "Two" && e.Device == "opencl:0" && strings.Contains(e.Reason, "cl_khr_fp64")
	})
	want[*gpu.LoadError](t, onOne(kernel("Three"), s, x), nil)
	equal(t, download(t, s, x), 1)
}

// TestOpenCLFault: what a waiting call reports of a launch takes the device away, and it can be opened again.
func TestOpenCLFault(t *testing.T) {
	if os.Getenv(lessEnv) == "" {
		less(t, t.Name(), "finish")
		return
	}
	d, err := gpu.Open(gpu.OpenCL(0))
	ok(t, err)
	s := d.DefaultStream()
	x := upload[int32](t, s, 0)
	ok(t, onOne(clSlowKernel, s, x))
	want(t, s.Sync(), func(e *gpu.DeviceError) bool {
		return e.Lost && e.Op == "Sync" && e.Name == "CL_OUT_OF_RESOURCES" && len(e.Launches) == 1 && e.Launches[0] == "Slow"
	})
	if err := onOne(clSlowKernel, s, x); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Error(err)
	}
	d2, err := gpu.Open(gpu.OpenCL(0))
	ok(t, err)
	y := upload[int32](t, d2.DefaultStream(), 5)
	equal(t, download(t, d2.DefaultStream(), y), 5) // a blocking read needs no clFinish
	ok(t, x.Free())
	ok(t, d.Close())
}

// TestOpenCLTooOld: devices that cannot run gpugen's text are refused when they are opened.
func TestOpenCLTooOld(t *testing.T) {
	if os.Getenv(lessEnv) == "" {
		less(t, t.Name(), "version")
		less(t, t.Name(), "compiler")
		return
	}
	_, err := gpu.Open(gpu.OpenCL(0))
	t.Log(err)
	if !errors.Is(err, gpu.ErrNoDevice) || !strings.Contains(err.Error(), "1.2 is the oldest") && !strings.Contains(err.Error(), "has no compiler") {
		t.Error(err)
	}
}
