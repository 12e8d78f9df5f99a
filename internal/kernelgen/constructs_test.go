package kernelgen

import (
	"fmt"
	"testing"

	"github.com/gpugen/gpugen/dsl"
)

// TestConstructs asks that what kernels are made of occurs in the first few hundred of them, so that none of it is lost
// in silence.
func TestConstructs(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(800) {
		k := New(seed, Options{Float64: seed%6 == 0, Blocks: seed%5 < 2, Rows: seed%5 == 2})
		f, errs := dsl.Parse("rand.gpu", []byte(File("random", k)))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		for _, d := range f.Decls {
			constructs(d, func(what string) { seen[what]++ })
		}
		here := map[string]bool{}
		for _, d := range f.Decls {
			if k, ok := d.(*dsl.KernelDecl); ok {
				ofThreads(k, func(what string) { here[what] = true })
			}
		}
		for what := range here {
			seen[what]++
		}
	}
	var want []string
	for n := 1; n <= 3; n++ {
		want = append(want, fmt.Sprintf("%d dims of blocks", n), fmt.Sprintf("%d dims of threads", n))
	}
	for _, name := range []string{"sum", "prod", "min", "max", "any", "all", "argmin", "argmax"} {
		want = append(want, name+" of a comprehension")
	}
	for _, k := range []string{"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "T"} {
		want = append(want, "shared arrays of "+k, "shared "+k)
	}
	want = append(want, "different dims of blocks and threads", "generic threads", "blocks from lo", "a barrier at the top", "a barrier in a loop", "a barrier in an if", "a barrier in a switch", "a barrier in a function",
		"switch", "switch without a tag", "switch with an init", "fallthrough", "default before a case", "break with a label", "continue with a label", "a label of a loop", "a label of a switch", "a label of a block",
		"a range in a comprehension", "a comprehension in a comprehension", "a comprehension of several indexes")
	for _, w := range want {
		if seen[w] == 0 {
			t.Errorf("no kernel has %s", w)
		}
	}
	for w, least := range together {
		if seen[w] < least {
			t.Errorf("%d kernels have %s, want %d of 400", seen[w], w, least)
		}
	}
}

// together is what threads do together, and how many kernels have it at least.
var together = func() map[string]int {
	least := map[string]int{
		"by block": 60, "1 dims by block": 20, "2 dims by block": 15, "3 dims by block": 2, "@block": 40, "spread loops": 60, "spread loops of two indexes": 5, "shared memory by block": 20, "atomics by block": 10,
		"sum by block": 10, "argmin by block": 5, "functions by block": 10, "blocks of whole subgroups": 30, "blocks of no whole subgroups": 50,
		"a block's vote in a condition": 4, "a subgroup's vote in a condition": 4, "atomics on shared memory": 8, "atomics on views": 60, "assert": 20, "rand.Philox": 8, "rand.Float32": 8,
	}
	for _, name := range []string{"Sum", "Min", "Max", "Any", "All", "ScanSum"} {
		least["block."+name] = 12
		least["subgroup."+name] = 3
	}
	for _, name := range []string{"Ballot", "Broadcast", "Shuffle", "ShuffleXor", "ShuffleUp", "ShuffleDown", "Lane", "ID"} {
		least["subgroup."+name] = 4
	}
	for _, name := range []string{"Add", "Sub", "Min", "Max", "And", "Or", "Xor", "Exchange", "CompareExchange", "Load", "Store"} {
		least["atomic."+name] = 4
	}
	return least
}()

// constructs names what a declaration holds.
func constructs(d dsl.Decl, found func(string)) {
	place := "at the top"
	if f, ok := d.(*dsl.FuncDecl); ok {
		place = "in a function"
		statements(f.Body, place, found)
		return
	}
	k, ok := d.(*dsl.KernelDecl)
	if !ok { // a struct or a table
		return
	}
	if b, ok := k.Domain.(*dsl.BlocksDomain); ok {
		found(fmt.Sprintf("%d dims of blocks", len(b.Blocks)))
		found(fmt.Sprintf("%d dims of threads", len(b.Threads)))
		if len(b.Blocks) != len(b.Threads) {
			found("different dims of blocks and threads")
		}
		for _, x := range b.ThreadExtents {
			if id, ok := x.Hi.(*dsl.Ident); ok && id.Name == "N" {
				found("generic threads")
			}
		}
		for _, x := range b.BlockExtents {
			if x.Lo != nil {
				found("blocks from lo")
			}
		}
	}
	statements(k.Body, place, found)
}

// statements names what a part of a body holds that stands at that kind of place.
func statements(n dsl.Node, place string, found func(string)) {
	within := func(n dsl.Node, place string) bool {
		statements(n, place, found)
		return false
	}
	dsl.Walk(n, func(m dsl.Node) bool {
		if m == n {
			return true
		}
		switch m := m.(type) {
		case *dsl.ForStmt:
			return within(m.Body, "in a loop")
		case *dsl.ForRangeStmt:
			return within(m.Body, "in a loop")
		case *dsl.IfStmt:
			within(m.Then, "in an if")
			return m.Else != nil && within(m.Else, "in an if")
		case *dsl.SwitchStmt:
			found("switch")
			if m.Tag == nil {
				found("switch without a tag")
			}
			if m.Init != nil {
				found("switch with an init")
			}
			for i, c := range m.Cases {
				if c.Default && i < len(m.Cases)-1 {
					found("default before a case")
				}
				for _, s := range c.Body {
					within(&dsl.Block{Stmts: []dsl.Stmt{s}}, "in a switch")
				}
			}
			return false
		case *dsl.SharedStmt:
			if a, ok := m.Type.(*dsl.ArrayType); ok {
				found("shared arrays of " + a.Elem.(*dsl.Ident).Name)
			} else {
				found("shared " + m.Type.(*dsl.Ident).Name)
			}
		case *dsl.LabeledStmt:
			switch m.Stmt.(type) {
			case *dsl.Block:
				found("a label of a block")
			case *dsl.SwitchStmt:
				found("a label of a switch")
			default:
				found("a label of a loop")
			}
		case *dsl.BranchStmt:
			found(m.Word)
			if m.Label != nil {
				found(m.Word + " with a label")
			}
		case *dsl.CallExpr:
			id, _ := m.Fun.(*dsl.Ident)
			switch {
			case id != nil && id.Name == "barrier":
				found("a barrier " + place)
			case m.Comp != nil:
				found(id.Name + " of a comprehension")
				if len(m.Comp.Vars) > 1 {
					found("a comprehension of several indexes")
				}
				if m.Comp.Extents[0].Lo != nil {
					found("a range in a comprehension")
				}
				dsl.Walk(m.Comp, func(inner dsl.Node) bool {
					if c, ok := inner.(*dsl.Comprehension); ok && c != m.Comp {
						found("a comprehension in a comprehension")
					}
					return true
				})
			}
		}
		return true
	})
}
