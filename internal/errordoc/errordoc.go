// Package errordoc turns the doc comments of a package's errors into entries: a code, what it means, and the smallest
// source that makes it.
//
// An error is a struct with a method Diagnose that sets a code. Its doc comment explains it and may hold
//
//	Example (the-code):
//
//	TAB package p
//	TAB …
//
// The tests of the packages that report errors read it, to compile every example; so does the test of the root package
// that keeps docs/errors.md, which `gpugen explain` prints from. No part of the compiler imports it.
package errordoc

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Entry is the documentation of one error type.
type Entry struct {
	Type    string // "RedeclaredError"
	Code    string // "redeclared"
	Text    string // what it is, without the type's name and without the example
	Shown   string // the example as the comment writes it, or empty
	Example string // the example as a compiler reads it: escapes and repetitions written out
}

// Read is the entries of the Go files of a folder, tests left out, in the order of file names and declarations.
func Read(dir string) ([]Entry, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var out []Entry
	docs := map[string]string{}
	fset := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				if s, ok := d.Specs[0].(*ast.TypeSpec); ok && d.Tok == token.TYPE {
					docs[s.Name.Name] = d.Doc.Text()
				}
			case *ast.FuncDecl:
				if d.Name.Name != "Diagnose" || d.Recv == nil {
					continue
				}
				e := Entry{Type: receiver(d)}
				if e.Code = code(d); e.Code == "" {
					return nil, fmt.Errorf("%s: %s sets no constant code", name, e.Type)
				}
				out = append(out, e)
			}
		}
	}
	for i := range out {
		e := &out[i]
		e.Text, e.Shown = split(e.Type, e.Code, docs[e.Type])
		e.Example = written(e.Shown)
	}
	return out, nil
}

func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	return t.(*ast.Ident).Name
}

// code is the string that a Diagnose method sets: `d.Code = "…"`, first of a list too, or `e.fill(d, "…", …)`.
func code(d *ast.FuncDecl) (code string) {
	set := func(x ast.Expr) {
		if l, ok := x.(*ast.BasicLit); ok && l.Kind == token.STRING && code == "" {
			code, _ = strconv.Unquote(l.Value)
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 2 && s.Sel.Name == "fill" {
				set(n.Args[1])
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if s, ok := l.(*ast.SelectorExpr); ok && s.Sel.Name == "Code" && i < len(n.Rhs) {
					set(n.Rhs[i])
				}
			}
		}
		return true
	})
	return code
}

var exampleLine = regexp.MustCompile(`(?m)^Example \(([a-z0-9-]+)\)([^\n]*):\n\n((?:\t.*\n?|\n)+)`)

// split cuts a doc comment into its text and the example of a code.
func split(typ, code, doc string) (text, shown string) {
	if m := exampleLine.FindStringSubmatchIndex(doc); m != nil && doc[m[2]:m[3]] == code {
		shown = strings.ReplaceAll("\n"+strings.TrimSpace(doc[m[6]:m[7]]), "\n\t", "\n")[1:] + "\n"
		note := strings.TrimPrefix(doc[m[4]:m[5]], ", ")
		doc = doc[:m[0]] + doc[m[1]:]
		if note != "" {
			doc += "\n\nIn the example, " + strings.TrimPrefix(note, "where ") + "."
		}
	}
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(doc, typ+" is "), typ+" "))
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text, shown
}

// repeats is how often `…` repeats the character before it: deeper than anything that the compiler takes.
const repeats = 2000

// written writes out an example: `…` repeats the character before it, and escapes are Go's.
func written(src string) string {
	if i := strings.Index(src, "…"); i > 0 {
		src = src[:i] + strings.Repeat(src[i-1:i], repeats) + src[i+len("…"):]
	}
	return strings.NewReplacer(`\x00`, "\x00", `\ufeff`, "\ufeff", `\xff`, "\xff").Replace(src)
}
