package diag

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sources holds the text of files by the name in their positions; renderers quote lines from it. A file that is not
// there is not quoted.
type Sources map[string][]byte

// line returns line n of a file without its end.
func (s Sources) line(file string, n int) (string, bool) {
	src, ok := s[file]
	if !ok || n < 1 {
		return "", false
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	for ; n > 1; n-- {
		i := bytes.IndexByte(src, '\n')
		if i < 0 {
			return "", false
		}
		src = src[i+1:]
	}
	if i := bytes.IndexByte(src, '\n'); i >= 0 {
		src = src[:i]
	}
	return string(bytes.TrimSuffix(src, []byte("\r"))), true
}

// maxQuote bounds a quoted line, so that a file of one line stays readable.
const maxQuote = 240

// Text writes the diagnostics for a terminal: the line `file:line:col: error: message [code]`, the source line with a
// caret line under it, the same for each label, then notes and the fix.
func Text(w io.Writer, l List, s Sources) error {
	var b strings.Builder
	for _, d := range l {
		b.WriteString(d.Error())
		b.WriteByte('\n')
		quote(&b, s, d.Pos, d.End)
		for _, x := range d.Labels {
			b.WriteString(x.Pos.String() + ": note: " + x.Message + "\n")
			quote(&b, s, x.Pos, x.End)
		}
		for _, n := range d.Notes {
			b.WriteString("note: " + n + "\n")
		}
		if d.Fix != "" {
			b.WriteString("fix: " + d.Fix + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// quote writes the source line of pos and a caret line that stands under it at any tab width: tabs are repeated, wide
// characters count twice.
func quote(b *strings.Builder, s Sources, pos, end Pos) {
	line, ok := s.line(pos.File, pos.Line)
	if !ok || len(line) > maxQuote {
		return
	}
	runes := []rune(strings.ToValidUTF8(line, string(utf8.RuneError)))
	at := min(pos.Col-1, len(runes))
	to := at + 1
	if end.File == pos.File {
		switch {
		case end.Line == pos.Line:
			to = min(end.Col-1, len(runes))
		case end.Line > pos.Line:
			to = len(runes)
		}
	}
	number := strconv.Itoa(pos.Line)
	margin := strings.Repeat(" ", len(number))
	b.WriteString(" " + number + " | ")
	for _, r := range runes {
		if r != '\t' && !unicode.IsPrint(r) {
			r = utf8.RuneError
		}
		b.WriteRune(r)
	}
	b.WriteString("\n " + margin + " | ")
	for _, r := range runes[:at] {
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteString(strings.Repeat(" ", width(r)))
		}
	}
	b.WriteByte('^')
	if at < to {
		n := -1
		for _, r := range runes[at:min(to, len(runes))] {
			n += width(r)
		}
		b.WriteString(strings.Repeat("~", max(n, 0)))
	}
	b.WriteByte('\n')
}

// wide lists the blocks whose characters a terminal draws two cells wide.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{{0x1100, 0x115f, 1}, {0x2e80, 0x303e, 1}, {0x3041, 0xa4cf, 1}, {0xa960, 0xa97f, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1}},
	R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x3fffd, 1}},
}

func width(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
