package host

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// Chunks are disjoint and make up the box, however long its sides are and however many are asked for.
func TestChunksPartitionTheBox(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	side := func() int {
		return []int{1, 2, 3, 7, 64, 1000, 1 << 20, 1 << 40, 1 << 61}[r.IntN(9)]
	}
	for range 2000 {
		j := &job{dims: 1 + r.IntN(3)}
		for d := range j.dims {
			j.box.Lo[d] = r.IntN(2000) - 1000
			j.box.Hi[d] = j.box.Lo[d] + side()
		}
		n := 1 + r.IntN(600)
		j.cut(n)
		points := 1
		for d := range j.dims {
			points = min(points*min(j.box.Hi[d]-j.box.Lo[d], 1<<20), 1<<40)
		}
		if j.chunks < min(n, points) || j.chunks > 2*n {
			t.Fatalf("%+v in %d chunks, %d were asked for", j.box, j.chunks, n)
		}
		// Along each dimension the pieces follow each other; so it is enough to look at those of one line.
		stride := j.chunks
		for d := range 3 {
			stride /= j.pieces[d]
			at := j.box.Lo[d]
			for i := range j.pieces[d] {
				var b driver.Box
				j.chunk(i*stride, &b)
				size := b.Hi[d] - b.Lo[d]
				if b.Lo[d] != at || d < j.dims && (size < 1 || size > (j.box.Hi[d]-j.box.Lo[d])/j.pieces[d]+1) {
					t.Fatalf("%+v, piece %d of dimension %d: %+v", j.box, i, d, b)
				}
				at = b.Hi[d]
			}
			if at != j.box.Hi[d] {
				t.Fatalf("%+v, dimension %d ends at %d", j.box, d, at)
			}
		}
	}
}

// Workers help only with what is worth it, and a launch that is done leaves nothing in the pool.
func TestWorkersHelp(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	p := newPool()
	defer p.close()
	seen := make(chan struct{}, 1<<16)
	cheap := &fn{name: "cheap", run: func(_ *driver.Args, b *driver.Box) { seen <- struct{}{} }}
	var j job
	box := new(driver.Box)
	grid := driver.Grid{Dims: 1, Box: driver.Box{Hi: [3]int{64}}}
	for range 100 {
		j.start(cheap, nil, &grid)
		p.run(&j, box)
	}
	for len(seen) > 0 {
		<-seen
	}
	j.start(cheap, nil, &grid)
	p.run(&j, box)
	if n := len(seen); n != 1 {
		t.Errorf("64 points that cost nothing are %d chunks", n)
	}
	costly := &fn{name: "costly", run: func(_ *driver.Args, b *driver.Box) {
		for range (b.Hi[0] - b.Lo[0]) * 100000 {
			runtime.KeepAlive(b)
		}
		seen <- struct{}{}
	}}
	for len(seen) > 0 {
		<-seen
	}
	for range 5 {
		j.start(costly, nil, &grid)
		p.run(&j, box)
	}
	if n := len(seen); n < 5*16 {
		t.Errorf("64 points that cost much are %d chunks in 5 launches", n)
	}
	if w := p.workers.Load(); w != 3 {
		t.Errorf("%d workers for 4 processors", w)
	}
}
