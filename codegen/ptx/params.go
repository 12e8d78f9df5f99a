package ptx

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
)

// signature declares a kernel: one parameter a slot, in slot order.
func signature(p *cfamily.Printer, k *ir.Kernel) cfamily.Signature {
	layout := abi.Of(k)
	var params []string
	symbols := 0
	for _, s := range layout.Slots {
		name := p.Declare(s.Name)
		switch s.Kind {
		case abi.View:
			p.Params[s.Param] = name
			params = append(params, pointer(p, k.Params[s.Param])+name)
		case abi.Scalar:
			p.Params[s.Param] = name
			params = append(params, value(p, k.Params[s.Param])+" "+name)
		case abi.Extent:
			p.Symbols[symbols] = name
			symbols++
			params = append(params, "long long "+name)
		case abi.Record:
			p.Record = name
			params = append(params, "unsigned int* "+name)
		case abi.Launch:
			p.Launch = name
			params = append(params, "unsigned long long "+name)
		}
	}
	p.Index = map[ir.Op][3]string{
		ir.OpBlockIdx: cfamily.Components("blockIdx"), ir.OpThreadIdx: cfamily.Components("threadIdx"), ir.OpGridDim: cfamily.Components("gridDim"),
	}
	return cfamily.Signature{Open: []string{
		fmt.Sprintf("extern \"C\" __global__ void __launch_bounds__(%d)", cfamily.Threads(k)),
		k.Entry + "(" + strings.Join(params, ", ") + ") {",
	}}
}

// value is the type of a parameter by value.
func value(p *cfamily.Printer, q *ir.Param) string {
	if k, ok := q.Type.(types.Kind); ok {
		return p.Type(k)
	}
	return p.Memory(q)
}

// pointer is the type of a view parameter. Views that may be the same memory get no __restrict__, nor do those that are
// written in a kernel with barriers: other threads change them behind this thread's pointer, and a compiler that trusts
// the word may keep an element in a register across the barrier. Other threads change what they update atomically, too.
func pointer(p *cfamily.Printer, q *ir.Param) string {
	k := p.Kernel
	t := p.Memory(q) + "*"
	if !q.Mut {
		t = "const " + t
	}
	if !cfamily.InPlace(k, q.Index) && !(q.Mut && cfamily.HasBarrier(k)) && !cfamily.HasAtomic(k, q) {
		t += " __restrict__"
	}
	return t + " "
}
