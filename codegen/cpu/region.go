package cpu

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// region is a run of instructions that every thread of a block runs, one thread after the other.
type region struct {
	instrs []*ir.Instr
}

// node is an instruction that runs once a block, with what its blocks hold if it is outer, or a region.
type node struct {
	once *ir.Instr
	kids [][]node
	each *region
}

// cut cuts an outer block at its barriers and at what runs once a block. The latter moves in front of the region that
// it interrupts, unless that touches a variable which it sets: a region is only as short as it must be.
func (f *fissioner) cut(b *ir.Block) []node {
	var out []node
	r := &region{}
	end := func() {
		if len(r.instrs) > 0 {
			out = append(out, node{each: r})
			r = &region{}
		}
	}
	for _, in := range b.Instrs {
		switch {
		case in.Op == ir.OpThread:
		case in.Op == ir.OpBarrier:
			end()
			if f.sub && in.Level == 0 {
				out = append(out, node{once: in})
			}
		case f.outer[in]:
			end()
			n := node{once: in}
			for _, c := range in.Blocks {
				n.kids = append(n.kids, f.cut(c))
			}
			out = append(out, n)
		case f.once(in):
			if r.touches(setBy(in)) {
				end()
			}
			out = append(out, node{once: in})
		default:
			r.instrs = append(r.instrs, in)
			f.settle(r, in)
		}
	}
	end()
	return out
}

// settle notes the region of in and of everything inside.
func (f *fissioner) settle(r *region, in *ir.Instr) {
	f.home[in] = r
	for _, c := range in.Blocks {
		if c.Iter != nil {
			f.home[c.Iter] = r
		}
		for _, x := range c.Instrs {
			f.settle(r, x)
		}
	}
}

// setBy are the variables that an instruction sets.
func setBy(in *ir.Instr) map[*ir.Local]bool {
	m := map[*ir.Local]bool{}
	walk([]*ir.Instr{in}, func(in *ir.Instr) {
		if in.Op == ir.OpLocalSet || in.Op == ir.OpElemSet {
			m[in.Local] = true
		}
	})
	return m
}

// walk calls f for instructions and everything inside them.
func walk(instrs []*ir.Instr, f func(*ir.Instr)) { (&ir.Block{Instrs: instrs}).Walk(f) }

// touches reports an access to one of the variables.
func (r *region) touches(locals map[*ir.Local]bool) bool {
	found := false
	walk(r.instrs, func(in *ir.Instr) { found = found || locals[in.Local] })
	return found
}

// sets reports an assignment to a variable or to an element of it.
func (r *region) sets(l *ir.Local) bool {
	found := false
	walk(r.instrs, func(in *ir.Instr) {
		found = found || in.Local == l && (in.Op == ir.OpLocalSet || in.Op == ir.OpElemSet)
	})
	return found
}

// crossing finds what outlives a region: the values and the private variables of one that others need.
func (f *fissioner) crossing(nodes []node) {
	var regions []*region
	var needed []*ir.Instr
	need := func(at *region, args []*ir.Instr) {
		for _, a := range args {
			if r := f.home[a]; r != nil && r != at {
				needed = append(needed, a)
			}
		}
	}
	var visit func(nodes []node)
	visit = func(nodes []node) {
		for _, n := range nodes {
			if n.each == nil {
				need(nil, n.once.Args)
				for _, kids := range n.kids {
					visit(kids)
				}
				continue
			}
			regions = append(regions, n.each)
			walk(n.each.instrs, func(in *ir.Instr) { need(n.each, in.Args) })
		}
	}
	visit(nodes)
	for _, v := range needed {
		if f.spill[v] == nil && f.cost(v) > maxCost {
			f.spill[v] = f.newKept(v.Name, v.Type)
		}
	}
	f.crossingLocals(regions)
}

// crossingLocals gives arrays to the private variables that keep a value from one region to another, or to the next
// time that their region runs.
func (f *fissioner) crossingLocals(regions []*region) {
	where := map[*ir.Local][]*region{}
	for _, r := range regions {
		walk(r.instrs, func(in *ir.Instr) {
			if l := in.Local; l != nil && !l.Shared && !f.scalar[l] && !slices.Contains(where[l], r) {
				where[l] = append(where[l], r)
			}
		})
	}
	for _, l := range slices.Clone(f.k.Locals) {
		set := false
		if _, ok := f.lanes[l]; ok && len(where[l]) == 1 {
			continue // every lane's element is written before it is read
		}
		if rs := where[l]; len(rs) > 1 || len(rs) == 1 && !assigns(rs[0].instrs, l, &set) {
			f.keep[l] = f.newKept(l.Name, l.Type)
		}
	}
}

// assigns reports whether all of l is set before it is read; set says whether it is at the beginning, then at the end.
func assigns(instrs []*ir.Instr, l *ir.Local, set *bool) bool {
	for _, in := range instrs {
		switch in.Op {
		case ir.OpLocalGet, ir.OpElemGet, ir.OpElemSet:
			if in.Local == l && !*set {
				return false
			}
		case ir.OpLocalSet:
			*set = *set || in.Local == l
		case ir.OpBreak, ir.OpContinue:
			*set = true // nothing follows
		case ir.OpIf:
			then, other := *set, *set
			if !assigns(in.Blocks[0].Instrs, l, &then) || !assigns(in.Blocks[1].Instrs, l, &other) {
				return false
			}
			*set = then && other
		default:
			for _, c := range in.Blocks {
				inner := *set
				if !assigns(c.Instrs, l, &inner) {
					return false
				}
			}
		}
	}
	return true
}

// maxCost is how many operations are cheaper than an element of an array.
const maxCost = 6

// cost counts the operations that compute v from the index of a thread and from what a block has in common; over maxCost
// means that it cannot be computed again.
func (f *fissioner) cost(v *ir.Instr) int {
	switch {
	case v.Op == ir.OpThread || f.uniform[v]:
		return 0
	case !harmless(v) || v.Op == ir.OpIter:
		return maxCost + 1
	}
	n := 1
	for _, a := range v.Args {
		if n += f.cost(a); n > maxCost {
			break
		}
	}
	return n
}

// harmless reports an operation that is quick and that Go computes for any operands without a panic.
func harmless(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpConst, ir.OpParamGet, ir.OpExtent, ir.OpPoint, ir.OpIter, ir.OpSubgroup:
		return true
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpNot,
		ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe, ir.OpLNot, ir.OpSelect, ir.OpMin, ir.OpMax:
		return true
	case ir.OpConv:
		return !in.Args[0].Kind().IsFloat()
	case ir.OpShl, ir.OpShr, ir.OpShlIn, ir.OpShrIn, ir.OpDivNZ, ir.OpRemNZ, ir.OpDiv, ir.OpRem:
		return in.Kind().IsInteger() && in.Kind() != types.Invalid && in.Args[1].IsConst() && in.Args[1].Int64() > 0
	}
	return false
}
