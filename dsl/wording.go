package dsl

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2"

	"github.com/gpugen/gpugen/dsl/diag"
)

// unexpected returns the error for a token that is not what the grammar wants, in words.
func unexpected(t *token, want string) diag.Error {
	if t.Type == tokKeyword && strings.HasPrefix(want, "a name") {
		return &KeywordAsNameError{At: position(t.Pos), To: endOf(t), Keyword: t.Value}
	}
	e := &SyntaxError{At: position(t.Pos), To: endOf(t), Want: want, Found: found(t)}
	foreign(e, t)
	return e
}

// foreign says what stands for a token of another language at a place where an operator, or the end of something, is due.
func foreign(e *SyntaxError, t *token) {
	switch {
	case isOp(t, "++") || isOp(t, "--"):
		e.Note = "`" + t.Value + "` is a statement behind its variable, not a value"
	case isWord(t, "and"):
		e.Fix = "write `&&`"
	case isWord(t, "or"):
		e.Fix = "write `||`"
	case isOp(t, "-") && e.Want == "a type":
		e.Note = "the type of the result stands behind the parameters without an arrow: `func f(x float32) float32`"
	case isWord(t, "as"):
		e.Note = "a conversion is a call, as in `float32(i)`"
	case isOp(t, ":=") && e.Want == "`in`":
		e.Fix = inFix
	case isKeyword(t, "range") && e.Want == "an extent":
		e.Note = "`for j in n` takes the extent itself; the loop in order is `for j := range n`"
	}
}

const inFix = "write `in` for `:= range`"

// afterStmt returns the error for a token behind a complete statement.
func afterStmt(s Stmt, t *token) diag.Error {
	if isOp(t, "<-") {
		return &NotInLanguageError{At: position(t.Pos), To: endOf(t), What: "channels"}
	}
	e := unexpected(t, "end of statement").(*SyntaxError)
	var last Expr
	switch s := s.(type) {
	case *IfStmt:
		if isWord(t, "elif") || isWord(t, "elseif") || isWord(t, "elsif") {
			e.Fix = "write `else if`"
		}
	case *VarStmt:
		if id, ok := s.Type.(*Ident); ok && isOp(t, "[") {
			e.Note = "the size stands before the type of the elements: `[4]" + id.Name + "`"
		}
	case *DefineStmt:
		last = s.Values[len(s.Values)-1]
	case *AssignStmt:
		last = s.Values[len(s.Values)-1]
	case *ReturnStmt:
		if n := len(s.Values); n > 0 {
			last = s.Values[n-1]
		}
	case *ExprStmt:
		id, _ := s.X.(*Ident)
		if call, ok := s.X.(*CallExpr); ok && isOp(t, "{") {
			id, _ = call.Fun.(*Ident)
		}
		if id == nil {
			break
		}
		slip := meant(&token{Type: tokIdent, Value: id.Name}, "return", "shared", "const")
		switch {
		case slip != "":
			e.Fix = "did you mean `" + slip + "`?"
		case id.Name == "while":
			e.Fix = "`for` is the loop with a condition"
		case strings.Trim(id.Name, "_") == "shared" || id.Name == "threadgroup" || strings.Trim(id.Name, "_") == "local":
			e.Note = "`shared s [32]float32` declares memory of the block"
		case t.Type == tokIdent && !declares[id.Name]:
			typ := id.Name
			if ours := typeElsewhere(typ); ours != "" {
				typ = ours
			}
			e.Note = "`var " + t.Value + " " + typ + "` or `" + t.Value + " := " + typ + "(…)` declares a variable"
		case t.Type == tokIdent:
			e.Note = "`" + t.Value + " := …` declares a variable"
		case declares[id.Name]:
			e.Note = "`name := …` declares a variable"
		}
	}
	if p, ok := last.(*ParenExpr); ok && (t.Type == tokIdent || t.Type == tokInt || t.Type == tokFloat) {
		if id, ok := p.X.(*Ident); ok {
			typ := id.Name
			if ours := typeElsewhere(typ); ours != "" {
				typ = ours
			}
			e.Note = "a conversion is written `" + typ + "(" + t.Value + ")`"
		}
	}
	return e
}

// declares are words of other languages that begin the declaration of a variable.
var declares = map[string]bool{"let": true, "auto": true, "val": true, "mut": true, "static": true, "constexpr": true, "def": true}

// words says the productions and tokens of the grammar in plain words.
var words = map[string]string{
	"Block": "`{`", "Stmt": "a statement", "TypeExpr": "a type", "Expr": "an expression", "Extent": "an extent",
	"Operand": "a constant", "InitStmt": "a statement", "SimpleStmt": "a statement", "Domain": "a domain",
	"Field": "a field", "Param": "a parameter", "Generic": "a generic parameter", "Ident": "a name", "<ident>": "a name",
	"ElseStmt": "`if` or `{` behind `else`", "ConstSpec": "a name", "TypeSpec": "a name", "CaseClause": "`case` or `}`",
	"Attr": "an attribute", "KernelDecl": declWord, "<eof>": "end of declaration",
}

const declWord = "a declaration (`kernel`, `func`, `const`, `type`)"

// reword turns an error of participle into one of ours. The tokens are those of the declaration.
func reword(err error, toks []token) diag.Error {
	var f *failure
	if errors.As(err, &f) {
		if e, ok := f.what.(*SyntaxError); ok && e.At.Offset == toks[len(toks)-1].Pos.Offset {
			c := &context{toks: toks, at: len(toks) - 1}
			c.atEnd(e)
		}
		return f.what
	}
	var u *participle.UnexpectedTokenError
	if !errors.As(err, &u) { // no capture can fail: what is left is a list of more than MaxIterations
		many := err.(participle.Error)
		return &SyntaxError{
			At: position(many.Position()), Want: fmt.Sprintf("no more than %d in a row", participle.MaxIterations), Found: "one more",
		}
	}
	at := indexOf(toks, u.Unexpected.Pos.Offset)
	for at < len(toks)-1 && (toks[at].Type != u.Unexpected.Type || toks[at].Value != u.Unexpected.Value) {
		at++
	}
	c := &context{toks: toks, at: at, want: expectation(u.Message())}
	return c.explain()
}

// expectation extracts the first thing that participle says it expected.
func expectation(message string) string {
	i := strings.Index(message, "(expected ")
	if i < 0 {
		return ""
	}
	e := strings.TrimLeft(message[i+len("(expected "):], "(")
	if strings.HasPrefix(e, `"`) {
		if j := strings.Index(e[1:], `"`); j > 0 {
			return "`" + e[1:1+j] + "`"
		}
	}
	symbol := e
	if j := strings.IndexAny(e, " )*?+"); j >= 0 {
		symbol = e[:j]
	}
	return words[symbol]
}

// context is a place in a declaration where something else was expected.
type context struct {
	toks []token
	at   int
	want string // in words, or empty
}

// token returns the token n places from the unexpected one; before the first there is an end of file.
func (c *context) token(n int) *token {
	if i := c.at + n; 0 <= i && i < len(c.toks) {
		return &c.toks[i]
	}
	return &token{Type: eof}
}

// explain chooses the most helpful error for the place.
func (c *context) explain() diag.Error {
	t, before, after := c.token(0), c.token(-1), c.token(1)
	open := c.opener()
	var openTok *token
	if open >= 0 {
		openTok = &c.toks[open]
	}
	kind, _ := declName(c.toks)
	refuse := func(what, instead string) diag.Error {
		return &NotInLanguageError{At: position(t.Pos), To: endOf(t), What: what, Instead: instead}
	}
	e := &SyntaxError{At: position(t.Pos), To: endOf(t), Want: c.want, Found: found(t)}
	foreign(e, t)
	switch {
	case t.Type == tokKeyword && (c.want == "a parameter" || c.want == "a generic parameter" || c.want == "a field"):
		return unexpected(t, "a name")
	case t.Type == tokNewline && isOp(after, "{") && (c.want == "`{`" || open < 0):
		return &BraceError{At: position(after.Pos)}
	case isOp(t, "{") && before.Type == tokNewline && strings.HasPrefix(c.want, "an "):
		return &BraceError{At: position(t.Pos)}
	case isOp(t, ":=") && c.typeSwitch():
		return refuse("type switches", "")
	case c.want == "`=`" && (isOp(t, "]") || isOp(t, ",")):
		e.Want = "the types that the parameter stands for, or `=` and constants"
		if before.Type == tokIdent && typeNamed[before.Value] {
			e.Note = "`|` stands between types: `[T float32|float64]`"
		}
	case c.want == "`{`" && (isOp(t, ":=") || isOp(t, "=")):
		e.Want = "a condition"
		e.Note = "`==` compares; a definition before the condition ends with `;`"
	case c.want == "`{`" && isWord(before, "not"):
		return &SyntaxError{At: position(before.Pos), To: endOf(before), Want: "a condition", Found: found(before), Fix: "write `!`"}
	case c.want == "`;`" && open >= 0 && isOp(openTok, "{") && isOp(before, ")"):
		e.Want, e.Note = "`{`", "a body stands in braces"
	case c.want == "`in`" && isKeyword(c.token(-2), "for") && t.Type == tokIdent && typeNamed[before.Value]:
		e.Note = forNote
	case kind == "kernel" && open < 0 && c.required() && (isWord(t, "requires") || t.Type == tokNewline && isWord(after, "requires")):
		if t.Type == tokNewline {
			e.At, e.To = position(after.Pos), endOf(after)
		}
		e.Want, e.Found, e.Fix = "`for` or `blocks`", "a second `requires`", "one `requires` has all relations, with `,` between them"
	case c.want == "`{`" && isWord(t, "requires"):
		e.Note = "`requires` stands before the domain"
	case c.want == "`(`" && isOp(t, "<"):
		e.Note = "generic parameters stand in brackets: `[T float32|float64]`"
	case c.want == "`(`" && kind == "kernel" && t.Type == tokIdent:
		e.Note = kernelNote
	case c.want == "a type" && isOp(t, ":"):
		e.Note = "the type stands behind the name without a colon: `x float32`"
	case c.want == "`]`" && isOp(t, "."):
		e.Note = "a generic parameter lists its types: `[T float32|float64]`"
	case c.want == "" && isWord(before, "by"):
		e.Want = "`block` or `tile` behind `by`"
	case kind == "type" && c.want == "a type" && (isEnd(t) || isOp(t, "}")):
		return &NotInLanguageError{At: position(before.Pos), To: endOf(before), What: "embedded fields", Instead: "give the field a name"}
	case kind == "type" && t.Type == tokString:
		return refuse("field tags", "")
	case c.want == "`)`" && open > 0 && isOp(&c.toks[open-1], ")") && kind == "func" && t.Type == tokIdent:
		return &NotInLanguageError{At: position(before.Pos), To: endOf(before), What: "named results", Instead: "list the types alone"}
	case openTok != nil && isOp(openTok, "(") && isOp(t, "[") && c.token(-2).Type == tokIdent && meant(before, "mut") != "":
		return &SyntaxError{At: position(before.Pos), To: endOf(before), Want: "`mut` or a type", Found: found(before), Fix: "did you mean `mut`?"}
	case c.want == "`in`" && meant(t, "in") != "":
		e.Fix = "did you mean `in`?"
	case c.want == "`{`" && open < 0 && kind == "kernel" && isKeyword(t, "for"):
		e.Note = "a domain of two dims is written `for y, x in h, w`"
	case c.want == "`{`" && isOp(t, ":"):
		e.Note = "a range `lo:hi` has no step: multiply the index, as in `x[2*i]`"
	case openTok != nil && isOp(openTok, "(") && t.Type == tokIdent && isWord(before, "mut"):
		e.Want = "`,` or `)`"
		e.Fix = "`mut` stands behind the names: `x mut [n]T`"
	case openTok != nil && isOp(openTok, "(") && isOp(t, "[") && typeNamed[before.Value]:
		e.Want = "`,` or `)`"
		e.Fix = "the extents stand before the type of the elements: `[n]" + before.Value + "`"
	case openTok != nil && isOp(openTok, "(") && isOp(t, "[") && isWord(c.token(-2), "mut"):
		e.Want = "`,` or `)`"
		e.Fix = "`mut` stands behind the names: `" + before.Value + " mut [n]T`"
	case c.want == "`)`" && t.Type == tokKeyword && (isOp(before, "(") || isOp(before, ",")):
		return unexpected(t, "a name")
	case c.want == "`)`" && !isOp(before, "(") && !isOp(before, ","):
		e.Want = "`,` or `)`"
	case c.want == "`}`" && !t.EOF():
		switch {
		case kind == "type":
			e.Want = "end of line or `}`"
		case c.inSwitch(open):
			e.Want = "`case`, `default` or `}`"
		default:
			e.Want = "a statement or `}`"
		}
	case c.want == "`{`" && kind == "kernel" && open < 0 && isOp(before, ")"):
		e.Want = "`requires`, `for`, `blocks` or `{`"
		switch w := meant(t, "requires", "for", "blocks"); {
		case w != "":
			e.Fix = "did you mean `" + w + "`?"
		case isWord(t, "by"):
			e.Note = "`by block` stands behind the domain: `for r in rows by block`"
		case isWord(t, "threads"):
			e.Note = "`blocks … in …` stands before `threads … in …`"
		case t.Type == tokIdent && typeNamed[t.Value] || isOp(t, "("):
			e.Note = "a kernel gives nothing back: it writes to a view that is `mut`"
		}
	case c.want == "`in`" && isOp(t, ":=") && isKeyword(after, "range"):
		e.Fix = inFix
	case kind == "type" && open > 0 && isOp(openTok, "{") && isOp(t, ","):
		e.Want, e.Note = "end of line or `}`", "a line or `;` ends a field"
	case c.want == declWord && declFix(t, after) != "":
		e.Fix = declFix(t, after)
	case c.want == declWord && (strings.HasPrefix(t.Value, "__") || t.Value == "void" || t.Value == "extern"):
		e.Note = kernelNote
	case c.want == declWord:
		if w := meant(t, "kernel", "func", "const", "type"); w != "" {
			e.Fix = "did you mean `" + w + "`?"
		}
	case c.want == "" || open < 0 && c.want == "`;`":
		e.Want = "end of declaration"
	}
	if t.Type == tokKeyword && e.Want == "a name" {
		return unexpected(t, e.Want)
	}
	if t.EOF() {
		c.atEnd(e)
	}
	return e
}

const kernelNote = "`kernel Name(x mut [n]float32) for i in n { … }` declares a kernel"

// declFix returns how a declaration that begins as in another language begins here, or nothing.
func declFix(t, after *token) string {
	switch t.Value {
	case "fn", "def", "function", "fun":
		return "write `func`"
	case "struct":
		return "write `type " + after.Value + " struct`"
	case "include":
		return "the builtins need no header"
	case "define", "constexpr", "let", "static":
		return "write `const`"
	}
	return ""
}

// typeNamed are the names of basic types here and elsewhere, which the parser knows for its messages alone.
var typeNamed = func() map[string]bool {
	m := map[string]bool{"int": true, "bool": true}
	for theirs, ours := range scalars {
		m[theirs], m[ours] = true, true
	}
	return m
}()

// required reports whether the kernel has had `requires`, and no domain yet.
func (c *context) required() bool {
	had := false
	for i := range c.at {
		switch t := &c.toks[i]; {
		case isWord(t, "requires") && i > 0 && (isOp(&c.toks[i-1], ")") || c.toks[i-1].Type == tokNewline):
			had = true
		case isKeyword(t, "for"), had && isWord(t, "blocks"):
			return false
		}
	}
	return had
}

// typeSwitch reports whether `.(type)` follows in the header.
func (c *context) typeSwitch() bool {
	for i := 1; c.token(i).Type != tokBlock && !c.token(i).EOF(); i++ {
		if isOp(c.token(i), "(") && isKeyword(c.token(i+1), "type") {
			return true
		}
	}
	return false
}

// inSwitch reports whether the brace at open belongs to a `switch` and no case has begun in it.
func (c *context) inSwitch(open int) bool {
	for i := open + 1; i < c.at; i++ {
		if isKeyword(&c.toks[i], "case") || isKeyword(&c.toks[i], "default") {
			return false
		}
	}
	for i := open - 1; i >= 0 && !isOp(&c.toks[i], "{") && !isOp(&c.toks[i], "}"); i-- {
		if t := &c.toks[i]; t.Type == tokKeyword {
			return t.Value == "switch"
		}
	}
	return false
}

// atEnd completes an error at the end of the declaration, which the cut made and which may not be that of the file.
func (c *context) atEnd(e *SyntaxError) {
	open := c.opener()
	if open >= 0 {
		e.Open = position(c.toks[open].Pos)
		if isOp(&c.toks[open], "{") && (e.Want == "end of statement" || e.Want == "a statement") {
			e.Want = "`}`"
		}
	}
	switch {
	case c.toks[len(c.toks)-1].Value == "":
		e.Found = "end of file"
	case open >= 0:
		e.Found = "end of declaration"
	default:
		e.Found = "end of line"
	}
}

// opener returns the index of the innermost bracket open at the place, or -1.
func (c *context) opener() int {
	depth := 0
	for i := c.at - 1; i >= 0; i-- {
		t := &c.toks[i]
		switch {
		case isOp(t, "}"), isOp(t, ")"), isOp(t, "]"):
			depth++
		case isOp(t, "{"), isOp(t, "("), isOp(t, "["):
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}
