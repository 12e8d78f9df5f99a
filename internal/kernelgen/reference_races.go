package kernelgen

import "github.com/gpugen/gpugen/dsl"

// trace is who touched an element: the last write, and the reads and the atomic updates that later accesses must know of.
// Blocks run one after the other, and so do the intervals between the barriers of one.
type trace struct {
	wrote         access
	read, updated crowd
}

// crowd is who touched an element in a way that others may at the same time.
type crowd struct {
	last   access
	more   bool // more threads than one did in the interval of last
	blocks bool // blocks before the one of last did
}

// access is a thread of a block in an interval between barriers; team 0 is none.
type access struct{ team, epoch, thread int }

// apart reports that nothing orders the access of another thread before b.
func (a access) apart(b access) bool {
	return a.team != 0 && (a.team != b.team || a.epoch == b.epoch && a.thread != b.thread)
}

// apart reports that nothing orders one of the crowd before b.
func (c *crowd) apart(b access) bool {
	return c.last.apart(b) || c.blocks || c.more && c.last.team == b.team && c.last.epoch == b.epoch
}

// join adds an access.
func (c *crowd) join(now access) {
	switch {
	case c.last.team != 0 && c.last.team != now.team:
		c.blocks, c.more, c.last = true, false, now
	case c.last.team == now.team && c.last.epoch == now.epoch:
		c.more = c.more || c.last.thread != now.thread
	default:
		c.more, c.last = false, now
	}
}

// touch watches an access to element i of an array of that size, in kernels with blocks of threads.
func (f *frame) touch(n dsl.Node, array any, size, i int64, write bool) {
	if f.traces == nil {
		return
	}
	list := f.traces[array]
	if list == nil {
		list = make([]trace, size)
		f.traces[array] = list
	}
	t, now := &list[i], access{f.number, f.epoch, f.id}
	switch {
	case t.wrote.apart(now):
		fail(n, "a race: another thread wrote this element")
	case (write || f.updates) && t.read.apart(now):
		fail(n, "a race: another thread reads this element")
	case !f.updates && t.updated.apart(now):
		fail(n, "a race: another thread updates this element")
	case f.updates:
		t.updated.join(now)
	case write:
		t.wrote = now
	default:
		t.read.join(now)
	}
}
