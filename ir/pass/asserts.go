package pass

import "github.com/gpugen/gpugen/ir"

var asserts = Pass{
	Name: "asserts",
	Doc:  "turn assertions into branches that report",
	Run:  func(k *ir.Kernel) { splice(k.Body, reporting) },
	Func: func(f *ir.Func) { splice(f.Body, reporting) },
}

// reporting is what stands for an assertion: its condition, computed where it stands, and a report where that does not
// hold.
func reporting(in *ir.Instr) []*ir.Instr {
	if in.Op != ir.OpAssert {
		return []*ir.Instr{in}
	}
	last := len(in.Blocks[0].Instrs) - 1
	cond := in.Blocks[0].Instrs[last].Args[0]
	w := ir.Builder{Block: &ir.Block{Instrs: in.Blocks[0].Instrs[:last:last]}, Pos: in.Pos}
	fails := w.In(w.If(w.Un(ir.OpLNot, cond)).Blocks[0])
	none := fails.Int(0)
	fails.New(ir.OpReport, nil, none, none).Text = in.Text
	return w.Block.Instrs
}
