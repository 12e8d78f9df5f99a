package pass

import "github.com/gpugen/gpugen/ir"

// values maps values to what stands for them now.
type values map[*ir.Instr]*ir.Instr

// of is what stands for v.
func (m values) of(v *ir.Instr) *ir.Instr {
	for {
		w, ok := m[v]
		if !ok {
			return v
		}
		v = w
	}
}

// args replaces the operands of in.
func (m values) args(in *ir.Instr) {
	for i, a := range in.Args {
		in.Args[i] = m.of(a)
	}
}

// apply replaces operands everywhere in b.
func (m values) apply(b *ir.Block) {
	if len(m) > 0 {
		b.Walk(m.args)
	}
}

// uses counts how often each value of b is an operand.
func uses(b *ir.Block) map[*ir.Instr]int {
	n := make(map[*ir.Instr]int, b.Len())
	b.Walk(func(in *ir.Instr) {
		for _, a := range in.Args {
			n[a]++
		}
	})
	return n
}

// splice rebuilds every block of b: f gives what stands instead of an instruction. Inner blocks come first.
func splice(b *ir.Block, f func(*ir.Instr) []*ir.Instr) {
	var out []*ir.Instr
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			splice(c, f)
		}
		out = append(out, f(in)...)
	}
	b.Instrs = out
}

// contains reports whether b or a block below it has an instruction with the property.
func contains(b *ir.Block, f func(*ir.Instr) bool) bool {
	for _, in := range b.Instrs {
		if f(in) {
			return true
		}
		for _, c := range in.Blocks {
			if contains(c, f) {
				return true
			}
		}
	}
	return false
}

// leaves reports whether control never reaches the end of b.
func leaves(b *ir.Block) bool {
	for _, in := range b.Instrs {
		switch in.Op {
		case ir.OpBreak, ir.OpContinue, ir.OpReturn:
			return true
		case ir.OpIf:
			if leaves(in.Blocks[0]) && leaves(in.Blocks[1]) {
				return true
			}
		case ir.OpScope:
			if leaves(in.Blocks[0]) {
				return true
			}
		}
	}
	return false
}
