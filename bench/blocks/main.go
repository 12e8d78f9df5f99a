// Command blocks measures kernels of blocks on the CPU next to parallel Go written by hand for the same block structure.
//
// It prints the processor time of the generated kernels and of two hand-written ones, round by round in turn: one with
// the loops of the kernel's text, and one tuned by hand, with loops exchanged and rows sliced. Processor time is what
// both spend over all their goroutines, so that other work on the machine matters little. A ratio over 1 says that the
// generated code is faster. Compare figures of one run; where inner loops come to lie in memory moves them by a quarter.
package main

import (
	"flag"
	"fmt"
	"log"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	matmul "github.com/gpugen/gpugen/examples/matmul/kernels"
	reduce "github.com/gpugen/gpugen/examples/reduce/kernels"
	"github.com/gpugen/gpugen/runtime/gpu"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("blocks: ")
	side := flag.Int("side", 1024, "rows and columns of the matrices")
	size := flag.Int("n", 1<<24, "elements of the sum")
	rounds := flag.Int("rounds", 9, "rounds")
	flag.Parse()

	dev, err := gpu.Open(gpu.CPU())
	check(err)
	defer dev.Close()
	fmt.Println("device ", dev)
	product(dev, *side, *rounds)
	sum(dev, *size, 4**rounds)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// product measures MatMul.
func product(dev *gpu.Device, n, rounds int) {
	s := dev.DefaultStream()
	x, y := make([]float32, n*n), make([]float32, n*n)
	for i := range x {
		x[i], y[i] = float32(i%7)-3, float32(i%5)/2 // small halves: sums are exact in any order
	}
	a, err := gpu.Upload(s, x)
	check(err)
	b, err := gpu.Upload(s, y)
	check(err)
	c, err := gpu.Alloc[float32](s, n*n)
	check(err)
	byHand, tuned := make([]float32, n*n), make([]float32, n*n)
	compare(fmt.Sprintf("matmul %d x %d", n, n), rounds,
		func() {
			check(matmul.MatMul(s, a.Reshape2(n, n), b.Reshape2(n, n), c.Reshape2(n, n)))
			check(s.Sync())
		},
		func() { handProduct(x, y, byHand, n, n, n, (*tiles).multiply) },
		func() { handProduct(x, y, tuned, n, n, n, (*tiles).multiplyRows) },
	)
	got := make([]float32, n*n)
	check(c.Download(s, got))
	if !slices.Equal(got, byHand) || !slices.Equal(got, tuned) {
		log.Fatal("the products differ")
	}
}

// sum measures both stages of Sum.
func sum(dev *gpu.Device, n, rounds int) {
	const blocks = 1024
	s := dev.DefaultStream()
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%11) - 5 // whole numbers: sums are exact in any order
	}
	in, err := gpu.Upload(s, x)
	check(err)
	sums, err := gpu.Alloc[float32](s, blocks)
	check(err)
	total, err := gpu.Alloc[float32](s, 1)
	check(err)
	part, byHand, tuned := make([]float32, blocks), make([]float32, 1), make([]float32, 1)
	compare(fmt.Sprintf("reduce %d", n), rounds,
		func() {
			check(reduce.Sum(s, in, sums))
			check(reduce.Sum(s, sums, total))
			check(s.Sync())
		},
		func() { handSum(x, part, addStrided); handSum(part, byHand, addStrided) },
		func() { handSum(x, part, addRows); handSum(part, tuned, addRows) },
	)
	got := make([]float32, 1)
	check(total.Download(s, got))
	if got[0] != byHand[0] || got[0] != tuned[0] {
		log.Fatalf("the sums differ: %v, %v by hand, %v tuned", got, byHand, tuned)
	}
}

// compare runs the three in turn and prints the medians of their processor times.
func compare(name string, rounds int, fs ...func()) {
	times := make([][]float64, len(fs))
	for r := range rounds + 1 {
		for i, f := range fs {
			runtime.GC()
			start := processorTime()
			f()
			if d := processorTime() - start; r > 0 { // the first warms up
				times[i] = append(times[i], d)
			}
		}
	}
	median := func(i int) float64 {
		slices.Sort(times[i])
		return times[i][rounds/2]
	}
	gen, hand, tuned := median(0), median(1), median(2)
	fmt.Printf("%-20s generated %8.2f ms   by hand %8.2f ms, ratio %.2f   tuned by hand %8.2f ms, ratio %.2f\n",
		name, gen*1e3, hand*1e3, hand/gen, tuned*1e3, tuned/gen)
}

// parallel calls f for 0 to n-1 on all processors.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				f(i)
			}
		})
	}
	wg.Wait()
}
