package kernelgen

import (
	"math"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// comprehension combines its elements in order.
func (f *frame) comprehension(e *dsl.CallExpr, name string) *cell {
	var list, at []*cell
	f.over(e.Comp.Vars, e.Comp.Extents, func() {
		if f.left--; f.left < 0 {
			panic(fault{errSteps})
		}
		list = append(list, f.expr(e.Comp.Elem).clone())
		at = append(at, f.vars[f.facts.Defs[e.Comp.Vars[0]]])
	})
	kind := types.KindOf(f.facts.Values[e].Type)
	switch name {
	case "any", "all":
		for _, x := range list {
			if (x.bits != 0) == (name == "any") {
				return truth(name == "any")
			}
		}
		return truth(name == "all")
	case "argmin", "argmax":
		best := f.extreme(name, list)
		if best < 0 {
			return number(kind, uint64(math.MaxUint64)) // -1
		}
		return at[best]
	case "min", "max":
		if len(list) == 0 {
			return number(kind, emptiest(name, kind))
		}
	}
	ops := map[string]ir.Op{"sum": ir.OpAdd, "prod": ir.OpMul, "min": ir.OpMin, "max": ir.OpMax}
	op, ok := ops[name]
	if !ok {
		beyond(e, "the comprehension %s", name)
	}
	acc := number(kind, 0)
	switch name {
	case "prod":
		acc.bits = one(kind)
	case "min", "max":
		acc.bits = emptiest(name, kind)
	}
	for _, x := range list {
		acc = f.operate(op, acc, x)
	}
	return acc
}

// extreme is the place of the first element that min, or max, of all would choose: a NaN if there is one, and -0 is below
// +0; -1 where there are no elements.
func (f *frame) extreme(name string, list []*cell) int {
	before := func(x, y *cell) bool {
		if !x.kind.IsFloat() {
			return f.operate(ir.OpLt, x, y).bits != 0
		}
		a, b := interp.FloatValue(x.kind, x.bits), interp.FloatValue(y.kind, y.bits)
		return a < b || a == b && math.Signbit(a) && !math.Signbit(b)
	}
	best := -1
	for i, x := range list {
		switch nan := x.kind.IsFloat() && math.IsNaN(interp.FloatValue(x.kind, x.bits)); {
		case nan:
			return i
		case best < 0, name == "argmin" && before(x, list[best]), name == "argmax" && before(list[best], x):
			best = i
		}
	}
	return best
}

// emptiest is min or max of nothing: the highest value of a kind, or its lowest.
func emptiest(name string, k types.Kind) uint64 {
	switch {
	case k.IsFloat():
		v := math.Inf(1)
		if name == "max" {
			v = math.Inf(-1)
		}
		return interp.FloatBits(k, v)
	case k.IsSigned() && name == "min":
		return uint64(1)<<(k.Bits()-1) - 1
	case k.IsSigned():
		return uint64(int64(-1) << (k.Bits() - 1))
	case name == "min":
		return uint64(math.MaxUint64) >> (64 - k.Bits())
	}
	return 0
}
