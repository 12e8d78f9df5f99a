//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package opencl

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

type stream struct {
	d      *device
	handle uintptr
}

// NewStream makes an in-order queue, with profiling, which the times of events need.
func (d *device) NewStream() (driver.Stream, error) {
	var code int32
	h, err := d.create("clCreateCommandQueue", d.clCreateCommandQueue, &code, d.context, d.handle, queueProfiling, uintptr(unsafe.Pointer(&code)))
	return &stream{d, h}, err
}

// begun hands what was enqueued to the device: a queue may keep it until somebody waits, and another queue that waits
// for it would wait for ever.
func (s *stream) begun(err error) error {
	if err != nil {
		return err
	}
	return s.d.call("clFlush", s.d.clFlush, s.handle)
}

// Launch is the hot call: it spreads pooled argument lists, so it allocates nothing. The library copies the arguments
// when they are set.
func (s *stream) Launch(fn driver.Func, g *driver.Grid, a *driver.Args) error {
	f := fn.(*function)
	f.mu.Lock()
	err := s.launch(f, g, a)
	f.mu.Unlock()
	a.Release()
	return err
}

func (s *stream) launch(f *function, g *driver.Grid, a *driver.Args) error {
	d, c := s.d, &a.Call
	n := uintptr(0)
	set := func(size uintptr, at unsafe.Pointer) uintptr {
		c[0], c[1], c[2], c[3] = f.handle, n, size, uintptr(at) // in a, which is on the heap and lives until Release
		n++
		r, _, _ := purego.SyscallN(d.clSetKernelArg, c[:4]...)
		return r
	}
	for i := range a.Len() {
		var r uintptr
		if mem, first := a.Handle(i); mem != nil {
			if r = set(unsafe.Sizeof(uintptr(0)), mem); r == 0 {
				r = set(8, first)
			}
		} else {
			at, size := a.Value(i)
			r = set(uintptr(size), at)
		}
		if int32(r) != 0 {
			return check("clSetKernelArg", r)
		}
	}
	for i := range 3 {
		threads := f.block[i]
		if f.block[0] == 0 {
			threads = uintptr(g.Threads[i])
		}
		a.Sizes[0][i], a.Sizes[1][i] = uintptr(g.Blocks[i])*threads, threads
	}
	*c = [12]uintptr{s.handle, f.handle, 3, 0, uintptr(unsafe.Pointer(&a.Sizes[0])), uintptr(unsafe.Pointer(&a.Sizes[1]))}
	if r, _, _ := purego.SyscallN(d.clEnqueueNDRangeKernel, c[:9]...); int32(r) != 0 {
		return check("clEnqueueNDRangeKernel", r)
	}
	c[0] = s.handle
	r, _, _ := purego.SyscallN(d.clFlush, c[:1]...)
	return check("clFlush", r)
}

// staged is how many bytes a copy in takes over at once, by way of a buffer of their own. For more it waits for its turn
// in the queue.
const staged = 64 << 10

func (s *stream) CopyIn(dst driver.Mem, off int, src unsafe.Pointer, n int) error {
	d := s.d
	if n > staged {
		return d.call("clEnqueueWriteBuffer", d.clEnqueueWriteBuffer, s.handle, dst.Addr, 1, uintptr(off), uintptr(n), uintptr(src), 0, 0, 0)
	}
	var code int32
	temp, err := d.create("clCreateBuffer", d.clCreateBuffer, &code, d.context, memReadWrite|memCopyHostPtr, uintptr(n), uintptr(src), uintptr(unsafe.Pointer(&code)))
	if err != nil {
		return err
	}
	err = s.Copy(dst, off, driver.Mem{Addr: temp}, 0, n)
	if e := d.call("clReleaseMemObject", d.clReleaseMemObject, temp); err == nil { // it goes when the copy is done
		err = e
	}
	return err
}

func (s *stream) CopyOut(dst unsafe.Pointer, src driver.Mem, off, n int) error {
	err := lost(s.d.call("clEnqueueReadBuffer", s.d.clEnqueueReadBuffer, s.handle, src.Addr, 1, uintptr(off), uintptr(n), uintptr(dst), 0, 0, 0))
	runtime.KeepAlive(dst)
	return err
}

func (s *stream) Copy(dst driver.Mem, dstOff int, src driver.Mem, srcOff, n int) error {
	return s.begun(s.d.call("clEnqueueCopyBuffer", s.d.clEnqueueCopyBuffer, s.handle, src.Addr, dst.Addr, uintptr(srcOff), uintptr(dstOff), uintptr(n), 0, 0, 0))
}

// Zero fills with the widest pattern that divides place and length, as OpenCL wants it.
func (s *stream) Zero(dst driver.Mem, off, n int) error {
	var zeros [16]byte
	size := len(zeros)
	for (off|n)%size != 0 {
		size /= 2
	}
	return s.begun(s.d.call("clEnqueueFillBuffer", s.d.clEnqueueFillBuffer, s.handle, dst.Addr, uintptr(unsafe.Pointer(&zeros)), uintptr(size), uintptr(off), uintptr(n), 0, 0, 0))
}

// After marks the end of other's work and holds this queue until it is reached.
func (s *stream) After(other driver.Stream) error {
	mark, err := other.(*stream).mark()
	if err != nil {
		return err
	}
	err = s.hold(mark)
	if e := s.d.call("clReleaseEvent", s.d.clReleaseEvent, mark); err == nil {
		err = e
	}
	return err
}

// mark is an event at the end of the work so far, which the caller releases.
func (s *stream) mark() (uintptr, error) {
	var event uintptr
	err := s.d.call("clEnqueueMarkerWithWaitList", s.d.clEnqueueMarkerWithWaitList, s.handle, 0, 0, uintptr(unsafe.Pointer(&event)))
	return event, s.begun(err)
}

// hold makes later work wait for an event.
func (s *stream) hold(event uintptr) error {
	return s.begun(s.d.call("clEnqueueBarrierWithWaitList", s.d.clEnqueueBarrierWithWaitList, s.handle, 1, uintptr(unsafe.Pointer(&event)), 0))
}

func (s *stream) Sync() error { return lost(s.d.call("clFinish", s.d.clFinish, s.handle)) }

func (s *stream) Drain() error { return s.Sync() }

func (s *stream) Close() error {
	return s.d.call("clReleaseCommandQueue", s.d.clReleaseCommandQueue, s.handle)
}

// lost marks what a waiting call reports of work that ran: a command that failed leaves the rest of its context in a
// state that OpenCL does not define.
func lost(err error) error {
	if f, ok := err.(*driver.Fault); ok && (f.Code == outOfResources || f.Code == statusOfEvents || f.Code == invalidContext || f.Code == invalidQueue) {
		f.Sticky = true
	}
	return err
}
