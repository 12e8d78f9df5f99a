package gen

import (
	"math"
	"sync"
	"testing"
)

func checkAtomics[T Atomic](t *testing.T) {
	t.Helper()
	for _, x := range values[T]() {
		for _, v := range values[T]() {
			for name, c := range map[string]struct {
				f    func(*T, T) T
				want T
			}{
				"add": {AtomicAdd[T], x + v}, "and": {AtomicAnd[T], x & v}, "or": {AtomicOr[T], x | v}, "xor": {AtomicXor[T], x ^ v},
				"min": {AtomicMin[T], min(x, v)}, "max": {AtomicMax[T], max(x, v)}, "exchange": {AtomicExchange[T], v},
			} {
				p := x
				if old := c.f(&p, v); old != x || p != c.want {
					t.Fatalf("%s of %d and %d leaves %d and gives %d", name, x, v, p, old)
				}
			}
			p := x
			want := x
			if x == v {
				want = v + 1
			}
			if old := AtomicCompareExchange(&p, v, v+1); old != x || p != want {
				t.Fatalf("compare-exchange of %d with %d leaves %d and gives %d", x, v, p, old)
			}
			AtomicStore(&p, v)
			if AtomicLoad(&p) != v {
				t.Fatalf("stored %d, loaded %d", v, AtomicLoad(&p))
			}
		}
	}
}

// TestAtomics compares each operation with the plain one.
func TestAtomics(t *testing.T) {
	checkAtomics[int32](t)
	checkAtomics[uint32](t)
	checkAtomics[int64](t)
	checkAtomics[uint64](t)
	nan, zero := float32(math.NaN()), float32(math.Copysign(0, -1))
	for _, c := range []struct{ x, v, add, min, max float32 }{
		{1, 2, 3, 1, 2}, {nan, 2, nan, nan, nan}, {2, nan, nan, nan, nan}, {0, zero, 0, zero, 0}, {zero, 0, 0, zero, 0}, {1e38, 3e38, float32(math.Inf(1)), 1e38, 3e38},
	} {
		for name, f := range map[string]struct {
			f    func(*float32, float32) float32
			want float32
		}{"add": {AtomicFadd, c.add}, "min": {AtomicFmin, c.min}, "max": {AtomicFmax, c.max}, "exchange": {AtomicExchange[float32], c.v}} {
			p := c.x
			if old := f.f(&p, c.v); !same(old, c.x) || !same(p, f.want) {
				t.Errorf("%s of %v and %v leaves %v and gives %v", name, c.x, c.v, p, old)
			}
		}
	}
}

// TestAtomicsBetweenGoroutines loses no update.
func TestAtomicsBetweenGoroutines(t *testing.T) {
	const each = 2000
	var sum, flips int64
	var top uint32
	var f float32
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range each {
				AtomicAdd(&sum, 1)
				AtomicXor(&flips, 1<<g)
				AtomicMax(&top, uint32(g*each+i))
				AtomicFadd(&f, 1)
			}
		})
	}
	wg.Wait()
	if sum != 4*each || flips != 0 || top != 4*each-1 || f != 4*each {
		t.Errorf("%d %d %d %v", sum, flips, top, f)
	}
}
