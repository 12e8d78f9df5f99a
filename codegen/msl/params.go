package msl

import (
	"fmt"

	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
)

// signature declares a kernel: at buffer 0 a constant struct of the scalars and extents, laid out by the slot table,
// then the views, then the positions that the body uses. The scalars become locals under their own names.
func signature(p *cfamily.Printer, k *ir.Kernel) cfamily.Signature {
	var sig cfamily.Signature
	layout := abi.Of(k)
	sig.Open = append(sig.Open, fmt.Sprintf("[[max_total_threads_per_threadgroup(%d)]]", cfamily.Threads(k)))
	sig.Open = append(sig.Open, "kernel void "+k.Entry+"(")
	param := func(text string) {
		last := len(sig.Open) - 1
		if sig.Open[last][len(sig.Open[last])-1] != '(' {
			sig.Open[last] += ","
		}
		sig.Open = append(sig.Open, "\t"+text)
	}
	args := ""
	if layout.Consts > 0 {
		args = p.Declare("args")
		block := p.TypeName(k.Entry + "_args")
		sig.Before = []string{"struct " + block + " {"}
		param(fmt.Sprintf("constant %s& %s [[buffer(0)]]", block, args))
	}
	end, symbols := 0, 0
	pad := func(to int) {
		if to > end {
			sig.Before = append(sig.Before, fmt.Sprintf("\tuchar %s[%d];", p.Declare(fmt.Sprintf("pad%d", end)), to-end))
		}
		end = to
	}
	for _, s := range layout.Slots {
		name := p.Declare(s.Name)
		if s.Kind == abi.View {
			q := k.Params[s.Param]
			p.Params[s.Param] = name
			qualifier := "device "
			if !q.Mut {
				qualifier = "device const "
			}
			param(fmt.Sprintf("%s%s* %s [[buffer(%d)]]", qualifier, p.Memory(q), name, s.Buffer))
			continue
		}
		if s.Kind == abi.Record {
			p.Record = name
			param(fmt.Sprintf("device atomic_uint* %s [[buffer(%d)]]", name, s.Buffer))
			continue
		}
		pad(s.Offset)
		end += int(types.Size(s.Type))
		typ, local := "", "const "
		if kind, ok := s.Type.(types.Kind); ok {
			typ = p.Type(kind)
			local += typ + " "
		} else {
			typ = p.Memory(k.Params[s.Param])
			local = "constant " + typ + "& "
		}
		sig.Before = append(sig.Before, fmt.Sprintf("\t%s %s;", typ, name))
		var used bool
		switch s.Kind {
		case abi.Launch:
			p.Launch, used = name, true
		case abi.Extent:
			p.Symbols[symbols] = name
			used = p.Mentions(k.Symbols[symbols])
			symbols++
		default:
			p.Params[s.Param] = name
			used = p.Mentions(k.Params[s.Param])
		}
		if used {
			sig.Locals = append(sig.Locals, fmt.Sprintf("%s%s = %s.%s;", local, name, args, name))
		}
	}
	if layout.Consts > 0 {
		pad(layout.Consts)
		sig.Before = append(sig.Before, "};")
	}
	for _, position := range []struct {
		op              ir.Op
		name, attribute string
	}{
		{ir.OpBlockIdx, "block_idx", "threadgroup_position_in_grid"},
		{ir.OpThreadIdx, "thread_idx", "thread_position_in_threadgroup"},
		{ir.OpGridDim, "grid_dim", "threadgroups_per_grid"},
	} {
		if p.Mentions(position.op) {
			name := p.Declare(position.name)
			p.Index[position.op] = cfamily.Components(name)
			param(fmt.Sprintf("uint3 %s [[%s]]", name, position.attribute))
		}
	}
	sig.Open[len(sig.Open)-1] += ") {"
	return sig
}
