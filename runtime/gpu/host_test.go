package gpu_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/runtime/gpu"
)

// cpu opens the CPU for a test.
func cpu(t testing.TB) (*gpu.Device, *gpu.Stream) {
	t.Helper()
	d, err := gpu.Open(gpu.CPU())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, d.DefaultStream()
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// want checks that err is of the type of target, through errors.As, and holds its fields.
func want[E interface {
	error
	comparable
}](t testing.TB, err error, check func(E) bool) {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Fatalf("error is %T %v, want a %T", err, err, e)
	}
	if check != nil && !check(e) {
		t.Fatalf("wrong fields: %+v", e)
	}
}

func upload[T any](t testing.TB, s *gpu.Stream, v ...T) gpu.Buffer[T] {
	t.Helper()
	b, err := gpu.Upload(s, v)
	ok(t, err)
	return b
}

func download[T any](t testing.TB, s *gpu.Stream, b gpu.Buffer[T]) []T {
	t.Helper()
	v := make([]T, b.Len())
	ok(t, b.Download(s, v))
	return v
}

func equal[T comparable](t testing.TB, got []T, want ...T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestSaxpy(t *testing.T) {
	_, s := cpu(t)
	x, y := upload[float32](t, s, 1, 2, 3), upload[float32](t, s, 3, 4, 5)
	ok(t, Saxpy(s, 2, x, y))
	equal(t, download(t, s, y), 5, 8, 11)
	ok(t, Saxpy(s, 1, x.Slice(1, 3), y.Slice(0, 2)))
	equal(t, download(t, s, y), 7, 11, 11)
	a, b := upload[float64](t, s, 1, 2), upload[float64](t, s, 1, 1)
	ok(t, Saxpy(s, 0.5, a, b))
	equal(t, download(t, s, b), 1.5, 2)
}

// Every size around the chunks' edges: each point once, and nothing beside.
func TestPointsOnceEach(t *testing.T) {
	_, s := cpu(t)
	for _, n := range []int{0, 1, 2, 3, 7, 255, 256, 257, 1000, 4096, 100003} {
		b, err := gpu.Alloc[int32](s, n+2)
		ok(t, err)
		for range 3 { // the first launch measures, later ones know
			ok(t, Busy(s, b.Slice(1, n+1)))
			if n > 1000 {
				break
			}
		}
		v := download(t, s, b)
		times := int32(3)
		if n > 1000 {
			times = 1
		}
		for i, got := range v {
			if inner := i > 0 && i <= n; inner && got != times || !inner && got != 0 {
				t.Fatalf("n = %d: element %d was visited %d times", n, i, got)
			}
		}
		ok(t, b.Free())
	}
}

func TestThreeDims(t *testing.T) {
	_, s := cpu(t)
	for _, c := range []struct{ d, h, w, lo int }{{4, 5, 6, 0}, {4, 5, 6, 1}, {1, 1, 1000, 0}, {1, 300, 3, 0}, {200, 1, 1, 0}, {3, 3, 3, 2}, {0, 5, 5, 0}, {2, 2, 2, 1}} {
		b, err := gpu.Alloc3[int32](s, c.d, c.h, c.w)
		ok(t, err)
		for range 4 {
			ok(t, Count3(s, c.lo, b))
		}
		v := make([]int32, b.Len())
		ok(t, b.Download(s, v))
		for i, got := range v {
			z, y, x := i/(c.h*c.w), i/c.w%c.h, i%c.w
			in := func(p, n int) bool { return p >= c.lo && p < n-c.lo }
			times := int32(0)
			if in(z, c.d) && in(y, c.h) && in(x, c.w) {
				times = 4
			}
			if got != times {
				t.Fatalf("%+v: point %d %d %d has %d, want %d", c, z, y, x, got, times)
			}
		}
	}
}

func TestMixedArguments(t *testing.T) {
	_, s := cpu(t)
	out, err := gpu.Alloc[float64](s, 8)
	ok(t, err)
	ok(t, Mixed(s, 1, 2.5, 3, 4, [3]float32{5, 6, 7}, true, out))
	equal(t, download(t, s, out), 1, 2.5, 3, 4, 5, 6, 7, 1)
}

func TestTraps(t *testing.T) {
	d, s := cpu(t)
	n := 5000
	at := make([]int32, n)
	at[n-1] = 77
	i, err := gpu.Upload(s, at)
	ok(t, err)
	x := upload[float32](t, s, 1, 2, 3)
	y, err := gpu.Alloc[float32](s, n)
	ok(t, err)
	ok(t, Gather(s, i, x, y))
	ok(t, x.Upload(s, []float32{4, 5, 6})) // a trap waits for who asks
	err = s.Sync()
	want(t, err, func(e *gpu.TrapError) bool {
		return e.Kernel == "Gather" && e.Pos == gpu.Pos{File: "gather.gpu", Line: 5, Col: 11} && e.Param == "x" && e.Dim == 0 && e.Index == 77 && e.Extent == 3
	})
	if s := err.Error(); s != "gather.gpu:5:11: Gather: index 77 out of range: dimension 0 of x has 3" {
		t.Error(s)
	}
	ok(t, s.Sync()) // reported once
	ok(t, i.Slice(0, n-1).Download(s, make([]int32, n-1)))
	ok(t, Gather(s, i.Slice(0, n-1), x, y.Slice(0, n-1))) // the device is as good as new
	equal(t, download(t, s, y.Slice(0, 2)), 4, 4)

	// At a known point; from Download; through Free, which leaves it; from another stream that waits for this one.
	ok(t, Gather(s, i.Slice(n-1, n), x, y.Slice(0, 1)))
	err = y.Download(s, make([]float32, n))
	want(t, err, func(e *gpu.TrapError) bool { return len(e.Point) == 1 && e.Point[0] == 0 })
	ok(t, Gather(s, i.Slice(n-1, n), x, y.Slice(0, 1)))
	s2, err := d.NewStream()
	ok(t, err)
	want[*gpu.TrapError](t, y.Download(s2, make([]float32, n)), nil)
	ok(t, i.Free())
	want[*gpu.TrapError](t, s.Sync(), nil)

	ok(t, Crash(s))
	want(t, s.Sync(), func(e *gpu.TrapError) bool { return e.Kernel == "Crash" && e.Text == "boom" })
	ok(t, s.Sync())
}

func TestLaunchAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools")
	}
	_, s := cpu(t)
	small := upload[float32](t, s, 1, 2, 3)
	out := upload[float32](t, s, 1, 2, 3)
	big, err := gpu.Alloc3[int32](s, 8, 64, 64)
	ok(t, err)
	for range 3000 {
		ok(t, Saxpy(s, 0, small, out))
		ok(t, Count3(s, 1, big))
	}
	ok(t, s.Sync())
	n := testing.AllocsPerRun(2000, func() {
		if Saxpy(s, 0, small, out) != nil || Count3(s, 1, big) != nil {
			t.Fail()
		}
	})
	ok(t, s.Sync())
	if n != 0 {
		t.Errorf("%v allocations a launch", n)
	}
}

func TestOpen(t *testing.T) {
	t.Setenv("GPUGEN_DEVICE", "cpu")
	d, err := gpu.Open()
	ok(t, err)
	if d.Kind() != gpu.KindCPU || d.Arch() != runtime.GOARCH || !strings.HasPrefix(d.String(), "cpu (") {
		t.Errorf("%v %v %v", d.Kind(), d.Arch(), d)
	}
	if free, total, err := d.Memory(); runtime.GOOS == "linux" && (err != nil || free <= 0 || total < free) {
		t.Error(free, total, err)
	}
	ok(t, d.Close())
	for _, env := range []string{"tpu", "cuda:x", "cuda:-1", "cpu:1", ":"} {
		t.Setenv("GPUGEN_DEVICE", env)
		_, err := gpu.Open()
		want(t, err, func(e *gpu.ContractError) bool { return e.Kernel == "GPUGEN_DEVICE" && strings.Contains(e.Text, env) })
	}
	d, err = gpu.Open(gpu.CPU()) // an option is stronger than the variable
	ok(t, err)
	ok(t, d.Close())
	t.Setenv("GPUGEN_DEVICE", "cuda:99")
	_, err = gpu.Open()
	want(t, err, func(e *gpu.NoDeviceError) bool {
		return len(e.Tried) == 1 && strings.HasPrefix(e.Error(), "gpu: no device: cuda:99: ")
	})
	if !errors.Is(err, gpu.ErrNoDevice) {
		t.Error(err)
	}
	d, err = gpu.Open(gpu.CUDA(99), gpu.CPU()) // in their order
	ok(t, err)
	if d.Kind() != gpu.KindCPU {
		t.Error(d)
	}
	ok(t, d.Close())

	list := gpu.Devices() // behind the CPU stand only processors that OpenCL runs on
	i := slices.IndexFunc(list, func(d gpu.DeviceInfo) bool { return d.Kind == gpu.KindCPU })
	if i < 0 || list[i].Name == "" || fmt.Sprint(list[i].Kind) != "cpu" {
		t.Fatalf("%+v", list)
	}
	for _, behind := range list[i+1:] {
		if behind.Kind != gpu.KindOpenCL {
			t.Errorf("%+v", list)
		}
	}
	d, err = gpu.Open(list[i].Option())
	ok(t, err)
	ok(t, d.Close())
}

func TestUnsupported(t *testing.T) {
	_, s := cpu(t)
	k := gpu.Kernel{Name: "K", Dims: 1, Targets: gpu.TargetCUDA, CPU: scaleCPU}
	want(t, k.Begin(s).Points(gpu.Span{}), func(e *gpu.UnsupportedError) bool { return e.Kernel == "K" && e.Device == "cpu" })
	k2 := gpu.Kernel{Name: "K", Dims: 1, Targets: gpu.TargetCPU}
	want[*gpu.UnsupportedError](t, k2.Begin(s).Points(gpu.Span{}), nil)
	k3 := gpu.Kernel{Name: "K", Dims: 2, Targets: gpu.TargetCPU, CPU: scaleCPU}
	want[*gpu.ContractError](t, k3.Begin(s).Points(gpu.Span{Hi: 1}), nil)
	if err := k3.Begin(s).Fail(errors.ErrUnsupported); err != errors.ErrUnsupported {
		t.Error(err)
	}
}

// The box of a kernel of blocks is over its blocks: each runs once, whatever the block size.
func TestBlocksOnTheHost(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	_, s := cpu(t)
	for _, n := range []int{1, 63, 64, 65, 10_000} {
		host := make([]int32, n)
		want := make([]int32, (n+63)/64)
		for i := range host {
			host[i] = int32(i % 7)
			want[i/64] += host[i]
		}
		x := upload(t, s, host...)
		out, err := gpu.Alloc[int32](s, len(want))
		ok(t, err)
		ok(t, Sums(s, 0, x, out))
		equal(t, download(t, s, out), want...)
		ok(t, Sums(s, len(want), x, out)) // no blocks
		equal(t, download(t, s, out), want...)
		ok(t, Sums(s, len(want)-1, x, out)) // the last one again
		want[len(want)-1] *= 2
		equal(t, download(t, s, out), want...)
	}
}
