package cpu

import (
	"cmp"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// fission makes of a kernel of blocks a kernel whose points are the blocks: no threads, no barriers. What stands between two
// barriers is a region; it is wrapped in loops over the threads, so that every thread is at the barrier before any is behind
// it. Control that holds a barrier, which is the same for all threads, is turned outside in: it runs once a block, and
// the loops over the threads stand inside it.
//
// Of what a thread knows at a barrier the rest of the body may need
//   - values that all threads of the block have in common: computed once a block, outside the loops;
//   - values that are cheap to compute from a thread's index: computed again where they are needed, as far out as they may;
//   - anything else, and private variables: kept in an array over the threads of the block.
//
// Files: fission is the frame, straight shapes control around barriers, scalar finds what a block has in common, turn chooses
// further loops to turn outside in, region cuts the body, threads writes a region in its loops, guards shortens those.
type fissioner struct {
	k       *ir.Kernel
	outer   map[*ir.Instr]bool      // control that runs once a block around regions, barriers, and exits of such control
	scalar  map[*ir.Local]bool      // variables that are set outside regions alone: one for the block
	uniform map[*ir.Instr]bool      // values that all threads of a block have in common
	ranges  map[*ir.Instr]*ir.Instr // index → Range
	home    map[*ir.Instr]*region   // the region that an instruction stands in; none: it runs once a block
	spill   map[*ir.Instr]*ir.Local
	keep    map[*ir.Local]*ir.Local // private variables that live across barriers → their arrays
	kept    map[*ir.Local]kept

	known []map[string]*ir.Instr  // while the result is written: what its outer blocks compute, the innermost last
	twin  map[*ir.Instr]*ir.Instr // values that another already gives

	sub   bool               // over the lanes of a subgroup: the barriers of blocks stay
	lanes map[*ir.Local]kept // arrays over lanes that the fission over them has made
}

// kept is a variable that is declared once a call of the kernel: a shared one, or an array over the threads of a block.
type kept struct {
	threads int    // leading dims that are indexes of threads
	name    string // of what it keeps
}

// fission is a copy of k in that form, and its variables that outlive a block's regions.
func fission(k *ir.Kernel) (*ir.Kernel, map[*ir.Local]kept) {
	k = k.Clone()
	plainAtomics(k.Body)
	byLane := lanes(k)
	f := newFissioner(k)
	f.lanes = byLane
	f.run()
	k.Group = nil
	for l, v := range byLane {
		if f.keep[l] == nil {
			f.kept[l] = v
		}
	}
	for _, l := range k.Locals {
		if l.Shared {
			if _, ok := f.kept[l]; !ok {
				f.kept[l] = kept{name: l.Name}
			}
			l.Shared = false // of the threads that are left, one a block
		}
	}
	return k, f.kept
}

func newFissioner(k *ir.Kernel) *fissioner {
	return &fissioner{
		k: k, outer: map[*ir.Instr]bool{}, scalar: map[*ir.Local]bool{}, uniform: map[*ir.Instr]bool{}, ranges: map[*ir.Instr]*ir.Instr{},
		home: map[*ir.Instr]*region{}, spill: map[*ir.Instr]*ir.Local{}, keep: map[*ir.Local]*ir.Local{}, kept: map[*ir.Local]kept{},
		twin: map[*ir.Instr]*ir.Instr{},
	}
}

// run replaces the body of the kernel.
func (f *fissioner) run() {
	k := f.k
	f.shape(k.Body)
	for f.mark(k.Body, false); f.common(); {
		f.mark(k.Body, false)
	}
	for !f.sub && f.turn(k.Body) {
		f.common()
	}
	nodes := f.cut(k.Body)
	f.crossing(nodes)
	body := &ir.Block{}
	f.write(body, nodes)
	k.Body = body
}

// mark finds what is outer in b; exits says that Break and Continue in b belong to an outer loop. It reports whether
// anything is outer.
func (f *fissioner) mark(b *ir.Block, exits bool) bool {
	found := false
	for _, in := range b.Instrs {
		is := false
		switch in.Op {
		case ir.OpBarrier:
			is = true
		case ir.OpBreak, ir.OpContinue:
			is = exits
		case ir.OpRange, ir.OpLoop:
			if is = meets(in); is {
				for _, c := range in.Blocks {
					f.mark(c, true)
				}
			}
		default:
			for _, c := range in.Blocks {
				is = f.mark(c, exits) || is
			}
		}
		if is {
			f.outer[in] = true
			found = true
		}
	}
	return found
}

// meets reports a barrier in an instruction.
func meets(in *ir.Instr) bool {
	return in.Op == ir.OpBarrier || slices.ContainsFunc(in.Blocks, func(b *ir.Block) bool { return slices.ContainsFunc(b.Instrs, meets) })
}

// arrayOf is the type of an array with an element of type t a thread.
func (f *fissioner) arrayOf(t types.Type) types.Type {
	a := &types.Array{Elem: t}
	for _, g := range f.k.Group {
		a.Dims = append(a.Dims, g.N)
	}
	return a
}

// newKept adds an array over the threads for what is called name.
func (f *fissioner) newKept(name string, t types.Type) *ir.Local {
	l := f.k.NewLocal(&ir.Local{Type: f.arrayOf(t)})
	if name != "" {
		l.Name = name + "s" // one a thread
	}
	f.kept[l] = kept{threads: len(f.k.Group), name: name}
	return l
}

// write writes nodes into b.
func (f *fissioner) write(b *ir.Block, nodes []node) {
	f.known = append(f.known, map[string]*ir.Instr{})
	defer func() { f.known = f.known[:len(f.known)-1] }()
	for _, n := range nodes {
		if n.each != nil {
			f.threads(b, n.each)
			continue
		}
		in := n.once
		for i, a := range in.Args {
			in.Args[i] = f.first(b, a)
		}
		if ir.Ops[in.Op].Class == ir.Pure && harmless(in) {
			key := computes(in)
			if v := f.lookup(key); v != nil {
				v.Name = cmp.Or(v.Name, in.Name)
				f.twin[in] = v
				continue
			}
			f.learn(key, in)
		}
		b.Add(in)
		if n.kids == nil {
			for _, c := range in.Blocks {
				c.Walk(func(in *ir.Instr) {
					for i, a := range in.Args {
						in.Args[i] = f.shown(a)
					}
				})
			}
		}
		for i, kids := range n.kids {
			c := &ir.Block{Iter: in.Blocks[i].Iter}
			f.write(c, kids)
			in.Blocks[i] = c
		}
	}
}

// lookup is the value that computes what key says, in the outer blocks around; nil if there is none.
func (f *fissioner) lookup(key string) *ir.Instr {
	for _, m := range f.known {
		if v := m[key]; v != nil {
			return v
		}
	}
	return nil
}

func (f *fissioner) learn(key string, v *ir.Instr) { f.known[len(f.known)-1][key] = v }

// shown is what stands for a value that is computed once a block.
func (f *fissioner) shown(v *ir.Instr) *ir.Instr {
	if t := f.twin[v]; t != nil {
		return t
	}
	return v
}

// first is a value as the first thread of the block has it, for what runs once a block: any thread's would do.
func (f *fissioner) first(b *ir.Block, v *ir.Instr) *ir.Instr {
	w := ir.Builder{Block: b, Pos: v.Pos}
	switch {
	case v.Op == ir.OpThread:
		return w.Int(0)
	case f.home[v] == nil:
		return f.shown(v)
	case f.spill[v] != nil:
		var zeros []*ir.Instr
		for range f.k.Group {
			zeros = append(zeros, w.Int(0))
		}
		get := w.ElemGet(f.spill[v], zeros...)
		get.InBounds = true
		return get
	}
	c := *v
	c.Args = make([]*ir.Instr, len(v.Args))
	for i, a := range v.Args {
		c.Args[i] = f.first(b, a)
	}
	return b.Add(&c)
}
