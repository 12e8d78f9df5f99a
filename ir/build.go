package ir

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// Builder appends instructions to a block. Every instruction takes the builder's current position. A Builder is copied
// freely: `b.In(block)` is the same builder elsewhere.
type Builder struct {
	Block *Block
	Pos   diag.Pos
}

// In is a builder with the same position for another block.
func (b Builder) In(block *Block) Builder { return Builder{block, b.Pos} }

// At is a builder for the same block at another position.
func (b Builder) At(pos diag.Pos) Builder { return Builder{b.Block, pos} }

// New appends an instruction; t is nil when it defines no value. The instruction has its operands for itself: who passes one
// list to several may change an operand of one.
func (b Builder) New(op Op, t types.Type, args ...*Instr) *Instr {
	return b.Block.Add(&Instr{Op: op, Type: t, Args: slices.Clone(args), Pos: b.Pos})
}

// Un appends a unary operation whose result has its operand's type.
func (b Builder) Un(op Op, x *Instr) *Instr { return b.New(op, x.Type, x) }

// Bin appends a binary operation whose result has the type of its left operand; comparisons give bool.
func (b Builder) Bin(op Op, x, y *Instr) *Instr {
	if op.IsCompare() {
		return b.New(op, types.Bool, x, y)
	}
	return b.New(op, x.Type, x, y)
}

// Select appends c ? x : y; both are evaluated.
func (b Builder) Select(c, x, y *Instr) *Instr { return b.New(OpSelect, x.Type, c, x, y) }

// Conv appends a conversion of x to kind k, or gives x itself when it has that kind.
func (b Builder) Conv(k types.Kind, x *Instr) *Instr {
	if x.Kind() == k {
		return x
	}
	return b.New(OpConv, k, x)
}

// Bits appends a constant by its bits; see [Instr.Bits].
func (b Builder) Bits(t types.Type, bits uint64) *Instr {
	c := b.New(OpConst, t)
	c.Bits = bits
	return c
}

// Const appends an integer or bool constant of kind k, wrapped to its width.
func (b Builder) Const(k types.Kind, v int64) *Instr { return b.Bits(k, IntBits(k, v)) }

// Int appends an int constant.
func (b Builder) Int(v int64) *Instr { return b.Const(types.Int, v) }

// Bool appends a bool constant.
func (b Builder) Bool(v bool) *Instr { return b.Bits(types.Bool, BoolBits(v)) }

// Float appends a floating-point constant of kind k: v, rounded once.
func (b Builder) Float(k types.Kind, v float64) *Instr { return b.Bits(k, FloatBits(k, v)) }

// Zero appends the zero value of t, which may be an array.
func (b Builder) Zero(t types.Type) *Instr { return b.Bits(t, 0) }

// Param appends the value of a scalar parameter.
func (b Builder) Param(p *Param) *Instr { return b.ParamLeaf(p, 0) }

// ParamLeaf appends a scalar of a parameter by value.
func (b Builder) ParamLeaf(p *Param, leaf int) *Instr {
	in := b.New(OpParamGet, p.Leaf(leaf).Kind)
	in.Param, in.Leaf = p, leaf
	return in
}

// Extent appends the value of an extent symbol.
func (b Builder) Extent(s *Symbol) *Instr {
	in := b.New(OpExtent, types.Int)
	in.Sym = s
	return in
}

// Point appends the point's index along a domain dim.
func (b Builder) Point(dim int) *Instr {
	in := b.New(OpPoint, types.Int)
	in.Dim = dim
	return in
}

// Thread appends the thread's index in its block along a dim of Group.
func (b Builder) Thread(dim int) *Instr {
	in := b.New(OpThread, types.Int)
	in.Dim = dim
	return in
}

// Load appends the element of view p at the indexes.
func (b Builder) Load(p *Param, index ...*Instr) *Instr { return b.LoadLeaf(p, 0, index...) }

// LoadLeaf appends a scalar of an element of view p, or of a parameter by value. The indexes of the leaf's own dims follow
// those of the view.
func (b Builder) LoadLeaf(p *Param, leaf int, index ...*Instr) *Instr {
	in := b.New(OpLoad, p.Leaf(leaf).Kind, index...)
	in.Param, in.Leaf = p, leaf
	return in
}

// Store appends the assignment of v to the element of view p at the indexes.
func (b Builder) Store(p *Param, v *Instr, index ...*Instr) *Instr {
	return b.StoreLeaf(p, 0, v, index...)
}

// StoreLeaf appends the assignment of v to a scalar of an element of view p.
func (b Builder) StoreLeaf(p *Param, leaf int, v *Instr, index ...*Instr) *Instr {
	in := b.New(OpStore, nil, append(index[:len(index):len(index)], v)...)
	in.Param, in.Leaf = p, leaf
	return in
}

// LocalGet appends the value of a local.
func (b Builder) LocalGet(l *Local) *Instr {
	in := b.New(OpLocalGet, l.Type)
	in.Local = l
	return in
}

// LocalSet appends the assignment of v to a local.
func (b Builder) LocalSet(l *Local, v *Instr) *Instr {
	in := b.New(OpLocalSet, nil, v)
	in.Local = l
	return in
}

// ElemGet appends the element of a local array at the indexes.
func (b Builder) ElemGet(l *Local, index ...*Instr) *Instr {
	t, ok := ElemType(l.Type, len(index))
	if !ok {
		panic(fmt.Sprintf("ir: %d indexes into %s", len(index), l.Type))
	}
	in := b.New(OpElemGet, t, index...)
	in.Local = l
	return in
}

// ElemType is the type that n indexes into a value of array type t give; indexes go through arrays of arrays, the outer
// dims first. It reports false when n splits the dims of an array or is more than there are.
func ElemType(t types.Type, n int) (types.Type, bool) {
	for n > 0 {
		a, ok := t.(*types.Array)
		if !ok || len(a.Dims) > n {
			return nil, false
		}
		n -= len(a.Dims)
		t = a.Elem
	}
	return t, true
}

// ElemSet appends the assignment of v to the element of a local array at the indexes.
func (b Builder) ElemSet(l *Local, v *Instr, index ...*Instr) *Instr {
	in := b.New(OpElemSet, nil, append(index[:len(index):len(index)], v)...)
	in.Local = l
	return in
}

// TableGet appends the element of a table at the indexes.
func (b Builder) TableGet(t *Table, index ...*Instr) *Instr {
	in := b.New(OpTableGet, t.Elem(), index...)
	in.Table = t
	return in
}

// If appends an If with two empty blocks.
func (b Builder) If(cond *Instr) *Instr {
	in := b.New(OpIf, nil, cond)
	in.Blocks = []*Block{{}, {}}
	return in
}

// Range appends a counted loop with an empty body whose index has the kind of lo.
func (b Builder) Range(name string, lo, hi, step *Instr) *Instr {
	in := b.New(OpRange, nil, lo, hi, step)
	iter := &Instr{Op: OpIter, Type: lo.Type, Pos: b.Pos, Name: name}
	in.Blocks = []*Block{{Iter: iter}}
	return in
}

// Loop appends a loop with three empty blocks: cond, body, post.
func (b Builder) Loop() *Instr {
	in := b.New(OpLoop, nil)
	in.Blocks = []*Block{{}, {}, {}}
	return in
}

// Scope appends a Scope with an empty block.
func (b Builder) Scope() *Instr {
	in := b.New(OpScope, nil)
	in.Blocks = []*Block{{}}
	return in
}

// Exit appends a Break or Continue that passes level Ranges, Loops and Scopes.
func (b Builder) Exit(op Op, level int) *Instr {
	in := b.New(op, nil)
	in.Level = level
	return in
}

// Cond appends OpCondAnd or OpCondOr with an empty block for the right operand.
func (b Builder) Cond(op Op, x *Instr) *Instr {
	in := b.New(op, types.Bool, x)
	in.Blocks = []*Block{{}}
	return in
}

// Assert appends an Assert with an empty block for the condition.
func (b Builder) Assert(text string) *Instr {
	in := b.New(OpAssert, nil)
	in.Text, in.Blocks = text, []*Block{{}}
	return in
}

// Print appends a Print that has no site yet.
func (b Builder) Print(format string, values ...*Instr) *Instr {
	in := b.New(OpPrint, nil, values...)
	in.Text = format
	return in
}

// Yield ends a block that gives a value.
func (b Builder) Yield(v *Instr) *Instr { return b.New(OpYield, nil, v) }

// ConstInt is an integer or bool constant of kind k that stands in no block yet.
func ConstInt(k types.Kind, v int64) *Instr {
	return &Instr{Op: OpConst, Type: k, Bits: IntBits(k, v)}
}

// ConstFloat is a floating-point constant of kind k, v rounded once, that stands in no block yet.
func ConstFloat(k types.Kind, v float64) *Instr {
	return &Instr{Op: OpConst, Type: k, Bits: FloatBits(k, v)}
}

// IsConst reports a constant of a basic type.
func (in *Instr) IsConst() bool { return in.Op == OpConst && in.Kind() != types.Invalid }

// IsInt reports the integer constant v.
func (in *Instr) IsInt(v int64) bool {
	return in.IsConst() && in.Kind().IsInteger() && in.Bits == IntBits(in.Kind(), v)
}

// Int64 is the value of an integer or bool constant; a uint64 over the range of int64 comes out negative.
func (in *Instr) Int64() int64 { return int64(in.Bits) }

// Bool is the value of a bool constant.
func (in *Instr) Bool() bool { return in.Bits != 0 }

// Float is the value of a floating-point constant, exactly.
func (in *Instr) Float() float64 { return FloatOf(in.Kind(), in.Bits) }

// IsCompare reports Eq to Ge.
func (o Op) IsCompare() bool { return OpEq <= o && o <= OpGe }

// BoolBits is the bits of a bool constant.
func BoolBits(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// IntBits wraps v to the width of integer kind k and extends it back to 64 bits: the canonical bits of a constant.
func IntBits(k types.Kind, v int64) uint64 {
	switch {
	case k == types.Bool:
		return BoolBits(v != 0)
	case k.IsSigned():
		s := 64 - k.Bits()
		return uint64(v << s >> s)
	case k.IsUnsigned():
		s := 64 - k.Bits()
		return uint64(v) << s >> s
	}
	panic(fmt.Sprintf("ir: IntBits of %s", k))
}

// FloatBits is v rounded once to float kind k, as the bits of a constant; every NaN gives the positive quiet one with an
// empty payload.
func FloatBits(k types.Kind, v float64) uint64 {
	switch k {
	case types.Float64:
		if v != v {
			return 0x7ff8 << 48
		}
		return math.Float64bits(v)
	case types.Float32:
		if v != v {
			return 0x7fc0 << 16
		}
		return uint64(math.Float32bits(float32(v)))
	case types.Float16, types.BFloat16:
		return types.RoundHalf(k, v)
	}
	panic(fmt.Sprintf("ir: FloatBits of %s", k))
}

// FloatOf is the value of the bits of float kind k, exactly.
func FloatOf(k types.Kind, bits uint64) float64 {
	switch k {
	case types.Float64:
		return math.Float64frombits(bits)
	case types.Float32:
		return float64(math.Float32frombits(uint32(bits)))
	case types.Float16, types.BFloat16:
		return types.HalfValue(k, bits)
	}
	panic(fmt.Sprintf("ir: FloatOf of %s", k))
}
