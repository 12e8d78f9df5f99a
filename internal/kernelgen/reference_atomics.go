package kernelgen

import (
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/ir"
)

var atomicOps = map[string]ir.Op{
	"Add": ir.OpAdd, "Sub": ir.OpSub, "Min": ir.OpMin, "Max": ir.OpMax, "And": ir.OpAnd, "Or": ir.OpOr, "Xor": ir.OpXor,
}

// atomic evaluates `atomic.Add(&x[i], v)` and its like: one step, since threads change at meetings alone. It gives the
// value that it finds.
func (f *frame) atomic(e *dsl.CallExpr, name string) *cell {
	at := dsl.Unparen(e.Args[0]).(*dsl.UnaryExpr).X
	place := f.place(at)
	var x []*cell
	for _, a := range e.Args[1:] {
		x = append(x, f.expr(a).clone())
	}
	f.updates = true
	defer func() { f.updates = false }()
	_, what, _ := strings.Cut(name, ".")
	if what == "Store" {
		place.set(at, x[0])
		return nil
	}
	old := place.get(at)
	switch what {
	case "Load":
		return old
	case "Exchange":
		place.set(at, x[0])
	case "CompareExchange":
		if f.operate(ir.OpEq, old, x[0]).bits != 0 {
			place.set(at, x[1])
		}
	default:
		place.set(at, f.operate(atomicOps[what], old, x[0]))
	}
	return old
}
