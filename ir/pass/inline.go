package pass

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

var inline = Pass{
	Name: "inline",
	Doc:  "replace every call by the body of its function",
	Run: func(k *ir.Kernel) {
		n := &inliner{kernel: k}
		n.block(k.Body)
	},
}

// inliner expands the calls of one kernel. Functions do not recurse; the checker has seen to that.
type inliner struct {
	kernel *ir.Kernel
	depth  int
}

// maxInlineDepth catches recursion that came through: a bug of ours.
const maxInlineDepth = 10_000

// block expands the calls in b and below.
func (n *inliner) block(b *ir.Block) {
	if !contains(b, isCall) {
		return
	}
	var out []*ir.Instr
	for i, in := range b.Instrs {
		for _, c := range in.Blocks {
			n.block(c)
		}
		if in.Op != ir.OpCall {
			out = append(out, in)
			continue
		}
		out = append(out, n.expand(in, b.Instrs[:i])...)
	}
	b.Instrs = out
}

// isCall reports a Call.
func isCall(in *ir.Instr) bool { return in.Op == ir.OpCall }

// expand is a copy of the callee's body with new locals: parameters are set first, a Return sets the locals that take
// the results and, unless it ends the body, leaves a Scope around it. before is what precedes the call in its block.
func (n *inliner) expand(call *ir.Instr, before []*ir.Instr) []*ir.Instr {
	if n.depth++; n.depth > maxInlineDepth {
		panic("recursion in " + call.Func.Instance)
	}
	defer func() { n.depth-- }()
	f := call.Func
	c := ir.NewCloner()
	w := ir.Builder{Block: &ir.Block{}, Pos: call.Pos}
	for i, l := range f.Locals {
		if i < len(f.Params) && lent(call, i, before) {
			c.Locals[l] = call.Args[i].Local
			continue
		}
		nl := *l
		c.Locals[l] = n.kernel.NewLocal(&nl)
		if i < len(f.Params) {
			nl.ParamOf, nl.Called = f.Name, call.Pos
			w.LocalSet(&nl, call.Args[i])
		}
	}
	body := c.Block(f.Body)
	n.block(body)
	if !results(call, body, 0, true) {
		return append(w.Block.Instrs, body.Instrs...)
	}
	w.New(ir.OpScope, nil).Blocks = []*ir.Block{body}
	return w.Block.Instrs
}

// results replaces each Return in a block of a copied body by assignments to the locals that take the results and a Break
// of the Scope round the body, which depth other Ranges, Loops and Scopes are within. A Return that ends the body needs no
// Break; it reports whether there is any other.
func results(call *ir.Instr, b *ir.Block, depth int, ends bool) (early bool) {
	for i, in := range b.Instrs {
		if in.Op == ir.OpReturn {
			b.Instrs = slices.Clip(b.Instrs[:i])
			w := ir.Builder{Block: b, Pos: in.Pos}
			for j, l := range call.Outs {
				w.LocalSet(l, in.Args[j])
			}
			if !ends {
				w.Exit(ir.OpBreak, depth)
			}
			return early || !ends
		}
		inner := depth
		switch in.Op {
		case ir.OpRange, ir.OpLoop, ir.OpScope:
			inner++
		}
		for _, c := range in.Blocks {
			early = results(call, c, inner, false) || early
		}
	}
	return early
}

// lent reports whether an array argument needs no copy: it is the value of a local that nothing changes between the
// reading and the end of the call, and the function only reads its parameter.
func lent(call *ir.Instr, i int, before []*ir.Instr) bool {
	arg, param := call.Args[i], call.Func.Params[i]
	if _, ok := param.Type.(*types.Array); !ok || arg.Op != ir.OpLocalGet {
		return false
	}
	for _, l := range call.Outs {
		if l == arg.Local {
			return false
		}
	}
	if contains(call.Func.Body, func(in *ir.Instr) bool { return sets(in, param) }) {
		return false
	}
	for j := len(before) - 1; j >= 0; j-- {
		switch in := before[j]; {
		case in == arg:
			return true
		case sets(in, arg.Local) || len(in.Blocks) > 0:
			return false
		}
	}
	return false
}

// sets reports whether in assigns to l or to an element of it.
func sets(in *ir.Instr, l *ir.Local) bool {
	switch in.Op {
	case ir.OpLocalSet, ir.OpElemSet:
		return in.Local == l
	case ir.OpCall:
		for _, o := range in.Outs {
			if o == l {
				return true
			}
		}
	}
	return false
}
