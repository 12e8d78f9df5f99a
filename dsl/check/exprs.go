package check

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// mode says what an operand is.
type mode uint8

const (
	bad     mode = iota // reported already
	nothing             // a call without results
	several             // a call with several results
	konst
	value
)

// operand is the result of checking an expression. Untyped operands that are no constants exist: `inf()`, `1 << n`,
// comparisons; [body.settle] gives such a tree its type once the context has one.
type operand struct {
	mode mode
	typ  types.Type
	val  constant.Value // of a konst
	expr dsl.Expr
	n    int  // of several: how many
	row  *row // of a value that is a constant array or a part of one

	assigned bool // the left side of an assignment such as `x += y`
}

func (x *operand) kind() types.Kind { return types.KindOf(x.typ) }
func (x *operand) untyped() bool    { return x.mode != bad && x.kind().IsUntyped() }
func (x *operand) at() span         { return at(x.expr) }
func (x *operand) text() string     { return text(x.expr) }

// expr checks an expression of one value.
func (b *body) expr(e dsl.Expr) operand {
	x := b.raw(e)
	switch x.mode {
	case nothing:
		b.report(&NoValueError{span: at(e), Text: text(e)})
		x.mode = bad
	case several:
		b.report(&SeveralValuesError{span: at(e), Text: text(e), N: x.n})
		x.mode = bad
	}
	return x
}

// raw checks an expression, calls without a value and with several included, and records what it is.
func (b *body) raw(e dsl.Expr) operand {
	var x operand
	switch e := e.(type) {
	case *dsl.ParenExpr:
		x = b.raw(e.X)
	case *dsl.Ident:
		x = b.ident(e)
	case *dsl.BasicLit:
		x = b.literal(e)
	case *dsl.UnaryExpr:
		x = b.unary(e)
	case *dsl.BinaryExpr:
		x = b.binaryExpr(e)
	case *dsl.IndexExpr:
		x = b.index(e)
	case *dsl.CallExpr:
		x = b.call(e)
	case *dsl.SelectorExpr:
		x = b.selector(e)
	case *dsl.CompositeLit:
		x = b.composite(e)
	case *dsl.ArrayType:
		b.report(&NotAValueError{span: at(e), Text: text(e), What: "a type"})
	default:
		b.use(e)
	}
	x.expr = e
	b.record(&x)
	return x
}

// record keeps the facts of an operand.
func (b *body) record(x *operand) {
	if x.mode == konst || x.mode == value {
		b.facts.Values[x.expr] = Value{Type: x.typ, Const: x.val}
	}
}

func (b *body) ident(id *dsl.Ident) operand {
	if id.Name == "_" {
		b.report(&BlankValueError{at(id)})
		return operand{}
	}
	o := b.find(id)
	if o == nil {
		return operand{}
	}
	switch o.kind {
	case objVar:
		o.used = true
		b.facts.Uses[id] = o.v
		if o.v.Type == types.Invalid {
			return operand{}
		}
		if _, ok := o.v.Type.(*types.View); ok {
			b.report(&ViewValueError{span: at(id), Name: id.Name})
			return operand{}
		}
		return operand{mode: value, typ: o.v.Type}
	case objConst:
		if o.table != nil {
			b.facts.Tables[id] = o.table
			return operand{mode: value, typ: o.typ, row: &row{table: o.table, typ: o.table.Type}}
		}
		return operand{mode: konst, typ: o.typ, val: o.val}
	case objIota:
		if b.iota != nil {
			return operand{mode: konst, typ: types.UntypedInt, val: b.iota}
		}
		b.report(&UnknownNameError{span: at(id), Name: id.Name, Hint: dsl.Elsewhere(id.Name)})
	case objBad:
	default:
		e := &NotAValueError{span: at(id), Text: id.Name, What: o.kind.what()}
		switch {
		case o.kind == objBuiltin && o.builtin.max == 0, o.kind == objFunc && len(o.fn.decl.Params) == 0:
			e.Hint = "write `" + id.Name + "()`"
		case o.kind == objType && slices.ContainsFunc(b.args, func(g Generic) bool { return g.Param == o.name }):
			e.Hint = "a parameter that is a constant lists its values: `[" + o.name + " = 16|32]`"
		}
		b.report(e)
	}
	return operand{}
}

// find looks a name up and reports one that is unknown or not compiled yet; then it returns nil. Constants come back with
// their values.
func (b *body) find(id *dsl.Ident) *object {
	o := b.scope.lookup(id.Name)
	if o == nil {
		if !b.unknown[id.Name] && !id.Foreign() {
			b.unknown[id.Name] = true
			if instead, ok := goOnly[id.Name]; ok {
				b.report(&dsl.NotInLanguageError{At: id.Pos(), To: id.End(), What: "`" + id.Name + "`", Instead: instead})
				return nil
			}
			e := b.unknownName(id)
			if h := e.Hint; h != "" && !strings.HasPrefix(h, "write ") { // said once: names such as `threadIdx` come together
				if b.unknown[h] {
					return nil
				}
				b.unknown[h] = true
			}
			b.report(e)
		}
		return nil
	}
	if o.pkg != nil {
		b.resolve(o.pkg)
	}
	if o.decl != nil {
		b.resolveType(o.decl)
	}
	return o
}

// unknownName is the report of a name that nothing declares. What it may have meant counts as used.
func (b *body) unknownName(id *dsl.Ident) *UnknownNameError {
	e := &UnknownNameError{span: at(id), Name: id.Name, Hint: dsl.Elsewhere(id.Name)}
	if e.Hint == "" {
		e.Near = b.scope.near(id.Name)
		if o := b.scope.lookup(e.Near); o != nil {
			o.used = o.used || o.kind == objVar
		}
	}
	return e
}

func (b *body) literal(e *dsl.BasicLit) operand {
	if e.Malformed() {
		return operand{} // reported where it was scanned
	}
	tok, kind := token.INT, types.UntypedInt
	switch e.Kind {
	case dsl.IntLit:
	case dsl.FloatLit:
		tok, kind = token.FLOAT, types.UntypedFloat
	case dsl.CharLit:
		c, _, _, _ := strconv.UnquoteChar(e.Value[1:], '\'')
		b.report(&dsl.NotInLanguageError{At: e.Pos(), To: e.End(), What: "character values", Instead: fmt.Sprintf("write `%d`, the number of the character", c)})
		return operand{}
	default:
		b.report(&dsl.NotInLanguageError{At: e.Pos(), To: e.End(), What: "string values"})
		return operand{}
	}
	v := constant.MakeFromLiteral(e.Value, tok, 0)
	if v.Kind() == constant.Unknown {
		if tok == token.FLOAT { // beyond every exponent
			b.report(&ConstantOverflowError{span: at(e)})
		}
		return operand{}
	}
	v, f := fit(v, kind)
	if f != fits {
		b.report(&ConstantOverflowError{span: at(e)})
		return operand{}
	}
	return operand{mode: konst, typ: kind, val: v}
}

var unaryTokens = map[string]token.Token{"-": token.SUB, "+": token.ADD, "!": token.NOT, "^": token.XOR}

func (b *body) unary(e *dsl.UnaryExpr) operand {
	if e.Op == "&" {
		b.report(&dsl.NotInLanguageError{At: e.Pos(), To: e.Pos().Advance(1), What: "pointers"})
		b.use(e.X)
		return operand{}
	}
	x := b.expr(e.X)
	if x.mode == bad {
		return x
	}
	k := x.kind()
	if v := vectorOf(&x); v != nil && e.Op != "!" {
		k = v.Elem
	}
	ok := k.IsNumeric()
	switch e.Op {
	case "!":
		ok = k.IsBool()
	case "^":
		ok = k.IsInteger()
	}
	if !ok {
		hint := ""
		if e.Op == "!" && k.IsNumeric() {
			hint = "write `" + x.text() + " == 0`"
		}
		b.report(&OperatorError{span: opSpan(e.Pos(), e.Op), Op: e.Op, Text: x.text(), Type: x.typ, Hint: hint})
		return operand{}
	}
	if x.mode != konst {
		return x
	}
	var bits uint
	if k.IsUnsigned() {
		bits = uint(k.Bits())
	}
	x.val = constant.UnaryOp(unaryTokens[e.Op], x.val, bits)
	return b.folded(x, at(e))
}

// folded checks that a computed constant fits its type.
func (b *body) folded(x operand, place span) operand {
	v, f := fit(x.val, x.kind())
	if f == fits {
		x.val = v
		return x
	}
	e := &ConstantOverflowError{span: place, Type: x.typ}
	if x.untyped() {
		e.Type = nil
	}
	if x.val.Kind() == constant.Unknown {
		e.Type = nil
	} else {
		e.Value = show(x.val)
	}
	b.report(e)
	return operand{}
}

func (b *body) binaryExpr(e *dsl.BinaryExpr) operand {
	// The left spine of a chain is walked in a loop: it may be long.
	var spine []*dsl.BinaryExpr
	var left dsl.Expr = e
	for {
		be, ok := left.(*dsl.BinaryExpr)
		if !ok {
			break
		}
		spine = append(spine, be)
		left = be.X
	}
	x := b.expr(left)
	for i := len(spine) - 1; i >= 0; i-- {
		be := spine[i]
		y := b.expr(be.Y)
		x = b.binary(x, y, be.Op, be.OpPos)
		x.expr = be
		if i > 0 {
			b.record(&x)
		}
	}
	return x
}

// ops says what each binary operator is.
var ops = map[string]struct {
	tok   token.Token
	class opClass
}{
	"+": {token.ADD, arith}, "-": {token.SUB, arith}, "*": {token.MUL, arith}, "/": {token.QUO, arith},
	"%": {token.REM, integer}, "&": {token.AND, integer}, "|": {token.OR, integer}, "^": {token.XOR, integer}, "&^": {token.AND_NOT, integer},
	"<<": {token.SHL, shift}, ">>": {token.SHR, shift}, "&&": {token.LAND, logic}, "||": {token.LOR, logic},
	"==": {token.EQL, equal}, "!=": {token.NEQ, equal}, "<": {token.LSS, order}, "<=": {token.LEQ, order}, ">": {token.GTR, order}, ">=": {token.GEQ, order},
}

type opClass uint8

const (
	arith opClass = iota + 1
	integer
	shift
	logic
	equal
	order
)

// binary checks `x op y`.
func (b *body) binary(x, y operand, op string, pos diag.Pos) operand {
	if x.mode == bad || y.mode == bad {
		return operand{}
	}
	o, place := ops[op], opSpan(pos, op)
	switch o.class {
	case 0:
		return operand{} // the parser knows no other operator
	case shift:
		if vectorOf(&x) == nil && vectorOf(&y) == nil {
			return b.shift(x, y, op, o.tok, place)
		}
	}
	mismatch := func() {
		if x.assigned {
			op += "="
			place = opSpan(pos, op)
		}
		b.report(&MismatchedTypesError{span: place, Op: op, X: x.typ, Y: y.typ, XText: x.text(), YText: y.text(), XAt: x.at(), YAt: y.at(), Assigned: x.assigned})
	}
	if vectorOf(&x) != nil || vectorOf(&y) != nil {
		return b.vectorBinary(x, y, op, o.class, place, mismatch)
	}
	if !b.match(&x, &y, mismatch) {
		return operand{}
	}
	if !b.hasOperator(&x, op, o.class, place) {
		return operand{}
	}
	folds := x.mode == konst && y.mode == konst
	if o.class == equal || o.class == order {
		if folds {
			return operand{mode: konst, typ: types.UntypedBool, val: constant.MakeBool(constant.Compare(x.val, o.tok, y.val))}
		}
		b.setDefault(&x)
		b.setDefault(&y)
		return operand{mode: value, typ: types.UntypedBool}
	}
	ints := x.kind().IsInteger()
	if (op == "/" || op == "%") && y.mode == konst && (ints || folds) && constant.Sign(y.val) == 0 {
		b.report(&DivisionByZeroError{span: y.at(), Op: op})
		return operand{}
	}
	if !folds {
		return operand{mode: value, typ: x.typ}
	}
	tok := o.tok
	if op == "/" && ints {
		tok = token.QUO_ASSIGN // the package's name for truncated division
		x.val, y.val = constant.ToInt(x.val), constant.ToInt(y.val)
	}
	x.val = constant.BinaryOp(x.val, tok, y.val)
	return b.folded(x, place)
}

// hasOperator reports an operator that the type of x, which is also that of the other operand, does not have.
func (b *body) hasOperator(x *operand, op string, class opClass, place span) bool {
	k := x.kind()
	hint := ""
	ok := false
	switch class {
	case arith, order:
		ok = k.IsNumeric()
	case integer:
		ok = k.IsInteger()
		if op == "%" && k.IsFloat() {
			hint = "write `mod(x, y)`, the floored remainder"
		}
		if op == "^" && k.IsFloat() {
			hint = "`pow(x, y)` is the power"
		}
		if k.IsBool() {
			hint = map[string]string{"&": "write `&&`", "|": "write `||`", "^": "write `!=`"}[op]
		}
	case logic:
		ok = k.IsBool()
		if k.IsNumeric() {
			hint = "write `" + x.text() + " != 0`"
		}
	case equal:
		ok = true // every type of values
	}
	if !ok {
		b.report(&OperatorError{span: place, Op: op, Text: x.text(), Type: x.typ, Hint: hint})
	}
	return ok
}

// match gives two operands one type where one of them has none, and calls mismatch where they cannot have one. Two
// untyped operands get the wider untyped kind.
func (b *body) match(x, y *operand, mismatch func()) bool {
	xu, yu := x.untyped(), y.untyped()
	if !xu && !yu {
		if !types.Identical(x.typ, y.typ) {
			mismatch()
			return false
		}
		return true
	}
	a, c := x.kind(), y.kind()
	if a.IsBool() != c.IsBool() || a == types.Invalid || c == types.Invalid {
		mismatch()
		return false
	}
	switch {
	case xu && yu:
		k := max(a, c)
		x.typ, y.typ = k, k
		if k == types.UntypedFloat {
			if x.mode == konst {
				x.val = constant.ToFloat(x.val)
			}
			if y.mode == konst {
				y.val = constant.ToFloat(y.val)
			}
		}
		return true
	case xu:
		return b.untypedTo(x, c)
	}
	return b.untypedTo(y, a)
}

// maxShift bounds the counts of constant shifts; the result has at most maxBits bits anyway.
const maxShift = 1023

func (b *body) shift(x, y operand, op string, tok token.Token, place span) operand {
	// The operand must be an integer, or an untyped constant that is one.
	if x.mode == konst && x.kind() == types.UntypedFloat {
		if i := constant.ToInt(x.val); i.Kind() == constant.Int {
			x.typ, x.val = types.UntypedInt, i
		}
	}
	if !x.kind().IsInteger() {
		b.report(&OperatorError{span: place, Op: op, Text: x.text(), Type: x.typ})
		return operand{}
	}
	count, counts := int64(-1), types.Int // and the type of an untyped one
	if y.mode == konst {
		i := constant.ToInt(y.val)
		switch {
		case i.Kind() != constant.Int || y.kind().IsBool() || y.kind().IsFloat() && !y.untyped():
			b.report(&ShiftCountError{span: y.at(), Text: y.text(), Why: "it is not an integer"})
			return operand{}
		case constant.Sign(i) < 0:
			b.report(&ShiftCountError{span: y.at(), Text: y.text(), Why: "it is negative"})
			return operand{}
		}
		n, ok := constant.Int64Val(i)
		if _, u := constant.Uint64Val(i); u && !ok && x.mode != konst { // as good as any over the width
			n, ok, counts = math.MaxInt64, true, types.Uint64
		}
		if !ok || x.mode == konst && n > maxShift {
			b.report(&ShiftCountError{span: y.at(), Text: y.text(), Why: "it is too large"})
			return operand{}
		}
		count = n
		y.val = i
	} else if !y.kind().IsInteger() {
		b.report(&ShiftCountError{span: y.at(), Text: y.text(), Why: "it is " + y.typ.String() + ", not an integer"})
		return operand{}
	}
	if x.mode == konst && y.mode == konst {
		x.val = constant.Shift(constant.ToInt(x.val), tok, uint(count))
		return b.folded(x, place)
	}
	if y.untyped() {
		b.settle(y.expr, counts)
	}
	return operand{mode: value, typ: x.typ}
}
