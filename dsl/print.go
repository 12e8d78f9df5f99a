package dsl

import (
	"fmt"
	"io"
	"strings"
)

// Print writes a node as source text in canonical form: tabs, one statement a line, doc comments and directives kept,
// other comments gone. Parsing the text gives the same tree.
func Print(w io.Writer, n Node) error {
	p := &printer{}
	switch n := n.(type) {
	case *File:
		p.file(n)
	case Decl:
		p.decl(n)
	case Stmt:
		p.stmt(n)
	case Expr:
		p.expr(n)
	default:
		panic(fmt.Sprintf("dsl: Print of %T", n))
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

type printer struct {
	b      strings.Builder
	indent int
}

func (p *printer) text(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

func (p *printer) line() { p.text("\n", strings.Repeat("\t", p.indent)) }

func (p *printer) doc(s string) {
	if s == "" {
		return
	}
	for l := range strings.SplitSeq(s, "\n") {
		p.text(strings.TrimRight("// "+l, " "))
		p.line()
	}
}

// list prints nodes between separators.
func list[N Node](p *printer, nodes []N, separator string, print func(N)) {
	for i, n := range nodes {
		if i > 0 {
			p.text(separator)
		}
		print(n)
	}
}

func (p *printer) names(names []*Ident) { list(p, names, ", ", func(n *Ident) { p.text(n.Name) }) }
func (p *printer) exprs(exprs []Expr)   { list(p, exprs, ", ", p.expr) }

func (p *printer) file(f *File) {
	for _, d := range f.Directives {
		p.text("//gpugen:", strings.Join(append([]string{d.Verb}, d.Args...), " "), "\n")
	}
	if len(f.Directives) > 0 {
		p.text("\n")
	}
	p.doc(f.Doc)
	if f.Package != nil {
		p.text("package ", f.Package.Name, "\n")
	}
	for _, d := range f.Decls {
		p.text("\n")
		p.decl(d)
		p.text("\n")
	}
}

func (p *printer) attrs(attrs []*Attr) {
	for _, a := range attrs {
		p.text("@", a.Name.Name)
		if len(a.Args) > 0 {
			p.text("(")
			p.exprs(a.Args)
			p.text(")")
		}
		p.line()
	}
}

func (p *printer) decl(d Decl) {
	switch d := d.(type) {
	case *KernelDecl:
		p.kernel(d)
	case *FuncDecl:
		p.doc(d.Doc)
		p.attrs(d.Attrs)
		p.text("func ", d.Name.Name)
		p.signature(d.Generics, d.Params)
		if len(d.Results) == 1 {
			p.text(" ")
			p.expr(d.Results[0])
		} else if len(d.Results) > 1 {
			p.text(" (")
			list(p, d.Results, ", ", func(t TypeExpr) { p.expr(t) })
			p.text(")")
		}
		p.text(" ")
		p.block(d.Body)
	case *ConstDecl:
		p.doc(d.Doc)
		p.attrs(d.Attrs)
		p.consts(d)
	case *TypeDecl:
		p.doc(d.Doc)
		p.attrs(d.Attrs)
		p.text("type ")
		group(p, d.Specs, func(s *TypeSpec) {
			if len(d.Specs) > 1 {
				p.doc(s.Doc)
			}
			p.structType(s)
		})
	case *BadDecl:
		p.text("// a declaration that failed to parse")
	default:
		panic(fmt.Sprintf("dsl: Print of %T", d))
	}
}

// group prints one spec on the line, several in parentheses.
func group[N Node](p *printer, specs []N, print func(N)) {
	if len(specs) == 1 {
		print(specs[0])
		return
	}
	p.text("(")
	p.indent++
	for _, s := range specs {
		p.line()
		print(s)
	}
	p.indent--
	p.line()
	p.text(")")
}

func (p *printer) consts(d *ConstDecl) {
	p.text("const ")
	group(p, d.Specs, func(s *ConstSpec) {
		if len(d.Specs) > 1 {
			p.doc(s.Doc)
		}
		p.names(s.Names)
		p.typed(s.Type, s.Values)
	})
}

// typed prints ` T = values`, or what of it there is.
func (p *printer) typed(t TypeExpr, values []Expr) {
	if t != nil {
		p.text(" ")
		p.expr(t)
	}
	if len(values) > 0 {
		p.text(" = ")
		p.exprs(values)
	}
}

func (p *printer) structType(s *TypeSpec) {
	p.text(s.Name.Name, " struct {")
	p.indent++
	for _, f := range s.Fields {
		p.line()
		p.doc(f.Doc)
		p.names(f.Names)
		p.typed(f.Type, nil)
	}
	p.indent--
	if len(s.Fields) > 0 {
		p.line()
	}
	p.text("}")
}

func (p *printer) signature(generics []*Generic, params []*Param) {
	if len(generics) > 0 {
		p.text("[")
		list(p, generics, ", ", func(g *Generic) {
			p.names(g.Names)
			if g.Consts != nil {
				p.text(" = ")
				list(p, g.Consts, "|", func(e Operand) { p.expr(e) })
			} else {
				p.text(" ")
				list(p, g.Types, "|", func(e TypeExpr) { p.expr(e) })
			}
		})
		p.text("]")
	}
	p.text("(")
	list(p, params, ", ", func(q *Param) {
		p.names(q.Names)
		if q.Mut {
			p.text(" mut")
		}
		p.typed(q.Type, nil)
	})
	p.text(")")
}

func (p *printer) kernel(d *KernelDecl) {
	p.doc(d.Doc)
	p.attrs(d.Attrs)
	p.text("kernel ", d.Name.Name)
	p.signature(d.Generics, d.Params)
	p.indent++
	if len(d.Requires) > 0 {
		p.line()
		p.text("requires ")
		p.exprs(d.Requires)
	}
	switch n := d.Domain.(type) {
	case nil:
	case *ForDomain:
		p.line()
		p.forIn(n.Vars, n.Extents)
		if n.By != nil {
			p.text(" by ", n.By.Name)
		}
	case *BlocksDomain:
		p.line()
		p.text("blocks ")
		p.domain(n.Blocks, n.BlockExtents)
		p.line()
		p.text("threads ")
		p.domain(n.Threads, n.ThreadExtents)
	default:
		panic(fmt.Sprintf("dsl: Print of %T", n))
	}
	p.indent--
	p.text(" ")
	p.block(d.Body)
}

func (p *printer) forIn(vars []*Ident, extents []Extent) {
	p.text("for ")
	p.domain(vars, extents)
}

func (p *printer) domain(vars []*Ident, extents []Extent) {
	p.names(vars)
	p.text(" in ")
	for i, x := range extents {
		if i > 0 {
			p.text(", ")
		}
		if x.Lo != nil {
			p.expr(x.Lo)
			p.text(":")
		}
		p.expr(x.Hi)
	}
}
