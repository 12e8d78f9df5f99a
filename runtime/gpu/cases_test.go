package gpu_test

import (
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpugen/gpugen/runtime/gpu"
)

// Faults that users of other runtimes have met, tried on every kind of device: threads without the device's context (B27),
// and memory that goes too early, twice or never (B28).

// caseDevice is a device for the cases, with kernels of its own.
type caseDevice struct {
	option gpu.Option
	open   func(t testing.TB) (*gpu.Device, *gpu.Stream)
	saxpy  func(s *gpu.Stream, a float32, x, y gpu.Buffer[float32]) error
	slow   func(s *gpu.Stream, x gpu.Buffer[int32]) error // x[0]++, after a while
	block  int                                            // bytes of each of 10,000 allocations
	// held is how much memory is taken now, of which d's allocations are a part.
	held func(t testing.TB, d *gpu.Device) int64
}

// deviceHeld is held of a device with memory of its own.
func deviceHeld(t testing.TB, d *gpu.Device) int64 {
	free, total, err := d.Memory()
	ok(t, err)
	return total - free
}

func TestCPUCases(t *testing.T) {
	cases(t, caseDevice{
		option: gpu.CPU(), open: cpu, saxpy: Saxpy[float32], slow: Slow, block: 64 << 10,
		held: func(t testing.TB, d *gpu.Device) int64 { // its memory is Go's
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		},
	})
}

func TestOpenCLCases(t *testing.T) {
	cases(t, caseDevice{
		option: gpu.OpenCL(0), open: opencl, saxpy: clSaxpy, block: 64 << 10, held: deviceHeld,
		slow: func(s *gpu.Stream, x gpu.Buffer[int32]) error { return onOne(clSlowKernel, s, x) },
	})
}

func TestCUDACases(t *testing.T) {
	d, _ := cuda(t)
	c := caseDevice{
		option: gpu.CUDA(0), open: cuda, saxpy: Saxpy[float32], block: 1 << 20, held: deviceHeld,
		slow: func(s *gpu.Stream, x gpu.Buffer[int32]) error { return onOne(&slowDevice, s, x) },
	}
	if d.Name() == fakeName {
		c.block = 64
	}
	ok(t, d.Close()) // so that the last handle of a case is the last of the device
	cases(t, c)
}

func cases(t *testing.T, c caseDevice) {
	for name, test := range map[string]func(*testing.T, caseDevice){
		"B27 goroutines":      caseGoroutines,
		"B27 opened, closed":  caseOpenedClosed,
		"B28 freed in use":    caseFreedInUse,
		"B28 lost in use":     caseLostInUse,
		"B28 freed twice":     caseFreedTwice,
		"B28 order":           caseOrderOfClosing,
		"B28 memory":          caseMemory,
		"B28 closed with all": caseClosedWithAll,
	} {
		t.Run(name, func(t *testing.T) { test(t, c) })
	}
}

// saxpyOnce does all that a program does with a device, and gives up its thread in between.
func (c caseDevice) saxpyOnce(s *gpu.Stream, v float32) error {
	x, err := gpu.Upload(s, []float32{v, v + 1, 3})
	runtime.Gosched()
	y, err2 := gpu.Alloc[float32](s, 3)
	runtime.Gosched()
	err3 := c.saxpy(s, 2, x, y)
	runtime.Gosched()
	var h [3]float32
	err4 := y.Download(s, h[:])
	runtime.Gosched()
	err5 := x.Free()
	runtime.Gosched()
	if err := errors.Join(err, err2, err3, err4, err5, y.Free()); err != nil {
		return err
	}
	if h != [3]float32{2 * v, 2 * (v + 1), 6} {
		return errors.New("wrong result")
	}
	return nil
}

// caseGoroutines: a context belongs to a thread, and goroutines change threads between any two calls.
func caseGoroutines(t *testing.T, c caseDevice) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rounds := 50
	if raceEnabled {
		rounds = 5
	}
	d, s := c.open(t)
	s2, err := d.NewStream()
	ok(t, err)
	for _, procs := range []int{1, 2, 64} {
		runtime.GOMAXPROCS(procs)
		var wg sync.WaitGroup
		for g := range 200 {
			wg.Go(func() {
				s := s
				if g%2 != 0 {
					s = s2
				}
				for r := range rounds {
					if err := c.saxpyOnce(s, float32(64*g+r)); err != nil {
						t.Errorf("%d processors, goroutine %d, round %d: %v", procs, g, r, err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	ok(t, s2.Close())
}

// caseOpenedClosed opens a device on a thread that ends, uses it elsewhere and closes it on a third one.
func caseOpenedClosed(t *testing.T, c caseDevice) {
	first, _ := c.open(t) // skips where there is none
	ok(t, first.Close())
	for range 3 {
		var d *gpu.Device
		on := func(f func() error) {
			t.Helper()
			done := make(chan error)
			go func() {
				runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
				done <- f()
			}()
			ok(t, <-done)
		}
		on(func() (err error) { d, err = gpu.Open(c.option); return err })
		on(func() error { return c.saxpyOnce(d.DefaultStream(), 1) })
		on(func() error { return d.Close() })
		if err := c.saxpyOnce(d.DefaultStream(), 1); !errors.Is(err, gpu.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// caseFreedInUse frees memory while a kernel and a copy use it: Free waits for them, and what takes the place of the memory
// changes nothing.
func caseFreedInUse(t *testing.T, c caseDevice) {
	d, s := c.open(t)
	s2, err := d.NewStream()
	ok(t, err)
	end, err := d.NewEvent()
	ok(t, err)
	const n = 1 << 16
	for i, s := range []*gpu.Stream{s, s2, s} {
		x, y := upload(t, s, make([]int32, n)...), upload(t, s, make([]int32, n)...)
		ok(t, s.Sync())
		ok(t, c.slow(s, x))
		ok(t, gpu.Copy(s, y, x))
		ok(t, s.Record(end))
		freed := make(chan error)
		go func() { freed <- x.Free() }()
		ok(t, <-freed)
		if done, err := end.Done(); err != nil || !done {
			t.Errorf("round %d: Free came back before the work was done: %v", i, err)
		}
		var junk []gpu.Buffer[int32]
		for range 4 {
			b, err := gpu.Alloc[int32](s2, n, gpu.Uninitialized())
			ok(t, err)
			h := make([]int32, n)
			for i := range h {
				h[i] = -1
			}
			ok(t, b.Upload(s2, h))
			junk = append(junk, b)
		}
		if got := download(t, s, y); got[0] != 1 || got[1] != 0 || got[n-1] != 0 {
			t.Errorf("round %d: the copy holds %d %d … %d", i, got[0], got[1], got[n-1])
		}
		for _, b := range append(junk, y) {
			ok(t, b.Free())
		}
	}
	ok(t, s2.Close())
	ok(t, end.Close())
}

// caseLostInUse drops the last view of memory that a kernel uses: it is found and freed, not before the kernel has ended.
func caseLostInUse(t *testing.T, c caseDevice) {
	d, s := c.open(t)
	y := upload[int32](t, s, 7)
	leaks := d.Leaks()
	func() {
		x := upload[int32](t, s, 0)
		ok(t, c.slow(s, x))
		ok(t, gpu.Copy(s, y, x))
	}()
	runtime.GC()
	runtime.GC()
	ok(t, s.Sync())
	equal(t, download(t, s, y), 1)
	for deadline := time.Now().Add(20 * time.Second); d.Leaks() == leaks; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the lost allocation was never found")
		}
		runtime.GC()
	}
	ok(t, y.Free())
}

// caseFreedTwice: a second Free is nothing, whatever becomes of the device, and every use of freed memory is ErrFreed.
func caseFreedTwice(t *testing.T, c caseDevice) {
	d, s := c.open(t)
	x, y := upload[float32](t, s, 1, 2), upload[float32](t, s, 3, 4)
	ok(t, c.saxpy(s, 1, x, y))
	var wg sync.WaitGroup
	for range 8 { // at once
		wg.Go(func() {
			if err := x.Free(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	ok(t, x.Free())
	for i, err := range []error{c.saxpy(s, 1, x, y), c.saxpy(s, 1, y, x), x.Upload(s, []float32{1, 2}), x.Download(s, make([]float32, 2)), x.Zero(s), gpu.Copy(s, x, y), gpu.Copy(s, y, x), x.Slice(1, 2).Err()} {
		if !errors.Is(err, gpu.ErrFreed) {
			t.Errorf("use %d of freed memory: %v", i, err)
		}
	}
	equal(t, download(t, s, y), 4, 6)
	ok(t, y.Free())
	ok(t, d.Close())
	ok(t, x.Free())
	ok(t, y.Free())
}

// caseOrderOfClosing closes a device before all that was made on it.
func caseOrderOfClosing(t *testing.T, c caseDevice) {
	d, s := c.open(t)
	s2, err := d.NewStream()
	ok(t, err)
	e, err := d.NewEvent()
	ok(t, err)
	x, y := upload[float32](t, s, 1, 2), upload[float32](t, s, 3, 4)
	z := upload[int32](t, s2, 0)
	ok(t, c.saxpy(s2, 1, x, y))
	ok(t, c.slow(s2, z)) // it runs while the device is closed
	ok(t, s2.Record(e))
	ok(t, d.Close())
	ok(t, d.Close())
	_, err = d.NewStream()
	_, err2 := gpu.Alloc[int32](s, 1)
	_, _, err3 := d.Memory()
	for i, err := range []error{err, err2, err3, s.Sync(), s2.Sync(), e.Sync(), s.Record(e), s2.WaitEvent(e), y.Zero(s)} {
		if !errors.Is(err, gpu.ErrClosed) && !errors.Is(err, gpu.ErrFreed) {
			t.Errorf("call %d after Close: %v", i, err)
		}
	}
	if err := c.saxpy(s, 1, x, y); !errors.Is(err, gpu.ErrClosed) {
		t.Errorf("a launch after Close: %v", err)
	}
	for range 2 {
		ok(t, errors.Join(x.Free(), y.Free(), z.Free(), e.Close(), s2.Close(), s.Close()))
	}
	_, s = c.open(t)
	ok(t, c.saxpyOnce(s, 5))
}

// caseMemory: 10,000 allocations, freed and some of them freed twice or under a kernel, leave nothing behind.
func caseMemory(t *testing.T, c caseDevice) {
	d, s := c.open(t)
	n, rounds := c.block/4, 10000
	round := func(use bool) {
		x, err := gpu.Alloc[int32](s, n)
		ok(t, err)
		if use {
			ok(t, c.slow(s, x))
			ok(t, x.Free())
		}
		ok(t, x.Free())
	}
	round(true)
	ok(t, s.Sync())
	before, leaks, resident := c.held(t, d), d.Leaks(), residentBytes()
	for i := range rounds {
		round(i%1000 == 0)
	}
	c.back(t, d, before, int64(rounds)/100*int64(c.block))                                           // a leak of one in a hundred shows
	if more, all := residentBytes()-resident, int64(rounds*c.block); all > 256<<20 && more > all/4 { // what a driver keeps in the process
		t.Errorf("the process has grown by %d bytes of %d", more, all)
	}
	if d.Leaks() != leaks {
		t.Errorf("%d allocations were found lost", d.Leaks()-leaks)
	}
}

// residentBytes is the memory of this process without what its garbage collector has yet to give back, 0 where the system does
// not tell.
func residentBytes() int64 {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	f := strings.Fields(string(text))
	if err != nil || len(f) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(f[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// caseClosedWithAll closes a device that still has memory: it is given back.
func caseClosedWithAll(t *testing.T, c caseDevice) {
	d, s := c.open(t)
	ok(t, c.saxpyOnce(s, 1)) // a driver keeps something from its first kernel on
	before := c.held(t, d)
	ok(t, d.Close())
	size := 256 * c.block
	for range 4 {
		d, s := c.open(t)
		_, err := gpu.Alloc[uint8](s, size)
		ok(t, err)
		ok(t, d.Close())
	}
	d, s = c.open(t)
	ok(t, c.saxpyOnce(s, 1))
	c.back(t, d, before, int64(size))
}

// back waits until less memory is taken than a limit above what was taken before.
func (c caseDevice) back(t *testing.T, d *gpu.Device, before, limit int64) {
	t.Helper()
	runtime.GC()
	runtime.GC()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		more := c.held(t, d) - before
		if more < limit {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes are not back", more)
		}
	}
}
