package gpu

import (
	"fmt"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// AllocOption changes what Alloc does.
type AllocOption struct{ uninitialized bool }

// Uninitialized leaves the elements as they are, for memory that is written before it is read.
func Uninitialized() AllocOption { return AllocOption{uninitialized: true} }

// Alloc returns n zero elements on the device of s.
func Alloc[T any](s *Stream, n int, opts ...AllocOption) (Buffer[T], error) {
	m, err := alloc[T](s, "Alloc", opts, n)
	if err != nil {
		return Buffer[T]{}, err
	}
	return Buffer[T]{m, 0, n}, nil
}

// Alloc2 returns rows × cols zero elements.
func Alloc2[T any](s *Stream, rows, cols int, opts ...AllocOption) (Buffer2[T], error) {
	m, err := alloc[T](s, "Alloc2", opts, rows, cols)
	if err != nil {
		return Buffer2[T]{}, err
	}
	return Buffer2[T]{m, 0, rows, cols}, nil
}

// Alloc3 returns depth × rows × cols zero elements.
func Alloc3[T any](s *Stream, depth, rows, cols int, opts ...AllocOption) (Buffer3[T], error) {
	m, err := alloc[T](s, "Alloc3", opts, depth, rows, cols)
	if err != nil {
		return Buffer3[T]{}, err
	}
	return Buffer3[T]{m, 0, depth, rows, cols}, nil
}

// Alloc4 returns batch × depth × rows × cols zero elements.
func Alloc4[T any](s *Stream, batch, depth, rows, cols int, opts ...AllocOption) (Buffer4[T], error) {
	m, err := alloc[T](s, "Alloc4", opts, batch, depth, rows, cols)
	if err != nil {
		return Buffer4[T]{}, err
	}
	return Buffer4[T]{m, 0, batch, depth, rows, cols}, nil
}

// Upload copies host into new memory on the device of s; host may be reused when it returns.
func Upload[T any](s *Stream, host []T) (Buffer[T], error) {
	b, err := Alloc[T](s, len(host), Uninitialized())
	if err != nil {
		return b, err
	}
	return b, orFree(b, b.Upload(s, host))
}

// Upload2 is Upload of rows × cols elements, row after row.
func Upload2[T any](s *Stream, host []T, rows, cols int) (Buffer2[T], error) {
	if n, ok := product(1, rows, cols); !ok || n != len(host) {
		return Buffer2[T]{}, &ContractError{"Upload2", fmt.Sprintf("%d × %d of %d elements", rows, cols, len(host))}
	}
	b, err := Upload(s, host)
	if err != nil {
		return Buffer2[T]{}, err
	}
	return Buffer2[T]{b.m, 0, rows, cols}, nil
}

// Upload3 is Upload of depth × rows × cols elements, the last dimension fastest.
func Upload3[T any](s *Stream, host []T, depth, rows, cols int) (Buffer3[T], error) {
	if n, ok := product(1, depth, rows, cols); !ok || n != len(host) {
		return Buffer3[T]{}, &ContractError{"Upload3", fmt.Sprintf("%d × %d × %d of %d elements", depth, rows, cols, len(host))}
	}
	b, err := Upload(s, host)
	if err != nil {
		return Buffer3[T]{}, err
	}
	return Buffer3[T]{b.m, 0, depth, rows, cols}, nil
}

// Upload4 is Upload of batch × depth × rows × cols elements, the last dimension fastest.
func Upload4[T any](s *Stream, host []T, batch, depth, rows, cols int) (Buffer4[T], error) {
	if n, ok := product(1, batch, depth, rows, cols); !ok || n != len(host) {
		return Buffer4[T]{}, &ContractError{"Upload4", fmt.Sprintf("%d × %d × %d × %d of %d elements", batch, depth, rows, cols, len(host))}
	}
	b, err := Upload(s, host)
	if err != nil {
		return Buffer4[T]{}, err
	}
	return Buffer4[T]{b.m, 0, batch, depth, rows, cols}, nil
}

func orFree[T any](b Buffer[T], err error) error {
	if err != nil {
		b.Free()
	}
	return err
}

func alloc[T any](s *Stream, op string, opts []AllocOption, dims ...int) (*memory, error) {
	if err := checkElement[T](); err != nil {
		return nil, err
	}
	n, ok := product(sizeof[T](), dims...)
	if !ok {
		return nil, &ContractError{op, fmt.Sprintf("%v elements of %d bytes", dims, sizeof[T]())}
	}
	zero := true
	for _, o := range opts {
		zero = zero && !o.uninitialized
	}
	return s.alloc(op, n*sizeof[T](), zero)
}

func (s *Stream) alloc(op string, bytes int, zero bool) (*memory, error) {
	if err := s.enter(op); err != nil {
		return nil, err
	}
	defer s.leave()
	var dm driver.Mem
	zeroed := true
	if bytes > 0 {
		var err error
		if dm, zeroed, err = s.c.drv.Alloc(bytes); err != nil {
			return nil, s.c.fail(s, op, err)
		}
	}
	m := newMemory(s.c, dm, bytes)
	if zeroed || !zero {
		return m, nil
	}
	if err := s.zero(op, View{m: m, bytes: bytes}); err != nil {
		m.free(false)
		return nil, err
	}
	return m, nil
}

// zero clears v in stream order. The caller is inside s.
func (s *Stream) zero(op string, v View) error {
	err := s.ordered(op, use{v, true}, use{}, func() error { return s.drv.Zero(v.m.mem, v.off, v.bytes) })
	return s.c.fail(s, op, err)
}

// use is one view that an operation touches.
type use struct {
	v     View
	write bool
}

// ordered hands work on one or two views to s in its place among the streams. b may be zero.
func (s *Stream) ordered(op string, a, b use, hand func() error) error {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if err := s.claim(op, a, b); err != nil {
		return err
	}
	return hand()
}

// claim waits for copies in progress, checks s and the views, and puts s in order. core.mu is held.
func (s *Stream) claim(op string, uses ...use) error {
again:
	if err := s.ready(op); err != nil {
		return err
	}
	for _, u := range uses {
		if u.v.m == nil {
			continue
		}
		if err := u.v.m.state(); err != nil {
			return err
		}
		if !u.v.m.settled(u.write) {
			goto again
		}
	}
	for _, u := range uses {
		if u.v.m != nil {
			if err := u.v.m.order(s, u.write); err != nil {
				return err
			}
		}
	}
	return nil
}

// usableIn says why v cannot be used in s for op.
func (v View) usableIn(s *Stream, op string) error {
	if err := v.m.state(); err != nil {
		return err
	}
	if v.m.c != s.c {
		return &ContractError{op, "buffer of another device"}
	}
	return nil
}

// small is how many bytes CUDA takes over from pageable memory at once; for more it waits for the stream first.
const small = 64 << 10

// upload copies v.bytes from p. It returns when p may be reused.
func (s *Stream) upload(op string, v View, p unsafe.Pointer) error {
	return s.transfer(op, v, true, v.bytes > small, func() error {
		if v.bytes == 0 {
			return nil
		}
		return s.drv.CopyIn(v.m.mem, v.off, p, v.bytes)
	})
}

// download copies v.bytes to p. It returns when the data is there.
func (s *Stream) download(op string, v View, p unsafe.Pointer) error {
	return s.transfer(op, v, false, true, func() error {
		if v.bytes == 0 {
			return s.drv.Sync()
		}
		return s.drv.CopyOut(p, v.m.mem, v.off, v.bytes)
	})
}

// transfer runs a copy between host and device without core.mu: it may wait for the device.
func (s *Stream) transfer(op string, v View, write, waits bool, copy func() error) error {
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.leave()
	if err := v.usableIn(s, op); err != nil {
		return err
	}
	a := v.m.allocation
	count := &a.reading
	if write {
		count = &a.writing
	}
	err := s.ordered(op, use{v, write}, use{}, func() error { *count++; return nil })
	if err != nil {
		return s.c.fail(s, op, err)
	}
	switch {
	case !write:
		err = s.settle(op, copy)
	case waits: // for a place in the stream, not for the work to be good
		s.waiting.Lock()
		err = copy()
		s.waiting.Unlock()
		err = s.c.fail(s, op, err)
	default:
		err = s.c.fail(s, op, copy())
	}
	s.c.mu.Lock()
	*count--
	s.c.idle.Broadcast()
	s.c.mu.Unlock()
	return err
}
