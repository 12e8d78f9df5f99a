package msl

import (
	"context"
	"testing"

	"github.com/gpugen/gpugen/codegen/internal/cfamily/cfamilytest"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
)

// check has clang judge the text of m and compares the bindings with the slot tables.
func check(t *testing.T, m *ir.Module) string {
	t.Helper()
	require.Tool(t, "clang", hostrun.Clang() != "", hostrun.Remedy)
	text := Emit(m).Text
	kernels, err := hostrun.Check(context.Background(), text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(kernels) != len(m.Kernels) {
		t.Fatalf("%d kernels of %d in the syntax tree", len(kernels), len(m.Kernels))
	}
	for i, k := range m.Kernels {
		if kernels[i].Name != k.Entry {
			t.Errorf("kernel %d is %s, want %s", i, kernels[i].Name, k.Entry)
		}
		if err := kernels[i].Match(abi.Of(k)); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	return text
}

func TestTableHasNoHole(t *testing.T) {
	for _, h := range dialect.Table.Holes(dialect.Prelude) {
		t.Errorf("no rule for %s", h)
	}
}

func TestEveryOperationIsMetal(t *testing.T) {
	check(t, cfamilytest.Module(cfamilytest.Cases(types.Metal)))
}
