package pass

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// An access is in bounds when 0 <= index < extent is proved for every index. The index's own arithmetic may wrap on the
// way: its linear form equals the computed value modulo 2**64, and a form that lies in a dim is its own remainder.
var bounds = Pass{
	Name: "bounds",
	Doc:  "mark accesses whose indexes are proved to be in range",
	Run: func(k *ir.Kernel) {
		r := newRanges(k)
		r.walk(k.Body, func(in *ir.Instr) {
			switch in.Op {
			case ir.OpLoad, ir.OpStore:
				dims := make([]form, len(in.Param.Dims))
				for i, d := range in.Param.Dims {
					dims[i] = r.header(d)
				}
				for _, n := range in.Param.Leaf(in.Leaf).Dims {
					dims = append(dims, constForm(n))
				}
				in.InBounds = in.InBounds || r.within(in.Args, dims)
			case ir.OpAtomic:
				var dims []form
				if in.Param == nil {
					dims = arrayDims(in.Local.Type)
				} else {
					for _, d := range in.Param.Dims {
						dims = append(dims, r.header(d))
					}
					for _, n := range in.Param.Leaf(in.Leaf).Dims {
						dims = append(dims, constForm(n))
					}
				}
				in.InBounds = in.InBounds || r.within(in.Indexes(), dims)
			case ir.OpTableGet:
				in.InBounds = in.InBounds || r.within(in.Args, arrayDims(in.Table.Type))
			case ir.OpElemGet, ir.OpElemSet:
				in.InBounds = in.InBounds || r.within(in.Args, arrayDims(in.Local.Type))
			}
		})
	},
}

// arrayDims is the extents of an array of arrays, outer first.
func arrayDims(t types.Type) []form {
	var dims []form
	for {
		a, ok := t.(*types.Array)
		if !ok {
			return dims
		}
		for _, d := range a.Dims {
			dims = append(dims, constForm(d))
		}
		t = a.Elem
	}
}

// within reports whether as many indexes as there are dims, or as there are indexes, are in range. A value to store may
// follow the indexes.
func (r *ranges) within(args []*ir.Instr, dims []form) bool {
	for i := range min(len(args), len(dims)) {
		if !args[i].Kind().IsInteger() || !r.inDim(r.modular(args[i]), dims[i]) && !r.inDim(r.form(args[i]), dims[i]) {
			return false
		}
	}
	return true
}

// inDim reports whether 0 <= f < dim.
func (r *ranges) inDim(f, dim form) bool { return r.nonneg(f) && r.nonneg(dim.plus(-1, f).add(-1)) }

// modular is a linear form that equals the value modulo 2**64.
func (r *ranges) modular(v *ir.Instr) form {
	if v.Type != types.Int {
		return r.form(v)
	}
	if f, ok := r.linear[v]; ok {
		return f
	}
	f := r.unwrapped(v)
	if f.bad {
		f = r.form(v)
	}
	r.linear[v] = f
	return f
}

// unwrapped is modular of one operation.
func (r *ranges) unwrapped(v *ir.Instr) (f form) {
	switch v.Op {
	case ir.OpAdd:
		f = r.modular(v.Args[0]).plus(1, r.modular(v.Args[1]))
	case ir.OpSub:
		f = r.modular(v.Args[0]).plus(-1, r.modular(v.Args[1]))
	case ir.OpNeg:
		f = r.modular(v.Args[0]).times(-1)
	case ir.OpMul:
		x, y := r.modular(v.Args[0]), r.modular(v.Args[1])
		switch {
		case y.isConst():
			f = x.times(y.c)
		case x.isConst():
			f = y.times(x.c)
		default:
			return r.form(v)
		}
	default:
		return r.form(v)
	}
	return f
}
