package msl

import (
	"context"
	"testing"

	"github.com/gpugen/gpugen/codegen/internal/cfamily/cfamilytest"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/accuracy"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
)

// TestOwnFunctionsKeepTheirBounds measures the two table functions that the prelude has because Metal lacks them. The
// others are the C library's here, which says nothing about Apple's.
func TestOwnFunctionsKeepTheirBounds(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	ctx := context.Background()
	cases := cfamilytest.Tables(types.Metal)
	p, err := hostrun.Build(ctx, Emit(cfamilytest.Module(cases)).Text)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, c := range cases {
		if c.Op != ir.OpHypot && c.Op != ir.OpErf {
			continue
		}
		buffers := accuracy.Samples(c.Op, c.To)
		if err := p.Run(ctx, c.Kernel.Entry, launch(c, buffers)); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		w := accuracy.Measure(c.Op, buffers)
		if bound := ir.Bound(types.Metal, c.Op, c.To); w.ULP > bound {
			t.Errorf("%s: %s is over the bound of %v", c, w, bound)
		}
		t.Logf("%s: %s", c, w)
	}
}
