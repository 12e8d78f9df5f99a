package gowrap

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
)

// fields name the table's fields of the kinds that are one string.
var fields = map[Kind]string{CUDA: "CUDA", PTX: "PTX", Metal: "Metal", Metallib: "Metallib", OpenCL: "OpenCL"}

// tableFile is the file that embeds the artifacts of the given kinds and declares the table of device code. It exists
// even when there is none of them, so that the wrappers compile everywhere.
func tableFile(in Input, constraint string, kinds ...Kind) *jen.File {
	f := newFile(in, constraint)
	table := codeTable(f, in, false, kinds)
	var checked []jen.Code
	if in.Checked != nil {
		checked = codeTable(f, in, true, kinds)
	}
	if len(table)+len(checked) > 0 {
		f.Anon("embed")
	}
	f.Var().Id(in.Names.Code(in.File)).Op("=").Qual(Runtime, "Code").Values(table...)
	if in.Checked != nil {
		f.Line()
		f.Var().Id(in.Names.Checked().Code(in.File)).Op("=").Qual(Runtime, "Code").Values(checked...)
	}
	return f
}

// codeTable embeds the artifacts of one build and gives the fields of its table.
func codeTable(f *jen.File, in Input, checked bool, kinds []Kind) (table []jen.Code) {
	names, stem := in.Names, "_gpu/"+strings.TrimSuffix(in.File, ".gpu")
	if checked {
		names, stem = names.Checked(), stem+".checked"
	}
	var cubins []jen.Code
	for _, kind := range kinds {
		var of []Artifact
		for _, a := range in.Artifacts {
			if a.Kind == kind && a.Checked == checked {
				of = append(of, a)
			}
		}
		slices.SortFunc(of, func(a, b Artifact) int { return cmp.Or(a.Arch-b.Arch, cmp.Compare(a.Variant, b.Variant)) })
		for _, a := range of {
			if kind == Cubin {
				name := names.Cubin(in.File, strconv.Itoa(a.Arch)+a.Variant)
				embed(f, name, a.File)
				fields := []jen.Code{field("Arch", jen.Lit(a.Arch)), field("Data", jen.Op("&").Id(name))}
				if a.Variant != "" {
					fields = slices.Insert(fields, 1, field("Variant", jen.Lit(a.Variant)))
				}
				cubins = append(cubins, jen.Values(fields...))
				continue
			}
			name := names.Embed(in.File, fields[kind])
			embed(f, name, a.File)
			table = append(table, field(fields[kind], jen.Op("&").Id(name)))
		}
	}
	if len(cubins) > 0 {
		table = append(table, field("Cubins", jen.Index().Qual(Runtime, "Cubin").Values(cubins...)))
	}
	if len(table) > 0 {
		table = slices.Insert(table, 0, field("Stem", jen.Lit(stem)))
	}
	return table
}

// embed declares a string variable that holds a file of _gpu.
func embed(f *jen.File, name, file string) {
	path := "_gpu/" + file
	if strings.ContainsAny(path, " \t`\"'") {
		path = strconv.Quote(path)
	}
	f.Comment("//go:embed " + path)
	f.Var().Id(name).String()
	f.Line()
}

// field is `name: value` of a composite literal.
func field(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }
