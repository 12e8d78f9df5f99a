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
	if isOp(t, "++") || isOp(t, "--") {
		e.Note = "`" + t.Value + "` is a statement, not a value"
	}
	return e
}

// afterStmt returns the error for a token behind a complete statement.
func afterStmt(s Stmt, t *token) diag.Error {
	if isOp(t, "<-") {
		return &NotInLanguageError{At: position(t.Pos), To: endOf(t), What: "channels"}
	}
	e := unexpected(t, "end of statement").(*SyntaxError)
	var last Expr
	switch s := s.(type) {
	case *DefineStmt:
		last = s.Values[len(s.Values)-1]
	case *AssignStmt:
		last = s.Values[len(s.Values)-1]
	case *ReturnStmt:
		if n := len(s.Values); n > 0 {
			last = s.Values[n-1]
		}
	case *ExprStmt:
		switch id, _ := s.X.(*Ident); {
		case id != nil && id.Name == "while":
			e.Fix = "`for` is the loop with a condition"
		case id != nil && t.Type == tokIdent:
			e.Note = declares(id.Name, t.Value)
		}
	}
	if p, ok := last.(*ParenExpr); ok && (t.Type == tokIdent || t.Type == tokInt || t.Type == tokFloat) {
		if id, ok := p.X.(*Ident); ok {
			e.Note = "a conversion is written `" + id.Name + "(" + t.Value + ")`"
		}
	}
	return e
}

// declares says how a variable is declared that was written as in C or another language: `float v`, `let v`.
func declares(before, name string) string {
	typ := before
	switch before {
	case "let", "auto", "mut", "val":
		return "`" + name + " := …` declares a variable"
	case "float", "double", "char", "short", "long", "half", "unsigned", "uint", "signed":
		typ = map[string]string{
			"float": "float32", "double": "float64", "char": "int8", "short": "int16", "long": "int64", "half": "float16", "unsigned": "uint32", "uint": "uint32", "signed": "int32",
		}[before]
	}
	return "`var " + name + " " + typ + "` or `" + name + " := " + typ + "(…)` declares a variable"
}

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
		} else if ok && e.Note == "" && e.Fix == "" {
			c := &context{toks: toks, at: indexOf(toks, e.At.Offset), want: e.Want}
			c.advise(e)
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
	switch {
	case t.Type == tokNewline && isOp(after, "{") && (c.want == "`{`" || open < 0):
		return &BraceError{At: position(after.Pos)}
	case isOp(t, "{") && before.Type == tokNewline && strings.HasPrefix(c.want, "an "):
		return &BraceError{At: position(t.Pos)}
	case isOp(t, ":=") && c.typeSwitch():
		return refuse("type switches", "")
	case c.want == "`=`" && (isOp(t, "]") || isOp(t, ",")):
		e.Want = "the types that the parameter stands for, or `=` and constants"
	case c.want == "`{`" && (isOp(t, ":=") || isOp(t, "=")):
		e.Want = "a condition"
		e.Note = "`==` compares; a definition before the condition ends with `;`"
	case c.want == "" && isWord(before, "by"):
		e.Want = "`block` or `tile` behind `by`"
	case kind == "type" && c.want == "a type" && (isEnd(t) || isOp(t, "}")):
		return &NotInLanguageError{At: position(before.Pos), To: endOf(before), What: "embedded fields", Instead: "give the field a name"}
	case kind == "type" && t.Type == tokString:
		return refuse("field tags", "")
	case c.want == "`)`" && open > 0 && isOp(&c.toks[open-1], ")") && kind == "func" && t.Type == tokIdent:
		return &NotInLanguageError{At: position(before.Pos), To: endOf(before), What: "named results", Instead: "list the types alone"}
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
	case kind == "kernel" && open < 0 && t.Type == tokNewline && isWord(after, "requires"):
		return &SyntaxError{At: position(after.Pos), To: endOf(after), Want: "`for` or `blocks`", Found: "a second `requires`", Fix: "one `requires` has all relations, with `,` between them"}
	case kind == "kernel" && open < 0 && isWord(t, "requires"):
		e.Want, e.Found, e.Fix = "`for` or `blocks`", "a second `requires`", "one `requires` has all relations, with `,` between them"
	case c.want == declWord && foreignDecls[t.Value] != "":
		e.Fix = foreignDecls[t.Value]
	case c.want == declWord && t.Type == tokIdent && len(t.Value) == len("kernel") && t.Value[0] == 'k':
		e.Fix = "`kernel`"
	case c.want == "" || open < 0 && c.want == "`;`":
		e.Want = "end of declaration"
	}
	if t.Type == tokKeyword && e.Want == "a name" {
		return unexpected(t, e.Want)
	}
	if t.EOF() {
		c.atEnd(e)
	}
	if e.Note == "" && e.Fix == "" {
		c.advise(e)
	}
	return e
}

// foreignDecls are the words that begin declarations in other languages.
var foreignDecls = map[string]string{
	"fn": "`func`", "def": "`func`", "function": "`func`", "__device__": "`func`", "void": "`func`",
	"__global__": "`kernel`", "__kernel": "`kernel`", "struct": "`type Name struct { … }`", "let": "`const`", "static": "`const`",
}

// advise adds to an error what was probably meant, where Go or C writes it otherwise.
func (c *context) advise(e *SyntaxError) {
	t, before, after := c.token(0), c.token(-1), c.token(1)
	switch {
	case e.Want == "`in`" && (isOp(t, ":=") || isOp(t, "=")) && isKeyword(after, "range"):
		e.Fix = "write `in` for `" + t.Value + " range`"
	case e.Want == "an expression" && isKeyword(t, "range") && isWord(before, "in"):
		e.Fix = "leave `range` out"
	case e.Want == "an expression" && isOp(t, "{"):
		e.Note = "a literal begins with its type: `[2]float32{1, 2}`, `Point{1, 2}`, `float32x2(1, 2)`"
	}
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
