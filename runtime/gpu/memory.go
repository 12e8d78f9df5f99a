package gpu

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// memory is what all views of one allocation point to. It is never reused, so its address tells generations apart;
// when the last view of it is gone, a cleanup frees the allocation.
type memory struct {
	*allocation
	err error // of a view that could not be made; allocation is nil then
}

// allocation is the part of memory that does not keep it alive. Its fields below freed are guarded by core.mu.
type allocation struct {
	c     *core
	mem   driver.Mem
	bytes int
	site  []uintptr   // callers of the allocation, under GPUGEN_DEBUG=leaks
	freed atomic.Bool // written under core.mu

	writers []*Stream // streams whose writes may not be done; several only with unordered streams
	readers []reader  // streams that read since
	writing int       // copies into it that run without core.mu
	reading int       // copies out of it, likewise
}

// reader is a stream that read an allocation. It is current if it waits for all of the writers.
type reader struct {
	s       *Stream
	current bool
}

var debugLeaks = strings.Contains(os.Getenv("GPUGEN_DEBUG"), "leaks")

// newMemory takes m over.
func newMemory(c *core, m driver.Mem, bytes int) *memory {
	a := &allocation{c: c, mem: m, bytes: bytes}
	if debugLeaks {
		pcs := make([]uintptr, 16)
		a.site = pcs[:runtime.Callers(3, pcs)]
	}
	mm := &memory{allocation: a}
	c.mu.Lock()
	c.live[a] = struct{}{}
	c.mu.Unlock()
	runtime.AddCleanup(mm, func(a *allocation) {
		if !a.freed.Load() {
			go a.free(true) // it may wait for the device, and other cleanups need not
		}
	}, a)
	return mm
}

// state says why views of m cannot be used, nil if they can.
func (m *memory) state() error {
	switch {
	case m == nil:
		return ErrNil
	case m.err != nil:
		return m.err
	case m.freed.Load():
		return ErrFreed
	}
	return nil
}

// free gives the allocation back once the work that uses it is done. Only the first call does anything.
func (a *allocation) free(leaked bool) error {
	c := a.c
	c.mu.Lock()
	if a.freed.Swap(true) || c.closed.Load() {
		c.mu.Unlock()
		return nil
	}
	delete(c.live, a)
	// Keeps the device open until the memory is back.
	c.def.busy++
	defer c.def.leave()
	for a.reading+a.writing > 0 {
		c.idle.Wait()
	}
	var users []*Stream
	for _, s := range a.users() {
		s.busy++
		users = append(users, s)
	}
	c.mu.Unlock()
	if leaked {
		c.leaks.Add(1)
		if debugLeaks {
			fmt.Fprintf(os.Stderr, "gpugen: %d bytes on %v were never freed; allocated at\n%s", a.bytes, c.key, a.where())
		}
	}
	var first error
	for _, s := range users {
		if c.lost.Load() == nil {
			if err := s.wait("Free", s.drv.Drain); first == nil {
				first = err
			}
		}
		s.leave()
	}
	if a.bytes > 0 && c.lost.Load() == nil {
		if err := c.drv.Free(a.mem); first == nil {
			first = c.fail(nil, "Free", err)
		}
	}
	return first
}

func (a *allocation) where() string {
	var b strings.Builder
	frames := runtime.CallersFrames(a.site)
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "github.com/gpugen/gpugen/runtime/gpu.") && f.Function != "runtime.goexit" && f.File != "" {
			fmt.Fprintf(&b, "\t%s:%d %s\n", f.File, f.Line, f.Function)
		}
		if !more {
			return b.String()
		}
	}
}

// users are the open streams that use the allocation. core.mu is held.
func (a *allocation) users() []*Stream {
	var list []*Stream
	add := func(s *Stream) {
		if s.closed.Load() {
			return // Close waited for it
		}
		for _, o := range list {
			if o == s {
				return
			}
		}
		list = append(list, s)
	}
	for _, s := range a.writers {
		add(s)
	}
	for _, r := range a.readers {
		add(r.s)
	}
	return list
}

// order makes s wait for work of other streams on the allocation and remembers its use of it. core.mu is held, and
// stays so until the use is handed to s. With one stream it only looks.
func (a *allocation) order(s *Stream, write bool) error {
	if write {
		return a.orderWrite(s)
	}
	for _, w := range a.writers {
		if w == s && len(a.writers) == 1 {
			return nil // whoever waits for the write waits for this, too
		}
	}
	at := -1
	for i, r := range a.readers {
		if r.s == s {
			if r.current {
				return nil
			}
			at = i
		}
	}
	if !s.unordered {
		for _, w := range a.writers {
			if err := s.after(w); err != nil {
				return err
			}
		}
	}
	if at < 0 {
		at = len(a.readers)
		a.readers = append(a.readers, reader{s: s})
	}
	a.readers[at].current = !s.unordered
	return nil
}

func (a *allocation) orderWrite(s *Stream) error {
	if len(a.readers) == 0 && len(a.writers) == 1 && a.writers[0] == s {
		return nil
	}
	if !s.unordered {
		for _, w := range a.writers {
			if err := s.after(w); err != nil {
				return err
			}
		}
		for _, r := range a.readers {
			if err := s.after(r.s); err != nil {
				return err
			}
		}
		a.writers, a.readers = append(a.writers[:0], s), a.readers[:0]
		return nil
	}
	for i := range a.readers {
		a.readers[i].current = false
	}
	for _, w := range a.writers {
		if w == s {
			return nil
		}
	}
	a.writers = append(a.writers, s)
	return nil
}

// after makes later work in s wait for the work so far in o. core.mu is held.
func (s *Stream) after(o *Stream) error {
	if o == s || o.closed.Load() {
		return nil
	}
	return s.drv.After(o.drv)
}

// settled waits until no copy that runs without core.mu conflicts with a use; false when it had to give up core.mu
// meanwhile, so that what was checked before has to be checked again. core.mu is held.
func (a *allocation) settled(write bool) bool {
	if a.writing == 0 && (!write || a.reading == 0) {
		return true
	}
	a.c.idle.Wait()
	return false
}
