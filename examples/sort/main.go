// Command sort sorts many numbers, each with a value that follows it, on the best device of this machine and says how fast.
//
//	sort -size 16777216 -check
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/gpugen/gpugen/examples/sort/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

func main() {
	size := flag.Int("size", 1<<22, "number of keys")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the order with slices.Sort")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 0 || *size > 1<<32-1 {
		fmt.Fprintln(os.Stderr, "sort: -size is from 0 to 4294967295")
		os.Exit(2)
	}
	if err := run(*size, *check); err != nil {
		fmt.Fprintln(os.Stderr, "sort:", err)
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

	// A quarter of n keys differ, so that many are equal; a value is the place from which its key came.
	r := rand.New(rand.NewPCG(1, 2))
	hostKeys, hostValues := make([]uint32, n), make([]uint32, n)
	for i := range n {
		hostKeys[i], hostValues[i] = r.Uint32N(uint32(n/4+1))*0x9E3779B1, uint32(i)
	}
	keys, err := gpu.Upload(s, hostKeys)
	if err != nil {
		return err
	}
	defer keys.Free()
	values, err := gpu.Upload(s, hostValues)
	if err != nil {
		return err
	}
	defer values.Free()

	// The first sort loads the modules; the second is timed, from the same order.
	if err := sort(s, keys, values); err != nil {
		return err
	}
	if err := keys.Upload(s, hostKeys); err != nil {
		return err
	}
	if err := values.Upload(s, hostValues); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	start := time.Now()
	if err := sort(s, keys, values); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	took := time.Since(start)
	fmt.Printf("%v: %d keys with values in %v, %.1f million/s\n", dev, n, took.Round(time.Microsecond), float64(n)/took.Seconds()/1e6)
	if !check {
		return nil
	}
	gotKeys, gotValues := make([]uint32, n), make([]uint32, n)
	if err := keys.Download(s, gotKeys); err != nil {
		return err
	}
	if err := values.Download(s, gotValues); err != nil {
		return err
	}
	return compare(gotKeys, gotValues, hostKeys, hostValues)
}

// sort sorts tiles in shared memory and then merges runs, with a launch for each distance that no tile spans.
func sort(s *gpu.Stream, keys, values gpu.Buffer[uint32]) error {
	if err := kernels.SortTiles(s, keys, values); err != nil {
		return err
	}
	for run := kernels.Tile; run < keys.Len(); run *= 2 {
		if err := kernels.Mirror(s, run, keys, values); err != nil {
			return err
		}
		for d := run / 2; d >= kernels.Tile; d /= 2 {
			if err := kernels.Step(s, d, keys, values); err != nil {
				return err
			}
		}
		if err := kernels.MergeTiles(s, keys, values); err != nil {
			return err
		}
	}
	return nil
}

// compare sorts keys with their values as one number. No two of those are equal, so there is one right order.
func compare(gotKeys, gotValues, keys, values []uint32) error {
	want := make([]uint64, len(keys))
	for i, k := range keys {
		want[i] = uint64(k)<<32 | uint64(values[i])
	}
	start := time.Now()
	slices.Sort(want)
	took := time.Since(start)
	for i, w := range want {
		if gotKeys[i] != uint32(w>>32) || gotValues[i] != uint32(w) {
			return fmt.Errorf("place %d has key %d from %d, slices.Sort puts %d from %d there", i, gotKeys[i], gotValues[i], w>>32, uint32(w))
		}
	}
	fmt.Printf("the order is that of slices.Sort, which took %v\n", took.Round(time.Microsecond))
	return nil
}
