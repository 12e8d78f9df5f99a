package main

import (
	"fmt"
	"math"

	"github.com/gpugen/gpugen/runtime/gpu"
)

// compare computes blur and gradient in plain Go.
func (f *filter) compare(src, weights []float32) error {
	if err := f.same("blur", f.blurred.Flat().Download, blur(blur(src, weights, f.w, f.h, 1), weights, f.w, f.h, f.w)); err != nil {
		return err
	}
	return f.same("sobel", f.strength.Flat().Download, sobel(src, f.w, f.h))
}

// same allows for the last bits: a GPU rounds a*b + c once where Go rounds twice.
func (f *filter) same(name string, download func(s *gpu.Stream, host []float32) error, want []float32) error {
	got := make([]float32, len(want))
	if err := download(f.s, got); err != nil {
		return err
	}
	worst := 0.0
	for i := range want {
		d := math.Abs(float64(got[i] - want[i]))
		if !(d <= 1e-5*(1+math.Abs(float64(want[i])))) {
			return fmt.Errorf("%s: value %d is %v, plain Go gives %v", name, i, got[i], want[i])
		}
		worst = max(worst, d)
	}
	fmt.Printf("%s: equals plain Go to %.1g\n", name, worst)
	return nil
}

// blur convolves the planes along rows (stride 1) or columns (stride w).
func blur(src, weights []float32, w, h, stride int) []float32 {
	dst := make([]float32, len(src))
	for i := range src {
		at, n := i%w, w
		if stride == w {
			at, n = i/w%h, h
		}
		s := float32(weights[0] * src[i])
		for j := 1; j < len(weights); j++ {
			lo, hi := max(at-j, 0)-at, min(at+j, n-1)-at
			s += float32(weights[j] * (src[i+lo*stride] + src[i+hi*stride]))
		}
		dst[i] = s
	}
	return dst
}

func sobel(src []float32, w, h int) []float32 {
	luma := func(x, y int) float64 {
		i := min(max(y, 0), h-1)*w + min(max(x, 0), w-1)
		r, g, b := src[i], src[w*h+i], src[2*w*h+i]
		return math.Sqrt(0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(b))
	}
	dst := make([]float32, w*h)
	for y := range h {
		for x := range w {
			gx := luma(x+1, y-1) + 2*luma(x+1, y) + luma(x+1, y+1) - luma(x-1, y-1) - 2*luma(x-1, y) - luma(x-1, y+1)
			gy := luma(x-1, y+1) + 2*luma(x, y+1) + luma(x+1, y+1) - luma(x-1, y-1) - 2*luma(x, y-1) - luma(x+1, y-1)
			dst[y*w+x] = float32(math.Hypot(gx, gy))
		}
	}
	return dst
}
