package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"

	"github.com/gpugen/gpugen/examples/nbody/kernels"
)

// galaxies are two discs that meet off centre, one tilted against the other: all bodies of one, then those of the other.
func galaxies(n int) []kernels.Body {
	random := rand.New(rand.NewPCG(4, 2))
	first := galaxy(random, n/2, [3]float64{-1.5, -0.55, 0}, [3]float64{0.42, 0.1, 0}, 0.35)
	return append(first, galaxy(random, n-n/2, [3]float64{1.5, 0.55, 0.1}, [3]float64{-0.42, -0.1, 0}, -0.9)...)
}

// galaxy has mass 1.2 and a radius of about 1: most of the mass in the middle, the rest in stars that go round it in a thin
// disc.
func galaxy(random *rand.Rand, n int, at, v [3]float64, tilt float64) (bodies []kernels.Body) {
	const disc = 0.2
	sin, cos := math.Sincos(tilt)
	for i := range n {
		var p, u [3]float64
		mass := 1.0
		if i > 0 {
			mass = disc / float64(n-1)
			r := 0.12 + 0.95*math.Sqrt(random.Float64())*math.Sqrt(random.Float64())
			sa, ca := math.Sincos(2 * math.Pi * random.Float64())
			speed := math.Sqrt((1 + disc*r*r) * r * r / math.Pow(r*r+soft*soft, 1.5))
			p = [3]float64{r * ca, r * sa, 0.02 * random.NormFloat64()}
			u = [3]float64{-speed * sa, speed * ca, 0}
		}
		// The disc turns about the x axis by its tilt.
		p[1], p[2] = cos*p[1]-sin*p[2], sin*p[1]+cos*p[2]
		u[1], u[2] = cos*u[1]-sin*u[2], sin*u[1]+cos*u[2]
		b := kernels.Body{Mass: float32(mass)}
		for c := range p {
			b.Pos[c], b.Vel[c] = float32(at[c]+p[c]), float32(v[c]+u[c])
		}
		bodies = append(bodies, b)
	}
	return bodies
}

// exposure is how many of the last steps the picture sees: moving stars draw short lines.
const exposure = 12

// picture collects light of three colours.
type picture struct {
	w, h  int
	light [][3]float64
}

func newPicture(w int) *picture {
	h := w * 3 / 4
	return &picture{w: w, h: h, light: make([][3]float64, w*h)}
}

// expose adds the stars where they are now, seen from above: each a small disc with soft edges. Few stars shine brighter.
func (p *picture) expose(bodies []kernels.Body) {
	warm, cold := [3]float64{1, 0.62, 0.3}, [3]float64{0.32, 0.6, 1}
	scale := float64(p.w) / 6.4
	bright := 0.5 * 4096 / float64(len(bodies)) / exposure
	for i, b := range bodies {
		tint := warm
		if i >= len(bodies)/2 {
			tint = cold
		}
		radius, power := float64(p.w)/600, bright
		if b.Mass > 0.5 { // the middle of a galaxy
			radius, power = float64(p.w)/60, 1.2/exposure
		}
		p.splat(float64(p.w)/2+scale*float64(b.Pos[0]), float64(p.h)/2-scale*float64(b.Pos[1]), radius, power, tint)
	}
}

func (p *picture) splat(cx, cy, radius, power float64, tint [3]float64) {
	reach := 3 * radius
	for y := max(int(cy-reach), 0); y <= min(int(cy+reach), p.h-1); y++ {
		for x := max(int(cx-reach), 0); x <= min(int(cx+reach), p.w-1); x++ {
			dx, dy := (float64(x)+0.5-cx)/radius, (float64(y)+0.5-cy)/radius
			g := power * math.Exp(-dx*dx-dy*dy)
			for c := range tint {
				p.light[y*p.w+x][c] += g * tint[c]
			}
		}
	}
}

// write develops the picture like film: the more light, the less each bit of it adds.
func (p *picture) write(file string) error {
	pic := image.NewRGBA(image.Rect(0, 0, p.w, p.h))
	for i, l := range p.light {
		shade := func(c int, night float64) uint8 {
			return uint8(255*math.Pow(1-math.Exp(-2.2*l[c]-night), 1/1.6) + 0.5)
		}
		pic.SetRGBA(i%p.w, i/p.w, color.RGBA{shade(0, 0.002), shade(1, 0.002), shade(2, 0.006), 255})
	}
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
