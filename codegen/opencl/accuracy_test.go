package opencl

import (
	"flag"
	"os"
	"testing"

	"github.com/gpugen/gpugen/codegen/internal/cfamily/cfamilytest"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/accuracy"
	"github.com/gpugen/gpugen/ir"
)

// -measured rather than -update: the figures are those of one device, and not every machine's business.
var measured = flag.Bool("measured", false, "keep what was measured here as the figures of the target")

// TestTableFunctionsKeepTheirBounds measures the table functions of this machine's device.
func TestTableFunctionsKeepTheirBounds(t *testing.T) {
	d := open(t)
	cases := cfamilytest.Tables(types.OpenCL)
	p := build(t, d, Emit(cfamilytest.Module(cases)).Text)
	defer p.Close()
	var worst []accuracy.Worst
	for _, c := range cases {
		buffers := accuracy.Samples(c.Op, c.To)
		if err := launch(p, c, buffers); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		w := accuracy.Measure(c.Op, buffers)
		if c.To == types.Float32 {
			worst = append(worst, w)
		}
		if bound := ir.Bound(types.OpenCL, c.Op, c.To); w.ULP > bound {
			t.Errorf("%s: %s is over the bound of %v", c, w, bound)
		}
	}
	text := accuracy.Text(d.Name+", "+d.On, worst)
	t.Log(text)
	if *measured && !t.Failed() {
		if err := os.WriteFile("../../"+accuracy.Path(types.OpenCL), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
