// Command montecarlo estimates pi with random points on the best device of this machine and says how fast. A seed gives the
// same points on every device.
//
//	montecarlo -size 100000000 -seed 7 -check
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/montecarlo/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// blocks is enough to fill any device.
const blocks = 1024

// most points: the count of a block is a uint32.
const most = blocks << 31

func main() {
	size := flag.Int("size", 1<<24, "number of points")
	seed := flag.Uint64("seed", 1, "which points")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the counts with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 1 || *size > most {
		fmt.Fprintf(os.Stderr, "montecarlo: -size is from 1 to %d\n", most)
		os.Exit(2)
	}
	if err := run(*size, *seed, *check); err != nil {
		fmt.Fprintln(os.Stderr, "montecarlo:", err)
		os.Exit(1)
	}
}

func run(n int, seed uint64, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	s := dev.DefaultStream()
	hits, err := gpu.Alloc[uint32](s, blocks)
	if err != nil {
		return err
	}
	defer hits.Free()
	total, err := gpu.Alloc[uint64](s, 1)
	if err != nil {
		return err
	}
	defer total.Free()
	count := func(n int) error {
		if err := kernels.Count(s, seed, n, hits); err != nil {
			return err
		}
		return kernels.Total(s, hits, total)
	}

	// A first count of one point loads the module.
	if err := count(1); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	start := time.Now()
	if err := count(n); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	took := time.Since(start)
	var got [1]uint64
	if err := total.Download(s, got[:]); err != nil {
		return err
	}
	part := float64(got[0]) / float64(n)
	fmt.Printf("%v: %d points in %v, %.2f billion/s; pi is about %.6f ± %.6f\n", dev, n, took.Round(time.Microsecond), float64(n)/took.Seconds()/1e9, 4*part, 4*math.Sqrt(part*(1-part)/float64(n)))
	if !check {
		return nil
	}
	of := make([]uint32, blocks)
	if err := hits.Download(s, of); err != nil {
		return err
	}
	return compare(got[0], of, n, seed)
}
