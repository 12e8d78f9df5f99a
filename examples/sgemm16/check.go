package main

import (
	"fmt"
	"math"

	"github.com/gpugen/gpugen/runtime/gpu"
)

// compare asks two things of every element. Its bits are those of plain Go, which adds up in float32 in the order of the
// kernel: a product of two float16 is exact in float32, so that it is the same whether a target fuses it with the sum or not.
// And it is as near to the sum in float64 as n roundings leave it: each is at most 2^-24 of a partial sum, which is at most the
// sum of the products' absolute values, and the last one, to float16, at most 2^-11 of the element, or half of the least
// float16.
func compare[T gpu.Float16 | float32](got []T, a, b []gpu.Float16, n int) error {
	right := make([]float32, n*n)
	for i, v := range b {
		right[i] = v.Float32()
	}
	worst := 0.0
	single, double, size := make([]float32, n), make([]float64, n), make([]float64, n)
	for y := range n {
		clear(single)
		clear(double)
		clear(size)
		for q := range n {
			f := a[y*n+q].Float32()
			for x, v := range right[q*n:][:n] {
				single[x] += float32(f * v)
				double[x] += float64(f) * float64(v)
				size[x] += math.Abs(float64(f) * float64(v))
			}
		}
		for x := range n {
			bound := float64(n) * 0x1p-24 * size[x]
			g, same := 0.0, false
			switch e := any(got[y*n+x]).(type) {
			case float32:
				g, same = float64(e), e == single[x]
			case gpu.Float16:
				g, same = e.Float64(), e == gpu.NewFloat16(single[x])
				bound += (math.Abs(double[x])+bound)*0x1p-11 + 0x1p-25
			}
			d := math.Abs(g - double[x])
			if !same || !(d <= bound) {
				return fmt.Errorf("row %d, column %d is %v, plain Go gives %v in float32 and %v in float64", y, x, g, single[x], double[x])
			}
			worst = max(worst, d/bound)
		}
	}
	fmt.Printf("the product has the bits of plain Go and %.2g of the error in float64 that rounding may make\n", worst)
	return nil
}
