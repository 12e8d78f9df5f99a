package kernelgen

import (
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
)

// repair gives the text of the tree, without the variables that nothing reads any more. It is empty if the tree is wrong
// for another reason.
func repair(f *dsl.File) string {
	for range 50 {
		var b strings.Builder
		if dsl.Print(&b, f) != nil {
			return ""
		}
		var errs []error
		var unused []string
		text := b.String()
		again, list := dsl.Parse("shrink.gpu", []byte(text))
		if len(list) > 0 {
			return ""
		}
		_, list = check.Package([]*dsl.File{again}, check.Config{})
		for _, d := range list {
			if d.Code == "unused-variable" || d.Code == "unused-label" {
				unused = append(unused, d.Pos.String())
			} else {
				errs = append(errs, d)
			}
		}
		switch {
		case len(errs) > 0:
			return ""
		case len(unused) == 0:
			return text
		}
		drop(again, unused)
		f = again
	}
	return ""
}

// drop makes the variables declared at these places blank, and takes labels away.
func drop(f *dsl.File, at []string) {
	unused := func(id *dsl.Ident) bool { return slices.Contains(at, id.Pos().String()) }
	blank := func(ids []*dsl.Ident) (all bool) {
		all = true
		for _, id := range ids {
			if unused(id) {
				id.Name = "_"
			}
			all = all && id.Name == "_"
		}
		return all
	}
	list := func(stmts []dsl.Stmt) {
		for i, s := range stmts {
			for {
				l, ok := s.(*dsl.LabeledStmt)
				if !ok || !unused(l.Label) {
					break
				}
				s = l.Stmt
				stmts[i] = s
			}
			d, ok := s.(*dsl.DefineStmt)
			if !ok || !blank(d.Names) {
				continue
			}
			a := &dsl.AssignStmt{Values: d.Values}
			for _, id := range d.Names {
				a.Targets = append(a.Targets, id)
			}
			stmts[i] = a
		}
	}
	dsl.Walk(f, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.ForRangeStmt:
			if n.Var != nil && unused(n.Var) {
				n.Var, n.Assign = nil, ""
			}
		case *dsl.VarStmt:
			blank(n.Names)
		case *dsl.SharedStmt:
			blank(n.Names)
		case *dsl.SwitchStmt:
			if d, ok := n.Init.(*dsl.DefineStmt); ok && blank(d.Names) {
				n.Init = nil
			}
		case *dsl.IfStmt:
			if d, ok := n.Init.(*dsl.DefineStmt); ok && blank(d.Names) {
				n.Init = nil
			}
		case *dsl.ForStmt:
			if d, ok := n.Init.(*dsl.DefineStmt); ok && blank(d.Names) {
				n.Init = nil
			}
		case *dsl.Block:
			list(n.Stmts)
		case *dsl.CaseClause:
			list(n.Body)
		}
		return true
	})
}
