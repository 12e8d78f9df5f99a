package cpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// load is an element of a view. A bool that a device may have written is any byte.
func (f *function) load(in *ir.Instr) value {
	at := f.viewElement(in)
	if in.Kind() == types.Bool {
		return f.anyBool(at)
	}
	return value{code: at, prec: primary}
}

// anyBool reads a bool in memory, of which any byte but 0 is true.
func (f *function) anyBool(at *jen.Statement) value {
	return call(jen.Qual(genPath, "Bool").Call(jen.Op("&").Add(at)))
}

// viewElement is `x[i*m+j]`, or an element of a row that the kernel took before its innermost loop, and `x[i*m+j].pos[1]`
// where elements are composite. A parameter by value stands alone.
func (f *function) viewElement(in *ir.Instr) *jen.Statement {
	leaf, view, inner := in.Access()
	return f.leaf(f.wholeElement(in, view), &leaf, func(d int) value {
		i := inner[d]
		if in.InBounds || i.IsConst() && i.Bits < uint64(leaf.Dims[d]) {
			return f.expr(i)
		}
		name, dim := in.Indexed(len(view) + d)
		return f.checked(i, jen.Lit(int(leaf.Dims[d])), in, name, dim)
	})
}

// leaf is a scalar of a composite value: the fields, components and indexes behind it. A vector is an array in Go.
func (f *function) leaf(x *jen.Statement, l *types.Leaf, index func(d int) value) *jen.Statement {
	d := 0
	for _, s := range l.Steps {
		switch {
		case s.Index:
			x = x.Index(index(d).code)
			d++
		case s.Field != "":
			x = x.Dot(s.Field)
		default:
			x = x.Index(jen.Lit(s.Comp))
		}
	}
	return x
}

func (f *function) wholeElement(in *ir.Instr, index []*ir.Instr) *jen.Statement {
	p := in.Param
	if len(index) == 0 {
		return jen.Id(f.params[p.Index])
	}
	if r := f.l.rows[in]; r != nil {
		return jen.Id(r.name).Index(f.expr(index[len(index)-1]).code)
	}
	if f.starts != nil && f.starts.at[in] != nil {
		return f.startAccess(f.starts.at[in], in)
	}
	var at value
	for d, i := range index {
		var x value
		if in.InBounds {
			x = f.expr(i)
		} else {
			x = f.checked(i, f.extent(p, d).code, in, p.Name, d)
		}
		if d == 0 {
			at = x
			continue
		}
		at = value{code: jen.Add(at.in(mulPrec)).Op("*").Add(f.extent(p, d).in(unary)).Op("+").Add(x.in(mulPrec)), prec: addPrec}
	}
	return jen.Id(f.params[p.Index]).Index(at.code)
}

// checked is an index that gen.At compares with the extent.
func (f *function) checked(i *ir.Instr, extent *jen.Statement, in *ir.Instr, name string, dim int) value {
	var code *jen.Statement
	if i.Kind() == types.Int {
		code = f.expr(i).code
	} else {
		code = jen.Int().Call(f.variable(i).code)
	}
	return call(jen.Qual(genPath, "At").Call(code, extent, f.e.site(in, name, dim)))
}

// element is an element of an array, or a whole inner array.
func (f *function) element(local *ir.Local, index []*ir.Instr, in *ir.Instr) *jen.Statement {
	if f.starts != nil && f.starts.at[in] != nil {
		return f.startAccess(f.starts.at[in], in)
	}
	s := jen.Id(f.locals[local])
	t := local.Type
	dims := t.(*types.Array).Dims
	name, threads := local.Name, 0
	if k, ok := f.kept[local]; ok {
		name, threads = k.name, k.threads
	}
	for d, i := range index {
		if len(dims) == 0 {
			t = t.(*types.Array).Elem
			dims = t.(*types.Array).Dims
		}
		var x value
		if in.InBounds || d < threads || i.IsConst() && i.Bits < uint64(dims[0]) {
			x = f.expr(i)
		} else {
			x = f.checked(i, jen.Lit(int(dims[0])), in, name, d-threads)
		}
		s = s.Index(x.code)
		dims = dims[1:]
	}
	return s
}

// extent is an extent of a view: a constant, a symbol, or a variable that holds the expression.
func (f *function) extent(p *ir.Param, dim int) value {
	h := p.Dims[dim]
	switch h.Op {
	case types.HConst:
		return value{code: jen.Lit(int(h.Val)), prec: primary}
	case types.HSym:
		return ident(f.symbols[h.Name])
	}
	name, ok := f.extents[h.String()]
	if !ok {
		panic("cpu: no variable for the extent " + h.String())
	}
	return ident(name)
}

// headerOps are the operators of header expressions. The host has evaluated them all before the launch, so that nothing
// overflows here and no divisor is 0.
var headerOps = map[types.HeaderOp]operator{
	types.HAdd: {"+", addPrec}, types.HSub: {"-", addPrec}, types.HMul: {"*", mulPrec}, types.HDiv: {"/", mulPrec}, types.HRem: {"%", mulPrec},
}

// header is a header expression as plain Go.
func (f *function) header(h *types.Header) value {
	switch h.Op {
	case types.HConst:
		v := value{code: jen.Lit(int(h.Val)), prec: primary}
		if h.Val < 0 {
			v.prec = unary
		}
		return v
	case types.HSym:
		return ident(f.symbols[h.Name])
	case types.HNeg:
		return value{code: jen.Op("-").Add(f.header(h.X).in(unary)), prec: unary}
	case types.HCeilDiv:
		return call(jen.Qual(genPath, "CeilDiv").Call(f.header(h.X).code, f.header(h.Y).code))
	case types.HMin, types.HMax:
		name, helper := "min", "Min"
		if h.Op == types.HMax {
			name, helper = "max", "Max"
		}
		x, y := f.header(h.X).code, f.header(h.Y).code
		if f.e.names.Declares(name) {
			return call(jen.Qual(genPath, helper).Call(x, y))
		}
		return call(jen.Id(name).Call(x, y))
	}
	op, ok := headerOps[h.Op]
	if !ok {
		panic("cpu: a relation as an extent: " + h.String())
	}
	return value{code: jen.Add(f.header(h.X).in(op.prec)).Op(op.text).Add(f.header(h.Y).in(op.prec + 1)), prec: op.prec}
}
