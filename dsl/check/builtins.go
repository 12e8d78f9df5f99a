package check

import (
	"go/constant"
	"go/token"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// argKind is a set of types that arguments may have.
type argKind struct {
	has  func(types.Kind) bool
	want string // with its article, for messages
}

var (
	numArg   = &argKind{types.Kind.IsNumeric, "numbers"}
	floatArg = &argKind{func(k types.Kind) bool { return k.IsFloat() || k == types.UntypedInt }, "floating-point numbers"}
	fmaArg   = &argKind{func(k types.Kind) bool { return floatArg.has(k) && !k.IsHalf() }, "`float32` or `float64`; in 16 bits nothing is fused"}
	intArg   = &argKind{types.Kind.IsInteger, "integers"}
	boolArg  = &argKind{types.Kind.IsBool, "bools"}
	anyArg   = &argKind{func(k types.Kind) bool { return k != types.Invalid }, "a bool or numbers"}
)

// rule says how the types of a builtin's arguments and result hang together.
type rule uint8

const (
	same    rule = iota // all arguments and the result have one type
	test                // one argument, the result is bool
	source              // no argument, the result is an untyped float
	choose              // bool, then two of the result's type
	rotate              // the result's type, then any integer
	recast              // from one type's bits to another's
	length              // of a view or an array
	fold                // of a comprehension alone; `min` and `max` take one too
	meet                // `barrier()`, which gives no value
	claim               // `assert(cond, "text")`, which gives none either
	say                 // `print("format", …)`, likewise
	atomic              // the place of an element, then values of its type
	reduce              // over the block or subgroup: one argument, the result has its type
	ballot              // one bool of each thread of the subgroup, the result is a uint32
	shuffle             // the result's type, then a lane or a distance of any integer type
	random              // the types that the function says
	member              // no argument, the result is an int
	vectors             // vectors of one type
)

// builtin is a row of the table of builtin functions.
type builtin struct {
	name     string
	min, max int // arguments; max < 0: no limit
	arg      *argKind
	rule     rule
	fold     func(x []constant.Value, k types.Kind) (constant.Value, string) // or nil: never a constant; the string is an error

	from []types.Kind // recast: what it takes, the first for untyped constants
	to   types.Kind
}

func (b *builtin) spaced() bool { return strings.Contains(b.name, ".") }

// usage shows calls of builtins whose arguments are not all of a kind.
var usage = map[string]string{
	"assert": "write `assert(cond, \"text\")`", "select": "write `select(cond, a, b)`", "clamp": "write `clamp(x, lo, hi)`", "lerp": "write `lerp(a, b, t)`",
	"fma": "write `fma(a, b, c)`, which is a*b + c", "rotl": "write `rotl(x, count)`", "atomic.CompareExchange": "write `atomic.CompareExchange(&x[i], old, new)`",
	"barrier": "write `barrier()`, which orders shared memory and views",
}

// isBuiltin reports the name of a builtin function that stands without a family.
func isBuiltin(name string) bool {
	o := universe().names[name]
	return o != nil && o.kind == objBuiltin
}

// shares reports whether argument i has the type of the result.
func (b *builtin) shares(i int) bool {
	switch b.rule {
	case same, reduce:
		return true
	case choose:
		return i > 0
	case rotate, shuffle:
		return i == 0
	}
	return false
}

// builtins is the table of builtin functions. Constants fold where the row says so; other exact functions of constants
// are folded later, functions within a tolerance never.
var builtins = []builtin{
	{name: "min", min: 1, max: -1, arg: numArg, fold: foldMin},
	{name: "max", min: 1, max: -1, arg: numArg, fold: foldMax},
	{name: "abs", min: 1, max: 1, arg: numArg, fold: foldAbs},
	{name: "ceildiv", min: 2, max: 2, arg: intArg, fold: foldCeilDiv},
	{name: "clamp", min: 3, max: 3, arg: numArg},
	{name: "sign", min: 1, max: 1, arg: numArg},
	{name: "mod", min: 2, max: 2, arg: numArg},
	{name: "fmin", min: 2, max: 2, arg: floatArg},
	{name: "fmax", min: 2, max: 2, arg: floatArg},
	{name: "floor", min: 1, max: 1, arg: floatArg},
	{name: "ceil", min: 1, max: 1, arg: floatArg},
	{name: "trunc", min: 1, max: 1, arg: floatArg},
	{name: "round", min: 1, max: 1, arg: floatArg},
	{name: "roundeven", min: 1, max: 1, arg: floatArg},
	{name: "sqrt", min: 1, max: 1, arg: floatArg},
	{name: "rsqrt", min: 1, max: 1, arg: floatArg},
	{name: "exp", min: 1, max: 1, arg: floatArg},
	{name: "exp2", min: 1, max: 1, arg: floatArg},
	{name: "log", min: 1, max: 1, arg: floatArg},
	{name: "log2", min: 1, max: 1, arg: floatArg},
	{name: "log10", min: 1, max: 1, arg: floatArg},
	{name: "sin", min: 1, max: 1, arg: floatArg},
	{name: "cos", min: 1, max: 1, arg: floatArg},
	{name: "tan", min: 1, max: 1, arg: floatArg},
	{name: "asin", min: 1, max: 1, arg: floatArg},
	{name: "acos", min: 1, max: 1, arg: floatArg},
	{name: "atan", min: 1, max: 1, arg: floatArg},
	{name: "atan2", min: 2, max: 2, arg: floatArg},
	{name: "sinh", min: 1, max: 1, arg: floatArg},
	{name: "cosh", min: 1, max: 1, arg: floatArg},
	{name: "tanh", min: 1, max: 1, arg: floatArg},
	{name: "pow", min: 2, max: 2, arg: floatArg},
	{name: "fma", min: 3, max: 3, arg: fmaArg},
	{name: "hypot", min: 2, max: 2, arg: floatArg},
	{name: "erf", min: 1, max: 1, arg: floatArg},
	{name: "copysign", min: 2, max: 2, arg: floatArg},
	{name: "lerp", min: 3, max: 3, arg: floatArg},
	{name: "isnan", min: 1, max: 1, arg: floatArg, rule: test},
	{name: "isinf", min: 1, max: 1, arg: floatArg, rule: test},
	{name: "dot", min: 2, max: 2, arg: numArg, rule: vectors},
	{name: "cross", min: 2, max: 2, arg: numArg, rule: vectors},
	{name: "length", min: 1, max: 1, arg: floatArg, rule: vectors},
	{name: "normalize", min: 1, max: 1, arg: floatArg, rule: vectors},
	{name: "inf", rule: source},
	{name: "nan", rule: source},
	{name: "popcount", min: 1, max: 1, arg: intArg},
	{name: "clz", min: 1, max: 1, arg: intArg},
	{name: "ctz", min: 1, max: 1, arg: intArg},
	{name: "reverse", min: 1, max: 1, arg: intArg},
	{name: "mulhi", min: 2, max: 2, arg: intArg},
	{name: "rotl", min: 2, max: 2, arg: intArg, rule: rotate},
	{name: "select", min: 3, max: 3, arg: anyArg, rule: choose},
	{name: "len", min: 1, max: 2, rule: length},
	{name: "sum", rule: fold, arg: numArg},
	{name: "prod", rule: fold, arg: numArg},
	{name: "any", rule: fold, arg: boolArg},
	{name: "all", rule: fold, arg: boolArg},
	{name: "argmin", rule: fold, arg: numArg},
	{name: "argmax", rule: fold, arg: numArg},
	{name: "barrier", rule: meet},
	{name: "atomic.Add", min: 2, max: 2, rule: atomic},
	{name: "atomic.Sub", min: 2, max: 2, rule: atomic},
	{name: "atomic.Min", min: 2, max: 2, rule: atomic},
	{name: "atomic.Max", min: 2, max: 2, rule: atomic},
	{name: "atomic.And", min: 2, max: 2, rule: atomic},
	{name: "atomic.Or", min: 2, max: 2, rule: atomic},
	{name: "atomic.Xor", min: 2, max: 2, rule: atomic},
	{name: "atomic.Exchange", min: 2, max: 2, rule: atomic},
	{name: "atomic.CompareExchange", min: 3, max: 3, rule: atomic},
	{name: "atomic.Load", min: 1, max: 1, rule: atomic},
	{name: "atomic.Store", min: 2, max: 2, rule: atomic},
	{name: "assert", min: 2, max: 2, rule: claim},
	{name: "print", min: 1, max: -1, rule: say},
	{name: "block.Sum", min: 1, max: 1, arg: numArg, rule: reduce},
	{name: "block.Min", min: 1, max: 1, arg: numArg, rule: reduce},
	{name: "block.Max", min: 1, max: 1, arg: numArg, rule: reduce},
	{name: "block.Any", min: 1, max: 1, arg: boolArg, rule: reduce},
	{name: "block.All", min: 1, max: 1, arg: boolArg, rule: reduce},
	{name: "block.ScanSum", min: 1, max: 1, arg: numArg, rule: reduce},
	{name: "subgroup.Sum", min: 1, max: 1, arg: numArg, rule: reduce},
	{name: "subgroup.Min", min: 1, max: 1, arg: numArg, rule: reduce},
	{name: "subgroup.Max", min: 1, max: 1, arg: numArg, rule: reduce},
	{name: "subgroup.Any", min: 1, max: 1, arg: boolArg, rule: reduce},
	{name: "subgroup.All", min: 1, max: 1, arg: boolArg, rule: reduce},
	{name: "subgroup.ScanSum", min: 1, max: 1, arg: numArg, rule: reduce},
	{name: "subgroup.Ballot", min: 1, max: 1, arg: boolArg, rule: ballot},
	{name: "subgroup.Broadcast", min: 2, max: 2, arg: anyArg, rule: shuffle},
	{name: "subgroup.Shuffle", min: 2, max: 2, arg: anyArg, rule: shuffle},
	{name: "subgroup.ShuffleXor", min: 2, max: 2, arg: anyArg, rule: shuffle},
	{name: "subgroup.ShuffleUp", min: 2, max: 2, arg: anyArg, rule: shuffle},
	{name: "subgroup.ShuffleDown", min: 2, max: 2, arg: anyArg, rule: shuffle},
	{name: "subgroup.Lane", rule: member},
	{name: "subgroup.ID", rule: member},
	{name: "rand.Philox", min: 2, max: 2, rule: random},
	{name: "rand.Float32", min: 1, max: 1, rule: random},
	{name: "bits.float16", min: 1, max: 1, rule: recast, from: []types.Kind{types.Uint16, types.Int16}, to: types.Float16},
	{name: "bits.bfloat16", min: 1, max: 1, rule: recast, from: []types.Kind{types.Uint16, types.Int16}, to: types.BFloat16},
	{name: "bits.uint16", min: 1, max: 1, rule: recast, from: []types.Kind{types.Float16, types.BFloat16}, to: types.Uint16},
	{name: "bits.int16", min: 1, max: 1, rule: recast, from: []types.Kind{types.Float16, types.BFloat16}, to: types.Int16},
	{name: "bits.float32", min: 1, max: 1, rule: recast, from: []types.Kind{types.Uint32, types.Int32}, to: types.Float32},
	{name: "bits.float64", min: 1, max: 1, rule: recast, from: []types.Kind{types.Uint64, types.Int64}, to: types.Float64},
	{name: "bits.uint32", min: 1, max: 1, rule: recast, from: []types.Kind{types.Float32}, to: types.Uint32},
	{name: "bits.int32", min: 1, max: 1, rule: recast, from: []types.Kind{types.Float32}, to: types.Int32},
	{name: "bits.uint64", min: 1, max: 1, rule: recast, from: []types.Kind{types.Float64}, to: types.Uint64},
	{name: "bits.int64", min: 1, max: 1, rule: recast, from: []types.Kind{types.Float64}, to: types.Int64},
}

// spaces are the families of builtins.
func spaces() (out []string) {
	for i := range builtins {
		if space, _, ok := strings.Cut(builtins[i].name, "."); ok && !slices.Contains(out, space) {
			out = append(out, space)
		}
	}
	return out
}

// spaceNames are the builtins of a family, without its name.
func spaceNames(space string) (out []string) {
	for i := range builtins {
		if rest, ok := strings.CutPrefix(builtins[i].name, space+"."); ok {
			out = append(out, rest)
		}
	}
	return out
}

func spaced(space, name string) *builtin {
	for i := range builtins {
		if builtins[i].name == space+"."+name {
			return &builtins[i]
		}
	}
	return nil
}

func foldMin(x []constant.Value, _ types.Kind) (constant.Value, string) {
	return extreme(x, token.LSS), ""
}
func foldMax(x []constant.Value, _ types.Kind) (constant.Value, string) {
	return extreme(x, token.GTR), ""
}

func extreme(x []constant.Value, better token.Token) constant.Value {
	v := x[0]
	for _, y := range x[1:] {
		if constant.Compare(y, better, v) {
			v = y
		}
	}
	return v
}

// foldAbs wraps as the operation does: the lowest integer is its own absolute value.
func foldAbs(x []constant.Value, k types.Kind) (constant.Value, string) {
	if constant.Sign(x[0]) >= 0 {
		return x[0], ""
	}
	v := constant.UnaryOp(token.SUB, x[0], 0)
	if _, f := fit(v, k); f != fits {
		return x[0], ""
	}
	return v, ""
}

func foldCeilDiv(x []constant.Value, _ types.Kind) (constant.Value, string) {
	if constant.Sign(x[1]) <= 0 {
		return nil, "a positive divisor"
	}
	a, d := constant.ToInt(x[0]), constant.ToInt(x[1])
	q := constant.BinaryOp(a, token.QUO_ASSIGN, d)
	if constant.Sign(constant.BinaryOp(a, token.REM, d)) > 0 {
		q = constant.BinaryOp(q, token.ADD, constant.MakeInt64(1))
	}
	return q, ""
}

// callBuiltin checks a call of a builtin.
func (b *body) callBuiltin(e *dsl.CallExpr, bi *builtin) operand {
	b.facts.Calls[e] = Call{Kind: BuiltinCall, Builtin: bi.name}
	if bi.rule == fold {
		b.useAll(e.Args)
		b.report(&ComprehensionError{span: at(e), Name: bi.name, Takes: true})
		return operand{}
	}
	if n := len(e.Args); n < bi.min || bi.max >= 0 && n > bi.max {
		b.useAll(e.Args)
		b.report(&ArgumentCountError{span: at(e), Name: bi.name, Have: n, Min: bi.min, Max: bi.max, Hint: usage[bi.name]})
		return operand{}
	}
	switch bi.rule {
	case length:
		return b.length(e)
	case atomic:
		return b.atomic(e, bi)
	case claim:
		return b.assert(e)
	case say:
		return b.print(e)
	}
	args := make([]operand, len(e.Args))
	ok := true
	for i, a := range e.Args {
		args[i] = b.expr(a)
		ok = ok && args[i].mode != bad
	}
	if !ok {
		return operand{}
	}
	switch bi.rule {
	case meet:
		return b.barrier(e)
	case vectors:
		return b.vectorBuiltin(bi, args)
	case reduce:
		return b.reduction(e, bi, args)
	case random:
		return b.random(bi, args)
	case ballot, shuffle, member:
		return b.subgroup(e, bi, args)
	case source:
		return operand{mode: value, typ: types.UntypedFloat}
	case recast:
		return b.recast(bi, args[0])
	case rotate:
		return b.rotate(e, bi, args)
	case choose:
		if !b.condition(&args[0]) {
			return operand{}
		}
		if types.IsComposite(args[1].typ) {
			return b.chooseComposite(bi, args[1], args[2])
		}
		return b.sameType(e, bi, args[1:])
	case test:
		x := b.sameType(e, bi, args)
		if x.mode == bad {
			return x
		}
		delete(b.pending, e)
		if args[0].untyped() {
			b.settle(e.Args[0], types.Float32)
		}
		return operand{mode: value, typ: types.Bool}
	}
	return b.sameType(e, bi, args)
}

// sameType checks arguments that must have one type, and gives the operand of that type.
func (b *body) sameType(e *dsl.CallExpr, bi *builtin, args []operand) operand {
	for i := range args {
		if !bi.arg.has(args[i].kind()) {
			b.report(&BuiltinTypeError{span: args[i].at(), Name: bi.name, Text: args[i].text(), Have: args[i].typ, Want: bi.arg.want})
			return operand{}
		}
	}
	// The first typed argument decides; without one the widest untyped kind does.
	lead := 0
	for i := range args {
		if !args[i].untyped() {
			lead = i
			break
		}
		if args[i].kind() > args[lead].kind() {
			lead = i
		}
	}
	folds := bi.fold != nil
	for i := range args {
		first := args[lead]
		if i != lead && !b.match(&first, &args[i], func() {
			x, y := &args[lead], &args[i]
			if i < lead {
				x, y = y, x
			}
			b.report(&ArgumentTypesError{span: y.at(), Name: bi.name, X: x.typ, Y: y.typ, XText: x.text(), YText: y.text(), First: x.at()})
		}) {
			return operand{}
		}
		folds = folds && args[i].mode == konst
	}
	x := operand{mode: value, typ: args[lead].typ}
	if (bi.arg == floatArg || bi.arg == fmaArg) && x.kind() == types.UntypedInt {
		x.typ = types.UntypedFloat
	}
	if bi.name == "ceildiv" && args[1].mode == konst && constant.Sign(args[1].val) <= 0 {
		b.report(&BuiltinTypeError{span: args[1].at(), Name: bi.name, Text: args[1].text(), Have: args[1].typ, Want: "a positive divisor"})
		return operand{}
	}
	if bi.name == "mod" && args[1].mode == konst && x.kind().IsInteger() && constant.Sign(args[1].val) == 0 {
		b.report(&DivisionByZeroError{span: args[1].at(), Op: bi.name})
		return operand{}
	}
	if !folds {
		if x.untyped() {
			b.pending[e] = bi
		}
		return x
	}
	vals := make([]constant.Value, len(args))
	for i := range args {
		vals[i] = args[i].val
	}
	x.mode = konst
	x.val, _ = bi.fold(vals, x.kind())
	x.expr = e
	return b.folded(x, at(e))
}

// recast checks `bits.float32(u)`.
func (b *body) recast(bi *builtin, x operand) operand {
	if x.untyped() {
		if !b.assign(&x, bi.from[0], "the argument of `"+bi.name+"`") {
			return operand{}
		}
	}
	for _, k := range bi.from {
		if x.kind() == k {
			return operand{mode: value, typ: bi.to}
		}
	}
	b.report(&BuiltinTypeError{span: x.at(), Name: bi.name, Text: x.text(), Have: x.typ, Want: bi.from[0].String()})
	return operand{}
}

// rotate checks `rotl(x, n)`, where n is any integer.
func (b *body) rotate(e *dsl.CallExpr, bi *builtin, args []operand) operand {
	n := args[1]
	if n.untyped() {
		if !b.assign(&n, types.Int, "the count of `"+bi.name+"`") {
			return operand{}
		}
	} else if !n.kind().IsInteger() {
		b.report(&BuiltinTypeError{span: n.at(), Name: bi.name, Text: n.text(), Have: n.typ, Want: bi.arg.want})
		return operand{}
	}
	return b.sameType(e, bi, args[:1])
}

// length checks `len(x)` and `len(x, d)`: without d the first dim is meant, as in Go.
func (b *body) length(e *dsl.CallExpr) operand {
	var t types.Type
	var dims []*types.Header
	if o := b.viewOf(e.Args[0]); o != nil {
		t, dims = o.v.Type, b.dimsOf(o.v)
	} else {
		x := b.expr(e.Args[0])
		if x.mode == bad {
			b.useAll(e.Args[1:])
			return operand{}
		}
		a, ok := x.typ.(*types.Array)
		if !ok {
			b.useAll(e.Args[1:])
			b.report(&BuiltinTypeError{span: x.at(), Name: "len", Text: x.text(), Have: x.typ, Want: "a view or an array"})
			return operand{}
		}
		t = a
		for _, n := range a.Dims {
			dims = append(dims, types.Const(n))
		}
	}
	d := int64(0)
	if len(e.Args) > 1 {
		var ok bool
		if d, ok = b.constInt(e.Args[1], "the dim of `len`"); !ok {
			return operand{}
		}
		if d < 0 || d >= int64(rankOf(t)) {
			b.report(&IndexRangeError{span: at(e.Args[1]), Value: text(e.Args[1]), Extent: int64(rankOf(t))})
			return operand{}
		}
	}
	if d < int64(len(dims)) && dims[d] != nil && dims[d].Op == types.HConst {
		return operand{mode: konst, typ: types.Int, val: constant.MakeInt64(dims[d].Val)}
	}
	return operand{mode: value, typ: types.Int}
}

// viewOf is the view that e names, or nil; the use is recorded.
func (b *body) viewOf(e dsl.Expr) *object {
	id, ok := dsl.Unparen(e).(*dsl.Ident)
	if !ok {
		return nil
	}
	o := b.scope.lookup(id.Name)
	if o == nil || o.kind != objVar {
		return nil
	}
	if _, ok := o.v.Type.(*types.View); !ok {
		return nil
	}
	o.used = true
	b.facts.Uses[id] = o.v
	return o
}

// dimsOf are the extents of a view.
func (b *body) dimsOf(v *Var) []*types.Header {
	if p := b.viewParam(v); p != nil {
		return p.Dims
	}
	return nil
}

// viewParam is the parameter that declares a view, or nil where a mistake kept it from being one.
func (b *body) viewParam(v *Var) *Param {
	switch {
	case b.kernel != nil && v.Index < len(b.kernel.Params):
		return b.kernel.Params[v.Index]
	case b.fn != nil && v.Index < len(b.fn.Views):
		return b.fn.Views[v.Index]
	}
	return nil
}

func rankOf(t types.Type) int {
	switch t := t.(type) {
	case *types.View:
		return t.Rank
	case *types.Array:
		return len(t.Dims)
	}
	return 0
}
