package gpugen_test

import (
	"testing"

	"github.com/gpugen/gpugen"
)

// BenchmarkCompile runs everything but the vendor's compiler: front end, passes, every emitter. The figure to look at is
// ms/kernel, a kernel being one instance on all its targets: what is saved while somebody edits should not be felt.
func BenchmarkCompile(b *testing.B) {
	list, err := examples()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("examples", func(b *testing.B) { benchmarkCompile(b, list) })
	list = load(b)
	var largest *compiled
	for _, c := range list {
		if c.pkg != nil && (largest == nil || kernelsOf(c) > kernelsOf(largest)) {
			largest = c
		}
	}
	b.Run("largest golden, "+largest.Name, func(b *testing.B) { benchmarkCompile(b, []*compiled{largest}) })
	b.Run("goldens", func(b *testing.B) { benchmarkCompile(b, list) })
}

// kernelsOf is how many instances of kernels an archive has.
func kernelsOf(c *compiled) (n int) {
	for _, u := range c.pkg.Units {
		n += len(u.Layouts)
	}
	return n
}

func benchmarkCompile(b *testing.B, list []*compiled) {
	var inputs []gpugen.Input
	kernels := 0
	for _, c := range list {
		if c.pkg == nil {
			continue
		}
		var in gpugen.Input
		for _, s := range c.Sources() {
			in.Sources = append(in.Sources, gpugen.Source{Name: s.Name, Text: s.Data})
		}
		inputs = append(inputs, in)
		kernels += kernelsOf(c)
	}
	for b.Loop() {
		for _, in := range inputs {
			if _, diags := gpugen.Compile(in); diags.HasErrors() {
				b.Fatal(diags)
			}
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*kernels), "ms/kernel")
}
