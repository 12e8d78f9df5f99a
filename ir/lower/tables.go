package lower

import (
	"fmt"
	"slices"

	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// table is the IR of a constant array, made at its first use. Constants of several bodies may have one name.
func (l *lowerer) table(c *check.Table) *ir.Table {
	if t := l.tables[c]; t != nil {
		return t
	}
	t := &ir.Table{Name: c.Name, Type: flat(c.Type).(*types.Array), Pos: c.Pos}
	taken := func(t2 *ir.Table) bool { return t2.Name == t.Name }
	for n := 2; slices.ContainsFunc(l.module.Tables, taken); n++ {
		t.Name = fmt.Sprintf("%s_%d", c.Name, n)
	}
	for _, v := range c.Values {
		t.Bits = append(t.Bits, bitsOf(t.Elem(), v))
	}
	l.tables[c] = t
	l.module.Tables = append(l.module.Tables, t)
	return t
}

// copyTable copies a table, or a part of one, into a slot of its own.
func (b *body) copyTable(p *place) *ir.Instr {
	row := p.typ.(*types.Array)
	dst := b.local(p.table.Name, row)
	b.LocalSet(dst, b.Zero(row))
	b.each(row.Dims, func(ix []*ir.Instr) {
		b.ElemSet(dst, b.TableGet(p.table, append(p.index[:len(p.index):len(p.index)], ix...)...), ix...)
	})
	return b.LocalGet(dst)
}
