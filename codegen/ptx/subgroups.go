package ptx

import (
	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
)

// everyLane is the mask of all threads of a warp: all of them come to where one does.
const everyLane = "0xffffffffu"

// shuffle is the intrinsic, which has no forms for kinds narrower than 32 bits.
func shuffle(p *cfamily.Printer, k types.Kind, x, lane cfamily.Expr) cfamily.Expr {
	wide := cfamily.Wide(k)
	if k == types.Bool {
		wide = types.Int32
	}
	if wide != k {
		x = cfamily.Cast(p.Type(wide), x)
	}
	out := cfamily.Call("__shfl_sync", cfamily.Atom(everyLane), x, lane)
	switch {
	case k == types.Bool:
		return cfamily.Infix(out, "!=", cfamily.Atom("0"))
	case wide != k:
		return cfamily.Cast(p.Type(k), out)
	}
	return out
}

func ballot(_ *cfamily.Printer, x cfamily.Expr) cfamily.Expr {
	return cfamily.Call("__ballot_sync", cfamily.Atom(everyLane), x)
}
