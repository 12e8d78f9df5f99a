package main

import (
	"fmt"
	"math"
)

// compare repeats the whole film in plain Go. A GPU rounds a*b + c once where Go rounds twice; heat spreads out such
// differences instead of amplifying them.
func (p *plate) compare(frames int) error {
	got := make([]float32, p.n*p.n)
	if err := p.t.Download(p.s, got); err != nil {
		return err
	}
	want := simulate(p.n, frames)
	worst := 0.0
	for i := range want {
		d := math.Abs(float64(got[i] - want[i]))
		if !(d < 1e-4) {
			return fmt.Errorf("cell %d is at %v, plain Go gives %v", i, got[i], want[i])
		}
		worst = max(worst, d)
	}
	fmt.Printf("temperatures equal plain Go to %.1g\n", worst)
	return nil
}

func simulate(n, frames int) []float32 {
	k, t, next := walls(n), make([]float32, n*n), make([]float32, n*n)
	for i := range frames {
		for _, c := range sources(n, i, frames) {
			warm(n, t, c[0], c[1])
		}
		for range stepsPerFrame(n) {
			step(n, k, t, next)
			t, next = next, t
		}
	}
	return t
}

func warm(n int, t []float32, cy, cx float32) {
	r := radius(n)
	for i := range t {
		d := float32(math.Hypot(float64(float32(i/n)-cy), float64(float32(i%n)-cx)))
		if d < r {
			t[i] = max(t[i], hot*(1-d/r*d/r))
		}
	}
}

func step(n int, k, t, next []float32) {
	for y := 1; y < n-1; y++ {
		for x := 1; x < n-1; x++ {
			i := y*n + x
			flow := func(j int) float32 { return 2 * k[i] * k[j] / (k[i] + k[j]) * (t[j] - t[i]) }
			in := flow(i-n) + flow(i+n)
			in += flow(i-1) + flow(i+1)
			next[i] = t[i] + float32(dt*in) - float32(loss*t[i])
		}
	}
}
