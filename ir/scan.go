package ir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
)

// tokenKind is the kind of a token of the text form.
type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokLine
	tokWord   // identifier or keyword
	tokNumber // unsigned
	tokString // unquoted
	tokPunct
)

// token is a token and the line that it stands on.
type token struct {
	kind tokenKind
	text string
	line int
}

// twoChars are the punctuation marks of two characters.
var twoChars = []string{"==", "!=", "<=", ">=", "&&", "||"}

// scan cuts src into tokens. Line ends are tokens; comments run from // to the end of the line.
func scan(src string) ([]token, error) {
	var out []token
	line := 1
	for i := 0; i < len(src); {
		c := src[i]
		rest := src[i:]
		n := 1
		kind := tokPunct
		switch {
		case c == '\n':
			out = append(out, token{tokLine, "end of line", line})
			line++
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case strings.HasPrefix(rest, "//"):
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
			i += n
			continue
		case c == '"':
			q, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, fmt.Errorf("ir: line %d: string not terminated", line)
			}
			s, _ := strconv.Unquote(q)
			out = append(out, token{tokString, s, line})
			i += len(q)
			continue
		case isDigit(c):
			kind = tokNumber
			for n < len(rest) && (isWord(rest[n]) || rest[n] == '.' || (rest[n] == '-' || rest[n] == '+') && rest[n-1] == 'e' && !strings.HasPrefix(rest, "0x")) {
				n++
			}
		case isWord(c):
			kind = tokWord
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
		default:
			for _, t := range twoChars {
				if strings.HasPrefix(rest, t) {
					n = 2
				}
			}
		}
		out = append(out, token{kind, rest[:n], line})
		i += n
	}
	return append(out, token{tokLine, "end of line", line}, token{tokEnd, "end of file", line}), nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// headerBinary maps an operator's text to the operation and its precedence.
var headerBinary = map[string]struct {
	op   types.HeaderOp
	prec int
}{
	"||": {types.HOr, 1}, "&&": {types.HAnd, 2},
	"==": {types.HEq, 3}, "!=": {types.HNe, 3}, "<": {types.HLt, 3}, "<=": {types.HLe, 3}, ">": {types.HGt, 3}, ">=": {types.HGe, 3},
	"+": {types.HAdd, 4}, "-": {types.HSub, 4}, "*": {types.HMul, 5}, "/": {types.HDiv, 5}, "%": {types.HRem, 5},
}

var headerCalls = map[string]types.HeaderOp{"ceildiv": types.HCeilDiv, "min": types.HMin, "max": types.HMax}

// header parses a header expression whose operators bind at least as tightly as prec.
func (p *parser) header(prec int) *types.Header {
	x := p.headerUnary()
	for {
		b, ok := headerBinary[p.tok.text]
		if p.tok.kind != tokPunct || !ok || b.prec < prec {
			return x
		}
		p.next()
		x = &types.Header{Op: b.op, X: x, Y: p.header(b.prec + 1)}
	}
}

func (p *parser) headerUnary() *types.Header {
	switch t := p.tok; {
	case p.accept("!"):
		return &types.Header{Op: types.HNot, X: p.headerUnary()}
	case p.accept("-"):
		if p.tok.kind == tokNumber {
			return types.Const(p.int("-"))
		}
		return &types.Header{Op: types.HNeg, X: p.headerUnary()}
	case p.accept("("):
		x := p.header(0)
		p.expect(")")
		return x
	case t.kind == tokNumber:
		return types.Const(p.int(""))
	default:
		name := p.word()
		op, ok := headerCalls[name]
		if !ok || !p.accept("(") {
			return types.Sym(name)
		}
		x := p.header(0)
		p.expect(",")
		y := p.header(0)
		p.expect(")")
		return &types.Header{Op: op, X: x, Y: y}
	}
}
