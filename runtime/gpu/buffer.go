package gpu

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Buffer is a view of elements in device memory: a value that is passed and cut like a slice. A view that could not
// be made is empty and carries the reason, which Err and every use report. The zero Buffer is of no device.
type Buffer[T any] struct {
	m   *memory
	off int // bytes
	n   int
}

// View is a buffer without its type, for generated code.
type View struct {
	m     *memory
	off   int
	bytes int
	n     int
}

// broken is the memory of a view that could not be made.
func broken(kernel, format string, args ...any) *memory {
	return &memory{err: &ContractError{kernel, fmt.Sprintf(format, args...)}}
}

// refused says whether m cannot be cut: then cuts of it report what it reports.
func refused(m *memory) bool { return m != nil && m.err != nil }

// Len is the number of elements.
func (b Buffer[T]) Len() int { return b.n }

// Dim is the extent of dimension d: Len for 0.
func (b Buffer[T]) Dim(d int) int {
	if d == 0 {
		return b.n
	}
	return 0
}

// IsZero says whether b is the zero Buffer.
func (b Buffer[T]) IsZero() bool { return b.m == nil }

// Err says why b cannot be used: it could not be made, is freed, or is the zero Buffer. nil if it can.
func (b Buffer[T]) Err() error { return b.m.state() }

// View is b without its type.
func (b Buffer[T]) View() View { return View{b.m, b.off, b.n * sizeof[T](), b.n} }

// Slice is the view of the elements lo <= i < hi.
func (b Buffer[T]) Slice(lo, hi int) Buffer[T] {
	if refused(b.m) {
		return b
	}
	if uint(lo) > uint(hi) || uint(hi) > uint(b.n) {
		return Buffer[T]{m: broken("Slice", "[%d:%d] of %d elements", lo, hi, b.n)}
	}
	return Buffer[T]{b.m, b.off + lo*sizeof[T](), hi - lo}
}

// Reshape2 is b as rows × cols elements, of which it must have as many.
func (b Buffer[T]) Reshape2(rows, cols int) Buffer2[T] {
	if refused(b.m) {
		return Buffer2[T]{m: b.m}
	}
	if n, ok := product(1, rows, cols); !ok || n != b.n {
		return Buffer2[T]{m: broken("Reshape2", "%d × %d of %d elements", rows, cols, b.n)}
	}
	return Buffer2[T]{b.m, b.off, rows, cols}
}

// Reshape3 is b as depth × rows × cols elements, of which it must have as many.
func (b Buffer[T]) Reshape3(depth, rows, cols int) Buffer3[T] {
	if refused(b.m) {
		return Buffer3[T]{m: b.m}
	}
	if n, ok := product(1, depth, rows, cols); !ok || n != b.n {
		return Buffer3[T]{m: broken("Reshape3", "%d × %d × %d of %d elements", depth, rows, cols, b.n)}
	}
	return Buffer3[T]{b.m, b.off, depth, rows, cols}
}

// Reshape4 is b as batch × depth × rows × cols elements, of which it must have as many.
func (b Buffer[T]) Reshape4(batch, depth, rows, cols int) Buffer4[T] {
	if refused(b.m) {
		return Buffer4[T]{m: b.m}
	}
	if n, ok := product(1, batch, depth, rows, cols); !ok || n != b.n {
		return Buffer4[T]{m: broken("Reshape4", "%d × %d × %d × %d of %d elements", batch, depth, rows, cols, b.n)}
	}
	return Buffer4[T]{b.m, b.off, batch, depth, rows, cols}
}

// Free gives the allocation back once the work that uses it is done; every view of it is freed then. It takes a view
// of all of the allocation. Freeing twice is fine, and so is freeing after the device is closed.
func (b Buffer[T]) Free() error {
	if b.m == nil {
		return ErrNil
	}
	if b.m.err != nil {
		return b.m.err
	}
	if b.off != 0 || b.n*sizeof[T]() != b.m.bytes {
		return &ContractError{"Free", "view of a part of an allocation"}
	}
	return b.m.free(false)
}

// Upload overwrites b with host, of the same length, after the work in s so far. host may be reused when it returns.
func (b Buffer[T]) Upload(s *Stream, host []T) error {
	if err := b.fits("Upload", host); err != nil {
		return err
	}
	err := s.upload("Upload", b.View(), unsafe.Pointer(unsafe.SliceData(host)))
	runtime.KeepAlive(host)
	return err
}

// Download copies b to host, of the same length, after the work in s so far. It returns when the data is there, and
// reports what went wrong in that work.
func (b Buffer[T]) Download(s *Stream, host []T) error {
	if err := b.fits("Download", host); err != nil {
		return err
	}
	err := s.download("Download", b.View(), unsafe.Pointer(unsafe.SliceData(host)))
	runtime.KeepAlive(host)
	return err
}

func (b Buffer[T]) fits(op string, host []T) error {
	if err := b.m.state(); err != nil {
		return err
	}
	if len(host) != b.n {
		return &ShapeError{Kernel: op, Param: "host", Want: b.n, Got: len(host)}
	}
	return nil
}

// Copy copies src over dst, a view of the same length that does not overlap it, on their device and in order of s.
func Copy[T any](s *Stream, dst, src Buffer[T]) error {
	if err := s.enter("Copy"); err != nil {
		return err
	}
	defer s.leave()
	d, v := dst.View(), src.View()
	if err := d.usableIn(s, "Copy"); err != nil {
		return err
	}
	if err := v.usableIn(s, "Copy"); err != nil {
		return err
	}
	if d.n != v.n {
		return &ShapeError{Kernel: "Copy", Param: "src", Want: d.n, Got: v.n}
	}
	if d.overlaps(&v) {
		return &AliasError{"Copy", "dst", "src"}
	}
	if v.bytes == 0 {
		return nil
	}
	err := s.ordered("Copy", use{v, false}, use{d, true}, func() error { return s.drv.Copy(d.m.mem, d.off, v.m.mem, v.off, v.bytes) })
	return s.c.fail(s, "Copy", err)
}

// Zero sets every element to zero, in order of s.
func (b Buffer[T]) Zero(s *Stream) error {
	if err := s.enter("Zero"); err != nil {
		return err
	}
	defer s.leave()
	v := b.View()
	if err := v.usableIn(s, "Zero"); err != nil || v.bytes == 0 {
		return err
	}
	return s.zero("Zero", v)
}

// overlaps says whether v and w share an element.
func (v *View) overlaps(w *View) bool {
	return v.m == w.m && v.m != nil && v.off < w.off+w.bytes && w.off < v.off+v.bytes
}
