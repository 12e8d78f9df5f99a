// Command mandelbrot draws a part of the Mandelbrot set.
//
//	mandelbrot -size 1920 -x -0.743643887 -y 0.131825904 -width 0.0008 -o valley.png
package main

import (
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/mandelbrot/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// view is what to draw.
type view struct {
	w, h          int
	x, y, width   float64 // centre and width in the plane
	limit, sample int32
}

func (v view) step() float64 { return v.width / float64(v.w) }

func main() {
	size := flag.Int("size", 960, "width of the picture")
	out := flag.String("o", "mandelbrot.png", "file to write")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the picture with plain Go")
	x := flag.Float64("x", -0.7436, "real part of the centre")
	y := flag.Float64("y", 0.1318, "imaginary part of the centre")
	width := flag.Float64("width", 0.006, "width of the view")
	limit := flag.Int("limit", 1200, "iterations before a point counts as inside")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	v := view{w: *size, h: *size * 2 / 3, x: *x, y: *y, width: *width, limit: int32(*limit), sample: 2}
	if err := run(v, *out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "mandelbrot:", err)
		os.Exit(1)
	}
}

func run(v view, file string, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	s := dev.DefaultStream()
	pixels, err := gpu.Alloc3[uint8](s, v.h, v.w, 4)
	if err != nil {
		return err
	}
	defer pixels.Free()

	start := time.Now()
	err = kernels.Mandelbrot(s, float32(v.x), float32(v.y), float32(v.step()), v.limit, v.sample, pixels)
	if err != nil {
		return err
	}
	pic := image.NewRGBA(image.Rect(0, 0, v.w, v.h))
	if err := pixels.Download(s, pic.Pix); err != nil {
		return err
	}
	fmt.Printf("%v: %d × %d points in %v\n", dev, v.w, v.h, time.Since(start).Round(time.Microsecond))
	if check {
		if err := compare(pic.Pix, v); err != nil {
			return err
		}
	}
	return write(file, pic)
}

func write(file string, pic image.Image) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := png.Encode(f, pic); err != nil {
		f.Close()
		return err
	}
	fmt.Println("wrote", file)
	return f.Close()
}

// compare draws the picture in plain Go. The kernel is @exact, so the iteration gives the same bits everywhere; logarithm,
// square root and cosine of the colours may differ in their last bits, which moves a value by a shade.
func compare(got []uint8, v view) error {
	want := draw(v)
	far := 0
	for i := range want {
		if d := int(got[i]) - int(want[i]); d < -2 || d > 2 {
			far++
		}
	}
	if share := float64(far) / float64(len(want)); share > 0.001 {
		return fmt.Errorf("%.1f %% of the values differ from plain Go", 100*share)
	}
	fmt.Printf("%d of %d values differ from plain Go by more than two shades\n", far, len(want))
	return nil
}

func draw(v view) []uint8 {
	out := make([]uint8, 0, 4*v.w*v.h)
	x0, y0, step := float32(v.x), float32(v.y), float32(v.step())
	offset := func(p int, s int32, n int) float32 {
		return float32(p) + (float32(s)+0.5)/float32(v.sample) - float32(n)/2
	}
	for py := range v.h {
		for px := range v.w {
			var r, g, b float32
			for sy := range v.sample {
				for sx := range v.sample {
					dx, dy := offset(px, sx, v.w), offset(py, sy, v.h)
					if m := escape(x0+float32(dx*step), y0+float32(dy*step), v.limit); m >= 0 {
						cr, cg, cb := colour(float32(math.Sqrt(float64(m))) * 0.11)
						r, g, b = r+cr, g+cg, b+cb
					}
				}
			}
			n := float32(v.sample * v.sample)
			out = append(out, shade(r/n), shade(g/n), shade(b/n), 255)
		}
	}
	return out
}

func escape(cx, cy float32, limit int32) float32 {
	q := float32((cx-0.25)*(cx-0.25)) + float32(cy*cy)
	if q*(q+(cx-0.25)) <= 0.25*cy*cy || float32((cx+1)*(cx+1))+float32(cy*cy) <= 0.0625 {
		return -1
	}
	var x, y float32
	for k := range limit {
		xx, yy := float32(x*x), float32(y*y)
		if xx+yy > kernels.Escaped {
			return float32(k) + 1 - float32(math.Log2(math.Log2(float64(xx+yy))/2))
		}
		y = float32(2*x*y) + cy
		x = xx - yy + cx
	}
	return -1
}

func colour(t float32) (r, g, b float32) {
	wave := func(phase float32) float32 {
		return 0.5 - 0.5*float32(math.Cos(2*math.Pi*float64(t+phase)))
	}
	r, g, b = wave(0.02), wave(0.07), wave(0.17)
	return r * r, g * g, b
}

func shade(v float32) uint8 { return uint8(min(max(v, 0), 1)*255 + 0.5) }
