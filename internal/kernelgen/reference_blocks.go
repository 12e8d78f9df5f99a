package kernelgen

import (
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
)

// team is what the threads of a block have together; a point of another domain is alone in it.
type team struct {
	number int // from 1
	epoch  int // barriers until now
	cells  map[*check.Var]*cell
	filled map[*check.Var][]bool
}

// thread is one of them.
type thread struct {
	*team
	id      int
	wait    func(*meeting)
	updates bool // what it touches now it touches atomically
}

// stopped unwinds a thread whose block has ended in a fault.
type stopped struct{}

// block runs the threads of a block, each up to its next barrier before any of them leaves it.
func (w *walker) block(at []int64) {
	t := &team{number: w.teams}
	c := &crewOf{f: &frame{walker: w}}
	w.threads(nil, func(ids []int64) {
		n, stop := pull(func(wait func(*meeting)) {
			f := w.frame(at, &thread{team: t, id: int(ids[len(ids)-1]), wait: wait})
			for d, g := range w.kernel.Group {
				f.vars[g.Var] = number(types.Int, uint64(ids[d]))
			}
			f.stmts(w.kernel.Decl.Body.Stmts)
		})
		c.next = append(c.next, n)
		w.stops = append(w.stops, stop)
	})
	defer func() {
		for _, stop := range w.stops {
			stop()
		}
		w.stops = nil
	}()
	c.run(t)
}

// threads calls f with the indexes of each thread of a block, and behind them its number.
func (w *walker) threads(ids []int64, f func(ids []int64)) {
	if d := len(ids); d < len(w.kernel.Group) {
		for i := range w.kernel.Group[d].N {
			w.threads(append(ids[:d:d], i), f)
		}
		return
	}
	number := int64(0)
	for d, g := range w.kernel.Group {
		number = number*g.N + ids[d]
	}
	f(append(ids, number))
}

// shared is the memory of a shared variable.
func (f *frame) shared(v *check.Var) *cell {
	t := f.team
	if t.cells == nil {
		t.cells, t.filled = map[*check.Var]*cell{}, map[*check.Var][]bool{}
	}
	c := t.cells[v]
	if c == nil {
		c = zero(v.Type)
		if c.elem == nil { // a scalar is its only element
			c.elem = make([]uint64, 1)
		}
		t.cells[v], t.filled[v] = c, make([]bool, len(c.elem))
	}
	return c
}

// sharedPlace is a shared scalar, an element of a shared array, or a part of one.
func (f *frame) sharedPlace(n dsl.Node, v *check.Var, at []int64) place {
	c := f.shared(v)
	first, rest := offset(n, c.dims, at)
	size := int64(1)
	for _, d := range rest {
		size *= d
	}
	part := c.elem[first*size : (first+1)*size]
	touch := func(write bool) {
		for i := range size {
			at := first*size + i
			if !write && !f.filled[v][at] {
				fail(n, "`%s` is read before it is written", v.Name)
			}
			f.touch(n, c, int64(len(c.elem)), at, write)
			f.filled[v][at] = true
		}
	}
	return place{func() *cell {
		touch(false)
		if len(rest) == 0 {
			return number(c.kind, part[0])
		}
		return (&cell{kind: c.kind, dims: rest, elem: part}).clone()
	}, func(x *cell) {
		touch(true)
		if len(rest) == 0 {
			part[0] = x.bits
			return
		}
		copy(part, x.elem)
	}}
}
