package cpu

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// lanes makes of a kernel in which threads of a subgroup exchange values one whose threads are the subgroups: fission over
// the lanes of a subgroup alone, cut where lanes meet and where blocks do, before the one over what is left. A shuffle is a
// write to an array over the lanes, a meeting, and a read of it. The barriers of blocks stay. It gives the variables that
// outlive the regions of a subgroup.
func lanes(k *ir.Kernel) map[*ir.Local]kept {
	if !exchanges(k.Body) {
		return nil
	}
	subgroups := k.GroupSize() / ir.Subgroup
	threadsByLane(k)
	k.Group = []ir.Thread{{Name: "lane", N: ir.Subgroup, Pos: k.Pos}}
	l := &laner{k: k, mine: map[*ir.Local]bool{}, to: map[*ir.Instr]*ir.Instr{}}
	l.block(k.Body)
	replaceArgs(k.Body, l.to)
	f := newFissioner(k)
	f.sub = true
	f.run()
	for local := range l.mine {
		f.kept[local] = kept{threads: 1, name: local.Name}
	}
	k.Group = []ir.Thread{{Name: "group", N: subgroups, Pos: k.Pos}}
	k.Body.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpSubgroup {
			in.Op, in.Dim = ir.OpThread, 0
		}
	})
	return f.kept
}

// exchanges reports operations of subgroups in b.
func exchanges(b *ir.Block) bool {
	found := false
	b.Walk(func(in *ir.Instr) { found = found || in.Op == ir.OpShuffle || in.Op == ir.OpBallot })
	return found
}

func replaceArgs(b *ir.Block, to map[*ir.Instr]*ir.Instr) {
	b.Walk(func(in *ir.Instr) {
		for i, a := range in.Args {
			for to[a] != nil {
				a = to[a]
			}
			in.Args[i] = a
		}
	})
}

// threadsByLane computes the indexes of threads from the number of the subgroup and the lane, which takes the place of
// thread index 0.
func threadsByLane(k *ir.Kernel) {
	head := &ir.Block{}
	w := ir.Builder{Block: head, Pos: k.Pos}
	group, lane := w.New(ir.OpSubgroup, types.Int), w.Thread(0)
	exact := func(in *ir.Instr) *ir.Instr {
		in.NoWrap = true
		return in
	}
	last := len(k.Group) - 1
	index := make([]*ir.Instr, len(k.Group))
	rest := group // the number of what the dims before index
	if n := k.Group[last].N; n%ir.Subgroup == 0 {
		per := n / ir.Subgroup // subgroups along the last dim, which belong to one index of those before
		col := group
		if per > 1 && last > 0 {
			col = w.New(ir.OpRemNZ, types.Int, group, w.Int(per))
			rest = w.New(ir.OpDivNZ, types.Int, group, w.Int(per))
		}
		if per == 1 {
			index[last] = lane
		} else {
			index[last] = exact(w.Bin(ir.OpAdd, exact(w.Bin(ir.OpMul, col, w.Int(ir.Subgroup))), lane))
		}
		last--
	} else {
		rest = exact(w.Bin(ir.OpAdd, exact(w.Bin(ir.OpMul, group, w.Int(ir.Subgroup))), lane))
	}
	for ; last > 0; last-- {
		n := w.Int(k.Group[last].N)
		index[last] = w.New(ir.OpRemNZ, types.Int, rest, n)
		rest = w.New(ir.OpDivNZ, types.Int, rest, n)
	}
	if last == 0 {
		index[0] = rest
	}
	to := map[*ir.Instr]*ir.Instr{}
	var drop func(b *ir.Block)
	drop = func(b *ir.Block) {
		out := b.Instrs[:0:0]
		for _, in := range b.Instrs {
			for _, c := range in.Blocks {
				drop(c)
			}
			if in.Op == ir.OpThread {
				to[in] = index[in.Dim]
				continue
			}
			out = append(out, in)
		}
		b.Instrs = out
	}
	drop(k.Body)
	replaceArgs(k.Body, to)
	k.Body.Instrs = append(head.Instrs, k.Body.Instrs...)
}

// laner replaces exchanges between lanes.
type laner struct {
	k    *ir.Kernel
	mine map[*ir.Local]bool
	to   map[*ir.Instr]*ir.Instr
}

// block replaces those in b. Each has an array of its own, so that nothing overwrites what lanes still have to read.
func (l *laner) block(b *ir.Block) {
	out := &ir.Block{}
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			l.block(c)
		}
		w := ir.Builder{Block: out, Pos: in.Pos}
		switch in.Op {
		case ir.OpShuffle:
			from := l.array("lanes", &types.Array{Dims: []int64{ir.Subgroup}, Elem: in.Type})
			w.ElemSet(from, in.Args[0], w.Thread(0)).InBounds = true
			w.New(ir.OpBarrier, nil).Level = 1
			v := w.ElemGet(from, w.Conv(types.Int, in.Args[1]))
			v.InBounds, v.Name = true, in.Name
			l.to[in] = v
		case ir.OpBallot: // the lanes run in turn: each adds its bit, the first to none
			votes := l.array("votes", &types.Array{Dims: []int64{1}, Elem: types.Uint32})
			first := w.Bin(ir.OpEq, w.Thread(0), w.Int(0))
			before := w.ElemGet(votes, w.Int(0))
			before.InBounds = true
			bit := w.New(ir.OpShlIn, types.Uint32, w.Const(types.Uint32, 1), w.Thread(0))
			sum := w.Bin(ir.OpOr, w.Select(first, w.Const(types.Uint32, 0), before), w.Select(in.Args[0], bit, w.Const(types.Uint32, 0)))
			w.ElemSet(votes, sum, w.Int(0)).InBounds = true
			w.New(ir.OpBarrier, nil).Level = 1
			v := w.ElemGet(votes, w.Int(0))
			v.InBounds, v.Name = true, in.Name
			l.to[in] = v
		default:
			out.Add(in)
		}
	}
	b.Instrs = out.Instrs
}

// array is a variable that the lanes of a subgroup have in common.
func (l *laner) array(name string, t types.Type) *ir.Local {
	v := l.k.NewLocal(&ir.Local{Name: name, Type: t, Pos: l.k.Pos, Shared: true})
	l.mine[v] = true
	return v
}
