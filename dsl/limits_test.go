package dsl

import (
	"fmt"
	"strings"
	"testing"
)

// towers are programs of any height.
var towers = map[string]func(n int) string{
	"parentheses": func(n int) string { return inFunc("x = " + rep("(", n) + "x" + rep(")", n)) },
	"terms":       func(n int) string { return inFunc("x = x" + rep(" + x", n)) },
	"products":    func(n int) string { return inFunc("x = x" + rep(" * x", n)) },
	"comparisons": func(n int) string { return inFunc("x = x" + rep(" && x", n)) },
	"unary":       func(n int) string { return inFunc("x = " + rep("- ", n) + "x") },
	"not":         func(n int) string { return inFunc("x = " + rep("!", n) + "x") },
	"else if":     func(n int) string { return inFunc("if x { }" + rep(" else if x { }", n)) },
	"blocks":      func(n int) string { return inFunc(rep("{", n) + rep("}", n)) },
	"ifs":         func(n int) string { return inFunc(rep("if x {", n) + rep("}", n)) },
	"loops":       func(n int) string { return inFunc(rep("for i in n {", n) + rep("}", n)) },
	"switches":    func(n int) string { return inFunc(rep("switch x { case 1: ", n) + rep("}", n)) },
	"labels":      func(n int) string { return inFunc(rep("a:\n", n) + "x = 1") },
	"indexes":     func(n int) string { return inFunc("x = " + rep("a[", n) + "x" + rep("]", n)) },
	"index chain": func(n int) string { return inFunc("x = a" + rep("[x]", n)) },
	"calls":       func(n int) string { return inFunc("x = " + rep("f(", n) + "x" + rep(")", n)) },
	"call chain":  func(n int) string { return inFunc("x = f" + rep("()", n)) },
	"selectors":   func(n int) string { return inFunc("x = a" + rep(".x", n)) },
	"literals":    func(n int) string { return inFunc("x = P" + rep("{", n) + "x" + rep("}", n)) },
	"sums":        func(n int) string { return inFunc("x = " + rep("sum(", n) + "x" + rep(" for i in n)", n)) },
	"types":       func(n int) string { return inFunc("var x " + rep("[2]", n) + "int32") },
	"extents":     func(n int) string { return inFunc("var x " + rep("[", n) + "2" + rep("]int32", n)) },
	"parameter":   func(n int) string { return "package p\nfunc f(x " + rep("[2]", n) + "int32) int32 { return 1 }" },
	"domain":      func(n int) string { return "package p\nkernel K(x [n]int32) for i in n" + rep("+1", n) + " { }" },
	"constant":    func(n int) string { return "package p\nconst c = 1" + rep(" | 1", n) },
	"generic":     func(n int) string { return "package p\nfunc f[T = " + rep("- ", n) + "1](x int32) int32 { return 1 }" },
	// Each of these multiplies two chains: the tree is as high as their product.
	"chains in parentheses": func(n int) string {
		k := isqrt(n)
		return inFunc("x = " + rep("("+rep("- ", k), k) + "x" + rep(rep(" + x", k)+")", k))
	},
	"else if in blocks": func(n int) string {
		k := isqrt(n)
		return inFunc(rep("if x { }"+rep(" else if x { }", k)+" else {", k) + rep("}", k))
	},
}

func inFunc(stmt string) string {
	return "package p\nfunc f(x int32) int32 {\n" + stmt + "\n}\nconst after = 1\n"
}
func rep(s string, n int) string { return strings.Repeat(s, n) }
func isqrt(n int) int {
	k := 0
	for k*k < n {
		k++
	}
	return k
}

// TestNesting builds each tower to the promised height, and far beyond.
func TestNesting(t *testing.T) {
	for name, build := range towers {
		t.Run(name, func(t *testing.T) {
			ok := 1000
			if strings.Contains(name, " in ") {
				ok = 200
			}
			f, errs := Parse("k.gpu", []byte(build(ok)))
			if len(errs) > 0 {
				t.Fatalf("%d: %v", ok, errs)
			}
			if h := height(f); h > 4*maxNesting {
				t.Errorf("the tree is %d high", h)
			}
			if got := Dump(mustParse(t, "again.gpu", mustPrint(t, f))); got != Dump(f) {
				t.Error("printing changed the tree")
			}
			high := 20_000
			switch name {
			case "parentheses", "terms", "else if", "unary":
				if !testing.Short() {
					high = 1_000_000
				}
			}
			for _, n := range []int{3000, 3001} {
				src := build(n)
				if _, errs := Parse("k.gpu", []byte(src[:len(src)/2])); len(errs) == 0 || len(errs) > 2 {
					t.Errorf("half of %d: %d errors", n, len(errs))
				}
			}
			f, errs = Parse("k.gpu", []byte(build(high)))
			if len(errs) != 1 || errs[0].Code != "nesting-too-deep" {
				t.Errorf("%d: %v", high, errs)
			}
			if d := Dump(f); strings.HasPrefix(build(1), "package p\nfunc f(x int32) int32 {\n") && d != "package p\n(bad func f)\nconst after _ = 1;" {
				t.Errorf("%.200s", d)
			}
		})
	}
}

// height returns the height of a tree.
func height(n Node) int {
	h := 0
	for _, c := range children(n) {
		h = max(h, height(c))
	}
	return h + 1
}

// TestWideFiles checks that length is no nesting, and that errors do not hide one another.
func TestWideFiles(t *testing.T) {
	wide := "package p\nconst c = [100000]int32{" + rep("1, ", 100_000) + "}\nfunc f(" + rep("x, ", 50_000) + "y int32) int32 {\n" + rep("x = 1\n", 100_000) + "return f(" + rep("1, ", 100_000) + ")\n}\n"
	mustParse(t, "wide.gpu", wide)
	var b strings.Builder
	b.WriteString("package p\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "const c%d = 1 2\n", i)
	}
	if _, errs := Parse("errors.gpu", []byte(b.String())); len(errs) != 5000 {
		t.Errorf("%d errors", len(errs))
	}
}

// TestEndlessList has more of a kind in a row than the parser counts.
func TestEndlessList(t *testing.T) {
	if testing.Short() {
		t.Skip("a million tokens are not for -short")
	}
	_, errs := Parse("k.gpu", []byte("package p\n"+rep("@a ", 1000001)+"const c = 1\nconst after = 1 1\n"))
	if len(errs) != 2 || errs[0].Code != "syntax" || !strings.Contains(errs[0].Message, "no more than 1000000 in a row") || errs[1].Pos.Line != 3 {
		t.Errorf("%.300v", errs)
	}
}
