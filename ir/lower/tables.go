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
	t := &ir.Table{Name: c.Name, Type: types.Leaves(c.Type)[0].Type().(*types.Array), Pos: c.Pos}
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
