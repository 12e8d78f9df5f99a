package diag

import (
	"cmp"
	"strconv"
)

// Pos is a place in a source file. The zero Pos is unknown.
type Pos struct {
	File   string // the name given to the parser
	Offset int    // in bytes, from 0
	Line   int    // from 1
	Col    int    // in runes, from 1; a tab is one column
}

// IsValid reports whether the position is known.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String returns file:line:col, or what of it is known.
func (p Pos) String() string {
	if !p.IsValid() {
		if p.File == "" {
			return "-"
		}
		return p.File
	}
	s := strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col)
	if p.File == "" {
		return s
	}
	return p.File + ":" + s
}

// Compare orders positions by file, then by place in it.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Offset, q.Offset))
}

// Advance returns the position n columns of ASCII text further on the same line.
func (p Pos) Advance(n int) Pos {
	if p.IsValid() {
		p.Offset += n
		p.Col += n
	}
	return p
}
