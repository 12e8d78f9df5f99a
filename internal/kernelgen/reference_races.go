package kernelgen

import "github.com/gpugen/gpugen/dsl"

// trace is who touched an element: the last write, and the reads that a later write must know of. Blocks run one after
// the other, and so do the intervals between the barriers of one.
type trace struct {
	wrote, read access
	readers     bool // more threads than one read it in the interval of read
	blocks      bool // blocks before the one of read read it
}

// access is a thread of a block in an interval between barriers; team 0 is none.
type access struct{ team, epoch, thread int }

// apart reports that nothing orders the access of another thread before b.
func (a access) apart(b access) bool {
	return a.team != 0 && (a.team != b.team || a.epoch == b.epoch && a.thread != b.thread)
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
	case write && (t.read.apart(now) || t.blocks || t.readers && t.read.team == now.team && t.read.epoch == now.epoch):
		fail(n, "a race: another thread reads this element")
	case write:
		t.wrote = now
	case t.read.team != 0 && t.read.team != now.team:
		t.blocks, t.readers, t.read = true, false, now
	case t.read.team == now.team && t.read.epoch == now.epoch:
		t.readers = t.readers || t.read.thread != now.thread
	default:
		t.readers, t.read = false, now
	}
}
