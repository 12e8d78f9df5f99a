package check

import (
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// maxDims bounds the dims of a domain and of `for … in`.
const maxDims = 3

// loop checks the body of the loop s, which is where a `break` or `continue` may aim at.
func (b *body) loop(s dsl.Stmt, body *dsl.Block) {
	b.targets = append(b.targets, target{stmt: s, kind: loopTarget})
	b.block(body)
	b.targets = b.targets[:len(b.targets)-1]
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
	b.loop(s, s.Body)
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
		o.checked, o.counts = t != types.Invalid, text(s.N)
		b.facts.Iters[s] = []*Var{v}
	}
	b.loop(s, s.Body)
	b.close()
}

func (b *body) forIn(s *dsl.ForInStmt) {
	b.unroll(s, s.Attrs)
	b.open()
	place := opSpan(s.Pos(), "for")
	b.facts.Iters[s] = b.iterate(s.Vars, s.Extents, place)
	b.targets = append(b.targets, target{stmt: s, kind: loopTarget, unordered: true, place: place})
	b.block(s.Body)
	b.targets = b.targets[:len(b.targets)-1]
	b.unordered = b.unordered[:len(b.unordered)-1]
	b.close()
}

// iterate checks the extents of a `for … in` or a comprehension, whose place is given, and declares its indexes. What
// follows is in it until b.unordered loses its last place.
func (b *body) iterate(vars []*dsl.Ident, extents []dsl.Extent, place span) (out []*Var) {
	b.rank(vars, "a `for … in` has at most %d indexes")
	for _, x := range extents {
		if x.Lo != nil {
			b.extentValue(x.Lo)
		}
		b.extentValue(x.Hi)
	}
	b.unordered = append(b.unordered, place)
	for _, id := range vars {
		out = append(out, b.indexVar(id, IterVar))
	}
	return out
}

// unorderedLoop is the innermost `for … in` or comprehension round what is checked, or no place.
func (b *body) unorderedLoop() span {
	if n := len(b.unordered); n > 0 {
		return b.unordered[n-1]
	}
	return span{}
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
