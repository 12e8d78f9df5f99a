package gpugen_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/accuracy"
	"github.com/gpugen/gpugen/ir"
)

// TestAccuracyTable keeps the tables of docs/semantics.md about table functions: the bounds are those of package ir, the
// worst errors those of the files of internal/accuracy.
func TestAccuracyTable(t *testing.T) {
	var b strings.Builder
	targets := types.AllTargets.List()
	measured := map[types.Target]*accuracy.Record{}
	head, rule := "\n| float32 |", "|---|"
	for _, target := range targets {
		r, err := accuracy.Measured(target)
		if err != nil {
			t.Fatal(err)
		}
		measured[target] = r
		head += fmt.Sprintf(" %s, bound | measured |", target)
		rule += "---|---|"
	}
	b.WriteString(head + "\n" + rule + "\n")
	for i, op := range ir.TableFunctions() {
		fmt.Fprintf(&b, "| `%s` |", op)
		for _, target := range targets {
			bound, star, cell := ir.Bound(target, op, types.Float32), "", "not measured"
			if ir.Loose(target, op) {
				star = "*"
			}
			if r := measured[target]; r != nil {
				cell = r.Worst[i].ULP
				if v, _ := strconv.ParseFloat(cell, 64); v > bound {
					t.Errorf("%s on %s: %s measured, over the bound of %v", op, target, cell, bound)
				}
			}
			fmt.Fprintf(&b, " %v%s | %s |", bound, star, cell)
		}
		b.WriteString("\n")
	}
	b.WriteString("\nMeasured on:\n\n")
	for _, target := range targets {
		if r := measured[target]; r != nil {
			fmt.Fprintf(&b, "- %s: %s\n", target, r.On)
		}
	}
	b.WriteString("\n| float64, bound |")
	rule = "\n|---|"
	for _, target := range targets {
		fmt.Fprintf(&b, " %s |", target)
		rule += "---|"
	}
	b.WriteString(rule + "\n")
	for _, op := range ir.TableFunctions() {
		fmt.Fprintf(&b, "| `%s` |", op)
		for _, target := range targets {
			if types.Has(target, types.Arithmetic, types.Float64) == types.Impossible {
				b.WriteString(" nothing |")
				continue
			}
			fmt.Fprintf(&b, " %v |", ir.Bound(target, op, types.Float64))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	docTable(t, "accuracy table", b.String())
}
