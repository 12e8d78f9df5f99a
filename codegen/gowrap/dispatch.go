package gowrap

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/dsl/types"
)

// writeConstTypes declares the types and values of constant parameters, and what they have in common when a kernel has
// several: one interface, so that a call names those that it wants in any order.
func (w *wrapper) writeConstTypes(f *jen.File) {
	consts := w.g.consts()
	for _, p := range consts {
		name := w.in.Names.ConstType(w.g.name, p.name)
		f.Comment("// " + name + " is the parameter " + p.name + " of " + w.g.name + ".")
		f.Type().Id(name).Int()
		f.Line()
		f.Comment("// The values of " + name + ".")
		f.Const().DefsFunc(func(d *jen.Group) {
			for i, v := range p.values {
				s := d.Id(w.in.Names.ConstValue(w.g.name, p.name, decimal(v))).Id(name).Op("=").Lit(int(v))
				if i == 0 {
					s.Comment("// the default")
				}
			}
		})
		f.Line()
	}
	if len(consts) < 2 {
		return
	}
	option, method := w.in.Names.Option(w.g.name)
	var list []string
	for _, p := range consts {
		list = append(list, w.in.Names.ConstType(w.g.name, p.name))
	}
	f.Comment("// " + option + " is a " + join(list, "or") + ".")
	f.Type().Id(option).Interface(jen.Id(method).Params())
	f.Line()
	for _, name := range list {
		f.Func().Params(jen.Id(name)).Id(method).Params().Block()
	}
	f.Line()
}

// dispatch writes the choice of the instance into the variable w.kernel.
func (w *wrapper) dispatch(b *jen.Group) {
	b.Var().Id(w.kernel).Op("*").Qual(Runtime, "Kernel")
	consts := w.g.consts()
	for _, p := range consts {
		b.Id(w.constVar[p.name]).Op(":=").Id(w.in.Names.ConstValue(w.g.name, p.name, decimal(p.values[0])))
	}
	switch len(consts) {
	case 0:
	case 1:
		b.For(jen.List(jen.Id("_"), jen.Id(w.constVar[consts[0].name])).Op("=").Range().Id(w.option)).Block(
			jen.Comment("// the last one counts"))
	default:
		b.For(jen.List(jen.Id("_"), jen.Id(w.each)).Op(":=").Range().Id(w.option)).Block(
			jen.Switch(jen.Id(w.each).Op(":=").Id(w.each).Assert(jen.Type())).BlockFunc(func(s *jen.Group) {
				for _, p := range consts {
					s.Case(jen.Id(w.in.Names.ConstType(w.g.name, p.name))).Block(
						jen.Id(w.constVar[p.name]).Op("=").Id(w.each))
				}
			}))
	}
	w.choose(b, nil)
}

// choose writes the switch over the generic parameter that follows the chosen args.
func (w *wrapper) choose(b *jen.Group, args []int) {
	if len(args) == len(w.g.generics) {
		b.Id(w.kernel).Op("=").Op("&").Id(w.in.Names.Kernel(w.g.instance(args).Instance))
		return
	}
	p := w.g.generics[len(args)]
	next := func(i int) func(*jen.Group) {
		return func(c *jen.Group) { w.choose(c, append(args[:len(args):len(args)], i)) }
	}
	if p.isConst() {
		b.Switch(jen.Id(w.constVar[p.name])).BlockFunc(func(s *jen.Group) {
			var list []string
			for i, v := range p.values {
				list = append(list, decimal(v))
				s.Case(jen.Id(w.in.Names.ConstValue(w.g.name, p.name, decimal(v)))).BlockFunc(next(i))
			}
			s.Default().Block(jen.Return(jen.Op("&").Qual(Runtime, "ContractError").Values(
				field("Kernel", jen.Lit(w.g.name)), field("Text", jen.Lit(p.name+" is not "+join(list, "or"))))))
		})
		return
	}
	b.Switch(w.anyType().Call(jen.Id(w.zero[p.name])).Assert(jen.Type())).BlockFunc(func(s *jen.Group) {
		for i, t := range p.types {
			s.Case(jen.Add(goType(t))).BlockFunc(next(i))
		}
	})
}

// goType is a type as Go spells it: a vector is an array.
func goType(t types.Type) *jen.Statement {
	switch t := t.(type) {
	case *types.Vector:
		return jen.Index(jen.Lit(t.N)).Add(goType(t.Elem))
	case *types.Struct:
		return jen.Id(t.Name)
	case *types.Array:
		s := &jen.Statement{}
		for _, d := range t.Dims {
			s.Index(jen.Lit(int(d)))
		}
		return s.Add(goType(t.Elem))
	}
	switch k := types.KindOf(t); k {
	case types.Float16:
		return jen.Qual(Runtime, "Float16")
	case types.BFloat16:
		return jen.Qual(Runtime, "BFloat16")
	case types.Invalid:
		panic("gowrap: no Go type for " + t.String())
	default:
		return jen.Id(k.String())
	}
}
