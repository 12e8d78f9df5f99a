package types

import "slices"

// Support says how a target does an operation.
type Support uint8

// The answers of the capability table.
const (
	Impossible Support = iota // an error at the source line
	Optional                  // some devices of the target have it; on another the launch returns an error
	Emulated                  // made right by a pass or by a helper of the generated text
	Native                    // the target's own operation or function
)

var supportNames = [...]string{Impossible: "nothing", Optional: "some devices", Emulated: "emulated", Native: "native"}

// String is the word of the documents.
func (s Support) String() string { return supportNames[s] }

// Operation is a class of operations that one cell of the capability table answers for.
type Operation uint8

// The operations on which targets or types differ. What is not here every target does by itself.
const (
	Arithmetic     Operation = iota // + - * and comparisons; variables and memory. Where that is impossible or optional, all else is
	Division                        // / and % of integers by what nothing is known of
	Shift                           // << and >> by such counts
	Quotient                        // / and sqrt of floats, correctly rounded
	Saturation                      // a float to an integer
	Extremes                        // min and max of floats: NaN wins, -0 is below +0
	Fusion                          // fma; where it is native, products are fused with sums
	Exchange                        // subgroup.*; where it is native, block.* goes through it
	AtomicLoad                      // and Store
	AtomicExchange                  // of any value
	AtomicCAS                       // CompareExchange
	AtomicAdd                       // and Sub of integers
	AtomicExtremes                  // Min and Max
	AtomicAnd                       // and Or
	AtomicXor
	NumOperations
)

var operationNames = [NumOperations]string{
	"values, `+ - *`", "integer `/ %`", "`<< >>`", "`/` and `sqrt`, correctly rounded", "float to integer", "`min max`", "`fma`, fusing", "`subgroup.*`",
	"`atomic.Load Store`", "`atomic.Exchange`", "`atomic.CompareExchange`", "`atomic.Add`, of integers `Sub`", "`atomic.Min Max`", "`atomic.And Or`", "`atomic.Xor`",
}

// String names the operation in documents.
func (o Operation) String() string { return operationNames[o] }

// capability is a row: an operation on some kinds, and the targets' answers in their order.
type capability struct {
	op    Operation
	kinds []Kind
	on    [NumTargets]Support
}

var (
	signed   = []Kind{Int8, Int16, Int32, Int64, Int}
	unsigned = []Kind{Uint8, Uint16, Uint32, Uint64}
	integers = slices.Concat(signed, unsigned)
	narrow   = []Kind{Bool, Int8, Int16, Int32, Uint8, Uint16, Uint32, Float16, BFloat16, Float32} // at most 32 bits
	wide     = []Kind{Int64, Uint64, Int}
	halves   = []Kind{Float16, BFloat16}
	single   = []Kind{Float32}
	double   = []Kind{Float64}
	words    = []Kind{Int32, Uint32}
	longs    = []Kind{Int64, Uint64}
)

// capabilities is the table, a row for what has the same answers. Sources: Metal Shading Language specification, scalar data types
// (no double) and atomic functions (ulong knows min and max alone, without a result, on some devices); OpenCL C specification,
// where double, 64-bit atomics and subgroups are extensions; the CUDA C++ Programming Guide, atomic functions.
var capabilities = []capability{
	{Arithmetic, []Kind{Bool, Int8, Int32, Int64, Int, Uint8, Uint16, Uint32, Uint64}, [...]Support{Native, Native, Native, Native}},
	{Arithmetic, []Kind{Int16}, [...]Support{Emulated, Native, Native, Native}}, // in 32 bits: ptxas widens a negated -32768 wrongly
	{Arithmetic, halves, [...]Support{Emulated, Emulated, Emulated, Emulated}},  // in float32, each result rounded once more
	{Arithmetic, single, [...]Support{Native, Native, Native, Native}},
	{Arithmetic, double, [...]Support{Native, Impossible, Optional, Native}},

	{Division, integers, [...]Support{Emulated, Emulated, Emulated, Emulated}},
	{Shift, signed, [...]Support{Emulated, Emulated, Emulated, Emulated}},
	{Shift, unsigned, [...]Support{Emulated, Emulated, Emulated, Native}},
	{Quotient, halves, [...]Support{Emulated, Emulated, Emulated, Emulated}},
	{Quotient, single, [...]Support{Native, Native, Emulated, Native}}, // in OpenCL devices may be 2.5 units off
	{Quotient, double, [...]Support{Native, Impossible, Optional, Native}},
	{Saturation, halves, [...]Support{Emulated, Emulated, Emulated, Emulated}},
	{Saturation, single, [...]Support{Emulated, Emulated, Emulated, Emulated}},
	{Saturation, double, [...]Support{Emulated, Impossible, Optional, Emulated}},
	{Extremes, halves, [...]Support{Emulated, Emulated, Emulated, Emulated}},
	{Extremes, single, [...]Support{Emulated, Emulated, Emulated, Native}},
	{Extremes, double, [...]Support{Emulated, Impossible, Optional, Native}},
	{Fusion, single, [...]Support{Native, Native, Native, Emulated}},
	{Fusion, double, [...]Support{Native, Impossible, Optional, Native}},

	{Exchange, narrow, [...]Support{Native, Native, Optional, Emulated}},
	{Exchange, wide, [...]Support{Native, Emulated, Optional, Emulated}}, // Metal: in two halves
	{Exchange, double, [...]Support{Native, Impossible, Optional, Emulated}},

	{AtomicLoad, words, [...]Support{Native, Native, Native, Native}},
	{AtomicLoad, longs, [...]Support{Native, Impossible, Optional, Native}},
	{AtomicLoad, single, [...]Support{Native, Native, Native, Native}},
	{AtomicExchange, words, [...]Support{Native, Native, Native, Native}},
	{AtomicExchange, longs, [...]Support{Native, Impossible, Optional, Native}},
	{AtomicExchange, single, [...]Support{Native, Native, Native, Native}},
	{AtomicCAS, words, [...]Support{Native, Emulated, Native, Native}},
	{AtomicCAS, longs, [...]Support{Native, Impossible, Optional, Native}},
	{AtomicAdd, words, [...]Support{Native, Native, Native, Native}},
	{AtomicAdd, longs, [...]Support{Native, Impossible, Optional, Native}},
	{AtomicAdd, single, [...]Support{Native, Emulated, Emulated, Emulated}},
	{AtomicExtremes, words, [...]Support{Native, Native, Native, Emulated}},
	{AtomicExtremes, longs, [...]Support{Native, Impossible, Optional, Emulated}},
	{AtomicExtremes, single, [...]Support{Emulated, Emulated, Emulated, Emulated}},
	{AtomicAnd, words, [...]Support{Native, Native, Native, Native}},
	{AtomicAnd, longs, [...]Support{Native, Impossible, Optional, Native}},
	{AtomicXor, words, [...]Support{Native, Native, Native, Emulated}},
	{AtomicXor, longs, [...]Support{Native, Impossible, Optional, Emulated}},
}

// cells has the row of each operation and kind; nil where the language has no such operation.
var cells = func() (t [NumOperations][NumKinds]*capability) {
	for i := range capabilities {
		c := &capabilities[i]
		for _, k := range c.kinds {
			t[c.op][k] = c
		}
	}
	return t
}()

// Has reports how target t does operation o on values of kind k. Whatever the language lacks is impossible.
func Has(t Target, o Operation, k Kind) Support {
	if c := cells[o][k]; c != nil {
		return c.on[t]
	}
	return Impossible
}

// Where is the targets that do operation o on kind k in the given way.
func Where(o Operation, k Kind, s Support) (set TargetSet) {
	for _, t := range AllTargets.List() {
		if Has(t, o, k) == s {
			set |= TargetsOf(t)
		}
	}
	return set
}

// InLanguage reports whether the language has operation o on kind k.
func InLanguage(o Operation, k Kind) bool { return cells[o][k] != nil }

// Atomics maps the operations of `atomic`, as the intermediate form names them, to their rows.
var Atomics = map[string]Operation{
	"load": AtomicLoad, "store": AtomicLoad, "exchange": AtomicExchange, "cas": AtomicCAS, "add": AtomicAdd, "min": AtomicExtremes, "max": AtomicExtremes,
	"and": AtomicAnd, "or": AtomicAnd, "xor": AtomicXor,
}
