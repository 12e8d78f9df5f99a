package dsl

import (
	"fmt"
	"unicode"

	"github.com/gpugen/gpugen/dsl/diag"
)

// UnterminatedCommentError is a `/*` without its `*/`.
//
// Example (unterminated-comment):
//
//	package p
//	/* never closed
type UnterminatedCommentError struct{ At diag.Pos }

// Diagnose implements diag.Error.
func (e *UnterminatedCommentError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "unterminated-comment", e.At, e.At.Advance(2)
	d.Message = "comment opened here is never closed"
}

// UnterminatedLiteralError is a string or character literal without its closing quote.
//
// Example (unterminated-literal):
//
//	package p
//	func f(x float32) float32 { assert(x > 0, "positive); return x }
type UnterminatedLiteralError struct {
	At   diag.Pos
	Char bool
}

// Diagnose implements diag.Error.
func (e *UnterminatedLiteralError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "unterminated-literal", e.At, e.At.Advance(1)
	d.Message = literalWord(e.Char) + " literal has no closing quote"
}

func literalWord(char bool) string {
	if char {
		return "character"
	}
	return "string"
}

// LiteralError is a string or character literal that Go would not read: an unknown escape, two characters in one.
//
// Example (bad-literal):
//
//	package p
//	const c = 'ab'
type LiteralError struct {
	At   diag.Pos
	Text string
	Char bool
}

// Diagnose implements diag.Error.
func (e *LiteralError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "bad-literal", e.At, advance(e.At, e.Text)
	d.Message = fmt.Sprintf("malformed %s literal `%s`", literalWord(e.Char), e.Text)
	if e.Char {
		d.Note("a character literal holds one character or one escape of Go's")
	} else {
		d.Note("the escapes are Go's")
	}
}

// NumberError is a number literal that Go would not read.
//
// Example (bad-number):
//
//	package p
//	const c = 08
type NumberError struct {
	At          diag.Pos
	Text, Fault string
}

// Diagnose implements diag.Error.
func (e *NumberError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "bad-number", e.At, advance(e.At, e.Text)
	text := e.Text
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	d.Message = fmt.Sprintf("malformed number `%s`: %s", text, e.Fault)
}

// NonASCIIIdentifierError is a name with letters beyond ASCII, which C and Metal do not have.
//
// Example (non-ascii-identifier):
//
//	package p
//	const größe = 1
type NonASCIIIdentifierError struct {
	At   diag.Pos
	Name string
}

// Diagnose implements diag.Error.
func (e *NonASCIIIdentifierError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End = "non-ascii-identifier", e.At, advance(e.At, e.Name)
	d.Message = fmt.Sprintf("non-ASCII identifier `%s`", e.Name)
	d.Note("names keep their spelling in CUDA C, Metal and OpenCL, so they are made of a-z, A-Z, 0-9 and `_`")
}

// StrayCharacterError is a character that begins no token.
//
// Example (stray-character):
//
//	package p
//	func f(x float32) float32 { return x > 0 ? x : 0 }
type StrayCharacterError struct {
	At   diag.Pos
	Char rune
}

// Diagnose implements diag.Error.
func (e *StrayCharacterError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos = "stray-character", e.At
	if unicode.IsPrint(e.Char) {
		d.Message = fmt.Sprintf("the character `%c` has no place in the language", e.Char)
	} else {
		d.Message = fmt.Sprintf("the character %U has no place in the language", e.Char)
	}
	switch {
	case e.Char == '#':
		d.Note("there is no preprocessor: `const` declares constants, and builtins need no header")
	case e.Char == '?':
		d.Note("`select(c, a, b)` chooses a value")
	case e.Char > unicode.MaxASCII && unicode.IsPrint(e.Char):
		d.Note("it is %U", e.Char)
	}
}

// ByteOrderMarkError is a byte order mark that is not at the start of the file.
//
// Example (byte-order-mark), where `\ufeff` stands for the mark:
//
//	package p
//	\ufeffconst c = 1
type ByteOrderMarkError struct{ At diag.Pos }

// Diagnose implements diag.Error.
func (e *ByteOrderMarkError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos = "byte-order-mark", e.At
	d.Message = "byte order mark in the middle of the file"
}

// EncodingError is a byte that is no UTF-8. The first of a file is reported.
//
// Example (invalid-utf8), where `\xff` stands for the byte:
//
//	package p
//	// caf\xff
type EncodingError struct {
	At   diag.Pos
	Byte byte
}

// Diagnose implements diag.Error.
func (e *EncodingError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos = "invalid-utf8", e.At
	d.Message = fmt.Sprintf("the file is not UTF-8: byte 0x%02x", e.Byte)
}

// NullCharacterError is a NUL. The first of a file is reported.
//
// Example (null-character), where `\x00` stands for the character:
//
//	package p
//	// a\x00b
type NullCharacterError struct{ At diag.Pos }

// Diagnose implements diag.Error.
func (e *NullCharacterError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos = "null-character", e.At
	d.Message = "the file holds a NUL character"
}
