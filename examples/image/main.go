// Command image paints a picture, blurs it, finds its edges and makes a woodcut of it; the four stand in one PNG.
//
//	image -size 640 -sigma 6 -o image.png
package main

import (
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/image/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

func main() {
	size := flag.Int("size", 640, "width of each of the four pictures")
	sigma := flag.Float64("sigma", 6, "width of the blur, in pixels at size 640")
	out := flag.String("o", "image.png", "file to write")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the filters with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < 8 || *sigma <= 0 {
		fmt.Fprintln(os.Stderr, "image: -size is at least 8 and -sigma above 0")
		os.Exit(2)
	}
	if err := run(*size, *sigma*float64(*size)/640, *out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// gaussian is the right half of a normalised Gaussian: its centre first.
func gaussian(sigma float64) []float32 {
	weights := make([]float32, int(math.Ceil(3*sigma))+1)
	sum := -1.0
	for i := range weights {
		sum += 2 * math.Exp(-float64(i*i)/(2*sigma*sigma))
	}
	for i := range weights {
		weights[i] = float32(math.Exp(-float64(i*i)/(2*sigma*sigma)) / sum)
	}
	return weights
}

func run(w int, sigma float64, file string, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	h := w * 5 / 8
	host, weights := scene(w, h), gaussian(sigma)

	start := time.Now()
	f, err := newFilter(dev.DefaultStream(), host, weights, w, h)
	if err != nil {
		return err
	}
	defer f.free()
	pic := image.NewRGBA(image.Rect(0, 0, 2*w, 2*h))
	if err := f.apply(pic.Pix); err != nil {
		return err
	}
	fmt.Printf("%v: four pictures of %d × %d in %v\n", dev, w, h, time.Since(start).Round(time.Microsecond))
	if check {
		if err := f.compare(host, weights); err != nil {
			return err
		}
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := png.Encode(out, pic); err != nil {
		out.Close()
		return err
	}
	fmt.Println("wrote", file)
	return out.Close()
}

// filter holds the buffers of one picture.
type filter struct {
	s                       *gpu.Stream
	w, h                    int
	src, tmp, blurred, work gpu.Buffer3[float32]
	weights                 gpu.Buffer[float32]
	luma, strength, angle   gpu.Buffer2[float32]
	pixels                  gpu.Buffer3[uint8]
}

func newFilter(s *gpu.Stream, host, weights []float32, w, h int) (*filter, error) {
	f := &filter{s: s, w: w, h: h}
	var err error
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	plane := func() (b gpu.Buffer2[float32]) {
		b, e := gpu.Alloc2[float32](s, h, w)
		keep(e)
		return b
	}
	picture := func() (b gpu.Buffer3[float32]) {
		b, e := gpu.Alloc3[float32](s, 3, h, w)
		keep(e)
		return b
	}
	f.tmp, f.blurred, f.work = picture(), picture(), picture()
	f.luma, f.strength, f.angle = plane(), plane(), plane()
	var e error
	f.src, e = gpu.Upload3(s, host, 3, h, w)
	keep(e)
	f.weights, e = gpu.Upload(s, weights)
	keep(e)
	f.pixels, e = gpu.Alloc3[uint8](s, 2*h, 2*w, 4)
	keep(e)
	if err != nil {
		f.free()
		return nil, err
	}
	return f, nil
}

func (f *filter) free() {
	for _, b := range []gpu.Buffer3[float32]{f.src, f.tmp, f.blurred, f.work} {
		b.Free()
	}
	for _, b := range []gpu.Buffer2[float32]{f.luma, f.strength, f.angle} {
		b.Free()
	}
	f.weights.Free()
	f.pixels.Free()
}

// apply runs all filters and downloads the four pictures. The launches are asynchronous and in order; the first error
// ends the chain.
func (f *filter) apply(pix []uint8) error {
	s := f.s
	for _, launch := range []func() error{
		func() error { return kernels.Pack(s, f.src, 0, 0, f.pixels) },

		func() error { return kernels.BlurRows(s, f.src, f.weights, f.tmp) },
		func() error { return kernels.BlurColumns(s, f.tmp, f.weights, f.blurred) },
		func() error { return kernels.Pack(s, f.blurred, 0, f.w, f.pixels) },

		func() error { return kernels.Luma(s, f.src, f.luma) },
		func() error { return kernels.Sobel(s, f.luma, f.strength, f.angle) },
		func() error { return kernels.Edges(s, f.strength, f.angle, f.work) },
		func() error { return kernels.Pack(s, f.work, f.h, 0, f.pixels) },

		func() error { return kernels.Ink(s, f.src, f.strength, 6, f.work) },
		func() error { return kernels.Pack(s, f.work, f.h, f.w, f.pixels) },
	} {
		if err := launch(); err != nil {
			return err
		}
	}
	return f.pixels.Download(s, pix)
}
