// Command nbody lets two galaxies pass through each other and draws what their gravity makes of them.
//
//	nbody -size 16384 -steps 600 -o galaxies.png
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/nbody/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// A star at the edge of a galaxy goes round in about 6 units of time.
const (
	dt   = 0.01
	soft = 0.06
)

func main() {
	size := flag.Int("size", 2048, "number of bodies")
	steps := flag.Int("steps", 340, "steps of time")
	out := flag.String("o", "galaxies.png", "file to write")
	width := flag.Int("width", 960, "width of the picture")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the first step with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 2 || *steps < exposure || *width < 64 || *width > 1<<14 {
		fmt.Fprintf(os.Stderr, "nbody: -size is at least 2, -steps at least %d and -width from 64 to 16384\n", exposure)
		os.Exit(2)
	}
	if err := run(*size, *steps, *width, *out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "nbody:", err)
		os.Exit(1)
	}
}

func run(n, steps, width int, file string, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	s := dev.DefaultStream()
	start := galaxies(n)
	bodies, err := gpu.Upload(s, start)
	if err != nil {
		return err
	}
	defer bodies.Free()
	if check {
		if err := compare(s, bodies, start); err != nil {
			return err
		}
	}
	pic := newPicture(width)
	now := make([]kernels.Body, n)
	begin := time.Now()
	for i := range steps {
		if err := step(s, bodies); err != nil {
			return err
		}
		if i >= steps-exposure {
			if err := bodies.Download(s, now); err != nil {
				return err
			}
			pic.expose(now)
		}
	}
	if err := s.Sync(); err != nil {
		return err
	}
	took := time.Since(begin)
	fmt.Printf("%v: %d steps of %d bodies in %v, %.2f billion pairs a second\n",
		dev, steps, n, took.Round(time.Microsecond), float64(n)*float64(n)*float64(steps)/took.Seconds()/1e9)
	return pic.write(file)
}

func step(s *gpu.Stream, bodies gpu.Buffer[kernels.Body]) error {
	if err := kernels.Accelerate(s, dt, soft, bodies); err != nil {
		return err
	}
	return kernels.Move(s, dt, bodies)
}
