package main

import (
	"fmt"
	"math/bits"

	"github.com/gpugen/gpugen/examples/montecarlo/kernels"
)

// compare counts again in plain Go. Nothing is rounded differently anywhere, so every block's count is the same.
func compare(total uint64, hits []uint32, n int, seed uint64) error {
	want, sum := make([]uint32, len(hits)), uint64(0)
	for i := 0; 2*i < n; i++ {
		r := philox([4]uint32{uint32(i), uint32(i >> 32)}, [2]uint32{uint32(seed), uint32(seed >> 32)})
		count := inside(r[0], r[1])
		if 2*i+1 < n {
			count += inside(r[2], r[3])
		}
		want[i/kernels.Threads%len(hits)] += count
		sum += uint64(count)
	}
	for b, w := range want {
		if hits[b] != w {
			return fmt.Errorf("block %d counts %d points, plain Go %d", b, hits[b], w)
		}
	}
	if total != sum {
		return fmt.Errorf("the sum of all blocks is %d, plain Go counts %d points", total, sum)
	}
	fmt.Printf("all blocks count what plain Go does, %d points\n", sum)
	return nil
}

// inside counts a point of the unit square, given by the upper 24 bits of two numbers, if it is in the circle.
func inside(u, v uint32) uint32 {
	x, y := float32(u>>8)*0x1p-24, float32(v>>8)*0x1p-24
	if float32(x*x)+float32(y*y) < 1 {
		return 1
	}
	return 0
}

// philox is Philox4x32-10: four random words of a counter under a key.
//
// John K. Salmon and others, Parallel Random Numbers: As Easy as 1, 2, 3. SC 2011.
func philox(c [4]uint32, key [2]uint32) [4]uint32 {
	for range 10 {
		hi0, lo0 := bits.Mul32(0xD2511F53, c[0])
		hi2, lo2 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{hi2 ^ c[1] ^ key[0], lo2, hi0 ^ c[3] ^ key[1], lo0}
		key[0] += 0x9E3779B9
		key[1] += 0xBB67AE85
	}
	return c
}
