package gpu_test

import (
	"testing"

	"github.com/gpugen/gpugen/runtime/gpu"
)

// BenchmarkHostSaxpy is 2^22 elements through the runtime, and by a plain loop.
func BenchmarkHostSaxpy(b *testing.B) {
	n := 1 << 22
	hx, hy := make([]float32, n), make([]float32, n)
	b.Run("gpu", func(b *testing.B) {
		_, s := cpu(b)
		x, y := upload(b, s, hx...), upload(b, s, hy...)
		b.SetBytes(int64(n) * 12)
		for b.Loop() {
			ok(b, Saxpy(s, 2, x, y))
			ok(b, s.Sync())
		}
	})
	b.Run("loop", func(b *testing.B) {
		b.SetBytes(int64(n) * 12)
		for b.Loop() {
			for i, v := range hx {
				hy[i] += float32(2 * v)
			}
		}
	})
}

// BenchmarkHostSync is the way of one small launch there and back.
func BenchmarkHostSync(b *testing.B) {
	_, s := cpu(b)
	x, err := gpu.Alloc[float32](s, 8)
	ok(b, err)
	y, err := gpu.Alloc[float32](s, 8)
	ok(b, err)
	for b.Loop() {
		ok(b, Saxpy(s, 2, x, y))
		ok(b, s.Sync())
	}
}

// BenchmarkHostLaunch is the cost of handing over a launch that is smaller than the handing over.
func BenchmarkHostLaunch(b *testing.B) {
	_, s := cpu(b)
	x, y := upload[float32](b, s, 1), upload[float32](b, s, 1)
	b.ReportAllocs()
	for b.Loop() {
		ok(b, Saxpy(s, 0, x, y))
	}
	ok(b, s.Sync())
}
