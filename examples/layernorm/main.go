// Command layernorm brings the rows of a matrix to mean 0 and variance 1 on the best device of this machine and says how
// fast.
//
//	layernorm -rows 4096 -size 4096 -check
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/layernorm/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

const eps = 1e-5

func main() {
	rows := flag.Int("rows", 4096, "number of rows")
	size := flag.Int("size", 4096, "elements of a row")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the rows with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *rows < 0 || *size < 0 {
		fmt.Fprintln(os.Stderr, "layernorm: -rows and -size are at least 0")
		os.Exit(2)
	}
	if err := run(*rows, *size, *check); err != nil {
		fmt.Fprintln(os.Stderr, "layernorm:", err)
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

	hostX, hostGain, hostBias := make([]float32, rows*n), make([]float32, n), make([]float32, n)
	for i := range hostX {
		hostX[i] = 3*float32(math.Sin(float64(i)*0.37)) + 5
	}
	for j := range n {
		hostGain[j], hostBias[j] = 1+float32(j%7)*0.25, float32(j%5)*0.5-1
	}
	x, err := gpu.Upload(s, hostX)
	if err != nil {
		return err
	}
	defer x.Free()
	gain, err := gpu.Upload(s, hostGain)
	if err != nil {
		return err
	}
	defer gain.Free()
	bias, err := gpu.Upload(s, hostBias)
	if err != nil {
		return err
	}
	defer bias.Free()
	y, err := gpu.Alloc[float32](s, rows*n)
	if err != nil {
		return err
	}
	defer y.Free()
	norm := func() error {
		return kernels.LayerNorm(s, x.Reshape2(rows, n), gain, bias, y.Reshape2(rows, n), eps)
	}

	// The first launch loads the module; the others are timed together.
	const rounds = 20
	if err := norm(); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	start := time.Now()
	for range rounds {
		if err := norm(); err != nil {
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
	if err := y.Download(s, got); err != nil {
		return err
	}
	return compare(got, hostX, hostGain, hostBias, rows, n)
}

// compare computes in float64. The two sums of n terms are off by at most n half units in the last place of the sum of
// their magnitudes; the elements lie around 5, so that a difference to the mean is off by as much of 8.
func compare(got, x, gain, bias []float32, rows, n int) error {
	const ulp = 0x1p-23
	worst := 0.0
	for r := range rows {
		row := x[r*n : (r+1)*n]
		mean, variance := 0.0, 0.0
		for _, v := range row {
			mean += float64(v)
		}
		mean /= float64(n)
		for _, v := range row {
			variance += (float64(v) - mean) * (float64(v) - mean)
		}
		scale := 1 / math.Sqrt(variance/float64(n)+eps)
		for j, v := range row {
			want := (float64(v)-mean)*scale*float64(gain[j]) + float64(bias[j])
			off := math.Abs(float64(got[r*n+j]) - want)
			bound := (16 + float64(n)) * ulp * (8*scale*float64(gain[j])*(1+math.Abs(float64(v)-mean)*scale) + math.Abs(float64(bias[j])))
			if !(off <= bound) {
				return fmt.Errorf("element %d of row %d is %v, plain Go gives %v", j, r, got[r*n+j], want)
			}
			worst = max(worst, off)
		}
	}
	fmt.Printf("the elements differ from plain Go in float64 by at most %.1g\n", worst)
	return nil
}
