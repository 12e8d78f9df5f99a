// Command reduce adds up many numbers in two stages on the best device of this machine and says how fast.
//
//	reduce -size 16777216 -check
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/reduce/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// blocks is enough to fill any device; the second stage adds up as many numbers with one block.
const blocks = 1024

func main() {
	size := flag.Int("size", 1<<24, "number of elements")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the sum with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 0 {
		fmt.Fprintln(os.Stderr, "reduce: -size is at least 0")
		os.Exit(2)
	}
	if err := run(*size, *check); err != nil {
		fmt.Fprintln(os.Stderr, "reduce:", err)
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

	host := make([]float32, n)
	for i := range host {
		host[i] = float32(i%1000) * 0.001
	}
	x, err := gpu.Upload(s, host)
	if err != nil {
		return err
	}
	defer x.Free()
	// A short sum needs no more blocks than it has elements to fill them.
	sums, err := gpu.Alloc[float32](s, min(blocks, n/kernels.Threads+1))
	if err != nil {
		return err
	}
	defer sums.Free()
	total, err := gpu.Alloc[float32](s, 1)
	if err != nil {
		return err
	}
	defer total.Free()
	sum := func() error {
		if err := kernels.Sum(s, x, sums); err != nil {
			return err
		}
		return kernels.Sum(s, sums, total)
	}

	// The first launches load the module; the others are timed together.
	const rounds = 20
	if err := sum(); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	start := time.Now()
	for range rounds {
		if err := sum(); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	took := time.Since(start) / rounds

	var got [1]float32
	if err := total.Download(s, got[:]); err != nil {
		return err
	}
	fmt.Printf("%v: %d elements in %v, %.1f GB/s; the sum is %v\n", dev, n, took.Round(time.Microsecond), 4*float64(n)/took.Seconds()/1e9, got[0])
	if check {
		return compare(float64(got[0]), host)
	}
	return nil
}

// compare adds in float64. All numbers are positive, so each of the few float32 additions that an element goes through, n
// over all threads and then the two trees, adds at most half a unit in the last place of the total.
func compare(got float64, x []float32) error {
	want := 0.0
	for _, v := range x {
		want += float64(v)
	}
	additions := float64(len(x)/(blocks*kernels.Threads) + 32)
	if math.Abs(got-want) > want*additions*0x1p-24 {
		return fmt.Errorf("the sum is %v, plain Go gives %v", got, want)
	}
	fmt.Printf("the sum differs from plain Go in float64 by %.1g of it\n", math.Abs(got-want)/max(want, 1))
	return nil
}
