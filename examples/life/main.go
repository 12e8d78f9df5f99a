// Command life films Conway's game of life on a torus as an animated GIF: guns that fire gliders into a kaleidoscope, or a
// soup of random cells.
//
//	life -size 160 -frames 240 -scene guns -o life.gif
package main

import (
	"flag"
	"fmt"
	"image"
	"image/gif"
	"os"
	"time"

	"github.com/gpugen/gpugen/examples/life/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// A living cell is as bright as the palette goes; a dead one gets darker by fade a generation.
const (
	last = 255
	fade = 5
)

func main() {
	size := flag.Int("size", 160, "width and height of the torus in cells")
	frames := flag.Int("frames", 240, "pictures in the film, one a generation")
	zoom := flag.Int("zoom", 3, "width and height of a cell in the picture")
	scene := flag.String("scene", "guns", "first generation: guns or soup")
	out := flag.String("o", "life.gif", "file to write")
	device := flag.String("device", "", "device to use: cpu, cuda:0, …; the best one by default")
	check := flag.Bool("check", false, "compare the last generation with plain Go")
	flag.Parse()
	if *device != "" {
		os.Setenv("GPUGEN_DEVICE", *device)
	}
	if *size < smallest || *size > 1<<12 || *frames < 1 || *zoom < 1 || *zoom > 16 || *scene != "guns" && *scene != "soup" {
		fmt.Fprintf(os.Stderr, "life: -size is from %d to 4096, -frames at least 1, -zoom from 1 to 16, -scene guns or soup\n", smallest)
		os.Exit(2)
	}
	if err := run(*size, *frames, *zoom, *scene, *out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "life:", err)
		os.Exit(1)
	}
}

func run(n, frames, zoom int, scene, file string, check bool) error {
	dev, err := gpu.Open()
	if err != nil {
		return err
	}
	defer dev.Close()
	start := time.Now()
	w, err := newWorld(dev.DefaultStream(), first(scene, n), n, zoom)
	if err != nil {
		return err
	}
	defer w.free()
	colours := palette()
	film := &gif.GIF{Config: image.Config{ColorModel: colours, Width: n * zoom, Height: n * zoom}}
	for range frames {
		frame := image.NewPaletted(image.Rect(0, 0, n*zoom, n*zoom), colours)
		if err := w.film(frame.Pix); err != nil {
			return err
		}
		film.Image = append(film.Image, frame)
		film.Delay = append(film.Delay, 5)
	}
	fmt.Printf("%v: %d generations of %d × %d cells in %v\n", dev, frames, n, n, time.Since(start).Round(time.Microsecond))
	if check {
		if err := w.compare(first(scene, n), frames); err != nil {
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

// world is the state of the game: this generation, room for the next, what still glows, and the picture of that.
type world struct {
	s                           *gpu.Stream
	n, zoom                     int
	cells, next, light, picture gpu.Buffer2[uint8]
}

func newWorld(s *gpu.Stream, cells []uint8, n, zoom int) (*world, error) {
	w := &world{s: s, n: n, zoom: zoom}
	var err [4]error
	w.cells, err[0] = gpu.Upload2(s, cells, n, n)
	w.next, err[1] = gpu.Alloc2[uint8](s, n, n)
	w.light, err[2] = gpu.Alloc2[uint8](s, n, n)
	w.picture, err[3] = gpu.Alloc2[uint8](s, n*zoom, n*zoom)
	for _, e := range err {
		if e != nil {
			w.free()
			return nil, e
		}
	}
	return w, nil
}

func (w *world) free() {
	w.cells.Free()
	w.next.Free()
	w.light.Free()
	w.picture.Free()
}

// film takes a picture of this generation and goes on to the next.
func (w *world) film(pix []uint8) error {
	if err := kernels.Glow(w.s, w.cells, last, fade, w.light); err != nil {
		return err
	}
	if err := kernels.Enlarge(w.s, w.light, w.zoom, w.picture); err != nil {
		return err
	}
	if err := kernels.Step(w.s, w.cells, w.next); err != nil {
		return err
	}
	w.cells, w.next = w.next, w.cells
	return w.picture.Download(w.s, pix)
}

// compare plays the game again in plain Go.
func (w *world) compare(cells []uint8, generations int) error {
	got := make([]uint8, w.n*w.n)
	if err := w.cells.Download(w.s, got); err != nil {
		return err
	}
	for range generations {
		cells = step(cells, w.n)
	}
	alive := 0
	for i, c := range cells {
		if got[i] != c {
			return fmt.Errorf("cell %d, %d is %d, plain Go gives %d", i/w.n, i%w.n, got[i], c)
		}
		alive += int(c)
	}
	fmt.Printf("all cells equal plain Go, %d are alive\n", alive)
	return nil
}

func step(cells []uint8, n int) []uint8 {
	next := make([]uint8, n*n)
	for y := range n {
		for x := range n {
			alive := 0
			for d := range 9 {
				if d != 4 {
					alive += int(cells[(y+d/3-1+n)%n*n+(x+d%3-1+n)%n])
				}
			}
			if alive == 3 || alive == 2 && cells[y*n+x] == 1 {
				next[y*n+x] = 1
			}
		}
	}
	return next
}
