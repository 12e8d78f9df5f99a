package gen

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// Atomic is the element types of atomic operations on integers.
type Atomic interface {
	int32 | uint32 | int64 | uint64
}

// The atomic operations give the value that they found. Between the goroutines of a launch they are what Go's are; more
// than the language promises.

// AtomicAdd adds v to *p.
func AtomicAdd[T Atomic](p *T, v T) T {
	if unsafe.Sizeof(v) == 4 {
		return T(atomic.AddUint32((*uint32)(unsafe.Pointer(p)), uint32(v))) - v
	}
	return T(atomic.AddUint64((*uint64)(unsafe.Pointer(p)), uint64(v))) - v
}

// AtomicAnd keeps the bits of *p that v has.
func AtomicAnd[T Atomic](p *T, v T) T {
	if unsafe.Sizeof(v) == 4 {
		return T(atomic.AndUint32((*uint32)(unsafe.Pointer(p)), uint32(v)))
	}
	return T(atomic.AndUint64((*uint64)(unsafe.Pointer(p)), uint64(v)))
}

// AtomicOr sets the bits of *p that v has.
func AtomicOr[T Atomic](p *T, v T) T {
	if unsafe.Sizeof(v) == 4 {
		return T(atomic.OrUint32((*uint32)(unsafe.Pointer(p)), uint32(v)))
	}
	return T(atomic.OrUint64((*uint64)(unsafe.Pointer(p)), uint64(v)))
}

// AtomicXor flips the bits of *p that v has.
func AtomicXor[T Atomic](p *T, v T) T {
	for {
		if old := AtomicLoad(p); AtomicCompareExchange(p, old, old^v) == old {
			return old
		}
	}
}

// AtomicMin makes *p the less of itself and v.
func AtomicMin[T Atomic](p *T, v T) T {
	for {
		if old := AtomicLoad(p); v >= old || AtomicCompareExchange(p, old, v) == old {
			return old
		}
	}
}

// AtomicMax makes *p the greater of itself and v.
func AtomicMax[T Atomic](p *T, v T) T {
	for {
		if old := AtomicLoad(p); v <= old || AtomicCompareExchange(p, old, v) == old {
			return old
		}
	}
}

// AtomicExchange makes *p v.
func AtomicExchange[T Atomic | float32](p *T, v T) T {
	if unsafe.Sizeof(v) == 4 {
		old := atomic.SwapUint32((*uint32)(unsafe.Pointer(p)), *(*uint32)(unsafe.Pointer(&v)))
		return *(*T)(unsafe.Pointer(&old))
	}
	old := atomic.SwapUint64((*uint64)(unsafe.Pointer(p)), *(*uint64)(unsafe.Pointer(&v)))
	return *(*T)(unsafe.Pointer(&old))
}

// AtomicCompareExchange makes *p v if it is old.
func AtomicCompareExchange[T Atomic](p *T, old, v T) T {
	for {
		found := AtomicLoad(p)
		if found != old {
			return found
		}
		if unsafe.Sizeof(v) == 4 {
			if atomic.CompareAndSwapUint32((*uint32)(unsafe.Pointer(p)), uint32(old), uint32(v)) {
				return old
			}
		} else if atomic.CompareAndSwapUint64((*uint64)(unsafe.Pointer(p)), uint64(old), uint64(v)) {
			return old
		}
	}
}

// AtomicLoad is *p.
func AtomicLoad[T Atomic | float32](p *T) T {
	if unsafe.Sizeof(*p) == 4 {
		v := atomic.LoadUint32((*uint32)(unsafe.Pointer(p)))
		return *(*T)(unsafe.Pointer(&v))
	}
	v := atomic.LoadUint64((*uint64)(unsafe.Pointer(p)))
	return *(*T)(unsafe.Pointer(&v))
}

// AtomicStore makes *p v.
func AtomicStore[T Atomic | float32](p *T, v T) { AtomicExchange(p, v) }

// AtomicFadd adds v to *p, rounded once.
func AtomicFadd(p *float32, v float32) float32 {
	return update(p, func(x float32) float32 { return x + v })
}

// AtomicFmin makes *p Go's min of itself and v: NaN wins, -0 is below +0.
func AtomicFmin(p *float32, v float32) float32 {
	return update(p, func(x float32) float32 { return min(x, v) })
}

// AtomicFmax makes *p Go's max of itself and v.
func AtomicFmax(p *float32, v float32) float32 {
	return update(p, func(x float32) float32 { return max(x, v) })
}

// update replaces *p by f of it, by its bits, until no other goroutine comes between.
func update(p *float32, f func(float32) float32) float32 {
	bits := (*uint32)(unsafe.Pointer(p))
	for {
		old := atomic.LoadUint32(bits)
		x := math.Float32frombits(old)
		next := math.Float32bits(f(x))
		if next == old || atomic.CompareAndSwapUint32(bits, old, next) {
			return x
		}
	}
}
