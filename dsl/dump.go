package dsl

import (
	"fmt"
	"strings"
)

// Dump returns a node as an s-expression: what the parser understood, without positions and parentheses. It is what
// `gpugen dump -stage ast` shows.
func Dump(n Node) string {
	switch n := n.(type) {
	case nil:
		return "_"
	case *File:
		parts := make([]string, 0, len(n.Decls)+1)
		if n.Package != nil {
			parts = append(parts, "package "+n.Package.Name)
		}
		return strings.Join(append(parts, dumps(n.Decls)...), "\n")
	case Decl:
		return dumpDecl(n)
	case Stmt:
		return dumpStmt(n)
	case Expr:
		return dumpExpr(n)
	case *ForDomain:
		s := "for " + dumpList(n.Vars) + " in " + dumpExtents(n.Extents)
		if n.By != nil {
			s += " by " + n.By.Name
		}
		return s
	case *BlocksDomain:
		return "blocks " + dumpList(n.Blocks) + " in " + dumpExtents(n.BlockExtents) +
			" threads " + dumpList(n.Threads) + " in " + dumpExtents(n.ThreadExtents)
	case *Attr:
		return "@" + n.Name.Name + "(" + dumpList(n.Args) + ")"
	case *Generic:
		if n.Consts != nil {
			return dumpList(n.Names) + "=" + dumpList(n.Consts)
		}
		return dumpList(n.Names) + " " + dumpList(n.Types)
	case *Param:
		mut := ""
		if n.Mut {
			mut = " mut"
		}
		return dumpList(n.Names) + mut + " " + Dump(n.Type)
	case *ConstSpec:
		return dumpList(n.Names) + " " + dumpMaybe(n.Type) + " = " + dumpList(n.Values) + ";"
	case *TypeSpec:
		return n.Name.Name + " {" + strings.Join(dumps(n.Fields), "") + " }"
	case *Field:
		return " " + dumpList(n.Names) + " " + Dump(n.Type) + ";"
	case *CaseClause:
		if n.Default {
			return "default" + dumpBlock(n.Body)
		}
		return "case " + dumpList(n.Values) + dumpBlock(n.Body)
	case *Comprehension:
		return Dump(n.Elem) + " [" + dumpList(n.Vars) + " in " + dumpExtents(n.Extents) + "]"
	case *Element:
		if n.Key != nil {
			return Dump(n.Key) + ":" + Dump(n.Value)
		}
		return Dump(n.Value)
	}
	panic(fmt.Sprintf("dsl: Dump of %T", n))
}

func dumps[N Node](list []N) []string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = Dump(n)
	}
	return parts
}

func dumpList[N Node](list []N) string { return strings.Join(dumps(list), " ") }

func dumpMaybe(n Node) string {
	if n == nil {
		return "_"
	}
	return Dump(n)
}

func dumpExtents(list []Extent) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = Dump(x.Hi)
		if x.Lo != nil {
			parts[i] = "(: " + Dump(x.Lo) + " " + parts[i] + ")"
		}
	}
	return strings.Join(parts, " ")
}

func dumpAttrs(attrs []*Attr) string {
	s := ""
	for _, a := range attrs {
		s += Dump(a) + " "
	}
	return s
}

func dumpSignature(generics []*Generic, params []*Param) string {
	s := ""
	if len(generics) > 0 {
		s = "[" + strings.Join(dumps(generics), ", ") + "]"
	}
	return s + "(" + strings.Join(dumps(params), ", ") + ")"
}

func dumpBlock(list []Stmt) string { return "{" + strings.Join(dumps(list), "; ") + "}" }

func dumpDecl(d Decl) string {
	switch d := d.(type) {
	case *KernelDecl:
		s := dumpAttrs(d.Attrs) + "kernel " + d.Name.Name + dumpSignature(d.Generics, d.Params)
		if len(d.Requires) > 0 {
			s += " requires " + dumpList(d.Requires)
		}
		if d.Domain != nil {
			s += " " + Dump(d.Domain)
		}
		return s + " " + Dump(d.Body)
	case *FuncDecl:
		return dumpAttrs(d.Attrs) + "func " + d.Name.Name + dumpSignature(d.Generics, d.Params) + " -> " +
			dumpList(d.Results) + " " + Dump(d.Body)
	case *ConstDecl:
		return dumpAttrs(d.Attrs) + "const " + dumpList(d.Specs)
	case *TypeDecl:
		return dumpAttrs(d.Attrs) + "type " + dumpList(d.Specs)
	case *BadDecl:
		if d.Name == nil {
			return strings.TrimSuffix("(bad "+d.Kind, " ") + ")"
		}
		return "(bad " + d.Kind + " " + d.Name.Name + ")"
	}
	panic(fmt.Sprintf("dsl: Dump of %T", d))
}

func dumpStmt(s Stmt) string {
	switch s := s.(type) {
	case *Block:
		return dumpBlock(s.Stmts)
	case *IfStmt:
		o := "(if " + dumpInit(s.Init) + Dump(s.Cond) + " " + Dump(s.Then)
		if s.Else != nil {
			o += " else " + Dump(s.Else)
		}
		return o + ")"
	case *ForInStmt:
		return dumpAttrs(s.Attrs) + "(forin " + dumpList(s.Vars) + " in " + dumpExtents(s.Extents) + " " + Dump(s.Body) + ")"
	case *ForRangeStmt:
		o := dumpAttrs(s.Attrs) + "(range "
		if s.Var != nil {
			o += s.Var.Name + " " + s.Assign + " "
		}
		return o + Dump(s.N) + " " + Dump(s.Body) + ")"
	case *ForStmt:
		o := dumpAttrs(s.Attrs) + "(for "
		if s.Init != nil || s.Post != nil {
			return o + dumpMaybe(s.Init) + "; " + dumpMaybe(s.Cond) + "; " + dumpMaybe(s.Post) + " " + Dump(s.Body) + ")"
		}
		return o + dumpMaybe(s.Cond) + " " + Dump(s.Body) + ")"
	case *SwitchStmt:
		o := "(switch " + dumpInit(s.Init) + dumpMaybe(s.Tag)
		for _, c := range s.Cases {
			o += " " + Dump(c)
		}
		return o + ")"
	case *SharedStmt:
		return "(shared " + dumpList(s.Names) + " " + Dump(s.Type) + ")"
	case *VarStmt:
		return "(var " + dumpList(s.Names) + " " + dumpMaybe(s.Type) + " = " + dumpList(s.Values) + ")"
	case *ConstStmt:
		return "(" + Dump(s.Decl) + ")"
	case *ReturnStmt:
		return "(return " + dumpList(s.Values) + ")"
	case *BranchStmt:
		if s.Label != nil {
			return "(" + s.Word + " " + s.Label.Name + ")"
		}
		return "(" + s.Word + ")"
	case *LabeledStmt:
		return "(label " + s.Label.Name + " " + Dump(s.Stmt) + ")"
	case *DefineStmt:
		return "(:= " + dumpList(s.Names) + " | " + dumpList(s.Values) + ")"
	case *AssignStmt:
		return "(" + s.Op + "= " + dumpList(s.Targets) + " | " + dumpList(s.Values) + ")"
	case *IncDecStmt:
		return "(" + s.Op + " " + Dump(s.X) + ")"
	case *ExprStmt:
		return Dump(s.X)
	}
	panic(fmt.Sprintf("dsl: Dump of %T", s))
}

func dumpInit(s InitStmt) string {
	if s == nil {
		return ""
	}
	return Dump(s) + "; "
}

func dumpExpr(e Expr) string {
	switch e := e.(type) {
	case *Ident:
		return e.Name
	case *BasicLit:
		return e.Value
	case *UnaryExpr:
		return "(" + e.Op + " " + Dump(e.X) + ")"
	case *BinaryExpr:
		return "(" + e.Op + " " + Dump(e.X) + " " + Dump(e.Y) + ")"
	case *ParenExpr:
		return Dump(e.X)
	case *IndexExpr:
		return "(index " + Dump(e.X) + " " + dumpList(e.Args) + ")"
	case *CallExpr:
		if e.Comp != nil {
			return "(" + Dump(e.Fun) + "/ " + Dump(e.Comp) + ")"
		}
		return strings.TrimSuffix("("+Dump(e.Fun)+" "+dumpList(e.Args), " ") + ")"
	case *SelectorExpr:
		return Dump(e.X) + "." + e.Sel.Name
	case *CompositeLit:
		s := "(lit " + dumpMaybe(e.Type)
		for _, el := range e.Elems {
			s += " " + Dump(el)
		}
		return s + ")"
	case *ArrayType:
		return "[" + dumpList(e.Dims) + "]" + Dump(e.Elem)
	}
	panic(fmt.Sprintf("dsl: Dump of %T", e))
}
