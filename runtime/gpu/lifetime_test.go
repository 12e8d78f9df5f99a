package gpu_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpugen/gpugen/runtime/gpu"
)

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
		if d.Name() != "none" || d.String() != "none" || d.Kind() != 0 || d.Arch() != "" || d.Driver() != "" || d.DefaultStream() != nil || d.Leaks() != 0 {
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

// GPUGEN_DEBUG=leaks names the line that allocated.
func TestLeakReport(t *testing.T) {
	self, err := os.Executable()
	ok(t, err)
	c := exec.Command(self, "-test.run=^TestLeaks$")
	c.Env = append(os.Environ(), "GPUGEN_DEBUG=leaks")
	out, err := c.CombinedOutput()
	ok(t, err)
	if !strings.Contains(string(out), "4 bytes on cpu were never freed") || !strings.Contains(string(out), "lifetime_test.go:") || strings.Contains(string(out), "alloc.go") {
		t.Errorf("%s", out)
	}
}
