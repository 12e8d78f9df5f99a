package host

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// pool is the worker goroutines that help streams with their launches. A stream hands its job only to a worker that
// is waiting for one at that moment, so no job is left in a queue after it is done, and jobs can be reused.
type pool struct {
	work    chan *job
	quit    chan struct{}
	workers atomic.Int64
	once    sync.Once
}

func newPool() *pool { return &pool{work: make(chan *job), quit: make(chan struct{})} }

func (p *pool) close() { p.once.Do(func() { close(p.quit) }) }

// grow sees to it that there are n workers.
func (p *pool) grow(n int) {
	for {
		have := p.workers.Load()
		if have >= int64(n) {
			return
		}
		if p.workers.CompareAndSwap(have, have+1) {
			go p.serve()
		}
	}
}

func (p *pool) serve() {
	box := new(driver.Box) // on the heap once: kernels get its address
	for {
		select {
		case j := <-p.work:
			j.help(box)
			j.helpers.Done()
		case <-p.quit:
			return
		}
	}
}

const (
	grain   = 4000    // nanoseconds of work that are worth a chunk: a worker wakes in about one
	patient = 2 * 1e3 // nanoseconds before a kernel of unknown cost gets helpers
)

// run does all of j on the calling goroutine, with helpers if there is enough to do.
func (p *pool) run(j *job, box *driver.Box) {
	procs := runtime.GOMAXPROCS(0)
	points := j.points()
	cost := j.fn.cost.Load()
	chunks := min(points, 4*float64(procs))
	if cost > 0 {
		chunks = min(points, 8*float64(procs), float64(cost)*points/1000/grain)
	}
	if procs == 1 {
		chunks = 1
	}
	j.cut(int(chunks))
	start := time.Now()
	if j.chunks > 1 {
		p.grow(procs - 1)
		want := min(procs, j.chunks) - 1
		for more := true; more; more = j.step(box) {
			if want == 0 || cost == 0 && time.Since(start) < patient {
				continue
			}
			want -= p.recruit(j, want)
		}
	} else {
		j.step(box)
	}
	j.spent.Add(int64(time.Since(start)))
	j.helpers.Wait()
	if !j.stop.Load() {
		j.learn(cost, points)
	}
}

// recruit hands j to up to n idle workers and returns to how many.
func (p *pool) recruit(j *job, n int) int {
	for i := range n {
		j.helpers.Add(1)
		select {
		case p.work <- j:
		default:
			j.helpers.Done()
			return i
		}
	}
	return n
}

// job is one launch while it runs. Each stream has one and uses it again and again.
type job struct {
	fn   *fn
	args *driver.Args
	box  driver.Box
	dims int

	pieces  [3]int // along each dimension
	chunks  int
	next    atomic.Int64
	stop    atomic.Bool
	spent   atomic.Int64 // nanoseconds, over all goroutines
	helpers sync.WaitGroup

	mu    sync.Mutex
	trap  *driver.Trap
	first int // the chunk that trap is from
}

func (j *job) start(f *fn, a *driver.Args, g *driver.Grid) {
	j.fn, j.args, j.box, j.dims = f, a, g.Box, g.Dims
	j.next.Store(0)
	j.stop.Store(false)
	j.spent.Store(0)
	j.trap = nil
}

func (j *job) points() float64 {
	n := 1.0
	for d := range j.dims {
		n *= float64(j.box.Hi[d] - j.box.Lo[d])
	}
	return n
}

// cut divides the box into about n chunks: along the outermost dimension, so that a chunk is one run of memory, and
// further in only where the outer ones are too short.
func (j *job) cut(n int) {
	j.pieces, j.chunks = [3]int{1, 1, 1}, 1
	for d := range j.dims {
		if j.chunks >= n {
			break
		}
		j.pieces[d] = min(j.box.Hi[d]-j.box.Lo[d], (n+j.chunks-1)/j.chunks)
		j.chunks *= j.pieces[d]
	}
}

// chunk sets box to chunk k.
func (j *job) chunk(k int, box *driver.Box) {
	*box = j.box
	for d := 2; d >= 0; d-- {
		n := j.pieces[d]
		if n == 1 {
			continue
		}
		i := k % n
		k /= n
		q, r := (j.box.Hi[d]-j.box.Lo[d])/n, (j.box.Hi[d]-j.box.Lo[d])%n
		box.Lo[d] = j.box.Lo[d] + i*q + min(i, r)
		box.Hi[d] = box.Lo[d] + q
		if i < r {
			box.Hi[d]++
		}
	}
}

// step runs the next chunk; false when there was none.
func (j *job) step(box *driver.Box) bool {
	k := int(j.next.Add(1) - 1)
	if k >= j.chunks || j.stop.Load() {
		return false
	}
	j.chunk(k, box)
	defer j.caught(k, box)
	j.fn.run(j.args, box)
	return true
}

func (j *job) help(box *driver.Box) {
	start := time.Now()
	for j.step(box) {
	}
	j.spent.Add(int64(time.Since(start)))
}

// caught keeps a panic of the kernel. Of several it is the one of the earliest chunk, so that one goroutine and many
// mostly report alike.
func (j *job) caught(k int, box *driver.Box) {
	r := recover()
	if r == nil {
		return
	}
	j.stop.Store(true)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.trap != nil && j.first <= k {
		return
	}
	j.trap, j.first = &driver.Trap{Kernel: j.fn.name, Value: r}, k
	single := true
	for d := range j.dims {
		single = single && box.Hi[d]-box.Lo[d] == 1
	}
	if single {
		j.trap.Point = append([]int(nil), box.Lo[:j.dims]...)
	}
}

// learn folds what this launch cost into what is known of the kernel.
func (j *job) learn(cost int64, points float64) {
	now := max(1, int64(float64(j.spent.Load())*1000/points))
	if cost > 0 {
		now = (3*cost + now + 3) / 4
	}
	j.fn.cost.Store(now)
}
