package check

import (
	"fmt"
	"go/constant"
	"go/token"
	"slices"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// bindExtents declares the extent symbols of a kernel or function: in the order of parameters, a name that stands alone as
// an extent and is no constant and no parameter is bound there. dims are the extents of each view.
func (b *body) bindExtents(views []*Param, dims [][]dsl.Expr) (symbols []*Symbol) {
	for i, p := range views {
		for d, e := range dims[i] {
			id, ok := dsl.Unparen(e).(*dsl.Ident)
			if !ok || !b.free(id) {
				continue
			}
			s := &Symbol{Index: len(symbols), Param: p.Index, Dim: d, Name: id.Name, Pos: id.Pos()}
			s.Var, _ = b.newVar(id, ExtentVar, types.Int)
			s.Var.Index = s.Index
			symbols = append(symbols, s)
		}
	}
	return symbols
}

// free reports whether a name in an extent means nothing yet, so that it binds.
func (b *body) free(id *dsl.Ident) bool {
	if id.Name == "_" {
		b.headerError(id, "an extent needs a name")
		return false
	}
	if b.scope.names[id.Name] != nil { // a generic parameter, a parameter, or bound already
		return false
	}
	o := b.scope.lookup(id.Name)
	return o == nil || o.kind != objConst && o.kind != objBad || universe().names[id.Name] == o
}

// unify turns the dims of all views into header expressions, and gives those that bind nothing as equalities.
func (b *body) unify(views []*Param, dims [][]dsl.Expr, symbols []*Symbol) (equal []Equality) {
	binds := func(param, dim int) bool {
		return slices.ContainsFunc(symbols, func(s *Symbol) bool { return s.Param == param && s.Dim == dim })
	}
	for i, p := range views {
		for d, e := range dims[i] {
			h := b.header(e, false)
			if h == nil {
				continue
			}
			if h.Op == types.HConst && h.Val < 0 {
				b.report(&NegativeSizeError{span: at(e), Value: h.Val})
				continue
			}
			p.Dims[d] = h
			if !binds(p.Index, d) {
				equal = append(equal, Equality{Param: p.Index, Dim: d, Want: h, Pos: e.Pos()})
			}
		}
	}
	return equal
}

// domain reads the domain of a kernel; false: it is one whose body cannot be checked.
func (b *body) domain(d *dsl.KernelDecl) bool {
	switch x := d.Domain.(type) {
	case nil:
		b.report(&MissingDomainError{span: at(d.Name), Name: d.Name.Name})
		return false
	case *dsl.BlocksDomain:
		b.blocksDomain(x)
	case *dsl.ForDomain:
		b.forDomain(x)
		switch {
		case x.By == nil:
		case x.By.Name == "block":
			b.kernel.ByBlock = true
		default:
			b.report(&NotYetError{span: at(x.By), What: "`by " + x.By.Name + "` domains"})
			return false
		}
	}
	return true
}

func (b *body) forDomain(x *dsl.ForDomain) {
	lo, hi := b.extents(x.Vars, x.Extents)
	b.points(x.Vars, lo, hi)
}

// extents reads both ends of the extents of a domain.
func (b *body) extents(vars []*dsl.Ident, list []dsl.Extent) (lo, hi []*types.Header) {
	b.rank(vars, "a domain has at most %d dims")
	lo, hi = make([]*types.Header, len(vars)), make([]*types.Header, len(vars))
	for i, e := range list {
		if i >= len(vars) {
			break
		}
		lo[i] = types.Const(0)
		if e.Lo != nil {
			lo[i] = b.header(e.Lo, true)
		}
		hi[i] = b.header(e.Hi, true)
		if e.Lo == nil && hi[i] != nil && hi[i].Op == types.HConst && hi[i].Val < 0 {
			b.report(&NegativeSizeError{span: at(e.Hi), Value: hi[i].Val})
		}
	}
	return lo, hi
}

// rank reports more than maxDims indexes.
func (b *body) rank(vars []*dsl.Ident, format string) {
	if len(vars) > maxDims {
		b.report(&DomainError{span: at(vars[maxDims]), Why: fmt.Sprintf(format, maxDims)})
	}
}

// points declares the indexes of a domain.
func (b *body) points(vars []*dsl.Ident, lo, hi []*types.Header) {
	for i, id := range vars {
		v := b.indexVar(id, PointVar)
		v.Index = i
		b.kernel.Domain = append(b.kernel.Domain, Dim{Name: id.Name, Lo: lo[i], Hi: hi[i], Pos: id.Pos(), Var: v})
	}
}

// requires reads the relations of a kernel.
func (b *body) requires(list []dsl.Expr) {
	for _, e := range list {
		if h := b.relation(e); h != nil {
			b.kernel.Requires = append(b.kernel.Requires, Require{Cond: h, Text: fullText(e), Pos: e.Pos()})
		}
	}
}

func (b *body) headerError(e dsl.Expr, why string) *types.Header {
	b.report(&HeaderError{span: at(e), Text: text(e), Why: why})
	return nil
}

// header is a header expression; nil if a mistake in it is reported. lens allows `len` of views, whose extents are known
// by then.
func (b *body) header(e dsl.Expr, lens bool) *types.Header {
	if b.isConst(e) {
		n, ok := b.constInt(e, "an expression of a header")
		if !ok {
			return nil
		}
		return types.Const(n)
	}
	switch e := e.(type) {
	case *dsl.ParenExpr:
		return b.header(e.X, lens)
	case *dsl.Ident:
		return b.headerName(e)
	case *dsl.UnaryExpr:
		if e.Op != "-" && e.Op != "+" {
			break
		}
		x := b.header(e.X, lens)
		if x == nil || e.Op == "+" {
			return x
		}
		return &types.Header{Op: types.HNeg, X: x}
	case *dsl.BinaryExpr:
		op, ok := headerOps[e.Op]
		if !ok || op >= types.HEq {
			break
		}
		x, y := b.header(e.X, lens), b.header(e.Y, lens)
		return b.foldHeader(e, op, x, y, e.Y, opSpan(e.OpPos, e.Op))
	case *dsl.CallExpr:
		return b.headerCall(e, lens)
	}
	return b.headerError(e, "it has `+ - * / %`, `ceildiv min max len` and names of extents, constants and `int` parameters")
}

var headerOps = map[string]types.HeaderOp{
	"+": types.HAdd, "-": types.HSub, "*": types.HMul, "/": types.HDiv, "%": types.HRem,
	"==": types.HEq, "!=": types.HNe, "<": types.HLt, "<=": types.HLe, ">": types.HGt, ">=": types.HGe, "&&": types.HAnd, "||": types.HOr,
}

// isConst reports whether all names in e are constants, types or builtins, so that e is an ordinary constant expression.
func (b *body) isConst(e dsl.Expr) bool {
	ok := true
	dsl.Walk(e, func(n dsl.Node) bool {
		if id, isName := n.(*dsl.Ident); isName {
			o := b.scope.lookup(id.Name)
			ok = ok && o != nil && (o.kind == objConst || o.kind == objType || o.kind == objBuiltin || o.kind == objBad)
		}
		return ok
	})
	return ok
}

func (b *body) headerName(id *dsl.Ident) *types.Header {
	if id.Name == "_" {
		return nil
	}
	o := b.scope.lookup(id.Name)
	switch {
	case o == nil || o.kind == objFunc || o.kind == objKernel || o.kind == objSpace:
		if !b.unknown[id.Name] {
			b.unknown[id.Name] = true
			b.report(&UnboundExtentError{span: at(id), Name: id.Name})
		}
		return nil
	case o.kind == objVar:
		if o.v.Kind == ExtentVar || o.v.Kind == ParamVar && o.v.Type == types.Int {
			b.facts.Uses[id] = o.v
			return types.Sym(id.Name)
		}
		if o.v.Type != types.Invalid {
			why := "it is " + o.v.Type.String() + ", and header expressions are int"
			if b.fn != nil && o.v.Type == types.Int {
				why = "the extents of a function's views are those of each other and constants"
			}
			b.report(&HeaderError{
				span: at(id), Text: id.Name, Why: why,
				Label: o.place, LabelText: "`" + id.Name + "` is declared here",
			})
		}
		return nil
	}
	return b.headerError(id, "it is "+o.kind.what())
}

func (b *body) headerCall(e *dsl.CallExpr, lens bool) *types.Header {
	id, ok := dsl.Unparen(e.Fun).(*dsl.Ident)
	o := (*object)(nil)
	if ok {
		o = b.scope.lookup(id.Name)
	}
	if o == nil || o.kind != objBuiltin || e.Comp != nil {
		return b.headerError(e.Fun, "only `ceildiv min max len` can be called")
	}
	bi := o.builtin
	switch bi.name {
	case "min", "max", "ceildiv":
	case "len":
		return b.headerLen(e, lens)
	default:
		return b.headerError(e.Fun, "only `ceildiv min max len` can be called")
	}
	if n := len(e.Args); n < bi.min || bi.max >= 0 && n > bi.max {
		b.report(&ArgumentCountError{span: at(e), Name: bi.name, Have: n, Min: bi.min, Max: bi.max})
		return nil
	}
	op := map[string]types.HeaderOp{"min": types.HMin, "max": types.HMax, "ceildiv": types.HCeilDiv}[bi.name]
	h := b.header(e.Args[0], lens)
	for _, a := range e.Args[1:] {
		h = b.foldHeader(e, op, h, b.header(a, lens), a, at(e))
	}
	return h
}

func (b *body) headerLen(e *dsl.CallExpr, lens bool) *types.Header {
	if !lens {
		return b.headerError(e, "the extent of a parameter cannot be said by `len`")
	}
	x := b.callBuiltin(e, universe().names["len"].builtin)
	if x.mode == bad {
		return nil
	}
	if x.mode == konst {
		n, _ := constant.Int64Val(x.val)
		return types.Const(n)
	}
	o := b.viewOf(e.Args[0])
	if o == nil { // an array cannot be here
		return nil
	}
	d := int64(0)
	if len(e.Args) > 1 {
		d, _ = constant.Int64Val(constant.ToInt(b.facts.Values[e.Args[1]].Const))
	}
	return b.dimsOf(o.v)[d]
}

// foldHeader makes `x op y`, computed where both are constants. y is the expression of the right operand.
func (b *body) foldHeader(e dsl.Expr, op types.HeaderOp, x, y *types.Header, right dsl.Expr, place span) *types.Header {
	if x == nil || y == nil {
		return nil
	}
	if y.Op == types.HConst {
		switch {
		case (op == types.HDiv || op == types.HRem) && y.Val == 0:
			b.report(&DivisionByZeroError{span: at(right), Op: map[types.HeaderOp]string{types.HDiv: "/", types.HRem: "%"}[op]})
			return nil
		case op == types.HCeilDiv && y.Val <= 0:
			b.report(&BuiltinTypeError{span: at(right), Name: "ceildiv", Text: text(right), Have: types.Int, Want: "a positive divisor"})
			return nil
		}
	}
	if x.Op != types.HConst || y.Op != types.HConst {
		return &types.Header{Op: op, X: x, Y: y}
	}
	a, c := constant.MakeInt64(x.Val), constant.MakeInt64(y.Val)
	var v constant.Value
	switch op {
	case types.HAdd:
		v = constant.BinaryOp(a, token.ADD, c)
	case types.HSub:
		v = constant.BinaryOp(a, token.SUB, c)
	case types.HMul:
		v = constant.BinaryOp(a, token.MUL, c)
	case types.HDiv:
		v = constant.BinaryOp(a, token.QUO_ASSIGN, c)
	case types.HRem:
		v = constant.BinaryOp(a, token.REM, c)
	case types.HCeilDiv:
		v, _ = foldCeilDiv([]constant.Value{a, c}, types.Int)
	case types.HMin:
		v = extreme([]constant.Value{a, c}, token.LSS)
	case types.HMax:
		v = extreme([]constant.Value{a, c}, token.GTR)
	default:
		return &types.Header{Op: op, X: x, Y: y} // a relation
	}
	n, ok := constant.Int64Val(v)
	if !ok {
		b.report(&ConstantOverflowError{span: place, Value: show(v), Type: types.Int})
		return nil
	}
	return types.Const(n)
}

// relation is a condition of `requires`.
func (b *body) relation(e dsl.Expr) *types.Header {
	switch e := e.(type) {
	case *dsl.ParenExpr:
		return b.relation(e.X)
	case *dsl.UnaryExpr:
		if e.Op == "!" {
			if x := b.relation(e.X); x != nil {
				return &types.Header{Op: types.HNot, X: x}
			}
			return nil
		}
	case *dsl.BinaryExpr:
		op := headerOps[e.Op]
		if op < types.HEq {
			break
		}
		side := func(e dsl.Expr) *types.Header { return b.header(e, true) }
		if op == types.HAnd || op == types.HOr {
			side = b.relation
		}
		x, y := side(e.X), side(e.Y)
		if x == nil || y == nil {
			return nil
		}
		return &types.Header{Op: op, X: x, Y: y}
	}
	return b.headerError(e, "`requires` takes comparisons, joined by `&& || !`")
}
