package cpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// function prints one body.
type function struct {
	e      *emitter
	scopes *scopes
	placed map[*ir.Instr]bool
	l      *liveness
	decls  *declarations
	kept   map[*ir.Local]kept // of a kernel of blocks: the variables that outlive what stands between two barriers

	starts *starts

	named   map[*ir.Instr]string // values that are variables
	locals  map[*ir.Local]string
	params  []string          // of a kernel, by index
	symbols map[string]string // extent symbols and int parameters
	points  []string
	record  string            // of a kernel with sites: the variable of its record
	dims    int               // of the domain of such a kernel
	extents map[string]string // extents that are expressions → the variables that hold them
	hoisted list
}

// block prints the statements of b into a scope of its own.
func (f *function) block(b *ir.Block) *list {
	f.scopes.push()
	defer f.scopes.pop()
	out := &list{}
	f.stmts(out, b)
	return out
}

// stmts prints the statements of b into the current scope.
func (f *function) stmts(out *list, b *ir.Block) {
	all := f.l.body[b]
	for i := 0; i < len(all); i++ {
		in := all[i]
		if !f.l.live[in] || in.Op == ir.OpYield {
			continue
		}
		if in.Op == ir.OpCall && f.declaredBy(in) {
			f.call(out, in, true)
			continue
		}
		for _, local := range f.decls.before[in] {
			name := f.localName(local)
			out.declare(jen.Var().Id(name).Add(goType(local.Type)))
		}
		if loop := f.loopAfter(all, i); loop != nil {
			f.scopes.push()
			init := jen.Id(f.localName(in.Local)).Op(":=").Add(f.expr(in.Args[0]).alone())
			f.loop(out, loop, init)
			f.scopes.pop()
			for all[i] != loop {
				i++
			}
			continue
		}
		f.stmt(out, in)
	}
}

func (f *function) stmt(out *list, in *ir.Instr) {
	switch in.Op {
	case ir.OpStore:
		n := len(in.Args) - 1
		f.assign(out, f.viewElement(in), in.Args[n], func(v *ir.Instr) bool {
			return v.Op == ir.OpLoad && v.Kind() != types.Bool && v.Param == in.Param && v.Leaf == in.Leaf && in.InBounds && v.InBounds && f.allWritten(v.Args, in.Args[:n])
		})
	case ir.OpElemSet:
		n := len(in.Args) - 1
		f.assign(out, f.element(in.Local, in.Args[:n], in), in.Args[n], func(v *ir.Instr) bool {
			return v.Op == ir.OpElemGet && v.Local == in.Local && in.InBounds && v.InBounds && f.allWritten(v.Args, in.Args[:n])
		})
	case ir.OpLocalSet:
		f.setLocal(out, in)
	case ir.OpIf:
		f.ifElse(out, in)
	case ir.OpRange:
		f.counted(out, in)
	case ir.OpLoop:
		f.loop(out, in, nil)
	case ir.OpScope:
		inner := f.block(in.Blocks[0])
		if len(inner.code) == 1 && !inner.declares {
			out.add(inner.code...)
		} else if len(inner.code) > 0 {
			out.add(jen.Block(inner.code...))
		}
	case ir.OpBreak:
		out.add(jen.Break())
	case ir.OpContinue:
		out.add(jen.Continue())
	case ir.OpReturn:
		var vals []jen.Code
		for _, a := range in.Args {
			vals = append(vals, f.expr(a).code)
		}
		out.add(jen.Return(vals...))
	case ir.OpCall:
		f.call(out, in, false)
	case ir.OpReport:
		f.report(out, in)
	case ir.OpPrint:
		f.print(out, in)
	default:
		f.define(out, in)
	}
}

// define declares a value that is not printed at its use.
func (f *function) define(out *list, in *ir.Instr) {
	switch {
	case !f.prints(in):
		return
	case in.Op == ir.OpAtomic && f.l.uses[in] == 0:
		out.add(f.compute(in).code)
		return
	case (in.Op == ir.OpCondAnd || in.Op == ir.OpCondOr) && !f.inline(in.Blocks[0]): // its value may be unused
		f.shortCircuit(out, in)
		return
	case f.l.uses[in] == 0: // for the check of its index alone
		out.add(jen.Id("_").Op("=").Add(f.compute(in).alone()))
		return
	case in.Op == ir.OpLocalGet && in.Name == "" && f.steady(in):
		f.named[in] = f.locals[in.Local]
		return
	}
	v := f.compute(in)
	name := f.valueName(in)
	out.declare(jen.Id(name).Op(":=").Add(v.alone()))
	f.named[in] = name
}

// steady reports a read of a local whose variable holds the value until its last use, so that the variable itself can
// stand there.
func (f *function) steady(in *ir.Instr) bool {
	if in.Kind() == types.Invalid {
		return false
	}
	last := f.l.order[in]
	for _, u := range f.l.users[in] {
		u = f.printedIn(u)
		at := f.l.order[u]
		if u.Op == ir.OpRange {
			at = f.l.end[u] // its bound may be read again in each iteration
		}
		for p := f.l.parent[u]; p != nil && f.l.order[p] > f.l.order[in]; p = f.l.parent[p] {
			if p.Op == ir.OpRange || p.Op == ir.OpLoop {
				at = max(at, f.l.end[p]) // what follows in the loop comes before the next iteration's use
			}
		}
		last = max(last, at)
	}
	for _, s := range f.l.sets[in.Local] {
		if f.l.order[in] < f.l.order[s] && f.l.order[s] < last {
			return false
		}
	}
	return true
}

// printedIn is the statement whose text holds a value.
func (f *function) printedIn(in *ir.Instr) *ir.Instr {
	for {
		p := f.l.parent[in]
		switch {
		case in.Op == ir.OpYield && (p.Op == ir.OpCondAnd || p.Op == ir.OpCondOr):
			in = p
		case f.placed[in] && len(f.l.users[in]) == 1:
			in = f.l.users[in][0]
		default:
			return in
		}
	}
}

// prints reports an instruction that prints a statement: not one that stands at its use, but one whose value nothing
// uses stays for the check of its index.
func (f *function) prints(in *ir.Instr) bool {
	return f.l.live[in] && !(f.placed[in] && f.l.uses[in] > 0)
}

func (f *function) valueName(in *ir.Instr) string {
	if in.Name == "" {
		return f.scopes.fresh("t")
	}
	return f.scopes.declare(in.Name)
}

func (f *function) localName(local *ir.Local) string {
	var name string
	if local.Name == "" {
		name = f.scopes.fresh("v")
	} else {
		name = f.scopes.declare(local.Name)
	}
	f.locals[local] = name
	return name
}

// inline reports whether everything that b prints stands in its Yield.
func (f *function) inline(b *ir.Block) bool {
	for _, in := range f.l.body[b] {
		if f.prints(in) && in.Op != ir.OpYield {
			return false
		}
	}
	return true
}

// settle takes back the placing of && and || whose right side has a statement after all: the check of an index whose
// value is not used.
func (f *function) settle(b *ir.Block) {
	for _, in := range f.l.body[b] {
		for _, c := range in.Blocks {
			f.settle(c)
		}
		if (in.Op == ir.OpCondAnd || in.Op == ir.OpCondOr) && f.placed[in] && !f.inline(in.Blocks[0]) {
			f.placed[in] = false
		}
	}
}

// shortCircuit is && or || whose right side needs statements of its own.
func (f *function) shortCircuit(out *list, in *ir.Instr) {
	x := f.expr(in.Args[0])
	name := f.valueName(in)
	out.declare(jen.Id(name).Op(":=").Add(x.code))
	cond := jen.Id(name)
	if in.Op == ir.OpCondOr {
		cond = jen.Op("!").Id(name)
	}
	f.scopes.push()
	inner := &list{}
	f.stmts(inner, in.Blocks[0])
	inner.add(jen.Id(name).Op("=").Add(f.expr(yielded(in.Blocks[0])).code))
	f.scopes.pop()
	out.add(jen.If(cond).Block(inner.code...))
	f.named[in] = name
}

// allWritten reports that values stand in the text as others do: the name of one as the same name. Two variables that hold
// equal values are not that, since the text would leave one of them unused.
func (f *function) allWritten(a, b []*ir.Instr) bool {
	for i := range a {
		if name := f.named[a[i]]; name != f.named[b[i]] || name == "" && !(same(a[i], b[i]) && f.allWritten(a[i].Args, b[i].Args)) {
			return false
		}
	}
	return len(a) == len(b)
}

// assign prints `target = v`, as `target op= w` where v is an operation on the target itself.
func (f *function) assign(out *list, target *jen.Statement, v *ir.Instr, isTarget func(*ir.Instr) bool) {
	if f.placed[v] && isTarget(v) {
		// Its own value: vet takes `y[i] = y[i]` for a mistake.
		name := f.scopes.fresh("t")
		out.add(jen.Block(jen.Id(name).Op(":=").Add(f.expr(v).code), jen.Add(target).Op("=").Id(name)))
		return
	}
	if f.placed[v] && len(v.Args) == 2 && isTarget(v.Args[0]) && f.standsFor(v.Args[0]) {
		if op, ok := f.compound(v); ok {
			y := f.expr(v.Args[1])
			if k := v.Kind(); k.IsInteger() && v.Args[1].IsInt(1) && (op == "+" || op == "-") {
				out.add(jen.Add(target).Op(op + op))
				return
			}
			out.add(jen.Add(target).Op(op + "=").Add(y.code))
			return
		}
	}
	out.add(jen.Add(target).Op("=").Add(f.expr(v).code))
}

// standsFor reports a value whose text is the target itself.
func (f *function) standsFor(in *ir.Instr) bool {
	return f.placed[in] || in.Op == ir.OpLocalGet && f.named[in] == f.locals[in.Local]
}

// compound is the operator of `x op= y` when v prints as x op y.
func (f *function) compound(v *ir.Instr) (string, bool) {
	op, ok := operators[v.Op]
	switch {
	case v.Op.IsCompare() || f.rounds(v):
		return "", false
	case ok:
		return op.text, true
	case v.Op == ir.OpDiv && (v.Kind().IsFloat() || nonzero(v.Args[1])):
		return "/", true
	case v.Op == ir.OpRem && v.Kind().IsInteger() && nonzero(v.Args[1]):
		return "%", true
	case v.Op == ir.OpShl && countFits(v):
		return "<<", true
	case v.Op == ir.OpShr && countFits(v):
		return ">>", true
	}
	return "", false
}

func (f *function) setLocal(out *list, in *ir.Instr) {
	v := in.Args[0]
	if f.decls.by[in] {
		if _, ok := in.Local.Type.(*types.Array); ok && v.Op == ir.OpConst {
			out.declare(jen.Var().Id(f.localName(in.Local)).Add(goType(in.Local.Type)))
			return
		}
		code := f.expr(v).alone() // before the name is declared: it is not visible in its own value
		out.declare(jen.Id(f.localName(in.Local)).Op(":=").Add(code))
		return
	}
	if v.Op == ir.OpLocalGet && v.Local == in.Local && f.standsFor(v) {
		return
	}
	f.assign(out, jen.Id(f.locals[in.Local]), v, func(v *ir.Instr) bool { return v.Op == ir.OpLocalGet && v.Local == in.Local })
}

func (f *function) ifElse(out *list, in *ir.Instr) {
	then, other := f.block(in.Blocks[0]), f.block(in.Blocks[1])
	if len(then.code) == 0 && len(other.code) == 0 {
		out.add(jen.Id("_").Op("=").Add(f.expr(in.Args[0]).code))
		return
	}
	out.ifs++
	switch {
	case len(then.code) == 0:
		out.add(jen.If(f.not(in.Args[0])).Block(other.code...))
	case len(other.code) == 0:
		out.add(jen.If(f.expr(in.Args[0]).code).Block(then.code...))
	case len(other.code) == 1 && other.ifs == 1:
		out.add(jen.If(f.expr(in.Args[0]).code).Block(then.code...).Else().Add(other.code[0]))
	default:
		out.add(jen.If(f.expr(in.Args[0]).code).Block(then.code...).Else().Block(other.code...))
	}
}

// call prints a call of a function; results that nothing reads go to the blank identifier.
func (f *function) call(out *list, in *ir.Instr, declares bool) {
	var args, outs []jen.Code
	for _, a := range in.Args {
		args = append(args, f.expr(a).code)
	}
	c := jen.Id(f.e.funcs[in.Func]).Call(args...)
	used := false
	for _, o := range in.Outs {
		if f.l.locals[o] {
			used = true
			if declares {
				f.localName(o)
			}
			outs = append(outs, jen.Id(f.locals[o]))
		} else {
			outs = append(outs, jen.Id("_"))
		}
	}
	if !used {
		out.add(c)
		return
	}
	if declares {
		out.declare(jen.List(outs...).Op(":=").Add(c))
		return
	}
	out.add(jen.List(outs...).Op("=").Add(c))
}

// declaredBy reports a call that declares all its results that are used, each once.
func (f *function) declaredBy(in *ir.Instr) bool {
	before := f.decls.before[in]
	n := 0
	for i, o := range in.Outs {
		if f.l.locals[o] {
			n++
			if !slices.Contains(before, o) || slices.Contains(in.Outs[:i], o) {
				return false
			}
		}
	}
	return n > 0 && n == len(before)
}
