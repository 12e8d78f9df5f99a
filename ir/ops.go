package ir

// Op is an operation.
type Op uint8

// The operations. Unless a line says otherwise operands and result have one basic type.
const (
	OpInvalid Op = iota

	// Leaves.
	OpConst    // Bits of Type; of an array type: the zero value
	OpParamGet // Param, Leaf: a scalar parameter, or a scalar in one by value that no array holds
	OpExtent   // Sym: an int
	OpPoint    // Dim: the index along a domain dim, of the point or of the block, an int; none after schedule
	OpLane     // the thread's number in its subgroup, an int; none behind collect on devices, as the next
	OpSubgroup // the subgroup's number in its block, an int
	OpThread   // Dim: the thread's index along a dim of Group, an int; none after schedule
	OpIter     // a Range's index; stands in Block.Iter only
	OpLocalGet // Local: its value, a whole array included
	OpBlockIdx // Dim 0 to 2 is x to z; int32, or int in a wide kernel; after schedule only, as the next two
	OpThreadIdx
	OpGridDim

	// Integers wrap; floats round once.
	OpAdd
	OpSub
	OpMul
	OpDiv // integers: x/0 = x, MinInt/-1 = MinInt
	OpRem // integers: x%0 = 0, MinInt%-1 = 0; floats: as C's fmod, exact
	OpNeg
	OpAbs
	OpAnd
	OpOr
	OpXor
	OpAndNot
	OpNot
	OpShl // args: x, count of any integer type; counts at or over the width, and negative ones, count as huge
	OpShr
	OpMulHi // high half of the double-width product
	OpPopcount
	OpClz
	OpCtz
	OpReverse // bits

	// What a legalising pass proved: divisor neither 0 nor, with MinInt, -1; count in [0, width).
	OpDivNZ
	OpRemNZ
	OpShlIn
	OpShrIn

	// Comparisons give bool; operands are numbers, for Eq and Ne bools too.
	OpEq
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe
	OpLNot    // bool
	OpCondAnd // args: x bool; block: y, yielded; y runs only if x
	OpCondOr  // args: x bool; block: y, yielded; y runs only if not x
	OpSelect  // args: c bool, a, b; both are evaluated

	OpMin // Go's min: NaN wins, -0 < +0
	OpMax
	OpFmin // NaN loses
	OpFmax
	OpFMA // x*y + z, rounded once

	// Exactly defined on floats.
	OpFloor
	OpCeil
	OpTrunc
	OpRound     // half away from zero
	OpRoundEven // half to even
	OpSqrt
	OpCopysign

	// Table functions: within the ULP table, never folded.
	OpRsqrt
	OpExp
	OpExp2
	OpLog
	OpLog2
	OpLog10
	OpSin
	OpCos
	OpTan
	OpAsin
	OpAcos
	OpAtan
	OpAtan2
	OpSinh
	OpCosh
	OpTanh
	OpPow
	OpHypot
	OpErf

	OpConv    // from Args[0]'s basic type to Type: ints wrap, float to int truncates and saturates, NaN gives 0
	OpBitcast // same width

	// Memory and variables.
	OpLoad     // Param, Leaf, one int index a dim of the view and of the leaf; of a parameter by value those of the leaf alone
	OpStore    // Param, Leaf, the indexes, then the value
	OpElemGet  // Local array, the indexes
	OpElemSet  // Local array, the indexes, then the value
	OpLocalSet // Local, value; a whole array included
	OpAtomic   // Atomic on an element of Param or of a shared Local: the indexes, then its operands; gives the value that it found
	OpTableGet // Table, one int index a dim

	// Threads of a block meet here and give each other values. Only where control is uniform over the block.
	OpReduce // Reduce: one value of those of all threads, by a fixed tree of operations

	// Threads of a subgroup meet here. Only where control is uniform over the subgroup.
	OpSubReduce // Reduce, over the subgroup
	OpShuffle   // args: x, lane int32; x of that lane of the subgroup, the thread's own if there is none; InBounds: there is
	OpBallot    // args: x bool; a uint32 with bit n set where x holds in lane n

	// Structure.
	OpIf       // args: cond; blocks: then, else (else may be empty)
	OpRange    // args: lo, hi, step (step > 0); block: body with Iter; hi and step are evaluated once
	OpLoop     // blocks: cond (yields bool; empty block: endless), body, post (runs after body and continue)
	OpScope    // block: runs once; a Break may leave it (switch, labelled blocks); the exits pass removes all that are left
	OpBreak    // leaves a Range, Loop or Scope: the innermost for Level 0, the one around it for 1; after exits: the innermost Range or Loop
	OpContinue // to the next iteration of a Range or Loop; Level counts Ranges, Loops and Scopes alike
	OpBarrier  // all threads of the block meet; orders shared memory and views. Only where control is uniform over the block
	OpReturn   // args: a function's results; in a kernel none: the point is done
	OpYield    // args: the value of the block
	OpCall     // Func, args; results go to Outs

	// What threads tell the host.
	OpAssert // Text; block: a bool, yielded, that should hold. The first passes take it away: a release build drops it whole
	OpReport // a test failed. args: index and extent, ints; with a Site, then where (see Kernel.Where)
	OpPrint  // args: the values; with a Site, then where

	NumOps
)

// Class groups operations for tables and checks.
type Class uint8

// The classes.
const (
	Leaf       Class = iota + 1
	Pure             // depends on its operands alone
	Read             // reads memory or a variable
	Write            // writes memory or a variable
	Structure        // owns blocks or moves control
	Collective       // threads meet: it stays where it stands
)

// OpInfo is a row of the table of operations.
type OpInfo struct {
	Name   string // in the text form
	Args   int    // operands; -1 when the rest of the instruction says how many
	Blocks int
	Class  Class
	Value  bool // defines a value
	Table  bool // a table function, within ULP rather than exact
}

// Ops is the table of operations; it has no hole.
var Ops = [NumOps]OpInfo{
	OpInvalid:  {Name: "invalid", Class: Leaf},
	OpConst:    {Name: "const", Class: Leaf, Value: true},
	OpParamGet: {Name: "param", Class: Leaf, Value: true},
	OpExtent:   {Name: "extent", Class: Leaf, Value: true},
	OpPoint:    {Name: "point", Class: Leaf, Value: true},
	OpThread:   {Name: "thread", Class: Leaf, Value: true},
	OpLane:     {Name: "lane", Class: Leaf, Value: true},
	OpSubgroup: {Name: "subgroup", Class: Leaf, Value: true},
	OpIter:     {Name: "iter", Class: Leaf, Value: true},
	OpLocalGet: {Name: "get", Class: Read, Value: true},
	OpBlockIdx: {Name: "blockidx", Class: Leaf, Value: true}, OpThreadIdx: {Name: "threadidx", Class: Leaf, Value: true}, OpGridDim: {Name: "griddim", Class: Leaf, Value: true},

	OpAdd: pure("add", 2), OpSub: pure("sub", 2), OpMul: pure("mul", 2), OpDiv: pure("div", 2), OpRem: pure("rem", 2),
	OpNeg: pure("neg", 1), OpAbs: pure("abs", 1),
	OpAnd: pure("and", 2), OpOr: pure("or", 2), OpXor: pure("xor", 2), OpAndNot: pure("andnot", 2), OpNot: pure("not", 1),
	OpShl: pure("shl", 2), OpShr: pure("shr", 2), OpMulHi: pure("mulhi", 2),
	OpPopcount: pure("popcount", 1), OpClz: pure("clz", 1), OpCtz: pure("ctz", 1), OpReverse: pure("reverse", 1),
	OpDivNZ: pure("divnz", 2), OpRemNZ: pure("remnz", 2), OpShlIn: pure("shlin", 2), OpShrIn: pure("shrin", 2),

	OpEq: pure("eq", 2), OpNe: pure("ne", 2), OpLt: pure("lt", 2), OpLe: pure("le", 2), OpGt: pure("gt", 2), OpGe: pure("ge", 2), OpLNot: pure("lnot", 1),
	OpCondAnd: {Name: "condand", Args: 1, Blocks: 1, Class: Structure, Value: true},
	OpCondOr:  {Name: "condor", Args: 1, Blocks: 1, Class: Structure, Value: true},
	OpSelect:  pure("select", 3),
	OpMin:     pure("min", 2), OpMax: pure("max", 2), OpFmin: pure("fmin", 2), OpFmax: pure("fmax", 2), OpFMA: pure("fma", 3),
	OpFloor: pure("floor", 1), OpCeil: pure("ceil", 1), OpTrunc: pure("trunc", 1), OpRound: pure("round", 1), OpRoundEven: pure("roundeven", 1),
	OpSqrt: pure("sqrt", 1), OpCopysign: pure("copysign", 2),

	OpRsqrt: table("rsqrt", 1), OpExp: table("exp", 1), OpExp2: table("exp2", 1), OpLog: table("log", 1), OpLog2: table("log2", 1), OpLog10: table("log10", 1),
	OpSin: table("sin", 1), OpCos: table("cos", 1), OpTan: table("tan", 1), OpAsin: table("asin", 1), OpAcos: table("acos", 1), OpAtan: table("atan", 1), OpAtan2: table("atan2", 2),
	OpSinh: table("sinh", 1), OpCosh: table("cosh", 1), OpTanh: table("tanh", 1), OpPow: table("pow", 2), OpHypot: table("hypot", 2), OpErf: table("erf", 1),

	OpConv: pure("conv", 1), OpBitcast: pure("bitcast", 1),

	OpLoad:     {Name: "load", Args: -1, Class: Read, Value: true},
	OpStore:    {Name: "store", Args: -1, Class: Write},
	OpElemGet:  {Name: "elem", Args: -1, Class: Read, Value: true},
	OpElemSet:  {Name: "setelem", Args: -1, Class: Write},
	OpLocalSet: {Name: "set", Args: 1, Class: Write},
	OpAtomic:   {Name: "atomic", Args: -1, Class: Write, Value: true},
	OpTableGet: {Name: "table", Args: -1, Class: Read, Value: true},

	OpReduce:    {Name: "reduce", Args: 1, Class: Collective, Value: true},
	OpSubReduce: {Name: "subreduce", Args: 1, Class: Collective, Value: true},
	OpShuffle:   {Name: "shuffle", Args: 2, Class: Collective, Value: true},
	OpBallot:    {Name: "ballot", Args: 1, Class: Collective, Value: true},

	OpIf:       {Name: "if", Args: 1, Blocks: 2, Class: Structure},
	OpRange:    {Name: "range", Args: 3, Blocks: 1, Class: Structure},
	OpLoop:     {Name: "loop", Blocks: 3, Class: Structure},
	OpScope:    {Name: "scope", Blocks: 1, Class: Structure},
	OpBreak:    {Name: "break", Class: Structure},
	OpContinue: {Name: "continue", Class: Structure},
	OpReturn:   {Name: "return", Args: -1, Class: Structure},
	OpYield:    {Name: "yield", Args: 1, Class: Structure},
	OpCall:     {Name: "call", Args: -1, Class: Structure},
	OpBarrier:  {Name: "barrier", Class: Structure},

	OpAssert: {Name: "assert", Blocks: 1, Class: Structure},
	OpReport: {Name: "report", Args: -1, Class: Write},
	OpPrint:  {Name: "print", Args: -1, Class: Write},
}

func pure(name string, args int) OpInfo {
	return OpInfo{Name: name, Args: args, Class: Pure, Value: true}
}

func table(name string, args int) OpInfo {
	return OpInfo{Name: name, Args: args, Class: Pure, Value: true, Table: true}
}

// String is the name in the text form.
func (o Op) String() string {
	if o < NumOps {
		return Ops[o].Name
	}
	return "op?"
}
