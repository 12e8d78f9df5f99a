package pass

import (
	"slices"

	"github.com/gpugen/gpugen/ir"
)

var release = Pass{
	Name: "release",
	Doc:  "drop assertions, and with each all that only its condition computes",
	Run:  func(k *ir.Kernel) { dropAsserts(k.Body) },
	Func: func(f *ir.Func) { dropAsserts(f.Body) },
}

// dropAsserts removes the assertions in b and below.
func dropAsserts(b *ir.Block) {
	b.Instrs = slices.DeleteFunc(b.Instrs, func(in *ir.Instr) bool { return in.Op == ir.OpAssert })
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			dropAsserts(c)
		}
	}
}
