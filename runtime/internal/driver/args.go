package driver

import (
	"fmt"
	"sync"
	"unsafe"
)

// Limits of one launch. CUDA passes 4,096 bytes of arguments on every device.
const (
	MaxSlots = 256
	MaxBytes = 4096
)

// Args is the argument block of one launch: each slot's bytes, aligned as C aligns them, in one buffer. It is
// pooled and lives on the heap, never on a goroutine's stack, because C gets addresses in it.
type Args struct {
	n, used int
	addr    [MaxSlots]unsafe.Pointer // address of each slot's bytes: what CUDA calls kernelParams
	size    [MaxSlots]uint16
	view    [MaxSlots]view
	data    [MaxBytes / 8]uint64

	// Call is room for the C call itself: a slice of it spread into purego.SyscallN allocates nothing. Sizes is room for
	// what such a call points to.
	Call  [12]uintptr
	Sizes [2][3]uintptr
}

// view is where a view lies. The pointer, if the host can see the memory, keeps it while the launch is queued.
type view struct {
	is    bool // set: the slot is a view
	mem   uintptr
	first uint64 // element of the memory at which the view begins
	base  unsafe.Pointer
	bytes int
}

var pool = sync.Pool{New: func() any { return new(Args) }}

// NewArgs returns an empty block.
func NewArgs() *Args { return pool.Get().(*Args) }

// Release gives the block back; the caller forgets it.
func (a *Args) Release() {
	clear(a.view[:a.n])
	a.n, a.used = 0, 0
	pool.Put(a)
}

// Len is the number of slots bound so far.
func (a *Args) Len() int { return a.n }

// Offset is where slot i starts in the block.
func (a *Args) Offset(i int) int { return int(uintptr(a.addr[i]) - uintptr(unsafe.Pointer(&a.data))) }

// Params is the table of slot addresses for C. It is good until Release.
func (a *Args) Params() unsafe.Pointer { return unsafe.Pointer(&a.addr) }

// Bytes reserves the next slot and returns its address, or nil when the block is full. align is a power of two of
// at most 8.
func (a *Args) Bytes(size, align int) unsafe.Pointer {
	off := (a.used + align - 1) &^ (align - 1)
	if off+size > MaxBytes || a.n == MaxSlots {
		return nil
	}
	p := unsafe.Add(unsafe.Pointer(&a.data), off)
	a.addr[a.n] = p
	a.size[a.n] = uint16(size)
	a.n++
	a.used = off + size
	return p
}

// View binds n elements, of that many bytes together, of m from off as the next slot: eight bytes of device address. It
// is false when the block is full.
func (a *Args) View(m Mem, off, bytes, n int) bool {
	p := a.Bytes(8, 8)
	if p == nil {
		return false
	}
	*(*uint64)(p) = uint64(m.Addr) + uint64(off)
	v := &a.view[a.n-1]
	v.is, v.mem = true, m.Addr
	if n > 0 {
		v.first = uint64(off / (bytes / n))
	}
	if m.Ptr != nil {
		v.base, v.bytes = unsafe.Add(m.Ptr, off), bytes
	}
	return true
}

// Value is the address and the size of slot i's bytes, for a driver that passes one slot after the other.
func (a *Args) Value(i int) (at unsafe.Pointer, size int) { return a.addr[i], int(a.size[i]) }

// Handle is where the handle of slot i's memory stands, and the element of it at which the view begins; nil if the slot
// is no view.
func (a *Args) Handle(i int) (mem, first unsafe.Pointer) {
	v := &a.view[i]
	if !v.is {
		return nil, nil
	}
	return unsafe.Pointer(&v.mem), unsafe.Pointer(&v.first)
}

// Scalar is the address of slot i, checked to hold size bytes.
func (a *Args) Scalar(i int, size uintptr) unsafe.Pointer {
	if uint(i) >= uint(a.n) || a.Offset(i)+int(size) > MaxBytes {
		panic(fmt.Sprintf("argument %d is not bound", i))
	}
	return a.addr[i]
}

// Elems is the address of n elements of size bytes in view i, nil for none. It panics when the view has fewer,
// which a wrapper's shape checks rule out.
func (a *Args) Elems(i, n int, size uintptr) unsafe.Pointer {
	if n <= 0 {
		return nil
	}
	if uint(i) >= uint(a.n) || uint(n) > uint(a.view[i].bytes)/uint(max(size, 1)) {
		panic(fmt.Sprintf("argument %d does not hold %d elements", i, n))
	}
	return a.view[i].base
}
