package pass

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

var promote = Pass{
	Name: "promote",
	Doc:  "replace readings of a private scalar local that is set once by the value that it was set to",
	Run: func(k *ir.Kernel) {
		p := &promoter{sets: map[*ir.Local]int{}, now: map[*ir.Local]*ir.Instr{}, to: values{}}
		k.Body.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpLocalSet {
				p.sets[in.Local]++
			}
		})
		p.block(k.Body)
	},
}

// promoter walks blocks in order. A reading after the one assignment, in the assignment's block or below, sees exactly
// the assigned value: a loop around both runs the assignment first. Of a shared local other threads assign too.
type promoter struct {
	sets map[*ir.Local]int
	now  map[*ir.Local]*ir.Instr // the value of a local that was set once, where the assignment is in scope
	to   values
}

func (p *promoter) block(b *ir.Block) {
	var mine []*ir.Local
	for _, in := range b.Instrs {
		p.to.args(in)
		switch in.Op {
		case ir.OpLocalGet:
			if v := p.now[in.Local]; v != nil {
				p.to[in] = v
			}
		case ir.OpLocalSet:
			if _, scalar := in.Local.Type.(types.Kind); scalar && p.sets[in.Local] == 1 && !in.Local.Shared {
				p.now[in.Local] = in.Args[0]
				mine = append(mine, in.Local)
			}
		}
		for _, c := range in.Blocks {
			p.block(c)
		}
	}
	for _, l := range mine {
		delete(p.now, l)
	}
}
