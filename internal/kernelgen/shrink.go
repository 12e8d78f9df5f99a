package kernelgen

import (
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl"
)

// Shrink takes away parts of a source and of the run line that shows its failure, as long as it fails. fails compiles
// and runs a candidate and reports whether that fails in the same way; a candidate that does not compile does not.
func Shrink(source, run string, fails func(source, run string) bool) (string, string) {
	for {
		before := source
		for i := 0; ; {
			edited, line, more := edit(source, run, i)
			if !more {
				break
			}
			if edited != "" && edited != source && fails(edited, line) {
				source, run = edited, line // what stands at i now is another part
				continue
			}
			i++
		}
		if source == before {
			return source, run
		}
	}
}

// edit applies edit number i to the source. It gives an empty source if the result cannot be repaired, and more is false
// when there are no i edits.
func edit(source, run string, i int) (edited, line string, more bool) {
	f, errs := dsl.Parse("shrink.gpu", []byte(source))
	if len(errs) > 0 {
		return "", run, false
	}
	e := &edits{run: run}
	e.file(f)
	if i >= len(e.list) {
		return "", run, false
	}
	e.list[i]()
	return repair(f), e.run, true
}

// edits are the ways to make a tree smaller, large parts first.
type edits struct {
	list []func()
	run  string
}

func (e *edits) add(f func()) { e.list = append(e.list, f) }

func (e *edits) file(f *dsl.File) {
	for i := range f.Decls {
		e.add(func() { f.Decls = slices.Delete(f.Decls, i, i+1) })
	}
	dsl.Walk(f, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.Block:
			e.stmts(&n.Stmts)
		case *dsl.CaseClause:
			e.stmts(&n.Body)
		case *dsl.SwitchStmt:
			e.clauses(n)
		case *dsl.BranchStmt:
			if n.Label != nil {
				e.add(func() { n.Label = nil })
			}
		case *dsl.BlocksDomain:
			e.dims(&n.Blocks, &n.BlockExtents)
			e.dims(&n.Threads, &n.ThreadExtents)
		case *dsl.IfStmt:
			if n.Else != nil {
				e.add(func() { n.Else = nil })
			}
		case *dsl.ForDomain:
			e.dims(&n.Vars, &n.Extents)
			if n.By != nil {
				e.add(func() { n.By = nil })
			}
		case *dsl.FuncDecl:
			e.arguments(f, n)
		case *dsl.TypeSpec:
			e.fields(f, n)
		case *dsl.ConstSpec:
			e.each(n.Values)
		case *dsl.KernelDecl:
			e.params(n)
			for i := range n.Attrs {
				e.add(func() { n.Attrs = slices.Delete(n.Attrs, i, i+1) })
			}
		}
		return true
	})
	dsl.Walk(f, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.ForStmt:
			if n.Init != nil {
				e.add(func() { n.Init = nil })
			}
		case dsl.Expr:
			return false
		}
		e.exprs(n)
		return true
	})
}

// stmts removes statements, in runs that get shorter, and puts the bodies of statements in their places.
func (e *edits) stmts(list *[]dsl.Stmt) {
	for n := len(*list); n > 0; n /= 2 {
		for at := 0; at+n <= len(*list); at += n {
			e.add(func() { *list = slices.Delete(*list, at, at+n) })
		}
	}
	for i, s := range *list {
		for _, inner := range bodies(s) {
			e.add(func() { (*list)[i] = inner })
		}
		if inner, ok := s.(*dsl.Block); ok {
			e.add(func() { *list = slices.Replace(*list, i, i+1, inner.Stmts...) })
		}
	}
}

func bodies(s dsl.Stmt) []dsl.Stmt {
	switch s := s.(type) {
	case *dsl.IfStmt:
		if s.Else != nil {
			return []dsl.Stmt{s.Then, s.Else}
		}
		return []dsl.Stmt{s.Then}
	case *dsl.ForStmt:
		return []dsl.Stmt{s.Body}
	case *dsl.ForRangeStmt:
		return []dsl.Stmt{s.Body}
	case *dsl.ForInStmt:
		return []dsl.Stmt{s.Body}
	case *dsl.LabeledStmt:
		return []dsl.Stmt{s.Stmt}
	case *dsl.SwitchStmt:
		var out []dsl.Stmt
		for _, c := range s.Cases {
			out = append(out, &dsl.Block{Stmts: c.Body})
		}
		return out
	}
	return nil
}

// params removes parameters of a kernel together with their arguments.
func (e *edits) params(k *dsl.KernelDecl) {
	arg := 0
	for g, group := range k.Params {
		for i := range group.Names {
			at := arg
			arg++
			e.add(func() {
				if group.Names = slices.Delete(group.Names, i, i+1); len(group.Names) == 0 {
					k.Params = slices.Delete(k.Params, g, g+1)
				}
				e.run = dropArg(e.run, at)
			})
		}
	}
}

// dropArg removes an argument of a run line.
func dropArg(run string, n int) string {
	open := strings.IndexByte(run, '(')
	depth, arg, from := 0, 0, open+1
	for i := open + 1; i < len(run); i++ {
		switch run[i] {
		case '(', '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',', ')':
			if depth > 0 {
				if run[i] == ')' {
					depth--
				}
				continue
			}
			if arg != n {
				arg++
				from = i + 1
				if run[i] == ')' {
					return run
				}
				continue
			}
			switch {
			case run[i] == ',' && n > 0:
				return run[:from] + run[i+1:]
			case run[i] == ',':
				return run[:from] + strings.TrimPrefix(run[i+1:], " ")
			case n > 0:
				return run[:from-1] + run[i:]
			}
			return run[:from] + run[i:]
		}
	}
	return run
}

// exprs replaces the expressions that a node holds, and those below them, by their parts and by constants.
func (e *edits) exprs(n dsl.Node) {
	switch n := n.(type) {
	case *dsl.IfStmt:
		e.expr(&n.Cond)
	case *dsl.ForStmt:
		if n.Cond != nil {
			e.expr(&n.Cond)
		}
	case *dsl.ForRangeStmt:
		e.expr(&n.N)
	case *dsl.ForInStmt:
		e.extents(n.Extents)
	case *dsl.ForDomain:
		e.extents(n.Extents)
	case *dsl.BlocksDomain:
		e.extents(n.BlockExtents)
		e.extents(n.ThreadExtents)
	case *dsl.SwitchStmt:
		if n.Tag != nil {
			e.expr(&n.Tag)
		}
	case *dsl.CaseClause:
		e.each(n.Values)
	case *dsl.DefineStmt:
		e.each(n.Values)
	case *dsl.VarStmt:
		e.each(n.Values)
	case *dsl.ReturnStmt:
		e.each(n.Values)
	case *dsl.AssignStmt:
		if n.Op != "" {
			e.add(func() { n.Op = "" })
		}
		for i := range n.Targets {
			e.indexes(n.Targets[i])
		}
		e.each(n.Values)
	case *dsl.IncDecStmt:
		e.indexes(n.X)
	case *dsl.ExprStmt:
		e.call(n.X)
	}
}

func (e *edits) extents(list []dsl.Extent) {
	for i := range list {
		if list[i].Lo != nil {
			e.add(func() { list[i].Lo = nil })
			e.expr(&list[i].Lo)
		}
		e.expr(&list[i].Hi)
	}
}

func (e *edits) each(list []dsl.Expr) {
	for i := range list {
		e.expr(&list[i])
	}
}

func (e *edits) indexes(x dsl.Expr) {
	switch x := x.(type) {
	case *dsl.IndexExpr:
		e.each(x.Args)
		e.indexes(x.X)
	case *dsl.SelectorExpr:
		e.indexes(x.X)
	}
}

func (e *edits) expr(at *dsl.Expr) {
	put := func(x dsl.Expr) { e.add(func() { *at = x }) }
	parts := func(list ...*dsl.Expr) {
		for _, p := range list {
			put(*p)
		}
		for _, p := range list {
			e.expr(p)
		}
	}
	switch x := (*at).(type) {
	case *dsl.Ident, *dsl.BasicLit:
		return
	case *dsl.ParenExpr:
		parts(&x.X)
		return
	}
	for _, s := range []string{"0", "1", "true", "false"} {
		if s == "0" || s == "1" {
			put(&dsl.BasicLit{Kind: dsl.IntLit, Value: s})
		} else {
			put(&dsl.Ident{Name: s})
		}
	}
	switch x := (*at).(type) {
	case *dsl.UnaryExpr:
		parts(&x.X)
	case *dsl.BinaryExpr:
		parts(&x.X, &x.Y)
	case *dsl.IndexExpr:
		e.each(x.Args)
		e.expr(&x.X)
	case *dsl.SelectorExpr:
		parts(&x.X)
	case *dsl.CallExpr:
		var list []*dsl.Expr
		for i := range x.Args {
			list = append(list, &x.Args[i])
		}
		parts(list...)
		if x.Comp != nil {
			e.comprehension(at, x.Comp)
		}
	case *dsl.CompositeLit:
		for i := range x.Elems {
			e.add(func() { x.Elems = slices.Delete(x.Elems, i, i+1) })
			e.expr(&x.Elems[i].Value)
		}
	}
}
