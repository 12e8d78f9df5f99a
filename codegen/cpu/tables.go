package cpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/ir"
)

// tableElement is an element of a table of constants. Every index that no pass proved is checked.
func (f *function) tableElement(in *ir.Instr) value {
	f.e.tables[in.Table] = true
	s := jen.Id(f.e.names.Table(f.e.m.File, in.Table.Name))
	for d, i := range in.Args {
		n := in.Table.Type.Dims[d]
		var x value
		if in.InBounds || i.IsConst() && i.Bits < uint64(n) {
			x = f.expr(i)
		} else {
			x = f.checked(i, jen.Lit(int(n)), in, in.Table.Name, d)
		}
		s = s.Index(x.code)
	}
	return value{code: s, prec: primary}
}

// writeTables declares the tables that kernels and functions read. They are variables of the generated file alone, which
// nothing writes: the exported copy of a table is the user's.
func (e *emitter) writeTables(f *jen.File) {
	for _, t := range e.m.Tables {
		if !e.tables[t] {
			continue
		}
		name := e.names.Table(e.m.File, t.Name)
		f.Comment("// " + name + " is " + t.Name + ", a table of constants.")
		f.Var().Id(name).Op("=").Add(goType(t.Type)).Add(elements(t, t.Type.Dims, 0))
		f.Line()
	}
}

// elements are those from number first on in braces, a level a dim.
func elements(t *ir.Table, dims []int64, first int64) *jen.Statement {
	size := int64(1)
	for _, d := range dims[1:] {
		size *= d
	}
	return jen.ValuesFunc(func(v *jen.Group) {
		for i := range dims[0] {
			if len(dims) > 1 {
				v.Line().Add(elements(t, dims[1:], first+i*size))
				continue
			}
			if i > 0 && i%12 == 0 || dims[0] > 12 && i == 0 {
				v.Line().Add((*function)(nil).literal(t.At(first + i)).code)
				continue
			}
			v.Add((*function)(nil).literal(t.At(first + i)).code)
		}
		if len(dims) > 1 || dims[0] > 12 {
			v.Line()
		}
	})
}
