package ir

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// Print is the text form of m without positions. [Parse] reads it back, and printing that gives the same text.
func Print(m *Module) string { return printModule(m, false) }

// PrintPos is Print with the position of everything as `@line:col`. Byte offsets are not kept.
func PrintPos(m *Module) string { return printModule(m, true) }

// PrintKernel is the text form of one kernel, as Print has it.
func PrintKernel(k *Kernel) string {
	p := &printer{}
	p.kernel(k)
	return p.String()
}

func printModule(m *Module, positions bool) string {
	p := &printer{file: m.File, positions: positions}
	p.line("module %s %q", m.Package, m.File)
	for _, s := range m.Structs {
		p.line("")
		p.structDecl(s)
	}
	for _, t := range m.Tables {
		p.line("")
		p.table(t)
	}
	for _, c := range m.Consts {
		p.line("")
		switch {
		case c.Table != nil:
			p.line("const %s table %s%s", c.Name, c.Table.Name, p.at(c.Pos))
		case c.Type != nil:
			p.line("const %s %s %q%s", c.Name, c.Type, c.Value, p.at(c.Pos))
		default:
			p.line("const %s untyped %q%s", c.Name, c.Value, p.at(c.Pos))
		}
		p.indent++
		p.doc(c.Doc)
		p.indent--
	}
	for _, f := range m.Funcs {
		p.line("")
		p.fn(f)
	}
	for _, k := range m.Kernels {
		p.line("")
		p.kernel(k)
	}
	return p.String()
}

// table prints a constant array, some elements a line.
func (p *printer) table(t *Table) {
	p.line("table %s %s%s {", t.Name, t.Type, p.at(t.Pos))
	for i := 0; i < len(t.Bits); i += 16 {
		var s []string
		for j := i; j < min(i+16, len(t.Bits)); j++ {
			s = append(s, constText(t.At(int64(j))))
		}
		p.line("\t%s", strings.Join(s, ", "))
	}
	p.line("}")
}

// printer writes the text form; values are numbered as they are defined, from 0 in each function.
type printer struct {
	strings.Builder
	file      string
	positions bool
	indent    int
	values    map[*Instr]int
}

func (p *printer) line(format string, args ...any) {
	if format != "" {
		p.WriteString(strings.Repeat("\t", p.indent))
	}
	fmt.Fprintf(p, format+"\n", args...)
}

// at is the suffix that carries a position.
func (p *printer) at(pos diag.Pos) string {
	switch {
	case !p.positions || !pos.IsValid():
		return ""
	case path.Base(pos.File) == path.Base(p.file):
		return fmt.Sprintf(" @%d:%d", pos.Line, pos.Col)
	}
	return fmt.Sprintf(" @%q:%d:%d", pos.File, pos.Line, pos.Col)
}

func (p *printer) doc(doc []string) {
	for _, d := range doc {
		p.line("doc %q", d)
	}
}

func (p *printer) structDecl(s *Struct) {
	p.line("struct %s%s {", s.Type.Name, p.at(s.Pos))
	p.indent++
	p.doc(s.Doc)
	for i, f := range s.Type.Fields {
		p.line("field %s %s", f.Name, f.Type)
		if i < len(s.Fields) {
			p.doc(s.Fields[i])
		}
	}
	p.indent--
	p.line("}")
}

func (p *printer) generics(gs []Generic) {
	for _, g := range gs {
		if g.Type != nil {
			p.line("generic %s %s", g.Param, g.Type)
		} else {
			p.line("generic %s = %d", g.Param, g.Value)
		}
	}
}

func (p *printer) fn(f *Func) {
	p.values = map[*Instr]int{}
	p.line("func %s %q%s {", f.Name, f.Instance, p.at(f.Pos))
	p.indent++
	p.doc(f.Doc)
	p.generics(f.Generics)
	if f.Exported {
		p.line("exported")
	}
	for i, l := range f.Locals {
		word := "local"
		if i < len(f.Params) {
			word = "param"
		}
		p.local(word, l)
	}
	for _, r := range f.Results {
		p.line("result %s", r)
	}
	if f.Sig != nil {
		for _, a := range f.Sig.Params {
			p.line("takes %s %s", a.Name, a.Type)
		}
		for _, r := range f.Sig.Results {
			p.line("gives %s", r)
		}
	}
	p.body(f.Body)
	p.indent--
	p.line("}")
}

func (p *printer) local(word string, l *Local) {
	shared := ""
	if l.Shared {
		shared = " shared"
	}
	p.line("%s %s %s%s%s", word, local(l), l.Type, shared, p.at(l.Pos))
}

func (p *printer) body(b *Block) {
	p.line("body {")
	p.block(b)
	p.line("}")
}

func (p *printer) kernel(k *Kernel) {
	p.values = map[*Instr]int{}
	p.line("kernel %s %q %s%s {", k.Name, k.Instance, k.Entry, p.at(k.Pos))
	p.indent++
	p.doc(k.Doc)
	p.generics(k.Generics)
	for _, a := range k.Params {
		mut := ""
		if a.Mut {
			mut = "mut "
		}
		p.line("param %s %s%s%s", a.Name, mut, paramType(a), p.at(a.Pos))
	}
	for _, s := range k.Symbols {
		p.line("symbol %s %s %d%s", s.Name, k.Params[s.Param].Name, s.Dim, p.at(s.Pos))
	}
	for _, e := range k.Equal {
		p.line("equal %s %d = %s%s", k.Params[e.Param].Name, e.Dim, e.Want, p.at(e.Pos))
	}
	for _, r := range k.Requires {
		p.line("requires %s %q%s", r.Cond, r.Text, p.at(r.Pos))
	}
	for _, d := range k.Domain {
		p.line("domain %s in %s : %s%s", d.Name, d.Lo, d.Hi, p.at(d.Pos))
	}
	for _, t := range k.Group {
		p.line("group %s in %d%s", t.Name, t.N, p.at(t.Pos))
	}
	if k.ByBlock {
		p.line("byblock")
	}
	for _, pair := range k.InPlace {
		p.line("inplace %s %s", k.Params[pair[0]].Name, k.Params[pair[1]].Name)
	}
	if k.Targets != types.AllTargets {
		p.line("targets %s", k.Targets)
	}
	if k.Exact {
		p.line("exact")
	}
	if k.FastMath {
		p.line("fastmath")
	}
	if k.Threads != 0 {
		p.line("threads %d", k.Threads)
	}
	if s := k.Sched; s != nil {
		p.line("sched %d %d %d per %d", s.Block[0], s.Block[1], s.Block[2], s.Per)
	}
	if k.Wide {
		p.line("wide")
	}
	for _, l := range k.Locals {
		p.local("local", l)
	}
	for _, s := range k.Sites {
		p.site(s)
	}
	p.body(k.Body)
	p.indent--
	p.line("}")
}

// site prints a site: its kind, then what the kind has.
func (p *printer) site(s *Site) {
	text := ""
	switch s.Kind {
	case SiteBounds:
		text = fmt.Sprintf(" %q %d", s.Name, s.Dim)
	case SiteAssert, SitePrint:
		text = fmt.Sprintf(" %q", s.Text)
	}
	for _, k := range s.Args {
		text += " " + k.String()
	}
	p.line("site %s%s%s", s.Kind, text, p.at(s.Pos))
}

// paramType is the type of a parameter; a view's with its extents.
func paramType(a *Param) string {
	v, ok := a.Type.(*types.View)
	if !ok {
		return a.Type.String()
	}
	dims := make([]string, len(a.Dims))
	for i, d := range a.Dims {
		dims[i] = d.String()
	}
	return "[" + strings.Join(dims, ", ") + "]" + v.Elem.String()
}

// local is a reference to a local: its number, and its name for people.
func local(l *Local) string { return named("$"+strconv.Itoa(l.ID), l.Name) }

// locals are references to locals.
func locals(ls []*Local) string {
	outs := make([]string, len(ls))
	for i, l := range ls {
		outs[i] = local(l)
	}
	return strings.Join(outs, ", ")
}

// named adds a name, if there is one, to a number.
func named(s, name string) string {
	if name == "" {
		return s
	}
	return s + "." + name
}

func (p *printer) block(b *Block) {
	p.indent++
	for _, in := range b.Instrs {
		p.instr(in)
	}
	p.indent--
}

// define numbers in and gives its name on the left of `=`.
func (p *printer) define(in *Instr) string {
	n := len(p.values)
	p.values[in] = n
	return named("%"+strconv.Itoa(n), in.Name)
}

// ref is a use of a value; one that is out of reach prints as %?, for dumps of what Verify refuses.
func (p *printer) ref(in *Instr) string {
	if n, ok := p.values[in]; ok {
		return "%" + strconv.Itoa(n)
	}
	return "%?"
}

func (p *printer) refs(args []*Instr) string {
	s := make([]string, len(args))
	for i, a := range args {
		s[i] = p.ref(a)
	}
	return strings.Join(s, ", ")
}

// instr prints one instruction: `%n.name = op type operands flags @pos { blocks }`.
func (p *printer) instr(in *Instr) {
	text := in.Op.String()
	if Ops[in.Op].Value {
		text += " " + in.Type.String()
	}
	if o := p.operands(in); o != "" {
		text += " " + o
	}
	for _, f := range []struct {
		on   bool
		name string
	}{{in.NoFuse, "nofuse"}, {in.InBounds, "inbounds"}, {in.NoWrap, "nowrap"}} {
		if f.on {
			text += " " + f.name
		}
	}
	if in.Unroll > 0 {
		text += " unroll " + strconv.Itoa(in.Unroll)
	}
	if in.Spread > 0 {
		text += " spread " + strconv.Itoa(in.Spread)
	}
	if in.Op == OpRange && in.Reduce != NoReduction {
		text += " reduce " + in.Reduce.String() + " " + locals(in.Outs)
	}
	text += p.at(in.Pos)
	if Ops[in.Op].Value {
		text = p.define(in) + " = " + text
	}
	if len(in.Blocks) == 0 {
		p.line("%s", text)
		return
	}
	p.line("%s {", text)
	p.block(in.Blocks[0])
	for i, word := range map[Op][]string{OpIf: {"else"}, OpLoop: {"do", "post"}}[in.Op] {
		if b := in.Blocks[i+1]; in.Op == OpLoop || len(b.Instrs) > 0 {
			p.line("} %s {", word)
			p.block(b)
		}
	}
	p.line("}")
}

// operands is what stands after the operation and its type.
func (p *printer) operands(in *Instr) string {
	switch in.Op {
	case OpConst:
		return constText(in)
	case OpParamGet:
		return access(in)
	case OpExtent:
		return in.Sym.Name
	case OpPoint, OpThread, OpBlockIdx, OpThreadIdx, OpGridDim:
		return strconv.Itoa(in.Dim)
	case OpBreak, OpContinue:
		if in.Level != 0 {
			return strconv.Itoa(in.Level)
		}
	case OpLocalGet:
		return local(in.Local)
	case OpLocalSet:
		return local(in.Local) + ", " + p.refs(in.Args)
	case OpLoad:
		return access(in) + " [" + p.refs(in.Args) + "]"
	case OpTableGet:
		return in.Table.Name + " [" + p.refs(in.Args) + "]"
	case OpElemGet:
		return local(in.Local) + " [" + p.refs(in.Args) + "]"
	case OpStore, OpElemSet:
		to := ""
		if in.Op == OpStore {
			to = access(in)
		} else {
			to = local(in.Local)
		}
		n := len(in.Args) - 1
		return to + " [" + p.refs(in.Args[:n]) + "], " + p.ref(in.Args[n])
	case OpAtomic:
		return p.atomic(in)
	case OpReduce, OpSubReduce:
		return in.Reduce.String() + " " + p.refs(in.Args)
	case OpRange:
		iter := in.Blocks[0].Iter
		return p.refs(in.Args) + " as " + p.define(iter) + " " + iter.Type.String() + p.at(iter.Pos)
	case OpAssert, OpReport, OpPrint:
		at := strconv.Quote(in.Text)
		if in.Site != nil {
			at = strconv.Itoa(in.Site.Index)
		}
		return strings.TrimSpace(at + " " + p.refs(in.Args))
	case OpCall:
		return fmt.Sprintf("%q (%s) to (%s)", in.Func.Instance, p.refs(in.Args), locals(in.Outs))
	}
	return p.refs(in.Args)
}

// access is the parameter that an instruction touches, and which scalar of a composite one.
func access(in *Instr) string {
	if !types.IsComposite(in.Param.Elem()) {
		return in.Param.Name
	}
	return in.Param.Name + " leaf " + strconv.Itoa(in.Leaf) + " " + strconv.Quote(in.Param.Leaf(in.Leaf).Path)
}

// constText is the value of a constant: shortest digits that read back to the same bits.
func constText(in *Instr) string {
	k := in.Kind()
	switch {
	case k == types.Invalid:
		return "zero"
	case k == types.Bool:
		return strconv.FormatBool(in.Bool())
	case k.IsUnsigned():
		return strconv.FormatUint(in.Bits, 10)
	case k.IsInteger():
		return strconv.FormatInt(in.Int64(), 10)
	}
	v := in.Float()
	switch {
	case v != v && in.Bits == FloatBits(k, math.NaN()):
		return "nan"
	case v != v:
		return fmt.Sprintf("nan 0x%x", in.Bits)
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	bits := 32
	if k == types.Float64 {
		bits = 64
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}
