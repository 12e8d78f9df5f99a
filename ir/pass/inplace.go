package pass

import (
	"maps"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

var inPlace = Pass{
	Name: "inplace",
	Doc:  "find the pairs of views that may be exactly the same range",
	Run: func(k *ir.Kernel) {
		k.InPlace = InPlace(k)
	},
}

// InPlace lists the pairs of parameter indexes, the smaller first, whose views may be exactly the same range: the pairs
// that k has already, because @inplace names them, and every `mut` view with every other view of equal element and
// extents when both are touched only at the point's own index, and no load of one follows a store to the other. It looks
// at points and is for kernels before schedule. The threads of a block share its point, so that a kernel of blocks has the
// pairs of @inplace alone.
func InPlace(k *ir.Kernel) [][2]int {
	var out [][2]int
	for _, p := range k.InPlace {
		out = append(out, [2]int{min(p[0], p[1]), max(p[0], p[1])})
	}
	o := &accesses{kernel: k, own: make([]bool, len(k.Params)), after: map[[2]int]bool{}, stored: map[[2]int]bool{}}
	for i := range o.own {
		o.own[i] = true
	}
	o.block(k.Body)
	for i, a := range k.Params {
		if len(k.Group) > 0 {
			break
		}
		for j, b := range k.Params[:i] {
			if a.IsView() && b.IsView() && (a.Mut || b.Mut) && alike(a, b) && o.own[i] && o.own[j] && !o.after[[2]int{i, j}] && !o.after[[2]int{j, i}] {
				out = append(out, [2]int{j, i})
			}
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(out)
}

// alike reports whether views that are the same range have the same element at the same index.
func alike(a, b *ir.Param) bool {
	return types.Identical(a.Type, b.Type) && slices.EqualFunc(a.Dims[1:], b.Dims[1:], func(x, y *types.Header) bool { return x.String() == y.String() })
}

// accesses is how a body touches its views.
type accesses struct {
	kernel *ir.Kernel
	own    []bool          // a parameter is touched at the point's own index alone
	after  map[[2]int]bool // a load of the first may follow a store to the same leaf of the second
	stored map[[2]int]bool // a store to a parameter's leaf may have happened
}

// block looks at the instructions of b in order. What a loop stores counts as stored before its first iteration.
func (o *accesses) block(b *ir.Block) {
	for _, in := range b.Instrs {
		if in.Op == ir.OpRange || in.Op == ir.OpLoop {
			for _, c := range in.Blocks {
				c.Walk(o.store)
			}
		}
		if in.Op == ir.OpAtomic && in.Param != nil { // it loads and stores, for all threads
			o.own[in.Param.Index] = false
		}
		if in.Op == ir.OpLoad || in.Op == ir.OpStore {
			o.own[in.Param.Index] = o.own[in.Param.Index] && o.ownIndex(in)
		}
		if in.Op == ir.OpLoad {
			for s := range o.stored {
				if s[1] == in.Leaf {
					o.after[[2]int{in.Param.Index, s[0]}] = true
				}
			}
		}
		o.store(in)
		if in.Op == ir.OpIf {
			o.branches(in)
			continue
		}
		for _, c := range in.Blocks {
			o.block(c)
		}
	}
}

// branches looks at both branches of an if, of which one runs. What a branch that returns does not reach stands in the other
// one: exits has seen to that.
func (o *accesses) branches(in *ir.Instr) {
	before, behind := o.stored, map[[2]int]bool{}
	for _, c := range in.Blocks {
		o.stored = maps.Clone(before)
		o.block(c)
		maps.Copy(behind, o.stored)
	}
	o.stored = behind
}

// store notes a store.
func (o *accesses) store(in *ir.Instr) {
	if in.Op == ir.OpStore {
		o.stored[[2]int{in.Param.Index, in.Leaf}] = true
	}
}

// ownIndex reports whether the indexes are the points of all dims, in order.
func (o *accesses) ownIndex(in *ir.Instr) bool {
	n := len(in.Param.Dims)
	if n != len(o.kernel.Domain) {
		return false
	}
	for i, x := range in.Args[:n] {
		if x.Op != ir.OpPoint || x.Dim != i {
			return false
		}
	}
	return true
}
