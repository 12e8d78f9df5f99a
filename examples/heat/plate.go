package main

import (
	"image/color"
	"math"
)

// walls is the conductivity of a plate of n × n cells: three broken rings that hardly conduct, and spokes between them.
func walls(n int) []float32 {
	k := make([]float32, n*n)
	for y := range n {
		for x := range n {
			dx, dy := (float64(x)+0.5)/float64(n)-0.5, (float64(y)+0.5)/float64(n)-0.5
			k[y*n+x] = 1
			if isWall(math.Hypot(dx, dy), math.Atan2(dy, dx)) {
				k[y*n+x] = 0.0005
			}
		}
	}
	return k
}

// isWall is in polar coordinates around the middle of a plate of width 1.
func isWall(r, angle float64) bool {
	const thick = 0.008
	rings := []struct {
		r, turn float64
		gaps    int
	}{{0.14, 0.4, 3}, {0.235, 1.1, 4}, {0.44, 0.2, 6}}
	for _, ring := range rings {
		gap := math.Mod((angle+math.Pi+ring.turn)*float64(ring.gaps)/(2*math.Pi), 1)
		if math.Abs(r-ring.r) < thick && math.Abs(gap-0.5) > 0.13 {
			return true
		}
	}
	spoke := math.Mod((angle+math.Pi+0.65)*8/(2*math.Pi), 1)
	return r > 0.235 && r < 0.31 && math.Abs(spoke-0.5) < thick*4/(math.Pi*r)/2
}

// palette runs from black over violet, red and orange to white, in 255 colours; the last is that of walls.
func palette() color.Palette {
	stops := [][3]float64{{0, 0, 4}, {31, 12, 72}, {85, 15, 109}, {136, 34, 106}, {186, 54, 85}, {227, 89, 51}, {249, 140, 10}, {249, 201, 50}, {252, 255, 220}}
	var p color.Palette
	const count = 255
	for i := range count {
		t := float64(i) / (count - 1) * float64(len(stops)-1)
		j := min(int(t), len(stops)-2)
		at := func(c int) uint8 {
			return uint8(stops[j][c] + (t-float64(j))*(stops[j+1][c]-stops[j][c]) + 0.5)
		}
		p = append(p, color.RGBA{at(0), at(1), at(2), 255})
	}
	return append(p, color.RGBA{96, 110, 130, 255})
}
