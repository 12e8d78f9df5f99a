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
	pools  map[*check.Var]*pool
}

// thread is one of them.
type thread struct {
	*team
	id      int
	wait    func(*meeting)
	updates bool // what it touches now it touches atomically

	depth      int // loops around whose iterations have no order
	loop, turn int64
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

// pool is the memory of a shared variable.
type pool struct {
	name   string
	elem   []uint64
	filled []bool // it is garbage until written
}

// sharing is that memory as a thread sees it.
type sharing struct {
	f *frame
	*pool
}

func (f *frame) shared(v *check.Var) memory {
	t := f.team
	if t.pools == nil {
		t.pools = map[*check.Var]*pool{}
	}
	c := t.pools[v]
	if c == nil {
		n := scalars(v.Type)
		c = &pool{v.Name, make([]uint64, n), make([]bool, n)}
		t.pools[v] = c
	}
	return sharing{f, c}
}

func (s sharing) load(n dsl.Node, i int64) uint64 {
	if !s.filled[i] {
		fail(n, "`%s` is read before it is written", s.name)
	}
	s.f.touch(n, s.pool, int64(len(s.elem)), i, false)
	return s.elem[i]
}

func (s sharing) store(n dsl.Node, i int64, bits uint64) {
	s.f.touch(n, s.pool, int64(len(s.elem)), i, true)
	s.elem[i], s.filled[i] = bits, true
}
