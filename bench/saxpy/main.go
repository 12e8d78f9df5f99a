// Command saxpy measures what the checked wrapper costs and how near the generated kernel comes to the memory's limit.
//
// It prints the columns that bench/launch.c prints for the same PTX, the allocations of a launch, and the bandwidth of
// Saxpy over 2^28 elements next to that of a copy between device buffers, round by round in turn. Nothing is asserted:
// compare figures of one run on one machine.
package main

import (
	"flag"
	"fmt"
	"log"
	"runtime"
	"slices"
	"time"

	"github.com/gpugen/gpugen/examples/saxpy/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("saxpy: ")
	size := flag.Int("n", 1<<28, "elements for the bandwidth")
	rounds := flag.Int("rounds", 20, "rounds for the bandwidth")
	launches := flag.Int("launches", 20000, "launches a round")
	flag.Parse()

	dev, err := gpu.Open()
	check(err)
	defer dev.Close()
	fmt.Println("device ", dev)
	launch(dev, *launches)
	bandwidth(dev, *size, *rounds)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// launch times calls of the wrapper for one block of points.
func launch(dev *gpu.Device, launches int) {
	s := dev.DefaultStream()
	x, err := gpu.Alloc[float32](s, 256)
	check(err)
	y, err := gpu.Alloc[float32](s, 256)
	check(err)
	for range 5 {
		for range 1000 {
			check(kernels.Saxpy(s, 2, x, y))
		}
		check(s.Sync())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		for range launches {
			check(kernels.Saxpy(s, 2, x, y))
		}
		submitted := time.Since(start)
		check(s.Sync())
		drained := time.Since(start)
		runtime.ReadMemStats(&after)
		per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(launches) }
		fmt.Printf("launch  Go  %6.0f ns submitted  %6.0f ns drained  %.4f allocations\n", per(submitted), per(drained),
			float64(after.Mallocs-before.Mallocs)/float64(launches))
	}
	check(x.Free())
	check(y.Free())
}

// bandwidth times Saxpy, which moves three floats an element, and a copy, which moves two.
func bandwidth(dev *gpu.Device, n, rounds int) {
	s := dev.DefaultStream()
	x, err := gpu.Alloc[float32](s, n)
	check(err)
	y, err := gpu.Alloc[float32](s, n)
	check(err)
	timed := func(f func() error) float64 {
		start, err := dev.NewEvent()
		check(err)
		end, err := dev.NewEvent()
		check(err)
		check(s.Record(start))
		check(f())
		check(s.Record(end))
		check(end.Sync())
		d, err := end.Since(start)
		check(err)
		check(start.Close())
		check(end.Close())
		return d.Seconds()
	}
	var saxpy, copied []float64
	for i := range rounds + 2 {
		t := timed(func() error { return kernels.Saxpy(s, 2, x, y) })
		u := timed(func() error { return gpu.Copy(s, y, x) })
		if i >= 2 { // the first rounds warm up
			saxpy = append(saxpy, 12*float64(n)/t/1e9)
			copied = append(copied, 8*float64(n)/u/1e9)
		}
	}
	a, b := median(saxpy), median(copied)
	fmt.Printf("n = %d  Saxpy %.0f GB/s  copy %.0f GB/s  ratio %.3f (medians of %d rounds)\n", n, a, b, a/b, rounds)
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
