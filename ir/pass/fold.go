package pass

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Folding computes what the meaning table says and nothing else: every step rounds as the operation does, a division by
// zero gives the table's value, and table functions are never computed here, since targets differ in them. Identities
// keep NaN and the sign of zero: x*0 and x+0 stay on floats.
var fold = Pass{
	Name: "fold",
	Doc:  "compute constant expressions, apply identities, drop branches that cannot run",
	Run: func(k *ir.Kernel) {
		(&folder{to: values{}}).block(k.Body)
	},
}

// foldChecked is fold for a checked build, which reports a division by a constant zero and a shift by a negative constant:
// arguments of functions may be such.
var foldChecked = Pass{
	Name: "foldchecked",
	Doc:  "do what fold does, but leave what fails",
	Run: func(k *ir.Kernel) {
		(&folder{to: values{}, tests: true}).block(k.Body)
	},
}

// mayFail reports a division of integers whose divisor may be zero, as far as it shows, or a shift whose count may be
// negative.
func mayFail(in *ir.Instr) bool {
	if len(in.Args) != 2 {
		return false
	}
	y := in.Args[1]
	switch in.Op {
	case ir.OpDiv, ir.OpRem:
		return in.Kind().IsInteger() && (!y.IsConst() || y.Bits == 0)
	case ir.OpShl, ir.OpShr:
		return y.Kind().IsSigned() && (!y.IsConst() || y.Int64() < 0)
	}
	return false
}

// folder rewrites blocks in order.
type folder struct {
	to    values
	tests bool        // what fails stays
	out   []*ir.Instr // what stands before the instruction in hand
}

// block folds b and everything below it.
func (f *folder) block(b *ir.Block) {
	saved := f.out
	f.out = nil
	for _, in := range b.Instrs {
		f.instr(in)
	}
	b.Instrs, f.out = f.out, saved
}

// emit appends an instruction that stands in for in.
func (f *folder) emit(in *ir.Instr, op ir.Op, args ...*ir.Instr) *ir.Instr {
	n := &ir.Instr{Op: op, Type: in.Type, Args: args, Pos: in.Pos}
	f.out = append(f.out, n)
	return n
}

// constant appends a constant of in's type.
func (f *folder) constant(in *ir.Instr, bits uint64) *ir.Instr {
	c := f.emit(in, ir.OpConst)
	c.Bits, c.Name = bits, in.Name
	return c
}

// keep appends in.
func (f *folder) keep(in *ir.Instr) { f.out = append(f.out, in) }

// replace lets v stand for in; v takes over the name if it has none.
func (f *folder) replace(in, v *ir.Instr) {
	if v.Name == "" && ir.Ops[v.Op].Class != ir.Leaf {
		v.Name = in.Name
	}
	f.to[in] = v
}

// instr folds one instruction; its operands are folded already.
func (f *folder) instr(in *ir.Instr) {
	f.to.args(in)
	switch {
	case ir.Ops[in.Op].Class == ir.Structure:
		f.structure(in)
		return
	case in.Op == ir.OpTableGet:
		if i, ok := element(in); ok {
			f.replace(in, f.constant(in, in.Table.Bits[i]))
			return
		}
		f.keep(in)
		return
	case ir.Ops[in.Op].Class != ir.Pure || in.Kind() == types.Invalid:
		f.keep(in)
		return
	}
	if f.tests && mayFail(in) && in.Args[1].IsConst() {
		f.keep(in)
		return
	}
	if bits, ok := eval(in); ok {
		f.replace(in, f.constant(in, bits))
		return
	}
	f.swap(in)
	if v := f.identity(in); v != nil {
		f.replace(in, v)
		return
	}
	f.keep(in)
}

// element is the number of the element that a TableGet at constant indexes reads; false if they are not, or out of range.
func element(in *ir.Instr) (int64, bool) {
	at := make([]int64, len(in.Args))
	for d, a := range in.Args {
		if !a.IsConst() {
			return 0, false
		}
		at[d] = a.Int64()
	}
	return in.Table.Index(at)
}

// swap moves the constant of a commutative integer operation to the right, so that identities look in one place.
func (f *folder) swap(in *ir.Instr) {
	switch in.Op {
	case ir.OpAdd, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor:
		if in.Kind().IsInteger() && in.Args[0].IsConst() {
			in.Args[0], in.Args[1] = in.Args[1], in.Args[0]
		}
	}
}

// structure folds an instruction that owns blocks.
func (f *folder) structure(in *ir.Instr) {
	cond := len(in.Args) > 0 && in.Args[0].IsConst()
	switch in.Op {
	case ir.OpIf:
		if cond {
			b := in.Blocks[1]
			if in.Args[0].Bool() {
				b = in.Blocks[0]
			}
			f.block(b)
			if escapes(b) { // a Scope would be what they leave
				f.out = append(f.out, b.Instrs...)
				return
			}
			f.out = append(f.out, &ir.Instr{Op: ir.OpScope, Blocks: []*ir.Block{b}, Pos: in.Pos})
			return
		}
		f.block(in.Blocks[0])
		f.block(in.Blocks[1])
		if len(in.Blocks[0].Instrs) == 0 && len(in.Blocks[1].Instrs) > 0 {
			not := &ir.Instr{Op: ir.OpLNot, Type: types.Bool, Args: []*ir.Instr{in.Args[0]}, Pos: in.Args[0].Pos}
			if v := f.identity(not); v != nil {
				not = v
			} else {
				f.keep(not)
			}
			in.Args[0] = not
			in.Blocks[0], in.Blocks[1] = in.Blocks[1], in.Blocks[0]
		}
		f.keep(in)
		return
	case ir.OpCondAnd, ir.OpCondOr:
		f.cond(in, cond)
		return
	case ir.OpRange:
		lo, hi := in.Args[0], in.Args[1]
		if lo.IsConst() && hi.IsConst() {
			if some, _ := eval(&ir.Instr{Op: ir.OpLt, Type: types.Bool, Args: []*ir.Instr{lo, hi}}); some == 0 {
				return
			}
		}
	}
	for _, b := range in.Blocks {
		f.block(b)
	}
	if in.Op == ir.OpLoop && len(in.Blocks[0].Instrs) > 0 {
		c := in.Blocks[0].Instrs
		if y := c[len(c)-1].Args[0]; y.IsConst() {
			if !y.Bool() {
				return
			}
			in.Blocks[0].Instrs = nil
		}
	}
	f.keep(in)
}

// escapes reports whether a Break or Continue in b is of a loop around b.
func escapes(b *ir.Block) bool {
	for _, in := range b.Instrs {
		switch in.Op {
		case ir.OpBreak, ir.OpContinue:
			return true
		case ir.OpRange, ir.OpLoop:
			continue
		}
		if slices.ContainsFunc(in.Blocks, escapes) {
			return true
		}
	}
	return false
}

// cond folds a short-circuit operator. decides is the value of x that settles the result.
func (f *folder) cond(in *ir.Instr, isConst bool) {
	decides := in.Op == ir.OpCondOr
	if isConst {
		if in.Args[0].Bool() == decides {
			f.replace(in, in.Args[0])
			return
		}
		f.block(in.Blocks[0])
		n := len(in.Blocks[0].Instrs) - 1
		f.out = append(f.out, in.Blocks[0].Instrs[:n]...)
		f.replace(in, in.Blocks[0].Instrs[n].Args[0])
		return
	}
	f.block(in.Blocks[0])
	ins := in.Blocks[0].Instrs
	n := len(ins) - 1
	if y := ins[n].Args[0]; y.IsConst() {
		if x := in.Args[0]; slices.ContainsFunc(ins[:n], f.acts) {
			if decides {
				x = &ir.Instr{Op: ir.OpLNot, Type: types.Bool, Args: []*ir.Instr{x}, Pos: x.Pos}
				f.keep(x)
			}
			f.keep(&ir.Instr{Op: ir.OpIf, Args: []*ir.Instr{x}, Blocks: []*ir.Block{{Instrs: ins[:n]}, {}}, Pos: in.Pos})
		}
		v := in.Args[0] // x && true, x || false
		if y.Bool() == decides {
			v = f.constant(in, y.Bits)
		}
		f.replace(in, v)
		return
	}
	if !f.rotate(in) {
		f.keep(in)
	}
}

// acts reports whether an instruction may do more than compute a value.
func (f *folder) acts(in *ir.Instr) bool {
	c := ir.Ops[in.Op].Class
	return c != ir.Leaf && c != ir.Pure || f.tests && mayFail(in)
}

// rotate turns x && (y && z) into (x && y) && z, so that a long chain of conditions nests no deeper than one that was
// written from the left; the same for ||. The right side must be a chain at the end of its block, and no later operand
// may use a value that was computed for y.
func (f *folder) rotate(in *ir.Instr) bool {
	ins := in.Blocks[0].Instrs
	yield := ins[len(ins)-1]
	first := len(ins) - 1 // of the chain
	for next := yield.Args[0]; first > 0 && ins[first-1] == next && next.Op == in.Op; next = next.Args[0] {
		first--
	}
	chain, y := ins[first:len(ins)-1], ins[:first]
	if len(chain) == 0 {
		return false
	}
	for _, c := range chain {
		if contains(c.Blocks[0], func(u *ir.Instr) bool {
			return slices.ContainsFunc(u.Args, func(a *ir.Instr) bool { return slices.Contains(y, a) })
		}) {
			return false
		}
	}
	yield.Args[0] = chain[0].Args[0]
	in.Blocks[0].Instrs = append(slices.Clip(y), yield)
	head := f.emit(in, in.Op, in.Args[0])
	head.Blocks = in.Blocks
	chain[0].Args[0] = head
	f.out = append(f.out, chain...)
	f.replace(in, chain[len(chain)-1])
	return true
}
