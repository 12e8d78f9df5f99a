// Package ir is the typed, structured intermediate representation: what ir/lower makes of checked syntax, what ir/pass
// rewrites, what ir/interp runs and what the targets print.
//
// A function's body is a tree of blocks. An [Instr] is at once an instruction and the value that it defines, once; If,
// Range and the other structured instructions own blocks. Variables that are assigned more than once, and arrays, are
// [Local] slots. Every operation means what the language's meaning table says, on every target; the passes of a target
// replace what its compiler would get wrong.
//
// The text form ([Print], [Parse]) is complete: every stage can be dumped, edited and read back. [Verify] reports our
// own bugs, never a user's. The package depends on dsl/types and on positions from dsl/diag, and on nothing else.
package ir

import (
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// Module is what one .gpu file becomes: one set of generated files.
type Module struct {
	Package string    // Go package name
	File    string    // base name of the source, "saxpy.gpu"
	Structs []*Struct // that parameters and signatures name, each behind those in its fields, and the exported ones of this file
	Tables  []*Table  // constant arrays that a kernel or function of this module reads, and the exported ones of this file
	Consts  []*Const
	Funcs   []*Func // every instance that a kernel of this module calls, and the exported ones of this file
	Kernels []*Kernel
}

// Struct is a struct type of the package. The body of a kernel sees its scalars alone; parameters have it whole.
type Struct struct {
	Type   *types.Struct
	Doc    []string
	Fields [][]string // doc of each field
	Pos    diag.Pos
}

// Const is an exported package constant, for the generated Go.
type Const struct {
	Name  string
	Doc   []string
	Type  types.Type // nil: untyped
	Value string     // as a Go literal
	Table *Table     // of an array, instead of Type and Value
	Pos   diag.Pos
}

// Table is a constant array. It never changes, is shared by copies of its module, and has a name of its own among the
// tables of the module.
type Table struct {
	Name string
	Type *types.Array // of basic values: arrays of arrays are one array of more dims
	Bits []uint64     // of the elements in row-major order, each as Instr.Bits has it
	Pos  diag.Pos
}

// Elem is the kind of an element.
func (t *Table) Elem() types.Kind { return t.Type.Elem.(types.Kind) }

// At is element i in row-major order, as a constant that stands in no block.
func (t *Table) At(i int64) *Instr { return &Instr{Op: OpConst, Type: t.Elem(), Bits: t.Bits[i]} }

// Index is the row-major number of an element; it reports false if one of the indexes is out of range.
func (t *Table) Index(at []int64) (int64, bool) {
	n := int64(0)
	for d, i := range at {
		if i < 0 || i >= t.Type.Dims[d] {
			return 0, false
		}
		n = n*t.Type.Dims[d] + i
	}
	return n, true
}

// Generic is one type or constant argument of an instance.
type Generic struct {
	Param string     // "T"
	Type  types.Type // nil for a constant
	Value int64      // of a constant
}

// Func is one instance of a function. Inlining removes all calls; exported functions stay for the generated Go.
type Func struct {
	Name     string // "lerp3"
	Instance string // "lerp3[float32]", unique in the module
	Generics []Generic
	Doc      []string
	Pos      diag.Pos
	Exported bool
	Params   []*Local // scalars and arrays by value; of a struct or vector each leaf
	Results  []types.Type
	Locals   []*Local // params included, first
	Body     *Block

	Sig *Signature // what Params and Results were before they were taken apart; nil where nothing was
}

// Signature is the parameters and results of a function as the source has them.
type Signature struct {
	Params  []SigParam
	Results []types.Type
}

// SigParam is one parameter of a signature.
type SigParam struct {
	Name string
	Type types.Type
}

// Kernel is one instance of a kernel.
type Kernel struct {
	Name     string // "Saxpy", as in the source
	Instance string // "Saxpy[float32]", as in errors
	Entry    string // "Saxpy_float32", the device symbol; the wide variant has "_wide" at the end
	Generics []Generic
	Doc      []string
	Pos      diag.Pos
	Params   []*Param
	Symbols  []*Symbol
	Equal    []Equality
	Requires []Require
	Domain   []Dim    // 1 to 3 dims, the last is the fastest; of blocks in a kernel with Group
	Group    []Thread // `threads ty, tx in 16, 16`: the threads of a block; empty for a kernel of one thread a point
	ByBlock  bool     // `by block`: a point is one thread's program, which the spread pass turns into a block's; Group is empty until then
	InPlace  [][2]int // pairs of parameter indexes whose views may be exactly the same range
	Targets  types.TargetSet
	Exact    bool // @exact: nothing is fused
	FastMath bool // @fastmath
	Threads  int  // @block(n): threads a block; 0 leaves it to the schedule
	Locals   []*Local
	Sites    []*Site // places that tell the host something; a launch of a kernel that has some carries a record for them
	Body     *Block

	Sched *Schedule // nil until the schedule pass has mapped points to threads
	Wide  bool      // after schedule: the variant without size limits
}

// Param is a kernel parameter.
type Param struct {
	Index int
	Name  string
	Pos   diag.Pos
	Type  types.Type // a Kind, *types.Vector or *types.Struct by value, or *types.View
	Mut   bool
	Dims  []*types.Header // a view's extents
}

// IsView reports whether p is a view.
func (p *Param) IsView() bool { _, ok := p.Type.(*types.View); return ok }

// Elem is the type of a view's elements, or that of a parameter by value.
func (p *Param) Elem() types.Type {
	if v, ok := p.Type.(*types.View); ok {
		return v.Elem
	}
	return p.Type
}

// Leaf is leaf number i of an element, or of the value.
func (p *Param) Leaf(i int) types.Leaf {
	if k, ok := p.Elem().(types.Kind); ok && i == 0 {
		return types.Leaf{Kind: k}
	}
	return types.Leaves(p.Elem())[i]
}

// Symbol is an extent name that a view binds: n of `x [n]float32`.
type Symbol struct {
	Index int // among the kernel's symbols
	Name  string
	Param int // bound by this parameter
	Dim   int // at this dim
	Pos   diag.Pos
}

// Equality is a dim that must equal an expression: every dim that does not bind a symbol.
type Equality struct {
	Param, Dim int
	Want       *types.Header
	Pos        diag.Pos
}

// Require is a relation of a `requires` clause.
type Require struct {
	Cond *types.Header
	Text string // as the user wrote it
	Pos  diag.Pos
}

// Dim is one dim of a domain: Lo <= v < Hi.
type Dim struct {
	Name   string
	Lo, Hi *types.Header
	Pos    diag.Pos
}

// Thread is a dim of the threads of a block: 0 <= v < N.
type Thread struct {
	Name string
	N    int64
	Pos  diag.Pos
}

// Schedule is how a device runs the points of a domain. In the body, Point is replaced by arithmetic on BlockIdx and
// ThreadIdx, guards and grid strides; the host computes the grid from Block and Per alone.
type Schedule struct {
	Block [3]int // threads a block: x, y, z; in a kernel with Group exactly its dims, the last of them x
	Per   int    // points a thread along x, a block's width apart
}

// Local is a variable that is assigned more than once, or an array.
type Local struct {
	ID   int // position in the owner's Locals
	Name string
	Type types.Type // a Kind or *types.Array
	Pos  diag.Pos

	Shared bool // one for all threads of a block; garbage until written

	// For messages: the function whose result this takes, or, in its body that took a call's place, whose parameter it is
	// and where it was called. No text of the IR has them.
	ResultOf, ParamOf string
	Called            diag.Pos
}

// Block is a sequence of instructions. A block that yields a value (a loop's condition, the right side of a
// short-circuit operator) ends with Yield.
type Block struct {
	Iter   *Instr // Range's index: an OpIter that belongs to the block and stands in no list
	Instrs []*Instr
}

// Instr is an instruction and the value it defines. Which fields count is said by [Ops].
type Instr struct {
	Op     Op
	Type   types.Type // of the value; nil when there is none
	Args   []*Instr
	Blocks []*Block
	Pos    diag.Pos

	Name  string // the source's name for the value; a named value is printed as a declaration
	Bits  uint64 // Const: the bits of a value of Type; integers are sign- or zero-extended to 64 bits by their type
	Dim   int    // Point, Thread and the indexes after schedule: which dim
	Level int    // Break, Continue: how many enclosing Ranges, Loops and Scopes to pass before the innermost that fits counts
	Param *Param // ParamGet, Load, Store, Atomic
	Leaf  int    // ParamGet, Load, Store, Atomic: which scalar of the value or element
	Sym   *Symbol
	Local *Local
	Table *Table // TableGet
	Func  *Func
	Outs  []*Local // Call: where the results go, in order; Range with a Reduce: what it accumulates in
	Text  string   // Assert, Report, Print: the text or the format; empty once there is a Site
	Site  *Site    // Report, Print: its place in the table; nil before the sites pass

	Reduce Reduction // Reduce, SubReduce; the outermost Range of a comprehension: how it combines values in Outs
	Atomic AtomicOp  // Atomic

	NoFuse   bool // Mul: an explicit conversion stands around it, or @exact holds: never part of an fma
	InBounds bool // Load, Store, ElemGet, ElemSet, TableGet, Atomic: a pass proved every index in range; Shuffle: the lane
	NoWrap   bool // Add, Sub, Mul, Neg on signed integers: a pass proved that the exact result fits

	Unroll int // Range, Loop: copies of the body that a device's compiler should make; 0 leaves it to the compiler

	// Spread is of a Range that is a `for … in` or a comprehension, whose iterations have no order: how many Ranges from
	// here inwards are its indexes. But for leaves each is the only instruction in the one around it.
	Spread int
}

// NewBlock makes a block of the given instructions.
func NewBlock(ins ...*Instr) *Block { return &Block{Instrs: ins} }

// Add appends in and returns it.
func (b *Block) Add(in *Instr) *Instr {
	b.Instrs = append(b.Instrs, in)
	return in
}

// Kind is the basic kind of the value, Invalid when it has none.
func (in *Instr) Kind() types.Kind { return types.KindOf(in.Type) }

// Inner is the Range of the next index of a Spread Range of several, or nil.
func (in *Instr) Inner() *Instr {
	if in.Spread < 2 {
		return nil
	}
	var inner *Instr
	for _, c := range in.Blocks[0].Instrs {
		switch {
		case Ops[c.Op].Class == Leaf:
		case inner == nil && c.Op == OpRange && c.Spread == in.Spread-1:
			inner = c
		default:
			return nil
		}
	}
	return inner
}

// Len is the number of instructions in b and below.
func (b *Block) Len() int {
	n := len(b.Instrs)
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			n += c.Len()
		}
	}
	return n
}

// Walk calls f for every instruction of b, outer before inner, in order. Iter values are not visited.
func (b *Block) Walk(f func(*Instr)) {
	for _, in := range b.Instrs {
		f(in)
		for _, c := range in.Blocks {
			c.Walk(f)
		}
	}
}
