package gpugen

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/codegen/msl"
	"github.com/gpugen/gpugen/codegen/opencl"
	"github.com/gpugen/gpugen/codegen/ptx"
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/ir"
)

// goNames chooses the package-level Go names of all generated files of a folder, in one place so that wrappers and CPU
// kernels agree and no name of the user is hidden.
func goNames(declared map[string]diag.Pos, p *check.Program, modules []*ir.Module) *codegen.GoNames {
	taken := map[string]bool{}
	for n := range declared {
		taken[n] = true
	}
	for _, k := range p.Kernels {
		taken[k.Name] = true
	}
	for _, f := range p.Funcs { // Go has what is exported alone
		if ast.IsExported(f.Name) {
			taken[f.Name] = true
		}
	}
	for _, c := range p.Consts {
		if ast.IsExported(c.Name) {
			taken[c.Name] = true
		}
	}
	for _, s := range p.Structs {
		taken[s.Type.Name] = true
	}
	local := map[string]bool{}
	for _, f := range p.Files {
		dsl.Walk(f, func(n dsl.Node) bool {
			if id, ok := n.(*dsl.Ident); ok && id != f.Package { // a package's own name is not in scope in it
				local[id.Name] = true
			}
			return true
		})
	}
	var files []codegen.GoFile
	for _, m := range modules {
		f := codegen.GoFile{File: m.File}
		for _, k := range m.Kernels {
			f.Kernels = append(f.Kernels, goInstance(k.Name, k.Instance, k.Generics))
		}
		for _, fn := range m.Funcs {
			f.Funcs = append(f.Funcs, goInstance(fn.Name, fn.Instance, fn.Generics))
		}
		for _, t := range m.Tables {
			f.Tables = append(f.Tables, t.Name)
		}
		files = append(files, f)
	}
	return codegen.NewGoNames(sorted(taken), sorted(local), files)
}

// nameEntries gives every kernel an entry that no device language takes for a word of its own: the host looks an entry
// up by one name on all targets. Entries stay apart, wide variants included, within the file that they are compiled in.
func nameEntries(modules []*ir.Module) {
	for _, m := range modules {
		taken := map[string]bool{}
		for _, k := range m.Kernels {
			e := opencl.Entry(msl.Entry(ptx.Entry(k.Entry)))
			for taken[e] || taken[e+"_wide"] {
				e += "_"
			}
			taken[e], taken[e+"_wide"] = true, true
			k.Entry = e
		}
	}
}

func goInstance(name, instance string, args []ir.Generic) codegen.GoInstance {
	g := codegen.GoInstance{Name: name, Instance: instance}
	for _, a := range args {
		if a.Type != nil {
			g.Args = append(g.Args, a.Type.String())
			continue
		}
		v := strconv.FormatInt(a.Value, 10)
		g.Args = append(g.Args, v)
		g.Consts = append(g.Consts, codegen.GoConst{Param: a.Param, Value: v})
	}
	return g
}

func sorted(set map[string]bool) []string {
	var names []string
	for n := range set {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// fileNameFault says why the go command would not take the outputs of a .gpu file of that name, or nothing: it compiles
// files whose names start with a letter or a digit alone, passes over those that start with `_` or `.`, and embeds
// files only under names that every system can hold.
func fileNameFault(name string) string {
	base := strings.TrimSuffix(name, ".gpu")
	for i, r := range base {
		switch {
		case strings.ContainsRune("\"'*<>?`|/\\:;[", r) || r < ' ' || r == 0x7f:
			return fmt.Sprintf("go:embed takes no file whose name holds `%c`", r)
		case r >= utf8.RuneSelf && !unicode.IsLetter(r):
			return fmt.Sprintf("go:embed takes no file whose name holds `%c`, which is not a letter", r)
		case i == 0 && r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			return fmt.Sprintf("the go command compiles no file whose name starts with `%c`", r)
		}
	}
	device, _, _ := strings.Cut(base, ".")
	device = strings.ToLower(device)
	if slices.Contains([]string{"con", "prn", "aux", "nul"}, device) || len(device) == 4 && (device[:3] == "com" || device[:3] == "lpt") && '1' <= device[3] && device[3] <= '9' {
		return fmt.Sprintf("go:embed takes no file whose name is a device of Windows, as `%s` is", device)
	}
	return ""
}
