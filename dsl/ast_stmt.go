package dsl

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/gpugen/gpugen/dsl/diag"
)

// Stmt is a statement.
type Stmt interface {
	Node
	stmtNode()
}

// SimpleStmt is a statement that may stand in a header: *DefineStmt, *AssignStmt, *IncDecStmt or *ExprStmt.
type SimpleStmt interface {
	Stmt
	simpleNode()
}

// InitStmt is a simple statement before the `;` of a header. It is a type of its own only because participle chooses the
// function that parses a field by the field's type.
type InitStmt interface{ SimpleStmt }

// ElseStmt is what follows `else`: *IfStmt or *Block.
type ElseStmt interface {
	Stmt
	elseNode()
}

type (
	// Block is `{ … }`: a body, or a statement of its own.
	Block struct {
		node
		Stmts []Stmt
		end   diag.Pos
	}

	// IfStmt is `if init; cond { … } else …`.
	IfStmt struct {
		node
		Init InitStmt `parser:"'if':Keyword ( @@ ';' )?"` // or nil
		Cond Expr     `parser:"@@"`
		Then *Block   `parser:"@@"`
		Else ElseStmt `parser:"( 'else':Keyword @@ )?"` // or nil
	}

	// ForInStmt is `for y, x in h, w { … }`: iterations in any order.
	ForInStmt struct {
		node
		Attrs   []*Attr
		Vars    []*Ident `parser:"'for':Keyword @@ ( ',' @@ )* 'in':Ident"`
		Extents []Extent `parser:"@@ ( ',' @@ )*"` // as many as Vars
		Body    *Block   `parser:"@@"`
	}

	// ForRangeStmt is `for i := range n { … }`, `for i = range n` or `for range n`.
	ForRangeStmt struct {
		node
		Attrs  []*Attr
		Var    *Ident `parser:"'for':Keyword ( @@"` // or nil
		Assign string `parser:"@( ':=' | '=' ) )?"` // ":=", "=" or ""
		N      Expr   `parser:"'range':Keyword @@"`
		Body   *Block `parser:"@@"`
	}

	// ForStmt is `for init; cond; post { … }`, `for cond { … }` or `for { … }`.
	ForStmt struct {
		node
		Attrs []*Attr
		Init  InitStmt   `parser:"'for':Keyword ( @@? ';' )?"` // or nil
		Cond  Expr       `parser:"@@?"`                        // or nil
		Post  SimpleStmt `parser:"( ';' @@? )?"`               // or nil
		Body  *Block     `parser:"@@"`
	}

	// SwitchStmt is `switch init; tag { … }`.
	SwitchStmt struct {
		node
		Init   InitStmt      `parser:"'switch':Keyword ( @@? ';' )?"` // or nil
		Tag    Expr          `parser:"@@?"`                           // or nil: bool cases
		Cases  []*CaseClause `parser:"'{' ';'* @@*"`
		Rbrace lexer.Token   `parser:"@'}'"`
	}

	// CaseClause is `case a, b: …` or `default: …`.
	CaseClause struct {
		node
		Default bool   `parser:"( @'default':Keyword"`
		Values  []Expr `parser:"| 'case':Keyword @@ ( ',' @@ )* ) ':'"`
		Body    []Stmt `parser:"';'* @@*"`
	}

	// SharedStmt is `shared a, b [16, 16]T`.
	SharedStmt struct {
		node
		Names []*Ident `parser:"'shared':Ident @@ ( ',' @@ )*"`
		Type  TypeExpr `parser:"@@"`
	}

	// VarStmt is `var a, b T = x, y`; Type or Values may be missing.
	VarStmt struct {
		node
		Names  []*Ident `parser:"'var':Keyword @@ ( ',' @@ )*"`
		Type   TypeExpr `parser:"@@?"`
		Values []Expr   `parser:"( '=' @@ ( ',' @@ )* )?"`
	}

	// ConstStmt is a local `const`.
	ConstStmt struct {
		node
		Decl *ConstDecl `parser:"@@"`
	}

	// ReturnStmt is `return a, b`.
	ReturnStmt struct {
		node
		Values []Expr `parser:"'return':Keyword ( @@ ( ',' @@ )* )?"`
	}

	// BranchStmt is `break`, `continue`, with a label or without, or `fallthrough`.
	BranchStmt struct {
		node
		Word  string `parser:"@( 'break':Keyword | 'continue':Keyword | 'fallthrough':Keyword )"`
		Label *Ident `parser:"@@?"` // or nil
	}
)

// The simple statements are parsed by hand, like the expressions they are made of, and so are labels.
type (
	// LabeledStmt is `name: stmt`.
	LabeledStmt struct {
		node
		Label *Ident
		Stmt  Stmt
	}

	// DefineStmt is `a, b := x, y`.
	DefineStmt struct {
		node
		Names  []*Ident
		Values []Expr
	}

	// AssignStmt is `a, b = x, y` or `a += x`.
	AssignStmt struct {
		node
		Targets []Expr
		Op      string   // "" for `=`, else the binary operator: "+" for `+=`
		OpPos   diag.Pos // of the assignment operator
		Values  []Expr
	}

	// IncDecStmt is `x++` or `x--`.
	IncDecStmt struct {
		node
		X   Expr
		Op  string // "++" or "--"
		end lexer.Position
	}

	// ExprStmt is an expression that stands alone: a call, if it is right.
	ExprStmt struct {
		node
		X Expr
	}
)

func (*Block) stmtNode()        {}
func (*IfStmt) stmtNode()       {}
func (*ForInStmt) stmtNode()    {}
func (*ForRangeStmt) stmtNode() {}
func (*ForStmt) stmtNode()      {}
func (*SwitchStmt) stmtNode()   {}
func (*SharedStmt) stmtNode()   {}
func (*VarStmt) stmtNode()      {}
func (*ConstStmt) stmtNode()    {}
func (*ReturnStmt) stmtNode()   {}
func (*BranchStmt) stmtNode()   {}
func (*LabeledStmt) stmtNode()  {}
func (*DefineStmt) stmtNode()   {}
func (*AssignStmt) stmtNode()   {}
func (*IncDecStmt) stmtNode()   {}
func (*ExprStmt) stmtNode()     {}

func (*DefineStmt) simpleNode() {}
func (*AssignStmt) simpleNode() {}
func (*IncDecStmt) simpleNode() {}
func (*ExprStmt) simpleNode()   {}

func (*IfStmt) elseNode() {}
func (*Block) elseNode()  {}

func (s *Block) Pos() diag.Pos        { return s.start() }
func (s *IfStmt) Pos() diag.Pos       { return s.start() }
func (s *ForInStmt) Pos() diag.Pos    { return s.start() }
func (s *ForRangeStmt) Pos() diag.Pos { return s.start() }
func (s *ForStmt) Pos() diag.Pos      { return s.start() }
func (s *SwitchStmt) Pos() diag.Pos   { return s.start() }
func (c *CaseClause) Pos() diag.Pos   { return c.start() }
func (s *SharedStmt) Pos() diag.Pos   { return s.start() }
func (s *VarStmt) Pos() diag.Pos      { return s.start() }
func (s *ConstStmt) Pos() diag.Pos    { return s.start() }
func (s *ReturnStmt) Pos() diag.Pos   { return s.start() }
func (s *BranchStmt) Pos() diag.Pos   { return s.start() }
func (s *LabeledStmt) Pos() diag.Pos  { return s.start() }
func (s *DefineStmt) Pos() diag.Pos   { return s.start() }
func (s *AssignStmt) Pos() diag.Pos   { return s.start() }
func (s *IncDecStmt) Pos() diag.Pos   { return s.start() }
func (s *ExprStmt) Pos() diag.Pos     { return s.start() }

func (s *IfStmt) End() diag.Pos {
	if s.Else != nil {
		return s.Else.End()
	}
	return s.Then.End()
}

func (c *CaseClause) End() diag.Pos {
	if n := len(c.Body); n > 0 {
		return c.Body[n-1].End()
	}
	if n := len(c.Values); n > 0 {
		return c.Values[n-1].End()
	}
	return c.start().Advance(len("default"))
}

func (s *VarStmt) End() diag.Pos {
	if n := len(s.Values); n > 0 {
		return s.Values[n-1].End()
	}
	if s.Type != nil {
		return s.Type.End()
	}
	return s.Names[len(s.Names)-1].End()
}

func (s *ReturnStmt) End() diag.Pos {
	if n := len(s.Values); n > 0 {
		return s.Values[n-1].End()
	}
	return s.start().Advance(len("return"))
}

func (s *BranchStmt) End() diag.Pos {
	if s.Label != nil {
		return s.Label.End()
	}
	return s.start().Advance(len(s.Word))
}

func (s *Block) End() diag.Pos        { return s.end }
func (s *ForInStmt) End() diag.Pos    { return s.Body.End() }
func (s *ForRangeStmt) End() diag.Pos { return s.Body.End() }
func (s *ForStmt) End() diag.Pos      { return s.Body.End() }
func (s *SwitchStmt) End() diag.Pos   { return closing(s.Rbrace) }
func (s *SharedStmt) End() diag.Pos   { return s.Type.End() }
func (s *ConstStmt) End() diag.Pos    { return s.Decl.End() }
func (s *LabeledStmt) End() diag.Pos  { return s.Stmt.End() }
func (s *DefineStmt) End() diag.Pos   { return s.Values[len(s.Values)-1].End() }
func (s *AssignStmt) End() diag.Pos   { return s.Values[len(s.Values)-1].End() }
func (s *IncDecStmt) End() diag.Pos   { return position(s.end).Advance(2) }
func (s *ExprStmt) End() diag.Pos     { return s.X.End() }
