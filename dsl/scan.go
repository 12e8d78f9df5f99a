package dsl

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/gpugen/gpugen/dsl/diag"
)

// A comment is kept beside the tokens.
type comment struct {
	pos     lexer.Position
	endLine int
	text    string // with its markers, without carriage returns
	alone   bool   // first on its line
}

// scanner turns a file into Go's tokens, automatic semicolons included. It never fails: its errors come beside the
// tokens, and what is wrong still gives the token that was probably meant, so that the parser reports nothing twice.
type scanner struct {
	src, name string
	off       int
	line, col int

	tokens   []token
	comments []comment
	errs     diag.List
	// misleading holds the offsets of errors after which the tokens may not be what was meant.
	misleading []int
	strayEnd   int // just behind the last character that begins no token

	semi    bool           // the last token ends a statement if the line ends
	semiPos lexer.Position // just behind it
}

const bom = "\ufeff"

// scan scans all of src.
func scan(name, src string) *scanner {
	s := &scanner{src: src, name: name, line: 1, col: 1}
	s.tokens = make([]token, 0, len(src)/3+8)
	if strings.HasPrefix(src, bom) {
		s.off = len(bom)
	}
	for s.off < len(s.src) {
		s.next()
	}
	s.endLine()
	s.tokens = append(s.tokens, token{Type: lexer.EOF, Pos: s.pos()})
	s.checkEncoding()
	return s
}

func (s *scanner) pos() lexer.Position {
	return lexer.Position{Filename: s.name, Offset: s.off, Line: s.line, Column: s.col}
}

// at returns the byte n further on, or 0.
func (s *scanner) at(n int) byte {
	if s.off+n < len(s.src) {
		return s.src[s.off+n]
	}
	return 0
}

// skip passes n bytes, counting lines, and runes for columns.
func (s *scanner) skip(n int) {
	for _, c := range []byte(s.src[s.off : s.off+n]) {
		switch {
		case c == '\n':
			s.line++
			s.col = 1
		case c&0xC0 != 0x80:
			s.col++
		}
	}
	s.off += n
}

func (s *scanner) emit(typ lexer.TokenType, n int, endsStatement bool) {
	t := token{Type: typ, Value: s.src[s.off : s.off+n], Pos: s.pos()}
	s.skip(n)
	s.tokens = append(s.tokens, t)
	if s.semi = endsStatement; endsStatement {
		s.semiPos = s.pos()
	}
}

// endLine adds the semicolon that a line end stands for.
func (s *scanner) endLine() {
	if s.semi {
		s.tokens = append(s.tokens, token{Type: tokNewline, Value: ";", Pos: s.semiPos})
		s.semi = false
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func (s *scanner) next() {
	c := s.src[s.off]
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		s.off++
		s.col++
	case c == '\n':
		s.endLine()
		s.skip(1)
	case c == '/' && (s.at(1) == '/' || s.at(1) == '*'):
		s.comment()
	case isLetter(c):
		s.word()
	case isDigit(c) || c == '.' && isDigit(s.at(1)):
		s.number()
	case c == '"' || c == '\'':
		s.quoted(c)
	case c == '`':
		s.raw()
	default:
		for _, o := range operators[c] {
			if strings.HasPrefix(s.src[s.off:], o) {
				if o == ";" {
					s.emit(tokSemi, 1, false)
				} else {
					s.emit(tokOp, len(o), o == ")" || o == "]" || o == "}" || o == "++" || o == "--")
				}
				return
			}
		}
		s.stray()
	}
}

func (s *scanner) comment() {
	c := comment{pos: s.pos(), alone: len(s.tokens) == 0 || s.tokens[len(s.tokens)-1].Pos.Line != s.line}
	rest := s.src[s.off:]
	var n int
	if rest[1] == '/' {
		// The semicolon of the line end stands before the comment, as in Go.
		s.endLine()
		if n = strings.IndexByte(rest, '\n'); n < 0 {
			n = len(rest)
		}
		c.text = strings.TrimSuffix(rest[:n], "\r")
	} else {
		n = strings.Index(rest[2:], "*/") + 4
		if n < 4 {
			s.errs.Report(&UnterminatedCommentError{At: position(c.pos)})
			// What is missing at the end of the file is missing since the last token.
			last := s.off
			if k := len(s.tokens); k > 0 {
				last = s.tokens[k-1].Pos.Offset + len(s.tokens[k-1].Value)
			}
			s.misleading = append(s.misleading, last)
			n = len(rest)
		}
		if strings.IndexByte(rest[:n], '\n') >= 0 {
			s.endLine()
		}
		c.text = strings.ReplaceAll(rest[:n], "\r", "")
	}
	s.skip(n)
	c.endLine = s.line
	s.comments = append(s.comments, c)
}

func (s *scanner) word() {
	n := s.wordLen()
	w := s.src[s.off : s.off+n]
	switch {
	case !ascii(w):
		s.errs.Report(&NonASCIIIdentifierError{At: position(s.pos()), Name: w})
		s.emit(tokIdent, n, true)
	case w == "select" && s.calls(n):
		// `select(c, a, b)` is a builtin; Go's select statement never has a parenthesis here.
		s.emit(tokIdent, n, true)
	case keywords[w]:
		s.emit(tokKeyword, n, w == "break" || w == "continue" || w == "fallthrough" || w == "return")
	default:
		s.emit(tokIdent, n, true)
	}
}

// wordLen measures the word at the scanner, letters beyond ASCII included: they are one error, not many.
func (s *scanner) wordLen() int {
	n := 0
	for s.off+n < len(s.src) {
		c := s.src[s.off+n]
		if isLetter(c) || isDigit(c) {
			n++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeRuneInString(s.src[s.off+n:])
		if !unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) {
			break
		}
		n += size
	}
	return n
}

// Foreign reports a name beyond ASCII, which Parse has reported.
func (e *Ident) Foreign() bool { return !ascii(e.Name) }

func ascii(w string) bool {
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// calls reports whether the next token, n bytes on, is `(`.
func (s *scanner) calls(n int) bool {
	for s.at(n) == ' ' || s.at(n) == '\t' {
		n++
	}
	return s.at(n) == '('
}

func (s *scanner) quoted(quote byte) {
	n := 1
	for s.off+n < len(s.src) && s.at(n) != quote && s.at(n) != '\n' {
		if s.at(n) == '\\' && s.at(n+1) != '\n' && s.off+n+1 < len(s.src) {
			n++
		}
		n++
	}
	typ, at := tokString, position(s.pos())
	if quote == '\'' {
		typ = tokChar
	}
	if s.at(n) != quote {
		if s.at(n-1) == '\r' {
			n--
		}
		s.errs.Report(&UnterminatedLiteralError{At: at, Char: quote == '\''})
		s.misleading = append(s.misleading, s.off)
	} else {
		n++
		if lit := s.src[s.off : s.off+n]; utf8.ValidString(lit) {
			if _, err := strconv.Unquote(lit); err != nil || lit == "''" {
				s.errs.Report(&LiteralError{At: at, Text: lit, Char: quote == '\''})
			}
		}
	}
	s.emit(typ, n, true)
}

func (s *scanner) raw() {
	n := strings.IndexByte(s.src[s.off+1:], '`') + 2
	if n < 2 {
		s.errs.Report(&UnterminatedLiteralError{At: position(s.pos())})
		s.misleading = append(s.misleading, s.off)
		n = len(s.src) - s.off
	}
	s.emit(tokString, n, true)
	t := &s.tokens[len(s.tokens)-1]
	t.Value = strings.ReplaceAll(t.Value, "\r", "")
}

// stray passes characters that begin no token. A run of them is one error.
func (s *scanner) stray() {
	r, n := utf8.DecodeRuneInString(s.src[s.off:])
	if r >= utf8.RuneSelf && unicode.IsLetter(r) {
		s.word()
		return
	}
	switch {
	case r == 0, r == utf8.RuneError && n == 1: // reported once a file by checkEncoding
	case string(r) == bom:
		s.errs.Report(&ByteOrderMarkError{At: position(s.pos())})
	default:
		if s.strayEnd != s.off || s.off == 0 {
			s.errs.Report(&StrayCharacterError{At: position(s.pos()), Char: r})
			s.misleading = append(s.misleading, s.off)
		}
		s.strayEnd = s.off + n
	}
	s.skip(n)
}

// checkEncoding reports the first byte that is no UTF-8 and the first NUL, wherever they are, comments included. Files
// that hold many are no text, and one report says so.
func (s *scanner) checkEncoding() {
	if i := strings.IndexByte(s.src, 0); i >= 0 {
		s.errs.Report(&NullCharacterError{At: s.posAt(i)})
		s.misleading = append(s.misleading, i)
	}
	if utf8.ValidString(s.src) {
		return
	}
	for i := 0; i < len(s.src); {
		r, n := utf8.DecodeRuneInString(s.src[i:])
		if r == utf8.RuneError && n == 1 {
			s.errs.Report(&EncodingError{At: s.posAt(i), Byte: s.src[i]})
			s.misleading = append(s.misleading, i)
			return
		}
		i += n
	}
}

// posAt counts from the start of the file to an offset.
func (s *scanner) posAt(off int) diag.Pos {
	c := &scanner{src: s.src, name: s.name, line: 1, col: 1}
	if strings.HasPrefix(c.src, bom) && off >= len(bom) {
		c.off = len(bom)
	}
	c.skip(off - c.off)
	return position(c.pos())
}
