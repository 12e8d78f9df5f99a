package ir

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
)

// Reduction is what a Reduce makes of the values of all threads.
type Reduction uint8

// The reductions. A scan is inclusive: each thread gets what the threads up to itself give, in the order of their linear
// index; the others give all threads the same.
const (
	NoReduction Reduction = iota
	ReduceSum
	ReduceProd
	ReduceMin // as OpMin
	ReduceMax
	ReduceAny // bools
	ReduceAll
	ScanSum
	ReduceArgMin // of comprehensions alone: they accumulate an index, or -1, the value there and, where indexes may be negative, whether there is any
	ReduceArgMax
	numReductions
)

var reductionNames = [numReductions]string{
	NoReduction: "", ReduceSum: "sum", ReduceProd: "prod", ReduceMin: "min", ReduceMax: "max", ReduceAny: "any", ReduceAll: "all", ScanSum: "scansum",
	ReduceArgMin: "argmin", ReduceArgMax: "argmax",
}

// String is the name in the text form.
func (r Reduction) String() string { return reductionNames[r] }

// indexes reports argmin and argmax.
func (r Reduction) indexes() bool { return r == ReduceArgMin || r == ReduceArgMax }

// ReductionOf is the reduction that a comprehension of the name makes.
func ReductionOf(name string) (Reduction, bool) {
	r, ok := reductionNamed(name)
	return r, ok && r != ScanSum
}

// accumulates reports whether a comprehension accumulates in so many locals.
func (r Reduction) accumulates(locals int) bool {
	if r.indexes() {
		return locals == 2 || locals == 3
	}
	return locals == 1
}

// reductionNamed is the reduction of a name in the text form.
func reductionNamed(name string) (Reduction, bool) {
	i := slices.Index(reductionNames[1:], name)
	return Reduction(i + 1), i >= 0
}

// Op is the operation that combines two values; for Any and All, which combine bools, it is Or and And of their numbers.
func (r Reduction) Op() Op {
	return [numReductions]Op{
		ReduceSum: OpAdd, ReduceProd: OpMul, ReduceMin: OpMin, ReduceMax: OpMax, ReduceAny: OpOr, ReduceAll: OpAnd, ScanSum: OpAdd,
	}[r]
}

// Subgroup is the number of threads of a subgroup: threads of a block whose linear indexes, the last dim the fastest, give
// the same when they are divided by it.
const Subgroup = 32

// GroupSize is the number of threads of a block of a kernel with Group.
func (k *Kernel) GroupSize() int64 {
	n := int64(1)
	for _, t := range k.Group {
		n *= t.N
	}
	return n
}

// SubReduce appends the reduction of a value over the threads of the subgroup.
func (b Builder) SubReduce(r Reduction, v *Instr) *Instr {
	in := b.New(OpSubReduce, v.Type, v)
	in.Reduce = r
	return in
}

// Shuffle appends the value that the thread of a lane of the subgroup has; the thread's own, if there is no such lane.
func (b Builder) Shuffle(v, lane *Instr) *Instr { return b.New(OpShuffle, v.Type, v, lane) }

// subgroups checks that there are subgroups.
func (v *verifier) subgroups() {
	v.check(v.fn != nil || len(v.kernel.Group) > 0 && v.kernel.GroupSize()%Subgroup == 0, "in a block that is not whole subgroups")
}

func subgroupRule(v *verifier, in *Instr) {
	v.subgroups()
	v.result(in, types.Int)
}

// Reduce appends the reduction of a value over the threads of the block.
func (b Builder) Reduce(r Reduction, v *Instr) *Instr {
	in := b.New(OpReduce, v.Type, v)
	in.Reduce = r
	return in
}

func reduceRule(v *verifier, in *Instr) {
	v.check(v.fn != nil || len(v.kernel.Group) > 0, "outside a kernel of blocks")
	v.check(NoReduction < in.Reduce && in.Reduce < numReductions && !in.Reduce.indexes(), "reduction %d", in.Reduce)
	v.operand(in, 0, in.Type)
	if in.Reduce == ReduceAny || in.Reduce == ReduceAll {
		v.result(in, types.Bool)
	} else {
		v.check(numeric(in.Kind()), "result is %v", in.Type)
	}
}
