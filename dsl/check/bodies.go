package check

import (
	"fmt"
	"slices"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// order sorts the constants and structs as the sources declare them: they were evaluated as they were needed.
func (c *checker) order() {
	at := map[string]int{}
	for i, f := range c.files {
		at[f.Name] = i
	}
	before := func(a, b diag.Pos) int {
		if a.File != b.File {
			return at[a.File] - at[b.File]
		}
		return a.Offset - b.Offset
	}
	slices.SortStableFunc(c.prog.Consts, func(a, b *Const) int { return before(a.Pos, b.Pos) })
	slices.SortStableFunc(c.prog.Structs, func(a, b *Struct) int { return before(a.Pos, b.Pos) })
}

// function checks the body of a function instance.
func (b *body) function() {
	d := b.fn.Decl
	b.statements(d.Body)
	if len(b.fn.Results) > 0 && !slices.Contains(b.fn.Results, types.Type(types.Invalid)) && !b.terminates(d.Body.Stmts) && !b.lastValue(d.Body.Stmts) {
		end := d.Body.End()
		start := end
		start.Offset--
		start.Col--
		e := &MissingReturnError{span: span{start, end}, Func: b.fn.Name}
		for _, s := range d.Body.Stmts {
			if b.terminates([]dsl.Stmt{s}) {
				e.Behind = at(s)
				break
			}
		}
		b.report(e)
	}
	b.close()
	b.checker.calls[b.fn] = b.calls
	b.checker.scratch[b.fn], b.checker.folds[b.fn] = b.reduces, b.folds
	b.checker.atomicIn[b.fn] = b.atomics
	if len(b.meetings) > 0 {
		b.meets[b.fn] = firsts(b.meetings)
	}
}

// lastValue reports whether a function ends with a value that nothing uses, which was meant to be returned and is reported.
func (b *body) lastValue(list []dsl.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	s, ok := list[len(list)-1].(*dsl.ExprStmt)
	return ok && b.seen[placeCode{s.X.Pos(), "unused-value"}] != nil
}

// kernel checks all instances of a kernel.
func (c *checker) kernel(k *kernelDecl) {
	generics, ok := c.generics(k.file, k.decl.Generics)
	if !ok {
		return
	}
	for i, args := range instances(generics) {
		b := c.newBody(k.file, newScope(c.scope))
		b.kernel = &Kernel{
			Decl: k.decl, File: k.file.Name, Name: k.decl.Name.Name, Instance: instanceName(k.decl.Name.Name, args),
			Entry: entryName(k.decl.Name.Name, args), Generics: args, Body: b.facts,
		}
		if i > 0 {
			b.instance = b.kernel.Instance
		}
		b.bindGenerics(generics, args)
		if b.kernelBody(k.decl) {
			k.bodies = append(k.bodies, b)
		}
		c.prog.Kernels = append(c.prog.Kernels, b.kernel)
	}
}

// kernelBody checks one instance of a kernel; false: its body was not checked.
func (b *body) kernelBody(d *dsl.KernelDecl) bool {
	k := b.kernel
	a := b.attrsOf(d.Attrs, "kernel")
	k.Exact, k.FastMath, k.Threads, b.blockAt = a.exact, a.fastMath, a.block, a.blockAt
	k.Targets = b.prog.Options.Targets
	if a.targets != 0 {
		if k.Targets &= a.targets; k.Targets == 0 {
			b.report(&AttributeError{span: a.targetsAt, Name: "targets", Why: "leaves no target: the folder is compiled for " + b.prog.Options.Targets.String()})
		}
	}
	b.asked = k.Targets
	_, b.blocks = d.Domain.(*dsl.BlocksDomain)
	b.params(d.Params)
	k.Symbols = b.bindExtents(k.Params, b.dimExprs)
	k.Equal = b.unify(k.Params, b.dimExprs, k.Symbols)
	b.requires(d.Requires)
	b.inplace(a.inplace)
	if !b.domain(d) {
		return false
	}
	b.statements(d.Body)
	b.close()
	return true
}

// recursion reports each cycle of calls and whether there is none.
func (c *checker) recursion() bool {
	edges := map[*dsl.FuncDecl][]callSite{}
	for _, b := range c.bodies {
		edges[b.fn.Decl] = append(edges[b.fn.Decl], b.calls...)
	}
	const (
		fresh = iota
		open
		done
	)
	state := map[*dsl.FuncDecl]int{}
	var path []*dsl.FuncDecl
	var sites []callSite
	acyclic := true
	closed := map[[2]*dsl.FuncDecl]bool{} // calls that close a cycle and are reported
	var visit func(f *dsl.FuncDecl)
	visit = func(f *dsl.FuncDecl) {
		state[f] = open
		path = append(path, f)
		for _, s := range edges[f] {
			g := s.fn.Decl
			sites = append(sites, s)
			switch {
			case state[g] == fresh && len(path) > maxDepth:
				acyclic = false
				c.reportOnce(&TooLargeError{span: s.place, Name: g.Name.Name, Why: fmt.Sprintf("is called more than %d calls deep", maxDepth)})
			case state[g] == fresh:
				visit(g)
			case state[g] == open:
				acyclic = false
				from := slices.Index(path, g)
				e := &RecursionError{span: sites[from].place}
				for _, p := range path[from:] {
					e.Cycle = append(e.Cycle, p.Name.Name)
				}
				e.Cycle = append(e.Cycle, g.Name.Name)
				for _, s := range sites[from+1:] {
					e.Calls = append(e.Calls, s.place)
				}
				if edge := [2]*dsl.FuncDecl{f, g}; !closed[edge] {
					closed[edge] = true
					c.report(e)
				}
			}
			sites = sites[:len(sites)-1]
		}
		path = path[:len(path)-1]
		state[f] = done
	}
	for _, f := range c.funcs {
		if state[f.decl] == fresh {
			visit(f.decl)
		}
	}
	return acyclic
}

// maxNodes bounds the expressions of a kernel with all its calls inlined. Calls of calls multiply, so that a short file
// could otherwise ask for more code than any machine holds.
const maxNodes = 1 << 18

// sizes reports a kernel that is too large once its calls are inlined.
func (c *checker) sizes(k *kernelDecl) {
	for _, b := range k.bodies {
		n := len(b.facts.Values)
		for _, s := range b.calls {
			if n += c.size(s.fn); n > maxNodes {
				b.report(&TooLargeError{span: at(k.decl.Name), Name: b.kernel.Name, Why: "is too large once its calls are inlined"})
				return
			}
		}
	}
}

func (c *checker) size(f *Func) int {
	if n, ok := c.sized[f]; ok {
		return n
	}
	n := len(f.Body.Values) + 1
	for _, s := range c.calls[f] {
		n = min(n+c.size(s.fn), maxNodes+1)
	}
	c.sized[f] = n
	return n
}

// finish lists the functions that the program needs.
func (c *checker) finish() {
	needed := map[*Func]bool{}
	var mark func(f *Func)
	mark = func(f *Func) {
		if needed[f] {
			return
		}
		needed[f] = true
		for _, s := range c.calls[f] {
			mark(s.fn)
		}
	}
	for _, k := range c.kernels {
		for _, b := range k.bodies {
			for _, s := range b.calls {
				mark(s.fn)
			}
		}
	}
	for _, f := range c.funcs {
		for _, fn := range f.order {
			if fn.Exported {
				mark(fn)
			}
		}
	}
	for _, f := range c.funcs {
		for _, fn := range f.order {
			if needed[fn] {
				c.prog.Funcs = append(c.prog.Funcs, fn)
			}
		}
	}
}

// entries makes the entry names differ, those of the wide variants included: kernels `A[T float32]`, `A_float32` and
// `A_float32_wide` can live in one package.
func (c *checker) entries() {
	taken := map[string]bool{}
	for _, k := range c.prog.Kernels {
		for taken[k.Entry] || taken[k.Entry+"_wide"] {
			k.Entry += "_"
		}
		taken[k.Entry], taken[k.Entry+"_wide"] = true, true
	}
}
