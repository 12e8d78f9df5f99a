package dsl

import "fmt"

// Walk calls f for n and, where f returns true, for its children in the order of the source. Children that are nil are
// left out. It is for queries; passes use type switches.
func Walk(n Node, f func(Node) bool) {
	if !f(n) {
		return
	}
	switch n := n.(type) {
	case *File:
		if n.Package != nil {
			Walk(n.Package, f)
		}
		walk(f, n.Decls)
	case Decl:
		walkDecl(n, f)
	case Stmt:
		walkStmt(n, f)
	case Expr:
		walkExpr(n, f)
	case *Attr:
		Walk(n.Name, f)
		walk(f, n.Args)
	case *Generic:
		walk(f, n.Names)
		walk(f, n.Consts)
		walk(f, n.Types)
	case *Param:
		walk(f, n.Names)
		Walk(n.Type, f)
	case *ForDomain:
		walk(f, n.Vars)
		walkExtents(f, n.Extents)
		if n.By != nil {
			Walk(n.By, f)
		}
	case *BlocksDomain:
		walk(f, n.Blocks)
		walkExtents(f, n.BlockExtents)
		walk(f, n.Threads)
		walkExtents(f, n.ThreadExtents)
	case *ConstSpec:
		walk(f, n.Names)
		walkMaybe(f, n.Type)
		walk(f, n.Values)
	case *TypeSpec:
		Walk(n.Name, f)
		walk(f, n.Fields)
	case *Field:
		walk(f, n.Names)
		Walk(n.Type, f)
	case *CaseClause:
		walk(f, n.Values)
		walk(f, n.Body)
	case *Comprehension:
		Walk(n.Elem, f)
		walk(f, n.Vars)
		walkExtents(f, n.Extents)
	case *Element:
		walkMaybe(f, n.Key)
		Walk(n.Value, f)
	default:
		panic(fmt.Sprintf("dsl: Walk of %T", n))
	}
}

func walk[N Node](f func(Node) bool, list []N) {
	for _, n := range list {
		Walk(n, f)
	}
}

// walkMaybe walks a node of an interface type, which may be nil.
func walkMaybe(f func(Node) bool, n Node) {
	if n != nil {
		Walk(n, f)
	}
}

func walkExtents(f func(Node) bool, list []Extent) {
	for _, x := range list {
		walkMaybe(f, x.Lo)
		Walk(x.Hi, f)
	}
}

func walkDecl(d Decl, f func(Node) bool) {
	switch d := d.(type) {
	case *KernelDecl:
		walk(f, d.Attrs)
		Walk(d.Name, f)
		walk(f, d.Generics)
		walk(f, d.Params)
		walk(f, d.Requires)
		walkMaybe(f, d.Domain)
		Walk(d.Body, f)
	case *FuncDecl:
		walk(f, d.Attrs)
		Walk(d.Name, f)
		walk(f, d.Generics)
		walk(f, d.Params)
		walk(f, d.Results)
		Walk(d.Body, f)
	case *ConstDecl:
		walk(f, d.Attrs)
		walk(f, d.Specs)
	case *TypeDecl:
		walk(f, d.Attrs)
		walk(f, d.Specs)
	case *BadDecl:
		if d.Name != nil {
			Walk(d.Name, f)
		}
	default:
		panic(fmt.Sprintf("dsl: Walk of %T", d))
	}
}

func walkStmt(s Stmt, f func(Node) bool) {
	switch s := s.(type) {
	case *Block:
		walk(f, s.Stmts)
	case *IfStmt:
		walkMaybe(f, s.Init)
		Walk(s.Cond, f)
		Walk(s.Then, f)
		walkMaybe(f, s.Else)
	case *ForInStmt:
		walk(f, s.Attrs)
		walk(f, s.Vars)
		walkExtents(f, s.Extents)
		Walk(s.Body, f)
	case *ForRangeStmt:
		walk(f, s.Attrs)
		if s.Var != nil {
			Walk(s.Var, f)
		}
		Walk(s.N, f)
		Walk(s.Body, f)
	case *ForStmt:
		walk(f, s.Attrs)
		walkMaybe(f, s.Init)
		walkMaybe(f, s.Cond)
		walkMaybe(f, s.Post)
		Walk(s.Body, f)
	case *SwitchStmt:
		walkMaybe(f, s.Init)
		walkMaybe(f, s.Tag)
		walk(f, s.Cases)
	case *SharedStmt:
		walk(f, s.Names)
		Walk(s.Type, f)
	case *VarStmt:
		walk(f, s.Names)
		walkMaybe(f, s.Type)
		walk(f, s.Values)
	case *ConstStmt:
		Walk(s.Decl, f)
	case *ReturnStmt:
		walk(f, s.Values)
	case *BranchStmt:
		if s.Label != nil {
			Walk(s.Label, f)
		}
	case *LabeledStmt:
		Walk(s.Label, f)
		Walk(s.Stmt, f)
	case *DefineStmt:
		walk(f, s.Names)
		walk(f, s.Values)
	case *AssignStmt:
		walk(f, s.Targets)
		walk(f, s.Values)
	case *IncDecStmt:
		Walk(s.X, f)
	case *ExprStmt:
		Walk(s.X, f)
	default:
		panic(fmt.Sprintf("dsl: Walk of %T", s))
	}
}

func walkExpr(e Expr, f func(Node) bool) {
	switch e := e.(type) {
	case *Ident, *BasicLit:
	case *UnaryExpr:
		Walk(e.X, f)
	case *BinaryExpr:
		Walk(e.X, f)
		Walk(e.Y, f)
	case *ParenExpr:
		Walk(e.X, f)
	case *IndexExpr:
		Walk(e.X, f)
		walk(f, e.Args)
	case *CallExpr:
		Walk(e.Fun, f)
		walk(f, e.Args)
		if e.Comp != nil {
			Walk(e.Comp, f)
		}
	case *SelectorExpr:
		Walk(e.X, f)
		Walk(e.Sel, f)
	case *CompositeLit:
		walkMaybe(f, e.Type)
		walk(f, e.Elems)
	case *ArrayType:
		walk(f, e.Dims)
		Walk(e.Elem, f)
	default:
		panic(fmt.Sprintf("dsl: Walk of %T", e))
	}
}
