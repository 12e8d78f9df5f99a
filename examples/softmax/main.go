// Command softmax turns the rows of a matrix into weights on the best device of this machine and says how fast.
//
//	softmax -rows 4096 -size 4096 -check
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/softmax/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

func main() {
	rows := flag.Int("rows", 4096, "number of rows")
	size := flag.Int("size", 4096, "elements of a row")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the weights with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *rows < 0 || *size < 0 {
		fmt.Fprintln(os.Stderr, "softmax: -rows and -size are at least 0")
		os.Exit(2)
	}
	if err := run(*rows, *size, *check); err != nil {
		fmt.Fprintln(os.Stderr, "softmax:", err)
		os.Exit(1)
	}
}

func run(rows, n int, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	s := dev.DefaultStream()

	host := make([]float32, rows*n)
	for i := range host {
		host[i] = 20*float32(math.Sin(float64(i)*0.37)) + 80 // e to these is no float32
	}
	flat, err := gpu.Upload(s, host)
	if err != nil {
		return err
	}
	defer flat.Free()
	weights, err := gpu.Alloc[float32](s, rows*n)
	if err != nil {
		return err
	}
	defer weights.Free()
	x, y := flat.Reshape2(rows, n), weights.Reshape2(rows, n)

	// The first launch loads the module; the others are timed together.
	const rounds = 20
	if err := kernels.Softmax(s, x, y); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	start := time.Now()
	for range rounds {
		if err := kernels.Softmax(s, x, y); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	took := time.Since(start) / rounds
	fmt.Printf("%v: %d × %d in %v, %.1f GB/s of elements read and written once\n", dev, rows, n, took.Round(time.Microsecond), 8*float64(rows*n)/took.Seconds()/1e9)
	if !check {
		return nil
	}
	got := make([]float32, rows*n)
	if err := weights.Download(s, got); err != nil {
		return err
	}
	return compare(got, host, rows, n)
}

// compare computes in float64. A weight is off by what exp and a division are, a few units in the last place, by the
// rounding of the difference in the exponent, half a unit of at most 40, and by that of the sum, whose n terms are positive.
func compare(got, x []float32, rows, n int) error {
	const ulp = 0x1p-23
	worst := 0.0
	for r := range rows {
		row := x[r*n : (r+1)*n]
		hi, total := math.Inf(-1), 0.0
		for _, v := range row {
			hi = max(hi, float64(v))
		}
		for _, v := range row {
			total += math.Exp(float64(v) - hi)
		}
		for j, v := range row {
			want := math.Exp(float64(v)-hi) / total
			off := math.Abs(float64(got[r*n+j])-want) / want
			if !(off <= (64+float64(n))*ulp) {
				return fmt.Errorf("weight %d of row %d is %v, plain Go gives %v", j, r, got[r*n+j], want)
			}
			worst = max(worst, off)
		}
	}
	fmt.Printf("the weights differ from plain Go in float64 by at most %.1g of them\n", worst)
	return nil
}
