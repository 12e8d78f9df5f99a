package cpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// kernel prints one instance: its arguments as typed Go values, then its body in loops over the box, whose points are
// the blocks in a kernel of blocks.
func (e *emitter) kernel(out *list, k *ir.Kernel) {
	var shared map[*ir.Local]kept
	does := "on the CPU."
	switch {
	case k.ByBlock:
		k = alone(k)
	case len(k.Group) > 0:
		k, shared = fission(k)
		does = "on the CPU: a block's threads in turn, from barrier to barrier."
	}
	user := userNames(k.Body, k.Locals)
	for _, p := range k.Params {
		user[p.Name] = true
	}
	for _, s := range k.Symbols {
		user[s.Name] = true
	}
	for _, d := range k.Domain {
		user[d.Name] = true
	}
	f := &function{
		e: e, scopes: e.scopes(user),
		placed: ir.Placed(k.Body), kept: shared,
		named: map[*ir.Instr]string{}, locals: map[*ir.Local]string{}, symbols: map[string]string{}, extents: map[string]string{},
	}
	if shared == nil {
		f.l = findLive(k.Body, findRows(k), nil)
	} else {
		f.starts = findStarts(k)
		f.l = findLive(k.Body, nil, f.starts.needs)
	}
	f.settle(k.Body)
	f.decls = declare(k.Body, f.l, func(l *ir.Local) bool { _, ok := shared[l]; return ok })
	for _, p := range k.Params {
		f.params = append(f.params, f.scopes.declare(p.Name))
	}
	for _, s := range k.Symbols {
		f.symbols[s.Name] = f.scopes.declare(s.Name)
	}
	for i, p := range k.Params {
		if p.Type == types.Int {
			f.symbols[p.Name] = f.params[i]
		}
	}
	for _, d := range k.Domain {
		f.points = append(f.points, f.scopes.declare(d.Name))
	}
	args, box := f.scopes.temp("args"), f.scopes.temp("box")

	head, body := &list{}, &list{}
	f.prologue(head, k, args)
	f.takeRecord(head, k, args)
	if shared == nil {
		f.loops(body, k, box)
	} else {
		f.blocks(body, k, box)
	}
	code := append(append(f.hoisted.code, head.code...), body.code...)
	name := e.names.CPU(k.Instance)
	out.add(
		jen.Comment("// "+name+" is "+k.Instance+" "+does),
		jen.Func().Id(name).Params(
			jen.Id(args).Op("*").Qual(runtimePath, "Args"), jen.Id(box).Op("*").Qual(runtimePath, "Box"),
		).Block(code...),
		jen.Line(),
	)
}

// alone is a `by block` kernel whose shared variables belong to the one thread that runs a point here.
func alone(k *ir.Kernel) *ir.Kernel {
	k = k.Clone()
	plainAtomics(k.Body)
	for _, l := range k.Locals {
		l.Shared = false
	}
	return k
}

// prologue declares the arguments that the body uses.
func (f *function) prologue(out *list, k *ir.Kernel, args string) {
	views, names := f.uses(k)
	for i, p := range k.Params {
		if !p.IsView() && names[p.Name] {
			out.add(jen.Id(f.params[i]).Op(":=").Qual(runtimePath, "Arg").Types(goType(p.Type)).Call(jen.Id(args), jen.Lit(i)))
		}
	}
	for i, s := range k.Symbols {
		if names[s.Name] {
			out.add(jen.Id(f.symbols[s.Name]).Op(":=").Qual(runtimePath, "Arg").Types(jen.Int()).Call(jen.Id(args), jen.Lit(len(k.Params)+i)))
		}
	}
	for _, p := range k.Params {
		if !views[p] {
			continue
		}
		for d, h := range p.Dims {
			if text := h.String(); h.Op != types.HConst && h.Op != types.HSym && f.extents[text] == "" {
				name := f.scopes.temp(p.Name + extentNames[len(p.Dims)][d])
				out.add(jen.Id(name).Op(":=").Add(f.header(h).code))
				f.extents[text] = name
			}
		}
		n := f.extent(p, 0)
		for d := 1; d < len(p.Dims); d++ {
			n = value{code: jen.Add(n.in(mulPrec)).Op("*").Add(f.extent(p, d).in(unary)), prec: mulPrec}
		}
		out.add(jen.Id(f.params[p.Index]).Op(":=").Qual(runtimePath, "Elems").Types(goType(p.Elem())).Call(
			jen.Id(args), jen.Lit(p.Index), n.code))
	}
}

// extentNames name the variables for extents that are expressions, by rank.
var extentNames = [...][]string{1: {"Len"}, 2: {"Rows", "Cols"}, 3: {"Depth", "Rows", "Cols"}, 4: {"Batch", "Depth", "Rows", "Cols"}}

// uses are the views that the body touches, and the scalars and symbols that it or the extents of those views name.
func (f *function) uses(k *ir.Kernel) (views map[*ir.Param]bool, names map[string]bool) {
	views, names = map[*ir.Param]bool{}, map[string]bool{}
	for in := range f.l.live {
		switch in.Op {
		case ir.OpLoad, ir.OpStore, ir.OpAtomic:
			if !in.Param.IsView() {
				names[in.Param.Name] = true
				continue
			}
			views[in.Param] = true
			for _, h := range in.Param.Dims {
				h.Walk(func(x *types.Header) {
					if x.Op == types.HSym {
						names[x.Name] = true
					}
				})
			}
			if r := f.l.rows[in]; r != nil {
				for _, i := range r.first.Args[:rank(in)-1] {
					nameLeaves(i, names)
				}
			}
		case ir.OpParamGet, ir.OpExtent:
			nameLeaves(in, names)
		}
	}
	return views, names
}

// nameLeaves notes the scalars and symbols of an expression.
func nameLeaves(in *ir.Instr, names map[string]bool) {
	switch in.Op {
	case ir.OpParamGet:
		names[in.Param.Name] = true
	case ir.OpExtent:
		names[in.Sym.Name] = true
	}
	for _, a := range in.Args {
		nameLeaves(a, names)
	}
}

// loops prints the body once a point of the box, the last dim innermost.
func (f *function) loops(out *list, k *ir.Kernel, box string) {
	last := len(k.Domain) - 1
	end := func(name string, d int) *jen.Statement { return jen.Id(box).Dot(name).Index(jen.Lit(d)) }
	lo, hi := f.scopes.temp("lo"), f.scopes.temp("hi")
	cut := cutViews(k, f.l)
	start := end("Lo", last)
	if len(cut) > 0 || f.plainRow() {
		// Never negative, as the accesses that are proven show; said so that the compiler sees it too.
		start = f.max(start)
	}
	out.add(jen.List(jen.Id(lo), jen.Id(hi)).Op(":=").List(start, end("Hi", last)))
	if len(cut) > 0 {
		var to, from []jen.Code
		for _, p := range cut {
			to = append(to, jen.Id(f.params[p.Index]))
			from = append(from, jen.Id(f.params[p.Index]).Index(jen.Op(":").Id(hi)))
		}
		out.add(jen.List(to...).Op("=").List(from...))
	}
	rows := &list{}
	f.takeRows(rows, k, hi)
	inner := f.block(k.Body)
	i := f.points[last]
	code := append(rows.code, jen.For(jen.Id(i).Op(":=").Id(lo), jen.Id(i).Op("<").Id(hi), jen.Id(i).Op("++")).Block(inner.code...))
	out.add(f.over(last, box, code)...)
}

// over wraps code in loops over the first n dims of the box.
func (f *function) over(n int, box string, code []jen.Code) []jen.Code {
	for d := n - 1; d >= 0; d-- {
		i := f.points[d]
		end := func(name string) *jen.Statement { return jen.Id(box).Dot(name).Index(jen.Lit(d)) }
		code = []jen.Code{jen.For(jen.Id(i).Op(":=").Add(end("Lo")), jen.Id(i).Op("<").Add(end("Hi")), jen.Id(i).Op("++")).Block(code...)}
	}
	return code
}

// blocks prints the body once a block of the box, behind the variables that the threads of a block share and those that
// they keep over barriers: every block finds there what the one before has left.
func (f *function) blocks(out *list, k *ir.Kernel, box string) {
	for _, l := range k.Locals {
		if _, ok := f.kept[l]; ok && f.l.locals[l] {
			out.add(jen.Var().Id(f.localName(l)).Add(goType(l.Type)))
		}
	}
	out.add(f.over(len(k.Domain), box, f.block(k.Body).code)...)
}

func (f *function) max(x *jen.Statement) *jen.Statement {
	if f.e.names.Declares("max") {
		return jen.Qual(genPath, "Max").Call(x, jen.Lit(0))
	}
	return jen.Id("max").Call(x, jen.Lit(0))
}

// plainRow reports a row that is accessed at the innermost index.
func (f *function) plainRow() bool {
	for _, r := range f.l.rows {
		if r.plain {
			return true
		}
	}
	return false
}
