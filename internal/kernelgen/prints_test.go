package kernelgen

import (
	"maps"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
)

// TestPrints asks that about one kernel in six prints, in lines, values of every kind and in every place.
func TestPrints(t *testing.T) {
	const n = 900
	seen := map[string]int{}
	kernels := 0
	for seed := range uint64(n) {
		k := New(seed, Options{Float64: seed%6 == 0, Blocks: seed%5 < 2, Rows: seed%5 == 2})
		prints := strings.Contains(k.Source, "print(")
		for _, run := range k.Runs {
			if strings.HasSuffix(run, " prints") != prints {
				t.Fatalf("seed %d: %s", seed, run)
			}
		}
		if !prints {
			continue
		}
		kernels++
		f, errs := dsl.Parse("rand.gpu", []byte(File("random", k)))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		program, list := check.Package([]*dsl.File{f}, check.Config{})
		if list.HasErrors() {
			t.Fatal(list)
		}
		here := map[string]bool{}
		for _, k := range program.Kernels {
			place := "points"
			switch {
			case k.ByBlock:
				place = "by block"
			case len(k.Group) > 0:
				place = "blocks"
			}
			printing(k.Decl.Body, k.Body, place, here)
		}
		for _, f := range program.Funcs {
			place := "functions"
			if f.ByReference() {
				place = "functions by reference"
			}
			printing(f.Decl.Body, f.Body, place, here)
		}
		for what := range here {
			seen[what]++
		}
	}
	if kernels < n/8 || kernels > n/5 {
		t.Errorf("%d of %d kernels print", kernels, n)
	}
	for _, want := range []string{"points", "by block", "blocks", "functions", "functions by reference", "a loop", "a loop without an order", "an if", "a switch", "no value", "8 values", "a constant"} {
		if seen[want] < 4 {
			t.Errorf("%d kernels print in %s", seen[want], want)
		}
	}
	for name := range types.Basics() {
		if seen[name] < 3 {
			t.Errorf("%d kernels print a %s", seen[name], name)
		}
	}
}

// printing names what the prints of a body print, and where they stand.
func printing(n dsl.Node, facts *check.Body, place string, here map[string]bool) {
	dsl.Walk(n, func(m dsl.Node) bool {
		if m == n {
			return true
		}
		inner := ""
		switch m := m.(type) {
		case *dsl.ForStmt, *dsl.ForRangeStmt:
			inner = "a loop"
		case *dsl.ForInStmt:
			inner = "a loop without an order"
		case *dsl.SwitchStmt:
			inner = "a switch"
		case *dsl.IfStmt:
			inner = "an if"
		case *dsl.CallExpr:
			if facts.Calls[m].Builtin != "print" {
				return true
			}
			here[place] = true
			switch len(m.Args) {
			case 1:
				here["no value"] = true
			case 9:
				here["8 values"] = true
			}
			for _, a := range m.Args[1:] {
				v := facts.Values[dsl.Unparen(a)]
				if v.Const != nil {
					here["a constant"] = true
				} else {
					here[v.Type.String()] = true
				}
			}
		}
		if inner != "" {
			within := map[string]bool{}
			printing(m, facts, place, within)
			maps.Copy(here, within)
			here[inner] = here[inner] || len(within) > 0
			return false
		}
		return true
	})
}
