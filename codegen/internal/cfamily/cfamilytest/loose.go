package cfamilytest

import (
	"fmt"

	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Loose compares what @fastmath changes in a target's table with what package ir says of its bounds.
func Loose(t types.Target, table *cfamily.Table) (bad []error) {
	for _, op := range ir.TableFunctions() {
		changed := table.Rule(op, types.Float32, true) != table.Rule(op, types.Float32, false)
		if changed != ir.Loose(t, op) {
			bad = append(bad, fmt.Errorf("@fastmath changes %s on %s: %v, and the table of bounds says %v", op, t, changed, !changed))
		}
		if types.Has(t, types.Arithmetic, types.Float64) != types.Impossible && table.Rule(op, types.Float64, true) != table.Rule(op, types.Float64, false) {
			bad = append(bad, fmt.Errorf("@fastmath changes %s of float64 on %s", op, t))
		}
	}
	return bad
}
