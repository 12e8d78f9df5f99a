package interp

import (
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/ir"
)

// Iterations of a `for … in` or a comprehension have no order, though they run one after another here. A clock counts
// their starts and those of the loops themselves, and each access remembers its time: it conflicts with one now when it
// happened since the start of a loop that is still running, but before the iteration that is running now.

// running is a loop with iterations in no order that runs now.
type running struct {
	pos         diag.Pos
	start, iter uint64 // when it started, and when its running iteration did
}

// moment is a time and, below siteBits, the site of an access then; 0 is none.
type moment uint64

func (m *machine) moment(site uint64) moment { return moment(m.clock<<siteBits | site) }

func (t moment) clock() uint64 { return uint64(t) >> siteBits }

// watchLoops decides whether the iterations of loops are watched. They are not where threads wait for each other in one:
// no source has a barrier there.
func (m *machine) watchLoops() {
	if !m.races {
		return
	}
	found, waits := false, false
	m.kernel.Body.Walk(func(in *ir.Instr) {
		if in.Spread > 0 {
			found = true
			in.Blocks[0].Walk(func(in *ir.Instr) { waits = waits || in.Op == ir.OpBarrier })
		}
		if in.Op == ir.OpCall {
			found = true
		}
	})
	m.unordered = found && !waits
}

// watched runs a loop as one of those that are watched.
func (m *machine) watched(in *ir.Instr, run step) step {
	return func(r []uint64) signal {
		n := len(m.loops)
		m.clock++
		m.loops = append(m.loops, running{pos: in.Pos, start: m.clock, iter: m.clock})
		sig := run(r)
		m.loops = m.loops[:n]
		return sig
	}
}

// iteration is the body of such a loop.
func (m *machine) iteration(body step) step {
	return func(r []uint64) signal {
		m.clock++
		m.loops[len(m.loops)-1].iter = m.clock
		return body(r)
	}
}

// loopOf is the outermost running loop another iteration of which t is in.
func (m *machine) loopOf(t moment) (running, bool) {
	for _, l := range m.loops {
		if at := t.clock(); l.start <= at && at < l.iter {
			return l, true
		}
	}
	return running{}, false
}

func (m *machine) readUnordered(c *cell, site uint64, i int64) {
	m.against(site, i, Reads, c.wrote, Writes, c.updated, Updates)
	m.keep(&c.got, site)
}

func (m *machine) writeUnordered(c *cell, site uint64, i int64) {
	if !m.against(site, i, Writes, c.wrote, Writes, c.got, Reads) {
		m.against(site, i, Writes, c.updated, Updates, 0, Reads)
	}
	c.wrote = m.moment(site)
}

// updateUnordered is of an atomic operation, which other ones may meet.
func (m *machine) updateUnordered(c *cell, site uint64, i int64) {
	m.against(site, i, Updates, c.wrote, Writes, c.got, Reads)
	m.keep(&c.updated, site)
}

// against reports the first of two earlier accesses that another iteration did.
func (m *machine) against(site uint64, i int64, how Access, t moment, tHow Access, u moment, uHow Access) bool {
	if l, ok := m.loopOf(t); ok {
		m.iterations(l, site, i, how, t, tHow)
		return true
	}
	l, ok := m.loopOf(u)
	if ok {
		m.iterations(l, site, i, how, u, uHow)
	}
	return ok
}

// keep makes t the time of an access now, unless it is of another iteration, with which every later one conflicts, or of
// this iteration.
func (m *machine) keep(t *moment, site uint64) {
	if _, ok := m.loopOf(*t); !ok && t.clock() < m.loops[len(m.loops)-1].iter {
		*t = m.moment(site)
	}
}

// iterations records a race between the running iteration of l and an earlier one.
func (m *machine) iterations(l running, site uint64, i int64, how Access, t moment, otherHow Access) {
	m.conflicts(site, i, how, access{m.id, uint64(t) & (1<<siteBits - 1)}, otherHow, l.pos)
}
