package lower

import (
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
		old := b.read(t)
		b.write(t, b.arith(op, old, b.one(old.Kind())))
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

// bind gives a declared variable its value: the value itself, or a slot if the variable changes or is an array.
func (b *body) bind(id *dsl.Ident, v *ir.Instr) {
	dv := b.facts.Defs[id]
	if dv == nil { // the blank name
		return
	}
	if _, array := dv.Type.(*types.Array); array || dv.Assigned {
		b.LocalSet(b.declare(dv), v)
		return
	}
	b.values[dv] = v
	if v.Name == "" && v.Op != ir.OpConst {
		v.Name = dv.Name
	}
}

func (b *body) define(s *dsl.DefineStmt) {
	vals := b.rhs(s.Values, s.Names)
	for i, id := range s.Names {
		b.Pos = s.Pos()
		if dv := b.facts.Defs[id]; dv != nil {
			b.bind(id, vals[i])
		} else if use := b.facts.Uses[id]; use != nil { // redeclared: an assignment
			b.LocalSet(b.vars[use], vals[i])
		}
	}
}

// rhs evaluates the right side of a definition: an expression a name, or one call of several results.
func (b *body) rhs(exprs []dsl.Expr, names []*dsl.Ident) []*ir.Instr {
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
func (b *body) exprs(exprs []dsl.Expr) []*ir.Instr {
	vals := make([]*ir.Instr, len(exprs))
	for i, e := range exprs {
		vals[i] = b.expr(e)
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
			b.bind(id, b.Zero(flat(dv.Type)))
		}
	}
}

// place is where an assignment goes, its indexes evaluated.
type place struct {
	param *ir.Param
	local *ir.Local
	table *ir.Table
	index []*ir.Instr // none: the whole local
	typ   types.Type  // of the place
	pos   dsl.Node
}

// target evaluates the place that e names; nil for the blank name.
func (b *body) target(e dsl.Expr) *place {
	e = dsl.Unparen(e)
	if id, ok := e.(*dsl.Ident); ok {
		if id.Name == "_" {
			return nil
		}
		if t := b.facts.Tables[id]; t != nil {
			return &place{table: b.table(t), typ: flat(t.Type), pos: e}
		}
		v := b.facts.Uses[id]
		return &place{local: b.vars[v], typ: flat(v.Type), pos: e}
	}
	root, index := b.indexes(e)
	if t := b.facts.Tables[root]; t != nil {
		return &place{table: b.table(t), index: index, typ: sub(flat(t.Type), len(index)), pos: e}
	}
	v := b.facts.Uses[root]
	if r := b.refs[v]; r != nil {
		p := *r
		p.index, p.pos = index, e
		return &p
	}
	p := &place{index: index, pos: e}
	if v.Kind == check.ViewVar {
		p.param = b.params[v.Index]
		p.typ = p.param.Elem()
		return p
	}
	p.local = b.vars[v]
	p.typ = sub(p.local.Type, len(index))
	return p
}

// sub is the type of an array of flat type t behind n indexes.
func sub(t types.Type, n int) types.Type {
	a, ok := t.(*types.Array)
	switch {
	case !ok || n == 0:
		return t
	case n == len(a.Dims):
		return a.Elem
	}
	return &types.Array{Dims: a.Dims[n:], Elem: a.Elem}
}

// read is the value at p.
func (b *body) read(p *place) *ir.Instr {
	bb := b.At(p.pos.Pos())
	switch {
	case p.param != nil:
		return bb.Load(p.param, p.index...)
	case p.table != nil:
		if len(p.index) < len(p.table.Type.Dims) {
			return b.copyTable(p)
		}
		return bb.TableGet(p.table, p.index...)
	case len(p.index) == 0:
		return bb.LocalGet(p.local)
	}
	if _, row := p.typ.(*types.Array); row {
		return b.copyRow(p)
	}
	return bb.ElemGet(p.local, p.index...)
}

// write assigns v to p.
func (b *body) write(p *place, v *ir.Instr) {
	bb := b.At(p.pos.Pos())
	switch {
	case p.param != nil:
		bb.Store(p.param, v, p.index...)
	case len(p.index) == 0:
		bb.LocalSet(p.local, v)
	default:
		if row, ok := p.typ.(*types.Array); ok {
			src := b.local("row", row)
			b.LocalSet(src, v)
			b.each(row.Dims, func(ix []*ir.Instr) {
				b.ElemSet(p.local, b.ElemGet(src, ix...), append(p.index[:len(p.index):len(p.index)], ix...)...)
			})
			return
		}
		bb.ElemSet(p.local, v, p.index...)
	}
}

// copyRow copies a part of a nested array, a value, into a slot of its own.
func (b *body) copyRow(p *place) *ir.Instr {
	row := p.typ.(*types.Array)
	dst := b.local("row", row)
	b.LocalSet(dst, b.Zero(row))
	b.each(row.Dims, func(ix []*ir.Instr) {
		b.ElemSet(dst, b.ElemGet(p.local, append(p.index[:len(p.index):len(p.index)], ix...)...), ix...)
	})
	return b.LocalGet(dst)
}

// each runs f in nested loops over all indexes of an array.
func (b *body) each(dims []int64, f func(index []*ir.Instr)) {
	var nest func(ix []*ir.Instr)
	nest = func(ix []*ir.Instr) {
		if len(ix) == len(dims) {
			f(ix)
			return
		}
		loop := b.Range("", b.Int(0), b.Int(dims[len(ix)]), b.Int(1))
		b.within(loop.Blocks[0], func() { nest(append(ix[:len(ix):len(ix)], loop.Blocks[0].Iter)) })
	}
	nest(nil)
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
		v := b.expr(s.Values[0])
		b.Pos = s.OpPos
		b.write(t, b.arith(binaryOps[s.Op], old, v))
		return
	}
	targets := make([]*place, len(s.Targets))
	for i, e := range s.Targets {
		targets[i] = b.target(e)
	}
	var vals []*ir.Instr
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
	var vals []*ir.Instr
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
	b.At(s.Pos()).New(ir.OpReturn, nil, vals...)
}
