package uniform

import "github.com/gpugen/gpugen/ir"

// diverges records why a value diverges, or that it does not.
func (a *analysis) diverges(in *ir.Instr, why *cause) {
	if why == nil {
		delete(a.why, in)
		return
	}
	a.why[in] = why
}

// operands is why one of the values diverges.
func (a *analysis) operands(args []*ir.Instr) *cause {
	for _, x := range args {
		if c := a.why[x]; c != nil {
			return c
		}
	}
	return nil
}

// value looks at an instruction that defines a value and owns no blocks.
func (a *analysis) value(in *ir.Instr, s *state) {
	index := a.operands(in.Args)
	var why *cause
	switch in.Op {
	case ir.OpThread:
		if a.sub && a.steady(in.Dim) {
			break
		}
		why = valueCause(in, nil, "`%s` is the index of a thread in its block", name(in.Name, a.kernel.Group[in.Dim].Name))
	case ir.OpLoad:
		switch {
		case in.Param.Mut:
			why = valueCause(in, nil, "`%s` is `mut`: threads may load different values from it", in.Param.Name)
		case index != nil:
			why = valueCause(in, index, "`%s` is loaded at an index that may differ between threads", in.Param.Name)
		}
	case ir.OpTableGet:
		if index != nil {
			why = valueCause(in, index, "`%s` is read at an index that may differ between threads", in.Table.Name)
		}
	case ir.OpLocalGet, ir.OpElemGet:
		switch {
		case in.Local.Shared:
			why = valueCause(in, nil, "`%s` is `shared`: threads may load different values from it", in.Local.Name)
		case index != nil:
			why = valueCause(in, index, "`%s` is read at an index that may differ between threads", in.Local.Name)
		default:
			why = s.locals[in.Local.ID]
		}
	case ir.OpAtomic:
		why = valueCause(in, nil, "`%s` gives each thread the value that it finds", "atomic")
	case ir.OpLane:
		why = valueCause(in, nil, "`%s` differs between the threads of a subgroup", "subgroup.Lane")
	case ir.OpSubgroup:
		if !a.sub {
			why = valueCause(in, nil, "`%s` differs between the subgroups of a block", "subgroup.ID")
		}
	case ir.OpSubReduce, ir.OpBallot:
		switch {
		case in.Reduce == ir.ScanSum:
			why = valueCause(in, nil, "`%s` gives each thread another sum", "subgroup.ScanSum")
		case !a.sub && index != nil:
			why = valueCause(in, index, "what a `%s` computes may differ between the subgroups of a block", "subgroup")
		}
	case ir.OpShuffle:
		switch x, lane := a.why[in.Args[0]], a.why[in.Args[1]]; {
		case x == nil: // every lane has the same
		case !a.sub:
			why = valueCause(in, x, "what a `%s` exchanges may differ between the subgroups of a block", "subgroup")
		case lane != nil:
			why = valueCause(in, lane, "each thread of a `%s` may take another one's value here", "subgroup")
		case !in.InBounds:
			why = valueCause(in, x, "where the lane is none of a `%s`'s, each thread keeps its own value", "subgroup")
		}
	case ir.OpReduce: // in the other cases all threads get the same
		if in.Reduce == ir.ScanSum {
			why = valueCause(in, nil, "`%s` gives each thread another sum", "block.ScanSum")
		}
	default: // leaves without operands are the same in all threads
		if why = index; why != nil && in.Name != "" {
			why = at(in.Pos, "", index, "`%s` may differ between threads", in.Name) // the position is its operator's
		}
	}
	a.diverges(in, why)
}

// steady reports an index of threads that is the same in all threads of a subgroup: those behind it count whole subgroups.
func (a *analysis) steady(dim int) bool {
	n := int64(1)
	for _, t := range a.kernel.Group[dim+1:] {
		n *= t.N
	}
	return n%ir.Subgroup == 0
}

// set looks at an assignment to a local or to an element of one.
func (a *analysis) set(in *ir.Instr, s *state) {
	l := in.Local
	if l.Shared {
		return
	}
	why := a.operands(in.Args)
	if why != nil {
		why = assignCause(in, why, valueDiffers)
	} else if s.ctl != nil {
		why = assignCause(in, s.ctl, someAssign)
	}
	if why == nil && in.Op == ir.OpElemSet { // the other elements stay what they are
		return
	}
	s.locals[l.ID] = why
}
