// Command blackscholes prices many European options on the best device of this machine and says how fast.
//
//	blackscholes -size 4194304 -check
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/blackscholes/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// The market: a yearly rate without risk, and how much prices move in a year.
const (
	rate       = 0.02
	volatility = 0.3
)

func main() {
	size := flag.Int("size", 1<<22, "number of options")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the prices with plain Go in float64")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 1 {
		fmt.Fprintln(os.Stderr, "blackscholes: -size is at least 1")
		os.Exit(2)
	}
	if err := run(*size, *check); err != nil {
		fmt.Fprintln(os.Stderr, "blackscholes:", err)
		os.Exit(1)
	}
}

// book is a set of options and, once computed, what they are worth.
type book struct {
	spot, strike, years, call, put []float32
}

func newBook(n int) *book {
	r := rand.New(rand.NewPCG(1, 2))
	between := func(lo, hi float32) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = lo + (hi-lo)*r.Float32()
		}
		return out
	}
	return &book{between(5, 30), between(1, 100), between(0.25, 10), make([]float32, n), make([]float32, n)}
}

func run(n int, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	s := dev.DefaultStream()

	b := newBook(n)
	var on [5]gpu.Buffer[float32]
	for i, host := range [...][]float32{b.spot, b.strike, b.years, b.call, b.put} {
		if on[i], err = gpu.Upload(s, host); err != nil {
			return err
		}
		defer on[i].Free()
	}
	price := func() error { return kernels.Price(s, rate, volatility, on[0], on[1], on[2], on[3], on[4]) }

	// The first launch loads the module; the others are timed together.
	const rounds = 10
	if err := price(); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	start := time.Now()
	for range rounds {
		if err := price(); err != nil {
			return err
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	took := time.Since(start) / rounds
	fmt.Printf("%v: %d calls and puts in %v, %.2f billion prices/s\n", dev, n, took.Round(time.Microsecond), 2*float64(n)/took.Seconds()/1e9)
	if err := on[3].Download(s, b.call); err != nil {
		return err
	}
	if err := on[4].Download(s, b.put); err != nil {
		return err
	}
	fmt.Printf("to buy for %.2f in %.2f years what costs %.2f is worth %.2f, to sell it %.2f\n", b.strike[0], b.years[0], b.spot[0], b.call[0], b.put[0])
	if check {
		return b.compare()
	}
	return nil
}
