package pass

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// C has no array values. A printer copies an array where an assignment takes the value of a local or zero; for that a
// LocalGet of an array must stand where its value may be read at the assignment. One whose local is assigned in between,
// or that is used elsewhere, is first copied to a local of its own.
var arrays = Pass{
	Name: "arrays",
	Doc:  "keep array values in locals that nothing changes before their use",
	Run: func(k *ir.Kernel) {
		a := &arrayKeeper{kernel: k, count: uses(k.Body), placed: ir.Placed(k.Body), to: map[*ir.Instr]*ir.Local{}}
		a.block(k.Body)
	},
}

// arrayKeeper rewrites one kernel.
type arrayKeeper struct {
	kernel *ir.Kernel
	count  map[*ir.Instr]int
	placed map[*ir.Instr]bool
	to     map[*ir.Instr]*ir.Local // the copies
}

// block rewrites b and everything below it.
func (a *arrayKeeper) block(b *ir.Block) {
	var out []*ir.Instr
	for _, in := range b.Instrs {
		for i, x := range in.Args {
			if l := a.to[x]; l != nil {
				w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
				in.Args[i] = w.LocalGet(l)
				out = append(out, w.Block.Instrs...)
			}
		}
		for _, c := range in.Blocks {
			a.block(c)
		}
		out = append(out, in)
		_, array := in.Type.(*types.Array)
		if !array || in.Op == ir.OpConst || a.count[in] == 0 || a.placed[in] && in.Op == ir.OpLocalGet {
			continue
		}
		l := a.kernel.NewLocal(&ir.Local{Name: in.Name, Type: in.Type, Pos: in.Pos})
		if l.Name == "" {
			l.Name = "copied"
		}
		a.to[in] = l
		in.Name = ""
		w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
		w.LocalSet(l, in)
		out = append(out, w.Block.Instrs...)
	}
	b.Instrs = out
}
