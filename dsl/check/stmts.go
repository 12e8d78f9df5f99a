package check

import (
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

func (b *body) stmts(list []dsl.Stmt) {
	for _, s := range list {
		b.stmt(s)
	}
}

// block checks a block in a scope of its own.
func (b *body) block(s *dsl.Block) {
	b.open()
	b.stmts(s.Stmts)
	b.close()
}

func (b *body) stmt(s dsl.Stmt) {
	switch s := s.(type) {
	case *dsl.Block:
		b.block(s)
	case *dsl.DefineStmt:
		b.define(s)
	case *dsl.VarStmt:
		b.varStmt(s)
	case *dsl.ConstStmt:
		b.localConsts(s.Decl)
	case *dsl.AssignStmt:
		b.assignStmt(s)
	case *dsl.IncDecStmt:
		b.incDec(s)
	case *dsl.ExprStmt:
		b.exprStmt(s)
	case *dsl.IfStmt:
		b.ifStmt(s)
	case *dsl.ForStmt:
		b.forStmt(s)
	case *dsl.ForRangeStmt:
		b.forRange(s)
	case *dsl.ForInStmt:
		b.forIn(s)
	case *dsl.ReturnStmt:
		b.returnStmt(s)
	case *dsl.BranchStmt:
		b.branch(s)
	case *dsl.SwitchStmt:
		b.switchStmt(s)
	case *dsl.LabeledStmt:
		b.labeled(s)
	case *dsl.SharedStmt:
		b.sharedStmt(s)
	default:
		b.use(s)
	}
}

// values checks the right side of a definition or an assignment to n places: as many expressions, or one call with as
// many results. It returns nil if the number is wrong.
func (b *body) values(list []dsl.Expr, n int, place span, what string) []operand {
	if len(list) == 1 && n != 1 {
		x := b.raw(list[0])
		switch {
		case x.mode == bad:
			return nil
		case x.mode == several && x.n == n:
			f := b.facts.Calls[dsl.Unparen(list[0]).(*dsl.CallExpr)].Func
			out := make([]operand, n)
			for i, t := range f.Results {
				out[i] = operand{mode: value, typ: t, expr: list[0]}
				if t == types.Invalid {
					out[i].mode = bad
				}
			}
			return out
		case x.mode == nothing:
			b.report(&NoValueError{span: at(list[0]), Text: text(list[0])})
			return nil
		}
		b.report(&ValueCountError{span: place, What: what, Want: n, Have: max(x.n, 1)})
		return nil
	}
	out := make([]operand, len(list))
	for i, e := range list {
		out[i] = b.expr(e)
	}
	if len(list) != n {
		b.report(&ValueCountError{span: place, What: what, Want: n, Have: len(list)})
		return nil
	}
	return out
}

// define checks `a, b := x, y`. Names that this very block declares already are assigned; one must be new.
func (b *body) define(s *dsl.DefineStmt) {
	place := span{s.Pos(), s.Names[len(s.Names)-1].End()}
	vals := b.values(s.Values, len(s.Names), place, "variable")
	type pending struct {
		id      *dsl.Ident
		t       types.Type
		literal string
	}
	var fresh []pending
	var old []string
	var first span
	seen := map[string]bool{}
	for i, id := range s.Names {
		if id.Name == "_" {
			if vals != nil {
				b.setDefault(&vals[i])
			}
			continue
		}
		if seen[id.Name] {
			b.report(&RedeclaredError{span: at(id), Name: id.Name})
			continue
		}
		seen[id.Name] = true
		if o := b.scope.names[id.Name]; o != nil {
			if len(old) == 0 {
				first = o.place
			}
			old = append(old, id.Name)
			if len(s.Names) > 1 && b.assignable(id, o) && vals != nil {
				b.facts.Uses[id] = o.v
				o.v.Assigned = true
				b.assign(&vals[i], o.v.Type, "assignment")
			}
			continue
		}
		t, literal := types.Type(types.Invalid), ""
		if vals != nil && vals[i].mode == konst && vals[i].untyped() && vals[i].kind() != types.UntypedBool {
			literal = vals[i].text()
		}
		if vals != nil && b.setDefault(&vals[i]) {
			t = vals[i].typ
		}
		fresh = append(fresh, pending{id, t, literal})
	}
	if len(fresh) == 0 {
		b.report(&NoNewVariableError{span: place, Names: old, First: first})
	}
	for _, p := range fresh {
		b.newLocal(p.id, p.t)
		if o := b.scope.names[p.id.Name]; o != nil && o.kind == objVar {
			o.literal = p.literal
		}
	}
}

func (b *body) varStmt(s *dsl.VarStmt) {
	t := types.Type(types.Invalid)
	if s.Type != nil {
		t = b.typ(s.Type)
	}
	var vals []operand
	if len(s.Values) > 0 {
		vals = b.values(s.Values, len(s.Names), span{s.Names[0].Pos(), s.Names[len(s.Names)-1].End()}, "variable")
	}
	kinds := make([]types.Type, len(s.Names))
	for i := range s.Names {
		kinds[i] = t
		switch {
		case vals == nil:
		case s.Type != nil:
			b.assign(&vals[i], t, "the declaration of `"+s.Names[i].Name+"`")
		case b.setDefault(&vals[i]):
			kinds[i] = vals[i].typ
		}
	}
	for i, id := range s.Names {
		b.newLocal(id, kinds[i])
	}
}

// assignable reports a name that cannot be assigned to.
func (b *body) assignable(id *dsl.Ident, o *object) bool {
	what := ""
	switch {
	case o.kind == objBad:
		return false
	case o.kind != objVar:
		what = o.kind.what()
	case o.v.Type == types.Invalid:
		return false
	default:
		switch o.v.Kind {
		case ParamVar:
			what = "a kernel's parameter"
		case ViewVar:
			o.used = true
			b.report(&ViewValueError{span: at(id), Name: id.Name})
			return false
		case ExtentVar:
			what = "an extent"
		case PointVar:
			what = "an index of the domain"
			if b.blocks {
				what = "the index of a block"
			}
		case ThreadVar:
			what = "the index of a thread"
		case IterVar:
			if o.fixed {
				what = "an index of `for … in`"
			}
		}
	}
	if what != "" {
		e := &NotAssignableError{span: at(id), Text: id.Name, What: what, First: o.place}
		b.report(e)
		return false
	}
	return b.ordered(at(id), o)
}

// ordered reports the assignment to a variable from outside of an unordered loop.
func (b *body) ordered(place span, o *object) bool {
	if o.depth < len(b.unordered) {
		b.report(&UnorderedLoopError{span: place, What: "an assignment to the outer variable `" + o.name + "`", Loop: b.unordered[len(b.unordered)-1]})
		return false
	}
	return true
}

// target checks the left side of an assignment and gives the type of the place; nil for the blank name. read says that
// the old value is read as well.
func (b *body) target(e dsl.Expr, read bool) (t types.Type, ok bool) {
	switch x := dsl.Unparen(e).(type) {
	case *dsl.Ident:
		if x.Name == "_" {
			return nil, !read || b.blank(x)
		}
		if !read && !b.unknown[x.Name] && !x.Foreign() && b.scope.lookup(x.Name) == nil && goOnly[x.Name] == "" {
			b.unknown[x.Name] = true
			e := b.unknownName(x)
			e.New = true
			b.report(e)
			return nil, false
		}
		o := b.find(x)
		if o == nil || !b.assignable(x, o) {
			if o != nil && o.kind == objVar {
				o.used = true
			}
			return nil, false
		}
		o.used = o.used || read
		o.v.Assigned = true
		b.facts.Uses[x] = o.v
		b.facts.Values[x] = Value{Type: o.v.Type}
		return o.v.Type, true
	case *dsl.IndexExpr, *dsl.SelectorExpr:
		v := b.raw(x)
		if v.mode == bad || !b.storable(x) {
			return nil, false
		}
		return v.typ, true
	default:
		if v := b.raw(e); v.mode != bad {
			b.report(&NotAssignableError{span: at(e), Text: text(e), What: "not a variable or an element"})
		}
		return nil, false
	}
}

func (b *body) blank(id *dsl.Ident) bool {
	b.report(&BlankValueError{at(id)})
	return false
}

// storable checks that the variable under an element, field or swizzle may be stored to.
func (b *body) storable(e dsl.Expr) bool {
	root := dsl.Unparen(e)
	for {
		switch x := root.(type) {
		case *dsl.IndexExpr:
			root = dsl.Unparen(x.X)
			continue
		case *dsl.SelectorExpr:
			if _, vector := b.facts.Values[x.X].Type.(*types.Vector); vector && repeats(x.Sel.Name) {
				b.report(&NotAssignableError{span: at(x), Text: text(x), What: "a swizzle that has a component twice"})
				return false
			}
			root = dsl.Unparen(x.X)
			continue
		}
		break
	}
	id, ok := root.(*dsl.Ident)
	if !ok {
		b.report(&NotAssignableError{span: at(e), Text: text(e), What: "part of a value that no variable holds"})
		return false
	}
	o := b.scope.lookup(id.Name)
	if o != nil && o.kind == objConst {
		return b.assignable(id, o)
	}
	if o == nil || o.kind != objVar {
		return false
	}
	if o.v.Kind == ViewVar {
		if p := b.viewParam(o.v); p == nil || !p.Mut {
			b.report(&NotMutError{span: at(id), Name: id.Name, Decl: o.place})
			return false
		}
		return true
	}
	// The elements of a shared array are memory, as those of a view: iterations that store to one are a race.
	if o.v.Kind != SharedVar && !b.assignable(id, o) {
		return false
	}
	o.v.Assigned = true
	return true
}

// untypedVar reports that a value of type t goes to a variable whose own type only its first value, an untyped constant, gave
// it: the declaration is what has to change. Later uses of the variable are silent.
func (b *body) untypedVar(e dsl.Expr, t types.Type, y *operand) bool {
	id, ok := dsl.Unparen(e).(*dsl.Ident)
	if !ok || y.mode == bad || y.untyped() {
		return false
	}
	o := b.scope.lookup(id.Name)
	if o == nil || o.kind != objVar || o.literal == "" || types.Identical(y.typ, t) || !y.kind().IsNumeric() {
		return false
	}
	b.report(&WrongTypeError{span: y.at(), Text: y.text(), Have: y.typ, Want: t, Where: "assignment", Var: id.Name, Decl: o.place, Literal: o.literal})
	o.v.Type, o.used = types.Invalid, true
	return true
}

func (b *body) assignStmt(s *dsl.AssignStmt) {
	if s.Op != "" {
		if len(s.Targets) != 1 || len(s.Values) != 1 {
			b.useAll(s.Targets)
			b.useAll(s.Values)
			b.report(&ValueCountError{span: opSpan(s.OpPos, s.Op+"="), What: "variable", Want: len(s.Targets), Have: len(s.Values)})
			return
		}
		b.update(s.Targets[0], s.Op, s.OpPos, b.expr(s.Values[0]))
		return
	}
	// As in Go the operands of the left side are evaluated first, then the right side.
	kinds := make([]types.Type, len(s.Targets))
	oks := make([]bool, len(s.Targets))
	for i, t := range s.Targets {
		kinds[i], oks[i] = b.target(t, false)
	}
	vals := b.values(s.Values, len(s.Targets), span{s.Pos(), s.Targets[len(s.Targets)-1].End()}, "variable")
	for i := range vals {
		switch {
		case !oks[i]:
			b.setDefault(&vals[i])
		case kinds[i] == nil:
			b.setDefault(&vals[i])
		case !b.untypedVar(s.Targets[i], kinds[i], &vals[i]):
			b.assign(&vals[i], kinds[i], "assignment")
		}
	}
}

// update checks `t op= y`.
func (b *body) update(t dsl.Expr, op string, pos diag.Pos, y operand) {
	kind, ok := b.target(t, true)
	if !ok || y.mode == bad || ops[op].class != shift && b.untypedVar(t, kind, &y) {
		return
	}
	x := b.binary(operand{mode: value, typ: kind, expr: t, assigned: true}, y, op, pos)
	if x.mode != bad && !types.Identical(x.typ, kind) { // cannot be: the operators that assign keep the type
		b.report(&WrongTypeError{span: at(t), Text: text(t), Have: x.typ, Want: kind, Where: "assignment"})
	}
}

func (b *body) incDec(s *dsl.IncDecStmt) {
	kind, ok := b.target(s.X, true)
	if ok && !types.KindOf(kind).IsNumeric() {
		end := s.End()
		from := end
		from.Offset -= 2
		from.Col -= 2
		b.report(&OperatorError{span: span{from, end}, Op: s.Op, Text: text(s.X), Type: kind})
	}
}

func (b *body) exprStmt(s *dsl.ExprStmt) {
	x := b.raw(s.X)
	if x.mode == bad || x.mode == nothing {
		return
	}
	if c, ok := dsl.Unparen(s.X).(*dsl.CallExpr); ok && (b.facts.Calls[c].Kind == FuncCall && b.facts.Calls[c].Func != nil || isAtomic(b.facts.Calls[c].Builtin)) {
		return
	}
	b.setDefault(&x)
	e := &UnusedValueError{span: at(s.X), Text: text(s.X)}
	if b.fn != nil && len(b.fn.Results) > 0 {
		if all := b.fn.Decl.Body.Stmts; all[len(all)-1] == dsl.Stmt(s) {
			e.Fix = "write `return " + e.Text + "`"
		}
	}
	b.report(e)
}

func (b *body) ifStmt(s *dsl.IfStmt) {
	b.open()
	if s.Init != nil {
		b.stmt(s.Init)
	}
	x := b.expr(s.Cond)
	b.condition(&x)
	b.block(s.Then)
	if s.Else != nil {
		b.stmt(s.Else)
	}
	b.close()
}

func (b *body) returnStmt(s *dsl.ReturnStmt) {
	place := opSpan(s.Pos(), "return")
	if n := len(b.unordered); n > 0 {
		b.report(&UnorderedLoopError{span: place, What: "`return`", Loop: b.unordered[n-1]})
		b.useAll(s.Values)
		return
	}
	want := b.results()
	if len(s.Values) == 0 {
		if len(want) > 0 {
			b.report(&ValueCountError{span: place, What: "result", Want: len(want)})
		}
		return
	}
	if len(want) == 0 {
		b.useAll(s.Values)
		b.report(&ValueCountError{span: at(s.Values[0]), What: "result", Want: 0, Have: len(s.Values), Note: b.noResult()})
		return
	}
	vals := b.values(s.Values, len(want), place, "result")
	for i := range vals {
		b.assign(&vals[i], want[i], "`return`")
	}
}

// noResult says why nothing can be returned.
func (b *body) noResult() string {
	if b.fn == nil {
		return "a kernel gives nothing back: it writes to a view that is `mut`"
	}
	return "`" + b.fn.Name + "` is declared without a result"
}

func (b *body) results() []types.Type {
	if b.fn == nil {
		return nil
	}
	return b.fn.Results
}
