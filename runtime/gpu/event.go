package gpu

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// Event is a point in a stream's work.
type Event struct {
	*mark
}

// mark is the part of an event that its cleanup holds.
type mark struct {
	c       *core
	drv     driver.Event
	closed  atomic.Bool
	use     sync.RWMutex // Close waits for the calls that use it
	waiting sync.Mutex   // as a stream's
}

// NewEvent makes an event.
func (d *Device) NewEvent() (*Event, error) {
	c, err := d.open("NewEvent")
	if err != nil {
		return nil, err
	}
	if err := c.def.enter("NewEvent"); err != nil {
		return nil, err
	}
	defer c.def.leave()
	h, err := c.drv.NewEvent()
	if err != nil {
		return nil, c.fail(nil, "NewEvent", err)
	}
	e := &Event{&mark{c: c, drv: h}}
	runtime.AddCleanup(e, func(m *mark) { m.close() }, e.mark)
	return e, nil
}

// enter checks the event for op and keeps its device open until leave.
func (e *Event) enter(op string) error {
	if e == nil || e.mark == nil {
		return ErrNil
	}
	if err := e.c.def.enter(op); err != nil {
		return err
	}
	e.use.RLock()
	if e.closed.Load() {
		e.leave()
		return ErrClosed
	}
	return nil
}

func (e *Event) leave() {
	e.use.RUnlock()
	e.c.def.leave()
	runtime.KeepAlive(e)
}

// Record makes e the point that s has reached when the work handed to it so far is done.
func (s *Stream) Record(e *Event) error {
	return s.withEvent("Record", e, func() error { return e.drv.Record(s.drv) })
}

// WaitEvent makes work handed to s from now on wait for e, if e was ever recorded.
func (s *Stream) WaitEvent(e *Event) error {
	return s.withEvent("WaitEvent", e, func() error { return e.drv.Hold(s.drv) })
}

func (s *Stream) withEvent(op string, e *Event, call func() error) error {
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.leave()
	if err := e.enter(op); err != nil {
		return err
	}
	defer e.leave()
	if e.c != s.c {
		return &ContractError{op, "event of another device"}
	}
	return s.c.fail(s, op, call())
}

// Sync waits for e.
func (e *Event) Sync() error {
	if err := e.enter("Event.Sync"); err != nil {
		return err
	}
	defer e.leave()
	e.waiting.Lock()
	err := e.drv.Sync()
	e.waiting.Unlock()
	return e.c.fail(nil, "Event.Sync", err)
}

// Done says whether e is reached.
func (e *Event) Done() (bool, error) {
	if err := e.enter("Event.Done"); err != nil {
		return false, err
	}
	defer e.leave()
	done, err := e.drv.Done()
	return done, e.c.fail(nil, "Event.Done", err)
}

// Since is the device's time between start and e. It waits for both.
func (e *Event) Since(start *Event) (time.Duration, error) {
	if err := start.Sync(); err != nil {
		return 0, err
	}
	if err := e.Sync(); err != nil {
		return 0, err
	}
	if start.c != e.c {
		return 0, &ContractError{"Event.Since", "event of another device"}
	}
	if err := start.enter("Event.Since"); err != nil {
		return 0, err
	}
	defer start.leave()
	if e != start {
		if err := e.enter("Event.Since"); err != nil {
			return 0, err
		}
		defer e.leave()
	}
	d, err := e.drv.Since(start.drv)
	return d, e.c.fail(nil, "Event.Since", err)
}

// Close gives the event back; streams that wait for it still do. Closing twice is fine.
func (e *Event) Close() error {
	if e == nil || e.mark == nil {
		return ErrNil
	}
	return e.close()
}

func (m *mark) close() error {
	if m.closed.Swap(true) {
		return nil
	}
	if m.c.def.enter("Event.Close") != nil {
		return nil // it went with its device
	}
	defer m.c.def.leave()
	m.use.Lock()
	err := m.drv.Close()
	m.use.Unlock()
	return m.c.fail(nil, "Event.Close", err)
}
