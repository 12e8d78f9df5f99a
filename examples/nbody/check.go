package main

import (
	"fmt"
	"math"
)

// compare makes the first step with both and leaves b as it was. Later steps cannot be compared: a system of bodies is
// chaotic, and the last bit of a root decides where a star goes.
func compare(b *bodies, st *stars) error {
	if err := b.step(); err != nil {
		return err
	}
	got, err := b.download()
	if err != nil {
		return err
	}
	worst := 0.0
	for i := range st.x {
		want := st.after(i)
		d := math.Hypot(math.Hypot(float64(got.x[i])-want[0], float64(got.y[i])-want[1]), float64(got.z[i])-want[2])
		if !(d < 1e-5) {
			return fmt.Errorf("body %d is at %v, %v, %v, plain Go gives %v", i, got.x[i], got.y[i], got.z[i], want)
		}
		worst = max(worst, d)
	}
	fmt.Printf("the first step equals plain Go in float64 to %.1g\n", worst)
	for _, f := range b.fields(st) {
		if err := f.dev.Upload(b.s, *f.host); err != nil {
			return err
		}
	}
	return nil
}

// after is where a body is after a step.
func (st *stars) after(i int) [3]float64 {
	at := func(j int) [3]float64 { return [3]float64{float64(st.x[j]), float64(st.y[j]), float64(st.z[j])} }
	p := at(i)
	v := [3]float64{float64(st.vx[i]), float64(st.vy[i]), float64(st.vz[i])}
	for j := range st.x {
		q := at(j)
		r2 := soft * soft
		for c := range q {
			q[c] -= p[c]
			r2 += q[c] * q[c]
		}
		for c := range q {
			v[c] += dt * float64(st.m[j]) / (r2 * math.Sqrt(r2)) * q[c]
		}
	}
	for c := range p {
		p[c] += dt * v[c]
	}
	return p
}
