//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package cuda

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// Flags of streams and events.
const (
	streamNonBlocking  = 1 // does not wait for the legacy default stream
	eventDisableTiming = 2
)

type stream struct {
	d      *device
	handle uintptr
	mark   uintptr // an event for After, 0 until it is needed; recorded anew for each use
}

func (d *device) NewStream() (driver.Stream, error) {
	s := &stream{d: d}
	return s, d.call("cuStreamCreate", d.cuStreamCreate, uintptr(unsafe.Pointer(&s.handle)), streamNonBlocking)
}

// Results of a call that needs its context to be current and finds none, or another device's.
const (
	invalidContext = 201
	invalidHandle  = 400
)

// Launch is the hot call: it spreads a pooled argument list, so it allocates nothing. The library copies the
// arguments before it returns. A launch in a stream of its own takes the context from the stream in today's drivers;
// one that wants it to be current says so, has launched nothing and is asked again, and from then on every launch makes it
// current first.
func (s *stream) Launch(f driver.Func, g *driver.Grid, a *driver.Args) error {
	d, c := s.d, &a.Call
	c[0] = f.(*function).handle
	c[1], c[2], c[3] = uintptr(g.Blocks[0]), uintptr(g.Blocks[1]), uintptr(g.Blocks[2])
	c[4], c[5], c[6] = uintptr(g.Threads[0]), uintptr(g.Threads[1]), uintptr(g.Threads[2])
	c[7] = 0 // bytes of dynamic shared memory
	c[8] = s.handle
	c[9] = uintptr(a.Params()) // a is on the heap and lives until Release below
	c[10] = 0                  // extra
	var r uintptr
	if !d.strict.Load() {
		if r, _, _ = purego.SyscallN(d.cuLaunchKernel, c[:11]...); int32(r) == invalidContext || int32(r) == invalidHandle {
			d.strict.Store(true)
		}
	}
	if d.strict.Load() {
		before := d.enter()
		r, _, _ = purego.SyscallN(d.cuLaunchKernel, c[:11]...)
		d.leave(before)
	}
	a.Release()
	if r != 0 {
		return d.check("cuLaunchKernel", r)
	}
	return nil
}

// CopyIn: the library reads pageable memory before it returns.
func (s *stream) CopyIn(dst driver.Mem, off int, src unsafe.Pointer, n int) error {
	return s.d.call("cuMemcpyHtoDAsync", s.d.cuMemcpyHtoDAsync, dst.Addr+uintptr(off), uintptr(src), uintptr(n), s.handle)
}

func (s *stream) CopyOut(dst unsafe.Pointer, src driver.Mem, off, n int) error {
	if err := s.d.call("cuMemcpyDtoHAsync", s.d.cuMemcpyDtoHAsync, uintptr(dst), src.Addr+uintptr(off), uintptr(n), s.handle); err != nil {
		return err
	}
	err := s.Sync()
	runtime.KeepAlive(dst)
	return err
}

func (s *stream) Copy(dst driver.Mem, dstOff int, src driver.Mem, srcOff, n int) error {
	return s.d.call("cuMemcpyDtoDAsync", s.d.cuMemcpyDtoDAsync, dst.Addr+uintptr(dstOff), src.Addr+uintptr(srcOff), uintptr(n), s.handle)
}

func (s *stream) Zero(dst driver.Mem, off, n int) error {
	return s.d.call("cuMemsetD8Async", s.d.cuMemsetD8Async, dst.Addr+uintptr(off), 0, uintptr(n), s.handle)
}

// After records other's event and waits for it. The wait is for this recording, so the event can be recorded again.
func (s *stream) After(other driver.Stream) error {
	o, d := other.(*stream), s.d
	if o.mark == 0 {
		if err := d.call("cuEventCreate", d.cuEventCreate, uintptr(unsafe.Pointer(&o.mark)), eventDisableTiming); err != nil {
			return err
		}
	}
	if err := d.call("cuEventRecord", d.cuEventRecord, o.mark, o.handle); err != nil {
		return err
	}
	return d.call("cuStreamWaitEvent", d.cuStreamWaitEvent, s.handle, o.mark, 0)
}

func (s *stream) Sync() error {
	return s.d.call("cuStreamSynchronize", s.d.cuStreamSynchronize, s.handle)
}

func (s *stream) Drain() error { return s.Sync() }

func (s *stream) Close() error {
	var first error
	if s.mark != 0 {
		first = s.d.call("cuEventDestroy", s.d.cuEventDestroy, s.mark)
	}
	if err := s.d.call("cuStreamDestroy", s.d.cuStreamDestroy, s.handle); first == nil {
		first = err
	}
	return first
}
