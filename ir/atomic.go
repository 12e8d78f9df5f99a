package ir

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
)

// AtomicOp is what an Atomic does to an element. Every one of them gives the value that it found.
type AtomicOp uint8

// The atomic operations: relaxed, on an element of a `mut` view for all threads of the launch, on one of a shared variable
// for the threads of the block.
const (
	NoAtomic AtomicOp = iota
	AtomicAdd
	AtomicMin // as OpMin
	AtomicMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicExchange
	AtomicCompareExchange // operands: what must stand there, what to put in its place
	AtomicLoad            // no operand
	AtomicStore           // its value is never used
	NumAtomicOps
)

var atomicNames = [NumAtomicOps]string{
	NoAtomic: "", AtomicAdd: "add", AtomicMin: "min", AtomicMax: "max", AtomicAnd: "and", AtomicOr: "or", AtomicXor: "xor",
	AtomicExchange: "exchange", AtomicCompareExchange: "cas", AtomicLoad: "load", AtomicStore: "store",
}

// String is the name in the text form.
func (a AtomicOp) String() string { return atomicNames[a] }

// Operation is the operation's row in the capability table.
func (a AtomicOp) Operation() types.Operation { return types.Atomics[a.String()] }

// Operands is the number of operands behind the indexes.
func (a AtomicOp) Operands() int {
	switch a {
	case AtomicLoad:
		return 0
	case AtomicCompareExchange:
		return 2
	}
	return 1
}

// Op is the operation that an Atomic makes of the element and its operand; invalid for those that compute nothing.
func (a AtomicOp) Op() Op {
	return [NumAtomicOps]Op{AtomicAdd: OpAdd, AtomicMin: OpMin, AtomicMax: OpMax, AtomicAnd: OpAnd, AtomicOr: OpOr, AtomicXor: OpXor}[a]
}

// Indexes are the operands of an access that say where; behind them stand those that say what.
func (in *Instr) Indexes() []*Instr {
	switch in.Op {
	case OpLoad, OpElemGet:
		return in.Args
	case OpStore, OpElemSet:
		return in.Args[:len(in.Args)-1]
	case OpAtomic:
		return in.Args[:len(in.Args)-in.Atomic.Operands()]
	}
	return nil
}

// AtomicParam appends an atomic operation on a scalar of the element of view p at the indexes.
func (b Builder) AtomicParam(op AtomicOp, p *Param, leaf int, index, operands []*Instr) *Instr {
	in := b.New(OpAtomic, p.Leaf(leaf).Kind, slices.Concat(index, operands)...)
	in.Param, in.Leaf, in.Atomic = p, leaf, op
	return in
}

// AtomicLocal appends an atomic operation on a shared variable, or on its element at the indexes.
func (b Builder) AtomicLocal(op AtomicOp, l *Local, index, operands []*Instr) *Instr {
	t, ok := ElemType(l.Type, len(index))
	if !ok {
		panic("ir: an atomic operation on part of an array")
	}
	in := b.New(OpAtomic, t, slices.Concat(index, operands)...)
	in.Local, in.Atomic = l, op
	return in
}

// atomic is what stands behind an Atomic's type: `add x [%1], %2`.
func (p *printer) atomic(in *Instr) string {
	to := ""
	if in.Param != nil {
		to = access(in)
	} else {
		to = local(in.Local)
	}
	text := in.Atomic.String() + " " + to + " [" + p.refs(in.Indexes()) + "]"
	if operands := in.Args[len(in.Indexes()):]; len(operands) > 0 {
		text += ", " + p.refs(operands)
	}
	return text
}

// atomic reads what printer.atomic writes.
func (p *parser) atomic(in *Instr) {
	name := p.word()
	i := slices.Index(atomicNames[1:], name)
	if i < 0 {
		p.fail("unknown atomic operation %s", name)
	}
	in.Atomic = AtomicOp(i + 1)
	if p.tok.kind == tokPunct && p.tok.text == "$" {
		in.Local = p.localRef()
	} else {
		p.access(in)
	}
	in.Args = p.index()
	if p.accept(",") {
		in.Args = append(in.Args, p.refs()...)
	}
}

func atomicRule(v *verifier, in *Instr) {
	n := len(in.Args) - in.Atomic.Operands()
	if !v.check(NoAtomic < in.Atomic && in.Atomic < NumAtomicOps && n >= 0, "operation %d on %d operands", in.Atomic, len(in.Args)) {
		return
	}
	var elem types.Type
	switch {
	case in.Param != nil:
		v.check(in.Param.Mut, "%s is not mut", in.Param.Name)
		if v.view(in, in.Args[:n]) {
			elem = in.Param.Leaf(in.Leaf).Kind
		}
	case n == 0:
		elem = in.Local.Type
	default:
		elem = v.array(in, in.Args[:n])
	}
	v.check(in.Local == nil || in.Local.Shared, "%v is not shared", in.Local)
	if elem == nil {
		return
	}
	v.result(in, elem)
	k := in.Kind()
	v.check(types.InLanguage(in.Atomic.Operation(), k), "%s on %v", in.Atomic, k)
	for i := range in.Args[n:] {
		v.operand(in, n+i, elem)
	}
}
