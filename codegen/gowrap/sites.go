package gowrap

import (
	"github.com/dave/jennifer/jen"

	"github.com/gpugen/gpugen/ir/abi"
)

// siteKinds are the runtime's constants for the kinds of site.
var siteKinds = map[string]string{
	"bounds": "SiteBounds", "zero-divisor": "SiteZeroDivisor", "negative-shift": "SiteNegativeShift", "assert": "SiteAssert", "print": "SitePrint",
}

// sites is the table of the places from which a kernel reports and prints.
func sites(list []abi.Site) *jen.Statement {
	return jen.Index().Qual(Runtime, "Site").ValuesFunc(func(v *jen.Group) {
		for _, s := range list {
			fields := []jen.Code{
				field("Kind", jen.Qual(Runtime, siteKinds[s.Kind])),
				field("File", jen.Lit(s.File)), field("Line", jen.Lit(s.Line)), field("Col", jen.Lit(s.Col)),
			}
			if s.Name != "" {
				fields = append(fields, field("Param", jen.Lit(s.Name)))
			}
			if s.Dim > 0 {
				fields = append(fields, field("Dim", jen.Lit(s.Dim)))
			}
			if s.Text != "" {
				fields = append(fields, field("Text", jen.Lit(s.Text)))
			}
			if len(s.Args) > 0 {
				fields = append(fields, field("Args", jen.Index().String().ValuesFunc(func(a *jen.Group) {
					for _, k := range s.Args {
						a.Lit(k.String())
					}
				})))
			}
			v.Line().Values(fields...)
		}
		v.Line()
	})
}
