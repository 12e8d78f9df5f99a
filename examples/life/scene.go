package main

import (
	"image/color"
	"math"
	"math/rand/v2"
)

// gun is Gosper's: every 30 generations it sends a glider down to the right.
var gun = [...]string{
	"........................O...........",
	"......................O.O...........",
	"............OO......OO............OO",
	"...........O...O....OO............OO",
	"OO........O.....O...OO..............",
	"OO........O...O.OO....O.O...........",
	"..........O.....O.......O...........",
	"...........O...O....................",
	"............OO......................",
}

// smallest is a torus whose quarters have room for a gun.
const smallest = 2 * (len("O...................................") + 4)

// first is the first generation. The game keeps mirror symmetry, so what happens in a quarter of the torus is seen in all.
func first(scene string, n int) []uint8 {
	cells := make([]uint8, n*n)
	random := rand.New(rand.NewPCG(7, 30))
	half := (n + 1) / 2
	set := func(y, x int) {
		for _, r := range [2]int{y, n - 1 - y} {
			cells[r*n+x], cells[r*n+n-1-x] = 1, 1
		}
	}
	for y := range half {
		for x := range half {
			r := math.Hypot(float64(half-1-y), float64(half-1-x)) / float64(half)
			lives := random.Float64() < 0.34
			if scene == "guns" {
				// Only a disc in the middle, which the gliders of all four guns run into.
				lives = lives && r < 0.3
			}
			if lives {
				set(y, x)
			}
		}
	}
	if scene == "guns" {
		for y, row := range gun {
			for x, c := range row {
				if c == 'O' {
					set(y+2, x+2)
				}
			}
		}
	}
	return cells
}

// palette runs from a night blue over violet and rose to a pale yellow: the afterglow; its last colour is that of life.
func palette() color.Palette {
	stops := [][3]float64{{7, 10, 28}, {24, 20, 66}, {74, 28, 112}, {150, 40, 120}, {222, 80, 92}, {252, 158, 90}, {255, 224, 160}}
	var p color.Palette
	for i := range last {
		// Nothing but life is brighter than last / 2.
		t := min(float64(i)/(last/2), 1) * float64(len(stops)-1)
		j := min(int(t), len(stops)-2)
		at := func(c int) uint8 { return uint8(stops[j][c] + (t-float64(j))*(stops[j+1][c]-stops[j][c]) + 0.5) }
		p = append(p, color.RGBA{at(0), at(1), at(2), 255})
	}
	return append(p, color.RGBA{240, 255, 252, 255})
}
