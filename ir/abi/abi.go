// Package abi turns a kernel into its slot table: how each parameter is passed, on every target and in the Go wrapper.
//
// One table drives CUDA arguments, Metal's buffer indexes and constant block, OpenCL's arguments, the Go wrapper and the manifest, so that
// no two of them can disagree. codegen/gowrap sees this package and never package ir.
package abi

import (
	"path"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Generation is the version of the contract between generated code and runtime/gpu. It changes when the order, the
// size or the meaning of slots does.
const Generation = 1

// SlotKind says what a slot carries.
type SlotKind uint8

// The kinds of slot.
const (
	View   SlotKind = iota // device address of the first element
	Scalar                 // the value
	Extent                 // an int64: an extent symbol

	// Hidden slots, which the runtime fills: a kernel that reports or prints has both, in this order, behind all others.
	Record // device address of the stream's record, words of 32 bits: see RecordLayout
	Launch // a uint64 that says which launch of which kernel of the stream this is
)

// Slot is one argument of a launch. A kernel has one a parameter, in declaration order, then one an extent symbol, then
// the hidden ones.
type Slot struct {
	Kind   SlotKind
	Name   string
	Type   types.Type // Scalar: its kind, *types.Vector or *types.Struct; View: *types.View; Extent: types.Int; Record, Launch: types.Uint32, types.Uint64
	Mut    bool
	Param  int // index of the parameter; -1 for an extent and a hidden slot
	Dims   []*types.Header
	Offset int // Scalar, Extent, Launch: offset in Metal's constant block, naturally aligned
	Buffer int // View, Record: Metal's buffer index; buffer 0 is the constant block
	Arg    int // OpenCL's argument index; a view and a record take two, its buffer and by how many elements it begins after that
}

// Hidden reports a slot that no parameter or extent of the source has.
func (k SlotKind) Hidden() bool { return k == Record || k == Launch }

// Symbol is an extent name and the dim that binds it.
type Symbol struct {
	Name       string
	Param, Dim int
}

// Equality is a dim that the wrapper compares with an expression.
type Equality struct {
	Param, Dim int
	Want       *types.Header
}

// Require is a relation that the wrapper tests.
type Require struct {
	Cond *types.Header
	Text string
}

// Span is a dim of the domain.
type Span struct {
	Name   string
	Lo, Hi *types.Header
}

// Generic is a type or constant argument of an instance.
type Generic struct {
	Param string
	Type  types.Type // nil for a constant
	Value int64
}

// Site is a place from which a kernel reports or prints; a device sends its number.
type Site struct {
	Kind      string // bounds, zero-divisor, negative-shift, assert, print
	File      string // base name
	Line, Col int
	Name      string       // bounds: what is indexed
	Dim       int          // bounds
	Text      string       // assert: the text; print: the format
	Args      []types.Kind // print
}

// Layout is everything the host must know of one kernel instance.
type Layout struct {
	Name     string // "Saxpy"
	Instance string // "Saxpy[float32]"
	Entry    string // narrow entry; the wide one is Entry + "_wide"
	Doc      []string
	Generics []Generic
	Slots    []Slot
	Symbols  []Symbol
	Equal    []Equality
	Requires []Require
	Domain   []Span
	InPlace  [][2]int // pairs of view numbers (views counted in slot order)
	Targets  types.TargetSet
	Block    [3]int
	Per      int
	Group    bool // Domain counts blocks of exactly Block threads, not points
	ByBlock  bool // the same, and the source says that the blocks are points
	Threads  int  // dims of a block's threads in the source
	Shared   int  // bytes of shared memory a block; of several targets the most
	Sites    []Site
	Consts   int // bytes of Metal's constant block, a multiple of 8
}

// Of is the slot table of k. Block and Per come from the schedule of a device variant; without one they are zero.
func Of(k *ir.Kernel) Layout {
	l := Layout{Name: k.Name, Instance: k.Instance, Entry: k.Entry, Doc: k.Doc, Targets: k.Targets}
	for _, g := range k.Generics {
		l.Generics = append(l.Generics, Generic(g))
	}
	view := make([]int, len(k.Params)) // parameter → view number
	views, args := 0, 0
	for i, p := range k.Params {
		s := Slot{Kind: Scalar, Name: p.Name, Type: p.Type, Mut: p.Mut, Param: i, Dims: p.Dims}
		if p.IsView() {
			s.Kind = View
			view[i] = views
			views++
			s.Buffer = views
		} else {
			s.Offset = l.reserve(int(types.Size(p.Type)), int(types.Align(p.Type)))
		}
		s.Arg = args
		args++
		if s.Kind == View {
			args++
		}
		l.Slots = append(l.Slots, s)
	}
	for _, sym := range k.Symbols {
		l.Slots = append(l.Slots, Slot{Kind: Extent, Name: sym.Name, Type: types.Int, Param: -1, Offset: l.reserve(8, 8), Arg: args})
		args++
		l.Symbols = append(l.Symbols, Symbol{sym.Name, sym.Param, sym.Dim})
	}
	if len(k.Sites) > 0 {
		l.Slots = append(l.Slots,
			Slot{Kind: Record, Name: "record", Type: types.Uint32, Param: -1, Buffer: views + 1, Arg: args},
			Slot{Kind: Launch, Name: "launch", Type: types.Uint64, Param: -1, Offset: l.reserve(8, 8), Arg: args + 2})
	}
	for _, s := range k.Sites {
		l.Sites = append(l.Sites, Site{Kind: s.Kind.String(), File: path.Base(s.Pos.File), Line: s.Pos.Line, Col: s.Pos.Col, Name: s.Name, Dim: s.Dim, Text: s.Text, Args: s.Args})
	}
	l.Consts = (l.Consts + 7) &^ 7
	for _, e := range k.Equal {
		l.Equal = append(l.Equal, Equality{e.Param, e.Dim, e.Want})
	}
	for _, r := range k.Requires {
		l.Requires = append(l.Requires, Require{r.Cond, r.Text})
	}
	for _, d := range k.Domain {
		l.Domain = append(l.Domain, Span{d.Name, d.Lo, d.Hi})
	}
	for _, p := range k.InPlace {
		l.InPlace = append(l.InPlace, [2]int{view[p[0]], view[p[1]]})
	}
	for _, v := range k.Locals {
		if v.Shared {
			size := int(types.Size(v.Type))
			l.Shared += (size + 15) &^ 15 // every target aligns a shared array to at most 16
		}
	}
	if n := len(k.Group); n > 0 {
		l.Group, l.Block, l.Per, l.Threads = true, [3]int{1, 1, 1}, 1, n
		for d, t := range k.Group {
			l.Block[n-1-d] = int(t.N)
		}
	}
	if l.ByBlock = k.ByBlock; l.ByBlock && len(k.Group) == 0 { // on no device
		l.Group, l.Block, l.Per = true, [3]int{max(k.Threads, 1), 1, 1}, 1
	}
	if k.Sched != nil {
		l.Block, l.Per = k.Sched.Block, k.Sched.Per
	}
	return l
}

// reserve takes size bytes at their alignment in the constant block and returns the offset.
func (l *Layout) reserve(size, align int) int {
	off := (l.Consts + align - 1) / align * align
	l.Consts = off + size
	return off
}
