package main

import (
	"fmt"
	"math"

	"github.com/gpugen/gpugen/examples/nbody/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// compare makes the first step with both and leaves the bodies as they were. Later steps cannot be compared: a system of
// bodies is chaotic, and the last bit of a root decides where a star goes.
func compare(s *gpu.Stream, bodies gpu.Buffer[kernels.Body], start []kernels.Body) error {
	if err := step(s, bodies); err != nil {
		return err
	}
	got := make([]kernels.Body, len(start))
	if err := bodies.Download(s, got); err != nil {
		return err
	}
	worst := 0.0
	for i, b := range got {
		want := after(start, i)
		d := math.Hypot(math.Hypot(float64(b.Pos[0])-want[0], float64(b.Pos[1])-want[1]), float64(b.Pos[2])-want[2])
		if !(d < 1e-5) {
			return fmt.Errorf("body %d is at %v, plain Go gives %v", i, b.Pos, want)
		}
		worst = max(worst, d)
	}
	fmt.Printf("the first step equals plain Go in float64 to %.1g\n", worst)
	return bodies.Upload(s, start)
}

// after is where a body is after a step.
func after(bodies []kernels.Body, i int) (p [3]float64) {
	var v [3]float64
	for c := range p {
		p[c], v[c] = float64(bodies[i].Pos[c]), float64(bodies[i].Vel[c])
	}
	for _, other := range bodies {
		var d [3]float64
		r2 := soft * soft
		for c := range d {
			d[c] = float64(other.Pos[c]) - p[c]
			r2 += d[c] * d[c]
		}
		for c := range d {
			v[c] += dt * float64(other.Mass) / (r2 * math.Sqrt(r2)) * d[c]
		}
	}
	for c := range p {
		p[c] += dt * v[c]
	}
	return p
}
