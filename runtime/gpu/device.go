package gpu

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// Device is a handle of an open device.
type Device struct {
	c      *core
	closed atomic.Bool
}

// core is an open device: what all handles of it share. mu guards its streams' and allocations' state and is held
// while work is handed to a stream, so that one order of work holds for all streams; idle is signalled when a call
// that works without mu comes back.
type core struct {
	key  key
	drv  driver.Device
	info driver.Info
	def  *Stream
	refs int // guarded by cores.mu

	mu      sync.Mutex
	idle    sync.Cond
	closed  atomic.Bool // written under mu
	streams map[*Stream]struct{}
	live    map[*allocation]struct{} // not of memory, whose collection finds leaks

	printing sync.Mutex
	out      io.Writer // of prints; guarded by printing

	lost    atomic.Pointer[DeviceError]
	leaks   atomic.Int64
	loading sync.Mutex // one load of a kernel at a time
}

func newCore(k key, drv driver.Device) (*core, error) {
	c := &core{key: k, drv: drv, info: drv.Info(), refs: 1, out: os.Stdout, streams: map[*Stream]struct{}{}, live: map[*allocation]struct{}{}}
	c.idle.L = &c.mu
	var err error
	c.def, err = c.newStream(false)
	return c, err
}

// usable says why c cannot be used for op, nil if it can.
func (c *core) usable(op string) error {
	if e := c.lost.Load(); e != nil {
		again := *e
		again.Op = op
		return &again
	}
	if c.closed.Load() {
		return ErrClosed
	}
	return nil
}

// fail turns a driver's error into a public one, and remembers a fault that took the device away. s may be nil; mu
// is not held.
func (c *core) fail(s *Stream, op string, err error) error {
	if err == nil {
		return nil
	}
	var f *driver.Fault
	if !errors.As(err, &f) {
		return public(op, err)
	}
	e := &DeviceError{Op: op, Code: f.Code, Name: f.Name, Message: f.Message, Lost: f.Sticky}
	if e.Name == "" {
		e.Name = f.Op
	}
	c.mu.Lock()
	if s != nil {
		e.Launches = s.recent(e.Launches)
	}
	for o := range c.streams {
		if o != s && f.Sticky {
			e.Launches = o.recent(e.Launches)
		}
	}
	c.mu.Unlock()
	if e.Lost {
		c.lost.CompareAndSwap(nil, e)
	}
	return e
}

// shut closes c when its last handle is closed, or when it is lost and replaced.
func (c *core) shut() error {
	c.mu.Lock()
	if c.closed.Swap(true) {
		c.mu.Unlock()
		return nil
	}
	for c.busy() {
		c.idle.Wait()
	}
	streams, live := c.streams, c.live
	c.streams, c.live = nil, nil
	for a := range live {
		a.freed.Store(true)
	}
	for s := range streams {
		s.closed.Store(true)
	}
	c.mu.Unlock()

	var first error
	keep := func(err error) {
		if first == nil && err != nil {
			first = err
		}
	}
	lost := c.lost.Load() != nil
	if !lost {
		for s := range streams {
			keep(s.settle("Close", s.drv.Sync))
		}
		lost = c.lost.Load() != nil
	}
	if !lost {
		for s := range streams {
			keep(c.fail(nil, "Close", s.freeRecords()))
		}
		for a := range live {
			if a.bytes > 0 {
				keep(c.fail(nil, "Close", c.drv.Free(a.mem)))
			}
		}
	}
	for s := range streams {
		if err := s.drv.Close(); !lost {
			keep(c.fail(nil, "Close", err))
		}
	}
	if err := c.drv.Close(lost); !lost {
		keep(c.fail(nil, "Close", err))
	}
	return first
}

// busy says whether a call is inside the driver without mu. mu is held.
func (c *core) busy() bool {
	for s := range c.streams {
		if s.busy > 0 {
			return true
		}
	}
	return false
}

// open is the core of a handle that can be used for op.
func (d *Device) open(op string) (*core, error) {
	if d == nil || d.c == nil {
		return nil, ErrNil
	}
	if d.closed.Load() {
		return nil, ErrClosed
	}
	return d.c, d.c.usable(op)
}

// Name is what the device calls itself.
func (d *Device) Name() string {
	if d == nil || d.c == nil {
		return "none"
	}
	return d.c.info.Name
}

// Kind is the device's family.
func (d *Device) Kind() Kind {
	if d == nil || d.c == nil {
		return 0
	}
	return d.c.key.kind
}

// Arch is the device's architecture: sm_90, amd64; with OpenCL, which knows none, its version: OpenCL 3.0.
func (d *Device) Arch() string {
	if d == nil || d.c == nil {
		return ""
	}
	return d.c.info.Arch
}

// Driver is the version of the driver, as the newest CUDA it runs: "CUDA 12.4", or with OpenCL by its
// own name. It is empty for the CPU.
func (d *Device) Driver() string {
	if d == nil || d.c == nil {
		return ""
	}
	return d.c.info.Driver
}

// String is the name that GPUGEN_DEVICE takes, and the device's own.
func (d *Device) String() string {
	if d == nil || d.c == nil {
		return "none"
	}
	return fmt.Sprintf("%v (%s)", d.c.key, d.c.info.Name)
}

// Memory is the device's free and total memory in bytes. OpenCL does not tell what is free; what other programs took is
// not subtracted there.
func (d *Device) Memory() (free, total int64, err error) {
	c, err := d.open("Memory")
	if err != nil {
		return 0, 0, err
	}
	// The default stream's count keeps the device open meanwhile.
	if err := c.def.enter("Memory"); err != nil {
		return 0, 0, err
	}
	defer c.def.leave()
	free, total, err = c.drv.Memory()
	return free, total, c.fail(nil, "Memory", err)
}

// Leaks is how many allocations were collected that nobody had freed. With GPUGEN_DEBUG=leaks each is reported on
// standard error with the place of its allocation.
func (d *Device) Leaks() int {
	if d == nil || d.c == nil {
		return 0
	}
	return int(d.c.leaks.Load())
}

// DefaultStream is the stream that the device comes with; nil of a nil device.
func (d *Device) DefaultStream() *Stream {
	if d == nil || d.c == nil {
		return nil
	}
	return d.c.def
}

// NewStream makes another stream.
func (d *Device) NewStream(opts ...StreamOption) (*Stream, error) {
	c, err := d.open("NewStream")
	if err != nil {
		return nil, err
	}
	unordered := false
	for _, o := range opts {
		unordered = unordered || o.unordered
	}
	return c.newStream(unordered)
}

// Close waits for the device's work and gives everything back when no other handle of the device is open; buffers
// and streams are then freed and closed. It reports what the work since the last Sync met. Closing twice is fine.
func (d *Device) Close() error {
	if d == nil || d.c == nil {
		return ErrNil
	}
	if d.closed.Swap(true) {
		return nil
	}
	return unshare(d.c)
}
