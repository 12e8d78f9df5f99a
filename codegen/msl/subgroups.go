package msl

import (
	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
)

// shuffle goes through the unsigned kind of 32 bits, or two of them.
func shuffle(p *cfamily.Printer, k types.Kind, x, lane cfamily.Expr) cfamily.Expr {
	switch {
	case k.Bits() == 64:
		if k != types.Uint64 {
			x = reinterpret(types.Uint64, k, x)
		}
		out := cfamily.Call(p.Need("gg_shuffle_u64"), x, lane)
		if k != types.Uint64 {
			return reinterpret(k, types.Uint64, out)
		}
		return out
	case k == types.Float32, k == types.Int32:
		return reinterpret(k, types.Uint32, cfamily.Call(p.Need("gg_shuffle_u32"), reinterpret(types.Uint32, k, x), lane))
	case k == types.Uint32:
		return cfamily.Call(p.Need("gg_shuffle_u32"), x, lane)
	}
	out := cfamily.Call(p.Need("gg_shuffle_u32"), cfamily.Cast(p.Type(types.Uint32), x), lane)
	if k == types.Bool {
		return cfamily.Infix(out, "!=", cfamily.Atom("0u"))
	}
	return cfamily.Cast(p.Type(k), out)
}

func ballot(p *cfamily.Printer, x cfamily.Expr) cfamily.Expr {
	return cfamily.Call(p.Need("gg_ballot"), x)
}
