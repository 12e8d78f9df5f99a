package dsl

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gpugen/gpugen/dsl/diag"
)

// values joins the values of tokens, a line end as `;`.
func values(toks []token) string {
	var b strings.Builder
	for i := range toks {
		if toks[i].EOF() {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(toks[i].Value)
	}
	return b.String()
}

func codes(l diag.List) string {
	var out []string
	for _, d := range l {
		out = append(out, fmt.Sprintf("%d:%d %s", d.Pos.Line, d.Pos.Col, d.Code))
	}
	return strings.Join(out, ", ")
}

func TestScan(t *testing.T) {
	for _, c := range []struct{ name, src, tokens, errs string }{
		{"operators", "a<<=b&^=c...d&&e<-f:=g", "a <<= b &^= c ... d && e <- f := g ;", ""},
		{"semicolons", "a\nb(\n)\nreturn\n}\nx++\nbreak // c\n+\n", "a ; b ( ) ; return ; } ; x ++ ; break ; +", ""},
		{"comment as line end", "a /* x\ny */ b", "a ; b ;", ""},
		{"comment in a line", "a /* x */ b", "a b ;", ""},
		{"comment rule", "/***/ a /*b**/ c /**//**/ d", "a c d ;", ""},
		{"comment at the end", "a // b", "a ;", ""},
		{"comment only", "// last", "", ""},
		{"open comment", "a\n  /* b\n*", "a ;", "2:3 unterminated-comment"},
		{"open comment of three", "/*/", "", "1:1 unterminated-comment"},
		{"integers", "0 12 0x1F 0X_a 0b1_0 0o17 017 1_000 00", "0 12 0x1F 0X_a 0b1_0 0o17 017 1_000 00 ;", ""},
		{"floats", "1. .5 1.5 1e3 1E+3 1e-3 08.5 09e1 0x1p-10 0x.8p0 0x1.8P+1 1_0.2_5e1_0", "1. .5 1.5 1e3 1E+3 1e-3 08.5 09e1 0x1p-10 0x.8p0 0x1.8P+1 1_0.2_5e1_0 ;", ""},
		{"hexadecimal e", "0x1e+2", "0x1e + 2 ;", ""},
		{"no digits", "x 0x", "x 0x ;", "1:3 bad-number"},
		{"no exponent", "x 1e", "x 1e ;", "1:3 bad-number"},
		{"no exponent after a sign", "x 1e+", "x 1e+ ;", "1:3 bad-number"},
		{"octal 8", "x 08", "x 08 ;", "1:3 bad-number"},
		{"two underscores", "x 1__0", "x 1__0 ;", "1:3 bad-number"},
		{"trailing underscore", "x 1_", "x 1_ ;", "1:3 bad-number"},
		{"underscore at the point", "x 1_.5", "x 1_.5 ;", "1:3 bad-number"},
		{"underscore behind the point", "x 1._5", "x 1._5 ;", "1:3 bad-number"},
		{"underscore in the exponent", "x 1e_5", "x 1e_5 ;", "1:3 bad-number"},
		{"letters", "x 3abc", "x 3abc ;", "1:3 bad-number"},
		{"letters beyond ASCII", "x 3µ", "x 3µ ;", "1:3 bad-number"},
		{"two points", "x 1.2.3", "x 1.2.3 ;", "1:3 bad-number"},
		{"binary 2", "x 0b12", "x 0b12 ;", "1:3 bad-number"},
		{"binary fraction", "x 0b1.1", "x 0b1.1 ;", "1:3 bad-number"},
		{"hexadecimal fraction", "x 0x1.8", "x 0x1.8 ;", "1:3 bad-number"},
		{"hexadecimal exponent", "x 0x1p", "x 0x1p ;", "1:3 bad-number"},
		{"imaginary", "x 3i", "x 3i ;", "1:3 not-in-language"},
		{"strings", `"a\n\"b" 'c' '\'' '\x41' '世' ` + "`raw\n\"x`", `"a\n\"b" 'c' '\'' '\x41' '世' ` + "`raw\n\"x` ;", ""},
		{"open string", "\"abc\nd", "\"abc ; d ;", "1:1 unterminated-literal"},
		{"open string at the end", `"abc\`, `"abc\ ;`, "1:1 unterminated-literal"},
		{"open character", "'a\n", "'a ;", "1:1 unterminated-literal"},
		{"open raw string", "`abc\n", "`abc\n ;", "1:1 unterminated-literal"},
		{"bad escape", `"a\q"`, `"a\q" ;`, "1:1 bad-literal"},
		{"two characters", `'ab' ''`, `'ab' '' ;`, "1:1 bad-literal, 1:6 bad-literal"},
		{"mark at the start", bom + "a b", "a b ;", ""},
		{"mark elsewhere", "a " + bom + "b", "a b ;", "1:3 byte-order-mark"},
		{"non-ASCII names", "größe x2µ _é 日本", "größe x2µ _é 日本 ;", "1:1 non-ascii-identifier, 1:7 non-ascii-identifier, 1:11 non-ascii-identifier, 1:14 non-ascii-identifier"},
		{"strays", "a ?? b $ “c”", "a b c ;", "1:3 stray-character, 1:8 stray-character, 1:10 stray-character, 1:12 stray-character"},
		{"NUL", "a\x00b // \x00", "a b ;", "1:2 null-character"},
		{"invalid UTF-8", "a // \xff \xfe", "a ;", "1:6 invalid-utf8"},
		{"invalid UTF-8 in a string", "\"\xff\"", "\"\xff\" ;", "1:2 invalid-utf8"},
		{"select", "select(a) select {", "select ( a ) select {", ""},
		{"carriage returns", "a\r\nb // c\r\n\rd", "a ; b ; d ;", ""},
	} {
		s := scan("k.gpu", c.src)
		if got := values(s.tokens); got != c.tokens {
			t.Errorf("%s: tokens\n got %s\nwant %s", c.name, got, c.tokens)
		}
		s.errs.Sort()
		if got := codes(s.errs); got != c.errs {
			t.Errorf("%s: errors\n got %s\nwant %s", c.name, got, c.errs)
		}
	}
	if s := scan("k", "select(a) select {"); s.tokens[0].Type != tokIdent || s.tokens[4].Type != tokKeyword {
		t.Error("`select(` is a name, `select {` is not")
	}
}

func TestNumberFaults(t *testing.T) {
	for lit, want := range map[string]string{
		"0x": "hexadecimal literal needs digits", "1e": "exponent has no digits", "08": "digit `8` in an octal literal",
		"0b12": "digit `2` in a binary literal", "1__0": "`_` must stand between digits", "3abc": "without a space",
		"1.2.3": "two points", "0x1.8": "needs an exponent", "0b1.1": "has no fraction", "1e+-2": "exponent has two signs",
	} {
		if got := numberFault(lit); !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", lit, got, want)
		}
	}
}

// TestColumns is a line with a tab, a two-byte and a four-byte character before the name.
func TestColumns(t *testing.T) {
	src := "package p\nfunc f() int32 {\n\tout[i] = /*π😀*/ zz\n}"
	f := mustParse(t, "k.gpu", src)
	var zz *Ident
	Walk(f, func(n Node) bool {
		if id, ok := n.(*Ident); ok && id.Name == "zz" {
			zz = id
		}
		return true
	})
	line := src[:zz.Pos().Offset]
	if got := zz.Pos(); got.Col != 18 || got.Line != 3 || len(line)-strings.LastIndexByte(line, '\n') != 22 {
		t.Errorf("zz stands at %v, byte column %d; want rune column 18, byte column 22", got, len(line)-strings.LastIndexByte(line, '\n'))
	}
	var l diag.List
	l.Add(&diag.Diagnostic{Code: "undefined", Pos: zz.Pos(), End: zz.End(), Message: "no `zz`"})
	var b strings.Builder
	if err := diag.Text(&b, l, diag.Sources{"k.gpu": []byte(src)}); err != nil {
		t.Fatal(err)
	}
	want := "k.gpu:3:18: error: no `zz` [undefined]\n 3 | \tout[i] = /*π😀*/ zz\n   | \t                 ^~\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// TestLineEndings reads a file as LF, as CRLF and behind a byte order mark: nothing but offsets may differ.
func TestLineEndings(t *testing.T) {
	src := "//gpugen:arch sm_90\n// Package p.\npackage p\n\n/* A kernel\n   of two lines. */\nkernel K(x [n]float32,\n\ty mut [n]float32) // c\n\tfor i in n {\n\ty[i] = x[i] /* d\n*/ y[i] = 2\n\tprint(`a\nb`)\n}\nfunc f( { }\nconst c = '\n"
	type result struct{ dump, errs, text string }
	read := func(src string) result {
		f, errs := Parse("k.gpu", []byte(src))
		var positions strings.Builder
		Walk(f, func(n Node) bool {
			fmt.Fprintf(&positions, "%T %v\n", n, n.Pos())
			return true
		})
		return result{Dump(f) + positions.String(), codes(errs), mustPrint(t, f)}
	}
	want := read(src)
	if !strings.Contains(want.text, "// A kernel\n//   of two lines.") || !strings.Contains(want.errs, "unterminated-literal") {
		t.Errorf("%+v", want)
	}
	for name, variant := range map[string]string{
		"CRLF": strings.ReplaceAll(src, "\n", "\r\n"), "BOM": bom + src, "both": bom + strings.ReplaceAll(src, "\n", "\r\n"),
	} {
		if got := read(variant); got != want {
			t.Errorf("%s: got\n%+v\nwant\n%+v", name, got, want)
		}
	}
}

// TestPrefixes feeds every prefix of a program to the parser: none may hang or panic.
func TestPrefixes(t *testing.T) {
	src := "package p\nkernel K[T = 1|2](x mut [n]float32) requires n > 0 for i in 1:n {\n@unroll(2)\nfor q := range 3 { if x[i] == (P{1, y: '\\n'}) { continue } else { print(\"a\", 0x1p-2) } }\n/* c */\nswitch x { case 1: }\nouter: for j in n { break outer }\n}\nconst (\nA = iota\n)\ntype P struct { x, y int32 }\n"
	start := time.Now()
	for i := range len(src) + 1 {
		f, _ := Parse("k.gpu", []byte(src[:i]))
		checkPositions(t, f, src[:i])
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("%v for %d prefixes", d, len(src))
	}
}
