// Command scan makes running sums of many numbers, on the best device of this machine, and says how fast. Three kernels do
// it: the running sums of each block, those of the blocks' totals, and the addition of the one to the other.
//
//	scan -size 16777216 -check
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/scan/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

func main() {
	size := flag.Int("size", 1<<24, "number of elements")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the running sums with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 0 {
		fmt.Fprintln(os.Stderr, "scan: -size is at least 0")
		os.Exit(2)
	}
	if err := run(*size, *check); err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

// scan makes the running sums of x in y, with room for the total of every block.
func scan(s *gpu.Stream, x, y, totals gpu.Buffer[int32]) error {
	if err := kernels.Blocks(s, x, y, totals); err != nil {
		return err
	}
	if err := kernels.Totals(s, totals); err != nil {
		return err
	}
	return kernels.Offsets(s, totals, y)
}

func run(n int, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	s := dev.DefaultStream()

	host := make([]int32, n)
	for i := range host {
		host[i] = int32(i*7919%201 - 100)
	}
	x, err := gpu.Upload(s, host)
	if err != nil {
		return err
	}
	defer x.Free()
	y, err := gpu.Alloc[int32](s, n)
	if err != nil {
		return err
	}
	defer y.Free()
	totals, err := gpu.Alloc[int32](s, (n+kernels.Threads-1)/kernels.Threads)
	if err != nil {
		return err
	}
	defer totals.Free()

	// The first launches load the module; the others are timed together.
	const rounds = 20
	if err := scan(s, x, y, totals); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	start := time.Now()
	for range rounds {
		if err := scan(s, x, y, totals); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	took := time.Since(start) / rounds

	got := make([]int32, n)
	if err := y.Download(s, got); err != nil {
		return err
	}
	last := int32(0)
	if n > 0 {
		last = got[n-1]
	}
	fmt.Printf("%v: %d elements in %v, %.1f GB/s; the last sum is %d\n", dev, n, took.Round(time.Microsecond), 8*float64(n)/took.Seconds()/1e9, last)
	if check {
		return compare(got, host)
	}
	return nil
}

// compare adds in plain Go. Sums that overflow wrap there as well.
func compare(got, x []int32) error {
	sum := int32(0)
	for i, v := range x {
		sum += v
		if got[i] != sum {
			return fmt.Errorf("running sum %d is %d, plain Go gives %d", i, got[i], sum)
		}
	}
	fmt.Println("the sums are those of plain Go")
	return nil
}
