package lower

import (
	"slices"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

func (b *body) stmts(list []dsl.Stmt) {
	for _, s := range list {
		b.stmt(s)
	}
}

func (b *body) stmt(s dsl.Stmt) {
	b.Pos = s.Pos()
	switch s := s.(type) {
	case *dsl.Block:
		b.stmts(s.Stmts)
	case *dsl.DefineStmt:
		b.define(s)
	case *dsl.VarStmt:
		b.varStmt(s)
	case *dsl.ConstStmt: // its values stand at their uses
	case *dsl.AssignStmt:
		b.assign(s)
	case *dsl.IncDecStmt:
		op := ir.OpAdd
		if s.Op == "--" {
			op = ir.OpSub
		}
		t := b.target(s.X)
		old := b.read(t)[0]
		b.write(t, []*ir.Instr{b.arith(op, old, b.one(old.Kind()))})
	case *dsl.ExprStmt:
		b.call(dsl.Unparen(s.X).(*dsl.CallExpr))
	case *dsl.IfStmt:
		b.ifStmt(s)
	case *dsl.ForStmt:
		b.forStmt(s)
	case *dsl.ForRangeStmt:
		b.forRange(s)
	case *dsl.ForInStmt:
		b.forIn(s)
	case *dsl.SwitchStmt:
		b.switchStmt(s)
	case *dsl.LabeledStmt:
		b.labeled(s)
	case *dsl.SharedStmt:
		b.shared(s)
	case *dsl.ReturnStmt:
		b.returnStmt(s)
	case *dsl.BranchStmt:
		b.branch(s)
	default:
		unknown("statement", s)
	}
}

// one is the constant 1 of a numeric kind.
func (b *body) one(k types.Kind) *ir.Instr {
	if k.IsFloat() {
		return b.Float(k, 1)
	}
	return b.Const(k, 1)
}

// bind gives a declared variable its value: leaf by leaf the value itself, or a slot if the leaf changes or is an array.
func (b *body) bind(id *dsl.Ident, v []*ir.Instr) {
	dv := b.facts.Defs[id]
	if dv == nil { // the blank name
		return
	}
	leaves := types.Leaves(dv.Type)
	if b.changes == nil {
		b.changes = b.changing()
	}
	changes := b.changes[dv]
	slots, held := make([]*ir.Local, len(leaves)), 0
	for i, l := range leaves {
		name := leafName(dv.Name, &l)
		array := len(l.Dims) > 0
		switch {
		case array && v[i].Op == ir.OpLocalGet && b.fresh[v[i].Local]:
			slots[i] = v[i].Local
			delete(b.fresh, slots[i])
			slots[i].Name = name
		case array || changes != nil && changes[i]:
			slots[i] = b.local(name, l.Type())
			b.LocalSet(slots[i], v[i])
		case v[i].Name == "" && v[i].Op != ir.OpConst:
			v[i].Name = name
		}
		if slots[i] != nil {
			slots[i].Pos = dv.Pos
			held++
		}
	}
	if held > 0 {
		b.vars[dv] = slots
	}
	if held < len(slots) {
		b.values[dv] = v
	}
}

// changing finds the leaves of every variable that something assigns after its declaration.
func (b *body) changing() map[*check.Var][]bool {
	out := map[*check.Var][]bool{}
	var under func(e dsl.Expr) (*check.Var, []int)
	under = func(e dsl.Expr) (*check.Var, []int) {
		switch e := dsl.Unparen(e).(type) {
		case *dsl.Ident:
			if v := b.facts.Uses[e]; v != nil && v.Kind == check.LocalVar {
				return v, all(v.Type)
			}
		case *dsl.IndexExpr:
			return under(e.X)
		case *dsl.SelectorExpr:
			if v, l := under(e.X); v != nil {
				l, _ = part(l, b.facts.Values[e.X].Type, e)
				return v, l
			}
		}
		return nil, nil
	}
	mark := func(e dsl.Expr) {
		v, leaves := under(e)
		if v == nil {
			return
		}
		if out[v] == nil {
			out[v] = make([]bool, len(types.Leaves(v.Type)))
		}
		for _, i := range leaves {
			out[v][i] = true
		}
	}
	dsl.Walk(b.root, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.AssignStmt:
			for _, t := range n.Targets {
				mark(t)
			}
		case *dsl.DefineStmt:
			for _, id := range n.Names {
				mark(id)
			}
		case *dsl.IncDecStmt:
			mark(n.X)
		case *dsl.ForRangeStmt:
			if n.Var != nil {
				mark(n.Var)
			}
		}
		return true
	})
	return out
}

// assignAll assigns the leaves of a value to the slots of a variable.
func (b *body) assignAll(ls []*ir.Local, v []*ir.Instr) {
	for i, l := range ls {
		b.LocalSet(l, v[i])
	}
}

func (b *body) define(s *dsl.DefineStmt) {
	vals := b.rhs(s.Values, s.Names)
	for i, id := range s.Names {
		b.Pos = s.Pos()
		if dv := b.facts.Defs[id]; dv != nil {
			b.bind(id, vals[i])
		} else if use := b.facts.Uses[id]; use != nil { // redeclared: an assignment
			b.assignAll(b.vars[use], vals[i])
		}
	}
}

// rhs evaluates the right side of a definition: an expression a name, or one call of several results.
func (b *body) rhs(exprs []dsl.Expr, names []*dsl.Ident) [][]*ir.Instr {
	if len(exprs) == 1 && len(names) > 1 {
		var outs []string
		for _, id := range names {
			outs = append(outs, id.Name)
		}
		return b.call(dsl.Unparen(exprs[0]).(*dsl.CallExpr), outs...)
	}
	return b.exprs(exprs)
}

// exprs evaluates expressions of one value each.
func (b *body) exprs(exprs []dsl.Expr) [][]*ir.Instr {
	vals := make([][]*ir.Instr, len(exprs))
	for i, e := range exprs {
		vals[i] = b.leaves(e)
	}
	return vals
}

func (b *body) varStmt(s *dsl.VarStmt) {
	if len(s.Values) > 0 {
		vals := b.rhs(s.Values, s.Names)
		for i, id := range s.Names {
			b.bind(id, vals[i])
		}
		return
	}
	for _, id := range s.Names {
		if dv := b.facts.Defs[id]; dv != nil {
			b.bind(id, b.zeros(dv.Type))
		}
	}
}

// binaryOps maps Go's operators; comparisons and shifts included, the short-circuit operators not.
var binaryOps = map[string]ir.Op{
	"+": ir.OpAdd, "-": ir.OpSub, "*": ir.OpMul, "/": ir.OpDiv, "%": ir.OpRem,
	"&": ir.OpAnd, "|": ir.OpOr, "^": ir.OpXor, "&^": ir.OpAndNot, "<<": ir.OpShl, ">>": ir.OpShr,
	"==": ir.OpEq, "!=": ir.OpNe, "<": ir.OpLt, "<=": ir.OpLe, ">": ir.OpGt, ">=": ir.OpGe,
}

func (b *body) assign(s *dsl.AssignStmt) {
	if s.Op != "" {
		t := b.target(s.Targets[0])
		old := b.read(t)
		v := b.leaves(s.Values[0])
		b.Pos = s.OpPos
		b.write(t, b.pairwise(binaryOps[s.Op], old, v))
		return
	}
	targets := make([]*place, len(s.Targets))
	for i, e := range s.Targets {
		targets[i] = b.target(e)
	}
	var vals [][]*ir.Instr
	if len(s.Values) == 1 && len(targets) > 1 {
		vals = b.call(dsl.Unparen(s.Values[0]).(*dsl.CallExpr))
	} else {
		vals = b.exprs(s.Values)
	}
	for i, t := range targets {
		if t != nil {
			b.write(t, vals[i])
		}
	}
}

func (b *body) ifStmt(s *dsl.IfStmt) {
	if s.Init != nil {
		b.stmt(s.Init)
	}
	cond := b.expr(s.Cond)
	b.Pos = s.Pos()
	in := b.If(cond)
	b.within(in.Blocks[0], func() { b.stmts(s.Then.Stmts) })
	if s.Else != nil {
		b.within(in.Blocks[1], func() { b.stmt(s.Else) })
	}
}

func (b *body) returnStmt(s *dsl.ReturnStmt) {
	var vals [][]*ir.Instr
	if len(s.Values) == 1 && b.facts.Values[s.Values[0]].Type == nil { // return f(), of several results
		vals = b.call(dsl.Unparen(s.Values[0]).(*dsl.CallExpr))
	} else {
		vals = b.exprs(s.Values)
	}
	if b.result != nil {
		b.Pos = s.Pos()
		b.give(vals)
		return
	}
	b.At(s.Pos()).New(ir.OpReturn, nil, slices.Concat(vals...)...)
}
