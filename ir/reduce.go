package ir

// ReduceOp is how a comprehension, or a reduction over the threads of a block, combines values.
type ReduceOp uint8

// The reductions. Those of an index accumulate in three locals: the index, or -1, the value there, and whether there is any.
const (
	NoReduce ReduceOp = iota
	ReduceSum
	ReduceProd
	ReduceMin
	ReduceMax
	ReduceAny
	ReduceAll
	ReduceArgMin
	ReduceArgMax

	numReduceOps
)

var reduceNames = [numReduceOps]string{
	"", ReduceSum: "sum", ReduceProd: "prod", ReduceMin: "min", ReduceMax: "max", ReduceAny: "any", ReduceAll: "all",
	ReduceArgMin: "argmin", ReduceArgMax: "argmax",
}

// String is the name of the comprehension.
func (r ReduceOp) String() string {
	if r < numReduceOps {
		return reduceNames[r]
	}
	return "reduce?"
}

// ReduceNamed is the reduction of that name.
func ReduceNamed(name string) (ReduceOp, bool) {
	for r := ReduceSum; r < numReduceOps; r++ {
		if reduceNames[r] == name {
			return r, true
		}
	}
	return NoReduce, false
}

// Accumulators is in how many locals a comprehension accumulates.
func (r ReduceOp) Accumulators() int {
	switch r {
	case NoReduce:
		return 0
	case ReduceArgMin, ReduceArgMax:
		return 3
	}
	return 1
}
