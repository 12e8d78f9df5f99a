package pass

import (
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
// the results. before is what precedes the call in its block.
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
			w.LocalSet(&nl, call.Args[i])
		}
	}
	body := c.Block(f.Body)
	n.block(body)
	structure(body, n.kernel.NewLocal, func(ret *ir.Instr) []*ir.Instr {
		r := ir.Builder{Block: &ir.Block{}, Pos: ret.Pos}
		for i, l := range call.Outs {
			r.LocalSet(l, ret.Args[i])
		}
		return r.Block.Instrs
	})
	return append(w.Block.Instrs, body.Instrs...)
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
