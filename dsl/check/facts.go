package check

import (
	"go/constant"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// Program is the facts of one package: every listed instance of every kernel and function, checked alone. The tree is
// untouched; facts are found by the address of a node in the body of one instance.
type Program struct {
	Package string
	Files   []*dsl.File
	Options Options
	Consts  []*Const  // package constants, in source order
	Structs []*Struct // of the package, in source order
	Funcs   []*Func   // instances that something calls, and every listed instance of an exported function
	Kernels []*Kernel // instances, in source order and then in listed order
}

// Options are the `//gpugen:` directives of the folder.
type Options struct {
	Targets types.TargetSet // `targets`; CUDA, Metal and CPU by default
	Archs   []string        // `arch`: as written, sorted, without duplicates
	Checked bool            // `checked`: there is a checked build as well
}

// Const is a package constant.
type Const struct {
	Name  string
	File  string // of its declaration
	Doc   string
	Type  types.Type // untyped kinds included
	Value constant.Value
	Table *Table // of an array, instead of Value
	Pos   diag.Pos
}

// Struct is a struct of the package.
type Struct struct {
	Type   *types.Struct
	File   string // of its declaration
	Doc    string
	Fields []string // doc of each field
	Pos    diag.Pos
}

// Table is a constant array. Its address is its identity.
type Table struct {
	Name   string
	Type   *types.Array     // as the source has it, arrays of arrays included
	Values []constant.Value // of all elements in row-major order, each representable in the element's kind
	Pos    diag.Pos
}

// Generic is the argument of one generic parameter of an instance.
type Generic struct {
	Param string
	Type  types.Type // nil for a constant
	Value int64
}

// Func is one instance of a function.
type Func struct {
	Decl     *dsl.FuncDecl
	File     string
	Name     string
	Instance string // "lerp3[float32]"
	Exported bool
	Generics []Generic
	Params   []*Var
	Views    []*Param   // one a parameter: of a view or an array by reference, else nil; empty when there are none
	Symbols  []*Symbol  // the extents that those bind
	Equal    []Equality // of their other dims, what the checker has shown of every call
	Results  []types.Type
	Exact    bool
	Body     *Body
}

// ByReference reports a function that takes a view or an array by reference: it exists in the callers alone.
func (f *Func) ByReference() bool { return len(f.Views) > 0 }

// Kernel is one instance of a kernel.
type Kernel struct {
	Decl     *dsl.KernelDecl
	File     string
	Name     string
	Instance string // "Saxpy[float32]"
	Entry    string // "Saxpy_float32"
	Generics []Generic
	Params   []*Param
	Symbols  []*Symbol
	Equal    []Equality
	Requires []Require
	Domain   []Dim    // of points, or of blocks when Group is not empty
	Group    []Thread // `threads …`: the threads of a block
	ByBlock  bool     // `by block`: a block works on each point
	InPlace  [][2]int // of @inplace
	Targets  types.TargetSet
	Exact    bool
	FastMath bool
	Threads  int // of @block, or 0
	Body     *Body
}

// Param is a kernel parameter.
type Param struct {
	Index int
	Name  string
	Pos   diag.Pos
	Type  types.Type // a Kind, *types.Vector or *types.Struct, or *types.View
	Mut   bool
	Dims  []*types.Header // of a view
	Var   *Var            // what the body refers to
}

// Symbol is an extent name, bound by one dim of one view.
type Symbol struct {
	Index, Param, Dim int
	Name              string
	Pos               diag.Pos
	Var               *Var
}

// Equality is a dim that must equal an expression.
type Equality struct {
	Param, Dim int
	Want       *types.Header
	Pos        diag.Pos
}

// Require is a relation of the `requires` clause.
type Require struct {
	Cond *types.Header
	Text string
	Pos  diag.Pos
}

// Dim is one dim of a domain.
type Dim struct {
	Name   string
	Lo, Hi *types.Header
	Pos    diag.Pos
	Var    *Var
}

// Thread is a dim of the threads of a block.
type Thread struct {
	Name string
	N    int64
	Pos  diag.Pos
	Var  *Var
}

// VarKind says what a name in a body stands for.
type VarKind uint8

// The kinds of variable.
const (
	LocalVar  VarKind = iota // declared in a body, or a function's parameter
	ParamVar                 // a kernel's scalar parameter
	ViewVar                  // a view: a kernel's, or what a function takes by reference
	ExtentVar                // an extent symbol
	PointVar                 // a domain's index: of the point, or of the block
	ThreadVar                // index of a thread in its block
	SharedVar                // declared by `shared`
	IterVar                  // index of `range` or `for … in`
)

// Var is a variable. Its address is its identity.
type Var struct {
	Kind     VarKind
	Name     string
	Type     types.Type
	Pos      diag.Pos
	Index    int  // ParamVar, ViewVar: parameter of the kernel or function; ExtentVar: symbol; PointVar: dim of Domain; ThreadVar: dim of Group
	Assigned bool // assigned after its declaration, element assignments and op-assignments included
}

// Value is what is known of an expression.
type Value struct {
	Type  types.Type     // never untyped, except in constants that nothing uses
	Const constant.Value // nil unless constant; representable in Type
}

// CallKind says what a call expression is.
type CallKind uint8

// The kinds of call.
const (
	ConversionCall CallKind = iota // Value.Type of the call is the target
	BuiltinCall                    // "barrier", "assert" and "print" among them; with Comp: a comprehension, sum prod min max any all argmin argmax
	FuncCall
)

// Call is what a call expression calls.
type Call struct {
	Kind    CallKind
	Builtin string // "min", "bits.float32"
	Text    string // of "assert" and "print": the text, or the format
	Func    *Func
}

// Body is the facts of one instance's body.
type Body struct {
	Values map[dsl.Expr]Value      // every expression with a value; a call with several results has no entry
	Defs   map[*dsl.Ident]*Var     // names that declare a variable; the blank name declares none
	Uses   map[*dsl.Ident]*Var     // names that refer to one; constants are found in Values
	Tables map[*dsl.Ident]*Table   // names that refer to a constant array
	Calls  map[*dsl.CallExpr]Call  // every call
	Types  map[dsl.Expr]types.Type // type expressions: of `var`, of conversions, of composite literals
	Iters  map[dsl.Stmt][]*Var     // indexes of ForInStmt and of ForRangeStmt with `:=`; with `=` the variable is in Uses; those of comprehensions are in Defs
	Unroll map[dsl.Stmt]int        // the loops with `@unroll(n)`

	// Branches has every branch: the loop, the `switch` or the labelled block that a `break` leaves or a `continue` repeats,
	// itself and not its label; nil for `fallthrough`.
	Branches map[*dsl.BranchStmt]dsl.Stmt
}
