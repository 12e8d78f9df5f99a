package types

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
)

// Vector is 2 to 4 numbers or bools of one kind, `float32x3`. Operations work component by component; in memory it is
// N scalars with the scalar's alignment.
type Vector struct {
	Elem Kind
	N    int
}

func (*Vector) isType() {}

// String spells the type as the language does.
func (v *Vector) String() string { return v.Elem.String() + "x" + strconv.Itoa(v.N) }

// Components are the names of a vector's components, in order.
const Components = "xyzw"

// VectorNamed is the vector type of a name such as `float32x3`. There is none of `int`, which has no form in memory.
func VectorNamed(name string) (*Vector, bool) {
	n := len(name)
	if n < 3 || name[n-2] != 'x' || name[n-1] < '2' || name[n-1] > '4' {
		return nil, false
	}
	for k := Bool; k <= Float64; k++ {
		if k != Int && k.String() == name[:n-2] {
			return &Vector{Elem: k, N: int(name[n-1] - '0')}, true
		}
	}
	return nil, false
}

// Struct is a named struct type. A package has one of each name, so that the name is the type's identity.
type Struct struct {
	Name   string
	Fields []Field

	known atomic.Pointer[layout] // of as many fields as it says
}

// layout is how a struct lies in memory. It is worked out once, or structs that hold structs would take a time that doubles
// with each level.
type layout struct {
	offsets     []int64
	size, align int64
	leaves      []Leaf
}

// layout gives the layout of the fields that s has by now.
func (s *Struct) layout() *layout {
	if l := s.known.Load(); l != nil && len(l.offsets) == len(s.Fields) {
		return l
	}
	l := &layout{align: 1}
	for _, f := range s.Fields {
		a := Align(f.Type)
		l.align = max(l.align, a)
		l.size = alignUp(l.size, a)
		l.offsets = append(l.offsets, l.size)
		l.size += Size(f.Type)
	}
	l.size = alignUp(l.size, l.align)
	s.known.Store(l)
	return l
}

// Field is a field of a struct.
type Field struct {
	Name string
	Type Type
}

func (*Struct) isType() {}

// String is the name.
func (s *Struct) String() string { return s.Name }

// Index is the number of the field of that name, or -1.
func (s *Struct) Index(name string) int {
	for i, f := range s.Fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// IsComposite reports a struct, a vector, or an array of such: a type of which the IR has no values of its own.
func IsComposite(t Type) bool {
	switch t := t.(type) {
	case *Struct, *Vector:
		return true
	case *Array:
		return IsComposite(t.Elem)
	}
	return false
}

// Align is the alignment of t in memory, in bytes: that of its widest scalar.
func Align(t Type) int64 {
	switch t := t.(type) {
	case Kind:
		return int64(t.Size())
	case *Array:
		return Align(t.Elem)
	case *Vector:
		return int64(t.Elem.Size())
	case *Struct:
		return t.layout().align
	case *View:
		return 8
	}
	panic(fmt.Sprintf("types: Align of %T", t))
}

// Offsets are where the fields of s start, and its size: C's rules over the alignments of Align. This is the one layout
// that CUDA, Metal, OpenCL and Go have in common.
func (s *Struct) Offsets() (fields []int64, size int64) {
	l := s.layout()
	return l.offsets, l.size
}

func alignUp(n, to int64) int64 { return (n + to - 1) / to * to }

// Step is one step from a composite value towards a scalar in it.
type Step struct {
	Field  string  // of a struct; empty for the other steps
	Struct *Struct // of a Field: the struct that has it
	Index  bool    // an index into an array, one dim of it
	Comp   int     // else the component of a vector, from 0
}

// Leaf is one scalar of a composite type, or as many as Dims say where arrays stand on the way to it.
type Leaf struct {
	Path    string // as the language writes it behind the value, without indexes: "pos.x", empty for a scalar itself
	Kind    Kind
	Offset  int64 // in bytes, of the first
	Dims    []int64
	Strides []int64 // bytes from one index to the next, as many as Dims
	Steps   []Step  // the way to it, an Index step for each of Dims
}

// Type is what a variable for the leaf holds: its kind, or an array of Dims.
func (l *Leaf) Type() Type {
	if len(l.Dims) == 0 {
		return l.Kind
	}
	return &Array{Dims: l.Dims, Elem: l.Kind}
}

// Leaves takes t apart, in the order of memory. Basic types have one leaf without a path, arrays of them one with dims. The
// list is not the caller's to change.
func Leaves(t Type) []Leaf {
	s, ok := t.(*Struct)
	if ok {
		if l := s.layout(); l.leaves != nil {
			return l.leaves
		}
	}
	var out []Leaf
	leaves(t, Leaf{}, &out)
	if ok {
		with := *s.layout()
		with.leaves = out
		s.known.Store(&with)
	}
	return out
}

func leaves(t Type, at Leaf, out *[]Leaf) {
	step := func(s Step, name string, offset int64) Leaf {
		next := at
		next.Steps = append(at.Steps[:len(at.Steps):len(at.Steps)], s)
		next.Offset += offset
		if name != "" && at.Path != "" {
			name = "." + name
		}
		next.Path += name
		return next
	}
	switch t := t.(type) {
	case Kind:
		at.Kind = t
		*out = append(*out, at)
	case *Vector:
		for i := range t.N {
			leaves(t.Elem, step(Step{Comp: i}, Components[i:i+1], int64(i*t.Elem.Size())), out)
		}
	case *Struct:
		offsets, _ := t.Offsets()
		for i, f := range t.Fields {
			leaves(f.Type, step(Step{Field: f.Name, Struct: t}, f.Name, offsets[i]), out)
		}
	case *Array:
		next := at
		next.Dims = append(at.Dims[:len(at.Dims):len(at.Dims)], t.Dims...)
		next.Strides = at.Strides[:len(at.Strides):len(at.Strides)]
		next.Steps = at.Steps[:len(at.Steps):len(at.Steps)]
		stride := t.Len() * Size(t.Elem)
		for _, d := range t.Dims {
			stride /= d
			next.Strides = append(next.Strides, stride)
			next.Steps = append(next.Steps, Step{Index: true})
		}
		leaves(t.Elem, next, out)
	default:
		panic(fmt.Sprintf("types: Leaves of %T", t))
	}
}

// LeafCount is the number of leaves of t, or more than most once it is over that; it does not take t apart.
func LeafCount(t Type, most int) int {
	switch t := t.(type) {
	case *Vector:
		return t.N
	case *Array:
		return LeafCount(t.Elem, most)
	case *Struct:
		n := 0
		for _, f := range t.Fields {
			if n += LeafCount(f.Type, most); n > most {
				break
			}
		}
		return n
	}
	return 1
}

// Scalar is one scalar of a value in memory.
type Scalar struct {
	Leaf   int // among Leaves
	Kind   Kind
	Offset int64
	Text   string // behind the value: ".pos.x", ".m[1].y"; empty for a scalar itself
}

// Scalars lists every scalar of t, in the order of memory, elements of arrays included.
func Scalars(t Type) []Scalar {
	var out []Scalar
	var visit func(t Type, at int64, text string, leaf int) int // gives the number of leaves of t
	visit = func(t Type, at int64, text string, leaf int) int {
		switch t := t.(type) {
		case Kind:
			out = append(out, Scalar{leaf, t, at, text})
			return 1
		case *Vector:
			for i := range t.N {
				visit(t.Elem, at+int64(i*t.Elem.Size()), text+"."+Components[i:i+1], leaf+i)
			}
			return t.N
		case *Struct:
			offsets, _ := t.Offsets()
			n := 0
			for i, f := range t.Fields {
				n += visit(f.Type, at+offsets[i], text+"."+f.Name, leaf+n)
			}
			return n
		case *Array:
			n, size := 0, Size(t.Elem)
			index := make([]int64, len(t.Dims))
			for i := range t.Len() {
				rest := i
				var b strings.Builder
				for d := len(index) - 1; d >= 0; d-- {
					index[d] = rest % t.Dims[d]
					rest /= t.Dims[d]
				}
				for d, x := range index {
					if d > 0 {
						b.WriteString(", ")
					}
					b.WriteString(strconv.FormatInt(x, 10))
				}
				n = visit(t.Elem, at+i*size, text+"["+b.String()+"]", leaf)
			}
			return n
		}
		panic(fmt.Sprintf("types: Scalars of %T", t))
	}
	visit(t, 0, "", 0)
	return out
}

// Kinds are the basic types of which t is made, each once.
func Kinds(t Type) []Kind {
	var out []Kind
	add := func(k Kind) {
		for _, o := range out {
			if o == k {
				return
			}
		}
		out = append(out, k)
	}
	var visit func(t Type)
	visit = func(t Type) {
		switch t := t.(type) {
		case nil:
		case Kind:
			add(t)
		case *Vector:
			add(t.Elem)
		case *Array:
			visit(t.Elem)
		case *View:
			visit(t.Elem)
		case *Struct:
			for _, f := range t.Fields {
				visit(f.Type)
			}
		}
	}
	visit(t)
	return out
}

// Structs lists the structs in t, those in others' fields before these, each once; those of seen are left out and what is
// found is added there.
func Structs(t Type, seen map[string]bool) []*Struct {
	switch t := t.(type) {
	case *Array:
		return Structs(t.Elem, seen)
	case *View:
		return Structs(t.Elem, seen)
	case *Struct:
		if seen[t.Name] {
			return nil
		}
		seen[t.Name] = true
		var out []*Struct
		for _, f := range t.Fields {
			out = append(out, Structs(f.Type, seen)...)
		}
		return append(out, t)
	}
	return nil
}
