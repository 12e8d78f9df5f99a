package cpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// takeRecord declares what the kernel tells the host through, if it has something to tell.
func (f *function) takeRecord(out *list, k *ir.Kernel, args string) {
	if len(k.Sites) == 0 {
		return
	}
	f.record, f.dims = f.scopes.temp("record"), len(k.Domain)
	out.add(jen.Id(f.record).Op(":=").Qual(runtimePath, "Record").Call(jen.Id(args), jen.Lit(len(k.Params)+len(k.Symbols))))
}

// report prints a test that failed.
func (f *function) report(out *list, in *ir.Instr) {
	out.add(f.place(in.Args[2:]).Dot("Report").Call(jen.Lit(in.Site.Index), f.whole(in.Args[0]), f.whole(in.Args[1])))
}

// print prints a Print: into the record in a kernel, to the standard output in a function of Go.
func (f *function) print(out *list, in *ir.Instr) {
	if in.Site == nil {
		args := []jen.Code{jen.Lit(in.Text)}
		for _, a := range in.Args {
			args = append(args, f.typed(a))
		}
		out.add(jen.Qual(genPath, "Printf").Call(args...))
		return
	}
	n := len(in.Site.Args)
	args := []jen.Code{jen.Lit(in.Site.Index)}
	for _, a := range in.Args[:n] {
		args = append(args, jen.Qual(runtimePath, "Bits").Call(f.typed(a)))
	}
	out.add(f.place(in.Args[n:]).Dot("Print").Call(args...))
}

// typed is a value as an argument that takes any type: a constant needs its own said.
func (f *function) typed(a *ir.Instr) *jen.Statement {
	if a.Op == ir.OpConst && a.Kind() != types.Bool {
		return jen.Add(goType(a.Type)).Call(f.expr(a).alone())
	}
	return f.expr(a).code
}

// place is the thread that tells something.
func (f *function) place(where []*ir.Instr) *jen.Statement {
	var point []jen.Code
	for _, a := range where[:f.dims] {
		point = append(point, f.whole(a))
	}
	s := jen.Id(f.record).Dot("At").Call(point...)
	if len(where) > f.dims {
		s = s.Dot("Thread").Call(f.whole(where[f.dims]))
	}
	return s
}

// whole is an int.
func (f *function) whole(a *ir.Instr) *jen.Statement {
	if a.Kind() == types.Int {
		return f.expr(a).code
	}
	return jen.Int().Call(f.expr(a).code)
}
