package kernelgen

import (
	"errors"
	"fmt"
	"slices"

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
// too long, or a *BeyondError. What it prints comes thread by thread.
func Reference(k *check.Kernel, l *interp.Launch, args []interp.Arg) (prints []interp.Print, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			err = r.error
		default:
			panic(r)
		}
	}()
	w := &walker{kernel: k, launch: l, args: args, left: 1 << 24}
	if len(k.Group) > 0 {
		w.traces = map[any][]trace{}
	}
	w.points(make([]int64, 0, len(k.Domain)))
	slices.SortStableFunc(w.prints, func(a, b interp.Print) int { return slices.Compare(a.At, b.At) })
	return w.prints, nil
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

// walker runs one launch.
type walker struct {
	kernel *check.Kernel
	launch *interp.Launch
	args   []interp.Arg
	left   int // budget of statements
	teams  int // points, or blocks, until now
	traces map[any][]trace
	stops  []func() // of the threads in progress
	prints []interp.Print

	scalars [][]interp.Part // of a parameter's elements
}

// frame is the state of a body in progress.
type frame struct {
	*walker
	*thread
	facts   *check.Body
	vars    map[*check.Var]*cell
	refs    map[*check.Var]spot // what a function takes by reference
	devices []*device           // of views
	results []*cell             // of a return
	goal    dsl.Stmt            // of a branch on its way
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
		default:
			c := zero(t)
			for j, part := range w.parts(i) {
				c.elem[j] = part.Get(0)
			}
			f.vars[p.Var] = c
		}
	}
	return f
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
		p := f.spot(s.X)
		old := p.get(s.X)
		p.set(s.X, f.operate(op, old, number(old.kind, one(old.kind))))
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
	if k.IsFloat() {
		return interp.FloatBits(k, 1)
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

// blank is the memory of the blank name.
type blank struct{}

func (blank) load(dsl.Node, int64) uint64   { return 0 }
func (blank) store(dsl.Node, int64, uint64) {}

// place is what may be assigned.
func (f *frame) place(e dsl.Expr) spot {
	if id, ok := dsl.Unparen(e).(*dsl.Ident); ok && id.Name == "_" {
		return spot{memory: blank{}}
	}
	return f.spot(e)
}

func (f *frame) assign(s *dsl.AssignStmt) {
	if s.Op != "" {
		p := f.place(s.Targets[0])
		old := p.get(s.Targets[0])
		p.set(s.Targets[0], f.apply(operators[s.Op], old, f.expr(s.Values[0])))
		return
	}
	places := make([]spot, len(s.Targets))
	for i, t := range s.Targets {
		places[i] = f.place(t)
	}
	for i, v := range f.values(s.Values, len(places)) {
		places[i].set(s.Targets[i], v)
	}
}
