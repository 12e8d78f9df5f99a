package gowrap

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/dsl/types"
)

// Struct is a struct of the .gpu file that Go has too.
type Struct struct {
	Type   *types.Struct
	Doc    []string
	Fields [][]string // doc of each field
}

// writeStructs declares the structs, their fields under their own names, and has Go's compiler prove that they lie in
// memory as kernels expect: an array type of one length takes no array of another.
func writeStructs(f *jen.File, in Input) {
	for _, s := range in.Structs {
		doc := codegen.DocLines(s.Doc)
		if len(doc) == 0 {
			doc = []string{s.Type.Name + " is the struct " + s.Type.Name + " of " + in.File + "."}
		}
		comment(f.Group, doc)
		f.Type().Id(s.Type.Name).StructFunc(func(g *jen.Group) {
			for i, field := range s.Type.Fields {
				if i < len(s.Fields) {
					comment(g, codegen.DocLines(s.Fields[i]))
				}
				g.Id(field.Name).Add(goType(field.Type))
			}
		})
		f.Line()
		proof := func(d *jen.Group, n int64, call string, x *jen.Statement) {
			d.Id("_").Index(jen.Lit(int(n))).Struct().Op("=").Index(jen.Qual("unsafe", call).Call(x)).Struct().Values()
		}
		offsets, size := s.Type.Offsets()
		f.Comment("// The layout of " + s.Type.Name + ", as kernels have it.")
		f.Var().DefsFunc(func(d *jen.Group) {
			proof(d, size, "Sizeof", jen.Id(s.Type.Name).Values())
			for i, field := range s.Type.Fields {
				proof(d, offsets[i], "Offsetof", jen.Id(s.Type.Name).Values().Dot(field.Name))
			}
		})
		f.Line()
	}
}
