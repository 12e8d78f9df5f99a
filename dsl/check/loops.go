package check

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// maxDims bounds the dims of a domain and of `for … in`.
const maxDims = 3

// loop checks the body of a loop.
func (b *body) loop(s *dsl.Block, unordered bool) {
	b.loops = append(b.loops, unordered)
	b.block(s)
	b.loops = b.loops[:len(b.loops)-1]
}

func (b *body) forStmt(s *dsl.ForStmt) {
	b.unroll(s, s.Attrs)
	b.open()
	if s.Init != nil {
		b.stmt(s.Init)
	}
	if s.Cond != nil {
		x := b.expr(s.Cond)
		b.condition(&x)
	}
	if d, ok := s.Post.(*dsl.DefineStmt); ok {
		b.report(&MisplacedError{span: at(d), Word: declText(d), Where: "declares a variable behind every iteration"})
		b.use(d)
	} else if s.Post != nil {
		b.stmt(s.Post)
	}
	b.loop(s.Body, false)
	b.close()
}

func declText(d *dsl.DefineStmt) string { return d.Names[0].Name + " :=" }

func (b *body) forRange(s *dsl.ForRangeStmt) {
	b.unroll(s, s.Attrs)
	b.open()
	var n operand
	if o := b.viewOf(s.N); o != nil {
		b.report(&RangeError{span: at(s.N), Text: text(s.N), Array: true})
	} else if n = b.expr(s.N); n.mode != bad {
		_, array := n.typ.(*types.Array)
		k := n.kind()
		if array || !k.IsInteger() && !(n.mode == konst && k == types.UntypedFloat) {
			b.report(&RangeError{span: at(s.N), Text: text(s.N), Array: array})
			n.mode = bad
		}
	}
	if s.Var != nil && s.Assign == "=" && s.Var.Name != "_" {
		if t, ok := b.target(s.Var, false); ok {
			b.assign(&n, t, "`range`")
		}
	} else if n.untyped() && !b.assign(&n, types.Int, "`range`") {
		n.mode = bad
	}
	b.facts.Iters[s] = nil
	if s.Var != nil && s.Assign != "=" && s.Var.Name != "_" {
		t := types.Type(types.Invalid)
		if n.mode != bad {
			t = n.typ
		}
		v, o := b.newVar(s.Var, IterVar, t)
		o.checked = t != types.Invalid
		b.facts.Iters[s] = []*Var{v}
	}
	b.loop(s.Body, false)
	b.close()
}

func (b *body) forIn(s *dsl.ForInStmt) {
	b.unroll(s, s.Attrs)
	b.open()
	if len(s.Vars) > maxDims {
		b.report(&DomainError{span: at(s.Vars[maxDims]), Why: fmt.Sprintf("a `for … in` has at most %d indexes", maxDims)})
	}
	for _, x := range s.Extents {
		if x.Lo != nil {
			b.extentValue(x.Lo)
		}
		b.extentValue(x.Hi)
	}
	place := opSpan(s.Pos(), "for")
	b.unordered = append(b.unordered, place)
	for _, id := range s.Vars {
		v := b.indexVar(id, IterVar)
		b.facts.Iters[s] = append(b.facts.Iters[s], v)
	}
	b.loop(s.Body, true)
	b.unordered = b.unordered[:len(b.unordered)-1]
	b.close()
}

// indexVar declares an index of a domain or a `for … in`.
func (b *body) indexVar(id *dsl.Ident, kind VarKind) *Var {
	if id.Name == "_" {
		b.report(&DomainError{span: at(id), Why: "an index needs a name"})
	}
	v, o := b.newVar(id, kind, types.Int)
	o.fixed = true
	return v
}

// extentValue checks one end of an extent in a body: an int.
func (b *body) extentValue(e dsl.Expr) {
	x := b.expr(e)
	b.assign(&x, types.Int, "an extent")
}

func (b *body) branch(s *dsl.BranchStmt) {
	place := opSpan(s.Pos(), s.Word)
	switch {
	case s.Label != nil:
		b.report(&NotYetError{span: at(s.Label), What: "labels"})
	case s.Word == "fallthrough":
		b.report(&MisplacedError{span: place, Word: s.Word, Where: "stands at the end of a `case`"})
	case len(b.loops) == 0:
		b.report(&MisplacedError{span: place, Word: s.Word, Where: "is not inside a loop"})
	case s.Word == "break" && b.loops[len(b.loops)-1]:
		b.report(&UnorderedLoopError{span: place, What: "`break`", Loop: b.unordered[len(b.unordered)-1]})
	}
}

// terminates reports whether the end of a list of statements cannot be reached, by Go's rules. What is not compiled yet
// is taken to end, so that it is not reported twice.
func terminates(list []dsl.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *dsl.ReturnStmt, *dsl.SwitchStmt, *dsl.LabeledStmt:
		return true
	case *dsl.Block:
		return terminates(s.Stmts)
	case *dsl.IfStmt:
		return terminates(s.Then.Stmts) && s.Else != nil && terminates([]dsl.Stmt{s.Else})
	case *dsl.ForStmt:
		return s.Cond == nil && !breaks(s.Body)
	}
	return false
}

// breaks reports a `break` that leaves the loop whose body n is.
func breaks(n *dsl.Block) bool {
	found := false
	dsl.Walk(n, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.ForStmt, *dsl.ForRangeStmt, *dsl.ForInStmt:
			return false
		case *dsl.BranchStmt:
			found = found || n.Word == "break"
		}
		return !found
	})
	return found
}
