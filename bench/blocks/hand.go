package main

// tiles are the shared memory of a block of MatMul, and the sums of its threads.
type tiles struct{ as, bs, acc [16][16]float32 }

// handProduct is c = a b by blocks of 16 x 16 threads.
func handProduct(a, b, c []float32, m, k, n int, multiply func(*tiles)) {
	parallel((m+15)/16, func(by int) {
		var s tiles
		for bx := range (n + 15) / 16 {
			s.acc = [16][16]float32{}
			for t := 0; t < k; t += 16 {
				for ty := range 16 {
					row, kb := by*16+ty, t+ty
					for tx := range 16 {
						col, ka := bx*16+tx, t+tx
						s.as[ty][tx] = 0
						if row < m && ka < k {
							s.as[ty][tx] = a[row*k+ka]
						}
						s.bs[ty][tx] = 0
						if kb < k && col < n {
							s.bs[ty][tx] = b[kb*n+col]
						}
					}
				}
				multiply(&s)
			}
			for ty := range 16 {
				for tx := range 16 {
					if row, col := by*16+ty, bx*16+tx; row < m && col < n {
						c[row*n+col] = s.acc[ty][tx]
					}
				}
			}
		}
	})
}

// multiply adds the product of the tiles as the kernel's text does, thread by thread.
func (s *tiles) multiply() {
	for ty := range 16 {
		for tx := range 16 {
			acc := s.acc[ty][tx]
			for q := range 16 {
				acc += s.as[ty][q] * s.bs[q][tx]
			}
			s.acc[ty][tx] = acc
		}
	}
}

// multiplyRows adds it row by row.
func (s *tiles) multiplyRows() {
	for ty := range 16 {
		acc := &s.acc[ty]
		for q := range 16 {
			x, row := s.as[ty][q], &s.bs[q]
			for tx := range 16 {
				acc[tx] += x * row[tx]
			}
		}
	}
}

// handSum gives len(sums) sums by blocks of 256 threads; add gives the sums of a block's threads.
func handSum(x, sums []float32, add func(part *[256]float32, x []float32, b, blocks int)) {
	parallel(len(sums), func(b int) {
		var part [256]float32
		add(&part, x, b, len(sums))
		for half := 128; half > 0; half /= 2 {
			for t := range half {
				part[t] += part[t+half]
			}
		}
		sums[b] = part[0]
	})
}

// addStrided adds as the kernel's text does, thread by thread.
func addStrided(part *[256]float32, x []float32, b, blocks int) {
	for t := range 256 {
		acc := float32(0)
		for i := b*256 + t; i < len(x); i += blocks * 256 {
			acc += x[i]
		}
		part[t] = acc
	}
}

// addRows adds neighbours for neighbouring threads.
func addRows(part *[256]float32, x []float32, b, blocks int) {
	for at := b * 256; at < len(x); at += blocks * 256 {
		for t, v := range x[at:min(at+256, len(x))] {
			part[t] += v
		}
	}
}
