package golden

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"sort"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/abi"
)

// GoTest is a Go test that makes calls through generated wrappers and replays case files: one test binary for all
// archives, for every device of a machine.
type GoTest struct {
	Package string // of the test file

	imports map[string]string // path → alias
	calls   map[string]string // key of the case → function literal
}

// Add adds a call whose wrapper is in the package of that import path. A kernel that the package does not export,
// or whose structs it does not, is left out, and ok is false.
func (g *GoTest) Add(archive, path string, c *Call) (ok bool) {
	lay := c.Layout
	if !token.IsExported(lay.Name) {
		return false
	}
	for _, s := range params(lay) {
		for _, st := range types.Structs(s.Type, map[string]bool{}) {
			if !token.IsExported(st.Name) {
				return false
			}
		}
	}
	if g.imports == nil {
		g.imports, g.calls = map[string]string{}, map[string]string{}
	}
	alias, ok := g.imports[path]
	if !ok {
		alias = "p" + strconv.Itoa(len(g.imports))
		g.imports[path] = alias
	}
	var typeArgs, args []string
	for i, s := range params(lay) {
		t := ""
		switch s.Kind {
		case abi.Scalar:
			t = goType(s.Type, alias)
			args = append(args, fmt.Sprintf("replay.Scalar[%s](r, %d)", t, i))
		case abi.View:
			v := s.Type.(*types.View)
			t = goType(v.Elem, alias)
			args = append(args, fmt.Sprintf("replay.View%d[%s](r, %d)", v.Rank, t, i))
		}
	}
	for _, p := range lay.Generics {
		if p.Type != nil {
			typeArgs = append(typeArgs, goType(p.Type, alias))
			continue
		}
		args = append(args, fmt.Sprintf("%s.%s%s(%d)", alias, lay.Name, strings.ToUpper(p.Param[:1])+p.Param[1:], p.Value))
	}
	name := alias + "." + lay.Name
	if len(typeArgs) > 0 {
		name += "[" + strings.Join(typeArgs, ", ") + "]"
	}
	key := (&Case{Archive: archive, Line: c.Line.Number, Instance: lay.Instance}).Key()
	// The arguments are made before the call, so that a failing upload is not mistaken for the wrapper's error.
	lit := fmt.Sprintf("%q: func(r *replay.Run) func() error {\n", key)
	for i, a := range args {
		lit += fmt.Sprintf("a%d := %s\n", i, a)
		args[i] = "a" + strconv.Itoa(i)
	}
	lit += fmt.Sprintf("return func() error { return %s(%s) }\n},\n", name, strings.Join(append([]string{"r.Stream"}, args...), ", "))
	g.calls[key] = lit
	return true
}

// goType is a type as Go spells it outside of the package that has the alias.
func goType(t types.Type, alias string) string {
	switch t := t.(type) {
	case *types.Vector:
		return fmt.Sprintf("[%d]%s", t.N, goType(t.Elem, alias))
	case *types.Struct:
		return alias + "." + t.Name
	case *types.Array:
		s := ""
		for _, d := range t.Dims {
			s += fmt.Sprintf("[%d]", d)
		}
		return s + goType(t.Elem, alias)
	}
	switch t {
	case types.Float16:
		return "gpu.Float16"
	case types.BFloat16:
		return "gpu.BFloat16"
	}
	return t.String()
}

// File is the text of the test file. It opens the device that GPUGEN_DEVICE names and reads `cases.<kind>.json` beside
// itself.
func (g *GoTest) File() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"testing\"\n\n\t\"github.com/gpugen/gpugen/internal/golden/replay\"\n", g.Package)
	for _, call := range g.calls {
		if strings.Contains(call, "gpu.Float16") || strings.Contains(call, "gpu.BFloat16") {
			b.WriteString("\t\"github.com/gpugen/gpugen/runtime/gpu\"\n")
			break
		}
	}
	var paths []string
	for p := range g.imports {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	for _, p := range paths {
		fmt.Fprintf(&b, "\t%s %q\n", g.imports[p], p)
	}
	b.WriteString(")\n\nfunc TestGolden(t *testing.T) { replay.Test(t, \".\", calls) }\n\nvar calls = map[string]replay.Call{\n")
	var keys []string
	for k := range g.calls {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		b.WriteString(g.calls[k])
	}
	b.WriteString("}\n")
	out, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("golden: the test file: %w", err)
	}
	return out, nil
}
