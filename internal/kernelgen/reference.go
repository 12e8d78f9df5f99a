package kernelgen

import (
	"errors"
	"fmt"
	"go/constant"
	"math"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// Reference runs a kernel by walking its syntax tree, point after point, as the language's text reads: a second opinion
// on lowering that shares nothing with it but the meaning of single operations. The threads of a block run as coroutines
// that meet at barriers. It changes the memory of the views; nothing is fused. The error is an index out of range, a race
// between threads, shared memory read before it is written, a barrier that only some threads reach, a launch that takes
// too long, or a *BeyondError.
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
	known(k.Decl, k.Body, map[*check.Body]bool{})
	w := &walker{kernel: k, launch: l, args: args, left: 1 << 24}
	if len(k.Group) > 0 {
		w.traces = map[any][]trace{}
	}
	w.points(make([]int64, 0, len(k.Domain)))
	return nil
}

// BeyondError is a part of the language that the walk does not know.
type BeyondError struct {
	Pos  diag.Pos
	What string
}

func (e *BeyondError) Error() string {
	if !e.Pos.IsValid() {
		return "the reference does not know " + e.What
	}
	return fmt.Sprintf("%s: the reference does not know %s", e.Pos, e.What)
}

// fault unwinds to Reference.
type fault struct{ error }

func fail(n dsl.Node, format string, args ...any) {
	panic(fault{fmt.Errorf("%s: %s", n.Pos(), fmt.Sprintf(format, args...))})
}

func beyond(n dsl.Node, format string, args ...any) {
	panic(fault{&BeyondError{n.Pos(), fmt.Sprintf(format, args...)}})
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
	kernel *check.Kernel
	launch *interp.Launch
	args   []interp.Arg
	left   int // budget of statements
	teams  int // points, or blocks, until now
	traces map[any][]trace
	stops  []func() // of the threads in progress
}

// frame is the state of a body in progress.
type frame struct {
	*walker
	*thread
	facts   *check.Body
	vars    map[*check.Var]*cell
	results []*cell  // of a return
	goal    dsl.Stmt // of a branch on its way
}

// points runs what the domain holds behind the given indexes.
func (w *walker) points(at []int64) {
	if d := len(at); d < len(w.launch.Lo) {
		for i := w.launch.Lo[d]; i < w.launch.Hi[d]; i++ {
			w.points(append(at, i))
		}
		return
	}
	w.teams++
	if len(w.kernel.Group) > 0 {
		w.block(at)
		return
	}
	f := w.frame(at, &thread{team: &team{number: w.teams}})
	f.stmts(w.kernel.Decl.Body.Stmts)
}

// frame is a kernel's body before its first statement.
func (w *walker) frame(at []int64, t *thread) *frame {
	f := &frame{walker: w, thread: t, facts: w.kernel.Body, vars: map[*check.Var]*cell{}}
	for i, s := range w.kernel.Symbols {
		f.vars[s.Var] = number(types.Int, uint64(w.launch.Extents[i]))
	}
	for i, d := range w.kernel.Domain {
		f.vars[d.Var] = number(types.Int, uint64(at[i]))
	}
	for i, p := range w.kernel.Params {
		switch t := p.Type.(type) {
		case types.Kind:
			f.vars[p.Var] = number(t, w.args[i].Bits)
		case *types.View:
			if _, ok := t.Elem.(types.Kind); !ok {
				beyond(w.kernel.Decl, "views of %s", t.Elem)
			}
		default:
			beyond(w.kernel.Decl, "parameters of type %s", t)
		}
	}
	return f
}

func number(k types.Kind, bits uint64) *cell {
	return &cell{bits: bits, kind: k}
}

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
		k, ok := t.(types.Kind)
		if !ok {
			panic(fault{&BeyondError{What: "variables of type " + t.String()}})
		}
		return number(k, 0)
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
	falls
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
		return f.branch(s)
	case *dsl.SwitchStmt:
		return f.switchStmt(s)
	case *dsl.LabeledStmt:
		return f.labeled(s)
	case *dsl.SharedStmt: // garbage until written
	default:
		beyond(s, "%T", s)
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
		if v.Kind == check.SharedVar {
			return f.sharedPlace(e, v, nil)
		}
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
		beyond(e, "%T as a place", e)
		return place{}
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
	id, ok := dsl.Unparen(root).(*dsl.Ident)
	if !ok || f.facts.Uses[id] == nil {
		beyond(root, "an index of %T", root)
	}
	v := f.facts.Uses[id]
	switch v.Kind {
	case check.ViewVar:
		b := f.args[v.Index].Buffer
		i, _ := offset(e, b.Dims, at)
		return place{func() *cell {
			f.touch(e, v.Index, b.Len(), i, false)
			return number(b.Kind(), b.At(i))
		}, func(c *cell) {
			f.touch(e, v.Index, b.Len(), i, true)
			b.Set(i, c.bits)
		}}
	case check.SharedVar:
		return f.sharedPlace(e, v, at)
	}
	c := f.vars[v]
	if c == nil {
		beyond(root, "elements of `%s`", v.Name)
	}
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
