package cpu

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// functions prints the exported functions of this file, and what they call: one Go function a name, generic where the
// function is, over one hidden function an instance.
func (e *emitter) functions(out *list) {
	var order []*ir.Func
	var need func(fn *ir.Func)
	seen := map[*ir.Func]bool{}
	need = func(fn *ir.Func) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		order = append(order, fn)
		fn.Body.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpCall {
				need(in.Func)
			}
		})
	}
	groups := map[string][]*ir.Func{}
	var names []string
	for _, fn := range e.m.Funcs {
		if !e.exports(fn) {
			continue
		}
		if groups[fn.Name] == nil {
			names = append(names, fn.Name)
		}
		groups[fn.Name] = append(groups[fn.Name], fn)
		need(fn)
	}
	for _, fn := range order {
		name := fn.Name
		switch {
		case !e.exports(fn) || len(fn.Generics) > 0 && !constantArgs(fn):
			name = e.names.Func(e.m.File, fn.Instance)
		case constantArgs(fn):
			name = fn.Name + argName(fn)
		}
		e.typed[fn], e.funcs[fn] = name, name
		if fn.Sig != nil && e.exports(fn) {
			e.funcs[fn] = e.names.Parts(e.m.File, fn.Instance)
		}
	}
	for _, name := range names {
		if all := groups[name]; len(all[0].Generics) > 0 && !constantArgs(all[0]) {
			e.dispatcher(out, all)
		}
	}
	for _, fn := range order {
		if e.funcs[fn] != e.typed[fn] {
			e.signature(out, fn)
		}
		e.function(out, fn)
	}
}

// exports reports an exported function that this file declares; one of another file is printed there.
func (e *emitter) exports(fn *ir.Func) bool {
	return fn.Exported && (fn.Pos.File == "" || baseName(fn.Pos.File) == baseName(e.m.File))
}

// constantArgs reports a function over constants: Go has no such parameters, so each instance is a function of its own.
func constantArgs(fn *ir.Func) bool {
	for _, g := range fn.Generics {
		if g.Type == nil {
			return true
		}
	}
	return false
}

// argName is the arguments of an instance as part of a name.
func argName(fn *ir.Func) string {
	s := ""
	for _, g := range fn.Generics {
		switch {
		case g.Type != nil:
			t := g.Type.String()
			s += strings.ToUpper(t[:1]) + t[1:]
		case g.Value < 0:
			s += "Minus" + strconv.FormatInt(g.Value, 10)[1:]
		default:
			s += strconv.FormatInt(g.Value, 10)
		}
	}
	return s
}

// doc is the comment of an exported function.
func (e *emitter) doc(out *list, fn *ir.Func) {
	lines := codegen.DocLines(fn.Doc)
	if len(lines) == 0 {
		lines = []string{fn.Name + " is the function " + fn.Name + " of " + baseName(e.m.File) + "."}
	}
	for _, line := range lines {
		out.add(jen.Comment(strings.TrimRight("// "+line, " ")))
	}
}

// function prints one instance.
func (e *emitter) function(out *list, fn *ir.Func) {
	user := userNames(fn.Body, fn.Locals)
	params := map[*ir.Local]bool{}
	for _, p := range fn.Params {
		params[p] = true
		user[p.Name] = true
	}
	f := &function{
		e: e, scopes: e.scopes(user),
		placed: ir.Placed(fn.Body), l: findLive(fn.Body, nil, nil),
		named: map[*ir.Instr]string{}, locals: map[*ir.Local]string{},
	}
	for _, name := range e.funcs {
		f.scopes.stack[0][name] = true // callees stay visible
	}
	f.settle(fn.Body)
	f.decls = declare(fn.Body, f.l, func(l *ir.Local) bool { return params[l] })
	f.scopes.push()
	var sig []jen.Code
	for i := 0; i < len(fn.Params); {
		var group []jen.Code
		j := i
		for ; j < len(fn.Params) && types.Identical(fn.Params[j].Type, fn.Params[i].Type); j++ {
			f.locals[fn.Params[j]] = f.scopes.declare(fn.Params[j].Name)
			group = append(group, jen.Id(f.locals[fn.Params[j]]))
		}
		sig = append(sig, jen.List(group...).Add(goType(fn.Params[i].Type)))
		i = j
	}
	body := &list{}
	f.stmts(body, fn.Body)
	if len(fn.Results) > 0 && !f.l.blockEnds(fn.Body) {
		// Never reached: the checker has seen that every way returns.
		var zeros []jen.Code
		for _, t := range fn.Results {
			zeros = append(zeros, zero(t))
		}
		body.add(jen.Return(zeros...))
	}
	switch {
	case e.funcs[fn] != e.typed[fn]:
		out.add(jen.Comment("// " + e.funcs[fn] + " is the function " + fn.Instance + ", its structs and vectors taken apart."))
	case e.exports(fn) && e.funcs[fn] != e.names.Func(e.m.File, fn.Instance):
		e.doc(out, fn)
	default:
		out.add(jen.Comment("// " + e.funcs[fn] + " is the function " + fn.Instance + "."))
	}
	out.add(
		jen.Func().Id(e.funcs[fn]).Params(sig...).Add(resultTypes(fn.Results)).Block(append(f.hoisted.code, body.code...)...),
		jen.Line(),
	)
}

func resultTypes(results []types.Type) *jen.Statement {
	var list []jen.Code
	for _, t := range results {
		list = append(list, goType(t))
	}
	switch len(list) {
	case 0:
		return jen.Null()
	case 1:
		return jen.Add(list[0])
	}
	return jen.Params(list...)
}

// zero is a zero value as an expression.
func zero(t types.Type) *jen.Statement {
	switch k := types.KindOf(t); {
	case k == types.Invalid:
		return goType(t).Values()
	case k == types.Bool:
		return jen.False()
	}
	return jen.Lit(0)
}
