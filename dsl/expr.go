package dsl

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/gpugen/gpugen/dsl/diag"
)

// exprParser parses expressions by operator precedence. It lives for one expression that participle asks for.
type exprParser struct {
	lex    *lexer.PeekingLexer
	depth  int // of the recursion
	height int // of the tree parsed last
}

// failure is a mistake of the user on its way through participle.
type failure struct {
	pos  lexer.Position
	what diag.Error
}

func (f *failure) Error() string            { return f.Message() }
func (f *failure) Position() lexer.Position { return f.pos }
func (f *failure) Message() string {
	d := new(diag.Diagnostic)
	f.what.Diagnose(d)
	return d.Message
}

var _ participle.Error = (*failure)(nil)

// fail returns e as an error at the next token, which it passes: participle takes only an error behind progress for
// more than a choice that did not match.
func (p *exprParser) fail(e diag.Error) error {
	pos := p.lex.Peek().Pos
	p.lex.Next()
	return &failure{pos, e}
}

func (p *exprParser) unexpected(want string) error {
	t := p.lex.Peek()
	return p.fail(unexpected(t, want))
}

// refuse reports the next token as something of Go's that the language does not have.
func (p *exprParser) refuse(what, instead string) error {
	t := p.lex.Peek()
	return p.fail(&NotInLanguageError{At: position(t.Pos), To: endOf(t), What: what, Instead: instead})
}

// precedences are Go's.
var precedences = map[string]int{
	"||": 1, "&&": 2,
	"==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3,
	"+": 4, "-": 4, "|": 4, "^": 4,
	"*": 5, "/": 5, "%": 5, "<<": 5, ">>": 5, "&": 5, "&^": 5,
}

// binaryPrec returns the precedence of a binary operator, or 0.
func binaryPrec(t *token) int {
	if t.Type != tokOp {
		return 0
	}
	return precedences[t.Value]
}

// startsExpr reports whether an expression may start with t, things of Go included that are refused in it.
func startsExpr(t *token) bool {
	switch t.Type {
	case tokIdent, tokInt, tokFloat, tokString, tokChar:
		return true
	case tokOp:
		switch t.Value {
		case "(", "[", "+", "-", "!", "^", "&", "*", "~", "<-":
			return true
		}
	case tokKeyword:
		switch t.Value {
		case "func", "map", "chan", "interface", "struct":
			return true
		}
	}
	return false
}

// parseExpr, parseType and parseOperand are called by participle for fields of their types.
func parseExpr(lex *lexer.PeekingLexer) (Expr, error) {
	if !startsExpr(lex.Peek()) {
		return nil, participle.NextMatch
	}
	p := exprParser{lex: lex}
	return p.expr()
}

func parseType(lex *lexer.PeekingLexer) (TypeExpr, error) {
	if t := lex.Peek(); !startsExpr(t) && !isOp(t, "...") {
		return nil, participle.NextMatch
	}
	p := exprParser{lex: lex}
	return p.typ()
}

func parseOperand(lex *lexer.PeekingLexer) (Operand, error) {
	if !startsExpr(lex.Peek()) {
		return nil, participle.NextMatch
	}
	p := exprParser{lex: lex}
	return p.unary()
}

// Parse implements participle.Parseable, for a type that is no interface.
func (x *Extent) Parse(lex *lexer.PeekingLexer) (err error) {
	if !startsExpr(lex.Peek()) {
		return participle.NextMatch
	}
	p := exprParser{lex: lex}
	*x, err = p.extent()
	return err
}

// Parse implements participle.Parseable: names are many, and this costs a third of a production.
func (e *Ident) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	if t.Type != tokIdent {
		return participle.NextMatch
	}
	lex.Next()
	*e = Ident{node{t.Pos}, t.Value}
	return nil
}

// is reports whether the next token is the operator v.
func (p *exprParser) is(v string) bool { return isOp(p.lex.Peek(), v) }

// accept passes the operator v, if it is next.
func (p *exprParser) accept(v string) bool {
	if !p.is(v) {
		return false
	}
	p.lex.Next()
	return true
}

func (p *exprParser) expr() (Expr, error) { return p.binary(1) }

// maxRecursion bounds the calls of expr, unary, typ and composite in one another, of which a level of the tree takes two
// at most.
const maxRecursion = 2*maxNesting + 8

// enter bounds the recursion, grow the tree; leave ends what enter began.
func (p *exprParser) enter() error {
	p.depth++
	if p.depth > maxRecursion {
		return p.fail(&NestingError{At: position(p.lex.Peek().Pos)})
	}
	return nil
}

func (p *exprParser) leave() { p.depth-- }

// grow notes a tree one higher than h, the height of its highest child.
func (p *exprParser) grow(h int) error {
	p.height = h + 1
	if p.height > maxNesting {
		return p.fail(&NestingError{At: position(p.lex.Peek().Pos)})
	}
	return nil
}

// binary parses operators of precedence min and above. All of Go's associate to the left.
func (p *exprParser) binary(min int) (Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		op := p.lex.Peek()
		prec := binaryPrec(op)
		if prec == 0 || prec < min {
			return x, nil
		}
		h := p.height
		p.lex.Next()
		if op.Value == "*" && p.is("*") {
			return nil, p.refuse("`**`", "`pow(x, y)` is the power")
		}
		y, err := p.binary(prec + 1)
		if err != nil {
			return nil, err
		}
		if err := p.grow(max(h, p.height)); err != nil {
			return nil, err
		}
		x = &BinaryExpr{X: x, Op: op.Value, OpPos: position(op.Pos), Y: y}
	}
}

func (p *exprParser) unary() (Expr, error) {
	t := p.lex.Peek()
	if t.Type != tokOp {
		return p.postfix()
	}
	switch t.Value {
	case "+", "-", "!", "^", "&":
		if err := p.enter(); err != nil {
			return nil, err
		}
		defer p.leave()
		p.lex.Next()
		x, err := p.unary()
		if err != nil {
			return nil, err
		}
		if err := p.grow(p.height); err != nil {
			return nil, err
		}
		return &UnaryExpr{node: node{t.Pos}, Op: t.Value, X: x}, nil
	case "*":
		return nil, p.refuse("pointers", "")
	case "<-":
		return nil, p.refuse("channels", "")
	case "~":
		return nil, p.refuse("`~`", "the complement is `^x`")
	}
	return p.postfix()
}

// postfix parses an operand and what follows it: selectors, indexes, calls, literals.
func (p *exprParser) postfix() (Expr, error) {
	x, err := p.operand()
	if err != nil {
		return nil, err
	}
	for {
		t := p.lex.Peek()
		if t.Type != tokOp {
			return x, nil
		}
		h := p.height
		p.height = 0
		switch t.Value {
		case ".":
			p.lex.Next()
			if p.is("(") {
				return nil, p.refuse("type assertions", "")
			}
			sel, err := p.ident("a name after `.`")
			if err != nil {
				return nil, err
			}
			x = &SelectorExpr{X: x, Sel: sel}
		case "[":
			p.lex.Next()
			args, end, err := p.indexes()
			if err != nil {
				return nil, err
			}
			x = &IndexExpr{X: x, Args: args, end: end}
		case "(":
			p.lex.Next()
			call := &CallExpr{Fun: x}
			if err := p.arguments(call); err != nil {
				return nil, err
			}
			x = call
		case "{":
			if !isLiteralType(x) {
				p.height = h
				return x, nil
			}
			if x, err = p.composite(x); err != nil {
				return nil, err
			}
		default:
			p.height = h
			return x, nil
		}
		if err := p.grow(max(h, p.height)); err != nil {
			return nil, err
		}
	}
}

func isLiteralType(x Expr) bool {
	switch x.(type) {
	case *Ident, *ArrayType:
		return true
	}
	return false
}

func (p *exprParser) operand() (Expr, error) {
	t := p.lex.Peek()
	p.height = 1
	switch t.Type {
	case tokIdent:
		p.lex.Next()
		return &Ident{node{t.Pos}, t.Value}, nil
	case tokInt, tokFloat, tokChar:
		p.lex.Next()
		return &BasicLit{node{t.Pos}, literalKind(t), t.Value}, nil
	case tokString:
		return nil, p.refuse("string values", "text stands only as an argument, in `assert` and `print`")
	case tokKeyword:
		return p.keyword(t)
	}
	switch {
	case isOp(t, "("):
		p.lex.Next()
		x, err := p.expr()
		if err != nil {
			return nil, err
		}
		end, err := p.close(")")
		if err != nil {
			return nil, err
		}
		return &ParenExpr{node: node{t.Pos}, X: x, end: end}, p.grow(p.height)
	case isOp(t, "["):
		return p.typ()
	}
	if isOp(t, "{") {
		return nil, p.fail(&SyntaxError{
			At: position(t.Pos), To: endOf(t), Want: "an expression", Found: found(t), Note: "a literal names its type, as in `Point{1, 2}`",
		})
	}
	return nil, p.unexpected("an expression")
}

// keyword refuses a keyword where an operand should be.
func (p *exprParser) keyword(t *token) (Expr, error) {
	switch t.Value {
	case "func":
		return nil, p.refuse("function literals", "declare the `func` outside the body; calls are always inlined")
	case "map":
		return nil, p.refuse("maps", "")
	case "chan":
		return nil, p.refuse("channels", "")
	case "interface":
		return nil, p.refuse("interfaces", "")
	case "struct":
		return nil, p.refuse("struct types without a name", "declare the struct with `type`")
	}
	return nil, p.unexpected("an expression")
}

func literalKind(t *token) LitKind {
	switch t.Type {
	case tokInt:
		return IntLit
	case tokFloat:
		return FloatLit
	case tokChar:
		return CharLit
	}
	return StringLit
}

func (p *exprParser) ident(want string) (*Ident, error) {
	t := p.lex.Peek()
	if t.Type != tokIdent {
		return nil, p.unexpected(want)
	}
	p.lex.Next()
	return &Ident{node{t.Pos}, t.Value}, nil
}

// close passes a closing bracket and returns the position behind it.
func (p *exprParser) close(bracket string) (diag.Pos, error) {
	t := p.lex.Peek()
	if !isOp(t, bracket) {
		return diag.Pos{}, p.unexpected("`" + bracket + "`")
	}
	p.lex.Next()
	return endOf(t), nil
}

// typ parses a name or an array type.
func (p *exprParser) typ() (Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	t := p.lex.Peek()
	p.height = 1
	switch {
	case t.Type == tokIdent:
		p.lex.Next()
		return &Ident{node{t.Pos}, t.Value}, nil
	case t.Type == tokKeyword:
		if t.Value == "func" {
			return nil, p.refuse("function values", "")
		}
		return p.keyword(t)
	case isOp(t, "*"):
		return nil, p.refuse("pointers", "a view is passed as it is: `x mut [n]T` is written through")
	case isOp(t, "<-"):
		return nil, p.refuse("channels", "")
	case isOp(t, "..."):
		return nil, p.refuse("`...`", "")
	case isOp(t, "~"):
		return nil, p.refuse("`~`", "list the types themselves")
	case !isOp(t, "["):
		return nil, p.unexpected("a type")
	}
	p.lex.Next()
	if p.is("]") {
		return nil, p.refuse("slices", "give a view its extent, as in `x [n]float32`, and an array its length")
	}
	if p.is("...") {
		return nil, p.refuse("`[...]T`", "write the length")
	}
	a := &ArrayType{node: node{t.Pos}}
	h := 0
	for {
		d, err := p.expr()
		if err != nil {
			return nil, err
		}
		h = max(h, p.height)
		a.Dims = append(a.Dims, d)
		if !p.accept(",") || p.is("]") {
			break
		}
	}
	if _, err := p.close("]"); err != nil {
		return nil, err
	}
	elem, err := p.typ()
	if err != nil {
		return nil, err
	}
	a.Elem = elem
	return a, p.grow(max(h, p.height))
}
