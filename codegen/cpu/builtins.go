package cpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// builtins are the operations that print as a call of runtime/gpu/gen with the same operands.
var builtins = map[ir.Op]string{
	ir.OpDiv: "Div", ir.OpRem: "Rem", ir.OpShl: "Shl", ir.OpShr: "Shr",
	ir.OpDivNZ: "Div", ir.OpRemNZ: "Rem", ir.OpShlIn: "Shl", ir.OpShrIn: "Shr", ir.OpMulHi: "MulHi", ir.OpReverse: "Reverse",
	ir.OpFmin: "Fmin", ir.OpFmax: "Fmax",
	ir.OpFloor: "Floor", ir.OpCeil: "Ceil", ir.OpTrunc: "Trunc", ir.OpRound: "Round", ir.OpRoundEven: "RoundEven",
	ir.OpSqrt: "Sqrt", ir.OpCopysign: "Copysign",
	ir.OpRsqrt: "Rsqrt", ir.OpExp: "Exp", ir.OpExp2: "Exp2", ir.OpLog: "Log", ir.OpLog2: "Log2", ir.OpLog10: "Log10",
	ir.OpSin: "Sin", ir.OpCos: "Cos", ir.OpTan: "Tan", ir.OpAsin: "Asin", ir.OpAcos: "Acos", ir.OpAtan: "Atan", ir.OpAtan2: "Atan2",
	ir.OpSinh: "Sinh", ir.OpCosh: "Cosh", ir.OpTanh: "Tanh", ir.OpPow: "Pow", ir.OpHypot: "Hypot", ir.OpErf: "Erf",
}

// counts are those whose Go result is an int, whatever the operand's type.
var counts = map[ir.Op]string{ir.OpPopcount: "Popcount", ir.OpClz: "Clz", ir.OpCtz: "Ctz"}

// builtin is an operation that no operator of Go gives.
func (f *function) builtin(in *ir.Instr) value {
	switch in.Op {
	case ir.OpMin, ir.OpMax:
		return f.minMax(in)
	case ir.OpAbs:
		name := "Abs"
		if in.Kind().IsFloat() {
			name = "Fabs"
		}
		return call(jen.Qual(genPath, name).Call(f.args(in)...))
	case ir.OpFMA:
		name := "FMA64"
		if in.Kind() == types.Float32 {
			name = "FMA32"
		}
		return call(jen.Qual(genPath, name).Call(f.args(in)...))
	case ir.OpRem:
		if in.Kind().IsFloat() {
			return f.remainder(in)
		}
	}
	if name, ok := counts[in.Op]; ok {
		c := call(jen.Qual(genPath, name).Call(f.args(in)...))
		if in.Kind() == types.Int {
			return c
		}
		return call(goType(in.Type).Call(c.code))
	}
	name, ok := builtins[in.Op]
	if !ok {
		panic("cpu: no Go for " + in.Op.String())
	}
	return call(jen.Qual(genPath, name).Call(f.args(in)...))
}

// args are the operands of a call, each with a type when no other has one.
func (f *function) args(in *ir.Instr) []jen.Code {
	var vals []value
	infer := false
	for i, a := range in.Args {
		v := f.expr(a)
		vals = append(vals, v)
		infer = infer || !v.constant && (i == 0 || in.Op != ir.OpShl && in.Op != ir.OpShr)
	}
	out := make([]jen.Code, len(vals))
	for i, v := range vals {
		out[i] = v.code
		if !infer || (in.Op == ir.OpShl || in.Op == ir.OpShr) && i == 1 {
			out[i] = v.alone()
		}
	}
	return out
}

// minMax is Go's builtin, which is the language's; a package that declares the name gets the same from gen.
func (f *function) minMax(in *ir.Instr) value {
	name, helper := "min", "Min"
	if in.Op == ir.OpMax {
		name, helper = "max", "Max"
	}
	if f.e.names.Declares(name) {
		return call(jen.Qual(genPath, helper).Call(f.args(in)...))
	}
	x, y := f.expr(in.Args[0]), f.expr(in.Args[1])
	if x.constant && y.constant {
		x = f.variable(in.Args[0])
	}
	return call(jen.Id(name).Call(x.code, y.code))
}

// remainder is C's fmod: exact, so that the detour of a float32 through float64 changes nothing.
func (f *function) remainder(in *ir.Instr) value {
	wide := func(a *ir.Instr) *jen.Statement {
		if a.Kind() == types.Float64 {
			return f.expr(a).code
		}
		return goType(types.Float64).Call(f.expr(a).alone())
	}
	c := call(jen.Qual(mathPath, "Mod").Call(wide(in.Args[0]), wide(in.Args[1])))
	if in.Kind() == types.Float64 {
		return c
	}
	return call(goType(in.Type).Call(c.code))
}
