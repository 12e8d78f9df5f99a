package dsl

import "github.com/gpugen/gpugen/dsl/diag"

// Expr is an expression or a type.
type Expr interface {
	Node
	exprNode()
}

// The following are expressions too. They are types of their own only because participle chooses the function that
// parses a field by the field's type.
type (
	// TypeExpr is an expression parsed as a type: *Ident or *ArrayType.
	TypeExpr interface{ Expr }
	// Operand is an expression parsed without binary operators: a constant of `[Tile = 16|32]`.
	Operand interface{ Expr }
)

// LitKind is the kind of a literal.
type LitKind uint8

const (
	IntLit LitKind = iota
	FloatLit
	CharLit
	StringLit
)

// The expressions are parsed by hand, by operator precedence.
type (
	// Ident is a name.
	Ident struct {
		node
		Name string
	}

	// BasicLit is a literal as it was written.
	BasicLit struct {
		node
		Kind  LitKind
		Value string
	}

	// UnaryExpr is `-x`, `+x`, `!x`, `^x` or `&x`.
	UnaryExpr struct {
		node
		Op string
		X  Expr
	}

	// BinaryExpr is `x op y`.
	BinaryExpr struct {
		X     Expr
		Op    string
		OpPos diag.Pos
		Y     Expr
	}

	// ParenExpr is `(x)`.
	ParenExpr struct {
		node
		X   Expr
		end diag.Pos
	}

	// IndexExpr is `x[i, j]`, and `f[T]` as well: an instance of a generic function.
	IndexExpr struct {
		X    Expr
		Args []Expr
		end  diag.Pos
	}

	// CallExpr is `f(a, b)`, `T(x)` or `sum(e for j in n)`.
	CallExpr struct {
		Fun  Expr
		Args []Expr
		Comp *Comprehension // or nil; then there are no Args
		end  diag.Pos
	}

	// Comprehension is `e for j, k in n, m`, the only argument of a call.
	Comprehension struct {
		Elem    Expr
		Vars    []*Ident
		Extents []Extent // as many as Vars
	}

	// SelectorExpr is `x.sel`: a field, a swizzle, or a builtin as `atomic.Add`.
	SelectorExpr struct {
		X   Expr
		Sel *Ident
	}

	// CompositeLit is `T{…}`; Type is nil where it is elided.
	CompositeLit struct {
		node  // of the brace
		Type  Expr
		Elems []*Element
		end   diag.Pos
	}

	// Element is `v` or `k: v` in a composite literal.
	Element struct {
		Key   Expr // or nil
		Value Expr
	}

	// ArrayType is `[n, m]T`: an array, or a view as the type of a parameter.
	ArrayType struct {
		node
		Dims []Expr // empty in `[]T`, which the checker refuses
		Elem Expr
	}
)

// Extent is `hi` or `lo:hi`, behind `in`.
type Extent struct {
	Lo Expr // nil for 0
	Hi Expr
}

func (*Ident) exprNode()        {}
func (*BasicLit) exprNode()     {}
func (*UnaryExpr) exprNode()    {}
func (*BinaryExpr) exprNode()   {}
func (*ParenExpr) exprNode()    {}
func (*IndexExpr) exprNode()    {}
func (*CallExpr) exprNode()     {}
func (*SelectorExpr) exprNode() {}
func (*CompositeLit) exprNode() {}
func (*ArrayType) exprNode()    {}

func (e *Ident) Pos() diag.Pos         { return e.start() }
func (e *BasicLit) Pos() diag.Pos      { return e.start() }
func (e *UnaryExpr) Pos() diag.Pos     { return e.start() }
func (e *BinaryExpr) Pos() diag.Pos    { return e.X.Pos() }
func (e *ParenExpr) Pos() diag.Pos     { return e.start() }
func (e *IndexExpr) Pos() diag.Pos     { return e.X.Pos() }
func (e *CallExpr) Pos() diag.Pos      { return e.Fun.Pos() }
func (c *Comprehension) Pos() diag.Pos { return c.Elem.Pos() }
func (e *SelectorExpr) Pos() diag.Pos  { return e.X.Pos() }
func (e *ArrayType) Pos() diag.Pos     { return e.start() }

func (e *Ident) End() diag.Pos         { return advance(e.start(), e.Name) }
func (e *BasicLit) End() diag.Pos      { return advance(e.start(), e.Value) }
func (e *UnaryExpr) End() diag.Pos     { return e.X.End() }
func (e *BinaryExpr) End() diag.Pos    { return e.Y.End() }
func (e *ParenExpr) End() diag.Pos     { return e.end }
func (e *IndexExpr) End() diag.Pos     { return e.end }
func (e *CallExpr) End() diag.Pos      { return e.end }
func (c *Comprehension) End() diag.Pos { return c.Extents[len(c.Extents)-1].End() }
func (e *SelectorExpr) End() diag.Pos  { return e.Sel.End() }
func (e *CompositeLit) End() diag.Pos  { return e.end }
func (e *ArrayType) End() diag.Pos     { return e.Elem.End() }

func (e *Element) End() diag.Pos { return e.Value.End() }
func (e *Element) Pos() diag.Pos {
	if e.Key != nil {
		return e.Key.Pos()
	}
	return e.Value.Pos()
}

func (e *CompositeLit) Pos() diag.Pos {
	if e.Type != nil {
		return e.Type.Pos()
	}
	return e.start()
}

// Pos returns the position of the extent's first token.
func (x Extent) Pos() diag.Pos {
	if x.Lo != nil {
		return x.Lo.Pos()
	}
	return x.Hi.Pos()
}

// End returns the position just behind the extent.
func (x Extent) End() diag.Pos { return x.Hi.End() }

// Unparen returns e without the parentheses round it.
func Unparen(e Expr) Expr {
	for {
		p, ok := e.(*ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}
