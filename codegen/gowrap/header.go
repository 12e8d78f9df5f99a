package gowrap

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
)

// header prints header expressions: arithmetic as checked calls on the launch, relations as Go's.
type header struct {
	launch string            // the variable of type *gpu.Launch
	names  map[string]string // extent symbol, int parameter or constant parameter → Go name
	convs  map[string]bool   // constant parameters, whose Go type is their own
}

var checked = map[types.HeaderOp]string{
	types.HNeg: "Neg", types.HAdd: "Add", types.HSub: "Sub", types.HMul: "Mul", types.HDiv: "Div", types.HRem: "Mod",
	types.HCeilDiv: "CeilDiv", types.HMin: "Min", types.HMax: "Max",
}

var relations = map[types.HeaderOp]string{
	types.HEq: "==", types.HNe: "!=", types.HLt: "<", types.HLe: "<=", types.HGt: ">", types.HGe: ">=",
	types.HAnd: "&&", types.HOr: "||",
}

func (p header) print(h *types.Header) *jen.Statement {
	switch h.Op {
	case types.HConst:
		return jen.Lit(int(h.Val))
	case types.HSym:
		if p.convs[h.Name] {
			return jen.Int().Call(jen.Id(p.names[h.Name]))
		}
		return jen.Id(p.names[h.Name])
	case types.HNot:
		return jen.Op("!").Add(p.operand(h.X, 8))
	case types.HNeg:
		if h.X.Op == types.HConst && h.X.Val != -1<<63 {
			return jen.Lit(int(-h.X.Val))
		}
		return jen.Id(p.launch).Dot("Neg").Call(p.print(h.X))
	}
	if call, ok := checked[h.Op]; ok {
		return jen.Id(p.launch).Dot(call).Call(p.print(h.X), p.print(h.Y))
	}
	// A relation that repeats another one of its chain, or contradicts it, is the user's to write; negating it twice
	// keeps vet from taking it for a mistake of the generated code.
	prec := relationPrec(h.Op)
	y := p.operand(h.Y, prec+1)
	if h.Op == types.HAnd || h.Op == types.HOr {
		if h.Y.IsBool() && suspect(h) {
			y = jen.Op("!!").Add(p.operand(h.Y, 8))
		}
	}
	return p.operand(h.X, prec).Op(relations[h.Op]).Add(y)
}

func (p header) operand(h *types.Header, min int) *jen.Statement {
	if h.IsBool() && relationPrec(h.Op) < min {
		return jen.Parens(p.print(h))
	}
	return p.print(h)
}

func relationPrec(op types.HeaderOp) int {
	switch op {
	case types.HOr:
		return 1
	case types.HAnd:
		return 2
	case types.HNot:
		return 8
	case types.HEq, types.HNe, types.HLt, types.HLe, types.HGt, types.HGe:
		return 3
	}
	return 9
}

// suspect reports what vet finds in a chain of && or ||: the same operand twice, or != with || (== with &&) of one
// expression and two constants. It errs on the side of yes.
func suspect(h *types.Header) bool {
	var left []*types.Header
	var walk func(x *types.Header)
	walk = func(x *types.Header) {
		if x.Op == h.Op {
			walk(x.X)
			walk(x.Y)
			return
		}
		left = append(left, x)
	}
	walk(h.X)
	last := h.Y
	for _, x := range left {
		if x.String() == last.String() {
			return true
		}
		pair := types.HEq
		if h.Op == types.HOr {
			pair = types.HNe
		}
		if x.Op == pair && last.Op == pair {
			return true
		}
	}
	return false
}
