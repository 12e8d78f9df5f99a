package kernelgen

import (
	"iter"
	"math/big"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// subgroupSize is the number of threads of a subgroup.
const subgroupSize = 32

// meeting is a place where a thread waits for others: a barrier, or an operation to which each brings a value.
type meeting struct {
	at    dsl.Node
	name  string
	value *cell // what the thread brings, then what it gets
	lane  *cell // of operations that take the value of another one
}

func (m *meeting) ofSubgroup() bool { return m != nil && strings.HasPrefix(m.name, "subgroup.") }

// place is the node where a thread waits; nil of a thread that has ended.
func (m *meeting) place() dsl.Node {
	if m == nil {
		return nil
	}
	return m.at
}

// meet waits for the others and gives what the thread gets from them.
func (f *frame) meet(m *meeting) *cell {
	if f.wait == nil {
		fail(m.at, "`%s` outside a block of threads", m.name)
	}
	f.wait(m)
	return m.value
}

// collective evaluates `block.Sum(x)`, `subgroup.Shuffle(x, lane)` and their like.
func (f *frame) collective(e *dsl.CallExpr, name string) *cell {
	switch name {
	case "subgroup.Lane":
		return number(types.Int, uint64(f.id%subgroupSize))
	case "subgroup.ID":
		return number(types.Int, uint64(f.id/subgroupSize))
	}
	m := &meeting{at: e, name: name, value: f.expr(e.Args[0]).clone()}
	if len(e.Args) > 1 {
		m.lane = f.expr(e.Args[1]).clone()
	}
	return f.meet(m)
}

// crewOf are the threads of a block in progress.
type crewOf struct {
	f     *frame // of any of them, for operations
	next  []func() (*meeting, bool)
	waits []*meeting // where each is; nil of those that have ended
}

// run lets the threads go on from meeting to meeting until all have ended.
func (c *crewOf) run(t *team) {
	c.waits = make([]*meeting, len(c.next))
	for i := range c.next {
		c.advance(i)
	}
	for {
		if c.subgroups() {
			continue
		}
		first := c.waits[0]
		for i, m := range c.waits {
			switch {
			case first == nil && m != nil:
				fail(m.at, "thread %d of a block waits at this %s, the first does not", i, m.name)
			case m == nil && first != nil:
				fail(first.at, "thread %d of a block ends, the first waits at this %s", i, first.name)
			case m.place() != first.place() || m.ofSubgroup():
				fail(m.at, "thread %d of a block waits at this %s, the first does not", i, m.name)
			}
		}
		if first == nil {
			return
		}
		if first.name == "barrier" {
			t.epoch++
		} else { // it orders no memory
			c.f.combine(c.waits)
		}
		for i := range c.next {
			c.advance(i)
		}
	}
}

// advance runs a thread up to its next meeting.
func (c *crewOf) advance(i int) { c.waits[i], _ = c.next[i]() }

// subgroups lets those subgroups go on of which all threads wait at one operation of theirs.
func (c *crewOf) subgroups() (any bool) {
	for lo := 0; lo < len(c.waits); lo += subgroupSize {
		part := c.waits[lo:min(lo+subgroupSize, len(c.waits))]
		ready := part[0].ofSubgroup()
		for _, m := range part {
			ready = ready && m.place() == part[0].place()
		}
		if !ready {
			continue
		}
		c.f.combine(part)
		for i := range part {
			c.advance(lo + i)
		}
		any = true
	}
	return any
}

// combine gives each of the threads that meet what the operation makes of the values of all.
func (f *frame) combine(ms []*meeting) {
	_, what, _ := strings.Cut(ms[0].name, ".")
	list := make([]*cell, len(ms))
	for i, m := range ms {
		list[i] = m.value
	}
	if k := list[0].kind; k.IsHalf() && (what == "Sum" || what == "ScanSum") { // rounded once
		for i, v := range list {
			list[i] = f.to(ir.OpConv, types.Float32, v)
		}
		defer func() {
			for _, m := range ms {
				m.value = f.to(ir.OpConv, k, m.value)
			}
		}()
	}
	ops := map[string]ir.Op{"Sum": ir.OpAdd, "ScanSum": ir.OpAdd, "Min": ir.OpMin, "Max": ir.OpMax}
	step := func(x, y *cell) *cell { return f.operate(ops[what], x, y) }
	switch what {
	case "Any":
		step = func(x, y *cell) *cell { return truth(x.bits != 0 || y.bits != 0) }
	case "All":
		step = func(x, y *cell) *cell { return truth(x.bits != 0 && y.bits != 0) }
	case "ScanSum":
		for i, v := range scanned(list, step) {
			ms[i].value = v
		}
		return
	case "Ballot":
		votes := uint64(0)
		for i, v := range list {
			votes |= v.bits << i
		}
		for _, m := range ms {
			m.value = number(types.Uint32, votes)
		}
		return
	case "Broadcast", "Shuffle", "ShuffleXor", "ShuffleUp", "ShuffleDown":
		for i, m := range ms {
			m.value = list[laneOf(what, i, m.lane)]
		}
		return
	}
	all := treeOf(list, step)
	for _, m := range ms {
		m.value = all
	}
}

// laneOf is the lane whose value lane i takes, its own where there is no such lane.
func laneOf(what string, i int, by *cell) int {
	n := exact(by)
	switch what {
	case "Broadcast":
		return int(n.And(n, big.NewInt(subgroupSize-1)).Int64())
	case "ShuffleXor":
		n.Xor(n, big.NewInt(int64(i)))
	case "ShuffleUp":
		n.Sub(big.NewInt(int64(i)), n)
	case "ShuffleDown":
		n.Add(big.NewInt(int64(i)), n)
	}
	if n.Sign() < 0 || n.Cmp(big.NewInt(subgroupSize)) >= 0 {
		return i
	}
	return int(n.Int64())
}

// treeOf combines the values of threads as the language's one tree does.
func treeOf(list []*cell, step func(x, y *cell) *cell) *cell {
	if len(list) > subgroupSize {
		var totals []*cell
		for lo := 0; lo < len(list); lo += subgroupSize {
			totals = append(totals, treeOf(list[lo:min(lo+subgroupSize, len(list))], step))
		}
		return treeOf(totals, step)
	}
	for half := subgroupSize / 2; half > 0; half /= 2 {
		var folded []*cell
		for i, x := range list[:min(half, len(list))] {
			if i+half < len(list) {
				x = step(x, list[i+half])
			}
			folded = append(folded, x)
		}
		list = folded
	}
	return list[0]
}

// scanned gives each value what those up to it give.
func scanned(list []*cell, step func(x, y *cell) *cell) (out []*cell) {
	var totals []*cell
	for lo := 0; lo < len(list); lo += subgroupSize {
		part := doubled(list[lo:min(lo+subgroupSize, len(list))], step)
		out, totals = append(out, part...), append(totals, part[len(part)-1])
	}
	totals = doubled(totals, step)
	for i := subgroupSize; i < len(out); i++ {
		out[i] = step(totals[i/subgroupSize-1], out[i])
	}
	return out
}

// doubled adds to each value the one at distance 1 in front of it, then the one at distance 2 and so on.
func doubled(list []*cell, step func(x, y *cell) *cell) []*cell {
	for by := 1; by < len(list); by *= 2 {
		next := append([]*cell(nil), list...)
		for i := by; i < len(list); i++ {
			next[i] = step(list[i-by], list[i])
		}
		list = next
	}
	return list
}

// pull makes a thread that runs from meeting to meeting.
func pull(body func(wait func(*meeting))) (next func() (*meeting, bool), stop func()) {
	return iter.Pull(func(yield func(*meeting) bool) {
		defer func() {
			if r := recover(); r != nil && r != (stopped{}) {
				panic(r)
			}
		}()
		body(func(m *meeting) {
			if !yield(m) {
				panic(stopped{})
			}
		})
	})
}
