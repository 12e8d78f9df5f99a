package cfamily

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// declaredTypes are the types that a module's kernels have in their parameters: structs under their own names where no
// library may have them, vectors as structs of their components (the language's own vectors are aligned otherwise), arrays as
// element of a view under a name of ours.
type declaredTypes struct {
	d      *Dialect
	module *ir.Module
	order  []types.Type
	name   map[string]string   // C name, by the language's text of the type
	fields map[string][]string // C names of the fields of a struct
}

func declareTypes(d *Dialect, m *ir.Module) *declaredTypes {
	t := &declaredTypes{d: d, module: m, name: map[string]string{}, fields: map[string][]string{}}
	names := newNamer(d)
	for _, k := range m.Kernels {
		names.scopes[0][k.Entry] = true
	}
	for _, k := range m.Kernels {
		for _, p := range k.Params {
			t.add(p.Elem(), names)
		}
	}
	for _, of := range t.order {
		s, ok := of.(*types.Struct)
		if !ok {
			continue
		}
		inner := newNamer(d)
		for _, n := range t.name {
			inner.scopes[0][n] = true // a member may be called like a type, but no member behind it could name that type
		}
		for _, f := range s.Fields {
			t.fields[s.Name] = append(t.fields[s.Name], inner.declare(f.Name))
		}
	}
	return t
}

// globalName is a name for a struct or table that no library has for a type, function or macro: those begin with a small letter
// or are all of capitals. A struct or table of such a name gets a `_` at its end.
func globalName(name string) string {
	if 'A' <= name[0] && name[0] <= 'Z' && strings.ToUpper(name) != name {
		return name
	}
	return name + "_"
}

// add names a type behind those that it is made of.
func (t *declaredTypes) add(of types.Type, names *namer) {
	text := of.String()
	if t.name[text] != "" {
		return
	}
	switch of := of.(type) {
	case *types.Vector:
		t.name[text] = helperPrefix + text
	case *types.Array:
		t.add(of.Elem, names)
		name := of.Elem.String()
		if s, ok := of.Elem.(*types.Struct); ok {
			name = t.name[s.Name]
		}
		name = helperPrefix + "array_" + strings.TrimPrefix(name, helperPrefix)
		for _, d := range of.Dims {
			name += fmt.Sprintf("_%d", d)
		}
		t.name[text] = name
	case *types.Struct:
		for _, f := range of.Fields {
			elem := f.Type
			for {
				a, ok := elem.(*types.Array)
				if !ok {
					break
				}
				elem = a.Elem
			}
			t.add(elem, names)
		}
		t.name[text] = names.declare(globalName(of.Name))
	default:
		return
	}
	t.order = append(t.order, of)
}

// memory is the C type of a value in memory: bool is a byte, of which anything but 0 is true.
func (t *declaredTypes) memory(of types.Type) string {
	k, basic := of.(types.Kind)
	switch {
	case !basic:
		return t.name[of.String()]
	case k == types.Bool:
		return t.d.Types[types.Uint8]
	}
	return t.d.Types[k]
}

// offsetHelper is the macro of every prelude that gives the byte at which a member starts.
const offsetHelper = "gg_offset"

// write prints the declarations, with what a compiler must find of their layout.
func (t *declaredTypes) write(w *writer, helpers map[string]bool) {
	for _, of := range t.order {
		w.blank()
		name := t.name[of.String()]
		guard := t.d.Doubles != "" && slices.Contains(types.Kinds(of), types.Float64)
		if guard {
			w.line(diag.Pos{}, "#ifdef "+t.d.Doubles)
		}
		switch of := of.(type) {
		case *types.Array:
			w.line(diag.Pos{}, "typedef "+t.member(of, name)+";")
		case *types.Vector:
			var members []string
			for i := range of.N {
				members = append(members, types.Components[i:i+1])
			}
			t.structText(w, diag.Pos{}, name, []string{t.memory(of.Elem) + " " + strings.Join(members, ", ") + ";"})
			t.layout(w, of, name, nil, nil)
		case *types.Struct:
			pos := diag.Pos{}
			for _, s := range t.module.Structs {
				if s.Type.Name == of.Name {
					pos = s.Pos
					for _, l := range s.Doc {
						w.line(diag.Pos{}, "// "+comment(l))
					}
				}
			}
			var members []string
			for i, f := range of.Fields {
				members = append(members, t.member(f.Type, t.fields[of.Name][i])+";")
			}
			t.structText(w, pos, name, members)
			offsets, _ := of.Offsets()
			t.layout(w, of, name, t.fields[of.Name], offsets)
			helpers[offsetHelper] = true
		}
		if guard {
			w.line(diag.Pos{}, "#endif")
		}
	}
}

// structText prints a struct. In C its name alone is no type, so that a typedef gives it one.
func (t *declaredTypes) structText(w *writer, pos diag.Pos, name string, members []string) {
	open, end := "struct "+name+" {", "};"
	if t.d.C {
		open, end = "typedef "+open, "} "+name+";"
	}
	w.marked = diag.Pos{}
	w.statement(pos, open)
	for _, m := range members {
		w.line(pos, "\t"+m)
	}
	w.line(pos, end)
}

// layout has the compiler prove that a struct lies in memory as the host lays it out.
func (t *declaredTypes) layout(w *writer, of types.Type, name string, fields []string, offsets []int64) {
	facts := []string{fmt.Sprintf("sizeof(%s) == %d", name, types.Size(of))}
	for i, f := range fields {
		facts = append(facts, fmt.Sprintf("%s(%s, %s) == %d", offsetHelper, name, f, offsets[i]))
	}
	for i, f := range facts {
		if t.d.C {
			w.line(diag.Pos{}, fmt.Sprintf("typedef char %slayout_of_%s_%d[%s ? 1 : -1];", helperPrefix, name, i, f))
			continue
		}
		w.line(diag.Pos{}, "static_assert("+f+", \"layout of "+name+"\");")
	}
}

// member is a declaration of name with a type, an array's dims behind it.
func (t *declaredTypes) member(of types.Type, name string) string {
	for {
		a, ok := of.(*types.Array)
		if !ok {
			return t.memory(of) + " " + name
		}
		for _, d := range a.Dims {
			name += fmt.Sprintf("[%d]", d)
		}
		of = a.Elem
	}
}

// Memory is the C type of a parameter by value, or of the elements of one that is a view.
func (p *Printer) Memory(q *ir.Param) string { return p.types.memory(q.Elem()) }

// leaf is a scalar of a composite value: the fields, components and indexes behind it.
func (p *Printer) leaf(x string, l *types.Leaf, index []*ir.Instr) string {
	for _, s := range l.Steps {
		switch {
		case s.Index:
			x += "[" + p.small(index[0], p.expr(index[0])).Text + "]"
			index = index[1:]
		case s.Field != "":
			x += "." + p.types.fields[s.Struct.Name][s.Struct.Index(s.Field)]
		default:
			x += "." + types.Components[s.Comp:s.Comp+1]
		}
	}
	return x
}

// fromMemory is a value read from memory: a bool is any byte but 0.
func (p *Printer) fromMemory(k types.Kind, x Expr) Expr {
	if k == types.Bool {
		return Infix(x, "!=", Atom("0"))
	}
	return x
}
