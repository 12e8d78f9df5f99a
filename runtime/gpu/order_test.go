package gpu_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpugen/gpugen/runtime/gpu"
)

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

// TestB20EndlessOnTheCPU: a kernel that does not end holds nobody who waits with a context, and no other stream.
func TestB20EndlessOnTheCPU(t *testing.T) {
	var over atomic.Bool
	k := gpu.Kernel{Name: "Endless", CPU: func(*gpu.Args, *gpu.Box) {
		for !over.Load() {
			runtime.Gosched()
		}
	}, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetCPU}
	d, s := cpu(t)
	t.Cleanup(func() { over.Store(true) }) // runs before the device is closed
	ok(t, k.Begin(s).Points(gpu.Span{Hi: 1}))
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		if err := s.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait for a kernel that does not end: %v", err)
		}
		cancel()
	}
	other, err := d.NewStream()
	ok(t, err)
	x, y := upload[float32](t, other, 1, 2), upload[float32](t, other, 3, 4)
	ok(t, Saxpy(other, 2, x, y))
	equal(t, download(t, other, y), 5, 8)
	ok(t, other.Close())
	over.Store(true)
	ok(t, s.Sync())
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
