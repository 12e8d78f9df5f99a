package interp

import (
	"iter"

	"github.com/gpugen/gpugen/ir"
)

// crew is the threads of a block, one coroutine each. A coroutine runs the body once a block and yields where its thread
// waits: at a barrier, or with nil at the end. The same coroutines serve all blocks.
type crew struct {
	threads   []thread
	running   *thread
	abandoned bool // what waits must unwind: the block is given up
}

// thread is one thread of the running block.
type thread struct {
	r      []uint64
	at     *ir.Instr // the barrier, or what threads compute together, where it waits; nil: it ran to its end
	value  uint64    // what it brings there, then what it takes away
	lane   uint64    // of a shuffle
	waits  bool
	resume func() (*ir.Instr, bool)
	end    func()
	yield  func(*ir.Instr) bool
}

// grouped reports that threads of k share what a block has: barriers, shared variables, or the name of a group alone.
func (m *machine) grouped(p *program) bool {
	return len(m.kernel.Group) > 0 || p.barriers || len(m.common.words) > 0
}

// barrier compiles the place where threads wait for each other.
func (c *compiler) barrier(in *ir.Instr) step {
	c.p.barriers = true
	m := c.m
	return func([]uint64) signal {
		crew := m.crew
		t := crew.running
		if !t.yield(in) || crew.abandoned {
			return stop
		}
		return next
	}
}

// blocks runs every block, one after another. It reports false when the budget does not suffice.
func (m *machine) blocks(p *program, opt Options) bool {
	blocks, threads := m.place.size()
	set := m.place.setter(m.kernel, p)
	var run func(block int64) bool
	if p.barriers && blocks > 0 {
		m.crew = newCrew(p, threads)
		defer m.crew.end()
		run = func(block int64) bool { return m.together(p, opt, set, block) }
	} else {
		r := p.file()
		run = func(block int64) bool { return m.inTurn(p, opt, set, r, block, threads) }
	}
	next := enumerate(blocks, opt)
	for range blocks {
		m.begin()
		copy(m.common.words, m.common.poison)
		if !run(next()) {
			return false
		}
	}
	return true
}

// inTurn runs the threads of a block that has no barrier.
func (m *machine) inTurn(p *program, opt Options, set func(r []uint64, block, thread int64), r []uint64, block, threads int64) bool {
	next := enumerate(threads, opt)
	for range threads {
		i := next()
		m.id = block*threads + i
		set(r, block, i)
		clear(r[p.localLo:p.localHi])
		if m.left--; m.left < 0 || p.body(r) == stop {
			return false
		}
		m.report.Points++
	}
	return true
}

// together runs the threads of a block from barrier to barrier.
func (m *machine) together(p *program, opt Options, set func(r []uint64, block, thread int64), block int64) bool {
	c := m.crew
	n := int64(len(c.threads))
	for i := range c.threads {
		r := c.threads[i].r
		set(r, block, int64(i))
		clear(r[p.localLo:p.localHi])
		c.threads[i].waits = false
	}
	if m.left -= n; m.left < 0 {
		return false
	}
	for {
		opt.Seed += 0x9E3779B97F4A7C15 // another order in each round
		next := enumerate(n, opt)
		for range n {
			i := next()
			t := &c.threads[i]
			if t.waits {
				continue
			}
			m.id = block*n + i
			c.running = t
			t.at, _ = t.resume()
			t.waits = true
			if m.left < 0 {
				return false
			}
		}
		if c.exchange() {
			continue // which orders no memory
		}
		switch first, other := c.met(); {
		case other >= 0:
			m.diverged(block, first, other)
			c.abandon()
			return true
		case c.threads[first].at == nil:
			m.report.Points += n
			return true
		case c.threads[first].at.Op == ir.OpReduce:
			c.reduce(c.threads[first].at)
		default:
			m.now += 1 << siteBits
		}
		for i := range c.threads {
			c.threads[i].waits = false
		}
	}
}

// met compares where the threads are: all where the first is, or other is one that is elsewhere, else it is negative.
// Of two that differ, first waits.
func (c *crew) met() (first, other int) {
	for i := range c.threads {
		switch {
		case c.threads[i].at == c.threads[0].at:
		case c.threads[0].at == nil:
			return i, 0
		default:
			return 0, i
		}
	}
	return 0, -1
}

func (m *machine) diverged(block int64, first, other int) {
	c := m.crew
	n := int64(len(c.threads))
	m.id = block*n + int64(first)
	f := Finding{Kind: Divergent, Name: c.threads[first].at.Op.String(), OtherBy: m.place.worker(block*n + int64(other))}
	if at := c.threads[other].at; at != nil {
		f.Other = at.Pos
	}
	m.note(c.threads[first].at, f)
	for i := range c.threads {
		if c.threads[i].at == nil {
			m.report.Points++
		}
	}
}

// abandon unwinds the threads that wait.
func (c *crew) abandon() {
	c.abandoned = true
	for i := range c.threads {
		if t := &c.threads[i]; t.at != nil {
			c.running = t
			t.at, _ = t.resume()
		}
	}
	c.abandoned = false
}

func newCrew(p *program, threads int64) *crew {
	c := &crew{threads: make([]thread, threads)}
	for i := range c.threads {
		t := &c.threads[i]
		t.r = p.file()
		t.resume, t.end = iter.Pull(c.coroutine(t, p.body))
	}
	return c
}

// coroutine is what t does: the body over and over, until the crew ends or the budget is spent.
func (c *crew) coroutine(t *thread, body step) iter.Seq[*ir.Instr] {
	return func(yield func(*ir.Instr) bool) {
		t.yield = yield
		for {
			if body(t.r) == stop && !c.abandoned || !yield(nil) {
				return
			}
		}
	}
}

// end ends the coroutines.
func (c *crew) end() {
	for i := range c.threads {
		c.threads[i].end()
	}
}
