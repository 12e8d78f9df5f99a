package opencl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
)

// signature declares a kernel: an argument a slot, in slot order, and behind each view the number of elements by which
// it begins after its buffer. A view is no buffer of its own: OpenCL's sub-buffers begin at multiples of 128 bytes or
// more, views at any element.
func signature(p *cfamily.Printer, k *ir.Kernel) cfamily.Signature {
	var sig cfamily.Signature
	slots := abi.Of(k).Slots
	names := make([]string, len(slots)) // all before the first hidden one, so that users' names survive
	for i, s := range slots {
		names[i] = p.Declare(s.Name)
	}
	var params []string
	symbols := 0
	for i, s := range slots {
		name := names[i]
		switch s.Kind {
		case abi.View:
			q := k.Params[s.Param]
			p.Params[s.Param] = name
			at := p.Declare(s.Name + "_at")
			params = append(params, pointer(p, q)+name, "ulong "+at)
			if p.Mentions(q) {
				sig.Locals = append(sig.Locals, name+" += "+at+";")
			}
		case abi.Scalar:
			q := k.Params[s.Param]
			p.Params[s.Param] = name
			kind, basic := q.Type.(types.Kind)
			if !basic {
				params = append(params, p.Memory(q)+" "+name)
				continue
			}
			if kind == types.Bool {
				byte := p.Declare(s.Name + "_byte")
				params = append(params, p.Memory(q)+" "+byte)
				if p.Mentions(q) {
					sig.Locals = append(sig.Locals, fmt.Sprintf("const bool %s = %s != 0;", name, byte))
				}
				continue
			}
			params = append(params, p.Type(kind)+" "+name)
		case abi.Extent:
			p.Symbols[symbols] = name
			symbols++
			params = append(params, p.Type(types.Int)+" "+name)
		case abi.Record:
			p.Record = name
			at := p.Declare(s.Name + "_at")
			params = append(params, "volatile __global uint* "+name, "ulong "+at)
			sig.Locals = append(sig.Locals, name+" += "+at+";")
		case abi.Launch:
			p.Launch = name
			params = append(params, "ulong "+name)
		}
	}
	for op, f := range map[ir.Op]string{ir.OpBlockIdx: "get_group_id", ir.OpThreadIdx: "get_local_id", ir.OpGridDim: "get_num_groups"} {
		p.Index[op] = [3]string{f + "(0)", f + "(1)", f + "(2)"}
	}
	b := k.Sched.Block
	if exchanges(k) {
		b = flat(p, b, &sig)
	}
	sig.Open = []string{
		fmt.Sprintf("__kernel __attribute__((reqd_work_group_size(%d, %d, %d)))", b[0], b[1], b[2]),
		"void " + k.Entry + "(" + strings.Join(params, ", ") + ") {",
	}
	if hasDouble(k) {
		sig.Before, sig.After = []string{"#ifdef " + doubles}, []string{"#endif"}
	}
	if exchanges(k) {
		sig.Open[0] += " " + subgroupSize
		sig.Before, sig.After = append(sig.Before, subgroups...), append(sig.After, "#endif")
	}
	if hasWideAtomics(k) {
		sig.Before, sig.After = append(sig.Before, wideAtomics...), append(sig.After, "#endif")
	}
	return sig
}

// flat is the shape of a block of subgroups: one row. Which threads share a subgroup, and in what order, is the driver's
// choice where a block has several rows, so each takes its place in the block from its subgroup and its lane.
func flat(p *cfamily.Printer, block [3]int, sig *cfamily.Signature) [3]int {
	at := p.Declare("thread_at")
	sig.Locals = append(sig.Locals, fmt.Sprintf("const uint %s = get_sub_group_id() * %du + get_sub_group_local_id();", at, ir.Subgroup))
	index, all := [3]string{"0u", "0u", "0u"}, 1
	for d, n := range block {
		if n == 1 {
			continue
		}
		index[d] = at
		if all > 1 {
			index[d] = fmt.Sprintf("(%s / %du)", at, all)
		}
		if all *= n; all < cfamily.Threads(p.Kernel) {
			index[d] = fmt.Sprintf("(%s %% %du)", index[d], n)
		}
	}
	p.Index[ir.OpThreadIdx] = index
	return [3]int{all, 1, 1}
}

// pointer is the type of a view parameter. Views that may be the same memory get no restrict, nor do those that are
// written in a kernel with barriers, which other threads change behind this thread's pointer.
func pointer(p *cfamily.Printer, q *ir.Param) string {
	t := "__global " + p.Memory(q) + "*"
	if !q.Mut {
		t = "__global const " + p.Memory(q) + "*"
	}
	if !cfamily.InPlace(p.Kernel, q.Index) && !(q.Mut && cfamily.HasBarrier(p.Kernel)) && !cfamily.HasAtomic(p.Kernel, q) {
		t += " restrict"
	}
	return t + " "
}

// hasDouble reports whether k holds a float64 anywhere.
func hasDouble(k *ir.Kernel) bool {
	double := func(t types.Type) bool {
		return slices.ContainsFunc(types.Kinds(t), func(k types.Kind) bool { return types.Has(types.OpenCL, types.Arithmetic, k) == types.Optional })
	}
	found := false
	for _, q := range k.Params {
		found = found || double(q.Type)
	}
	for _, l := range k.Locals {
		found = found || double(l.Type)
	}
	k.Body.Walk(func(in *ir.Instr) { found = found || in.Type != nil && double(in.Type) })
	return found
}
