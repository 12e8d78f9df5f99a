package main

import "math"

// scene paints an evening over a lake: planes of linear light, red, green and blue.
func scene(w, h int) []float32 {
	pic := make([]float32, 3*w*h)
	for y := range h {
		for x := range w {
			u, v := float64(x)/float64(w), float64(y)/float64(h)
			c := paint(u*float64(w)/float64(h), v)
			for p := range 3 {
				pic[(p*h+y)*w+x] = float32(max(c[p], 0))
			}
		}
	}
	return pic
}

type rgb [3]float64

func mix(a, b rgb, t float64) rgb {
	t = min(max(t, 0), 1)
	for i := range a {
		a[i] += t * (b[i] - a[i])
	}
	return a
}

const (
	shore        = 0.68
	sunX, sunY   = 0.98, 0.43
	sunRadius    = 0.085
	ridges       = 4
	windowHeight = 0.0045
)

// paint is the colour at u, v; v runs from 0 at the top to 1.
func paint(u, v float64) rgb {
	if v < shore {
		return land(u, v)
	}
	// Water mirrors the land, rippled more the nearer it is.
	depth := (v - shore) / (1 - shore)
	ripple := 0.012 * depth * math.Sin(260*math.Pow(v-shore+0.02, 0.55)+5*noise(u*6, v*40))
	c := land(u+ripple, 2*shore-v-0.4*ripple)
	c = mix(c, rgb{0.01, 0.03, 0.07}, 0.2+0.35*depth)
	if glint := noise(u*90, v*420); glint > 0.83 && math.Abs(u-sunX) < 0.05+0.2*depth {
		c = mix(c, rgb{1.6, 1.0, 0.5}, 4*(glint-0.83))
	}
	return c
}

// land is sky, sun, ridges of mountains and a few lit windows.
func land(u, v float64) rgb {
	c := mix(rgb{0.03, 0.06, 0.22}, rgb{0.95, 0.36, 0.16}, math.Pow(v/0.62, 1.7))
	d := math.Hypot(u-sunX, v-sunY)
	c = mix(c, rgb{1.3, 0.75, 0.3}, 0.75*math.Exp(-7*d))
	if d < sunRadius {
		c = rgb{1.9, 1.35, 0.62}
	}
	if n := noise(u*300, v*300); v < 0.3 && n > 0.965 { // stars
		c = mix(c, rgb{1, 1, 1}, (0.3-v)*60*(n-0.965))
	}
	if cloud := fbm(u*2.2, v*9+3); cloud > 0.52 && v < 0.5 {
		c = mix(c, rgb{1.0, 0.42, 0.32}, 3*(cloud-0.52)*(0.4+v))
	}
	for i := range ridges {
		k := float64(i)
		top := 0.46 + 0.06*k - (0.42-0.09*k)*(fbm(u*(2.6+k)+17*k, 5.5*k+0.5)-0.42)
		if v < top {
			continue
		}
		far := mix(rgb{0.30, 0.16, 0.24}, rgb{0.012, 0.02, 0.035}, (k+0.6)/ridges)
		haze := math.Exp(-9 * (v - top)) // light catches the crest
		c = mix(far, mix(far, rgb{0.8, 0.35, 0.2}, 0.35), haze*(1-k/ridges))
		c = mix(c, rgb{0, 0, 0}, 0.35*fbm(u*24+9*k, v*24))
	}
	return windows(c, u, v)
}

// windows puts a village at the foot of the last ridge.
func windows(c rgb, u, v float64) rgb {
	for i := range 9 {
		x := 0.16 + 0.052*float64(i) + 0.02*hash(i, 3)
		y := 0.652 + 0.014*hash(i, 7)
		if math.Abs(u-x) < windowHeight*0.8 && math.Abs(v-y) < windowHeight {
			return rgb{1.5, 0.9, 0.25}
		}
	}
	return c
}

// hash is a number in [0, 1) for two ints.
func hash(x, y int) float64 {
	n := uint32(x)*374761393 + uint32(y)*668265263
	n = (n ^ n>>13) * 1274126177
	return float64(n^n>>16) / (1 << 32)
}

// noise interpolates hashes smoothly.
func noise(x, y float64) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	ix, iy := int(fx), int(fy)
	tx, ty := x-fx, y-fy
	tx, ty = tx*tx*(3-2*tx), ty*ty*(3-2*ty)
	top := hash(ix, iy) + tx*(hash(ix+1, iy)-hash(ix, iy))
	low := hash(ix, iy+1) + tx*(hash(ix+1, iy+1)-hash(ix, iy+1))
	return top + ty*(low-top)
}

// fbm adds noise over five octaves, in [0, 1).
func fbm(x, y float64) float64 {
	sum, size := 0.0, 0.5
	for range 5 {
		sum += size * noise(x, y)
		x, y, size = 2*x+31.7, 2*y+11.3, size/2
	}
	return sum
}
