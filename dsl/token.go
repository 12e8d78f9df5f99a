package dsl

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/gpugen/gpugen/dsl/diag"
)

// token is participle's, so that one slice of tokens serves both parsers.
type token = lexer.Token

// The types of tokens. A brace that opens a block and a line end that ends a statement have the values "{" and ";" as
// their kin have, so the grammar sees no difference; see shape.
const (
	tokIdent lexer.TokenType = -(iota + 2)
	tokKeyword
	tokInt
	tokFloat
	tokChar
	tokString
	tokOp
	tokBlock   // "{" that opens a block in a header's end, never a composite literal
	tokSemi    // ";" in the source
	tokNewline // ";" that a line end stands for
	tokElided  // a line end inside brackets that ends nothing
)

// definition tells participle the names that the grammar uses. The tokens themselves come from scan.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Ident": tokIdent, "Keyword": tokKeyword, "Int": tokInt, "Float": tokFloat, "Char": tokChar,
		"String": tokString, "Op": tokOp, "Block": tokBlock, "Semi": tokSemi, "Newline": tokNewline,
	}
}

// Lex satisfies lexer.Definition. Lexical errors are lost here; Parse, which keeps them, does not come this way.
func (definition) Lex(name string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return &stream{tokens: scan(name, string(src)).tokens}, nil
}

// stream hands a slice of tokens to participle.
type stream struct {
	tokens []token // the last is EOF
	next   int
}

func (s *stream) Next() (token, error) {
	for s.tokens[s.next].Type == tokElided {
		s.next++
	}
	t := s.tokens[s.next]
	if !t.EOF() {
		s.next++
	}
	return t, nil
}

func isOp(t *token, v string) bool {
	return (t.Type == tokOp || t.Type == tokBlock) && t.Value == v
}

func isKeyword(t *token, v string) bool { return t.Type == tokKeyword && t.Value == v }
func isWord(t *token, v string) bool    { return t.Type == tokIdent && t.Value == v }
func isEnd(t *token) bool               { return t.Type == tokSemi || t.Type == tokNewline }

// endOf returns the position just behind t.
func endOf(t *token) diag.Pos {
	p := position(t.Pos)
	if t.Type == tokNewline || t.EOF() {
		return p
	}
	return advance(p, t.Value)
}

// advance returns the position behind text that starts at p and may hold line ends and wide characters.
func advance(p diag.Pos, text string) diag.Pos {
	p.Offset += len(text)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		p.Line += strings.Count(text, "\n")
		p.Col = 1
		text = text[i+1:]
	}
	p.Col += utf8.RuneCountInString(text)
	return p
}

// found says a token in words, for messages.
func found(t *token) string {
	switch {
	case t.EOF():
		return "end of file"
	case t.Type == tokNewline:
		return "end of line"
	case t.Type == tokKeyword:
		return "keyword `" + t.Value + "`"
	case t.Type == tokString && len(t.Value) > 20:
		return "a string"
	}
	return "`" + t.Value + "`"
}

var keywords = func() map[string]bool {
	m := map[string]bool{}
	for _, k := range strings.Fields(`break case chan const continue default defer else fallthrough for func go goto if
		import interface map package range return select struct switch type var`) {
		m[k] = true
	}
	return m
}()

// operators by first byte, longest first.
var operators = func() (by [256][]string) {
	for _, o := range strings.Fields(`<<= >>= &^= ... && || << >> &^ += -= *= /= %= &= |= ^= == != <= >= := ++ -- <-
		+ - * / % & | ^ < > = ! ( ) [ ] { } , . : ; @ ~`) {
		by[o[0]] = append(by[o[0]], o)
	}
	return by
}()
