// Command sgemm16 multiplies two square matrices of float16 on the best device of this machine, with sums in float32, and
// says how fast.
//
//	sgemm16 -size 1024 -out float16 -check
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/sgemm16/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

func main() {
	size := flag.Int("size", 1024, "rows and columns")
	out := flag.String("out", "float32", "type of the product's elements: float16 or float32")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the product with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 1 || *size > 1<<15 || *out != "float16" && *out != "float32" {
		fmt.Fprintln(os.Stderr, "sgemm16: -size is from 1 to 32768, -out float16 or float32")
		os.Exit(2)
	}
	work := run[float32]
	if *out == "float16" {
		work = run[gpu.Float16]
	}
	if err := work(*size, *check); err != nil {
		fmt.Fprintln(os.Stderr, "sgemm16:", err)
		os.Exit(1)
	}
}

func run[T gpu.Float16 | float32](n int, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	s := dev.DefaultStream()

	hostA, hostB := matrix(n, 1), matrix(n, 2)
	a, err := gpu.Upload2(s, hostA, n, n)
	if err != nil {
		return err
	}
	defer a.Free()
	b, err := gpu.Upload2(s, hostB, n, n)
	if err != nil {
		return err
	}
	defer b.Free()
	c, err := gpu.Alloc2[T](s, n, n)
	if err != nil {
		return err
	}
	defer c.Free()

	// The first launch loads the module; the others are timed together.
	const rounds = 5
	if err := kernels.MatMul(s, a, b, c); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	start := time.Now()
	for range rounds {
		if err := kernels.MatMul(s, a, b, c); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	took := time.Since(start) / rounds
	fmt.Printf("%v: %d × %d in %v, %.1f GFLOP/s\n", dev, n, n, took.Round(time.Microsecond), 2*float64(n)*float64(n)*float64(n)/took.Seconds()/1e9)
	if !check {
		return nil
	}
	got := make([]T, n*n)
	if err := c.Download(s, got); err != nil {
		return err
	}
	return compare(got, hostA, hostB, n)
}

// matrix has numbers between -1 and 1.
func matrix(n int, seed uint64) []gpu.Float16 {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]gpu.Float16, n*n)
	for i := range out {
		out[i] = gpu.NewFloat16(2*r.Float64() - 1)
	}
	return out
}
