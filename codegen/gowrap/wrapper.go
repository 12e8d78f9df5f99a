package gowrap

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/abi"
)

// wrapper writes the Go function of one kernel.
type wrapper struct {
	in Input
	g  *group

	param  map[string]string // parameter or symbol → Go name
	shadow map[string]bool   // what the function's own names hide
	types  map[string]string // type parameter → Go name

	stream, launch, kernel string
	constVar               map[string]string // constant parameter → variable with its value
	option                 string            // the variadic parameter
	each                   string            // its element in a loop
	zero                   map[string]string // type parameter → variable of its type
	declareZero            []string          // type parameters for which zero must be declared
}

func newWrapper(in Input, g *group) *wrapper {
	w := &wrapper{
		in: in, g: g,
		param: map[string]string{}, shadow: map[string]bool{}, types: map[string]string{},
		constVar: map[string]string{}, zero: map[string]string{},
	}
	w.chooseNames()
	return w
}

// chooseNames keeps the user's names wherever Go can have them and moves the wrapper's own out of their way.
func (w *wrapper) chooseNames() {
	for _, p := range w.g.generics {
		if !p.isConst() {
			w.types[p.name] = w.local(p.name, p.name)
		}
	}
	slots := w.g.instances[0].Slots
	for _, s := range slots { // names that stay, before any is chosen
		if s.Name != "_" && !w.needs(s.Name) && !w.shadow[s.Name] {
			w.param[s.Name] = s.Name
			w.shadow[s.Name] = true
		}
	}
	for _, s := range slots {
		if w.param[s.Name] == "" && s.Name != "_" {
			w.param[s.Name] = w.local(s.Name+"_", s.Name+"_")
		}
	}
	w.stream = w.local("s", "stream")
	w.launch = w.local("l", "launch")
	w.kernel = w.local("k", "kernel")
	consts := w.g.consts()
	for _, p := range consts {
		if len(consts) == 1 {
			w.option = w.local(lower(p.name), lower(p.name))
			w.constVar[p.name] = w.local("t", "chosen")
		} else {
			w.constVar[p.name] = w.local(lower(p.name), lower(p.name))
		}
	}
	if len(consts) > 1 {
		w.option = w.local("option", "option")
		w.each = w.local("o", "one")
	}
	for _, p := range w.g.generics {
		if p.isConst() {
			continue
		}
		for i, s := range slots {
			if s.Kind == abi.Scalar && w.g.typeOf[i] == p.name && s.Name != "_" && w.zero[p.name] == "" {
				w.zero[p.name] = w.param[s.Name]
			}
		}
		if w.zero[p.name] == "" {
			w.zero[p.name] = w.local("zero"+p.name, "zero"+p.name)
			w.declareZero = append(w.declareZero, p.name)
		}
	}
}

// needs reports whether the function's body or signature means a predeclared identifier by name.
func (w *wrapper) needs(name string) bool {
	if len(w.g.generics) == 0 {
		return false
	}
	if name == "int" {
		return len(w.g.consts()) > 0 || w.hasType("int")
	}
	return w.hasType(name)
}

func (w *wrapper) hasType(name string) bool {
	for _, p := range w.g.generics {
		for _, t := range p.types {
			if t.String() == name {
				return true
			}
		}
	}
	return false
}

// local chooses a name for a variable or a type parameter: want, else other, else other with "_" at its end.
func (w *wrapper) local(want, other string) string {
	if w.free(want) {
		w.shadow[want] = true
		return want
	}
	for !w.free(other) {
		other += "_"
	}
	w.shadow[other] = true
	return other
}

// free reports whether a name may be declared in the function without hiding anything that it means.
func (w *wrapper) free(name string) bool {
	if w.shadow[name] || name == "_" || goWords[name] || name == w.in.Names.GPU {
		return false
	}
	for _, s := range w.g.instances[0].Slots {
		if s.Name == name && w.param[name] != name {
			return !w.needs(name)
		}
	}
	return true
}

// goWords are keywords, and the predeclared names that a local of ours stays away from.
var goWords = func() map[string]bool {
	m := map[string]bool{"any": true, "nil": true, "len": true}
	for _, k := range []string{
		"break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go", "goto", "if",
		"import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type", "var",
	} {
		m[k] = true
	}
	for _, k := range needed {
		m[k] = true
	}
	return m
}()

// anyType is the empty interface, by the name that reaches it.
func (w *wrapper) anyType() *jen.Statement {
	if w.shadow["any"] || w.in.Names.Declares("any") {
		return jen.Interface()
	}
	return jen.Any()
}

func (w *wrapper) write(f *jen.File) {
	if len(w.g.consts()) > 0 {
		w.writeConstTypes(f)
	}
	w.writeTables(f)
	comment(f.Group, w.doc())
	fn := f.Func().Id(w.g.name)
	if t := w.typeParams(); len(t) > 0 {
		fn.Types(t...)
	}
	fn.Params(w.params()...).Error().BlockFunc(w.body)
	f.Line()
}

// writeTables declares the static description of every instance.
func (w *wrapper) writeTables(f *jen.File) {
	def := func(l abi.Layout, names *codegen.GoNames, checked string) *jen.Statement {
		fields := []jen.Code{
			field("Name", jen.Lit(l.Instance)),
			field("Entry", jen.Lit(l.Entry)),
			field("Code", jen.Op("&").Id(names.Code(w.in.File))),
		}
		if (l.Targets & w.in.Targets).Has(types.CPU) {
			fields = append(fields, field("CPU", jen.Id(names.CPU(l.Instance))))
		}
		if l.Block[0] > 0 {
			fields = append(fields, field("Block", jen.Index(jen.Lit(3)).Uint32().Values(
				jen.Lit(l.Block[0]), jen.Lit(l.Block[1]), jen.Lit(l.Block[2]))))
		}
		switch {
		case l.Group:
			fields = append(fields, field("Group", jen.True()))
			if l.ByBlock {
				fields = append(fields, field("ByBlock", jen.True()))
			} else if n := l.Threads; n > 1 && l.Block[n-1] == 1 && len(l.Sites) > 0 {
				fields = append(fields, field("Threads", jen.Lit(n)))
			}
		case l.Per > 0:
			fields = append(fields, field("Per", jen.Lit(l.Per)))
		}
		fields = append(fields, field("Dims", jen.Lit(len(l.Domain))))
		if len(l.InPlace) > 0 {
			fields = append(fields, field("InPlace", jen.Index().Qual(Runtime, "Pair").ValuesFunc(func(v *jen.Group) {
				for _, p := range l.InPlace {
					v.Values(field("A", jen.Lit(p[0])), field("B", jen.Lit(p[1])))
				}
			})))
		}
		if t := targetSet(l.Targets & w.in.Targets); t != nil {
			fields = append(fields, field("Targets", t))
		}
		if len(l.Sites) > 0 {
			fields = append(fields, field("Sites", sites(l.Sites)))
		}
		if checked != "" {
			fields = append(fields, field("Checked", jen.Op("&").Id(checked)))
		}
		return jen.Id(names.Kernel(l.Instance)).Op("=").Qual(Runtime, "Kernel").Values(fields...)
	}
	var defs []jen.Code
	for _, l := range w.g.instances {
		c := w.in.checked(l.Instance)
		if c == nil {
			defs = append(defs, def(l, w.in.Names, ""))
			continue
		}
		names := w.in.Names.Checked()
		defs = append(defs, def(l, w.in.Names, names.Kernel(l.Instance)), def(*c, names, ""))
	}
	if len(defs) == 1 {
		f.Var().Add(defs[0])
	} else {
		f.Var().Defs(defs...)
	}
	f.Line()
}

// checked is an instance in the checked build; nil without one.
func (in *Input) checked(instance string) *abi.Layout {
	for i := range in.Checked {
		if in.Checked[i].Instance == instance {
			return &in.Checked[i]
		}
	}
	return nil
}

var targetConsts = map[types.Target]string{
	types.CUDA: "TargetCUDA", types.Metal: "TargetMetal", types.OpenCL: "TargetOpenCL", types.CPU: "TargetCPU",
}

// targetSet is a set of targets as the runtime's constants.
func targetSet(set types.TargetSet) *jen.Statement {
	var out *jen.Statement
	for _, t := range set.List() {
		if out == nil {
			out = jen.Qual(Runtime, targetConsts[t])
		} else {
			out = out.Op("|").Qual(Runtime, targetConsts[t])
		}
	}
	return out
}

func (w *wrapper) typeParams() []jen.Code {
	var out []jen.Code
	for _, p := range w.g.generics {
		if p.isConst() {
			continue
		}
		var list []jen.Code
		for _, t := range p.types {
			list = append(list, goType(t))
		}
		out = append(out, jen.Id(w.types[p.name]).Union(list...))
	}
	return out
}

// params are the stream, the kernel's parameters in order with neighbours of one type sharing it, and constants.
func (w *wrapper) params() []jen.Code {
	out := []jen.Code{jen.Id(w.stream).Op("*").Qual(Runtime, "Stream")}
	slots := w.g.instances[0].Slots
	for i := 0; i < len(slots) && slots[i].Kind != abi.Extent; {
		names := []jen.Code{jen.Id(w.slotName(i))}
		j := i + 1
		for ; j < len(slots) && slots[j].Kind != abi.Extent && w.sameType(i, j); j++ {
			names = append(names, jen.Id(w.slotName(j)))
		}
		out = append(out, jen.List(names...).Add(w.slotType(i)))
		i = j
	}
	switch consts := w.g.consts(); len(consts) {
	case 0:
	case 1:
		out = append(out, jen.Id(w.option).Op("...").Id(w.in.Names.ConstType(w.g.name, consts[0].name)))
	default:
		option, _ := w.in.Names.Option(w.g.name)
		out = append(out, jen.Id(w.option).Op("...").Id(option))
	}
	return out
}

// slotName is the Go name of the parameter in slot i.
func (w *wrapper) slotName(i int) string {
	if name := w.g.instances[0].Slots[i].Name; name != "_" {
		return w.param[name]
	}
	name := "p" + decimal(int64(i))
	for w.shadow[name] {
		name += "_"
	}
	return name
}

func (w *wrapper) sameType(i, j int) bool {
	a, b := w.g.instances[0].Slots[i], w.g.instances[0].Slots[j]
	if a.Kind != b.Kind || w.g.typeOf[i] != w.g.typeOf[j] || rank(a) != rank(b) {
		return false
	}
	return w.g.typeOf[i] != "" || types.Identical(w.g.types[i], w.g.types[j])
}

func rank(s abi.Slot) int {
	if v, ok := s.Type.(*types.View); ok {
		return v.Rank
	}
	return 0
}

var bufferTypes = [...]string{1: "Buffer", 2: "Buffer2", 3: "Buffer3", 4: "Buffer4"}

func (w *wrapper) slotType(i int) *jen.Statement {
	var elem *jen.Statement
	if p := w.g.typeOf[i]; p != "" {
		elem = jen.Id(w.types[p])
	} else {
		elem = goType(w.g.types[i])
	}
	if s := w.g.instances[0].Slots[i]; s.Kind == abi.View {
		return jen.Qual(Runtime, bufferTypes[rank(s)]).Types(elem)
	}
	return elem
}

func (w *wrapper) body(b *jen.Group) {
	instance := w.in.Names.Kernel(w.g.instances[0].Instance)
	if len(w.g.generics) > 0 {
		for _, p := range w.declareZero {
			b.Var().Id(w.zero[p]).Id(w.types[p])
		}
		w.dispatch(b)
		b.Id(w.launch).Op(":=").Id(w.kernel).Dot("Begin").Call(jen.Id(w.stream))
	} else {
		b.Id(w.launch).Op(":=").Id(instance).Dot("Begin").Call(jen.Id(w.stream))
	}
	w.bind(b)
	if w.g.uniform {
		w.contract(b, w.g.head)
		return
	}
	b.Switch(jen.Id(w.kernel)).BlockFunc(func(s *jen.Group) {
		last := len(w.g.instances) - 1
		for _, l := range w.g.instances[:last] {
			s.Case(jen.Op("&").Id(w.in.Names.Kernel(l.Instance))).BlockFunc(func(c *jen.Group) { w.contract(c, l) })
		}
		s.Default().BlockFunc(func(c *jen.Group) { w.contract(c, w.g.instances[last]) })
	})
}

// bind writes the slots: the extents that views give, then one call a slot in the order of the table.
func (w *wrapper) bind(b *jen.Group) {
	l := w.g.instances[0]
	var names, dims []jen.Code
	for i, sym := range l.Symbols {
		names = append(names, jen.Id(w.slotName(len(l.Slots)-len(l.Symbols)+i)))
		dims = append(dims, w.extent(sym.Param, sym.Dim))
	}
	if len(names) > 0 {
		b.List(names...).Op(":=").List(dims...)
	}
	for i, s := range l.Slots {
		name := w.slotName(i)
		switch {
		case s.Kind == abi.View && s.Mut:
			b.Id(w.launch).Dot("Write").Call(jen.Lit(s.Name), jen.Id(name).Dot("View").Call())
		case s.Kind == abi.View:
			b.Id(w.launch).Dot("Read").Call(jen.Lit(s.Name), jen.Id(name).Dot("View").Call())
		case s.Kind == abi.Extent:
			b.Id(w.launch).Dot("Extent").Call(jen.Id(name))
		case w.g.typeOf[i] == "" && types.KindOf(s.Type) == types.Int:
			b.Id(w.launch).Dot("Int").Call(jen.Id(name))
		default:
			b.Qual(Runtime, "Value").Call(jen.Id(w.launch), jen.Id(name))
		}
	}
}

var (
	matrixDims = [...]string{"Rows", "Cols"}
	volumeDims = [...]string{"Depth", "Rows", "Cols"}
	batchDims  = [...]string{"Batch", "Depth", "Rows", "Cols"}
)

// extent is the call that gives an extent of a parameter's view.
func (w *wrapper) extent(param, dim int) *jen.Statement {
	x := jen.Id(w.slotName(param))
	switch rank(w.g.instances[0].Slots[param]) {
	case 1:
		return x.Dot("Len").Call()
	case 2:
		return x.Dot(matrixDims[dim]).Call()
	case 3:
		return x.Dot(volumeDims[dim]).Call()
	}
	return x.Dot(batchDims[dim]).Call()
}

// contract writes the checks of an instance's header and the launch over its domain.
func (w *wrapper) contract(b *jen.Group, l abi.Layout) {
	p := header{launch: w.launch, names: map[string]string{}, convs: map[string]bool{}}
	for i, s := range l.Slots {
		if s.Kind != abi.View {
			p.names[s.Name] = w.slotName(i)
		}
	}
	for _, c := range w.g.consts() {
		p.names[genericSym(c.name)] = w.constVar[c.name]
		p.convs[genericSym(c.name)] = true
	}
	for _, e := range l.Equal {
		b.Id(w.launch).Dot("Equal").Call(jen.Lit(l.Slots[e.Param].Name), jen.Lit(e.Dim), w.extent(e.Param, e.Dim), p.print(e.Want))
	}
	for _, r := range l.Requires {
		b.Id(w.launch).Dot("Require").Call(p.print(r.Cond), jen.Lit(r.Text))
	}
	var spans []jen.Code
	for _, d := range l.Domain {
		var ends []jen.Code
		if !d.Lo.IsConst(0) {
			ends = append(ends, field("Lo", p.print(d.Lo)))
		}
		spans = append(spans, jen.Qual(Runtime, "Span").Values(append(ends, field("Hi", p.print(d.Hi)))...))
	}
	b.Return(jen.Id(w.launch).Dot("Points").Call(spans...))
}
