//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package opencl

import (
	"sync"
	"time"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// What the calls need of cl.h.
const (
	eventStatus    = 0x11d3
	profilingEnd   = 0x1283
	statusComplete = 0
	statusOfEvents = -14
	invalidContext = -34
	invalidQueue   = -36
)

// event is a marker in a queue, a new one with each recording: OpenCL's own events mark one command only.
type event struct {
	d *device

	mu     sync.Mutex
	marker uintptr // 0: never recorded
}

func (d *device) NewEvent() (driver.Event, error) { return &event{d: d}, nil }

func (e *event) Record(s driver.Stream) error {
	m, err := s.(*stream).mark()
	if err != nil {
		return err
	}
	e.mu.Lock()
	m, e.marker = e.marker, m
	e.mu.Unlock()
	return e.release(m)
}

func (e *event) release(marker uintptr) error {
	if marker == 0 {
		return nil
	}
	return e.d.call("clReleaseEvent", e.d.clReleaseEvent, marker)
}

// take is the marker of now, kept alive until the caller releases it; 0 for none.
func (e *event) take() (uintptr, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.marker == 0 {
		return 0, nil
	}
	return e.marker, e.d.call("clRetainEvent", e.d.clRetainEvent, e.marker)
}

// with calls f with the marker of now, if there is one.
func (e *event) with(f func(marker uintptr) error) error {
	m, err := e.take()
	if err != nil || m == 0 {
		return err
	}
	err = f(m)
	if r := e.release(m); err == nil {
		err = r
	}
	return err
}

func (e *event) Hold(s driver.Stream) error { return e.with(s.(*stream).hold) }

func (e *event) Sync() error {
	return e.with(func(m uintptr) error {
		return lost(e.d.call("clWaitForEvents", e.d.clWaitForEvents, 1, uintptr(unsafe.Pointer(&m))))
	})
}

func (e *event) Done() (done bool, err error) {
	done = true // as one that was never recorded
	err = e.with(func(m uintptr) error {
		var status int32
		if err := e.d.call("clGetEventInfo", e.d.clGetEventInfo, m, eventStatus, 4, uintptr(unsafe.Pointer(&status)), 0); err != nil {
			return err
		}
		done = status == statusComplete
		if status < 0 {
			return lost(fault("clGetEventInfo", status))
		}
		return nil
	})
	return done && err == nil, err
}

func (e *event) Since(start driver.Event) (time.Duration, error) {
	var at [2]uint64
	for i, o := range []*event{start.(*event), e} {
		recorded := false
		err := o.with(func(m uintptr) error {
			recorded = true
			return o.d.call("clGetEventProfilingInfo", o.d.clGetEventProfilingInfo, m, profilingEnd, 8, uintptr(unsafe.Pointer(&at[i])), 0)
		})
		if err != nil {
			return 0, err
		}
		if !recorded {
			return 0, driver.ErrNotRecorded
		}
	}
	return time.Duration(int64(at[1]) - int64(at[0])), nil
}

func (e *event) Close() error {
	e.mu.Lock()
	m := e.marker
	e.marker = 0
	e.mu.Unlock()
	return e.release(m)
}
