package cpu

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// maxThin is how many operations a loop that is turned outside in may have.
const maxThin = 24

// turn makes loops without barriers outer that run faster around the loops over the threads than in them: where
// neighbouring threads touch neighbouring elements, memory is walked in order and what the threads have in common is computed
// once. The price is one variable of the thread, which moves from a register into an array; loops that would need
// more, or that hold loops, stay as they are. It reports whether there are any.
func (f *fissioner) turn(b *ir.Block) bool {
	found := false
	for _, in := range b.Instrs {
		switch {
		case f.outer[in]:
			for _, c := range in.Blocks {
				found = f.turn(c) || found
			}
		case in.Op == ir.OpRange && !f.once(in) && f.allUniform(in.Args) && f.thin(in.Blocks[0]):
			f.outer[in] = true
			found = true
		}
	}
	return found
}

// thin reports a body of such a loop.
func (f *fissioner) thin(body *ir.Block) bool {
	inside := map[*ir.Instr]bool{}
	body.Walk(func(in *ir.Instr) { inside[in] = true })
	ops := 0
	streams, fits := false, true
	kept := map[*ir.Local]bool{}
	body.Walk(func(in *ir.Instr) {
		switch in.Op {
		case ir.OpRange, ir.OpLoop, ir.OpScope, ir.OpBreak, ir.OpContinue, ir.OpAtomic:
			fits = false
		case ir.OpLoad, ir.OpElemGet:
			streams = streams || f.unit(in.Args[len(in.Args)-1])
		case ir.OpStore, ir.OpElemSet:
			streams = streams || f.unit(in.Args[len(in.Args)-2])
		}
		if ir.Ops[in.Op].Class != ir.Leaf {
			ops++
		}
		for _, a := range in.Args {
			fits = fits && (inside[a] || f.cost(a) <= maxCost)
		}
		if l := in.Local; l != nil && !l.Shared && !f.scalar[l] {
			kept[l] = true
		}
	})
	for l := range kept {
		set := false
		if f.only(l, inside) && assigns(body.Instrs, l, &set) {
			delete(kept, l)
		} else if types.KindOf(l.Type) == types.Invalid {
			return false
		}
	}
	return fits && streams && ops <= maxThin && len(kept) <= 1
}

// only reports a variable that nothing but the given instructions touches.
func (f *fissioner) only(l *ir.Local, inside map[*ir.Instr]bool) bool {
	yes := true
	f.k.Body.Walk(func(in *ir.Instr) { yes = yes && (in.Local != l || inside[in]) })
	return yes
}

// unit reports an index that grows by 1 from a thread to its neighbour.
func (f *fissioner) unit(in *ir.Instr) bool {
	switch {
	case in.Op == ir.OpThread:
		return in.Dim == len(f.k.Group)-1
	case in.Op == ir.OpAdd:
		return f.unit(in.Args[0]) && !f.differs(in.Args[1]) || f.unit(in.Args[1]) && !f.differs(in.Args[0])
	case in.Op == ir.OpSub:
		return f.unit(in.Args[0]) && !f.differs(in.Args[1])
	}
	return false
}

// differs reports a value that differs between neighbouring threads, or may.
func (f *fissioner) differs(in *ir.Instr) bool {
	switch {
	case f.uniform[in]:
		return false
	case in.Op == ir.OpThread:
		return in.Dim == len(f.k.Group)-1
	case harmless(in) && len(in.Args) > 0:
		return slices.ContainsFunc(in.Args, f.differs)
	}
	return in.Op != ir.OpIter
}

// notNegative reports an int that the host's limits, or what it is computed of, keep from being negative.
func (f *fissioner) notNegative(in *ir.Instr) bool {
	all := func() bool { return !slices.ContainsFunc(in.Args, func(a *ir.Instr) bool { return !f.notNegative(a) }) }
	switch in.Op {
	case ir.OpConst:
		return in.Kind() == types.Int && in.Int64() >= 0
	case ir.OpExtent, ir.OpThread, ir.OpSubgroup:
		return true
	case ir.OpPoint:
		lo := f.k.Domain[in.Dim].Lo
		return lo.Op == types.HConst && lo.Val >= 0
	case ir.OpIter:
		r := f.ranges[in]
		return r != nil && f.notNegative(r.Args[0])
	case ir.OpAdd, ir.OpMul:
		return in.NoWrap && all()
	case ir.OpMin, ir.OpAnd, ir.OpShrIn, ir.OpDivNZ, ir.OpRemNZ:
		return in.Kind() == types.Int && all()
	}
	return false
}
