package kernelgen

import (
	"go/constant"
	"math"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// cell is a value or what a variable holds: the bits of a scalar, or the scalars of anything else in the order of memory.
type cell struct {
	typ  types.Type
	kind types.Kind // of a scalar, else Invalid
	bits uint64
	elem []uint64
}

func (c *cell) clone() *cell {
	out := *c
	out.elem = append([]uint64(nil), c.elem...)
	return &out
}

func number(k types.Kind, bits uint64) *cell {
	return &cell{typ: k, kind: k, bits: bits}
}

func truth(b bool) *cell {
	if b {
		return number(types.Bool, 1)
	}
	return number(types.Bool, 0)
}

// zero is the zero of a type.
func zero(t types.Type) *cell {
	if k, ok := t.(types.Kind); ok {
		return number(k, 0)
	}
	return &cell{typ: t, elem: make([]uint64, scalars(t))}
}

// scalars is how many scalars a value of t has.
func scalars(t types.Type) int64 {
	switch t := t.(type) {
	case *types.Vector:
		return int64(t.N)
	case *types.Array:
		return t.Len() * scalars(t.Elem)
	case *types.Struct:
		n := int64(0)
		for _, f := range t.Fields {
			n += scalars(f.Type)
		}
		return n
	}
	return 1
}

// scalar is number i of the scalars of c, whose kind is k.
func (c *cell) scalar(k types.Kind, i int) *cell {
	if c.elem == nil {
		return c
	}
	return number(k, c.elem[i])
}

// memory is where the scalars lie of which values are made.
type memory interface {
	load(n dsl.Node, i int64) uint64
	store(n dsl.Node, i int64, bits uint64)
}

// held are the scalars of a variable, or of a value that has no name.
type held []uint64

func (h held) load(_ dsl.Node, i int64) uint64        { return h[i] }
func (h held) store(_ dsl.Node, i int64, bits uint64) { h[i] = bits }

// single is a variable that holds a scalar.
type single struct {
	f *frame
	v *check.Var
}

func (s single) load(dsl.Node, int64) uint64 { return s.f.vars[s.v].bits }
func (s single) store(_ dsl.Node, _ int64, bits uint64) {
	s.f.vars[s.v] = number(types.KindOf(s.v.Type), bits)
}

// constants are the elements of a table.
type constants struct{ *check.Table }

func (c constants) load(_ dsl.Node, i int64) uint64 {
	t := types.Type(c.Type)
	for {
		a, ok := t.(*types.Array)
		if !ok {
			return constantBits(c.Values[i], types.KindOf(t))
		}
		t = a.Elem
	}
}

func (c constants) store(n dsl.Node, _ int64, _ uint64) { fail(n, "a store to constants") }

// device is the memory of a view.
type device struct {
	f     *frame
	param int // what races are watched by
	size  int64
	parts []interp.Part
}

func (d *device) load(n dsl.Node, i int64) uint64 {
	d.f.touch(n, d.param, d.size, i, false)
	p, element := d.at(i)
	return p.Get(element)
}

func (d *device) store(n dsl.Node, i int64, bits uint64) {
	d.f.touch(n, d.param, d.size, i, true)
	p, element := d.at(i)
	p.Put(element, bits)
}

// at finds scalar i: which of an element, and of which element.
func (d *device) at(i int64) (*interp.Part, int64) {
	n := int64(len(d.parts))
	if n == 1 {
		return &d.parts[0], i
	}
	return &d.parts[i%n], i / n
}

// device is the memory of parameter number i as a point or thread sees it.
func (f *frame) device(i int) *device {
	if f.devices == nil {
		f.devices = make([]*device, len(f.args))
	}
	d := f.devices[i]
	if d == nil {
		b := f.args[i].Buffer
		d = &device{f: f, param: i, parts: f.parts(i)}
		d.size = b.Len() * int64(len(d.parts))
		f.devices[i] = d
	}
	return d
}

// parts are the scalars of the elements of parameter number i.
func (w *walker) parts(i int) []interp.Part {
	if w.scalars == nil {
		w.scalars = make([][]interp.Part, len(w.args))
	}
	if w.scalars[i] == nil {
		w.scalars[i] = w.args[i].Buffer.Parts()
	}
	return w.scalars[i]
}

// spot is where a value lies.
type spot struct {
	memory
	typ   types.Type
	dims  []int64 // of a view, or of an array by reference: typ is a view then
	first int64   // of its scalars, in the order of memory
	order []int64 // of a swizzle: its scalars
}

// spot evaluates what leads to a place, or to a part of a value.
func (f *frame) spot(e dsl.Expr) spot {
	e = dsl.Unparen(e)
	switch e := e.(type) {
	case *dsl.Ident:
		return f.named(e)
	case *dsl.IndexExpr:
		return f.spot(e.X).element(e, f.indexes(e.Args))
	case *dsl.SelectorExpr:
		return f.spot(e.X).part(e)
	}
	c := f.expr(e)
	if c.elem == nil {
		return spot{memory: held{c.bits}, typ: c.typ}
	}
	return spot{memory: held(c.elem), typ: c.typ}
}

// named is the place of a variable or a table.
func (f *frame) named(id *dsl.Ident) spot {
	if t := f.facts.Tables[id]; t != nil {
		return spot{memory: constants{t}, typ: t.Type}
	}
	v := f.facts.Uses[id]
	if v == nil {
		beyond(id, "`%s`", id.Name)
	}
	if s, ok := f.refs[v]; ok {
		return s
	}
	switch v.Kind {
	case check.ViewVar:
		return spot{memory: f.device(v.Index), typ: v.Type, dims: f.args[v.Index].Buffer.Dims}
	case check.SharedVar:
		return spot{memory: f.shared(v), typ: v.Type}
	}
	c := f.vars[v]
	if c == nil {
		beyond(id, "`%s` as a variable", id.Name)
	}
	if c.elem == nil {
		return spot{memory: single{f, v}, typ: c.typ}
	}
	return spot{memory: held(c.elem), typ: c.typ}
}

// byReference is s as a function sees it that takes it by reference.
func (s spot) byReference() spot {
	if a, ok := s.typ.(*types.Array); ok {
		s.typ, s.dims = &types.View{Rank: len(a.Dims), Elem: a.Elem}, a.Dims
	}
	return s
}

func (f *frame) indexes(list []dsl.Expr) (at []int64) {
	for _, a := range list {
		i := f.expr(a)
		if i.kind == types.Uint64 && int64(i.bits) < 0 {
			fail(a, "index %d", i.bits)
		}
		at = append(at, int64(i.bits))
	}
	return at
}

func (s spot) element(e *dsl.IndexExpr, at []int64) spot {
	dims := s.dims
	switch t := s.typ.(type) {
	case *types.View:
		s.typ = t.Elem
	case *types.Array:
		s.typ, dims = t.Elem, t.Dims
	default:
		beyond(e, "an index of %s", s.typ)
	}
	i := int64(0)
	for d, x := range at {
		if x < 0 || x >= dims[d] {
			fail(e, "index %d of extent %d", x, dims[d])
		}
		i = i*dims[d] + x
	}
	s.first += i * scalars(s.typ)
	s.dims = nil
	return s
}

// part is a field of a struct, or some components of a vector.
func (s spot) part(e *dsl.SelectorExpr) spot {
	switch t := s.typ.(type) {
	case *types.Struct:
		for _, f := range t.Fields {
			if f.Name == e.Sel.Name {
				s.typ = f.Type
				return s
			}
			s.first += scalars(f.Type)
		}
	case *types.Vector:
		letters := check.Swizzle(t, e.Sel.Name)
		order := make([]int64, len(letters))
		for i, c := range letters {
			order[i] = s.number(int64(c))
		}
		s.order, s.typ = order, &types.Vector{Elem: t.Elem, N: len(letters)}
		if len(letters) == 1 {
			s.first, s.order, s.typ = order[0], nil, t.Elem
		}
		return s
	}
	beyond(e, "`%s` of %s", e.Sel.Name, s.typ)
	return s
}

// number is where scalar i of the value lies in its memory.
func (s spot) number(i int64) int64 {
	if s.order != nil {
		return s.order[i]
	}
	return s.first + i
}

func (s spot) get(n dsl.Node) *cell {
	switch t := s.typ.(type) {
	case types.Kind:
		return number(t, s.load(n, s.first))
	case *types.View:
		beyond(n, "a view as a value")
	}
	c := zero(s.typ)
	for i := range c.elem {
		c.elem[i] = s.load(n, s.number(int64(i)))
	}
	return c
}

func (s spot) set(n dsl.Node, c *cell) {
	if c.elem == nil {
		s.store(n, s.first, c.bits)
		return
	}
	for i, bits := range c.elem {
		s.store(n, s.number(int64(i)), bits)
	}
}

// apply is an operator: of vectors component by component, a scalar beside one for each.
func (f *frame) apply(op ir.Op, x ...*cell) *cell {
	var v *types.Vector
	for _, c := range x {
		if t, ok := c.typ.(*types.Vector); ok {
			v = t
		}
	}
	switch {
	case x[0].elem == nil && v == nil:
		return f.operate(op, x...)
	case op == ir.OpEq:
		return truth(f.equal(x[0].typ, x[0].elem, x[1].elem))
	case op == ir.OpNe:
		return truth(!f.equal(x[0].typ, x[0].elem, x[1].elem))
	}
	out := zero(v)
	for i := range out.elem {
		var each []*cell
		for _, c := range x {
			each = append(each, c.scalar(v.Elem, i))
		}
		out.elem[i] = f.operate(op, each...).bits
	}
	return out
}

// equal compares values of type t, scalar by scalar.
func (f *frame) equal(t types.Type, x, y []uint64) bool {
	switch t := t.(type) {
	case types.Kind:
		return f.operate(ir.OpEq, number(t, x[0]), number(t, y[0])).bits != 0
	case *types.Struct:
		for _, field := range t.Fields {
			n := scalars(field.Type)
			if !f.equal(field.Type, x[:n], y[:n]) {
				return false
			}
			x, y = x[n:], y[n:]
		}
		return true
	}
	elem := elementOf(t)
	n := scalars(elem)
	for ; len(x) > 0; x, y = x[n:], y[n:] {
		if !f.equal(elem, x[:n], y[:n]) {
			return false
		}
	}
	return true
}

// elementOf is the type of which an array or a vector has several.
func elementOf(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Array:
		return t.Elem
	case *types.Vector:
		return t.Elem
	}
	return t
}

// literal is the value of `T{…}`.
func (f *frame) literal(e *dsl.CompositeLit) *cell {
	c := zero(f.facts.Values[e].Type)
	f.fill(c.typ, c.elem, e)
	return c
}

// fill sets what the braces of a literal of type t name. Those of an array of several dims nest a level a dim.
func (f *frame) fill(t types.Type, to []uint64, e *dsl.CompositeLit) {
	next := int64(0)
	for i, el := range e.Elems {
		first, part := int64(0), t
		switch t := t.(type) {
		case *types.Struct:
			at := i
			if el.Key != nil {
				at = t.Index(el.Key.(*dsl.Ident).Name)
			}
			for _, field := range t.Fields[:at] {
				first += scalars(field.Type)
			}
			part = t.Fields[at].Type
		case *types.Array:
			if el.Key != nil {
				next, _ = constant.Int64Val(constant.ToInt(f.facts.Values[el.Key].Const))
			}
			part = t.Elem
			if len(t.Dims) > 1 {
				part = &types.Array{Dims: t.Dims[1:], Elem: t.Elem}
			}
			first = next * scalars(part)
			next++
		}
		there := to[first:][:scalars(part)]
		if inner, ok := el.Value.(*dsl.CompositeLit); ok && inner.Type == nil {
			f.fill(part, there, inner)
			continue
		}
		if v := f.expr(el.Value); v.elem != nil {
			copy(there, v.elem)
		} else {
			there[0] = v.bits
		}
	}
}

// convert is T(x), or a vector of its components.
func (f *frame) convert(t types.Type, args []*cell) *cell {
	conv := func(k types.Kind, x *cell) *cell {
		if x.kind == k {
			return x
		}
		return f.to(ir.OpConv, k, x)
	}
	switch t := t.(type) {
	case types.Kind:
		return conv(t, args[0])
	case *types.Vector:
		out := zero(t)
		for i := range out.elem {
			from := args[min(i, len(args)-1)]
			if v, ok := from.typ.(*types.Vector); ok {
				from = from.scalar(v.Elem, i)
			}
			out.elem[i] = conv(t.Elem, from).bits
		}
		return out
	}
	return args[0]
}

// vectors are the builtins over whole vectors; sums run from the first component to the last.
func (f *frame) vectors(name string, x []*cell) *cell {
	v := x[0].typ.(*types.Vector)
	at := func(c *cell, i int) *cell { return c.scalar(v.Elem, i) }
	dot := func(x, y *cell) *cell {
		sum := f.operate(ir.OpMul, at(x, 0), at(y, 0))
		for i := 1; i < v.N; i++ {
			sum = f.operate(ir.OpAdd, sum, f.operate(ir.OpMul, at(x, i), at(y, i)))
		}
		return sum
	}
	switch name {
	case "dot":
		return dot(x[0], x[1])
	case "length":
		return f.operate(ir.OpSqrt, dot(x[0], x[0]))
	case "normalize":
		return f.apply(ir.OpDiv, x[0], f.operate(ir.OpSqrt, dot(x[0], x[0])))
	}
	out := zero(v)
	for i := range out.elem {
		j, k := (i+1)%3, (i+2)%3
		out.elem[i] = f.operate(ir.OpSub, f.operate(ir.OpMul, at(x[0], j), at(x[1], k)), f.operate(ir.OpMul, at(x[0], k), at(x[1], j))).bits
	}
	return out
}

// constantBits is a constant as bits of kind k.
func constantBits(v constant.Value, k types.Kind) uint64 {
	switch {
	case k == types.Bool:
		if constant.BoolVal(v) {
			return 1
		}
		return 0
	case k == types.Float32:
		x, _ := constant.Float32Val(v)
		return uint64(math.Float32bits(x))
	case k.IsFloat(): // the checker has rounded it
		x, _ := constant.Float64Val(v)
		return interp.FloatBits(k, x)
	case k.IsSigned():
		x, _ := constant.Int64Val(constant.ToInt(v))
		return uint64(x)
	}
	x, _ := constant.Uint64Val(constant.ToInt(v))
	return x
}
