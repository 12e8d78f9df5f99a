package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

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

func TestShapes(t *testing.T) {
	_, s := cpu(t)
	x, y := upload[float32](t, s, 1, 2, 3), upload[float32](t, s, 1, 2)
	want(t, Saxpy(s, 1, x, y), func(e *gpu.ShapeError) bool {
		return *e == gpu.ShapeError{Kernel: "Saxpy[float32]", Param: "y", Want: 3, Got: 2}
	})
	equal(t, download(t, s, y), 1, 2)
	want(t, x.Upload(s, []float32{1}), func(e *gpu.ShapeError) bool { return e.Want == 3 && e.Got == 1 && e.Param == "host" })
	want(t, x.Download(s, nil), func(e *gpu.ShapeError) bool { return e.Got == 0 })
	want(t, Scale(s, 1, x, x), func(e *gpu.ContractError) bool {
		return *e == gpu.ContractError{Kernel: "Scale", Text: "requires n % 2 == 0"}
	})
}

func TestAliasing(t *testing.T) {
	_, s := cpu(t)
	b := upload[float32](t, s, 1, 2, 3, 4)
	want(t, Saxpy(s, 1, b, b), func(e *gpu.AliasError) bool {
		return *e == gpu.AliasError{Kernel: "Saxpy[float32]", Param: "y", With: "x"}
	})
	want[*gpu.AliasError](t, Saxpy(s, 1, b.Slice(0, 3), b.Slice(1, 4)), nil)
	want[*gpu.AliasError](t, Saxpy(s, 1, b.Slice(2, 4), b.Reshape2(2, 2).Row(1)), nil)
	ok(t, Saxpy(s, 1, b.Slice(0, 2), b.Slice(2, 4)))
	ok(t, Saxpy(s, 1, b.Slice(1, 1), b.Slice(1, 1)))
	equal(t, download(t, s, b), 1, 2, 4, 6)
	// In place, where the kernel allows it: exactly the same range alone.
	ok(t, Scale(s, 2, b, b))
	equal(t, download(t, s, b), 2, 4, 8, 12)
	want(t, Scale(s, 2, b.Slice(0, 2), b.Slice(1, 3)), func(e *gpu.AliasError) bool { return e.Param == "out" && e.With == "in" })
	equal(t, download(t, s, b), 2, 4, 8, 12)
}

func TestViews(t *testing.T) {
	_, s := cpu(t)
	b := upload[int32](t, s, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	m := b.Reshape2(3, 4)
	if m.Rows() != 3 || m.Cols() != 4 || m.Len() != 12 || m.Dim(0) != 3 || m.Dim(1) != 4 || m.Dim(2) != 0 || m.Dim(-1) != 0 || b.Dim(0) != 12 || b.Dim(1) != 0 {
		t.Error("dims of a Buffer2")
	}
	equal(t, download(t, s, m.Row(2)), 8, 9, 10, 11)
	equal(t, download(t, s, m.Slice(1, 2).Flat()), 4, 5, 6, 7)
	v := m.Reshape3(2, 3, 2)
	if v.Depth() != 2 || v.Rows() != 3 || v.Cols() != 2 || v.Dim(0) != 2 || v.Dim(1) != 3 || v.Dim(2) != 2 || v.Dim(3) != 0 || v.Len() != 12 {
		t.Error("dims of a Buffer3")
	}
	equal(t, download(t, s, v.Row(1, 2)), 10, 11)
	equal(t, download(t, s, v.Plane(1).Row(0)), 6, 7)
	equal(t, download(t, s, v.Slice(1, 2).Flat()), 6, 7, 8, 9, 10, 11)
	equal(t, download(t, s, v.Reshape2(6, 2).Row(5)), 10, 11)
	equal(t, download(t, s, v.Reshape3(3, 2, 2).Plane(2).Flat()), 8, 9, 10, 11)

	contract := func(what string, err error) {
		t.Helper()
		var e *gpu.ContractError
		if !errors.As(err, &e) || !strings.Contains(e.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	contract("Slice", b.Slice(3, 2).Err())
	contract("Slice", b.Slice(-1, 2).Err())
	contract("Slice", b.Slice(0, 13).Err())
	contract("Slice", b.Slice(math.MaxInt, math.MinInt).Err())
	contract("Reshape2", b.Reshape2(5, 2).Err())
	contract("Reshape2", b.Reshape2(-3, -4).Err())
	contract("Reshape2", b.Reshape2(1<<62, 8).Err())
	contract("Reshape3", b.Reshape3(1<<40, 1<<40, 1<<40).Err())
	contract("Row", m.Row(3).Err())
	contract("Row", m.Row(-1).Err())
	contract("Slice", m.Slice(0, 4).Err())
	contract("Plane", v.Plane(2).Err())
	contract("Slice", v.Slice(2, 1).Err())
	// The first error goes through every further cut, and every use reports it.
	bad := b.Slice(9, 3)
	contract("Slice", bad.Slice(0, 0).Err())
	contract("Slice", bad.Reshape2(0, 0).Row(0).Err())
	contract("Slice", bad.Reshape3(0, 0, 0).Plane(0).Slice(0, 0).Err())
	contract("Slice", bad.Reshape3(0, 0, 0).Slice(0, 0).Row(0, 0).Err())
	contract("Slice", bad.Upload(s, nil))
	contract("Slice", bad.Download(s, nil))
	contract("Slice", bad.Free())
	contract("Slice", bad.Zero(s))
	contract("Slice", gpu.Copy(s, b.Slice(0, 0), bad))
	contract("Slice", Busy(s, bad))
	if bad.Len() != 0 || bad.IsZero() || b.IsZero() || !(gpu.Buffer[int32]{}).IsZero() || !(gpu.Buffer2[int32]{}).IsZero() || !(gpu.Buffer3[int32]{}).IsZero() {
		t.Error("IsZero or Len of a broken view")
	}
	contract("Free", b.Slice(0, 5).Free())
	contract("Free", b.Slice(1, 12).Free())
	ok(t, v.Free())
	ok(t, b.Free())
	if err := m.Err(); !errors.Is(err, gpu.ErrFreed) {
		t.Error(err)
	}
}

func TestAllocations(t *testing.T) {
	_, s := cpu(t)
	a, err := gpu.Alloc[uint8](s, 5)
	ok(t, err)
	equal(t, download(t, s, a), 0, 0, 0, 0, 0)
	ok(t, a.Upload(s, []uint8{1, 2, 3, 4, 5}))
	ok(t, a.Slice(1, 3).Zero(s))
	equal(t, download(t, s, a), 1, 0, 0, 4, 5)
	ok(t, gpu.Copy(s, a.Slice(3, 5), a.Slice(0, 2)))
	equal(t, download(t, s, a), 1, 0, 0, 1, 0)
	want[*gpu.AliasError](t, gpu.Copy(s, a.Slice(0, 3), a.Slice(2, 5)), nil)
	want[*gpu.ShapeError](t, gpu.Copy(s, a, a.Slice(0, 2)), nil)
	u, err := gpu.Alloc2[float32](s, 2, 3, gpu.Uninitialized())
	ok(t, err)
	ok(t, u.Upload(s, []float32{1, 2, 3, 4, 5, 6}))
	equal(t, download(t, s, u.Row(1)), 4, 5, 6)
	w, err := gpu.Upload2(s, []int16{1, 2, 3, 4}, 2, 2)
	ok(t, err)
	equal(t, download(t, s, w.Row(1)), 3, 4)
	v, err := gpu.Upload3(s, []int16{1, 2, 3, 4}, 2, 1, 2)
	ok(t, err)
	equal(t, download(t, s, v.Row(1, 0)), 3, 4)
	none, err := gpu.Upload(s, []float64(nil))
	ok(t, err)
	ok(t, none.Download(s, nil))
	ok(t, Saxpy(s, 1, none, none))
	ok(t, none.Free())
	if !errors.Is(none.Err(), gpu.ErrFreed) {
		t.Error(none.Err())
	}

	_, err = gpu.Upload2(s, []int16{1, 2, 3}, 2, 2)
	want[*gpu.ContractError](t, err, nil)
	_, err = gpu.Upload3(s, []int16{1, 2, 3}, 1, 2, 2)
	want[*gpu.ContractError](t, err, nil)
	for _, n := range []int{-1, math.MinInt, math.MaxInt} {
		_, err = gpu.Alloc[float64](s, n)
		want[*gpu.ContractError](t, err, nil)
	}
	_, err = gpu.Alloc2[float32](s, 1<<40, 1<<40)
	want[*gpu.ContractError](t, err, nil)
	_, err = gpu.Alloc3[float32](s, 1<<40, 1<<40, 1<<40)
	want[*gpu.ContractError](t, err, nil)
	_, err = gpu.Alloc[float64](s, 1<<50)
	want(t, err, func(e *gpu.AllocError) bool {
		return e.Requested == 1<<53 && e.Available > 0 && e.Available < e.Requested
	})

	type packed struct {
		A, B bool
		V    int32
	}
	flags := upload(t, s, packed{true, false, 7})
	equal(t, download(t, s, flags), packed{true, false, 7})
	refuse[int](t, s)
	refuse[uint](t, s)
	refuse[string](t, s)
	refuse[*float32](t, s)
	refuse[[]float32](t, s)
	refuse[struct{ A, B int }](t, s)
	refuse[[2]func()](t, s)
	refuse[struct{}](t, s)
	refuse[[0]int32](t, s)
	refuse[complex64](t, s)
	refuse[any](t, s)
}

func refuse[T any](t *testing.T, s *gpu.Stream) {
	t.Helper()
	_, err := gpu.Alloc[T](s, 1)
	var e *gpu.ContractError
	if !errors.As(err, &e) {
		t.Errorf("%T as an element: %v", *new(T), err)
	}
	_, err = gpu.Upload(s, make([]T, 1))
	if !errors.As(err, &e) {
		t.Errorf("%T as an element: %v", *new(T), err)
	}
}

func TestNilAndZero(t *testing.T) {
	_, s := cpu(t)
	b := upload[float32](t, s, 1, 2)
	for _, z := range []*gpu.Stream{nil, new(gpu.Stream)} {
		_, err := gpu.Alloc[float32](z, 1)
		_, err2 := gpu.Upload(z, []float32{1})
		for i, err := range []error{err, err2, Saxpy(z, 1, b, b), z.Sync(), z.Close(), z.Wait(context.Background()), b.Upload(z, []float32{1, 2}),
			b.Download(z, []float32{1, 2}), b.Zero(z), gpu.Copy(z, b, b), z.Record(nil), z.WaitEvent(nil)} {
			if !errors.Is(err, gpu.ErrNil) {
				t.Errorf("stream call %d: %v", i, err)
			}
		}
	}
	for _, d := range []*gpu.Device{nil, new(gpu.Device)} {
		_, err := d.NewStream()
		_, err2 := d.NewEvent()
		_, _, err3 := d.Memory()
		for i, err := range []error{err, err2, err3, d.Close()} {
			if !errors.Is(err, gpu.ErrNil) {
				t.Errorf("device call %d: %v", i, err)
			}
		}
		if d.Name() != "none" || d.String() != "none" || d.Kind() != 0 || d.Arch() != "" || d.DefaultStream() != nil || d.Leaks() != 0 {
			t.Error("properties of no device")
		}
	}
	for _, e := range []*gpu.Event{nil, new(gpu.Event)} {
		_, err := e.Done()
		_, err2 := e.Since(e)
		for i, err := range []error{err, err2, e.Sync(), e.Close(), s.Record(e), s.WaitEvent(e)} {
			if !errors.Is(err, gpu.ErrNil) {
				t.Errorf("event call %d: %v", i, err)
			}
		}
	}
	var z gpu.Buffer[float32]
	for i, err := range []error{z.Err(), z.Free(), z.Upload(s, nil), z.Download(s, nil), z.Zero(s), gpu.Copy(s, z, b), gpu.Copy(s, b, z), Saxpy(s, 1, z, b),
		gpu.Buffer2[float32]{}.Err(), gpu.Buffer3[float32]{}.Free(), z.Slice(0, 0).Err()} {
		if !errors.Is(err, gpu.ErrNil) {
			t.Errorf("buffer call %d: %v", i, err)
		}
	}
	if err := Saxpy(s, 1, z, b); !strings.Contains(err.Error(), "Saxpy[float32]: x") {
		t.Errorf("the error does not name kernel and parameter: %v", err)
	}
	want[*gpu.ContractError](t, z.Slice(0, 1).Err(), nil)
	var k *gpu.Kernel
	l := k.Begin(s)
	l.Read("x", b.View())
	gpu.Value(l, 1.5)
	l.Equal("x", 0, 1, 2)
	if err := l.Points(gpu.Span{Hi: 1}); !errors.Is(err, gpu.ErrNil) {
		t.Error(err)
	}
	if _, err := gpu.Open(gpu.Option{}); !errors.Is(err, gpu.ErrNoDevice) {
		t.Error(err)
	}
}

func TestFreedClosedForeign(t *testing.T) {
	d, s := cpu(t)
	x, y := upload[float32](t, s, 1, 2), upload[float32](t, s, 1, 2)
	ok(t, x.Free())
	ok(t, x.Free())
	err := Saxpy(s, 1, x, y)
	if !errors.Is(err, gpu.ErrFreed) || !strings.Contains(err.Error(), "x") {
		t.Error(err)
	}
	for i, err := range []error{x.Err(), x.Slice(0, 1).Err(), x.Upload(s, []float32{1, 2}), x.Download(s, make([]float32, 2)), x.Zero(s), gpu.Copy(s, x, y), gpu.Copy(s, y, x)} {
		if !errors.Is(err, gpu.ErrFreed) {
			t.Errorf("freed %d: %v", i, err)
		}
	}
	s2, err := d.NewStream()
	ok(t, err)
	ok(t, Saxpy(s2, 1, y.Slice(0, 1), y.Slice(1, 2)))
	ok(t, s2.Close())
	ok(t, s2.Close())
	e, err := d.NewEvent()
	ok(t, err)
	for i, err := range []error{Saxpy(s2, 1, y, y), s2.Sync(), s2.Record(e), s2.WaitEvent(e), y.Upload(s2, []float32{1, 2}), y.Zero(s2), s2.Wait(context.Background())} {
		if !errors.Is(err, gpu.ErrClosed) {
			t.Errorf("closed stream %d: %v", i, err)
		}
	}
	equal(t, download(t, s, y), 1, 3) // the closed stream's work was done
	ok(t, e.Close())
	ok(t, e.Close())
	if err := s.Record(e); !errors.Is(err, gpu.ErrClosed) {
		t.Error(err)
	}
	ok(t, s.Close()) // the default stream: only waits
	ok(t, s.Sync())
}

func TestCloseDevice(t *testing.T) {
	d, err := gpu.Open(gpu.CPU())
	ok(t, err)
	d2, err := gpu.Open(gpu.CPU())
	ok(t, err)
	if d == d2 || d.DefaultStream() != d2.DefaultStream() {
		t.Error("two handles must share one device")
	}
	s := d.DefaultStream()
	x := upload[int32](t, s, 0, 0)
	e, err := d.NewEvent()
	ok(t, err)
	s2, err := d.NewStream()
	ok(t, err)
	ok(t, d.Close())
	ok(t, d.Close())
	if _, err := d.NewStream(); !errors.Is(err, gpu.ErrClosed) {
		t.Error(err)
	}
	ok(t, Slow(s, x)) // d2 keeps the device open
	ok(t, Slow(s2, x))
	ok(t, d2.Close())
	for i, err := range []error{Slow(s, x), Slow(s2, x), s.Sync(), s2.Sync(), e.Sync(), s.Record(e)} {
		if !errors.Is(err, gpu.ErrClosed) {
			t.Errorf("after Close %d: %v", i, err)
		}
	}
	if _, err := gpu.Alloc[int32](s, 1); !errors.Is(err, gpu.ErrClosed) {
		t.Error(err)
	}
	ok(t, x.Free())
	ok(t, e.Close())
	ok(t, s.Close())
	ok(t, s2.Close())
	if !errors.Is(x.Err(), gpu.ErrFreed) {
		t.Error(x.Err())
	}
	// Open again, and the old buffer is another device's.
	_, s3 := cpu(t)
	y := upload[int32](t, s3, 5, 6)
	ok(t, Slow(s3, y))
	equal(t, download(t, s3, y), 6, 6)
	if err := Slow(s3, x); err == nil {
		t.Error("a buffer of the closed device was taken")
	}
}

func TestCloseReportsTheLastTrap(t *testing.T) {
	d, err := gpu.Open(gpu.CPU())
	ok(t, err)
	ok(t, Crash(d.DefaultStream()))
	want[*gpu.TrapError](t, d.Close(), nil)
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

func TestOrderAcrossStreams(t *testing.T) {
	d, s := cpu(t)
	var streams []*gpu.Stream
	for range 5 {
		o, err := d.NewStream()
		ok(t, err)
		streams = append(streams, o)
	}
	x := upload[int32](t, s, 0)
	for _, o := range streams {
		ok(t, Slow(o, x)) // each reads what the one before wrote, 20 ms later
	}
	equal(t, download(t, s, x), 5)
	// Readers hold a writer up.
	a, b := upload[float32](t, s, 1, 1), upload[float32](t, s, 0, 0)
	for _, o := range streams {
		ok(t, Saxpy(o, 1, a, b))
	}
	ok(t, a.Zero(streams[0]))
	equal(t, download(t, streams[1], b), 5, 5)
	equal(t, download(t, streams[2], a), 0, 0)
	// Two slow writers in one stream each, then a free in between: Free waits.
	y := upload[int32](t, s, 0)
	ok(t, Slow(streams[3], y))
	ok(t, y.Free())
	for _, o := range streams {
		ok(t, o.Close())
	}
}

func TestUnorderedStreams(t *testing.T) {
	d, s := cpu(t)
	u, err := d.NewStream(gpu.Unordered())
	ok(t, err)
	x := upload[int32](t, s, 0, 0)
	start := time.Now()
	ok(t, Slow(s, x.Slice(0, 1)))
	ok(t, x.Slice(1, 2).Upload(u, []int32{9})) // at once, though s still writes
	if e := time.Since(start); e > 15*time.Millisecond {
		t.Skipf("the machine is too busy to tell: %v", e)
	}
	// An ordered stream waits for both.
	o, err := d.NewStream()
	ok(t, err)
	equal(t, download(t, o, x), 1, 9)
	// With events an unordered stream waits, too.
	e, err := d.NewEvent()
	ok(t, err)
	ok(t, Slow(s, x))
	ok(t, s.Record(e))
	ok(t, u.WaitEvent(e))
	ok(t, Slow(u, x))
	equal(t, download(t, o, x), 3, 9)
}

func TestEvents(t *testing.T) {
	d, s := cpu(t)
	a, err := d.NewEvent()
	ok(t, err)
	b, err := d.NewEvent()
	ok(t, err)
	if _, err := b.Since(a); err == nil {
		t.Error("time between events that were never recorded")
	}
	if done, err := a.Done(); !done || err != nil {
		t.Error("an event that was never recorded is reached", done, err)
	}
	ok(t, a.Sync())
	x := upload[int32](t, s, 0)
	ok(t, s.Record(a))
	ok(t, Slow(s, x))
	ok(t, s.Record(b))
	if done, _ := b.Done(); done {
		t.Error("reached before the work in front of it")
	}
	e, err := b.Since(a)
	ok(t, err)
	if e < 19*time.Millisecond || e > 10*time.Second {
		t.Errorf("20 ms of work took %v", e)
	}
	if done, err := b.Done(); !done || err != nil {
		t.Error(done, err)
	}
}

func TestWait(t *testing.T) {
	_, s := cpu(t)
	x := upload[int32](t, s, 0)
	ok(t, s.Wait(context.Background()))
	ok(t, Slow(s, x))
	ok(t, Crash(s))
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := s.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait past its context: %v", err)
	}
	// What went wrong is not lost with the call that gave up.
	ctx2, cancel2 := context.WithTimeout(context.Background(), time.Minute)
	defer cancel2()
	want[*gpu.TrapError](t, s.Wait(ctx2), nil)
	ok(t, s.Wait(ctx2))
	cancel2()
	if err := s.Wait(ctx2); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestManyGoroutines(t *testing.T) {
	d, s := cpu(t)
	s2, err := d.NewStream()
	ok(t, err)
	rounds := 50
	if raceEnabled {
		rounds = 5
	}
	var wg sync.WaitGroup
	for g := range 200 {
		wg.Go(func() {
			s := s
			if g%2 != 0 {
				s = s2
			}
			for r := range rounds {
				v := []float32{float32(g), float32(r), 3}
				x, err := gpu.Upload(s, v)
				runtime.Gosched()
				y, err2 := gpu.Alloc[float32](s, 3)
				runtime.Gosched()
				err3 := Saxpy(s, 2, x, y)
				runtime.Gosched()
				h := make([]float32, 3)
				err4 := y.Download(s, h)
				err5 := errors.Join(x.Free(), y.Free())
				if err := errors.Join(err, err2, err3, err4, err5); err != nil || h[0] != 2*v[0] || h[1] != 2*v[1] || h[2] != 6 {
					t.Errorf("goroutine %d: %v, %v", g, h, err)
					return
				}
			}
		})
	}
	wg.Wait()
	ok(t, s2.Close())
}

func TestCloseWhileInUse(t *testing.T) {
	for range 20 {
		d, err := gpu.Open(gpu.CPU())
		ok(t, err)
		s := d.DefaultStream()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					x, err := gpu.Upload(s, []float32{1, 2, 3})
					if err == nil {
						_ = Saxpy(s, 1, x.Slice(0, 1), x.Slice(1, 2))
						err = x.Download(s, make([]float32, 3))
						_ = x.Free()
					}
					if err != nil {
						if !errors.Is(err, gpu.ErrClosed) && !errors.Is(err, gpu.ErrFreed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		time.Sleep(time.Millisecond)
		ok(t, d.Close())
		wg.Wait()
	}
}

func TestFreeWhileInUse(t *testing.T) {
	_, s := cpu(t)
	for range 50 {
		x := upload[float32](t, s, 1, 2)
		y := upload[float32](t, s, 1, 2)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					if err := Saxpy(s, 1, x, y); err != nil {
						if !errors.Is(err, gpu.ErrFreed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		ok(t, x.Free())
		wg.Wait()
		ok(t, y.Free())
	}
}

func TestLeaks(t *testing.T) {
	d, s := cpu(t)
	before := d.Leaks()
	leak := func() {
		x := upload[int32](t, s, 0)
		ok(t, Slow(s, x)) // still running when the last view goes
	}
	leak()
	kept := upload[int32](t, s, 7)
	for deadline := time.Now().Add(10 * time.Second); d.Leaks() == before; {
		if time.Now().After(deadline) {
			t.Fatal("the lost allocation was never found")
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	ok(t, s.Sync())
	equal(t, download(t, s, kept), 7)
	ok(t, kept.Free())
	for range 10000 {
		b, err := gpu.Alloc[float32](s, 10)
		ok(t, err)
		ok(t, b.Free())
	}
	runtime.GC()
	runtime.GC()
	time.Sleep(5 * time.Millisecond)
	if got := d.Leaks(); got != before+1 {
		t.Errorf("%d leaks of allocations that were freed", got-before-1)
	}
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

	list := gpu.Devices()
	last := list[len(list)-1]
	if last.Kind != gpu.KindCPU || last.Name == "" || fmt.Sprint(last.Kind) != "cpu" {
		t.Errorf("%+v", list)
	}
	d, err = gpu.Open(last.Option())
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
