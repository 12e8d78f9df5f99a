// Command matmul multiplies two square matrices on the best device of this machine and says how fast.
//
//	matmul -size 1024 -check
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/matmul/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

func main() {
	size := flag.Int("size", 1024, "rows and columns")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the product with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 1 || *size > 1<<15 {
		fmt.Fprintln(os.Stderr, "matmul: -size is from 1 to 32768")
		os.Exit(2)
	}
	if err := run(*size, *check); err != nil {
		fmt.Fprintln(os.Stderr, "matmul:", err)
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

	hostA, hostB := matrix(n, 7, 3), matrix(n, 3, 5)
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
	c, err := gpu.Alloc2[float32](s, n, n)
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
	got := make([]float32, n*n)
	if err := c.Download(s, got); err != nil {
		return err
	}
	return compare(got, hostA, hostB, n)
}

// matrix has whole numbers from -4 to 4: every sum of up to 2^20 of their products is exact in a float32, in whatever
// order and with or without fused multiplication, so that results can be compared bit by bit.
func matrix(n, p, q int) []float32 {
	out := make([]float32, n*n)
	for i := range out {
		out[i] = float32((i/n*p+i%n*q+i*i%11)%9 - 4)
	}
	return out
}

func compare(got, a, b []float32, n int) error {
	row := make([]float32, n)
	for y := range n {
		clear(row)
		for q, f := range a[y*n:][:n] {
			for x, v := range b[q*n:][:n] {
				row[x] += f * v
			}
		}
		for x, want := range row {
			if g := got[y*n+x]; g != want {
				return fmt.Errorf("row %d, column %d is %v, plain Go gives %v", y, x, g, want)
			}
		}
	}
	fmt.Println("the product equals plain Go")
	return nil
}
