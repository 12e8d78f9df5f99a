package kernelgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
)

// TestValueConstructs asks that of a thousand kernels at least one in a hundred has each construct of values: 16-bit
// floats, vectors, structs, tables and what functions take by reference.
func TestValueConstructs(t *testing.T) {
	const kernels = 1000
	seen := map[string]int{}
	for seed := range uint64(kernels) {
		k := New(seed, Options{Float64: seed%6 == 0, Blocks: seed%5 < 2, Rows: seed%5 == 2})
		f, errs := dsl.Parse("rand.gpu", []byte(File("random", k)))
		program, list := check.Package([]*dsl.File{f}, check.Config{})
		if errs.Add(list...); errs.HasErrors() {
			t.Fatalf("seed %d: %v", seed, errs)
		}
		found := map[string]bool{}
		valuesOf(program, func(what string) { found[what] = true })
		for what := range found {
			seen[what]++
		}
	}
	var want []string
	for _, k := range []string{"float16", "bfloat16", "vector", "struct", "bool vector"} {
		for _, place := range []string{"view of %s", "shared %s", "parameter %s", "local %s", "array of %s", "function parameter %s", "result %s"} {
			if k != "bool vector" {
				want = append(want, fmt.Sprintf(place, k))
			}
		}
		want = append(want, "field of "+k)
	}
	for _, k := range []string{"float16", "bfloat16"} {
		for _, op := range []string{"+", "-", "*", "/", "<", "=="} {
			want = append(want, k+" "+op)
		}
		want = append(want, "conversion to "+k, "conversion from "+k, "min of "+k, "max of "+k, "sqrt of "+k, "lerp of "+k, "bits of "+k)
	}
	for _, op := range []string{"+", "-", "*", "/", "&", "|", "^", "&^", "<<", ">>", "==", "!=", "unary -", "unary ^", "*=", "+="} {
		want = append(want, "vector "+op)
	}
	want = append(want, "scalar * vector", "vector * scalar", "vector / scalar", "vector << scalar", "vector of components", "vector of one", "converted vector", "dot", "cross", "length", "normalize",
		"select of vector", "select of struct", "component read", "component written", "swizzle read", "swizzle written", "swizzle of a value", "field read", "field written", "field of a field",
		"struct ==", "struct !=", "literal with names", "literal in order", "literal without a type", "copy of a part", "swap of parts", "array field",
		"table at a constant", "table at a variable", "table in a body", "table of the package", "table as a value", "constant parameter of a function", "array by the constant parameter",
		"view by reference", "array by reference", "shared by reference", "table by reference", "mut view by reference", "mut array by reference", "mut shared by reference", "by reference with results", "by reference as a statement",
		"two by reference", "equal extents by reference", "by reference twice the same", "by reference in blocks", "barriers by reference", "generic by reference", "view of 4 dims", "shared of 4 dims")
	for _, w := range want {
		if seen[w] < kernels/100 {
			t.Errorf("%d of %d kernels have %s", seen[w], kernels, w)
		}
	}
	if testing.Verbose() {
		for _, w := range slices.Sorted(maps.Keys(seen)) {
			t.Logf("%5.1f%% %s", 100*float64(seen[w])/kernels, w)
		}
	}
}

// sort names the sort of a type that counts here; of an array that of its elements.
func sortOf(t types.Type) string {
	switch t := t.(type) {
	case types.Kind:
		if t.IsHalf() {
			return t.String()
		}
	case *types.Vector:
		return "vector"
	case *types.Struct:
		return "struct"
	case *types.Array:
		return sortOf(t.Elem)
	case *types.View:
		return sortOf(t.Elem)
	}
	return ""
}

// valuesOf names the constructs of values in a program.
func valuesOf(p *check.Program, found func(string)) {
	for _, s := range p.Structs {
		for _, f := range s.Type.Fields {
			found("field of " + sortOf(f.Type))
			if v, ok := f.Type.(*types.Vector); ok && v.Elem == types.Bool {
				found("field of bool vector")
			}
			if _, ok := f.Type.(*types.Array); ok {
				found("array field")
			}
		}
	}
	if len(p.Consts) > 0 {
		found("table of the package")
	}
	for _, f := range p.Funcs {
		for _, v := range f.Params {
			found("function parameter " + sortOf(v.Type))
		}
		for _, r := range f.Results {
			found("result " + sortOf(r))
		}
		if len(f.Generics) > 0 && f.Generics[len(f.Generics)-1].Type == nil {
			found("constant parameter of a function")
			for _, g := range f.Decl.Params {
				if a, ok := g.Type.(*dsl.ArrayType); ok {
					if id, ok := a.Dims[0].(*dsl.Ident); ok && id.Name == "N" {
						found("array by the constant parameter")
					}
				}
			}
		}
		bodyValues(f.Body, f.Decl.Body, false, found)
		if f.ByReference() && strings.HasPrefix(f.Name, "u") {
			found("barriers by reference")
		}
	}
	for _, k := range p.Kernels {
		for _, p := range k.Params {
			if v, ok := p.Type.(*types.View); ok {
				found("view of " + sortOf(v))
				found(fmt.Sprintf("view of %d dims", v.Rank))
			} else {
				found("parameter " + sortOf(p.Type))
			}
		}
		bodyValues(k.Body, k.Decl.Body, len(k.Group) > 0, found)
	}
}

func bodyValues(b *check.Body, block *dsl.Block, blocks bool, found func(string)) {
	for _, v := range b.Defs {
		if v == nil {
			continue
		}
		a, array := v.Type.(*types.Array)
		switch {
		case v.Kind == check.SharedVar:
			found("shared " + sortOf(v.Type))
			if array {
				found(fmt.Sprintf("shared of %d dims", len(a.Dims)))
			}
		case v.Kind == check.LocalVar && array:
			found("array of " + sortOf(v.Type))
		case v.Kind == check.LocalVar:
			found("local " + sortOf(v.Type))
		}
	}
	typeOf := func(e dsl.Expr) types.Type { return b.Values[e].Type }
	isVector := func(e dsl.Expr) bool { _, ok := typeOf(e).(*types.Vector); return ok }
	written := map[dsl.Expr]bool{}
	mark := func(e dsl.Expr) {
		for {
			e = dsl.Unparen(e)
			written[e] = true
			switch x := e.(type) {
			case *dsl.IndexExpr:
				e = x.X
			case *dsl.SelectorExpr:
				e = x.X
			default:
				return
			}
		}
	}
	isPart := func(e dsl.Expr) bool { _, ok := e.(*dsl.SelectorExpr); return ok }
	dsl.Walk(block, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.ConstStmt:
			for _, s := range n.Decl.Specs {
				for _, e := range s.Values {
					if _, ok := e.(*dsl.CompositeLit); ok {
						found("table in a body")
					}
				}
			}
		case *dsl.ExprStmt:
			if c := b.Calls[n.X.(*dsl.CallExpr)]; c.Func != nil && c.Func.ByReference() {
				found("by reference as a statement")
			}
		case *dsl.AssignStmt:
			for _, t := range n.Targets {
				mark(t)
			}
			if n.Op != "" {
				if t, ok := n.Targets[0].(*dsl.SelectorExpr); !ok && isVector(n.Values[0]) || ok && isVector(t) {
					found("vector " + n.Op + "=")
				}
				if isVector(n.Values[0]) {
					found("vector " + n.Op + "=")
				}
				break
			}
			if len(n.Values) == 1 && isPart(n.Targets[0]) && isPart(n.Values[0]) {
				found("copy of a part")
			}
			if len(n.Targets) == 2 && len(n.Values) == 2 && isPart(n.Targets[0]) && isPart(n.Targets[1]) && isPart(n.Values[0]) && isPart(n.Values[1]) {
				found("swap of parts")
			}
		case *dsl.IncDecStmt:
			mark(n.X)
		case *dsl.BinaryExpr:
			x, y := sortOf(typeOf(n.X)), sortOf(typeOf(n.Y))
			found(x + " " + n.Op)
			switch {
			case x == "vector" && y == "vector":
				found("vector " + n.Op)
			case x == "vector":
				found("vector " + n.Op + " scalar")
			case y == "vector":
				found("scalar " + n.Op + " vector")
			}
		case *dsl.UnaryExpr:
			if isVector(n.X) {
				found("vector unary " + n.Op)
			}
		case *dsl.Ident:
			if b.Tables[n] != nil && !written[n] {
				found("table as a value")
			}
		case *dsl.IndexExpr:
			root := dsl.Expr(n)
			for {
				x, ok := root.(*dsl.IndexExpr)
				if !ok {
					break
				}
				root = x.X
			}
			if id, ok := root.(*dsl.Ident); ok && b.Tables[id] != nil {
				written[id] = true // seen
				if b.Values[n].Const != nil {
					found("table at a constant")
				} else {
					found("table at a variable")
				}
			}
		case *dsl.SelectorExpr:
			part, how := "field", "read"
			t := typeOf(n.X)
			if t == nil && !isTarget(written, n) { // a builtin of a family
				return false
			}
			if written[n] {
				how = "written"
			}
			letters := strings.Trim(n.Sel.Name, types.Components) == ""
			if _, ok := t.(*types.Vector); ok || t == nil && letters && !isStructName(b, n) {
				part = "component"
				if len(n.Sel.Name) > 1 {
					part = "swizzle"
				}
			}
			found(part + " " + how)
			switch x := dsl.Unparen(n.X).(type) {
			case *dsl.SelectorExpr:
				if part == "field" {
					found("field of a field")
				}
			case *dsl.CallExpr, *dsl.BinaryExpr:
				if part == "swizzle" {
					found("swizzle of a value")
				}
				_ = x
			}
		case *dsl.CompositeLit:
			if s, ok := typeOf(n).(*types.Struct); ok && len(n.Elems) > 0 {
				switch {
				case n.Elems[0].Key != nil:
					found("literal with names")
				case len(s.Fields) > 1:
					found("literal in order")
				}
				if n.Type == nil {
					found("literal without a type")
				}
			}
		case *dsl.CallExpr:
			callValues(b, n, blocks, found)
		}
		return true
	})
}

func isTarget(written map[dsl.Expr]bool, n *dsl.SelectorExpr) bool { return written[n] }

// isStructName reports a written selector whose root is known to be a struct's.
func isStructName(b *check.Body, n *dsl.SelectorExpr) bool {
	id, ok := dsl.Unparen(n.X).(*dsl.Ident)
	if !ok || b.Uses[id] == nil {
		return false
	}
	_, ok = b.Uses[id].Type.(*types.Struct)
	return ok
}

// callValues names what a call has to do with values.
func callValues(b *check.Body, n *dsl.CallExpr, blocks bool, found func(string)) {
	c, to := b.Calls[n], sortOf(b.Values[n].Type)
	from := ""
	if len(n.Args) > 0 {
		from = sortOf(b.Values[n.Args[0]].Type)
	}
	switch {
	case c.Kind == check.ConversionCall && to == "vector":
		switch {
		case from == "vector":
			found("converted vector")
		case len(n.Args) == 1:
			found("vector of one")
		default:
			found("vector of components")
		}
	case c.Kind == check.ConversionCall:
		found("conversion to " + to)
		found("conversion from " + from)
	case c.Builtin == "select":
		found("select of " + to)
	case strings.HasPrefix(c.Builtin, "bits."):
		found("bits of " + to)
	case c.Kind == check.BuiltinCall && from == "vector":
		found(c.Builtin)
	case c.Kind == check.BuiltinCall:
		found(c.Builtin + " of " + to)
	case c.Func.ByReference():
		passedValues(b, n, c.Func, blocks, found)
	}
}

func passedValues(b *check.Body, n *dsl.CallExpr, f *check.Func, blocks bool, found func(string)) {
	names := map[string]bool{}
	count := 0
	for i, p := range f.Views {
		if p == nil {
			continue
		}
		count++
		id := n.Args[i].(*dsl.Ident)
		if names[id.Name] {
			found("by reference twice the same")
		}
		names[id.Name] = true
		what := "table"
		if v := b.Uses[id]; v != nil {
			what = "array"
			switch v.Kind {
			case check.ViewVar:
				what = "view"
			case check.SharedVar:
				what = "shared"
			}
		}
		if p.Mut {
			what = "mut " + what
		}
		found(what + " by reference")
	}
	if count > 1 {
		found("two by reference")
	}
	if len(f.Equal) > 0 {
		found("equal extents by reference")
	}
	if len(f.Results) > 0 {
		found("by reference with results")
	}
	if len(f.Generics) > 0 {
		found("generic by reference")
	}
	if blocks {
		found("by reference in blocks")
	}
}
