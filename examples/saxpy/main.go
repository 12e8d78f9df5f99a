// Command saxpy computes y = a*x + y on the best device of this machine and says how fast.
//
//	saxpy -size 16777216 -check
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/saxpy/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

func main() {
	size := flag.Int("size", 1<<22, "number of elements")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the result with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if err := run(*size, *check); err != nil {
		fmt.Fprintln(os.Stderr, "saxpy:", err)
		os.Exit(1)
	}
}

func run(n int, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	s := dev.DefaultStream()

	hostX, hostY := make([]float32, n), make([]float32, n)
	for i := range n {
		hostX[i], hostY[i] = float32(i%1000), 1
	}
	x, err := gpu.Upload(s, hostX)
	if err != nil {
		return err
	}
	defer x.Free()
	y, err := gpu.Upload(s, hostY)
	if err != nil {
		return err
	}
	defer y.Free()

	// The first launch loads the module; the others are timed together.
	const rounds = 20
	if err := kernels.Saxpy(s, 0.5, x, y); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	start := time.Now()
	for range rounds {
		if err := kernels.Saxpy(s, 0.5, x, y); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	took := time.Since(start) / rounds

	out := make([]float32, n)
	if err := y.Download(s, out); err != nil {
		return err
	}
	bytes := 3 * 4 * float64(n) // x and y are read, y is written
	fmt.Printf("%v: %d elements in %v, %.1f GB/s; y begins with %v\n", dev, n, took.Round(time.Microsecond), bytes/took.Seconds()/1e9, out[:min(4, n)])
	if check {
		return compare(out, hostX, rounds+1)
	}
	return nil
}

// compare repeats the launches in plain Go. A GPU rounds a*x + y once and the CPU twice, so results may differ in the
// last bit of every round; here all values are exact.
func compare(got, x []float32, launches int) error {
	for i, g := range got {
		want := float32(1)
		for range launches {
			want += float32(0.5 * x[i])
		}
		if math.Abs(float64(g-want)) > 1e-6*math.Abs(float64(want)) {
			return fmt.Errorf("element %d is %v, want %v", i, g, want)
		}
	}
	fmt.Println("the result equals plain Go")
	return nil
}
