package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// Parse reads the text form that [Print] and [PrintPos] write. It checks the shape of the text alone; [Verify] does the
// rest. Values and locals may carry any numbers, each once in its function.
func Parse(text string) (m *Module, err error) {
	toks, err := scan(text)
	if err != nil {
		return nil, err
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *parseError:
			m, err = nil, e
		default:
			panic(e)
		}
	}()
	p := &parser{toks: toks}
	p.next()
	return p.module(), nil
}

// parseError is a mistake in the text form.
type parseError struct {
	line int
	text string
}

func (e *parseError) Error() string { return fmt.Sprintf("ir: line %d: %s", e.line, e.text) }

// parser reads tokens; the first mistake ends it by a panic with a *parseError.
type parser struct {
	toks   []token
	at     int // of the token after tok
	tok    token
	mod    *Module
	kernel *Kernel // the kernel being read, or nil
	fn     *Func   // the function being read, or nil
	values map[int]*Instr
	locals map[int]*Local
	calls  []call // resolved at the end
}

// call is a call whose function is not known yet.
type call struct {
	in   *Instr
	name string
	line int
}

func (p *parser) next() {
	p.tok = p.toks[p.at]
	if p.tok.kind != tokEnd {
		p.at++
	}
}

func (p *parser) fail(format string, args ...any) {
	panic(&parseError{p.tok.line, fmt.Sprintf(format, args...)})
}

// accept skips the punctuation mark or word, if it is next.
func (p *parser) accept(text string) bool {
	if (p.tok.kind == tokPunct || p.tok.kind == tokWord) && p.tok.text == text {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("expected %s, found %s", text, p.tok.text)
	}
}

// take returns the next token's text, which must have the kind.
func (p *parser) take(k tokenKind, what string) string {
	t := p.tok
	if t.kind != k {
		p.fail("expected %s, found %s", what, t.text)
	}
	p.next()
	return t.text
}

func (p *parser) word() string   { return p.take(tokWord, "a name") }
func (p *parser) string() string { return p.take(tokString, "a string") }

// int reads digits as an int64 with the sign that was read before them.
func (p *parser) int(sign string) int64 {
	s := p.take(tokNumber, "a number")
	v, err := strconv.ParseInt(sign+s, 10, 64)
	if err != nil {
		p.fail("bad number %s%s", sign, s)
	}
	return v
}

// signed reads an int64.
func (p *parser) signed() int64 {
	if p.accept("-") {
		return p.int("-")
	}
	return p.int("")
}

// end skips at least one line end.
func (p *parser) end() {
	if p.tok.kind == tokEnd {
		return
	}
	if p.tok.kind != tokLine {
		p.fail("expected the end of the line, found %s", p.tok.text)
	}
	p.lines()
}

func (p *parser) lines() {
	for p.tok.kind == tokLine {
		p.next()
	}
}

// pos reads an optional @line:col or @"file":line:col.
func (p *parser) pos() diag.Pos {
	if !p.accept("@") {
		return diag.Pos{}
	}
	pos := diag.Pos{File: p.mod.File}
	if p.tok.kind == tokString {
		pos.File = p.string()
		p.expect(":")
	}
	pos.Line = int(p.int(""))
	p.expect(":")
	pos.Col = int(p.int(""))
	return pos
}

// typ reads a type.
func (p *parser) typ() types.Type {
	if !p.accept("[") {
		name := p.word()
		if i := slices.IndexFunc(p.mod.Structs, func(s *Struct) bool { return s.Type.Name == name }); i >= 0 {
			return p.mod.Structs[i].Type
		}
		if k, ok := types.Basics()[name]; ok {
			return k
		}
		v, ok := types.VectorNamed(name)
		if !ok {
			p.fail("unknown type %s", name)
		}
		return v
	}
	a := &types.Array{}
	for {
		a.Dims = append(a.Dims, p.int(""))
		if !p.accept(",") {
			break
		}
	}
	p.expect("]")
	a.Elem = p.typ()
	return a
}

func (p *parser) module() *Module {
	m := &Module{}
	p.mod = m
	p.lines()
	p.expect("module")
	m.Package, m.File = p.word(), p.string()
	p.end()
	for p.tok.kind != tokEnd {
		switch {
		case p.accept("struct"):
			m.Structs = append(m.Structs, p.structDecl())
		case p.accept("table"):
			m.Tables = append(m.Tables, p.table())
		case p.accept("const"):
			m.Consts = append(m.Consts, p.constant())
		case p.accept("func"):
			m.Funcs = append(m.Funcs, p.function())
		case p.accept("kernel"):
			m.Kernels = append(m.Kernels, p.kernelDecl())
		default:
			p.fail("expected struct, table, const, func or kernel, found %s", p.tok.text)
		}
		p.lines()
	}
	for _, c := range p.calls {
		i := slices.IndexFunc(m.Funcs, func(f *Func) bool { return f.Instance == c.name })
		if i < 0 {
			p.tok.line = c.line
			p.fail("unknown function %s", c.name)
		}
		c.in.Func = m.Funcs[i]
	}
	return m
}

// structDecl reads a struct; its fields may be of structs before it.
func (p *parser) structDecl() *Struct {
	s := &Struct{Type: &types.Struct{Name: p.word()}, Pos: p.pos()}
	p.expect("{")
	p.end()
	for !p.accept("}") {
		n := len(s.Type.Fields)
		switch {
		case p.accept("field"):
			s.Type.Fields = append(s.Type.Fields, types.Field{Name: p.word(), Type: p.typ()})
			s.Fields = append(s.Fields, nil)
		case n > 0:
			p.expect("doc")
			s.Fields[n-1] = append(s.Fields[n-1], p.string())
		default:
			p.expect("doc")
			s.Doc = append(s.Doc, p.string())
		}
		p.end()
	}
	p.end()
	return s
}

// table reads a constant array.
func (p *parser) table() *Table {
	t := &Table{Name: p.word()}
	a, ok := p.typ().(*types.Array)
	if !ok {
		p.fail("table %s is no array", t.Name)
	}
	k, ok := a.Elem.(types.Kind)
	if !ok {
		p.fail("table %s has elements of type %s", t.Name, a.Elem)
	}
	t.Type, t.Pos = a, p.pos()
	p.expect("{")
	p.lines()
	for !p.accept("}") {
		in := &Instr{Op: OpConst, Type: k}
		p.constValue(in)
		t.Bits = append(t.Bits, in.Bits)
		p.accept(",")
		p.lines()
	}
	p.end()
	return t
}

// tableRef reads the name of a table, which stands above.
func (p *parser) tableRef() *Table {
	name := p.word()
	for _, t := range p.mod.Tables {
		if t.Name == name {
			return t
		}
	}
	p.fail("unknown table %s", name)
	return nil
}

func (p *parser) constant() *Const {
	c := &Const{Name: p.word()}
	switch {
	case p.accept("table"):
		c.Table = p.tableRef()
	case p.accept("untyped"):
		c.Value = p.string()
	default:
		c.Type = p.typ()
		c.Value = p.string()
	}
	c.Pos = p.pos()
	p.end()
	for p.accept("doc") {
		c.Doc = append(c.Doc, p.string())
		p.end()
	}
	return c
}

// clauses reads `{`, lines that start with a word of the table, and `body {…} }`.
func (p *parser) clauses(table map[string]func()) *Block {
	p.expect("{")
	p.end()
	for {
		word := p.word()
		if word == "body" {
			b := p.block()
			p.end()
			p.expect("}")
			p.end()
			return b
		}
		f, ok := table[word]
		if !ok {
			p.fail("unknown clause %s", word)
		}
		f()
		p.end()
	}
}

func (p *parser) generic() Generic {
	g := Generic{Param: p.word()}
	if p.accept("=") {
		g.Value = p.signed()
	} else {
		g.Type = p.typ()
	}
	return g
}

func (p *parser) function() *Func {
	f := &Func{Name: p.word(), Instance: p.string(), Pos: p.pos()}
	p.fn, p.kernel, p.values, p.locals = f, nil, map[int]*Instr{}, map[int]*Local{}
	f.Body = p.clauses(map[string]func(){
		"doc":      func() { f.Doc = append(f.Doc, p.string()) },
		"generic":  func() { f.Generics = append(f.Generics, p.generic()) },
		"exported": func() { f.Exported = true },
		"local":    func() { f.Locals = append(f.Locals, p.local(len(f.Locals))) },
		"param": func() {
			l := p.local(len(f.Locals))
			f.Locals, f.Params = append(f.Locals, l), append(f.Params, l)
		},
		"result": func() { f.Results = append(f.Results, p.typ()) },
		"takes":  func() { sig(f).Params = append(sig(f).Params, SigParam{p.word(), p.typ()}) },
		"gives":  func() { sig(f).Results = append(sig(f).Results, p.typ()) },
	})
	return f
}

// sig is the signature of f, made when it is first asked for.
func sig(f *Func) *Signature {
	if f.Sig == nil {
		f.Sig = &Signature{}
	}
	return f.Sig
}

// local reads a declaration of a local.
func (p *parser) local(id int) *Local {
	n, name := p.numbered("$")
	l := &Local{ID: id, Name: name, Type: p.typ(), Shared: p.accept("shared")}
	l.Pos = p.pos()
	if p.locals[n] != nil {
		p.fail("local %d is declared twice", n)
	}
	p.locals[n] = l
	return l
}

// numbered reads `%3`, `$3` or with a name `%3.acc`.
func (p *parser) numbered(sigil string) (int, string) {
	p.expect(sigil)
	num, name, _ := strings.Cut(p.take(tokNumber, "a number"), ".")
	n, err := strconv.Atoi(num)
	if err != nil {
		p.fail("bad number %s", num)
	}
	return n, name
}

func (p *parser) kernelDecl() *Kernel {
	k := &Kernel{Name: p.word(), Instance: p.string(), Entry: p.word(), Pos: p.pos(), Targets: types.AllTargets}
	p.fn, p.kernel, p.values, p.locals = nil, k, map[int]*Instr{}, map[int]*Local{}
	k.Body = p.clauses(map[string]func(){
		"doc":     func() { k.Doc = append(k.Doc, p.string()) },
		"generic": func() { k.Generics = append(k.Generics, p.generic()) },
		"param":   func() { k.Params = append(k.Params, p.param()) },
		"symbol": func() {
			k.Symbols = append(k.Symbols, &Symbol{Index: len(k.Symbols), Name: p.word(), Param: p.paramRef().Index, Dim: int(p.int("")), Pos: p.pos()})
		},
		"equal": func() {
			e := Equality{Param: p.paramRef().Index, Dim: int(p.int(""))}
			p.expect("=")
			e.Want, e.Pos = p.header(0), p.pos()
			k.Equal = append(k.Equal, e)
		},
		"requires": func() {
			k.Requires = append(k.Requires, Require{Cond: p.header(0), Text: p.string(), Pos: p.pos()})
		},
		"domain": func() {
			d := Dim{Name: p.word()}
			p.expect("in")
			d.Lo = p.header(0)
			p.expect(":")
			d.Hi, d.Pos = p.header(0), p.pos()
			k.Domain = append(k.Domain, d)
		},
		"group": func() {
			t := Thread{Name: p.word()}
			p.expect("in")
			t.N, t.Pos = p.signed(), p.pos()
			k.Group = append(k.Group, t)
		},
		"byblock":  func() { k.ByBlock = true },
		"inplace":  func() { k.InPlace = append(k.InPlace, [2]int{p.paramRef().Index, p.paramRef().Index}) },
		"targets":  func() { k.Targets = p.targets() },
		"exact":    func() { k.Exact = true },
		"fastmath": func() { k.FastMath = true },
		"threads":  func() { k.Threads = int(p.int("")) },
		"sched": func() {
			s := &Schedule{}
			for i := range s.Block {
				s.Block[i] = int(p.int(""))
			}
			p.expect("per")
			s.Per = int(p.int(""))
			k.Sched = s
		},
		"wide":  func() { k.Wide = true },
		"local": func() { k.Locals = append(k.Locals, p.local(len(k.Locals))) },
		"site":  func() { k.Sites = append(k.Sites, p.site(len(k.Sites))) },
	})
	return k
}

// site reads what stands behind `site`.
func (p *parser) site(index int) *Site {
	s := &Site{Index: index}
	name := p.kind()
	for s.Kind = 0; s.Kind < NumSiteKinds && s.Kind.String() != name; s.Kind++ {
	}
	switch s.Kind {
	case SiteBounds:
		s.Name, s.Dim = p.string(), int(p.int(""))
	case SiteAssert, SitePrint:
		s.Text = p.string()
	case NumSiteKinds:
		p.fail("unknown kind of site %s", name)
	}
	for s.Kind == SitePrint && p.tok.kind == tokWord {
		k, ok := types.Basics()[p.tok.text]
		if !ok {
			p.fail("unknown type %s", p.tok.text)
		}
		p.next()
		s.Args = append(s.Args, k)
	}
	s.Pos = p.pos()
	return s
}

// kind reads a name that may hold hyphens.
func (p *parser) kind() string {
	name := p.word()
	for p.accept("-") {
		name += "-" + p.word()
	}
	return name
}

func (p *parser) targets() types.TargetSet {
	var s types.TargetSet
	for {
		name := p.word()
		t, ok := types.TargetNamed(name)
		if !ok {
			p.fail("unknown target %s", name)
		}
		s |= types.TargetsOf(t)
		if !p.accept(",") {
			return s
		}
	}
}

// param reads a kernel parameter; a bracket starts a view, since arrays are no kernel parameters.
func (p *parser) param() *Param {
	a := &Param{Index: len(p.kernel.Params), Name: p.word()}
	a.Mut = p.accept("mut")
	if !p.accept("[") {
		a.Type = p.typ()
		a.Pos = p.pos()
		return a
	}
	for {
		a.Dims = append(a.Dims, p.header(0))
		if !p.accept(",") {
			break
		}
	}
	p.expect("]")
	a.Type = &types.View{Rank: len(a.Dims), Elem: p.typ()}
	a.Pos = p.pos()
	return a
}

func (p *parser) paramRef() *Param {
	name := p.word()
	if p.kernel != nil {
		for _, a := range p.kernel.Params {
			if a.Name == name {
				return a
			}
		}
	}
	p.fail("unknown parameter %s", name)
	return nil
}
