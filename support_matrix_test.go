package gpugen_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
)

// TestSupportMatrix keeps the tables of docs/semantics.md that say what each target has: they are the capability table
// of dsl/types, which the checker asks.
func TestSupportMatrix(t *testing.T) {
	var b strings.Builder
	head := func(first string) {
		b.WriteString("\n| " + first + " |")
		for _, t := range types.AllTargets.List() {
			fmt.Fprintf(&b, " %s |", t)
		}
		b.WriteString("\n|---|" + strings.Repeat("---|", int(types.NumTargets)) + "\n")
	}
	row := func(name string, cell func(types.Target) string) {
		b.WriteString("| " + name + " |")
		for _, t := range types.AllTargets.List() {
			fmt.Fprintf(&b, " %s |", cell(t))
		}
		b.WriteString("\n")
	}
	head("operation and types")
	for o := range types.NumOperations {
		for k := types.Bool; k <= types.Float64; k++ {
			same := kindsLike(o, k)
			if !types.InLanguage(o, k) || same[0] != k {
				continue
			}
			var names []string
			for _, k := range same {
				names = append(names, k.String())
			}
			row(o.String()+" on `"+strings.Join(names, " ")+"`", func(t types.Target) string { return types.Has(t, o, k).String() })
		}
	}
	head("limit of a kernel")
	limit := func(name string, of func(types.Limits) int) {
		row(name, func(t types.Target) string {
			if n := of(types.LimitsOf(t)); n > 0 {
				return fmt.Sprint(n)
			}
			return "none"
		})
	}
	limit("threads of a block", func(l types.Limits) int { return l.Threads })
	limit("bytes of shared memory", func(l types.Limits) int { return l.Shared })
	limit("bytes of parameters", func(l types.Limits) int { return l.ParamBytes })
	limit("views", func(l types.Limits) int { return l.Views })
	b.WriteString("\n")

	docTable(t, "support matrix", b.String())
}

// kindsLike are the kinds on which every target does an operation as on k.
func kindsLike(o types.Operation, k types.Kind) (out []types.Kind) {
	for other := types.Bool; other <= types.Float64; other++ {
		same := types.InLanguage(o, other)
		for _, t := range types.AllTargets.List() {
			same = same && types.Has(t, o, other) == types.Has(t, o, k)
		}
		if same {
			out = append(out, other)
		}
	}
	return out
}

// docTable keeps a part of docs/semantics.md that lies between two comments; -update writes it.
func docTable(t *testing.T, name, text string) {
	t.Helper()
	const file = "docs/semantics.md"
	begin, end := "-run "+t.Name()+" -update -->\n", "<!-- end of the "+name+" -->"
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the %s", file, name)
	}
	page := before + begin + text + end + after
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page != string(old) {
		t.Errorf("the %s of %s is not what the tables of the code give: run go test . -run %s -update", name, file, t.Name())
	}
}
