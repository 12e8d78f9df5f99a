package gpu

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// Stream is a queue of work for a device, run in order. Work of different streams may overlap, except where a buffer
// that both use makes one wait for the other.
type Stream struct {
	c         *core
	drv       driver.Stream
	unordered bool
	closed    atomic.Bool // written under core.mu

	// waiting is held by the one thread that waits for the device; others queue for it as goroutines.
	waiting sync.Mutex

	// trapped is a trap that a collector of the record met; whoever holds waiting has it.
	trapped *driver.Trap

	// Guarded by core.mu.
	journal  *journal // nil: no launch has needed it
	busy     int      // calls inside the driver
	launches [32]string
	count    int // launches so far
	good     int // launches before the last good sync
}

// StreamOption changes a stream that NewStream makes.
type StreamOption struct{ unordered bool }

// Unordered makes a stream that does not wait for others on its own: it uses a buffer at once, also if another stream
// still writes it. Record and WaitEvent put in order what needs it. Other streams still wait for this one.
func Unordered() StreamOption { return StreamOption{unordered: true} }

func (c *core) newStream(unordered bool) (*Stream, error) {
	// The default stream's count keeps the device open meanwhile.
	if c.def != nil {
		if err := c.def.enter("NewStream"); err != nil {
			return nil, err
		}
		defer c.def.leave()
	}
	h, err := c.drv.NewStream()
	if err != nil {
		return nil, c.fail(nil, "NewStream", err)
	}
	s := &Stream{c: c, drv: h, unordered: unordered}
	c.mu.Lock()
	c.streams[s] = struct{}{}
	c.mu.Unlock()
	return s, nil
}

// ready says why s cannot be used for op, nil if it can.
func (s *Stream) ready(op string) error {
	if s == nil || s.c == nil {
		return ErrNil
	}
	if err := s.c.usable(op); err != nil {
		return err
	}
	if s.closed.Load() {
		return ErrClosed
	}
	return nil
}

// enter counts a call that goes into the driver without core.mu; leave ends it. Close waits for them.
func (s *Stream) enter(op string) error {
	if s == nil || s.c == nil {
		return ErrNil
	}
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if err := s.ready(op); err != nil {
		return err
	}
	s.busy++
	return nil
}

func (s *Stream) leave() {
	s.c.mu.Lock()
	s.left()
	s.c.mu.Unlock()
}

// left is leave with core.mu held.
func (s *Stream) left() {
	if s.busy--; s.busy == 0 {
		s.c.idle.Broadcast()
	}
}

// note remembers a launch for the report of a fault. core.mu is held.
func (s *Stream) note(kernel string) {
	s.launches[s.count%len(s.launches)] = kernel
	s.count++
}

// recent appends the launches since the last good sync. core.mu is held.
func (s *Stream) recent(list []string) []string {
	for i := max(s.good, s.count-len(s.launches)); i < s.count; i++ {
		list = append(list, s.launches[i%len(s.launches)])
	}
	return list
}

// wait is one waiting call of the driver, with one thread in it a stream.
func (s *Stream) wait(op string, call func() error) error {
	return s.waitFor(op, call, func(string) error { return nil })
}

// settle is wait, and then what kernels have told the host: their prints are printed, and a test that failed is the error.
func (s *Stream) settle(op string, call func() error) error { return s.waitFor(op, call, s.collect) }

func (s *Stream) waitFor(op string, call func() error, then func(op string) error) error {
	s.c.mu.Lock()
	seen := s.count
	s.c.mu.Unlock()
	s.waiting.Lock()
	err := call()
	var told error
	if s.c.intact(err) {
		told = then(op)
	}
	if err == nil && s.trapped != nil {
		err = s.trapped
		s.trapped = nil
	}
	s.waiting.Unlock()
	if err != nil {
		return s.c.fail(s, op, err)
	}
	s.c.mu.Lock()
	s.good = max(s.good, seen)
	s.c.mu.Unlock()
	return told
}

// intact says whether the device can still be asked what kernels have told: it can after a trap, which is of the CPU.
func (c *core) intact(err error) bool {
	_, trap := err.(*driver.Trap)
	return (err == nil || trap) && c.lost.Load() == nil
}

// Sync waits for all work handed to s so far, and reports what went wrong in it.
func (s *Stream) Sync() error {
	if err := s.enter("Sync"); err != nil {
		return err
	}
	defer s.leave()
	return s.settle("Sync", s.drv.Sync)
}

// Wait is Sync until ctx ends; the work goes on then.
func (s *Stream) Wait(ctx context.Context) error {
	if ctx == nil || ctx.Done() == nil {
		return s.Sync()
	}
	if err := s.enter("Wait"); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		s.leave()
		return err
	}
	done := make(chan error, 1)
	go func() {
		// Drain leaves what went wrong to whoever asks, should ctx end first.
		defer s.leave()
		done <- s.wait("Wait", s.drv.Drain)
	}()
	select {
	case err := <-done:
		if err != nil {
			return err
		}
		return s.Sync()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close waits for the work in s, reports what went wrong in it, and closes s. The default stream is closed with its
// device alone: for it Close is Sync. Closing twice is fine.
func (s *Stream) Close() error {
	if s == nil || s.c == nil {
		return ErrNil
	}
	c := s.c
	if s == c.def {
		if c.closed.Load() {
			return nil
		}
		return s.Sync()
	}
	c.mu.Lock()
	if s.closed.Swap(true) {
		c.mu.Unlock()
		return nil
	}
	// Keeps the device open until the driver's stream is gone.
	c.def.busy++
	for s.busy > 0 {
		c.idle.Wait()
	}
	c.mu.Unlock()
	defer c.def.leave()

	var err error
	if c.lost.Load() == nil {
		err = s.settle("Close", s.drv.Sync)
	} else {
		err = c.usable("Close")
	}
	c.mu.Lock()
	delete(c.streams, s)
	c.mu.Unlock()
	if c.lost.Load() == nil {
		if e := s.freeRecords(); err == nil {
			err = c.fail(nil, "Close", e)
		}
	}
	if e := s.drv.Close(); err == nil {
		err = c.fail(nil, "Close", e)
	}
	return err
}
