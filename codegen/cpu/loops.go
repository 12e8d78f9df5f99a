package cpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// counted is a Range, behind what its accesses have in common.
func (f *function) counted(out *list, in *ir.Instr) {
	if f.starts == nil || len(f.starts.of[in]) == 0 {
		f.loopOver(out, in)
		return
	}
	hi := in.Args[1]
	if !f.starts.some(in, f.l) {
		f.takeStarts(out, in, func() *jen.Statement { return f.expr(hi).code })
		f.loopOver(out, in)
		return
	}
	f.scopes.push()
	defer f.scopes.pop()
	end := f.expr(hi)
	var head []jen.Code
	if !f.cheap(hi) {
		name := f.scopes.temp("end")
		head = append(head, jen.Id(name).Op(":=").Add(end.alone()))
		f.named[hi] = name
		end = ident(name)
	}
	inner := &list{}
	f.takeStarts(inner, in, func() *jen.Statement { return end.code })
	f.loopOver(inner, in)
	out.add(jen.If(append(head, jen.Add(end.in(addPrec)).Op(">").Add(f.expr(in.Args[0]).in(addPrec)))...).Block(inner.code...))
}

// loopOver is `for i := range n`, or the three-clause form from another start.
func (f *function) loopOver(out *list, in *ir.Instr) {
	lo, hi, step := in.Args[0], in.Args[1], in.Args[2]
	b := in.Blocks[0]
	used := f.l.uses[b.Iter] > 0
	if lo.IsInt(0) && step.IsInt(1) {
		n := f.expr(hi)
		f.scopes.push()
		head := jen.For(jen.Range().Add(n.alone()))
		if used {
			head = jen.For(jen.Id(f.iterName(b.Iter)).Op(":=").Range().Add(n.alone()))
		}
		inner := &list{}
		f.stmts(inner, b)
		f.scopes.pop()
		out.add(head.Block(inner.code...))
		return
	}
	f.scopes.push()
	defer f.scopes.pop()
	start, end, by := f.expr(lo), f.expr(hi), f.expr(step)
	names, inits := []jen.Code{nil}, []jen.Code{start.alone()}
	// What Go would evaluate again in each iteration moves into a variable of the loop.
	if !f.cheap(hi) {
		name := f.scopes.temp("end")
		names, inits = append(names, jen.Id(name)), append(inits, end.alone())
		end = ident(name)
	}
	if !f.cheap(step) {
		name := f.scopes.temp("step")
		names, inits = append(names, jen.Id(name)), append(inits, by.alone())
		by = ident(name)
	}
	i := f.iterName(b.Iter)
	names[0] = jen.Id(i)
	init := jen.List(names...).Op(":=").List(inits...)
	cond := jen.Id(i).Op("<").Add(end.in(addPrec))
	post := jen.Id(i).Op("++")
	if !step.IsInt(1) {
		// Past the highest value the index would go on from the lowest.
		first := start
		if !f.cheap(lo) {
			name := f.scopes.temp("first")
			out.declare(jen.Id(name).Op(":=").Add(start.alone()))
			first = ident(name)
			inits[0] = jen.Id(name)
			init = jen.List(names...).Op(":=").List(inits...)
		}
		cond = cond.Op("&&").Id(i).Op(">=").Add(first.in(addPrec))
		post = jen.Id(i).Op("+=").Add(by.code)
	}
	inner := f.block(b)
	out.add(jen.For(init, cond, post).Block(inner.code...))
}

func (f *function) iterName(iter *ir.Instr) string {
	name := f.valueName(iter)
	f.named[iter] = name
	return name
}

// cheap reports an expression that may stand in a loop's condition: a variable that does not change, or a sum of such.
func (f *function) cheap(in *ir.Instr) bool {
	simple := func(x *ir.Instr) bool {
		_, variable := f.named[x]
		return variable || ir.Ops[x.Op].Class == ir.Leaf
	}
	return simple(in) || (in.Op == ir.OpAdd || in.Op == ir.OpSub) && in.Kind() == types.Int && simple(in.Args[0]) && simple(in.Args[1])
}

// loopAfter is the Loop that follows an assignment which may become its init statement: the assignment declares its
// variable and nothing but the loop uses that.
func (f *function) loopAfter(all []*ir.Instr, i int) *ir.Instr {
	in := all[i]
	if in.Op != ir.OpLocalSet || !f.decls.by[in] {
		return nil
	}
	loop := f.decls.last[in]
	if loop == nil || loop.Op != ir.OpLoop || !f.three(loop) {
		return nil
	}
	if _, array := in.Local.Type.(*types.Array); array {
		return nil
	}
	for _, x := range all[i+1:] {
		switch {
		case len(f.decls.before[x]) > 0:
			return nil
		case x == loop:
			return loop
		case f.prints(x):
			return nil
		}
	}
	return nil
}

// three reports a Loop that Go's for statement expresses by itself.
func (f *function) three(loop *ir.Instr) bool {
	return f.inline(loop.Blocks[0]) && f.simplePost(loop.Blocks[2])
}

// simplePost reports a post block that prints as at most one assignment.
func (f *function) simplePost(b *ir.Block) bool {
	n := 0
	for _, in := range f.l.body[b] {
		if !f.prints(in) {
			continue
		}
		if n++; in.Op != ir.OpLocalSet || f.decls.by[in] || len(f.decls.before[in]) > 0 {
			return false
		}
	}
	return n <= 1
}

// loop is a Loop: a condition before each iteration, a post block after it and after continue.
func (f *function) loop(out *list, in *ir.Instr, init *jen.Statement) {
	cond, body, post := in.Blocks[0], in.Blocks[1], in.Blocks[2]
	f.scopes.push()
	defer f.scopes.pop()
	inner := &list{}
	var test, after, start jen.Code = jen.Empty(), jen.Empty(), jen.Empty()
	if init != nil {
		start = init
	}
	clauses := init != nil
	if f.simplePost(post) {
		p := &list{}
		f.stmts(p, post)
		if len(p.code) > 0 {
			after = p.code[0]
			clauses = true
		}
	} else {
		first := f.scopes.temp("first")
		start = jen.Id(first).Op(":=").True()
		after = jen.Id(first).Op("=").False()
		clauses = true
		inner.add(jen.If(jen.Op("!").Id(first)).Block(f.block(post).code...))
	}
	if len(f.l.body[cond]) > 0 {
		if f.inline(cond) && len(inner.code) == 0 {
			test = f.expr(yielded(cond)).code
		} else {
			f.stmts(inner, cond)
			inner.add(jen.If(f.not(yielded(cond))).Block(jen.Break()))
			test = nil
		}
	} else {
		test = nil
	}
	f.stmts(inner, body)
	switch {
	case clauses && test == nil:
		out.add(jen.For(start, jen.Empty(), after).Block(inner.code...))
	case clauses:
		out.add(jen.For(start, test, after).Block(inner.code...))
	case test == nil:
		out.add(jen.For().Block(inner.code...))
	default:
		out.add(jen.For(test).Block(inner.code...))
	}
}
