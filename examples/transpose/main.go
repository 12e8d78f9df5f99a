// Command transpose turns a matrix on the best device of this machine and compares its speed with that of a copy.
//
//	transpose -size 8192 -check
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/transpose/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

func main() {
	size := flag.Int("size", 2048, "rows and columns")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the result with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 1 {
		fmt.Fprintln(os.Stderr, "transpose: -size is at least 1")
		os.Exit(2)
	}
	if err := run(*size, *check); err != nil {
		fmt.Fprintln(os.Stderr, "transpose:", err)
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

	host := make([]float32, n*n)
	for i := range host {
		host[i] = float32(i % (1 << 24))
	}
	src, err := gpu.Upload2(s, host, n, n)
	if err != nil {
		return err
	}
	defer src.Free()
	same, err := gpu.Alloc2[float32](s, n, n)
	if err != nil {
		return err
	}
	defer same.Free()
	dst, err := gpu.Alloc2[float32](s, n, n)
	if err != nil {
		return err
	}
	defer dst.Free()

	moved, err := measure(s, func() error { return kernels.Copy(s, src, same) })
	if err != nil {
		return err
	}
	turned, err := measure(s, func() error { return kernels.Transpose(s, src, dst) })
	if err != nil {
		return err
	}
	rate := func(d time.Duration) float64 { return 2 * 4 * float64(n*n) / d.Seconds() / 1e9 }
	fmt.Printf("%v: %d × %d: transposed at %.1f GB/s, %.2f of the %.1f GB/s of a copy\n",
		dev, n, n, rate(turned), rate(turned)/rate(moved), rate(moved))
	if !check {
		return nil
	}
	got := make([]float32, n*n)
	if err := dst.Download(s, got); err != nil {
		return err
	}
	for y := range n {
		for x := range n {
			if g := got[x*n+y]; g != host[y*n+x] {
				return fmt.Errorf("row %d, column %d is %v, want %v", x, y, g, host[y*n+x])
			}
		}
	}
	fmt.Println("the result equals plain Go")
	return nil
}

// measure is the time of one launch. The first loads the module; the others are timed together.
func measure(s *gpu.Stream, launch func() error) (time.Duration, error) {
	const rounds = 20
	if err := launch(); err != nil {
		return 0, err
	}
	if err := s.Sync(); err != nil {
		return 0, err
	}
	start := time.Now()
	for range rounds {
		if err := launch(); err != nil {
			return 0, err
		}
	}
	err := s.Sync()
	return time.Since(start) / rounds, err
}
