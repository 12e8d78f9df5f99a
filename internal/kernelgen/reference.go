package kernelgen

import (
	"errors"
	"fmt"
	"go/constant"
	"math"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// Reference runs a kernel by walking its syntax tree, point after point, as the language's text reads: a second opinion
// on lowering that shares nothing with it but the meaning of single operations. It changes the memory of the views;
// nothing is fused. The error is an index out of range, or a launch that takes too long.
func Reference(k *check.Kernel, l *interp.Launch, args []interp.Arg) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			err = r.error
		default:
			panic(r)
		}
	}()
	w := &walker{args: args, left: 1 << 24}
	w.points(k, l, make([]int64, 0, len(k.Domain)))
	return nil
}

// fault unwinds to Reference.
type fault struct{ error }

func fail(n dsl.Node, format string, args ...any) {
	panic(fault{fmt.Errorf("%s: %s", n.Pos(), fmt.Sprintf(format, args...))})
}

var errSteps = errors.New("the reference takes too many steps")

// cell is a value or what a variable holds: the bits of a scalar, or the elements of an array.
type cell struct {
	bits uint64
	kind types.Kind // of a scalar or of the elements
	dims []int64
	elem []uint64
}

func (c *cell) clone() *cell {
	out := *c
	out.elem = append([]uint64(nil), c.elem...)
	return &out
}

// walker runs one launch.
type walker struct {
	args []interp.Arg
	left int // budget of statements
}

// frame is the state of a body in progress.
type frame struct {
	*walker
	facts   *check.Body
	vars    map[*check.Var]*cell
	results []*cell // of a return
}

func (w *walker) points(k *check.Kernel, l *interp.Launch, at []int64) {
	if d := len(at); d < len(k.Domain) {
		for i := l.Lo[d]; i < l.Hi[d]; i++ {
			w.points(k, l, append(at, i))
		}
		return
	}
	f := &frame{walker: w, facts: k.Body, vars: map[*check.Var]*cell{}}
	for i, s := range k.Symbols {
		f.vars[s.Var] = number(types.Int, uint64(l.Extents[i]))
	}
	for i, d := range k.Domain {
		f.vars[d.Var] = number(types.Int, uint64(at[i]))
	}
	for i, p := range k.Params {
		if kind, ok := p.Type.(types.Kind); ok {
			f.vars[p.Var] = number(kind, w.args[i].Bits)
		}
	}
	f.stmts(k.Decl.Body.Stmts)
}

func number(k types.Kind, bits uint64) *cell { return &cell{bits: bits, kind: k} }

func truth(b bool) *cell {
	if b {
		return number(types.Bool, 1)
	}
	return number(types.Bool, 0)
}

// zero is the zero of a type; nested arrays lie flat.
func zero(t types.Type) *cell {
	a, ok := t.(*types.Array)
	if !ok {
		return number(t.(types.Kind), 0)
	}
	inner := zero(a.Elem)
	c := &cell{kind: inner.kind, dims: append(append([]int64(nil), a.Dims...), inner.dims...)}
	n := int64(1)
	for _, d := range c.dims {
		n *= d
	}
	c.elem = make([]uint64, n)
	return c
}

// control is how a statement ends.
type control uint8

const (
	onward control = iota
	breaks
	continues
	returns
)

func (f *frame) stmts(list []dsl.Stmt) control {
	for _, s := range list {
		if c := f.stmt(s); c != onward {
			return c
		}
	}
	return onward
}

func (f *frame) stmt(s dsl.Stmt) control {
	if f.left--; f.left < 0 {
		panic(fault{errSteps})
	}
	switch s := s.(type) {
	case *dsl.Block:
		return f.stmts(s.Stmts)
	case *dsl.DefineStmt:
		f.define(s.Names, f.values(s.Values, len(s.Names)))
	case *dsl.VarStmt:
		vals := make([]*cell, len(s.Names))
		if len(s.Values) > 0 {
			vals = f.values(s.Values, len(s.Names))
		}
		f.define(s.Names, vals)
	case *dsl.ConstStmt:
	case *dsl.AssignStmt:
		f.assign(s)
	case *dsl.IncDecStmt:
		op := ir.OpAdd
		if s.Op == "--" {
			op = ir.OpSub
		}
		p := f.place(s.X)
		old := p.get()
		p.set(f.operate(op, old, number(old.kind, one(old.kind))))
	case *dsl.ExprStmt:
		f.call(s.X)
	case *dsl.IfStmt:
		if s.Init != nil {
			f.stmt(s.Init)
		}
		switch {
		case f.expr(s.Cond).bits != 0:
			return f.stmts(s.Then.Stmts)
		case s.Else != nil:
			return f.stmt(s.Else)
		}
	case *dsl.ForStmt:
		return f.forStmt(s)
	case *dsl.ForRangeStmt:
		return f.forRange(s)
	case *dsl.ForInStmt:
		return f.forIn(s)
	case *dsl.ReturnStmt:
		f.results = f.values(s.Values, len(f.results))
		return returns
	case *dsl.BranchStmt:
		if s.Word == "break" {
			return breaks
		}
		return continues
	default:
		panic(fmt.Sprintf("kernelgen: statement %T", s))
	}
	return onward
}

func one(k types.Kind) uint64 {
	switch k {
	case types.Float32:
		return uint64(math.Float32bits(1))
	case types.Float64:
		return math.Float64bits(1)
	}
	return 1
}

// values evaluates n expressions, or one call with n results.
func (f *frame) values(list []dsl.Expr, n int) []*cell {
	if len(list) == 1 && n > 1 {
		return f.call(list[0])
	}
	out := make([]*cell, len(list))
	for i, e := range list {
		out[i] = f.expr(e).clone()
	}
	return out
}

func (f *frame) define(names []*dsl.Ident, vals []*cell) {
	for i, id := range names {
		v := f.facts.Defs[id]
		if v == nil { // blank, or declared before
			v = f.facts.Uses[id]
		}
		switch {
		case v == nil:
		case vals[i] == nil:
			f.vars[v] = zero(v.Type)
		default:
			f.vars[v] = vals[i]
		}
	}
}

// place is something that may be read and assigned.
type place struct {
	get func() *cell
	set func(*cell)
}

func (f *frame) place(e dsl.Expr) place {
	switch e := dsl.Unparen(e).(type) {
	case *dsl.Ident:
		if e.Name == "_" {
			return place{set: func(*cell) {}}
		}
		v := f.facts.Uses[e]
		return place{func() *cell { return f.vars[v] }, func(c *cell) {
			if old := f.vars[v]; len(old.dims) > 0 { // the variable stays: a place in it may be assigned next
				copy(old.elem, c.elem)
				return
			}
			f.vars[v] = c
		}}
	case *dsl.IndexExpr:
		return f.element(e)
	default:
		panic(fmt.Sprintf("kernelgen: place %T", e))
	}
}

// element is an element, or a row, of an array or a view.
func (f *frame) element(e *dsl.IndexExpr) place {
	var at []int64
	root := dsl.Expr(e)
	for {
		x, ok := dsl.Unparen(root).(*dsl.IndexExpr)
		if !ok {
			break
		}
		var these []int64
		for _, a := range x.Args {
			i := f.expr(a)
			if i.kind == types.Uint64 && int64(i.bits) < 0 {
				fail(a, "index %d", i.bits)
			}
			these = append(these, int64(i.bits))
		}
		at, root = append(these, at...), x.X
	}
	v := f.facts.Uses[dsl.Unparen(root).(*dsl.Ident)]
	if v.Kind == check.ViewVar {
		b := f.args[v.Index].Buffer
		i, _ := offset(e, b.Dims, at)
		return place{func() *cell { return number(b.Kind(), b.At(i)) }, func(c *cell) { b.Set(i, c.bits) }}
	}
	c := f.vars[v]
	i, rest := offset(e, c.dims, at)
	if len(rest) == 0 {
		return place{func() *cell { return number(c.kind, c.elem[i]) }, func(x *cell) { c.elem[i] = x.bits }}
	}
	n := int64(1)
	for _, d := range rest {
		n *= d
	}
	row := c.elem[i*n : (i+1)*n]
	return place{func() *cell { return (&cell{kind: c.kind, dims: rest, elem: row}).clone() }, func(x *cell) { copy(row, x.elem) }}
}

// offset is the row-major number of an element; rest are the dims that have no index.
func offset(n dsl.Node, dims, at []int64) (i int64, rest []int64) {
	for d, x := range at {
		if x < 0 || x >= dims[d] {
			fail(n, "index %d of extent %d", x, dims[d])
		}
		i = i*dims[d] + x
	}
	return i, dims[len(at):]
}

func (f *frame) assign(s *dsl.AssignStmt) {
	if s.Op != "" {
		p := f.place(s.Targets[0])
		p.set(f.operate(operators[s.Op], p.get(), f.expr(s.Values[0])))
		return
	}
	places := make([]place, len(s.Targets))
	for i, t := range s.Targets {
		places[i] = f.place(t)
	}
	for i, v := range f.values(s.Values, len(places)) {
		places[i].set(v)
	}
}

// body runs a loop's body and says whether the loop goes on.
func (f *frame) body(b *dsl.Block) (more bool, end control) {
	switch c := f.stmts(b.Stmts); c {
	case breaks:
		return false, onward
	case returns:
		return false, returns
	}
	return true, onward
}

func (f *frame) forStmt(s *dsl.ForStmt) control {
	if s.Init != nil {
		f.stmt(s.Init)
	}
	for s.Cond == nil || f.expr(s.Cond).bits != 0 {
		if more, end := f.body(s.Body); !more {
			return end
		}
		if s.Post != nil {
			f.stmt(s.Post)
		}
	}
	return onward
}

func (f *frame) forRange(s *dsl.ForRangeStmt) control {
	n := f.expr(s.N)
	for i := uint64(0); ; i++ {
		if n.kind.IsSigned() && int64(i) >= int64(n.bits) || !n.kind.IsSigned() && i >= n.bits {
			return onward
		}
		if s.Var != nil {
			v := f.facts.Defs[s.Var]
			if s.Assign == "=" {
				v = f.facts.Uses[s.Var]
			}
			f.vars[v] = number(n.kind, i)
		}
		if more, end := f.body(s.Body); !more {
			return end
		}
	}
}

func (f *frame) forIn(s *dsl.ForInStmt) control {
	lo, hi := make([]int64, len(s.Vars)), make([]int64, len(s.Vars))
	for i, x := range s.Extents {
		if x.Lo != nil {
			lo[i] = int64(f.expr(x.Lo).bits)
		}
		hi[i] = int64(f.expr(x.Hi).bits)
	}
	var nest func(d int)
	nest = func(d int) {
		if d == len(s.Vars) {
			f.stmts(s.Body.Stmts)
			return
		}
		for i := lo[d]; i < hi[d]; i++ {
			f.vars[f.facts.Defs[s.Vars[d]]] = number(types.Int, uint64(i))
			nest(d + 1)
		}
	}
	nest(0)
	return onward
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
	case k == types.Float64:
		x, _ := constant.Float64Val(v)
		return math.Float64bits(x)
	case k.IsSigned():
		x, _ := constant.Int64Val(constant.ToInt(v))
		return uint64(x)
	}
	x, _ := constant.Uint64Val(constant.ToInt(v))
	return x
}
