package dsl

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/gpugen/gpugen/dsl/diag"
)

// Parse implements participle.Parseable: a loop over the statements costs less than a repetition in the grammar, and
// nothing in a kernel is as frequent.
func (b *Block) Parse(lex *lexer.PeekingLexer) error {
	open := lex.Peek()
	if !isOp(open, "{") {
		return participle.NextMatch
	}
	lex.Next()
	b.node = node{open.Pos}
	for isEnd(lex.Peek()) {
		lex.Next()
	}
	for {
		s, err := parseStmt(lex)
		if err == participle.NextMatch {
			break
		}
		if err != nil {
			return err
		}
		b.Stmts = append(b.Stmts, s)
	}
	p := exprParser{lex: lex}
	t := lex.Peek()
	if !isOp(t, "}") {
		if t.EOF() {
			return p.unexpected("`}`")
		}
		return p.unexpected("a statement or `}`")
	}
	lex.Next()
	b.end = endOf(t)
	return nil
}

// parseStmt parses a statement of a block or, called by participle, of a case. It chooses the production by the first tokens, where
// a union would try one after the other, and parses the simple statements by hand. It passes the semicolons behind.
func parseStmt(lex *lexer.PeekingLexer) (Stmt, error) {
	s, err := parseOpenStmt(lex)
	if err != nil {
		return nil, err
	}
	if t := lex.Peek(); !isEnd(t) && !isOp(t, "}") && !isKeyword(t, "case") && !isKeyword(t, "default") {
		p := exprParser{lex: lex}
		return nil, p.fail(afterStmt(s, t))
	}
	for isEnd(lex.Peek()) {
		lex.Next()
	}
	return s, nil
}

// parseOpenStmt parses a statement without looking at what follows.
func parseOpenStmt(lex *lexer.PeekingLexer) (Stmt, error) {
	t := lex.Peek()
	p := exprParser{lex: lex}
	switch t.Type {
	case tokKeyword:
		return parseKeywordStmt(lex, t)
	case tokOp, tokBlock:
		switch t.Value {
		case "{":
			b := new(Block)
			return b, b.Parse(lex)
		case "}":
			return nil, participle.NextMatch
		case "@":
			return parseAttributed(lex)
		}
	case tokIdent:
		next := second(lex)
		switch {
		case isOp(next, ":"):
			return parseLabeled(lex)
		case t.Value == "shared" && next.Type == tokIdent:
			return produce[SharedStmt](productions.shared, lex)
		case isOp(next, "{") && (t.Value == "do" || t.Value == "loop"):
			return nil, p.fail(&SyntaxError{
				At: position(t.Pos), To: endOf(t), Want: "a statement", Found: found(t), Fix: "`for { … }` is the loop without a condition",
			})
		}
	}
	if !startsExpr(t) {
		if t.EOF() {
			return nil, participle.NextMatch
		}
		return nil, p.unexpected("a statement")
	}
	return p.simple()
}

func parseKeywordStmt(lex *lexer.PeekingLexer, t *token) (Stmt, error) {
	p := exprParser{lex: lex}
	if assigns(second(lex)) {
		return nil, p.unexpected("a name")
	}
	switch t.Value {
	case "if":
		if h := look(lex); h.broken() != nil {
			return nil, p.fail(h.broken())
		}
		return produce[IfStmt](productions.ifs, lex)
	case "for":
		return parseFor(lex)
	case "switch":
		if h := look(lex); h.braceAlone && h.lastEnd.Type == tokNewline {
			return nil, p.fail(&BraceError{At: position(h.block.Pos)}) // Go takes `switch x` for a statement before no tag
		}
		return produce[SwitchStmt](productions.switches, lex)
	case "var":
		s, err := produce[VarStmt](productions.vars, lex)
		if err == nil && s.(*VarStmt).Type == nil && len(s.(*VarStmt).Values) == 0 {
			return nil, p.unexpected("a type or `=`")
		}
		return s, err
	case "const":
		return produce[ConstStmt](productions.consts, lex)
	case "return":
		return produce[ReturnStmt](productions.returns, lex)
	case "break", "continue", "fallthrough":
		return produce[BranchStmt](productions.branch, lex)
	case "case", "default":
		return nil, participle.NextMatch
	case "else":
		return nil, p.fail(&ElseError{At: position(t.Pos), To: endOf(t)})
	case "go":
		return nil, p.refuse("goroutines", "a kernel's points already run in parallel")
	case "defer":
		return nil, p.refuse("`defer`", "")
	case "goto":
		return nil, p.refuse("`goto`", "use `break` or `continue` with a label")
	case "select":
		return nil, p.refuse("`select` statement", "`select(c, a, b)` chooses a value")
	case "type":
		return nil, p.refuse("local types", "declare the type outside the body")
	case "import":
		return nil, p.refuse("imports", "")
	}
	if startsExpr(t) {
		return p.simple()
	}
	if next := second(lex); isOp(next, ".") || isOp(next, "[") {
		return nil, p.unexpected("a name")
	}
	return nil, p.unexpected("a statement")
}

// assigns reports an operator that has a name on its left and nothing of a statement's keyword.
func assigns(t *token) bool {
	if t.Type != tokOp {
		return false
	}
	switch t.Value {
	case ":=", "=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "&^=":
		return true
	}
	return false
}

// parseLabeled is by hand because a statement that participle asks for ends with its semicolons.
func parseLabeled(lex *lexer.PeekingLexer) (Stmt, error) {
	label := lex.Next()
	lex.Next()
	for isEnd(lex.Peek()) {
		lex.Next()
	}
	s, err := parseOpenStmt(lex)
	if err == participle.NextMatch {
		p := exprParser{lex: lex}
		return nil, p.unexpected("a statement behind the label")
	}
	if err != nil {
		return nil, err
	}
	id := &Ident{node{label.Pos}, label.Value}
	return &LabeledStmt{id.node, id, s}, nil
}

// second returns the token after the next.
func second(lex *lexer.PeekingLexer) *token {
	cp := lex.MakeCheckpoint()
	lex.Next()
	t := lex.Peek()
	lex.LoadCheckpoint(cp)
	return t
}

// parseAttributed parses `@unroll(4)` and so on, and the loop behind it.
func parseAttributed(lex *lexer.PeekingLexer) (Stmt, error) {
	var attrs []*Attr
	for isOp(lex.Peek(), "@") {
		a, err := productions.attr.ParseFromLexer(lex, participle.AllowTrailing(true))
		if err != nil {
			return nil, err
		}
		attrs = append(attrs, a)
		for isEnd(lex.Peek()) {
			lex.Next()
		}
	}
	at := lex.Peek()
	s, err := parseOpenStmt(lex)
	if err == nil && attach(s, attrs) {
		return s, nil
	}
	if err != nil && err != participle.NextMatch {
		return nil, err
	}
	p := exprParser{lex: lex}
	return nil, p.fail(&SyntaxError{
		At: position(at.Pos), To: endOf(at), Want: "a loop behind `@" + attrs[0].Name.Name + "`", Found: found(at),
	})
}

// attach gives a loop, which may have a label, its attributes.
func attach(s Stmt, attrs []*Attr) bool {
	switch s := s.(type) {
	case *ForStmt:
		s.Attrs = append(attrs, s.Attrs...)
	case *ForInStmt:
		s.Attrs = append(attrs, s.Attrs...)
	case *ForRangeStmt:
		s.Attrs = append(attrs, s.Attrs...)
	case *LabeledStmt:
		return attach(s.Stmt, attrs)
	default:
		return false
	}
	return true
}

// header describes the tokens between a keyword and the block of its statement.
type header struct {
	semis   int
	inner   int    // semicolons inside brackets
	lastEnd *token // the last semicolon
	block   *token // the brace, or where the header broke off
	assign  *token // `:=` or `=` outside brackets
	comma   bool   // `,` outside brackets before assign
	ranges  *token // `range`

	newline    *token // the first line end, if there is one
	behind     *token // what stands behind it
	braceAlone bool   // a semicolon stands before block
}

// broken reports a header that a line end breaks off before its block: no block follows, or the next line is a statement
// that no header holds. The parts of a header may stand on lines of their own, as in Go.
func (h *header) broken() diag.Error {
	if h.newline == nil || isOp(h.behind, "{") || h.behind.EOF() || isOp(h.behind, "}") {
		return nil
	}
	if h.block.Type == tokBlock && (h.behind.Type != tokKeyword || startsExpr(h.behind)) {
		return nil
	}
	return &SyntaxError{At: position(h.newline.Pos), Want: "`{`", Found: found(h.newline)}
}

// look reads ahead over a header from its keyword, or from behind it.
func look(lex *lexer.PeekingLexer) (h header) {
	cp := lex.MakeCheckpoint()
	defer func() { lex.LoadCheckpoint(cp) }()
	if lex.Peek().Type == tokKeyword {
		lex.Next()
	}
	var before *token
	for depth := 0; ; before = lex.Next() {
		t := lex.Peek()
		if before != nil && before == h.newline {
			h.behind = t
		}
		switch {
		case t.EOF(), t.Type == tokBlock && depth == 0, isOp(t, "}") && depth == 0:
			h.block, h.braceAlone = t, before != nil && isEnd(before)
			return h
		case isOp(t, "("), isOp(t, "["), isOp(t, "{"):
			depth++
		case isOp(t, ")"), isOp(t, "]"), isOp(t, "}"):
			depth--
		case depth > 0:
			if t.Type == tokSemi {
				h.inner++
			}
		case isEnd(t):
			h.semis++
			h.lastEnd = t
			if t.Type == tokNewline && h.newline == nil {
				h.newline, h.behind = t, t
			}
			if h.semis > 2 {
				h.block = t
				return h
			}
		case isOp(t, ":="), isOp(t, "="):
			if h.assign == nil {
				h.assign = t
			}
		case isOp(t, ","):
			h.comma = h.comma || h.assign == nil
		case isKeyword(t, "range"):
			h.ranges = t
		}
	}
}

const forNote = "no parentheses and no type, as in Go: `for j := 0; j < n; j++ {`"

func parseFor(lex *lexer.PeekingLexer) (Stmt, error) {
	if namesThenIn(lex) {
		s, err := productions.forIn.ParseFromLexer(lex, participle.AllowTrailing(true))
		if err != nil {
			return nil, err
		}
		if len(s.Vars) != len(s.Extents) {
			return nil, &failure{s.node.Pos, extentCount(s.Vars, s.Extents)}
		}
		return s, nil
	}
	p := exprParser{lex: lex}
	h := look(lex)
	if open := second(lex); isOp(open, "(") && h.semis == 0 && h.inner > 0 {
		lex.Next()
		return nil, p.fail(&SyntaxError{
			At: position(open.Pos), To: endOf(open), Want: "a name or a condition", Found: found(open), Note: forNote,
		})
	}
	if e := h.broken(); e != nil {
		return nil, p.fail(e)
	}
	if h.ranges != nil && h.semis == 0 {
		if h.comma {
			return nil, p.fail(&NotInLanguageError{
				At: position(h.ranges.Pos), To: endOf(h.ranges), What: "`range` with two variables",
				Instead: "`for i := range len(x)` counts from 0, and `x[i]` is the element",
			})
		}
		return produce[ForRangeStmt](productions.forRange, lex)
	}
	if h.semis == 1 && h.lastEnd.Type == tokNewline && h.block.Value == "{" && h.braceAlone {
		return nil, p.fail(&BraceError{At: position(h.block.Pos)})
	}
	if h.semis == 1 && h.block.Value == "{" {
		return nil, p.fail(&SyntaxError{
			At: position(h.block.Pos), To: endOf(h.block), Want: "`;` and the last part of the `for` clause", Found: found(h.block),
			Note: "a `for` has a condition alone, or three parts, of which each may be empty",
		})
	}
	return produce[ForStmt](productions.fors, lex)
}

// namesThenIn reports whether `for` is followed by names and then a word, which should be `in`.
func namesThenIn(lex *lexer.PeekingLexer) bool {
	cp := lex.MakeCheckpoint()
	defer func() { lex.LoadCheckpoint(cp) }()
	lex.Next()
	for {
		if lex.Peek().Type != tokIdent {
			return false
		}
		lex.Next()
		if !isOp(lex.Peek(), ",") {
			return lex.Peek().Type == tokIdent
		}
		lex.Next()
	}
}

// parseInit parses the statement before the `;` of a header, if there is one.
func parseInit(lex *lexer.PeekingLexer) (InitStmt, error) {
	if t := lex.Peek(); isEnd(t) || look(lex).semis == 0 {
		return nil, participle.NextMatch
	}
	return parseSimple(lex)
}

func parseSimple(lex *lexer.PeekingLexer) (SimpleStmt, error) {
	if !startsExpr(lex.Peek()) {
		return nil, participle.NextMatch
	}
	p := exprParser{lex: lex}
	return p.simple()
}

// exprs parses one expression or more.
func (p *exprParser) exprs() ([]Expr, error) {
	var list []Expr
	for {
		if t := p.lex.Peek(); isKeyword(t, "range") {
			return nil, p.unexpected("an expression")
		}
		x, err := p.expr()
		if err != nil {
			return nil, err
		}
		list = append(list, x)
		if !p.accept(",") {
			return list, nil
		}
	}
}

// simple parses an expression, a definition, an assignment, an increment.
func (p *exprParser) simple() (SimpleStmt, error) {
	start := p.lex.Peek()
	first := node{start.Pos}
	lhs, err := p.exprs()
	if err != nil {
		return nil, err
	}
	t := p.lex.Peek()
	if t.Type == tokOp {
		switch t.Value {
		case ":=":
			names, err := p.names(lhs)
			if err != nil {
				return nil, err
			}
			p.lex.Next()
			rhs, err := p.exprs()
			return &DefineStmt{first, names, rhs}, err
		case "++", "--":
			if len(lhs) == 1 {
				p.lex.Next()
				return &IncDecStmt{first, lhs[0], t.Value, t.Pos}, nil
			}
		case "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "&^=":
			op := strings.TrimSuffix(t.Value, "=")
			if op != "" && len(lhs) > 1 {
				return nil, p.unexpected("`=` behind several targets")
			}
			p.lex.Next()
			rhs, err := p.exprs()
			return &AssignStmt{first, lhs, op, position(t.Pos), rhs}, err
		}
	}
	if len(lhs) > 1 {
		return nil, p.unexpected("`=` or `:=`")
	}
	return &ExprStmt{first, lhs[0]}, nil
}

// names takes the left side of `:=` for names.
func (p *exprParser) names(lhs []Expr) ([]*Ident, error) {
	names := make([]*Ident, len(lhs))
	for i, x := range lhs {
		id, ok := x.(*Ident)
		if !ok {
			return nil, p.fail(&SyntaxError{
				At: x.Pos(), To: x.End(), Want: "a name on the left of `:=`", Found: describe(x),
				Note: "`=` assigns to what exists",
			})
		}
		names[i] = id
	}
	return names, nil
}

// describe says an expression in a word, for messages.
func describe(x Expr) string {
	switch x.(type) {
	case *IndexExpr:
		return "an element"
	case *SelectorExpr:
		return "a field"
	case *CallExpr:
		return "a call"
	case *BasicLit:
		return "a literal"
	}
	return "an expression"
}

func extentCount(vars []*Ident, extents []Extent) diag.Error {
	return &ExtentCountError{
		At: vars[0].Pos(), To: extents[len(extents)-1].End(), Names: len(vars), Extents: len(extents),
	}
}
