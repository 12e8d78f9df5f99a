package ir

import "github.com/gpugen/gpugen/dsl/types"

// Access is the leaf that a Load or Store touches, and its indexes: those of the view and those of the leaf's own dims.
func (in *Instr) Access() (leaf types.Leaf, view, inner []*Instr) {
	leaf = in.Param.Leaf(in.Leaf)
	n := len(in.Param.Dims)
	return leaf, in.Args[:n], in.Args[n : n+len(leaf.Dims)]
}

// Indexed is what the index number i of an access is into, as the source writes it, and which dim of that it is: the second
// index of `ps[k].tags[j]` is into dim 0 of ps.tags.
func (in *Instr) Indexed(i int) (name string, dim int) {
	switch {
	case in.Table != nil:
		return in.Table.Name, i
	case in.Param == nil:
		return in.Local.Name, i
	}
	name = in.Param.Name
	dims := len(in.Param.Dims)
	if i < dims {
		return name, i
	}
	dim = dims // elements that are arrays count on
	inRun := true
	for _, s := range in.Param.Leaf(in.Leaf).Steps {
		switch {
		case s.Index && i == dims:
			return name, dim
		case s.Index:
			dims++
			dim++
			inRun = true
			continue
		case s.Field != "":
			name += "." + s.Field
		default:
			name += "." + types.Components[s.Comp:s.Comp+1]
		}
		if inRun {
			dim, inRun = 0, false
		}
	}
	return name, dim
}
