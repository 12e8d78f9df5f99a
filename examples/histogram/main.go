// Command histogram counts how often each byte occurs in many of them, on the best device of this machine, and says how
// fast.
//
//	histogram -size 67108864 -check
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/histogram/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// blocks is enough to fill any device; each adds to every bin once.
const blocks = 1024

func main() {
	size := flag.Int("size", 1<<26, "number of bytes")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the counts with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 0 {
		fmt.Fprintln(os.Stderr, "histogram: -size is at least 0")
		os.Exit(2)
	}
	if err := run(*size, *check); err != nil {
		fmt.Fprintln(os.Stderr, "histogram:", err)
		os.Exit(1)
	}
}

// bytes are n bytes of which some are far more frequent than others, as in most data.
func bytes(n int) []uint8 {
	out := make([]uint8, n)
	state := uint32(1)
	for i := range out {
		state = state*1664525 + 1013904223
		out[i] = uint8(state>>24) & uint8(state>>16)
	}
	return out
}

func run(n int, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	s := dev.DefaultStream()

	host := bytes(n)
	x, err := gpu.Upload(s, host)
	if err != nil {
		return err
	}
	defer x.Free()
	bins, err := gpu.Alloc[uint32](s, kernels.Bins)
	if err != nil {
		return err
	}
	defer bins.Free()
	grid := min(blocks, n/kernels.Threads+1)

	// The first launch loads the module, and its counts are the result; the others are timed together.
	if err := kernels.Count(s, x, bins, grid); err != nil {
		return err
	}
	got := make([]uint32, kernels.Bins)
	if err := bins.Download(s, got); err != nil {
		return err
	}
	const rounds = 20
	start := time.Now()
	for range rounds {
		if err := kernels.Count(s, x, bins, grid); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	took := time.Since(start) / rounds
	fmt.Printf("%v: %d bytes in %v, %.1f GB/s; %d of them are 0\n", dev, n, took.Round(time.Microsecond), float64(n)/took.Seconds()/1e9, got[0])
	if check {
		return compare(got, host)
	}
	return nil
}

// compare counts in plain Go.
func compare(got []uint32, x []uint8) error {
	var want [kernels.Bins]uint32
	for _, v := range x {
		want[v]++
	}
	for v, n := range want {
		if got[v] != n {
			return fmt.Errorf("%d bytes are %d, plain Go finds %d", got[v], v, n)
		}
	}
	fmt.Println("the counts are those of plain Go")
	return nil
}
