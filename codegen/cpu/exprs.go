package cpu

import (
	"math"

	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Precedences of Go's operators, and above them of unary operators and of operands.
const (
	orPrec = 1 + iota
	andPrec
	comparePrec
	addPrec
	mulPrec
	unary
	primary
)

// value is a printed expression.
type value struct {
	code     *jen.Statement
	typed    *jen.Statement // of a constant: the expression where nothing else gives it its type
	prec     int
	constant bool // Go evaluates it, exactly and with its own errors
	chain    []operand
}

// operand is one of a chain of && or ||, as vet sees it.
type operand struct {
	op      ir.Op     // the comparison with a constant, or OpInvalid
	subject *ir.Instr // what is compared
	text    string
	in      ir.Op // OpCondAnd or OpCondOr
}

// alone is the expression with its own type.
func (v value) alone() *jen.Statement {
	if v.constant {
		return v.typed
	}
	return v.code
}

// in is the expression as an operand of an operator of precedence min.
func (v value) in(min int) *jen.Statement {
	if v.prec < min {
		return jen.Parens(v.code)
	}
	return v.code
}

type operator struct {
	text string
	prec int
}

// operators are the operations that print as Go's operators of the same meaning.
var operators = map[ir.Op]operator{
	ir.OpAdd: {"+", addPrec}, ir.OpSub: {"-", addPrec}, ir.OpOr: {"|", addPrec}, ir.OpXor: {"^", addPrec},
	ir.OpMul: {"*", mulPrec}, ir.OpAnd: {"&", mulPrec}, ir.OpAndNot: {"&^", mulPrec},
	ir.OpDivNZ: {"/", mulPrec}, ir.OpRemNZ: {"%", mulPrec}, ir.OpShlIn: {"<<", mulPrec}, ir.OpShrIn: {">>", mulPrec},
	ir.OpEq: {"==", comparePrec}, ir.OpNe: {"!=", comparePrec}, ir.OpLt: {"<", comparePrec}, ir.OpLe: {"<=", comparePrec},
	ir.OpGt: {">", comparePrec}, ir.OpGe: {">=", comparePrec},
}

// expr is the value of in where it is used: its name, or the expression when it is printed in place.
func (f *function) expr(in *ir.Instr) value {
	if name, ok := f.named[in]; ok {
		return value{code: jen.Id(name), prec: primary}
	}
	return f.compute(in)
}

// compute is the expression that gives in's value.
func (f *function) compute(in *ir.Instr) value {
	switch in.Op {
	case ir.OpConst:
		return f.literal(in)
	case ir.OpParamGet:
		leaf := in.Param.Leaf(in.Leaf)
		x := f.leaf(jen.Id(f.params[in.Param.Index]), &leaf, nil)
		if leaf.Kind == types.Bool && len(leaf.Steps) > 0 {
			return f.anyBool(x)
		}
		return value{code: x, prec: primary}
	case ir.OpExtent:
		return ident(f.symbols[in.Sym.Name])
	case ir.OpPoint:
		return ident(f.points[in.Dim])
	case ir.OpLocalGet:
		return ident(f.locals[in.Local])
	case ir.OpLoad:
		return f.load(in)
	case ir.OpAtomic:
		return f.atomic(in)
	case ir.OpTableGet:
		return f.tableElement(in)
	case ir.OpElemGet:
		return value{code: f.element(in.Local, in.Args, in), prec: primary}
	case ir.OpCondAnd:
		return f.logical(in, "&&", andPrec)
	case ir.OpCondOr:
		return f.logical(in, "||", orPrec)
	case ir.OpNeg, ir.OpNot, ir.OpLNot:
		if x := in.Args[0]; in.Op == ir.OpLNot && x.Op == ir.OpLNot && f.named[x] == "" {
			return f.expr(x.Args[0])
		}
		x := f.variable(in.Args[0])
		return value{code: jen.Op(unaries[in.Op]).Add(x.in(unary)), prec: unary}
	case ir.OpSelect:
		a, b := f.expr(in.Args[1]), f.expr(in.Args[2])
		if a.constant && b.constant {
			a = value{code: a.typed}
		}
		return call(jen.Qual(genPath, "Select").Call(f.expr(in.Args[0]).code, a.code, b.code))
	case ir.OpConv:
		return f.convert(in)
	case ir.OpBitcast:
		return f.bitcast(in)
	}
	if v, ok := f.plain(in); ok {
		return v
	}
	return f.builtin(in)
}

var unaries = map[ir.Op]string{ir.OpNeg: "-", ir.OpNot: "^", ir.OpLNot: "!"}

func ident(name string) value {
	if name == "" {
		panic("cpu: a variable without a name")
	}
	return value{code: jen.Id(name), prec: primary}
}

func call(code *jen.Statement) value { return value{code: code, prec: primary} }

// variable is the expression, through a variable when it is a constant: where Go would evaluate the operation around it
// at compile time, with exact arithmetic and errors for what wraps.
func (f *function) variable(in *ir.Instr) value {
	v := f.expr(in)
	if !v.constant {
		return v
	}
	name := f.scopes.hoisted()
	f.hoisted.declare(jen.Id(name).Op(":=").Add(v.typed))
	return ident(name)
}

// plain is the operation as a Go operator; it reports false when Go's means something else for these operands.
func (f *function) plain(in *ir.Instr) (value, bool) {
	op, ok := operators[in.Op]
	switch in.Op { // in code that is never reached everything is proven, but Go refuses a divisor or a count that it sees to be wrong
	case ir.OpDivNZ, ir.OpRemNZ:
		ok = !in.Args[1].IsInt(0)
	case ir.OpShlIn, ir.OpShrIn:
		ok = countFits(in) || !in.Args[1].IsConst()
	}
	if !ok {
		switch {
		case in.Op == ir.OpDiv && (in.Kind().IsFloat() || nonzero(in.Args[1])):
			op = operators[ir.OpDivNZ]
		case in.Op == ir.OpRem && in.Kind().IsInteger() && nonzero(in.Args[1]):
			op = operators[ir.OpRemNZ]
		case in.Op == ir.OpShl && countFits(in):
			op = operators[ir.OpShlIn]
		case in.Op == ir.OpShr && countFits(in):
			op = operators[ir.OpShrIn]
		default:
			return value{}, false
		}
	}
	shift := op.text == "<<" || op.text == ">>"
	x, y := f.expr(in.Args[0]), f.expr(in.Args[1])
	switch {
	case x.constant && y.constant:
		x = f.variable(in.Args[0])
	case shift && x.constant: // it would take the type of what is around the shift
		x = call(goType(in.Type).Call(x.code))
	}
	v := value{code: jen.Add(x.in(op.prec)).Op(op.text).Add(y.in(op.prec + 1)), prec: op.prec}
	if f.rounds(in) {
		v = call(goType(in.Type).Call(v.code))
	}
	return v, true
}

// rounds reports a float product that needs a conversion around it: Go may fuse x*y + z, also across statements and
// through memory, unless a conversion rounds the product. A quotient counts when its divisor may be a power of two, since
// Go multiplies by the reciprocal then, which is exact but for overflow and underflow.
func (f *function) rounds(in *ir.Instr) bool {
	if !in.Kind().IsFloat() || in.Op != ir.OpMul && in.Op != ir.OpDiv || f.stays(in) {
		return false
	}
	if in.Op == ir.OpMul {
		return true
	}
	d := in.Args[1]
	if d.IsConst() {
		m, _ := math.Frexp(d.Float())
		return math.Abs(m) == 0.5
	}
	return !f.opaque(d, 8)
}

// stays reports whether a product goes only where no sum can meet it: into a comparison, or into a product or quotient
// that is not the same number again.
func (f *function) stays(in *ir.Instr) bool {
	if !f.placed[in] || f.l.uses[in] != 1 {
		return false
	}
	user := f.l.users[in][0]
	other := func(n int) bool {
		x := user.Args[n]
		if x.IsConst() {
			v := math.Abs(x.Float())
			return v != 1 && v != 2 // x*2 becomes x + x
		}
		return f.opaque(x, 8)
	}
	switch {
	case user.Op.IsCompare() || user.Op == ir.OpConv && (user.Kind() == in.Kind() || user.Kind().IsHalf()):
		return true
	case user.Op == ir.OpDiv:
		return user.Args[1] == in || other(1)
	case user.Op == ir.OpMul && user.Args[1] == in:
		return other(0)
	case user.Op == ir.OpMul:
		return other(1)
	}
	return false
}

// opaque reports a float that Go's compiler cannot find to be a constant: it comes from memory or from the launch.
func (f *function) opaque(in *ir.Instr, depth int) bool {
	if depth == 0 {
		return false
	}
	switch in.Op {
	case ir.OpLoad, ir.OpParamGet, ir.OpPoint, ir.OpExtent:
		return true
	case ir.OpLocalGet:
		sets := f.l.sets[in.Local]
		for _, s := range sets {
			if s.Op != ir.OpLocalSet || !f.opaque(s.Args[0], depth-1) {
				return false
			}
		}
		return len(sets) > 0 && len(sets) < 4 && f.params != nil // a parameter of a function may be inlined as a constant
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpNeg, ir.OpConv, ir.OpSqrt, ir.OpAbs, ir.OpExp:
		for _, a := range in.Args {
			if f.opaque(a, depth-1) {
				return true
			}
		}
	}
	return false
}

// opposite is a comparison's negation; of floats only == and != have one, because of NaN.
var opposite = map[ir.Op]ir.Op{ir.OpEq: ir.OpNe, ir.OpNe: ir.OpEq, ir.OpLt: ir.OpGe, ir.OpGe: ir.OpLt, ir.OpLe: ir.OpGt, ir.OpGt: ir.OpLe}

// not is the negation of a condition.
func (f *function) not(in *ir.Instr) *jen.Statement {
	if _, named := f.named[in]; !named {
		switch op, ok := opposite[in.Op]; {
		case in.Op == ir.OpLNot:
			return f.expr(in.Args[0]).code
		case ok && (op == ir.OpEq || op == ir.OpNe || !in.Args[0].Kind().IsFloat()):
			flipped := *in
			flipped.Op = op
			if v, ok := f.plain(&flipped); ok {
				return v.code
			}
		}
	}
	return jen.Op("!").Add(f.expr(in).in(unary))
}

// nonzero reports a constant divisor that Go accepts.
func nonzero(in *ir.Instr) bool { return in.IsConst() && in.Bits != 0 }

// countFits reports a shift whose count Go takes as the language does: unsigned, or known not to be negative. A constant
// count over the width is left to the helper, since vet takes it for a mistake.
func countFits(in *ir.Instr) bool {
	n := in.Args[1]
	if n.IsConst() {
		return n.Bits < uint64(in.Kind().Bits())
	}
	return notNegative(n)
}

func notNegative(n *ir.Instr) bool {
	if n.Kind().IsUnsigned() {
		return true
	}
	switch n.Op {
	case ir.OpConst:
		return n.Int64() >= 0
	case ir.OpConv:
		from := n.Args[0].Kind()
		return from.IsUnsigned() && from.Bits() < n.Kind().Bits()
	case ir.OpAnd:
		return notNegative(n.Args[0]) || notNegative(n.Args[1])
	case ir.OpExtent, ir.OpPopcount, ir.OpClz, ir.OpCtz:
		return true
	}
	return false
}

// logical is x && y or x || y whose right side is all printed in place. vet takes an operand that stands twice in a chain
// for a mistake, and two == in one of && or two != in one of ||: what a user wrote, or a pass unrolled, is none of
// generated code, so negating it twice tells them apart.
func (f *function) logical(in *ir.Instr, op string, prec int) value {
	left, right := f.expr(in.Args[0]), f.expr(yielded(in.Blocks[0]))
	pair := ir.OpEq
	if in.Op == ir.OpCondOr {
		pair = ir.OpNe
	}
	before := left.operands(in.Op, in.Args[0])
	clash := func(after []operand) bool {
		for _, x := range before {
			for _, y := range after {
				if x.text == y.text || x.op == pair && y.op == pair && same(x.subject, y.subject) {
					return true
				}
			}
		}
		return false
	}
	after := right.operands(in.Op, yielded(in.Blocks[0]))
	for clash(after) {
		right = value{code: jen.Op("!!").Add(right.in(unary)), prec: unary}
		after = right.operands(in.Op, nil)
	}
	return value{
		code: jen.Add(left.in(prec)).Op(op).Add(right.in(prec + 1)), prec: prec,
		chain: append(before, after...),
	}
}

// operands are those of v, the printed form of in, in a chain of op.
func (v value) operands(op ir.Op, in *ir.Instr) []operand {
	if len(v.chain) > 0 && v.chain[0].in == op {
		return v.chain
	}
	o := operand{text: v.code.GoString(), in: op}
	if in != nil && in.Op.IsCompare() && v.prec == comparePrec {
		for i, x := range in.Args {
			if x.IsConst() {
				o.op, o.subject = in.Op, in.Args[1-i]
			}
		}
	}
	return []operand{o}
}

// yielded is the value that a block ends with.
func yielded(b *ir.Block) *ir.Instr {
	for _, in := range b.Instrs {
		if in.Op == ir.OpYield {
			return in.Args[0]
		}
	}
	panic("cpu: a block without Yield")
}

// same reports that two values print as the same text.
func same(a, b *ir.Instr) bool {
	if a == b {
		return true
	}
	if a.Op != b.Op || len(a.Args) != len(b.Args) || len(a.Blocks) > 0 || len(b.Blocks) > 0 || a.Bits != b.Bits || a.Dim != b.Dim ||
		a.Param != b.Param || a.Leaf != b.Leaf || a.Sym != b.Sym || a.Local != b.Local || !types.Identical(a.Type, b.Type) || a.Op == ir.OpIter {
		return false
	}
	for i := range a.Args {
		if !same(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}

// convert is a conversion: integers wrap as in Go, floats to integers saturate.
func (f *function) convert(in *ir.Instr) value {
	x := in.Args[0]
	from, to := x.Kind(), in.Kind()
	v := f.variable(x)
	if from.IsHalf() {
		v = call(jen.Add(v.in(primary)).Dot("Float32").Call())
		if from = types.Float32; to == from {
			return v
		}
	}
	if to.IsHalf() {
		return f.toHalf(v, from, to)
	}
	if from.IsFloat() && to.IsInteger() {
		arg := v.code
		if from != types.Float64 {
			arg = goType(types.Float64).Call(arg)
		}
		return call(jen.Qual(genPath, toInteger[to]).Call(arg))
	}
	return call(goType(to).Call(v.code))
}

// toHalf is v, of kind from, as a 16-bit float, rounded once: what has more bits than a float32 is rounded to odd there.
func (f *function) toHalf(v value, from, to types.Kind) value {
	odd := func(name string, k types.Kind) *jen.Statement {
		code := v.code
		if k != from {
			code = goType(k).Call(code)
		}
		return jen.Qual(genPath, name).Call(code)
	}
	var single *jen.Statement
	switch {
	case from == types.Float32:
		single = v.code
	case from == types.Float64:
		single = odd("Odd64", from)
	case from.Bits() < 32:
		single = jen.Float32().Call(v.code)
	case from.IsSigned():
		single = odd("OddInt", types.Int64)
	default:
		single = odd("OddUint", types.Uint64)
	}
	name := "ToFloat16"
	if to == types.BFloat16 {
		name = "ToBFloat16"
	}
	return call(goType(to).Call(jen.Qual(genPath, name).Call(single)))
}

var toInteger = map[types.Kind]string{
	types.Int8: "ToInt8", types.Int16: "ToInt16", types.Int32: "ToInt32", types.Int64: "ToInt64", types.Int: "ToInt",
	types.Uint8: "ToUint8", types.Uint16: "ToUint16", types.Uint32: "ToUint32", types.Uint64: "ToUint64",
}

// bitcast gives the same bits another type.
func (f *function) bitcast(in *ir.Instr) value {
	from, to := in.Args[0].Kind(), in.Kind()
	v := f.variable(in.Args[0])
	as := func(k types.Kind, from types.Kind, v value) value {
		if k == from {
			return v
		}
		return call(goType(k).Call(v.code))
	}
	unsigned, name := types.Uint32, "Float32"
	if to.Bits() == 64 {
		unsigned, name = types.Uint64, "Float64"
	}
	switch {
	case from.IsHalf() || to.IsHalf(): // the bits are the value
		return as(to, from, v)
	case from.IsFloat() && to.IsFloat():
		return v
	case to.IsFloat():
		return call(jen.Qual(mathPath, name+"frombits").Call(as(unsigned, from, v).code))
	case from.IsFloat():
		return as(to, unsigned, call(jen.Qual(mathPath, name+"bits").Call(v.code)))
	}
	return as(to, from, v)
}
