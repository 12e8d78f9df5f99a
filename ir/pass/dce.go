package pass

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

var dce = Pass{
	Name: "dce",
	Doc:  "remove values, assignments and blocks that nothing depends on, and locals that are gone",
	Run:  func(k *ir.Kernel) { (&sweeping{}).eliminate(k) },
}

// keeping is dce for a checked build before its tests are made: what may fail there stays, whether or not it is used.
var keeping = Pass{
	Name: "keeping",
	Doc:  "remove what dce removes, but for what a checked build tests",
	Run:  func(k *ir.Kernel) { (&sweeping{tests: true}).eliminate(k) },
}

// prune is dce for devices, which report no fault: a load that may be out of range goes too.
var prune = Pass{
	Name: "prune",
	Doc:  "remove what dce removes, and every load that nobody uses",
	Run:  func(k *ir.Kernel) { (&sweeping{loads: true}).eliminate(k) },
}

// sweeping says what is dead although it may fail.
type sweeping struct {
	loads bool // loads that may fault are
	tests bool // divisions by zero and shifts by negative counts are not
}

// eliminate removes what is dead.
func (how sweeping) eliminate(k *ir.Kernel) {
	for how.sweep(k) {
	}
	var kept []*ir.Local
	used := map[*ir.Local]bool{}
	k.Body.Walk(func(in *ir.Instr) {
		used[in.Local] = true
		for _, l := range in.Outs {
			used[l] = true
		}
	})
	for _, l := range k.Locals {
		if used[l] {
			l.ID = len(kept)
			kept = append(kept, l)
		}
	}
	k.Locals = kept
}

// sweep removes what is dead by the counts that it takes once; it reports whether another sweep may find more.
func (how sweeping) sweep(k *ir.Kernel) bool {
	s := &sweeper{sweeping: how, uses: uses(k.Body), reads: map[*ir.Local]bool{}, tested: map[*ir.Instr]bool{}}
	k.Body.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpLocalGet || in.Op == ir.OpElemGet || in.Op == ir.OpAtomic {
			s.reads[in.Local] = true
		}
	})
	s.block(k.Body)
	return s.again
}

// sweeper walks blocks from their ends, so that an operand's last use is gone before its turn.
type sweeper struct {
	sweeping
	uses  map[*ir.Instr]int
	reads map[*ir.Local]bool

	tested map[*ir.Instr]bool // loads of another scalar of an element that an instruction before them in their block touches

	again bool // a reading of a local or a use in an outer block is gone
}

func (s *sweeper) block(b *ir.Block) {
	b.Instrs = reachable(b.Instrs)
	s.sameElements(b)
	var out []*ir.Instr // in reverse
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		in := b.Instrs[i]
		for n := len(in.Blocks) - 1; n >= 0; n-- {
			s.block(in.Blocks[n])
		}
		switch {
		case s.dead(in):
			s.drop(in)
		case in.Op == ir.OpScope && !named(in.Blocks[0]):
			inner := in.Blocks[0].Instrs
			for j := len(inner) - 1; j >= 0; j-- {
				out = append(out, inner[j])
			}
		default:
			out = append(out, in)
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	b.Instrs = out
}

// sameElements finds the loads whose index the block has tested before: those of the other scalars of a struct.
func (s *sweeper) sameElements(b *ir.Block) {
	var first []*ir.Instr
next:
	for _, in := range b.Instrs {
		if in.Op != ir.OpLoad && in.Op != ir.OpStore || !types.IsComposite(in.Param.Elem()) {
			continue
		}
		leaf, index, _ := in.Access()
		if len(leaf.Dims) > 0 {
			continue
		}
		for _, o := range first {
			if _, at, _ := o.Access(); o.Param == in.Param && slices.Equal(at, index) {
				s.tested[in] = true
				continue next
			}
		}
		first = append(first, in)
	}
}

// reachable cuts ins after the first instruction that control does not pass.
func reachable(ins []*ir.Instr) []*ir.Instr {
	for i, in := range ins {
		if leaves(&ir.Block{Instrs: []*ir.Instr{in}}) {
			return ins[:i+1]
		}
	}
	return ins
}

// named reports whether b itself defines a value with a name, which a bare block keeps apart from others.
func named(b *ir.Block) bool {
	for _, in := range b.Instrs {
		if in.Name != "" && ir.Ops[in.Op].Class != ir.Leaf {
			return true
		}
	}
	return false
}

// faults reports a load that may be out of range and must stay for that.
func (s *sweeper) faults(in *ir.Instr) bool {
	if s.tests && mayFail(in) {
		return true
	}
	return !s.loads && !in.InBounds && (in.Op == ir.OpLoad || in.Op == ir.OpElemGet || in.Op == ir.OpTableGet) && !s.tested[in]
}

// dead reports whether in may go.
func (s *sweeper) dead(in *ir.Instr) bool {
	info := ir.Ops[in.Op]
	if in.Op == ir.OpAtomic {
		return false
	}
	if info.Value {
		return s.uses[in] == 0 && !s.faults(in) && s.quiet(in)
	}
	switch in.Op {
	case ir.OpLocalSet:
		return !s.reads[in.Local]
	case ir.OpElemSet:
		return (s.loads || in.InBounds) && !s.reads[in.Local]
	case ir.OpIf, ir.OpScope, ir.OpRange:
		for _, b := range in.Blocks {
			if len(b.Instrs) > 0 {
				return false
			}
		}
		return true
	}
	return false
}

// quiet reports whether the blocks of a value do nothing but compute it.
func (s *sweeper) quiet(in *ir.Instr) bool {
	for _, b := range in.Blocks {
		if contains(b, func(c *ir.Instr) bool {
			return c.Op != ir.OpYield && (!ir.Ops[c.Op].Value || c.Op == ir.OpAtomic || s.faults(c))
		}) {
			return false
		}
	}
	return true
}

// drop takes back the uses of what in and its blocks hold.
func (s *sweeper) drop(in *ir.Instr) {
	s.again = true
	for _, a := range in.Args {
		s.uses[a]--
	}
	for _, b := range in.Blocks {
		b.Walk(func(c *ir.Instr) {
			for _, a := range c.Args {
				s.uses[a]--
			}
		})
	}
}
