package interp

import (
	"math"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/ir"
)

// placement says what the linear numbers of blocks and threads mean. Dims stand as in the source, the last is the
// fastest.
type placement struct {
	lo, blocks []int64
	threads    []int64 // empty: the blocks are points
}

// placementOf is the placement of k in a launch: points or blocks of the domain, or blocks of the grid once k has a
// schedule.
func placementOf(k *ir.Kernel, l *Launch) placement {
	if k.Sched == nil {
		p := placement{lo: l.Lo, blocks: l.dims[:len(l.Lo)]}
		for _, t := range k.Group {
			p.threads = append(p.threads, t.N)
		}
		return p
	}
	grid := l.grid(k)
	p := placement{lo: make([]int64, 3), blocks: outermostFirst(grid, len(k.Domain))}
	dims := len(k.Group)
	if dims == 0 {
		dims = len(k.Domain)
	}
	block := [3]int64{}
	for d, n := range k.Sched.Block {
		block[d] = int64(n)
		if n > 1 {
			dims = max(dims, d+1)
		}
	}
	p.threads = outermostFirst(block, dims)
	return p
}

// outermostFirst is the first n of x, y, z in the order of the source.
func outermostFirst(xyz [3]int64, n int) []int64 {
	out := make([]int64, n)
	for d := range out {
		out[d] = xyz[n-1-d]
	}
	return out
}

// size is how many blocks there are and how many threads each has. There are never more threads than an int64 counts: the
// budget of steps ends such a run long before.
func (p placement) size() (blocks, threads int64) {
	blocks, threads = 1, 1
	for _, n := range p.threads {
		threads *= max(n, 1)
	}
	for _, n := range p.blocks {
		blocks *= n
	}
	return min(blocks, math.MaxInt64/threads), threads
}

// split writes the index that number i has in dims to at.
func split(at []int64, i int64, dims []int64) {
	for d := len(dims) - 1; d >= 0; d-- {
		at[d] = i % dims[d]
		i /= dims[d]
	}
}

// setter gives the function that sets the index registers of a thread.
func (p placement) setter(k *ir.Kernel, prog *program) func(r []uint64, block, thread int64) {
	var b, t [3]int64
	if k.Sched == nil {
		return func(r []uint64, block, thread int64) {
			split(b[:], block, p.blocks)
			split(t[:], thread, p.threads)
			for d, lo := range p.lo {
				r[prog.point[d]] = uint64(lo + b[d])
			}
			for d := range p.threads {
				r[prog.thread[d]] = uint64(t[d])
			}
			r[prog.lane], r[prog.subgroup] = uint64(thread%ir.Subgroup), uint64(thread/ir.Subgroup)
		}
	}
	nb, nt := len(p.blocks), len(p.threads)
	return func(r []uint64, block, thread int64) {
		split(b[:], block, p.blocks)
		split(t[:], thread, p.threads)
		for d := range 3 {
			r[prog.blockIdx[d]], r[prog.threadIdx[d]], r[prog.gridDim[d]] = 0, 0, 1
			if d < nb {
				r[prog.blockIdx[d]], r[prog.gridDim[d]] = uint64(b[nb-1-d]), uint64(p.blocks[nb-1-d])
			}
			if d < nt {
				r[prog.threadIdx[d]] = uint64(t[nt-1-d])
			}
		}
	}
}

// Worker is a point, or a thread of a block; dims stand as in the source.
type Worker struct {
	Number        int64    // linear
	Block         [3]int64 // or the point
	Thread        [3]int64
	blocks, group uint8 // dims; group is 0 for a point
}

// worker is point or thread number id.
func (p placement) worker(id int64) Worker {
	w := Worker{Number: id, blocks: uint8(len(p.blocks)), group: uint8(len(p.threads))}
	_, threads := p.size()
	split(w.Thread[:], id%threads, p.threads)
	split(w.Block[:], id/threads, p.blocks)
	for d, lo := range p.lo[:len(p.blocks)] {
		w.Block[d] += lo
	}
	return w
}

// Place is the point, or the block.
func (w Worker) Place() []int64 { return w.Block[:w.blocks] }

// Threads is the index of a thread in its block, empty for a point.
func (w Worker) Threads() []int64 { return w.Thread[:w.group] }

// SameBlock reports two threads of one block.
func (w Worker) SameBlock(o Worker) bool { return w.group > 0 && o.group > 0 && w.Block == o.Block }

// String is "point 7" or "thread [0, 3] of block 2".
func (w Worker) String() string {
	if w.group == 0 {
		return "point " + indexText(w.Block[:w.blocks])
	}
	return "thread " + indexText(w.Thread[:w.group]) + " of block " + indexText(w.Block[:w.blocks])
}

// indexText is "7", or "[1, 7]" when there are more dims.
func indexText(at []int64) string {
	if len(at) == 1 {
		return strconv.FormatInt(at[0], 10)
	}
	s := make([]string, len(at))
	for d, i := range at {
		s[d] = strconv.FormatInt(i, 10)
	}
	return "[" + strings.Join(s, ", ") + "]"
}
