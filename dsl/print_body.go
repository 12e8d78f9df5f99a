package dsl

import "fmt"

func (p *printer) block(b *Block) {
	p.text("{")
	p.body(b.Stmts)
	if len(b.Stmts) > 0 {
		p.line()
	}
	p.text("}")
}

func (p *printer) body(stmts []Stmt) {
	p.indent++
	for _, s := range stmts {
		p.line()
		p.stmt(s)
	}
	p.indent--
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Block:
		p.block(s)
	case *IfStmt:
		p.text("if ")
		p.init(s.Init)
		p.expr(s.Cond)
		p.text(" ")
		p.block(s.Then)
		if s.Else != nil {
			p.text(" else ")
			p.stmt(s.Else)
		}
	case *ForInStmt:
		p.attrs(s.Attrs)
		p.forIn(s.Vars, s.Extents)
		p.text(" ")
		p.block(s.Body)
	case *ForRangeStmt:
		p.attrs(s.Attrs)
		p.text("for ")
		if s.Var != nil {
			p.text(s.Var.Name, " ", s.Assign, " ")
		}
		p.text("range ")
		p.expr(s.N)
		p.text(" ")
		p.block(s.Body)
	case *ForStmt:
		p.forStmt(s)
	case *SwitchStmt:
		p.switchStmt(s)
	case *SharedStmt:
		p.text("shared ")
		p.names(s.Names)
		p.typed(s.Type, nil)
	case *VarStmt:
		p.text("var ")
		p.names(s.Names)
		p.typed(s.Type, s.Values)
	case *ConstStmt:
		p.consts(s.Decl)
	case *ReturnStmt:
		p.text("return")
		if len(s.Values) > 0 {
			p.text(" ")
			p.exprs(s.Values)
		}
	case *BranchStmt:
		p.text(s.Word)
		if s.Label != nil {
			p.text(" ", s.Label.Name)
		}
	case *LabeledStmt:
		p.text(s.Label.Name, ":")
		p.line()
		p.stmt(s.Stmt)
	case *DefineStmt:
		p.names(s.Names)
		p.text(" := ")
		p.exprs(s.Values)
	case *AssignStmt:
		p.exprs(s.Targets)
		p.text(" ", s.Op, "= ")
		p.exprs(s.Values)
	case *IncDecStmt:
		p.expr(s.X)
		p.text(s.Op)
	case *ExprStmt:
		p.expr(s.X)
	default:
		panic(fmt.Sprintf("dsl: Print of %T", s))
	}
}

func (p *printer) init(s InitStmt) {
	if s != nil {
		p.stmt(s)
		p.text("; ")
	}
}

func (p *printer) forStmt(s *ForStmt) {
	p.attrs(s.Attrs)
	p.text("for ")
	three := s.Init != nil || s.Post != nil
	if s.Init != nil {
		p.stmt(s.Init)
	}
	if three {
		p.text("; ")
	}
	if s.Cond != nil {
		p.expr(s.Cond)
	}
	if three {
		p.text("; ")
	}
	if s.Post != nil {
		p.stmt(s.Post)
	}
	if three || s.Cond != nil {
		p.text(" ")
	}
	p.block(s.Body)
}

func (p *printer) switchStmt(s *SwitchStmt) {
	p.text("switch ")
	p.init(s.Init)
	if s.Tag != nil {
		p.expr(s.Tag)
		p.text(" ")
	}
	p.text("{")
	for _, c := range s.Cases {
		p.line()
		if c.Default {
			p.text("default:")
		} else {
			p.text("case ")
			p.exprs(c.Values)
			p.text(":")
		}
		p.body(c.Body)
	}
	p.line()
	p.text("}")
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *Ident:
		p.text(e.Name)
	case *BasicLit:
		p.text(e.Value)
	case *UnaryExpr:
		p.text(e.Op)
		if _, ok := e.X.(*UnaryExpr); ok {
			p.text(" ") // `- -x`, `& ^x`: together they would be other operators
		}
		p.expr(e.X)
	case *BinaryExpr:
		p.expr(e.X)
		p.text(" ", e.Op, " ")
		p.expr(e.Y)
	case *ParenExpr:
		p.text("(")
		p.expr(e.X)
		p.text(")")
	case *IndexExpr:
		p.expr(e.X)
		p.text("[")
		p.exprs(e.Args)
		p.text("]")
	case *CallExpr:
		p.expr(e.Fun)
		p.text("(")
		if c := e.Comp; c != nil {
			p.expr(c.Elem)
			p.text(" ")
			p.forIn(c.Vars, c.Extents)
		}
		p.exprs(e.Args)
		p.text(")")
	case *SelectorExpr:
		p.expr(e.X)
		p.text(".", e.Sel.Name)
	case *CompositeLit:
		if e.Type != nil {
			p.expr(e.Type)
		}
		p.text("{")
		list(p, e.Elems, ", ", func(el *Element) {
			if el.Key != nil {
				p.expr(el.Key)
				p.text(": ")
			}
			p.expr(el.Value)
		})
		p.text("}")
	case *ArrayType:
		p.text("[")
		p.exprs(e.Dims)
		p.text("]")
		p.expr(e.Elem)
	default:
		panic(fmt.Sprintf("dsl: Print of %T", e))
	}
}
