package gpu_test

import (
	"fmt"
	"log"

	"github.com/gpugen/gpugen/runtime/gpu"
)

func Example() {
	dev, err := gpu.Open(gpu.CPU()) // gpu.Open() takes a GPU if there is one
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	s := dev.DefaultStream()
	x, err := gpu.Upload(s, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	y, err := gpu.Upload(s, []float32{3, 4, 5})
	if err != nil {
		log.Fatal(err)
	}
	// Saxpy is what gpugen generates from: kernel Saxpy[T float32|float64](a T, x [n]T, y mut [n]T) for i in n { … }
	if err := Saxpy(s, 2, x, y); err != nil {
		log.Fatal(err)
	}
	host := make([]float32, y.Len())
	if err := y.Download(s, host); err != nil {
		log.Fatal(err)
	}
	fmt.Println(host)
	fmt.Println(Saxpy(s, 2, x, x))
	fmt.Println(Saxpy(s, 2, x.Slice(0, 2), y))
	// Output:
	// [5 8 11]
	// Saxpy[float32]: y, which it writes, overlaps x
	// Saxpy[float32]: dimension 0 of y is 3, want 2
}

// Go computes in float32 and keeps 16 bits; every conversion rounds once.
func ExampleFloat16() {
	a, b := gpu.NewFloat16(0.1), gpu.NewFloat16(3)
	product := gpu.NewFloat16(a.Float32() * b.Float32())
	fmt.Println(a, b, product, product.Bits())
	fmt.Println(gpu.NewFloat16(65520), gpu.NewBFloat16(65520))
	// Output:
	// 0.1 3 0.2998 13516
	// +Inf 65536
}
