package gpu_test

import (
	"runtime"
	"time"

	"github.com/gpugen/gpugen/runtime/gpu"
	"github.com/gpugen/gpugen/runtime/gpu/gen"
)

// What gpugen would generate, by hand: tables of kernels and their wrappers.

const everywhere = gpu.TargetCUDA | gpu.TargetCPU

var (
	saxpyFloat32 = gpu.Kernel{Name: "Saxpy[float32]", Entry: "Saxpy_float32", Code: &saxpyCode, CPU: saxpyCPU[float32],
		Block: [3]uint32{256, 1, 1}, Per: 4, Dims: 1, Targets: everywhere}
	saxpyFloat64 = gpu.Kernel{Name: "Saxpy[float64]", Entry: "Saxpy_float64", CPU: saxpyCPU[float64],
		Block: [3]uint32{256, 1, 1}, Per: 4, Dims: 1, Targets: gpu.TargetCPU}
)

// Saxpy is y = a*x + y.
func Saxpy[T float32 | float64](s *gpu.Stream, a T, x, y gpu.Buffer[T]) error {
	var k *gpu.Kernel
	switch any(a).(type) {
	case float32:
		k = &saxpyFloat32
	case float64:
		k = &saxpyFloat64
	}
	l := k.Begin(s)
	n := x.Len()
	gpu.Value(l, a)
	l.Read("x", x.View())
	l.Write("y", y.View())
	l.Extent(n)
	l.Equal("y", 0, y.Len(), n)
	return l.Points(gpu.Span{Hi: n})
}

func saxpyCPU[T float32 | float64](args *gpu.Args, box *gpu.Box) {
	a := gpu.Arg[T](args, 0)
	n := int(gpu.Arg[int64](args, 3))
	x, y := gpu.Elems[T](args, 1, n), gpu.Elems[T](args, 2, n)
	for i := box.Lo[0]; i < box.Hi[0]; i++ {
		y[i] = T(a*x[i]) + y[i]
	}
}

var scale = gpu.Kernel{Name: "Scale", CPU: scaleCPU, Block: [3]uint32{256, 1, 1}, Per: 1, Dims: 1,
	InPlace: []gpu.Pair{{A: 0, B: 1}}, Targets: gpu.TargetCPU}

// Scale is out = a*in, where out may be in.
func Scale(s *gpu.Stream, a float32, in, out gpu.Buffer[float32]) error {
	l := scale.Begin(s)
	n := in.Len()
	gpu.Value(l, a)
	l.Read("in", in.View())
	l.Write("out", out.View())
	l.Extent(n)
	l.Equal("out", 0, out.Len(), n)
	l.Require(n%2 == 0, "n % 2 == 0")
	return l.Points(gpu.Span{Hi: n})
}

func scaleCPU(args *gpu.Args, box *gpu.Box) {
	a := gpu.Arg[float32](args, 0)
	n := int(gpu.Arg[int64](args, 3))
	in, out := gpu.Elems[float32](args, 1, n), gpu.Elems[float32](args, 2, n)
	for i := box.Lo[0]; i < box.Hi[0]; i++ {
		out[i] = a * in[i]
	}
}

var count3 = gpu.Kernel{Name: "Count3", CPU: count3CPU, Block: [3]uint32{32, 8, 1}, Per: 1, Dims: 3, Targets: gpu.TargetCPU}

// Count3 adds 1 to the inner points of out, lo away from each face.
func Count3(s *gpu.Stream, lo int, out gpu.Buffer3[int32]) error {
	l := count3.Begin(s)
	l.Int(lo)
	l.Write("out", out.View())
	d, h, w := out.Dim(0), out.Dim(1), out.Dim(2)
	l.Extent(d)
	l.Extent(h)
	l.Extent(w)
	return l.Points(gpu.Span{Lo: lo, Hi: l.Sub(d, lo)}, gpu.Span{Lo: lo, Hi: l.Sub(h, lo)}, gpu.Span{Lo: lo, Hi: l.Sub(w, lo)})
}

func count3CPU(args *gpu.Args, box *gpu.Box) {
	d, h, w := int(gpu.Arg[int64](args, 2)), int(gpu.Arg[int64](args, 3)), int(gpu.Arg[int64](args, 4))
	out := gpu.Elems[int32](args, 1, d*h*w)
	for z := box.Lo[0]; z < box.Hi[0]; z++ {
		for y := box.Lo[1]; y < box.Hi[1]; y++ {
			for x := box.Lo[2]; x < box.Hi[2]; x++ {
				out[(z*h+y)*w+x]++
			}
		}
	}
}

var sums = gpu.Kernel{Name: "Sums", CPU: sumsCPU, Block: [3]uint32{64, 1, 1}, Group: true, Dims: 1, Targets: gpu.TargetCPU}

// Sums is out[b] = the sum of the 64 elements of x from 64*b, a block each.
func Sums(s *gpu.Stream, lo int, x, out gpu.Buffer[int32]) error {
	l := sums.Begin(s)
	l.Int(lo)
	l.Read("x", x.View())
	l.Write("out", out.View())
	l.Extent(x.Len())
	l.Equal("out", 0, out.Len(), l.CeilDiv(x.Len(), 64))
	return l.Points(gpu.Span{Lo: lo, Hi: l.CeilDiv(x.Len(), 64)})
}

func sumsCPU(args *gpu.Args, box *gpu.Box) {
	n := int(gpu.Arg[int64](args, 3))
	x, out := gpu.Elems[int32](args, 1, n), gpu.Elems[int32](args, 2, (n+63)/64)
	var part [64]int32
	for b := box.Lo[0]; b < box.Hi[0]; b++ {
		for t := range 64 {
			part[t] = 0
			if i := 64*b + t; i < n {
				part[t] = x[i]
			}
		}
		for t := range 64 {
			if t == 0 {
				for _, v := range part {
					out[b] += v
				}
			}
		}
	}
}

var mixed = gpu.Kernel{Name: "Mixed", CPU: mixedCPU, Block: [3]uint32{1, 1, 1}, Per: 1, Dims: 1, Targets: gpu.TargetCPU}

// Mixed writes its scalars of mixed sizes to out.
func Mixed(s *gpu.Stream, a int8, b float64, c int8, d uint16, e [3]float32, f bool, out gpu.Buffer[float64]) error {
	l := mixed.Begin(s)
	gpu.Value(l, a)
	gpu.Value(l, b)
	gpu.Value(l, c)
	gpu.Value(l, d)
	gpu.Value(l, e)
	gpu.Value(l, f)
	l.Write("out", out.View())
	l.Extent(out.Len())
	return l.Points(gpu.Span{Hi: 1})
}

func mixedCPU(args *gpu.Args, _ *gpu.Box) {
	out := gpu.Elems[float64](args, 6, int(gpu.Arg[int64](args, 7)))
	e := gpu.Arg[[3]float32](args, 4)
	copy(out, []float64{float64(gpu.Arg[int8](args, 0)), gpu.Arg[float64](args, 1), float64(gpu.Arg[int8](args, 2)),
		float64(gpu.Arg[uint16](args, 3)), float64(e[0]), float64(e[1]), float64(e[2])})
	if gpu.Arg[bool](args, 5) {
		out[7] = 1
	}
}

var gatherSites = [...]gen.Site{{File: "gather.gpu", Line: 5, Col: 11, Param: "x", Dim: 0}}

var gather = gpu.Kernel{Name: "Gather", CPU: gatherCPU, Block: [3]uint32{256, 1, 1}, Per: 1, Dims: 1, Targets: gpu.TargetCPU}

// Gather is y[i] = x[at[i]].
func Gather(s *gpu.Stream, at gpu.Buffer[int32], x, y gpu.Buffer[float32]) error {
	l := gather.Begin(s)
	l.Read("at", at.View())
	l.Read("x", x.View())
	l.Write("y", y.View())
	l.Extent(at.Len())
	l.Extent(x.Len())
	l.Equal("y", 0, y.Len(), at.Len())
	return l.Points(gpu.Span{Hi: at.Len()})
}

func gatherCPU(args *gpu.Args, box *gpu.Box) {
	n, m := int(gpu.Arg[int64](args, 3)), int(gpu.Arg[int64](args, 4))
	at, x, y := gpu.Elems[int32](args, 0, n), gpu.Elems[float32](args, 1, m), gpu.Elems[float32](args, 2, n)
	for i := box.Lo[0]; i < box.Hi[0]; i++ {
		y[i] = x[gen.At(int(at[i]), m, &gatherSites[0])]
	}
}

var slow = gpu.Kernel{Name: "Slow", CPU: slowCPU, Block: [3]uint32{1, 1, 1}, Per: 1, Dims: 1, Targets: gpu.TargetCPU}

// Slow adds 1 to x[0] after 20 ms.
func Slow(s *gpu.Stream, x gpu.Buffer[int32]) error {
	l := slow.Begin(s)
	l.Write("x", x.View())
	l.Extent(x.Len())
	return l.Points(gpu.Span{Hi: 1})
}

func slowCPU(args *gpu.Args, _ *gpu.Box) {
	x := gpu.Elems[int32](args, 0, int(gpu.Arg[int64](args, 1)))
	v := x[0]
	time.Sleep(20 * time.Millisecond)
	x[0] = v + 1
}

var busy = gpu.Kernel{Name: "Busy", CPU: busyCPU, Block: [3]uint32{256, 1, 1}, Per: 1, Dims: 1, Targets: gpu.TargetCPU}

// Busy counts the visits of each point, at a cost that is worth helpers.
func Busy(s *gpu.Stream, x gpu.Buffer[int32]) error {
	l := busy.Begin(s)
	l.Write("x", x.View())
	l.Extent(x.Len())
	return l.Points(gpu.Span{Hi: x.Len()})
}

func busyCPU(args *gpu.Args, box *gpu.Box) {
	x := gpu.Elems[int32](args, 0, int(gpu.Arg[int64](args, 1)))
	for i := box.Lo[0]; i < box.Hi[0]; i++ {
		x[i]++
		for range 2000 {
			runtime.KeepAlive(i)
		}
	}
}

var crash = gpu.Kernel{Name: "Crash", CPU: func(*gpu.Args, *gpu.Box) { panic("boom") }, Block: [3]uint32{1, 1, 1}, Per: 1, Dims: 1, Targets: gpu.TargetCPU}

// Crash panics.
func Crash(s *gpu.Stream) error { return crash.Begin(s).Points(gpu.Span{Hi: 1}) }
