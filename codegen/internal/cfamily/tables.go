package cfamily

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// tables declares the tables of constants that the kernels read, before the kernels, and gives their names. A bool takes
// a byte, as in views.
func (d *Dialect) tables(w *writer, m *ir.Module, declared *declaredTypes) map[*ir.Table]string {
	used := map[*ir.Table]bool{}
	names := newNamer(d)
	for _, name := range declared.name {
		names.reserved[name] = true
	}
	for _, k := range m.Kernels {
		k.Body.Walk(func(in *ir.Instr) { used[in.Table] = true })
		names.reserved[k.Entry], names.reserved[k.Entry+"_args"] = true, true
	}
	out := map[*ir.Table]string{}
	bytes := 0
	for _, t := range m.Tables {
		if !used[t] {
			continue
		}
		out[t] = names.declare(globalName(t.Name))
		space := d.Constant
		if bytes += len(t.Bits) * t.Elem().Size(); d.ConstantBytes > 0 && bytes > d.ConstantBytes {
			space = d.Global
		}
		w.blank()
		guarded := d.Doubles != "" && t.Elem() == types.Float64
		if guarded {
			w.line(t.Pos, "#ifdef "+d.Doubles)
		}
		d.table(w, t, space, out[t])
		if guarded {
			w.line(t.Pos, "#endif")
		}
	}
	return out
}

// table declares one table, its elements in rows.
func (d *Dialect) table(w *writer, t *ir.Table, space, name string) {
	k := stored(t.Elem())
	for _, n := range t.Type.Dims {
		name += fmt.Sprintf("[%d]", n)
	}
	open := space + d.Types[k] + " " + name + " = {"
	if len(t.Type.Dims) == 1 && len(t.Bits) <= tableRow {
		w.statement(t.Pos, open+d.row(t, 0, t.Type.Dims[0])+"};")
		return
	}
	w.statement(t.Pos, open)
	w.indent++
	d.elements(w, t, t.Type.Dims, 0)
	w.indent--
	w.line(t.Pos, "};")
}

// tableRow is how many elements stand in a line.
const tableRow = 12

// elements writes the elements from number first on: rows of the last dim, within braces a dim.
func (d *Dialect) elements(w *writer, t *ir.Table, dims []int64, first int64) {
	if len(dims) == 1 {
		for i := int64(0); i < dims[0]; i += tableRow {
			w.line(t.Pos, d.row(t, first+i, min(dims[0]-i, tableRow))+",")
		}
		return
	}
	size := (&types.Array{Dims: dims[1:]}).Len()
	for i := range dims[0] {
		if len(dims) == 2 && size <= tableRow {
			w.line(t.Pos, "{"+d.row(t, first+i*size, size)+"},")
			continue
		}
		w.line(t.Pos, "{")
		w.indent++
		d.elements(w, t, dims[1:], first+i*size)
		w.indent--
		w.line(t.Pos, "},")
	}
}

// row is n elements from number first on.
func (d *Dialect) row(t *ir.Table, first, n int64) string {
	s := make([]string, n)
	for i := range s {
		s[i] = d.constant(stored(t.Elem()), t.Bits[first+int64(i)]).Text
	}
	return strings.Join(s, ", ")
}

// constant is a literal for an initialiser, where no compiler takes a call of FromBits: a subnormal, which the compiler
// reads and no device, is written in decimal as well. Constants of the language are finite and not -0.
func (d *Dialect) constant(k types.Kind, bits uint64) Expr {
	if k == types.Float32 || k == types.Float64 {
		return d.decimal(k, ir.FloatOf(k, bits))
	}
	return d.Literal(k, bits)
}

// stored is the kind of which a table has its elements.
func stored(k types.Kind) types.Kind {
	if k == types.Bool {
		return types.Uint8
	}
	return k
}

// tableElement is an element of a table.
func (p *Printer) tableElement(in *ir.Instr) Expr {
	text := p.tables[in.Table]
	for _, i := range in.Args {
		text += "[" + p.small(i, p.expr(i)).Text + "]"
	}
	if in.Kind() == types.Bool {
		return Infix(Atom(text), "!=", Atom("0"))
	}
	return Atom(text)
}
