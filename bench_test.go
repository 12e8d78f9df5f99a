package gpugen_test

import (
	"testing"

	"github.com/gpugen/gpugen"
)

// BenchmarkCompile runs everything but the vendor's compiler over all archives: front end, passes, every emitter. The
// figure to look at is ms/kernel, a kernel being one instance on all its targets.
func BenchmarkCompile(b *testing.B) {
	var inputs []gpugen.Input
	kernels := 0
	for _, c := range load(b) {
		if c.pkg == nil {
			continue
		}
		var in gpugen.Input
		for _, s := range c.Sources() {
			in.Sources = append(in.Sources, gpugen.Source{Name: s.Name, Text: s.Data})
		}
		inputs = append(inputs, in)
		for _, u := range c.pkg.Units {
			kernels += len(u.Layouts)
		}
	}
	b.ResetTimer()
	for b.Loop() {
		for _, in := range inputs {
			if _, diags := gpugen.Compile(in); diags.HasErrors() {
				b.Fatal(diags)
			}
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*kernels), "ms/kernel")
}
