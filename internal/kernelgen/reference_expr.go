package kernelgen

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// operators are the binary operators that evaluate both sides.
var operators = map[string]ir.Op{
	"+": ir.OpAdd, "-": ir.OpSub, "*": ir.OpMul, "/": ir.OpDiv, "%": ir.OpRem, "&": ir.OpAnd, "|": ir.OpOr, "^": ir.OpXor, "&^": ir.OpAndNot, "<<": ir.OpShl, ">>": ir.OpShr,
	"==": ir.OpEq, "!=": ir.OpNe, "<": ir.OpLt, "<=": ir.OpLe, ">": ir.OpGt, ">=": ir.OpGe,
}

// operate is one operation of the meaning table.
func (f *frame) operate(op ir.Op, x ...*cell) *cell {
	to := x[0].kind
	switch {
	case op >= ir.OpEq && op <= ir.OpGe:
		to = types.Bool
	case op == ir.OpSelect:
		to = x[1].kind
	}
	return f.to(op, to, x...)
}

func (f *frame) to(op ir.Op, to types.Kind, x ...*cell) *cell {
	var bits []uint64
	for _, c := range x {
		bits = append(bits, c.bits)
	}
	v, ok := interp.Eval(op, x[0].kind, to, bits...)
	if !ok {
		panic(fmt.Sprintf("kernelgen: %s of %s", op, x[0].kind))
	}
	return number(to, v)
}

func (f *frame) expr(e dsl.Expr) *cell {
	e = dsl.Unparen(e)
	if v, ok := f.facts.Values[e]; ok && v.Const != nil {
		k := types.KindOf(v.Type)
		return number(k, constantBits(v.Const, k))
	}
	switch e := e.(type) {
	case *dsl.Ident, *dsl.IndexExpr, *dsl.SelectorExpr:
		return f.spot(e).get(e)
	case *dsl.CallExpr:
		return f.call(e)[0]
	case *dsl.CompositeLit:
		return f.literal(e)
	case *dsl.UnaryExpr:
		x := f.expr(e.X)
		switch e.Op {
		case "-":
			return f.apply(ir.OpNeg, x)
		case "^":
			return f.apply(ir.OpNot, x)
		case "!":
			return truth(x.bits == 0)
		}
		return x
	case *dsl.BinaryExpr:
		x := f.expr(e.X)
		switch e.Op {
		case "&&":
			return truth(x.bits != 0 && f.expr(e.Y).bits != 0)
		case "||":
			return truth(x.bits != 0 || f.expr(e.Y).bits != 0)
		}
		return f.apply(operators[e.Op], x, f.expr(e.Y))
	}
	beyond(e, "%T", e)
	return nil
}

// call evaluates a call to all its results.
func (f *frame) call(x dsl.Expr) []*cell {
	e := dsl.Unparen(x).(*dsl.CallExpr)
	c := f.facts.Calls[e]
	switch c.Kind {
	case check.BuiltinCall:
		space, _, _ := strings.Cut(c.Builtin, ".")
		switch {
		case c.Builtin == "barrier":
			f.meet(&meeting{at: e, name: "barrier"})
			return nil
		case c.Builtin == "assert": // dropped, with all that it computes
			return nil
		case c.Builtin == "print":
			f.print(e, c.Text)
			return nil
		case space == "block" || space == "subgroup":
			return []*cell{f.collective(e, c.Builtin)}
		case space == "atomic":
			return []*cell{f.atomic(e, c.Builtin)}
		case c.Builtin == "rand.Philox":
			return []*cell{f.philox(e)}
		case c.Builtin == "rand.Float32":
			return []*cell{f.fraction(e)}
		case e.Comp != nil:
			return []*cell{f.comprehension(e, c.Builtin)}
		}
		return []*cell{f.builtin(e, c.Builtin)}
	case check.ConversionCall:
		var x []*cell
		for _, a := range e.Args {
			x = append(x, f.expr(a))
		}
		return []*cell{f.convert(f.facts.Values[e].Type, x)}
	}
	if f.left--; f.left < 0 {
		panic(fault{errSteps})
	}
	fn := c.Func
	in := &frame{walker: f.walker, thread: f.thread, facts: fn.Body, vars: map[*check.Var]*cell{}, refs: map[*check.Var]spot{}, results: make([]*cell, len(fn.Results))}
	for i, a := range e.Args {
		if fn.ByReference() && fn.Views[i] != nil {
			in.refs[fn.Params[i]] = f.named(dsl.Unparen(a).(*dsl.Ident)).byReference()
			continue
		}
		in.vars[fn.Params[i]] = f.expr(a)
	}
	for _, s := range fn.Symbols {
		in.vars[s.Var] = number(types.Int, uint64(in.refs[fn.Params[s.Param]].dims[s.Dim]))
	}
	in.stmts(fn.Decl.Body.Stmts)
	return in.results
}

var direct = map[string]ir.Op{
	"floor": ir.OpFloor, "ceil": ir.OpCeil, "trunc": ir.OpTrunc, "round": ir.OpRound, "roundeven": ir.OpRoundEven, "sqrt": ir.OpSqrt, "fma": ir.OpFMA,
	"fmin": ir.OpFmin, "fmax": ir.OpFmax, "popcount": ir.OpPopcount, "clz": ir.OpClz, "ctz": ir.OpCtz, "reverse": ir.OpReverse, "mulhi": ir.OpMulHi, "copysign": ir.OpCopysign,
	"rsqrt": ir.OpRsqrt, "exp": ir.OpExp, "exp2": ir.OpExp2, "log": ir.OpLog, "log2": ir.OpLog2, "log10": ir.OpLog10, "sin": ir.OpSin, "cos": ir.OpCos, "tan": ir.OpTan,
	"asin": ir.OpAsin, "acos": ir.OpAcos, "atan": ir.OpAtan, "atan2": ir.OpAtan2, "sinh": ir.OpSinh, "cosh": ir.OpCosh, "tanh": ir.OpTanh, "pow": ir.OpPow, "hypot": ir.OpHypot, "erf": ir.OpErf,
}

// composed are the builtins that are more than one operation, or none.
var composed = map[string]bool{
	"min": true, "max": true, "clamp": true, "select": true, "inf": true, "nan": true, "isnan": true, "isinf": true, "lerp": true,
	"abs": true, "sign": true, "mod": true, "ceildiv": true, "rotl": true, "dot": true, "cross": true, "length": true, "normalize": true,
}

func (f *frame) builtin(e *dsl.CallExpr, name string) *cell {
	if name == "len" {
		d := uint64(0)
		if len(e.Args) > 1 {
			d = f.expr(e.Args[1]).bits
		}
		return number(types.Int, uint64(f.spot(e.Args[0]).byReference().dims[d]))
	}
	if _, ok := direct[name]; !ok && !composed[name] && !strings.HasPrefix(name, "bits.") {
		beyond(e, "the builtin %s", name)
	}
	kind := types.KindOf(f.facts.Values[e].Type)
	var x []*cell
	for _, a := range e.Args {
		x = append(x, f.expr(a))
	}
	if op, ok := direct[name]; ok {
		return f.operate(op, x...)
	}
	switch name {
	case "dot", "cross", "length", "normalize":
		return f.vectors(name, x)
	case "min", "max":
		v := x[0]
		for _, y := range x[1:] {
			v = f.operate(map[string]ir.Op{"min": ir.OpMin, "max": ir.OpMax}[name], v, y)
		}
		return v
	case "clamp":
		return f.operate(ir.OpMin, f.operate(ir.OpMax, x[0], x[1]), x[2])
	case "select":
		if x[0].bits != 0 {
			return x[1]
		}
		return x[2]
	case "inf", "nan":
		v := math.Inf(1)
		if name == "nan" {
			v = math.NaN()
		}
		return number(kind, interp.FloatBits(kind, v))
	case "isnan":
		return truth(math.IsNaN(interp.FloatValue(x[0].kind, x[0].bits)))
	case "isinf":
		return truth(math.IsInf(interp.FloatValue(x[0].kind, x[0].bits), 0))
	case "lerp":
		return f.operate(ir.OpAdd, x[0], f.operate(ir.OpMul, x[2], f.operate(ir.OpSub, x[1], x[0])))
	}
	var c *cell
	switch {
	case kind.IsFloat():
		c = f.floats(name, kind, x)
	case kind.IsInteger():
		c = f.ints(name, kind, x)
	}
	if c == nil {
		beyond(e, "the builtin %s", name)
	}
	return c
}

// floats are the builtins on floats that are more than one operation.
func (f *frame) floats(name string, k types.Kind, x []*cell) *cell {
	if len(name) > 5 && name[:5] == "bits." {
		return f.to(ir.OpBitcast, k, x[0])
	}
	v := interp.FloatValue(k, x[0].bits)
	switch name {
	case "abs":
		return number(k, interp.FloatBits(k, math.Abs(v)))
	case "sign":
		switch {
		case v > 0:
			v = 1
		case v < 0:
			v = -1
		}
		return number(k, interp.FloatBits(k, v))
	case "mod":
		y := interp.FloatValue(k, x[1].bits)
		r := math.Mod(v, y) // exact, in float32 as well
		if r != 0 && (r < 0) != (y < 0) {
			return f.operate(ir.OpAdd, number(k, interp.FloatBits(k, r)), x[1])
		}
		return number(k, interp.FloatBits(k, r))
	}
	return nil
}

// exact is the number that an integer stands for.
func exact(c *cell) *big.Int {
	if c.kind.IsSigned() {
		return big.NewInt(int64(c.bits))
	}
	return new(big.Int).SetUint64(c.bits)
}

// ints are the builtins on integers that are more than one operation, in numbers without a limit.
func (f *frame) ints(name string, k types.Kind, x []*cell) *cell {
	if len(name) > 5 && name[:5] == "bits." {
		return f.to(ir.OpBitcast, k, x[0])
	}
	wrap := func(v *big.Int) *cell {
		low := new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
		w := uint(64 - k.Bits())
		if k.IsSigned() {
			return number(k, uint64(int64(low<<w)>>w))
		}
		return number(k, low<<w>>w)
	}
	v := exact(x[0])
	switch name {
	case "abs":
		return wrap(v.Abs(v))
	case "sign":
		return wrap(big.NewInt(int64(v.Sign())))
	case "mod", "ceildiv":
		y := exact(x[1])
		if y.Sign() == 0 {
			if name == "mod" {
				return number(k, 0)
			}
			return x[0]
		}
		q, r := new(big.Int).QuoRem(v, y, new(big.Int))
		switch {
		case name == "ceildiv" && r.Sign() > 0:
			return wrap(q.Add(q, big.NewInt(1)))
		case name == "ceildiv":
			return wrap(q)
		case r.Sign() != 0 && r.Sign() != y.Sign():
			r.Add(r, y)
		}
		return wrap(r)
	case "rotl":
		w := uint(k.Bits())
		n := uint(new(big.Int).And(exact(x[1]), big.NewInt(int64(w-1))).Uint64())
		low := x[0].bits << (64 - w) >> (64 - w)
		return wrap(new(big.Int).SetUint64(low<<n | low>>(w-n)))
	}
	return nil
}
