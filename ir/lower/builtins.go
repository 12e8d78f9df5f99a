package lower

import (
	"math"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// call evaluates a call and gives its results; names are those of the variables that take them, if there are some.
func (b *body) call(e *dsl.CallExpr, names ...string) [][]*ir.Instr {
	c := b.facts.Calls[e]
	switch c.Kind {
	case check.ConversionCall:
		return [][]*ir.Instr{b.conversion(e)}
	case check.BuiltinCall:
		return [][]*ir.Instr{b.builtinLeaves(e, c.Builtin)}
	}
	if c.Func.ByReference() {
		return b.expand(e, c.Func, names)
	}
	f := b.lowerer.fn(c.Func)
	var args []*ir.Instr
	for _, a := range e.Args {
		args = append(args, b.leaves(a)...)
	}
	b.Pos = e.Pos()
	in := b.New(ir.OpCall, nil, args...)
	in.Func = f
	var results [][]*ir.Instr
	for i, t := range c.Func.Results {
		name := f.Name
		if i < len(names) && names[i] != "_" {
			name = names[i]
		}
		outs := b.slots(name, t)
		in.Outs = append(in.Outs, outs...)
		var v []*ir.Instr
		for _, l := range outs {
			l.ResultOf = f.Name
			v = append(v, b.LocalGet(l))
		}
		results = append(results, v)
	}
	return results
}

// conversion evaluates T(x). A conversion to the type that x has already keeps a product from being fused.
func (b *body) conversion(e *dsl.CallExpr) []*ir.Instr {
	switch t := b.facts.Values[e].Type.(type) {
	case *types.Vector:
		return b.construct(e, t)
	case types.Kind:
		return []*ir.Instr{b.convert(t, b.expr(e.Args[0]))}
	}
	return b.leaves(e.Args[0]) // an array or a struct to its own type
}

// convert is T(x) of a basic type.
func (b *body) convert(k types.Kind, x *ir.Instr) *ir.Instr {
	if x.Kind() == k {
		if x.Op == ir.OpMul {
			x.NoFuse = true
		}
		return x
	}
	return b.Conv(k, x)
}

// unaryOps and binaryFuncs are the builtins that are one operation.
var unaryOps = map[string]ir.Op{
	"floor": ir.OpFloor, "ceil": ir.OpCeil, "trunc": ir.OpTrunc, "round": ir.OpRound, "roundeven": ir.OpRoundEven,
	"sqrt": ir.OpSqrt, "rsqrt": ir.OpRsqrt, "exp": ir.OpExp, "exp2": ir.OpExp2, "log": ir.OpLog, "log2": ir.OpLog2, "log10": ir.OpLog10,
	"sin": ir.OpSin, "cos": ir.OpCos, "tan": ir.OpTan, "asin": ir.OpAsin, "acos": ir.OpAcos, "atan": ir.OpAtan,
	"sinh": ir.OpSinh, "cosh": ir.OpCosh, "tanh": ir.OpTanh, "erf": ir.OpErf,
	"popcount": ir.OpPopcount, "clz": ir.OpClz, "ctz": ir.OpCtz, "reverse": ir.OpReverse,
}

var binaryFuncs = map[string]ir.Op{
	"fmin": ir.OpFmin, "fmax": ir.OpFmax, "atan2": ir.OpAtan2, "pow": ir.OpPow, "hypot": ir.OpHypot, "copysign": ir.OpCopysign, "mulhi": ir.OpMulHi,
}

// builtinLeaves evaluates a call of a builtin function, whose value may be a vector or a struct.
func (b *body) builtinLeaves(e *dsl.CallExpr, name string) []*ir.Instr {
	if name == "rand.Philox" {
		return b.philox(b.expr(e.Args[0]), b.expr(e.Args[1]), e)
	}
	composite := types.IsComposite(b.facts.Values[e].Type)
	if !composite && !vectorBuiltins[name] {
		return []*ir.Instr{b.builtin(e, name)}
	}
	var x [][]*ir.Instr
	for _, a := range e.Args {
		x = append(x, b.leaves(a))
	}
	b.Pos = e.Pos()
	if name != "select" {
		return b.vectorBuiltin(name, x[0], x[len(x)-1])
	}
	out := make([]*ir.Instr, len(x[1]))
	for i := range out {
		if t, ok := x[1][i].Type.(*types.Array); ok {
			out[i] = b.selectArray(x[0][0], t, x[1][i], x[2][i])
			continue
		}
		out[i] = b.Select(x[0][0], x[1][i], x[2][i])
	}
	return out
}

// selectArray chooses between arrays element by element: no target has a select of arrays.
func (b *body) selectArray(cond *ir.Instr, t *types.Array, x, y *ir.Instr) *ir.Instr {
	yes, no, out := b.hidden("yes", t), b.hidden("no", t), b.hidden("chosen", t)
	b.LocalSet(yes, x)
	b.LocalSet(no, y)
	b.LocalSet(out, b.Zero(t))
	b.each(t.Dims, func(ix []*ir.Instr) {
		b.ElemSet(out, b.Select(cond, b.ElemGet(yes, ix...), b.ElemGet(no, ix...)), ix...)
	})
	return b.LocalGet(out)
}

// blockOps are the builtins that reduce a value over the threads of a block.
var blockOps = map[string]ir.Reduction{
	"block.Sum": ir.ReduceSum, "block.Min": ir.ReduceMin, "block.Max": ir.ReduceMax, "block.Any": ir.ReduceAny, "block.All": ir.ReduceAll, "block.ScanSum": ir.ScanSum,
}

// builtin evaluates a call of a builtin function.
func (b *body) builtin(e *dsl.CallExpr, name string) *ir.Instr {
	switch {
	case name == "len":
		return b.length(e)
	case name == "barrier":
		b.Pos = e.Pos()
		b.New(ir.OpBarrier, nil)
		return nil
	case name == "assert":
		b.Pos = e.Pos()
		in := b.Assert(b.facts.Calls[e].Text)
		b.within(in.Blocks[0], func() { b.Yield(b.expr(e.Args[0])) })
		return nil
	case name == "print":
		var values []*ir.Instr
		for _, a := range e.Args[1:] {
			v := b.expr(a)
			if v.Kind().IsFloat() && v.Kind().Bits() == 16 { // no format knows it; the wider number is the same
				v = b.Conv(types.Float32, v)
			}
			values = append(values, v)
		}
		b.At(e.Pos()).Print(b.facts.Calls[e].Text, values...)
		return nil
	case e.Comp != nil:
		return b.comprehension(e, name)
	}
	if op, ok := atomicOps[name]; ok {
		return b.atomic(e, name, op)
	}
	kind := types.KindOf(b.facts.Values[e].Type)
	var x []*ir.Instr
	for _, a := range e.Args {
		x = append(x, b.expr(a))
	}
	b.Pos = e.Pos()
	if op, ok := unaryOps[name]; ok {
		return b.Un(op, x[0])
	}
	if op, ok := binaryFuncs[name]; ok {
		return b.Bin(op, x[0], x[1])
	}
	if r, ok := blockOps[name]; ok {
		return b.Reduce(r, x[0])
	}
	if name == "rand.Float32" {
		return b.unitFloat(x[0])
	}
	if rest, ok := strings.CutPrefix(name, "subgroup."); ok {
		return b.subgroup(e, rest, x)
	}
	switch name {
	case "min":
		return b.chain(ir.OpMin, x)
	case "max":
		return b.chain(ir.OpMax, x)
	case "clamp":
		return b.Bin(ir.OpMin, b.Bin(ir.OpMax, x[0], x[1]), x[2])
	case "abs":
		if kind.IsUnsigned() {
			return x[0]
		}
		return b.Un(ir.OpAbs, x[0])
	case "fma":
		return b.New(ir.OpFMA, x[0].Type, x...)
	case "select":
		return b.Select(x[0], x[1], x[2])
	case "inf":
		return b.Float(kind, math.Inf(1))
	case "nan":
		return b.Float(kind, math.NaN())
	case "isnan":
		return b.Bin(ir.OpNe, x[0], x[0])
	case "isinf":
		return b.Bin(ir.OpEq, b.Un(ir.OpAbs, x[0]), b.Float(x[0].Kind(), math.Inf(1)))
	case "sign":
		return b.sign(x[0])
	case "lerp":
		step := b.Bin(ir.OpMul, x[2], b.Bin(ir.OpSub, x[1], x[0]))
		step.NoFuse = true
		return b.Bin(ir.OpAdd, x[0], step)
	case "mod":
		return b.mod(x[0], x[1])
	case "ceildiv":
		return b.ceilDiv(x[0], x[1])
	case "rotl":
		return b.rotl(x[0], x[1])
	}
	if len(name) > 5 && name[:5] == "bits." {
		return b.New(ir.OpBitcast, kind, x[0])
	}
	unknown("builtin "+name, e)
	return nil
}

func (b *body) chain(op ir.Op, x []*ir.Instr) *ir.Instr {
	v := x[0]
	for _, y := range x[1:] {
		v = b.Bin(op, v, y)
	}
	return v
}

// length is len(x) or len(x, d): arrays are constants already, a view's extent is its header expression.
func (b *body) length(e *dsl.CallExpr) *ir.Instr {
	v := b.facts.Uses[dsl.Unparen(e.Args[0]).(*dsl.Ident)]
	d := 0
	if len(e.Args) > 1 {
		d = int(bitsOf(types.Int, b.facts.Values[dsl.Unparen(e.Args[1])].Const))
	}
	return b.extentOf(v, d)
}

// sign is 1, -1 or x itself, which is a zero or NaN.
func (b *body) sign(x *ir.Instr) *ir.Instr {
	k := x.Kind()
	zero, one := b.small(k, 0), b.small(k, 1)
	up := b.Bin(ir.OpGt, x, zero)
	if k.IsUnsigned() {
		return b.Select(up, one, zero)
	}
	return b.Select(up, one, b.Select(b.Bin(ir.OpLt, x, zero), b.small(k, -1), x))
}

// small is a small constant of any numeric kind.
func (b *body) small(k types.Kind, v int64) *ir.Instr {
	if k.IsFloat() {
		return b.Float(k, float64(v))
	}
	return b.Const(k, v)
}

// mod is the floored remainder: the truncated one, plus y where the signs differ.
func (b *body) mod(x, y *ir.Instr) *ir.Instr {
	r := b.Bin(ir.OpRem, x, y)
	k := r.Kind()
	if k.IsUnsigned() {
		return r
	}
	zero := b.small(k, 0)
	differ := b.Bin(ir.OpNe, b.Bin(ir.OpLt, r, zero), b.Bin(ir.OpLt, y, zero))
	fixed := b.Select(differ, b.Bin(ir.OpAdd, r, y), r)
	return b.Select(b.Bin(ir.OpNe, r, zero), fixed, r)
}

// ceilDiv is the quotient rounded up, for a positive divisor.
func (b *body) ceilDiv(x, y *ir.Instr) *ir.Instr {
	q, r := b.Bin(ir.OpDiv, x, y), b.Bin(ir.OpRem, x, y)
	k := q.Kind()
	return b.Bin(ir.OpAdd, q, b.Select(b.Bin(ir.OpGt, r, b.Const(k, 0)), b.Const(k, 1), b.Const(k, 0)))
}

// rotl rotates x left by n modulo its width, in the unsigned type of that width.
func (b *body) rotl(x, n *ir.Instr) *ir.Instr {
	k := x.Kind()
	u := unsigned(k)
	bits := x
	if u != k {
		bits = b.New(ir.OpBitcast, u, x)
	}
	mask := b.Const(n.Kind(), int64(k.Bits()-1))
	left := b.Bin(ir.OpShl, bits, b.Bin(ir.OpAnd, n, mask))
	right := b.Bin(ir.OpShr, bits, b.Bin(ir.OpAnd, b.Un(ir.OpNeg, n), mask))
	out := b.Bin(ir.OpOr, left, right)
	if u != k {
		return b.New(ir.OpBitcast, k, out)
	}
	return out
}

// unsigned is the unsigned kind of the same width.
func unsigned(k types.Kind) types.Kind {
	switch k.Bits() {
	case 8:
		return types.Uint8
	case 16:
		return types.Uint16
	case 32:
		return types.Uint32
	}
	return types.Uint64
}
