// Command heat sends two sources around a plate with walls and films how the heat spreads, as an animated GIF.
//
//	heat -size 320 -frames 120 -o heat.gif
package main

import (
	"flag"
	"fmt"
	"image"
	"image/gif"
	"math"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/heat/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// Heat moves by dt * 1 cell a step at most; 0.2 is stable, a quarter is not.
const (
	dt   = 0.2
	loss = 0.0006
	hot  = 1.0
)

func main() {
	size := flag.Int("size", 240, "width and height of the plate")
	frames := flag.Int("frames", 72, "pictures in the film")
	out := flag.String("o", "heat.gif", "file to write")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the last temperatures with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 16 || *frames < 1 {
		fmt.Fprintln(os.Stderr, "heat: -size is at least 16 and -frames at least 1")
		os.Exit(2)
	}
	if err := run(*size, *frames, *out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "heat:", err)
		os.Exit(1)
	}
}

func run(n, frames int, file string, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	start := time.Now()
	p, err := newPlate(dev.DefaultStream(), n)
	if err != nil {
		return err
	}
	defer p.free()
	film := &gif.GIF{Config: image.Config{ColorModel: palette(), Width: n, Height: n}}
	for i := range frames {
		if err := p.advance(i, frames); err != nil {
			return err
		}
		frame, err := p.picture()
		if err != nil {
			return err
		}
		film.Image = append(film.Image, frame)
		film.Delay = append(film.Delay, 4)
	}
	fmt.Printf("%v: %d steps of %d × %d cells in %v\n", dev, p.steps, n, n, time.Since(start).Round(time.Microsecond))
	if check {
		if err := p.compare(frames); err != nil {
			return err
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := gif.EncodeAll(f, film); err != nil {
		f.Close()
		return err
	}
	fmt.Println("wrote", file)
	return f.Close()
}

// plate is the state of the simulation: conductivity, temperatures, and room for the next ones.
type plate struct {
	s             *gpu.Stream
	n, steps      int
	walls, t, nxt gpu.Buffer2[float32]
	shades        gpu.Buffer2[uint8]
}

func newPlate(s *gpu.Stream, n int) (*plate, error) {
	p := &plate{s: s, n: n}
	var err [4]error
	p.walls, err[0] = gpu.Upload2(s, walls(n), n, n)
	p.t, err[1] = gpu.Alloc2[float32](s, n, n)
	p.nxt, err[2] = gpu.Alloc2[float32](s, n, n)
	p.shades, err[3] = gpu.Alloc2[uint8](s, n, n)
	for _, e := range err {
		if e != nil {
			p.free()
			return nil, e
		}
	}
	return p, nil
}

func (p *plate) free() {
	p.walls.Free()
	p.t.Free()
	p.nxt.Free()
	p.shades.Free()
}

// stepsPerFrame lets heat cross about the same part of the plate between two pictures, whatever its size.
func stepsPerFrame(n int) int { return max(n*n/1400, 1) }

// sources are the places of the two sources at a frame: they go round once in opposite directions.
func sources(n, frame, frames int) [2][2]float32 {
	a := 2 * math.Pi * float64(frame) / float64(frames)
	c, r := float64(n)/2, 0.37*float64(n)
	return [2][2]float32{
		{float32(c + r*math.Sin(a)), float32(c + r*math.Cos(a))},
		{float32(c - 0.2*r*math.Sin(2*a)), float32(c - 0.2*r*math.Cos(2*a))},
	}
}

func radius(n int) float32 { return float32(n) * 0.035 }

// advance warms the sources and lets the heat spread until the next frame. Nothing is waited for in between.
func (p *plate) advance(frame, frames int) error {
	for _, c := range sources(p.n, frame, frames) {
		if err := kernels.Source(p.s, c[0], c[1], radius(p.n), hot, p.t); err != nil {
			return err
		}
	}
	for range stepsPerFrame(p.n) {
		if err := kernels.Step(p.s, dt, loss, p.walls, p.t, p.nxt); err != nil {
			return err
		}
		p.t, p.nxt = p.nxt, p.t
		p.steps++
	}
	return nil
}

func (p *plate) picture() (*image.Paletted, error) {
	colours := palette()
	if err := kernels.Shade(p.s, p.walls, p.t, int32(len(colours)-2), p.shades); err != nil {
		return nil, err
	}
	frame := image.NewPaletted(image.Rect(0, 0, p.n, p.n), colours)
	return frame, p.shades.Download(p.s, frame.Pix)
}
