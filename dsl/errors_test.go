package dsl

import (
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/internal/errordoc"
)

// TestErrorExamples compiles the example of each error's doc comment and checks that its code is reported, and that
// every error has an example.
func TestErrorExamples(t *testing.T) {
	entries, err := errordoc.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, x := range entries {
		if x.Example == "" || seen[x.Code] {
			t.Errorf("%s: no example, or the code %q again", x.Type, x.Code)
			continue
		}
		seen[x.Code] = true
		_, errs := Parse("k.gpu", []byte(x.Example))
		if len(errs) != 1 || errs[0].Code != x.Code {
			t.Errorf("%s: want one %s, got %v in\n%s", x.Type, x.Code, errs, x.Shown)
			continue
		}
		e := errs[0]
		if strings.HasSuffix(e.Message, ".") || e.Message == "" || e.Pos.Offset > len(x.Example) || e.End.IsValid() && e.End.Offset < e.Pos.Offset {
			t.Errorf("%s: %+v", x.Type, e)
		}
	}
	if len(seen) < 19 {
		t.Errorf("only %d examples", len(seen))
	}
}

// TestDocs checks what is kept of comments.
func TestDocs(t *testing.T) {
	f := mustParse(t, "k.gpu", `//gpugen:targets cuda  cpu
//gpugen:checked

// Package p does
// two things.
package p

// not a doc

// Scale is the scale.
// It has two lines.
const Scale = 2 // trailing

const (
	// A is first.
	A = iota
	B // trailing
	// C is last.
	C
)

/* P is
 a struct. */
type P struct {
	// X is a coordinate.
	x, y float32
	z    float32
}

// Above the attribute.
@fastmath
@block(256)
kernel K(x [n]float32) for i in n {
	// inside
}

@exact
// Between.
func f() int32 { return 1 }
func g() int32 { return 1 }
`)
	if f.Doc != "Package p does\ntwo things." {
		t.Errorf("package: %q", f.Doc)
	}
	if len(f.Directives) != 2 || f.Directives[0].Verb != "targets" || strings.Join(f.Directives[0].Args, ",") != "cuda,cpu" ||
		f.Directives[1].Verb != "checked" || f.Directives[1].Pos.Line != 2 || len(f.Directives[1].Args) > 0 {
		t.Errorf("directives: %+v", f.Directives)
	}
	group := f.Decls[1].(*ConstDecl)
	p := f.Decls[2].(*TypeDecl)
	for _, c := range []struct{ got, want string }{
		{f.Decls[0].(*ConstDecl).Doc, "Scale is the scale.\nIt has two lines."},
		{group.Doc, ""},
		{group.Specs[0].Doc, "A is first."},
		{group.Specs[1].Doc, ""},
		{group.Specs[2].Doc, "C is last."},
		{p.Doc, "P is\na struct."},
		{p.Specs[0].Doc, "P is\na struct."},
		{p.Specs[0].Fields[0].Doc, "X is a coordinate."},
		{p.Specs[0].Fields[1].Doc, ""},
		{f.Decls[3].(*KernelDecl).Doc, "Above the attribute."},
		{f.Decls[4].(*FuncDecl).Doc, "Between."},
		{f.Decls[5].(*FuncDecl).Doc, ""},
	} {
		if strings.TrimSpace(c.got) != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	for i, s := range group.Specs {
		if s.Iota != i {
			t.Errorf("%s has iota %d", s.Names[0].Name, s.Iota)
		}
	}
	if got := Dump(mustParse(t, "again.gpu", mustPrint(t, f))); got != Dump(f) {
		t.Errorf("printing changed the tree to %s", got)
	}
}

// TestBadDecls checks that what fails to parse still declares its names.
func TestBadDecls(t *testing.T) {
	f, errs := Parse("k.gpu", []byte(`package p
@fastmath
kernel K(x [n]int32) for i on n { }
func f( { }
const ( A = 1 +; B, C = 2
	D = [2]int32{1, 2}
	E = )
type (
	P struct { x int32 }
	Q struct { y }
)
x := 1
const ok = 1
kernel`))
	got := Dump(f)
	want := "package p\n(bad kernel K)\n(bad func f)\n(bad const A)\n(bad const B)\n(bad const D)\n(bad const E)\n(bad type P)\n(bad type Q)\n(bad)\nconst ok _ = 1;\n(bad kernel)"
	if got != want || len(errs) != 6 {
		t.Errorf("%d errors; got\n%s\nwant\n%s", len(errs), got, want)
	}
	for _, d := range f.Decls {
		if b, ok := d.(*BadDecl); ok && (!b.Pos().IsValid() || !b.End().IsValid()) {
			t.Errorf("%v from %v to %v", Dump(b), b.Pos(), b.End())
		}
	}
}

// TestTree checks the parts of nodes that Dump does not show.
func TestTree(t *testing.T) {
	f := mustParse(t, "k.gpu", `package p
func f(x float32) (float32, int32) {
	x += 1.5
	x++
	if a, b := f(x); a > 0 { return a, b }
	for i = range 3 { }
	return x*(2), 'c'
}
`)
	body := f.Decls[0].(*FuncDecl).Body.Stmts
	if s := body[0].(*AssignStmt); s.Op != "+" || s.OpPos.Col != 4 || s.Values[0].(*BasicLit).Kind != FloatLit {
		t.Errorf("%+v", s)
	}
	if s := body[1].(*IncDecStmt); s.Op != "++" || s.End().Col != 5 {
		t.Errorf("%+v", s)
	}
	s := body[2].(*IfStmt)
	if init, ok := s.Init.(*DefineStmt); !ok || len(init.Names) != 2 || init.Names[1].Pos().Col != 8 {
		t.Errorf("%+v", s.Init)
	}
	if s := body[3].(*ForRangeStmt); s.Var.Name != "i" || s.Assign != "=" {
		t.Errorf("%+v", s)
	}
	ret := body[4].(*ReturnStmt)
	if m := ret.Values[0].(*BinaryExpr); m.OpPos.Col != 10 || Unparen(m.Y).(*BasicLit).Kind != IntLit || m.End().Col != 14 {
		t.Errorf("%+v", m)
	}
	if c := ret.Values[1].(*BasicLit); c.Kind != CharLit || c.Value != "'c'" {
		t.Errorf("%+v", c)
	}
	if got := f.End(); got.Line != 8 || got.Col != 2 {
		t.Errorf("file ends at %v", got)
	}
	if c, ok := f.Decls[0].(Node); !ok || c.Pos() != (diag.Pos{File: "k.gpu", Offset: 10, Line: 2, Col: 1}) {
		t.Errorf("function at %v", f.Decls[0].Pos())
	}
}
