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
	start := galaxies(n)
	b, err := upload(dev.DefaultStream(), start)
	if err != nil {
		return err
	}
	defer b.free()
	if check {
		if err := compare(b, start); err != nil {
			return err
		}
	}
	pic := newPicture(width)
	begin := time.Now()
	for i := range steps {
		if err := b.step(); err != nil {
			return err
		}
		if i >= steps-exposure {
			now, err := b.download()
			if err != nil {
				return err
			}
			pic.expose(now)
		}
	}
	if err := b.s.Sync(); err != nil {
		return err
	}
	took := time.Since(begin)
	fmt.Printf("%v: %d steps of %d bodies in %v, %.2f billion pairs a second\n",
		dev, steps, n, took.Round(time.Microsecond), float64(n)*float64(n)*float64(steps)/took.Seconds()/1e9)
	return pic.write(file)
}

// bodies are on the device what stars are on the host.
type bodies struct {
	s                   *gpu.Stream
	x, y, z, vx, vy, vz gpu.Buffer[float32]
	m                   gpu.Buffer[float32]
}

func upload(s *gpu.Stream, st *stars) (*bodies, error) {
	b := &bodies{s: s}
	for _, f := range b.fields(st) {
		var err error
		if *f.dev, err = gpu.Upload(s, *f.host); err != nil {
			b.free()
			return nil, err
		}
	}
	return b, nil
}

type field struct {
	dev  *gpu.Buffer[float32]
	host *[]float32
}

func (b *bodies) fields(st *stars) []field {
	return []field{{&b.x, &st.x}, {&b.y, &st.y}, {&b.z, &st.z}, {&b.vx, &st.vx}, {&b.vy, &st.vy}, {&b.vz, &st.vz}, {&b.m, &st.m}}
}

func (b *bodies) free() {
	for _, f := range b.fields(&stars{}) {
		f.dev.Free()
	}
}

func (b *bodies) step() error {
	if err := kernels.Accelerate(b.s, dt, soft, b.x, b.y, b.z, b.m, b.vx, b.vy, b.vz); err != nil {
		return err
	}
	return kernels.Move(b.s, dt, b.vx, b.vy, b.vz, b.x, b.y, b.z)
}

func (b *bodies) download() (*stars, error) {
	st := &stars{}
	for _, f := range b.fields(st) {
		*f.host = make([]float32, f.dev.Len())
		if err := f.dev.Download(b.s, *f.host); err != nil {
			return nil, err
		}
	}
	return st, nil
}
