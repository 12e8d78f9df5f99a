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
	// Saxpy[float32]: y, which the kernel writes, overlaps x
	// Saxpy[float32]: dimension 0 of y is 3, want 2
}
