package kernelgen

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// print formats the values of `print("format", …)`.
func (f *frame) print(e *dsl.CallExpr, format string) {
	var values []any
	for _, a := range e.Args[1:] {
		c := f.expr(a)
		if c.kind.IsHalf() {
			c = f.to(ir.OpConv, types.Float32, c)
		}
		values = append(values, interp.GoValue(c.kind, c.bits))
	}
	p := interp.Print{Text: fmt.Sprintf(format, values...), Values: len(values), Pos: e.Pos(), At: []int64{int64(f.number), int64(f.id)}}
	if f.kernel.ByBlock && f.depth > 0 {
		p.Loop, p.Turn = f.loop, f.turn
	}
	f.prints = append(f.prints, p)
}
