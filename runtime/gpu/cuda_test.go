package gpu_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// The tests that begin with TestCUDA need an NVIDIA GPU. They are skipped without one, fail without one under
// GPUGEN_REQUIRE=cuda, and run against a stand-in library from TestStandIn.

const fakeName = "Fake GPU"

func cuda(t testing.TB) (*gpu.Device, *gpu.Stream) {
	t.Helper()
	d, err := gpu.Open(gpu.CUDA(0))
	if errors.Is(err, gpu.ErrNoDevice) {
		require.Tool(t, "cuda", false, "run on a machine with an NVIDIA GPU and driver: "+err.Error())
	}
	ok(t, err)
	t.Cleanup(func() { ok(t, d.Close()) })
	return d, d.DefaultStream()
}

// TestStandIn runs the tests of this file in a process whose CUDA library is the stand-in.
func TestStandIn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in is built on Linux")
	}
	if os.Getenv("GPUGEN_CUDA") != "" {
		t.Skip("unset GPUGEN_CUDA: the test names a library of its own")
	}
	source := filepath.Join("..", "internal", "cuda", "testdata", "fakecuda.c")
	if _, err := os.Stat(source); err != nil {
		t.Skip("the sources are not here: run it in the repository")
	}
	lib := filepath.Join(t.TempDir(), "libfakecuda.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", lib, source).CombinedOutput(); err != nil {
		require.Tool(t, "cc", false, "install gcc: "+err.Error()+"\n"+string(out))
	}
	self, err := os.Executable()
	ok(t, err)
	c := exec.Command(self, "-test.run=^TestCUDA", "-test.v")
	c.Env = append(os.Environ(), "GPUGEN_CUDA="+lib, "GPUGEN_REQUIRE=cuda")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestCUDASaxpy") {
		if strings.Contains(string(out), "not in this build") {
			t.Skip("built with the tag gpuhost: the CUDA driver is not in this build")
		}
		t.Errorf("%v\n%s", err, out)
	}
}

var (
	fillKernel  = gpu.Kernel{Name: "Fill", Entry: "Fill", Code: &saxpyCode, Block: [3]uint32{256, 1, 1}, Per: 1, Dims: 1, Targets: gpu.TargetCUDA}
	rowsKernel  = gpu.Kernel{Name: "Rows", Entry: "Rows", Code: &saxpyCode, Block: [3]uint32{32, 1, 1}, Per: 1, Dims: 2, Targets: gpu.TargetCUDA}
	slowDevice  = gpu.Kernel{Name: "Slow", Entry: "Slow", Code: &saxpyCode, Block: [3]uint32{1, 1, 1}, Per: 1, Dims: 1, Targets: gpu.TargetCUDA}
	mixedDevice = gpu.Kernel{Name: "Mixed", Entry: "Mixed", Code: &saxpyCode, Block: [3]uint32{1, 1, 1}, Per: 1, Dims: 1, Targets: gpu.TargetCUDA}
	smallKernel = gpu.Kernel{Name: "Small", Entry: "Small", Code: &saxpyCode, Block: [3]uint32{256, 1, 1}, Per: 1, Dims: 1, Targets: gpu.TargetCUDA}
	pokeKernel  = gpu.Kernel{Name: "Poke", Entry: "Poke", Code: &saxpyCode, Block: [3]uint32{1, 1, 1}, Per: 1, Dims: 1, Targets: gpu.TargetCUDA}
)

// onOne launches a kernel of the form (x mut [n]T) over one point.
func onOne[T any](k *gpu.Kernel, s *gpu.Stream, x gpu.Buffer[T]) error {
	l := k.Begin(s)
	l.Write("x", x.View())
	l.Extent(x.Len())
	return l.Points(gpu.Span{Hi: 1})
}

func TestCUDASaxpy(t *testing.T) {
	d, s := cuda(t)
	t.Logf("%v, %s, %s", d, d.Arch(), d.Driver())
	if !strings.HasPrefix(d.Driver(), "CUDA ") {
		t.Errorf("driver version %q", d.Driver())
	}
	for _, n := range []int{0, 1, 255, 256, 257, 1000, 1024, 1025, 1 << 20} {
		x, y := make([]float32, n), make([]float32, n+64)
		for i := range y {
			y[i] = 3
		}
		for i := range x {
			x[i] = float32(i % 1000)
		}
		dx, dy := upload(t, s, x...), upload(t, s, y...)
		ok(t, Saxpy(s, 2, dx, dy.Slice(0, n)))
		got := download(t, s, dy)
		for i, v := range got {
			want := float32(3)
			if i < n {
				want = 2*x[i] + 3
			}
			if v != want {
				t.Fatalf("n = %d: element %d is %v, want %v", n, i, v, want)
			}
		}
		ok(t, dx.Free())
		ok(t, dy.Free())
	}
}

func TestCUDAAlloc(t *testing.T) {
	d, s := cuda(t)
	_, total, err := d.Memory()
	ok(t, err)
	junk := upload(t, s, make([]uint8, 1<<20)...)
	for i := range 3 {
		b, err := gpu.Alloc[uint8](s, 1000+i)
		ok(t, err)
		for _, v := range download(t, s, b) {
			if v != 0 {
				t.Fatal("fresh memory is not zero")
			}
		}
		ok(t, b.Upload(s, make([]uint8, b.Len())))
		ok(t, gpu.Copy(s, junk.Slice(0, b.Len()), b))
		ok(t, b.Free())
	}
	_, err = gpu.Alloc[uint8](s, int(total)*2)
	want(t, err, func(e *gpu.AllocError) bool { return e.Requested == 2*total && e.Available > 0 && e.Available <= total })
	ok(t, junk.Free())
	none, err := gpu.Alloc[float32](s, 0)
	ok(t, err)
	ok(t, Saxpy(s, 1, none, none))
	ok(t, none.Free())
	before, _, err := d.Memory()
	ok(t, err)
	for range 10000 {
		b, err := gpu.Alloc[float32](s, 1000, gpu.Uninitialized())
		ok(t, err)
		ok(t, b.Free())
	}
	runtime.GC()
	runtime.GC()
	if after, _, err := d.Memory(); err != nil || before-after > 4<<20 {
		t.Errorf("%d bytes are lost, %v", before-after, err)
	}
}

func TestCUDAMixedArguments(t *testing.T) {
	_, s := cuda(t)
	out, err := gpu.Alloc[float64](s, 8)
	ok(t, err)
	l := mixedDevice.Begin(s)
	gpu.Value(l, int8(1))
	gpu.Value(l, 2.5)
	gpu.Value(l, int8(-3))
	gpu.Value(l, uint16(4))
	gpu.Value(l, [3]float32{5, 6, 7})
	gpu.Value(l, true)
	l.Write("out", out.View())
	l.Extent(8)
	ok(t, l.Points(gpu.Span{Hi: 1}))
	equal(t, download(t, s, out), 1, 2.5, -3, 4, 5, 6, 7, 1)
	ok(t, out.Free())
}

func TestCUDAFoldedRows(t *testing.T) {
	_, s := cuda(t)
	for _, h := range []int{65535, 65536, 200000} {
		x, err := gpu.Alloc2[uint8](s, h, 3)
		ok(t, err)
		l := rowsKernel.Begin(s)
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

func TestCUDAWide(t *testing.T) {
	d, s := cuda(t)
	if d.Name() == fakeName {
		t.Skip("2 GiB are too much to fill for a stand-in")
	}
	n := 1<<31 + 16
	x, err := gpu.Alloc[uint8](s, n)
	var full *gpu.AllocError
	if errors.As(err, &full) {
		t.Skipf("the GPU has no 2 GiB free: %v", err)
	}
	ok(t, err)
	l := fillKernel.Begin(s)
	l.Write("x", x.View())
	l.Extent(n)
	ok(t, l.Points(gpu.Span{Hi: n})) // takes Fill_wide, the only entry there is
	equal(t, download(t, s, x.Slice(n-2, n)), 1, 1)
	ok(t, x.Free())
}

func TestCUDAOrderAcrossStreams(t *testing.T) {
	d, s := cuda(t)
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
	ok(t, streams[0].Record(a))
	for _, o := range streams {
		ok(t, onOne(&slowDevice, o, x))
	}
	ok(t, streams[3].Record(b))
	equal(t, download(t, s, x), 4, 0)
	e, err := b.Since(a)
	ok(t, err)
	if d.Name() != fakeName && (e < 75*time.Millisecond || e > 10*time.Second) {
		t.Errorf("4 times 20 ms one after the other took %v", e)
	}
	// An unordered stream does not wait: both read the same old value.
	u, err := d.NewStream(gpu.Unordered())
	ok(t, err)
	ok(t, x.Zero(s))
	ok(t, s.Sync())
	ok(t, onOne(&slowDevice, s, x))
	ok(t, onOne(&slowDevice, u, x))
	o, err := d.NewStream()
	ok(t, err)
	if got := download(t, o, x); got[0] != 1 && d.Name() != fakeName {
		t.Errorf("the unordered stream waited: %v", got)
	}
	// Free waits for use in flight.
	ok(t, onOne(&slowDevice, streams[1], x))
	ok(t, x.Free())
	for _, o := range append(streams, u, o) {
		ok(t, o.Close())
	}
	ok(t, a.Close())
	ok(t, b.Close())
}

// TestCUDATwoDevices works on two GPUs from the same threads: each call needs its own device's context, and each buffer
// keeps its device (B27).
func TestCUDATwoDevices(t *testing.T) {
	first, _ := cuda(t)
	second, err := gpu.Open(gpu.CUDA(1))
	if errors.Is(err, gpu.ErrNoDevice) {
		t.Skipf("one GPU is here: %v", err)
	}
	ok(t, err)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	streams := []*gpu.Stream{first.DefaultStream(), second.DefaultStream()}
	c := caseDevice{saxpy: Saxpy[float32]}
	rounds := 50
	if raceEnabled {
		rounds = 5
	}
	for _, procs := range []int{1, 2, 64} {
		runtime.GOMAXPROCS(procs)
		var wg sync.WaitGroup
		for g := range 200 {
			wg.Go(func() {
				for r := range rounds {
					if err := c.saxpyOnce(streams[(g+r)%2], float32(64*g+r)); err != nil {
						t.Errorf("%d processors, goroutine %d, round %d: %v", procs, g, r, err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	// One call after the other on one thread, no two of the same device.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x0, x1 := upload[float32](t, streams[0], 1, 2), upload[float32](t, streams[1], 10, 20)
	y0, y1 := upload[float32](t, streams[0], 3, 4), upload[float32](t, streams[1], 30, 40)
	ok(t, Saxpy(streams[0], 1, x0, y0))
	ok(t, Saxpy(streams[1], 1, x1, y1))
	ok(t, Saxpy(streams[0], 1, x0, y0))
	ok(t, Saxpy(streams[1], 1, x1, y1))
	equal(t, download(t, streams[0], y0), 5, 8)
	equal(t, download(t, streams[1], y1), 50, 80)
	for i, err := range []error{Saxpy(streams[0], 1, x1, y0), Saxpy(streams[1], 1, x1, y0), x0.Download(streams[1], make([]float32, 2)), gpu.Copy(streams[0], y0, y1)} {
		var foreign *gpu.ContractError
		if !errors.As(err, &foreign) {
			t.Errorf("use %d of the other device's memory: %v", i, err)
		}
	}
	ok(t, errors.Join(x0.Free(), x1.Free()))
	ok(t, second.Close()) // with y1; the first goes on
	ok(t, y1.Free())
	equal(t, download(t, streams[0], y0), 5, 8)
	ok(t, y0.Free())
}

func TestCUDAManyWaitersFewThreads(t *testing.T) {
	d, s := cuda(t)
	if runtime.GOOS != "linux" || d.Name() == fakeName {
		t.Skip("threads are counted on Linux, on a real device")
	}
	x := upload[int32](t, s, 0)
	threads := func() int {
		tasks, err := os.ReadDir("/proc/self/task")
		ok(t, err)
		return len(tasks)
	}
	before := threads() // Go keeps the threads that other tests needed
	for range 10 {
		ok(t, onOne(&slowDevice, s, x))
	}
	var wg sync.WaitGroup
	for range 500 {
		wg.Go(func() { ok(t, s.Sync()) })
	}
	time.Sleep(50 * time.Millisecond)
	more := threads() - before
	wg.Wait()
	if more > 100 {
		t.Errorf("500 waiters need %d more threads", more)
	}
	ok(t, x.Free())
}

func TestCUDAMisuse(t *testing.T) {
	d, s := cuda(t)
	_, h := cpu(t)
	x, y := upload[float32](t, s, 1, 2), upload[float32](t, s, 3, 4)
	foreign := upload[float32](t, h, 1, 2)
	want[*gpu.ContractError](t, Saxpy(s, 1, foreign, y), nil)
	want[*gpu.ContractError](t, foreign.Download(s, make([]float32, 2)), nil)
	want[*gpu.ContractError](t, gpu.Copy(s, x, foreign), nil)
	want[*gpu.AliasError](t, Saxpy(s, 1, x, x), nil)
	want[*gpu.ShapeError](t, Saxpy(s, 1, x.Slice(0, 1), y), nil)
	ok(t, x.Free())
	ok(t, x.Free())
	if err := Saxpy(s, 1, x, y); !errors.Is(err, gpu.ErrFreed) {
		t.Error(err)
	}
	s2, err := d.NewStream()
	ok(t, err)
	ok(t, s2.Close())
	if err := Saxpy(s2, 1, y, y); !errors.Is(err, gpu.ErrClosed) {
		t.Error(err)
	}
	want(t, onOne(&smallKernel, s, y), func(e *gpu.LaunchError) bool { return e.Kernel == "Small" && e.Want == 256 && e.Max == 64 })
	want(t, Saxpy(s, 1, upload[float64](t, s, 1), upload[float64](t, s, 1)), func(e *gpu.UnsupportedError) bool { return e.Kernel == "Saxpy[float64]" })
	equal(t, download(t, s, y), 3, 4)
	d2, err := gpu.Open(gpu.CUDA(0))
	ok(t, err)
	if d2.DefaultStream() != s {
		t.Error("the second handle has a device of its own")
	}
	ok(t, d2.Close())
	equal(t, download(t, s, y), 3, 4)
	_, err = gpu.Open(gpu.CUDA(99))
	want[*gpu.NoDeviceError](t, err, nil)
}

func TestCUDALoadErrors(t *testing.T) {
	_, s := cuda(t)
	x := upload[int32](t, s, 0)
	try := func(ptx string, cubins ...gpu.Cubin) error {
		k := gpu.Kernel{Name: "Slow", Entry: "Slow", Code: &gpu.Code{Stem: "_gpu/slow", PTX: &ptx, Cubins: cubins}, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetCUDA}
		return onOne(&k, s, x)
	}
	err := try(strings.Replace(kernelsPTX, ".version 7.8", ".version 99.0", 1))
	t.Log(err)
	want(t, err, func(e *gpu.LoadError) bool {
		return e.Kernel == "Slow" && strings.HasPrefix(e.Arch, "sm_") && strings.HasPrefix(e.Driver, "CUDA ") && len(e.Tried) == 1 && e.Tried[0].Artifact == "_gpu/slow.ptx (PTX 99.0 for sm_75)"
	})
	if !errors.Is(err, gpu.ErrPTXTooNew) {
		t.Errorf("PTX that is too new is not recognised: %v", err)
	}
	for _, part := range []string{"_gpu/slow.ptx", "version 99.0", "the driver serves CUDA "} { // B30
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the message lacks %q: %v", part, err)
		}
	}
	err = try("this is no PTX")
	t.Log(err)
	want[*gpu.LoadError](t, err, nil)
	if errors.Is(err, gpu.ErrPTXTooNew) {
		t.Error("any bad PTX counts as too new")
	}
	err = try(strings.ReplaceAll(kernelsPTX, "Slow", "Other"))
	t.Log(err)
	want[*gpu.LoadError](t, err, nil)
	// A cubin that does not load leaves it to PTX.
	bad := "BAD"
	ok(t, try(kernelsPTX, gpu.Cubin{Arch: 90, Data: &bad}, gpu.Cubin{Arch: 86, Data: &bad}))
	equal(t, download(t, s, x), 1)
}

// TestCUDADamagedPTX: PTX that was cut short, is empty or has stray bytes in front is refused, and the source beside it serves
// where NVRTC is; the error otherwise has both (B31).
func TestCUDADamagedPTX(t *testing.T) {
	d, s := cuda(t)
	for what, bad := range map[string]string{"cut": kernelsPTX[:100], "cut in a kernel": kernelsPTX[:len(kernelsPTX)*2/3], "empty": "", "NULs in front": "\x00\x00\x00\x00" + kernelsPTX, "all NULs": strings.Repeat("\x00", 100)} {
		k := gpu.Kernel{Name: "Slow", Entry: "Slow", Code: &gpu.Code{Stem: "_gpu/slow", PTX: &bad, CUDA: &kernelsCUDA}, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetCUDA}
		x := upload[int32](t, s, 0)
		err := onOne(&k, s, x)
		if err == nil {
			if got := download(t, s, x); got[0] != 1 {
				t.Errorf("%s: the kernel gives %d", what, got[0])
			}
		} else {
			want(t, err, func(e *gpu.LoadError) bool {
				return len(e.Tried) == 2 && strings.HasPrefix(e.Tried[0].Artifact, "_gpu/slow.ptx (") && e.Tried[1].Artifact == "_gpu/slow.cu (CUDA C through NVRTC)"
			})
		}
		if err != nil && d.Name() != fakeName && !strings.Contains(err.Error(), "not found") {
			t.Errorf("%s: %v", what, err)
		}
		ok(t, x.Free())
	}
	x := upload[int32](t, s, 0)
	ok(t, onOne(&slowDevice, s, x)) // the device goes on
	equal(t, download(t, s, x), 1)
}

// TestCUDASourceWithoutNVRTC: a kernel of which there is source alone needs NVRTC when it starts; the error says what was
// looked for, where, and what to set, and the device goes on (B29).
func TestCUDASourceWithoutNVRTC(t *testing.T) {
	_, s := cuda(t)
	x := upload[int32](t, s, 0)
	source := strings.Clone(kernelsCUDA)
	k := gpu.Kernel{Name: "Slow", Entry: "Slow", Code: &gpu.Code{Stem: "_gpu/slow", CUDA: &source}, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetCUDA}
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	t.Setenv("GPUGEN_NVRTC", nowhere)
	for range 2 {
		err := onOne(&k, s, x)
		want(t, err, func(e *gpu.LoadError) bool {
			return len(e.Tried) == 1 && e.Tried[0].Artifact == "_gpu/slow.cu (CUDA C through NVRTC)"
		})
		for _, part := range []string{"libnvrtc.so*", nowhere, "set GPUGEN_NVRTC"} {
			if runtime.GOOS == "linux" && !strings.Contains(err.Error(), part) {
				t.Errorf("the message lacks %q: %v", part, err)
			}
		}
	}
	bad := filepath.Join(t.TempDir(), "libnvrtc.so.12")
	ok(t, os.WriteFile(bad, []byte("no library"), 0o644))
	t.Setenv("GPUGEN_NVRTC", bad)
	other := strings.Clone(kernelsCUDA)
	k2 := gpu.Kernel{Name: "Slow", Entry: "Slow", Code: &gpu.Code{CUDA: &other}, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetCUDA}
	err := onOne(&k2, s, x)
	want[*gpu.LoadError](t, err, nil)
	if !strings.Contains(err.Error(), bad) || !strings.Contains(err.Error(), "set GPUGEN_NVRTC") {
		t.Error(err)
	}
	ok(t, onOne(&slowDevice, s, x))
	equal(t, download(t, s, x), 1)
}

func TestCUDASourceThroughNVRTC(t *testing.T) {
	d, s := cuda(t)
	if d.Name() == fakeName {
		t.Skip("the stand-in cannot load what NVRTC makes")
	}
	k := gpu.Kernel{Name: "Slow", Entry: "Slow", Code: &gpu.Code{CUDA: &kernelsCUDA}, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetCUDA}
	x := upload[int32](t, s, 0)
	err := onOne(&k, s, x)
	var e *gpu.LoadError
	if errors.As(err, &e) && strings.Contains(err.Error(), "not found") {
		require.Tool(t, "nvrtc", false, "install it beside the driver, or set GPUGEN_NVRTC to its folder: "+err.Error())
	}
	ok(t, err)
	equal(t, download(t, s, x), 1)
	broken := "extern \"C\" __global__ void Slow() { nonsense; }"
	k2 := gpu.Kernel{Name: "Slow", Entry: "Slow", Code: &gpu.Code{CUDA: &broken}, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetCUDA}
	want(t, onOne(&k2, s, x), func(e *gpu.CompileError) bool { return strings.Contains(e.Log, "nonsense") && e.Source == broken })
}

// TestCUDAFaultAndReopen runs in a process of its own: on a real device a fault ends CUDA for the whole process.
func TestCUDAFaultAndReopen(t *testing.T) {
	const env = "GPUGEN_TEST_FAULT"
	if os.Getenv(env) == "" {
		cuda(t) // skips where there is none
		c := exec.Command(os.Args[0], "-test.run=^TestCUDAFaultAndReopen$", "-test.v")
		c.Env = append(os.Environ(), env+"=1")
		out, err := c.CombinedOutput()
		t.Logf("%s", out)
		ok(t, err)
		return
	}
	d, err := gpu.Open(gpu.CUDA(0))
	if errors.Is(err, gpu.ErrNoDevice) {
		require.Tool(t, "cuda", false, "run on a machine with an NVIDIA GPU and driver: "+err.Error())
	}
	ok(t, err)
	s := d.DefaultStream()
	x, y, z := upload[int32](t, s, 0), upload[float32](t, s, 1), upload[float32](t, s, 1)
	ok(t, onOne(&slowDevice, s, x))
	ok(t, s.Sync())
	ok(t, Saxpy(s, 1, y, z))
	ok(t, onOne(&pokeKernel, s, x))
	err = s.Sync()
	t.Log(err)
	want(t, err, func(e *gpu.DeviceError) bool {
		return e.Lost && e.Op == "Sync" && e.Name != "" && len(e.Launches) == 2 && e.Launches[0] == "Saxpy[float32]" && e.Launches[1] == "Poke"
	})
	for i, err := range []error{s.Sync(), Saxpy(s, 1, y, z), x.Download(s, make([]int32, 1))} {
		if !errors.Is(err, gpu.ErrDeviceLost) {
			t.Errorf("call %d after the fault: %v", i, err)
		}
	}
	// Opened again beside the lost handle, which goes on saying so. A real driver refuses until the process is new.
	d2, err := gpu.Open(gpu.CUDA(0))
	if d.Name() != fakeName {
		if !errors.Is(err, gpu.ErrNoDevice) || !strings.Contains(err.Error(), "started again") {
			t.Errorf("opening a device after a fault: %v", err)
		}
		ok(t, x.Free())
		ok(t, d.Close())
		return
	}
	ok(t, err)
	s2 := d2.DefaultStream()
	a, b := upload[float32](t, s2, 1, 2), upload[float32](t, s2, 3, 4)
	ok(t, Saxpy(s2, 2, a, b))
	equal(t, download(t, s2, b), 5, 8)
	if err := Saxpy(s, 1, y, z); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Error(err)
	}
	ok(t, x.Free())
	ok(t, d.Close())
	equal(t, download(t, s2, b), 5, 8)
	ok(t, d2.Close())
}

func TestCUDALaunchAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools")
	}
	_, s := cuda(t)
	x, y := upload[float32](t, s, 1, 2, 3), upload[float32](t, s, 1, 2, 3)
	ok(t, Saxpy(s, 0, x, y))
	n := testing.AllocsPerRun(2000, func() {
		if Saxpy(s, 0, x, y) != nil {
			t.Fail()
		}
	})
	ok(t, s.Sync())
	if n != 0 {
		t.Errorf("%v allocations a launch", n)
	}
}

// BenchmarkCUDALaunch is the cost of a checked launch of four arguments: handed over, and with the device's work.
func BenchmarkCUDALaunch(b *testing.B) {
	_, s := cuda(b)
	x, y := upload[float32](b, s, 1), upload[float32](b, s, 1)
	ok(b, Saxpy(s, 0, x, y))
	ok(b, s.Sync())
	b.ReportAllocs()
	for b.Loop() {
		if err := Saxpy(s, 0, x, y); err != nil {
			b.Fatal(err)
		}
	}
	submitted := b.Elapsed()
	ok(b, s.Sync())
	b.ReportMetric(float64(submitted.Nanoseconds())/float64(b.N), "submit-ns/op")
}

// BenchmarkCUDASaxpy is bandwidth: 2^26 elements, three streams of memory, beside a copy on the device.
func BenchmarkCUDASaxpy(b *testing.B) {
	_, s := cuda(b)
	n := 1 << 26
	x, err := gpu.Alloc[float32](s, n)
	ok(b, err)
	y, err := gpu.Alloc[float32](s, n)
	ok(b, err)
	b.Run("saxpy", func(b *testing.B) {
		b.SetBytes(int64(n) * 12)
		for b.Loop() {
			ok(b, Saxpy(s, 2, x, y))
			ok(b, s.Sync())
		}
	})
	b.Run("copy", func(b *testing.B) {
		b.SetBytes(int64(n) * 8)
		for b.Loop() {
			ok(b, gpu.Copy(s, y, x))
			ok(b, s.Sync())
		}
	})
	ok(b, x.Free())
	ok(b, y.Free())
}
