package dsl

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/gpugen/gpugen/dsl/diag"
)

// Node is a part of the syntax tree. Nodes are pointers, so facts about them are kept in maps beside the tree.
type Node interface {
	Pos() diag.Pos // of the first token
	End() diag.Pos // just behind the last token
}

// Decl is *ConstDecl, *TypeDecl, *FuncDecl, *KernelDecl or *BadDecl.
type Decl interface {
	Node
	declNode()
}

// node holds the place of a node. The field's name is participle's: it stores the first token's position there.
type node struct{ Pos lexer.Position }

func (n node) start() diag.Pos { return position(n.Pos) }

func position(p lexer.Position) diag.Pos {
	return diag.Pos{File: p.Filename, Offset: p.Offset, Line: p.Line, Col: p.Column}
}

// closing returns the position just behind a closing bracket.
func closing(t lexer.Token) diag.Pos { return position(t.Pos).Advance(1) }

// File is one .gpu file.
type File struct {
	Name       string
	Doc        string // comment above the package clause
	Package    *Ident // nil if the clause is missing or broken
	Directives []*Directive
	Decls      []Decl
}

// Directive is a line `//gpugen:verb args` above the package clause.
type Directive struct {
	Pos  diag.Pos
	Verb string
	Args []string
}

// Attr is `@name` or `@name(args)`, above or before a declaration or a loop.
type Attr struct {
	node
	Name   *Ident      `parser:"'@' @@"`
	Args   []Expr      `parser:"( '(' ( @@ ( ',' @@ )* )?"`
	Rparen lexer.Token `parser:"@')' )?"`
}

// KernelDecl is a kernel.
type KernelDecl struct {
	node
	Doc      string
	Attrs    []*Attr
	Name     *Ident     `parser:"'kernel':Ident @@"`
	Generics []*Generic `parser:"( '[' @@ ( ',' @@ )* ']' )?"`
	Params   []*Param   `parser:"'(' ( @@ ( ',' @@ )* )? ')'"`
	Requires []Expr     `parser:"( (?= ';'? 'requires':Ident ) ';'? 'requires':Ident @@ ( ',' @@ )* )?"`
	Domain   Domain     `parser:"( (?= ';'? ( 'for':Keyword | 'blocks':Ident ) ) ';'? @@ )?"` // nil: missing, an error of the checker
	Body     *Block     `parser:"@@"`
}

// Domain is the set of points that a kernel runs over: *ForDomain or *BlocksDomain.
type Domain interface {
	Node
	domainNode()
}

// ForDomain is `for y, x in h, w`, with `by block` or without.
type ForDomain struct {
	node
	Vars    []*Ident `parser:"'for':Keyword @@ ( ',' @@ )* 'in':Ident"`
	Extents []Extent `parser:"@@ ( ',' @@ )*"`
	By      *Ident   `parser:"( (?= ';'? 'by':Ident ) ';'? 'by':Ident (?= 'block':Ident | 'tile':Ident ) @@ )?"` // block, tile or nil
}

// BlocksDomain is `blocks by, bx in … threads ty, tx in …`.
type BlocksDomain struct {
	node
	Blocks        []*Ident `parser:"'blocks':Ident @@ ( ',' @@ )* 'in':Ident"`
	BlockExtents  []Extent `parser:"@@ ( ',' @@ )*"`
	Threads       []*Ident `parser:"';'? 'threads':Ident @@ ( ',' @@ )* 'in':Ident"`
	ThreadExtents []Extent `parser:"@@ ( ',' @@ )*"`
}

// Generic is a group of generic parameters: `T, U float32|float64` or `Tile = 16|32`.
type Generic struct {
	node
	Names  []*Ident   `parser:"@@ ( ',' @@ )*"`
	Consts []Operand  `parser:"( '=' @@ ( '|' @@ )*"`
	Types  []TypeExpr `parser:"| @@ ( '|' @@ )* )"`
}

// Param is a group of parameters: `x, y mut [n]T`.
type Param struct {
	node
	Names []*Ident `parser:"@@ ( ',' @@ )*"`
	Mut   bool     `parser:"( (?= 'mut':Ident '[' ) @'mut':Ident )?"`
	Type  TypeExpr `parser:"@@"`
}

// FuncDecl is a function.
type FuncDecl struct {
	node
	Doc      string
	Attrs    []*Attr
	Name     *Ident     `parser:"'func':Keyword @@"`
	Generics []*Generic `parser:"( '[' @@ ( ',' @@ )* ']' )?"`
	Params   []*Param   `parser:"'(' ( @@ ( ',' @@ )* )? ')'"`
	Results  []TypeExpr `parser:"( '(' ( @@ ( ',' @@ )* )? ')' | @@ )?"`
	Body     *Block     `parser:"@@"`
}

// ConstDecl is `const …`, of one or several specs.
type ConstDecl struct {
	node
	Doc   string
	Attrs []*Attr
	Specs []*ConstSpec `parser:"'const':Keyword ( '(' ( ';' | @@ (?= ';' | ')' ) )* ')' | @@ )"`
}

// ConstSpec is `A, B T = 1, 2`. Without type and values it repeats those of the spec before it, as in Go.
type ConstSpec struct {
	node
	Doc    string
	Iota   int
	Names  []*Ident `parser:"@@ ( ',' @@ )*"`
	Type   TypeExpr `parser:"@@?"`
	Values []Expr   `parser:"( '=' @@ ( ',' @@ )* )?"`
}

// TypeDecl is `type …`, of one or several structs.
type TypeDecl struct {
	node
	Doc   string
	Attrs []*Attr
	Specs []*TypeSpec `parser:"'type':Keyword ( '(' ( ';' | @@ (?= ';' | ')' ) )* ')' | @@ )"`
}

// TypeSpec is `P struct { … }`.
type TypeSpec struct {
	node
	Doc    string
	Name   *Ident      `parser:"@@ 'struct':Keyword '{'"`
	Fields []*Field    `parser:"( ';' | @@ (?= ';' | '}' ) )*"`
	Rbrace lexer.Token `parser:"@'}'"`
}

// Field is a group of fields of a struct.
type Field struct {
	node
	Doc   string
	Names []*Ident `parser:"@@ ( ',' @@ )*"`
	Type  TypeExpr `parser:"@@"`
}

// BadDecl stands for a declaration that failed to parse. It still declares its name, of an invalid type, so that uses
// of the name are not reported as well.
type BadDecl struct {
	node
	Kind string // kernel, func, const, type, or empty
	Name *Ident // nil if none was found
	end  diag.Pos
}

func (*KernelDecl) declNode() {}
func (*FuncDecl) declNode()   {}
func (*ConstDecl) declNode()  {}
func (*TypeDecl) declNode()   {}
func (*BadDecl) declNode()    {}

func (*ForDomain) domainNode()    {}
func (*BlocksDomain) domainNode() {}

func (f *File) Pos() diag.Pos         { return diag.Pos{File: f.Name, Line: 1, Col: 1} }
func (d *Directive) String() string   { return "//gpugen:" + d.Verb }
func (a *Attr) Pos() diag.Pos         { return a.start() }
func (d *KernelDecl) Pos() diag.Pos   { return d.start() }
func (d *ForDomain) Pos() diag.Pos    { return d.start() }
func (d *BlocksDomain) Pos() diag.Pos { return d.start() }
func (g *Generic) Pos() diag.Pos      { return g.start() }
func (p *Param) Pos() diag.Pos        { return p.start() }
func (d *FuncDecl) Pos() diag.Pos     { return d.start() }
func (d *ConstDecl) Pos() diag.Pos    { return d.start() }
func (s *ConstSpec) Pos() diag.Pos    { return s.start() }
func (d *TypeDecl) Pos() diag.Pos     { return d.start() }
func (s *TypeSpec) Pos() diag.Pos     { return s.start() }
func (f *Field) Pos() diag.Pos        { return f.start() }
func (d *BadDecl) Pos() diag.Pos      { return d.start() }

func (f *File) End() diag.Pos {
	if n := len(f.Decls); n > 0 {
		return f.Decls[n-1].End()
	}
	if f.Package != nil {
		return f.Package.End()
	}
	return f.Pos()
}

func (a *Attr) End() diag.Pos {
	if a.Rparen.Pos.Line > 0 {
		return closing(a.Rparen)
	}
	return a.Name.End()
}

func (d *ForDomain) End() diag.Pos {
	if d.By != nil {
		return d.By.End()
	}
	return d.Extents[len(d.Extents)-1].End()
}

func (g *Generic) End() diag.Pos {
	if n := len(g.Types); n > 0 {
		return g.Types[n-1].End()
	}
	return g.Consts[len(g.Consts)-1].End()
}

func (s *ConstSpec) End() diag.Pos {
	if n := len(s.Values); n > 0 {
		return s.Values[n-1].End()
	}
	if s.Type != nil {
		return s.Type.End()
	}
	return s.Names[len(s.Names)-1].End()
}

func (d *ConstDecl) End() diag.Pos {
	if n := len(d.Specs); n > 0 {
		return d.Specs[n-1].End()
	}
	return d.start().Advance(len("const"))
}

func (d *TypeDecl) End() diag.Pos {
	if n := len(d.Specs); n > 0 {
		return d.Specs[n-1].End()
	}
	return d.start().Advance(len("type"))
}

func (d *KernelDecl) End() diag.Pos   { return d.Body.End() }
func (d *FuncDecl) End() diag.Pos     { return d.Body.End() }
func (d *BlocksDomain) End() diag.Pos { return d.ThreadExtents[len(d.ThreadExtents)-1].End() }
func (p *Param) End() diag.Pos        { return p.Type.End() }
func (s *TypeSpec) End() diag.Pos     { return closing(s.Rbrace) }
func (f *Field) End() diag.Pos        { return f.Type.End() }
func (d *BadDecl) End() diag.Pos      { return d.end }
