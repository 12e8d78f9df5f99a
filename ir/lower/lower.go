// Package lower turns the facts of a checked package into IR: one module for each .gpu file.
//
// The root package calls it once, after a check without errors. From here on a mistake is a bug of gpugen: lower
// panics, naming the construct. Constants come from the facts; a variable that is assigned once becomes a value that
// keeps its name, every other variable and every array a local slot. The IR has no structs, vectors and arrays of these: a
// value of one is its leaves (types.Leaves), a variable one slot a leaf; only views and parameters have them whole.
// Nested arrays become one array of more dims. A
// counting loop whose bound cannot change becomes a Range, so that later passes know the index's range. A switch becomes
// branches in a Scope, which `break` leaves; what a labelled branch passes is its Level.
package lower

import (
	"fmt"
	"go/token"
	"path"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Program lowers p to a module for each file, in the order of p.Files.
func Program(p *check.Program) []*ir.Module {
	var out []*ir.Module
	for _, f := range p.Files {
		out = append(out, module(p, f))
	}
	return out
}

// module lowers what file f declares, and the functions of other files that it calls.
func module(p *check.Program, f *dsl.File) *ir.Module {
	m := &ir.Module{Package: p.Package, File: path.Base(f.Name)}
	var consts []*check.Const
	for _, c := range p.Consts {
		if c.File == f.Name && token.IsExported(c.Name) {
			consts = append(consts, c)
		}
	}
	m.Structs = structs(p, f)
	l := &lowerer{module: m, funcs: map[*check.Func]*ir.Func{}, tables: map[*check.Table]*ir.Table{}}
	for _, c := range consts {
		m.Consts = append(m.Consts, l.constant(c))
	}
	for _, fn := range p.Funcs {
		if fn.File == f.Name && fn.Exported && !fn.ByReference() {
			l.fn(fn)
		}
	}
	for _, k := range p.Kernels {
		if k.File == f.Name {
			m.Kernels = append(m.Kernels, l.kernel(k))
		}
	}
	return m
}

// structs are those that the parameters and signatures of file f name, and those of f that Go has: the exported ones, and
// those that anything of the package needs for a parameter or signature. The bodies of kernels have no struct left.
func structs(p *check.Program, f *dsl.File) []*ir.Struct {
	needed := map[string]bool{}
	inGo, order := map[string]bool{}, []*types.Struct{}
	need := func(t types.Type, here bool) {
		types.Structs(t, inGo)
		if here {
			order = append(order, types.Structs(t, needed)...)
		}
	}
	for _, k := range p.Kernels {
		for _, a := range k.Params {
			need(a.Type, k.File == f.Name)
		}
	}
	for _, fn := range p.Funcs {
		if !fn.Exported {
			continue
		}
		for _, v := range fn.Params {
			need(v.Type, fn.File == f.Name)
		}
		for _, t := range fn.Results {
			need(t, fn.File == f.Name)
		}
	}
	for _, s := range p.Structs {
		if token.IsExported(s.Type.Name) {
			need(s.Type, s.File == f.Name)
		}
	}
	for _, s := range p.Structs {
		if s.File == f.Name && inGo[s.Type.Name] {
			order = append(order, types.Structs(s.Type, needed)...)
		}
	}
	var out []*ir.Struct
	for _, t := range order {
		for _, s := range p.Structs {
			if s.Type.Name == t.Name {
				x := &ir.Struct{Type: s.Type, Doc: docLines(s.Doc), Pos: s.Pos}
				for _, doc := range s.Fields {
					x.Fields = append(x.Fields, docLines(doc))
				}
				out = append(out, x)
			}
		}
	}
	return out
}

// lowerer lowers one module.
type lowerer struct {
	module *ir.Module
	funcs  map[*check.Func]*ir.Func
	tables map[*check.Table]*ir.Table
}

// fn is the IR of a function instance, lowered at its first use. Callees come before callers in the module.
func (l *lowerer) fn(c *check.Func) *ir.Func {
	if f := l.funcs[c]; f != nil {
		return f
	}
	f := &ir.Func{
		Name: c.Name, Instance: c.Instance, Doc: docLines(c.Decl.Doc), Pos: c.Decl.Name.Pos(), Exported: c.Exported, Generics: generics(c.Generics),
	}
	l.funcs[c] = f
	b := newBody(l, c.Body, &f.Locals)
	b.exact = c.Exact
	sig := &ir.Signature{Results: c.Results}
	composite := false
	for _, v := range c.Params {
		f.Params = append(f.Params, b.declare(v)...)
		sig.Params = append(sig.Params, ir.SigParam{Name: v.Name, Type: v.Type})
		composite = composite || types.IsComposite(v.Type)
	}
	for _, t := range c.Results {
		for _, leaf := range types.Leaves(t) {
			f.Results = append(f.Results, leaf.Type())
		}
		composite = composite || types.IsComposite(t)
	}
	if composite {
		f.Sig = sig
	}
	f.Body, b.root = b.Block, c.Decl.Body
	b.stmts(c.Decl.Body.Stmts)
	l.module.Funcs = append(l.module.Funcs, f)
	return f
}

func generics(gs []check.Generic) []ir.Generic {
	var out []ir.Generic
	for _, g := range gs {
		out = append(out, ir.Generic(g))
	}
	return out
}

// docLines cuts a doc comment into lines.
func docLines(doc string) []string {
	doc = strings.TrimRight(doc, "\n")
	if doc == "" {
		return nil
	}
	return strings.Split(doc, "\n")
}

// body lowers the body of one kernel or function.
type body struct {
	ir.Builder
	*lowerer
	facts   *check.Body
	exact   bool // no product may be fused
	locals  *[]*ir.Local
	vars    map[*check.Var][]*ir.Local // variables that live in slots, one a leaf
	values  map[*check.Var][]*ir.Instr // variables that are values
	fresh   map[*ir.Local]bool         // slots that hold a value which nothing else names: a variable of that value takes them over
	root    *dsl.Block                 // of the function or kernel
	changes map[*check.Var][]bool      // which leaves of a variable something assigns behind its declaration; nil until it is asked for
	params  []*ir.Param                // of the kernel; nil in a function
	syms    []*ir.Symbol
	refs    map[*check.Var]*place // what a function takes by reference, while it is lowered in its caller
	fn      *check.Func           // that function
	byBlock bool                  // of a `by block` kernel, whose outermost unordered loops are spread over threads
	result  *results              // where its results go
	around  []dsl.Stmt            // what the Ranges, Loops and Scopes around stand for, the innermost last; nil where nothing may branch to
}

func newBody(l *lowerer, facts *check.Body, locals *[]*ir.Local) *body {
	return &body{
		Builder: ir.Builder{Block: &ir.Block{}}, lowerer: l, facts: facts, locals: locals,
		vars: map[*check.Var][]*ir.Local{}, values: map[*check.Var][]*ir.Instr{}, fresh: map[*ir.Local]bool{},
	}
}

// local makes a slot for a basic type or an array of them.
func (b *body) local(name string, t types.Type) *ir.Local {
	l := &ir.Local{ID: len(*b.locals), Name: name, Type: t, Pos: b.Pos}
	*b.locals = append(*b.locals, l)
	return l
}

// slots makes slots for all leaves of a type.
func (b *body) slots(name string, t types.Type) []*ir.Local {
	var out []*ir.Local
	for _, l := range types.Leaves(t) {
		out = append(out, b.local(leafName(name, &l), l.Type()))
	}
	return out
}

// declare makes the slots of a variable.
func (b *body) declare(v *check.Var) []*ir.Local {
	ls := b.slots(v.Name, v.Type)
	for _, l := range ls {
		l.Pos = v.Pos
	}
	b.vars[v] = ls
	return ls
}

// within runs f with the builder in another block.
func (b *body) within(block *ir.Block, f func()) {
	old := b.Block
	b.Block = block
	f()
	b.Block = old
}

// unknown reports a node that the checker let through and lowering does not know.
func unknown(what string, n dsl.Node) {
	panic(fmt.Sprintf("lower: %s %T at %s", what, n, n.Pos()))
}
