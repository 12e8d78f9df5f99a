package cfamily

import (
	"fmt"
	"math"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// expr is the value of in where it is used: its name if it was declared, else the expression itself.
func (p *Printer) expr(in *ir.Instr) Expr {
	if name, ok := p.value[in]; ok {
		return Atom(name)
	}
	switch in.Op {
	case ir.OpConst:
		return p.d.Literal(in.Kind(), in.Bits)
	case ir.OpParamGet:
		leaf := in.Param.Leaf(in.Leaf)
		x := Atom(p.leaf(p.Params[in.Param.Index], &leaf, nil))
		if len(leaf.Steps) == 0 {
			return x
		}
		return p.fromMemory(leaf.Kind, x)
	case ir.OpExtent:
		return Atom(p.Symbols[in.Sym.Index])
	case ir.OpLocalGet:
		return Atom(p.local[in.Local])
	case ir.OpBlockIdx, ir.OpThreadIdx, ir.OpGridDim:
		return Cast(p.Type(in.Kind()), Atom(p.Index[in.Op][in.Dim]))
	case ir.OpSelect:
		return p.narrow(in.Kind(), Cond(p.expr(in.Args[0]), p.expr(in.Args[1]), p.expr(in.Args[2])))
	case ir.OpConv:
		return p.conv(in)
	case ir.OpBitcast:
		return p.reinterpret(in.Kind(), in.Args[0].Kind(), p.expr(in.Args[0]))
	case ir.OpLoad:
		return p.fromMemory(in.Kind(), p.element(in))
	case ir.OpTableGet:
		return p.tableElement(in)
	case ir.OpAtomic:
		return p.atomic(in)
	case ir.OpShuffle:
		return p.d.Shuffle(p, in.Kind(), p.expr(in.Args[0]), p.expr(in.Args[1]))
	case ir.OpBallot:
		return p.d.Ballot(p, p.expr(in.Args[0]))
	case ir.OpElemGet:
		return p.localElement(in.Local, in.Args)
	case ir.OpCondAnd, ir.OpCondOr:
		yield := in.Blocks[0].Instrs[len(in.Blocks[0].Instrs)-1]
		return Infix(p.expr(in.Args[0]), condOp(in.Op), p.expr(yield.Args[0]))
	}
	return p.operation(in)
}

func condOp(op ir.Op) string {
	if op == ir.OpCondAnd {
		return "&&"
	}
	return "||"
}

// operation prints an operation by its rule in the table.
func (p *Printer) operation(in *ir.Instr) Expr {
	k := in.Kind()
	if in.Op.IsCompare() {
		k = in.Args[0].Kind()
	}
	r := p.d.Table.Rule(in.Op, k, p.Kernel.FastMath)
	switch r.Form {
	case Same:
		return p.expr(in.Args[0])
	case Infix2, Prefix1:
		if r.Wraps && k.IsSigned() && k.Bits() >= 32 && !(in.NoWrap && in.Op != ir.OpShlIn) {
			return p.d.Reinterpret(k, UnsignedOf(k), p.modular(in))
		}
		return p.narrow(in.Kind(), p.plain(in, r, k))
	case Function:
		args := make([]Expr, len(in.Args))
		for i, a := range in.Args {
			args[i] = p.expr(a)
		}
		return p.given(r, in.Kind(), Call(p.need(r.Text), args...))
	case Shift:
		x := p.expr(in.Args[0])
		if c := in.Args[0]; c.Op == ir.OpConst && r.Gives.IsUnsigned() && c.Int64() < 0 { // compilers warn of the conversion
			x = p.d.Literal(r.Gives, c.Bits&(math.MaxUint64>>(64-r.Gives.Bits())))
		}
		return p.given(r, in.Kind(), Call(p.need(r.Text), x, p.count(in.Args[1])))
	}
	panic(fmt.Sprintf("cfamily: %s on %s has no form on %s, in kernel %s", in.Op, k, p.d.Target, p.Kernel.Instance))
}

// plain is an operator on operands whose C result is right, or right after it is narrowed to k.
func (p *Printer) plain(in *ir.Instr, r Rule, k types.Kind) Expr {
	x := p.expr(in.Args[0])
	if r.Form == Prefix1 {
		return Prefix(r.Text, x)
	}
	y := p.expr(in.Args[1])
	if k.IsSigned() && k.Bits() == 64 && in.Op != ir.OpShlIn && in.Op != ir.OpShrIn {
		x, y = p.beside(in.Args[0], in.Args[1], x), p.beside(in.Args[1], in.Args[0], y)
	}
	narrow := k.IsInteger() && k.Bits() < 32
	switch {
	case in.Op == ir.OpAndNot:
		y = Prefix("~", y)
	case narrow && in.Op == ir.OpShlIn, in.Op == ir.OpMul && k == types.Uint16:
		// C promotes to int, which a shifted negative number or 65535*65535 overflows.
		x = Cast(p.Type(types.Uint32), x)
	}
	return Infix(x, r.Text, y)
}

// beside is x, in beside another operand of its kind, which has 64 bits: there a small constant needs no suffix, since
// C converts it.
func (p *Printer) beside(in, other *ir.Instr, x Expr) Expr {
	if other.Op == ir.OpConst {
		return x
	}
	return p.small(in, x)
}

// small is x, in where C converts it to a kind of 64 bits: a constant that fits int is written as one.
func (p *Printer) small(in *ir.Instr, x Expr) Expr {
	if in.Op == ir.OpConst && in.Kind().IsSigned() && in.Kind().Bits() == 64 && in.Int64() == int64(int32(in.Int64())) {
		return p.d.Literal(types.Int32, in.Bits)
	}
	return x
}

// narrow casts an expression that C promoted to int back to a narrower kind.
func (p *Printer) narrow(k types.Kind, x Expr) Expr {
	if (k.IsInteger() || k.IsHalf()) && k.Bits() < 32 {
		return p.cast(k, x)
	}
	return x
}

// cast is x converted to kind k as C does it, which is right for x.
func (p *Printer) cast(k types.Kind, x Expr) Expr {
	if k == types.Int16 && p.d.Short {
		return p.convert(k, x)
	}
	return Cast(p.Type(k), x)
}

// convert is x, an integer, as the narrower integer kind k.
func (p *Printer) convert(k types.Kind, x Expr) Expr {
	if f, ok := p.d.Narrow[k]; ok {
		return Call(p.need(f), x)
	}
	return Cast(p.Type(k), x)
}

// given turns what a function gives into a value of kind k.
func (p *Printer) given(r Rule, k types.Kind, x Expr) Expr {
	if r.Gives == types.Invalid || r.Gives == k {
		return x
	}
	if r.Gives.Bits() == k.Bits() {
		return p.reinterpret(k, r.Gives, x)
	}
	return p.cast(k, x)
}

// reinterpret is x's bits as kind to of the same width; kinds that share a C type need nothing.
func (p *Printer) reinterpret(to, from types.Kind, x Expr) Expr {
	switch {
	case p.Type(to) == p.Type(from):
		return x
	case (to.IsInteger() || to.IsHalf()) && (from.IsInteger() || from.IsHalf()) && to.Bits() < 32:
		return p.cast(to, x)
	}
	return p.d.Reinterpret(to, from, x)
}

// modular is an operation that wraps, computed in the unsigned kind of its width: operands that wrap as well stay there.
func (p *Printer) modular(in *ir.Instr) Expr {
	k := in.Kind()
	u := UnsignedOf(k)
	operand := func(v *ir.Instr) Expr {
		_, named := p.value[v]
		switch {
		case v.Op == ir.OpConst:
			return p.d.Literal(u, v.Bits&(math.MaxUint64>>(64-k.Bits())))
		case !named && v.Kind() == k && p.d.Table.Rule(v.Op, k, false).Wraps && (!v.NoWrap || v.Op == ir.OpShlIn):
			return p.modular(v)
		case !named && (v.Op == ir.OpConv || v.Op == ir.OpBitcast) && v.Args[0].Kind() == u:
			return p.expr(v.Args[0])
		}
		return p.d.Reinterpret(u, k, p.expr(v))
	}
	x := operand(in.Args[0])
	switch in.Op {
	case ir.OpNeg:
		return Infix(p.d.Literal(u, 0), "-", x)
	case ir.OpShlIn:
		return Infix(x, "<<", p.expr(in.Args[1]))
	}
	return Infix(x, p.d.Table.Rule(in.Op, k, false).Text, operand(in.Args[1]))
}

// count is a shift count as an unsigned 32-bit number: what is negative or does not fit is huge.
func (p *Printer) count(n *ir.Instr) Expr {
	k := n.Kind()
	switch {
	case n.Op == ir.OpConst:
		return p.d.Literal(types.Uint32, min(n.Bits, math.MaxUint32))
	case k == types.Uint32:
		return p.expr(n)
	case k.Bits() == 64:
		return Call(p.need("gg_count_u64"), p.expr(n))
	}
	return Cast(p.Type(types.Uint32), p.expr(n))
}

// conv is a conversion between kinds.
func (p *Printer) conv(in *ir.Instr) Expr {
	to, from, x := in.Kind(), in.Args[0].Kind(), p.expr(in.Args[0])
	if from.IsHalf() && to != types.Float32 || to.IsHalf() && from != types.Float32 {
		return p.convHalf(in, x)
	}
	if f, ok := p.d.Table.conv[[2]types.Kind{from, to}]; ok {
		return Call(p.need(f), x)
	}
	if from.IsFloat() && !to.IsFloat() {
		panic(fmt.Sprintf("cfamily: no conversion from %s to %s on %s", from, to, p.d.Target))
	}
	if p.Type(to) == p.Type(from) {
		return x
	}
	switch {
	case from.Bits() < to.Bits():
		return Cast(p.Type(to), x)
	case from.Bits() > to.Bits() && from.IsInteger() && to.IsInteger():
		return p.convert(to, x)
	}
	return p.cast(to, x)
}

// convHalf is a conversion from a 16-bit float to another kind than float32, or from another to a 16-bit float: both go
// through float32, and one rounding happens.
func (p *Printer) convHalf(in *ir.Instr, x Expr) Expr {
	to, from := in.Kind(), in.Args[0].Kind()
	step := func(to, from types.Kind) {
		x = Call(p.need(p.d.Table.conv[[2]types.Kind{from, to}]), x)
	}
	if from.IsHalf() {
		step(types.Float32, from)
		switch {
		case to.IsHalf(), to.IsInteger():
			step(to, types.Float32)
		default:
			x = Cast(p.Type(to), x)
		}
		return x
	}
	if f, ok := p.d.Table.odd[from]; ok {
		x = Call(p.need(f), x)
	} else {
		x = Cast(p.Type(types.Float32), x)
	}
	step(to, types.Float32)
	return x
}

// element is what a Load or Store touches: a scalar of an element of a view, or of a parameter by value.
func (p *Printer) element(in *ir.Instr) Expr {
	leaf, view, inner := in.Access()
	x := p.Params[in.Param.Index]
	if len(view) > 0 {
		x += "[" + p.linear(in.Param, view).Text + "]"
	}
	return Atom(p.leaf(x, &leaf, inner))
}

// linear is the number of an element of a view: in 32 bits in a narrow kernel, whose host keeps the number of elements
// within them, else in 64.
func (p *Printer) linear(v *ir.Param, args []*ir.Instr) Expr {
	rank := len(args)
	if rank == 1 {
		return p.small(args[0], p.expr(args[0]))
	}
	k := types.Int32
	if p.Kernel.Wide {
		k = types.Int
	}
	at := func(in *ir.Instr) Expr {
		switch {
		case in.Op == ir.OpConst && in.Kind().IsInteger():
			return p.d.Literal(k, in.Bits)
		case p.Type(in.Kind()) == p.Type(k):
			return p.expr(in)
		}
		return Cast(p.Type(k), p.expr(in))
	}
	linear, first := at(args[0]), args[0] // first: linear is that index alone
	for d := 1; d < rank; d++ {
		switch extent := p.extent(v.Dims[d], k); {
		case first != nil && first.IsInt(0):
			linear, first = at(args[d]), args[d]
			continue
		case first != nil && first.IsInt(1):
			linear = extent
		default:
			linear = Infix(linear, "*", extent)
		}
		if first = nil; !args[d].IsInt(0) {
			linear = Infix(linear, "+", p.beside(args[d], args[0], at(args[d])))
		}
	}
	return linear
}

// extent is a header expression as kind k. It is computed in 64 bits, as the host did when it found that the value fits.
func (p *Printer) extent(h *types.Header, k types.Kind) Expr {
	if h.Op == types.HConst {
		return p.d.Literal(k, ir.IntBits(k, h.Val))
	}
	x := p.header(h)
	if p.Type(k) == p.Type(types.Int) {
		return x
	}
	return Cast(p.Type(k), x)
}

// header prints a header expression; the host has shown that nothing in it overflows or divides by zero.
func (p *Printer) header(h *types.Header) Expr {
	switch h.Op {
	case types.HConst:
		return p.d.Literal(types.Int, uint64(h.Val))
	case types.HSym:
		switch of := p.headerName(h.Name).(type) {
		case *ir.Symbol:
			return Atom(p.Symbols[of.Index])
		case *ir.Param:
			return Atom(p.Params[of.Index])
		}
	case types.HNeg:
		return Prefix("-", p.header(h.X))
	case types.HAdd, types.HSub, types.HMul, types.HDiv, types.HRem:
		op := map[types.HeaderOp]string{types.HAdd: "+", types.HSub: "-", types.HMul: "*", types.HDiv: "/", types.HRem: "%"}[h.Op]
		return Infix(p.header(h.X), op, p.header(h.Y))
	case types.HCeilDiv:
		return Call(p.need("gg_ceildiv_i64"), p.header(h.X), p.header(h.Y))
	case types.HMin:
		return Call(p.need("gg_min_i64"), p.header(h.X), p.header(h.Y))
	case types.HMax:
		return Call(p.need("gg_max_i64"), p.header(h.X), p.header(h.Y))
	}
	panic(fmt.Sprintf("cfamily: header expression %s in kernel %s", h, p.Kernel.Instance))
}

// atomic is an atomic operation.
func (p *Printer) atomic(in *ir.Instr) Expr {
	index := in.Indexes()
	a := Atomic{Op: in.Atomic, Kind: in.Kind(), Shared: in.Local != nil}
	if a.Shared {
		a.Place = p.localElement(in.Local, index).Text
	} else {
		a.Place = p.element(in).Text
	}
	for _, v := range in.Args[len(index):] {
		a.Args = append(a.Args, p.expr(v))
	}
	return p.d.Atomic(p, a)
}

// localElement is an element of a local array.
func (p *Printer) localElement(l *ir.Local, index []*ir.Instr) Expr {
	text := p.local[l]
	for _, i := range index {
		text += "[" + p.small(i, p.expr(i)).Text + "]"
	}
	return Atom(text)
}
