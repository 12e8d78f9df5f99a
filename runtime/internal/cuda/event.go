//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package cuda

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

type event struct {
	d        *device
	handle   uintptr
	recorded atomic.Bool
}

func (d *device) NewEvent() (driver.Event, error) {
	e := &event{d: d}
	return e, d.call("cuEventCreate", d.cuEventCreate, uintptr(unsafe.Pointer(&e.handle)), 0)
}

func (e *event) Record(s driver.Stream) error {
	err := e.d.call("cuEventRecord", e.d.cuEventRecord, e.handle, s.(*stream).handle)
	if err == nil {
		e.recorded.Store(true)
	}
	return err
}

func (e *event) Hold(s driver.Stream) error {
	return e.d.call("cuStreamWaitEvent", e.d.cuStreamWaitEvent, s.(*stream).handle, e.handle, 0)
}

func (e *event) Sync() error {
	return e.d.call("cuEventSynchronize", e.d.cuEventSynchronize, e.handle)
}

func (e *event) Done() (bool, error) {
	err := e.d.call("cuEventQuery", e.d.cuEventQuery, e.handle)
	if f, ok := err.(*driver.Fault); ok && f.Code == notReady {
		return false, nil
	}
	return err == nil, err
}

func (e *event) Since(start driver.Event) (time.Duration, error) {
	a := start.(*event)
	if !a.recorded.Load() || !e.recorded.Load() {
		return 0, driver.ErrNotRecorded
	}
	var ms float32
	err := e.d.call("cuEventElapsedTime", e.d.cuEventElapsed, uintptr(unsafe.Pointer(&ms)), a.handle, e.handle)
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

func (e *event) Close() error { return e.d.call("cuEventDestroy", e.d.cuEventDestroy, e.handle) }
