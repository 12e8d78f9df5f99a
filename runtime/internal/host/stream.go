package host

import (
	"sync"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// queued is how many tasks a stream holds before the caller waits.
const queued = 256

// task is a launch, or anything else that has to happen in order.
type task struct {
	fn   *fn
	args *driver.Args
	grid driver.Grid
	do   func()
}

type stream struct {
	pool *pool
	q    chan task
	job  job
	box  driver.Box

	mu   sync.Mutex
	trap *driver.Trap // the first since somebody asked
}

func (d *device) NewStream() (driver.Stream, error) {
	s := &stream{pool: d.pool, q: make(chan task, queued)}
	go s.serve()
	return s, nil
}

func (s *stream) serve() {
	for t := range s.q {
		if t.do != nil {
			t.do()
			continue
		}
		s.job.start(t.fn, t.args, &t.grid)
		s.pool.run(&s.job, &s.box)
		s.job.fn, s.job.args = nil, nil
		t.args.Release()
		s.keep(s.job.trap)
	}
}

// keep remembers a trap unless there is one.
func (s *stream) keep(t *driver.Trap) {
	if t == nil {
		return
	}
	s.mu.Lock()
	if s.trap == nil {
		s.trap = t
	}
	s.mu.Unlock()
}

// peek is the trap that nobody has asked for yet, nil without one.
func (s *stream) peek() *driver.Trap {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trap
}

// take returns that trap as an error and forgets it.
func (s *stream) take() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.trap
	s.trap = nil
	if t == nil {
		return nil
	}
	return t
}

func (s *stream) Launch(f driver.Func, g *driver.Grid, a *driver.Args) error {
	s.q <- task{fn: f.(*fn), args: a, grid: *g}
	return nil
}

// wait runs do in the stream and returns when it is done.
func (s *stream) wait(do func()) {
	done := make(chan struct{})
	s.q <- task{do: func() {
		do()
		close(done)
	}}
	<-done
}

func (s *stream) Sync() error {
	var err error
	s.wait(func() { err = s.take() })
	return err
}

func (s *stream) Drain() error {
	s.wait(func() {})
	return nil
}

func bytes(m driver.Mem, off, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(m.Ptr, off)), n)
}

func (s *stream) CopyIn(dst driver.Mem, off int, src unsafe.Pointer, n int) error {
	s.wait(func() { copy(bytes(dst, off, n), unsafe.Slice((*byte)(src), n)) })
	return nil
}

func (s *stream) CopyOut(dst unsafe.Pointer, src driver.Mem, off, n int) error {
	var err error
	s.wait(func() {
		if err = s.take(); err == nil {
			copy(unsafe.Slice((*byte)(dst), n), bytes(src, off, n))
		}
	})
	return err
}

func (s *stream) Copy(dst driver.Mem, dstOff int, src driver.Mem, srcOff, n int) error {
	s.q <- task{do: func() { copy(bytes(dst, dstOff, n), bytes(src, srcOff, n)) }}
	return nil
}

func (s *stream) Zero(dst driver.Mem, off, n int) error {
	s.q <- task{do: func() { clear(bytes(dst, off, n)) }}
	return nil
}

// After hands a trap of other on too: what s does next builds on what other left unfinished.
func (s *stream) After(other driver.Stream) error {
	o := other.(*stream)
	reached := make(chan *driver.Trap, 1)
	o.q <- task{do: func() { reached <- o.peek() }}
	s.q <- task{do: func() { s.keep(<-reached) }}
	return nil
}

func (s *stream) Close() error {
	close(s.q)
	return nil
}
