// Package types turns the language's type names into one vocabulary that every stage shares, from the checker to the
// Go wrapper: basic types, arrays, views, header expressions, targets, and what each target can do with each type.
//
// It is imported by everything and imports nothing of gpugen. Types are immutable; a Kind is a Type by itself, so
// that basic types compare with ==; other types compare with [Identical].
package types

import (
	"fmt"
	"strconv"
	"strings"
)

// Type is a type of the language: a [Kind], a [*Vector], a [*Struct], an [*Array] or a [*View].
type Type interface {
	String() string
	isType()
}

// Kind is a basic type.
type Kind uint8

// The basic types. The untyped kinds belong to constant expressions that have not met a type yet.
const (
	Invalid Kind = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Int // 64 bits; index variables, extents and scalar parameters, never in memory
	Float16
	BFloat16
	Float32
	Float64
	UntypedBool
	UntypedInt
	UntypedFloat
	NumKinds
)

var kinds = [NumKinds]struct {
	name string
	bits int
}{
	Invalid: {"invalid type", 0}, Bool: {"bool", 8},
	Int8: {"int8", 8}, Int16: {"int16", 16}, Int32: {"int32", 32}, Int64: {"int64", 64},
	Uint8: {"uint8", 8}, Uint16: {"uint16", 16}, Uint32: {"uint32", 32}, Uint64: {"uint64", 64},
	Int:     {"int", 64},
	Float16: {"float16", 16}, BFloat16: {"bfloat16", 16}, Float32: {"float32", 32}, Float64: {"float64", 64},
	UntypedBool: {"untyped bool", 0}, UntypedInt: {"untyped int", 0}, UntypedFloat: {"untyped float", 0},
}

func (Kind) isType() {}

// String is the name as the language spells it.
func (k Kind) String() string {
	if k < NumKinds {
		return kinds[k].name
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Bits is the width of a typed kind in bits; a bool takes 8, an untyped kind 0.
func (k Kind) Bits() int { return kinds[k].bits }

// Size is the size in memory, in bytes; alignment equals size.
func (k Kind) Size() int { return kinds[k].bits / 8 }

// IsInteger reports a typed or untyped integer.
func (k Kind) IsInteger() bool { return Int8 <= k && k <= Int || k == UntypedInt }

// IsSigned reports a signed integer, untyped included.
func (k Kind) IsSigned() bool { return Int8 <= k && k <= Int64 || k == Int || k == UntypedInt }

// IsUnsigned reports an unsigned integer.
func (k Kind) IsUnsigned() bool { return Uint8 <= k && k <= Uint64 }

// IsFloat reports a typed or untyped floating-point kind.
func (k Kind) IsFloat() bool { return Float16 <= k && k <= Float64 || k == UntypedFloat }

// IsHalf reports a 16-bit floating-point kind: stored as it is, computed with in float32.
func (k Kind) IsHalf() bool { return k == Float16 || k == BFloat16 }

// IsNumeric reports an integer or floating-point kind.
func (k Kind) IsNumeric() bool { return k.IsInteger() || k.IsFloat() }

// IsBool reports a typed or untyped bool.
func (k Kind) IsBool() bool { return k == Bool || k == UntypedBool }

// IsUntyped reports the kind of a constant that has not met a type.
func (k Kind) IsUntyped() bool { return UntypedBool <= k && k <= UntypedFloat }

// Default is the type that an untyped kind takes when nothing else decides: int, float32, bool.
func (k Kind) Default() Kind {
	switch k {
	case UntypedBool:
		return Bool
	case UntypedInt:
		return Int
	case UntypedFloat:
		return Float32
	}
	return k
}

// Basics maps the names of the typed basic types, as the universe scope declares them.
func Basics() map[string]Kind {
	m := map[string]Kind{}
	for k := Bool; k <= Float64; k++ {
		m[k.String()] = k
	}
	return m
}

// Array is a fixed array, a value as in Go. [4, 4]float32 has two dims and one element type;
// [4][4]float32 is an array of arrays.
type Array struct {
	Dims []int64 // each at least 1
	Elem Type
}

func (*Array) isType() {}

// String spells the type as the language does.
func (a *Array) String() string {
	s := make([]string, len(a.Dims))
	for i, d := range a.Dims {
		s[i] = strconv.FormatInt(d, 10)
	}
	return "[" + strings.Join(s, ", ") + "]" + a.Elem.String()
}

// Len is the number of elements over all dims.
func (a *Array) Len() int64 {
	n := int64(1)
	for _, d := range a.Dims {
		n *= d
	}
	return n
}

// View is a kernel parameter's view of device memory, row-major, 1 to 4 dims. Its extents belong to the parameter.
type View struct {
	Rank int
	Elem Type
}

func (*View) isType() {}

// String spells the type with a placeholder for each extent.
func (v *View) String() string {
	return "[" + strings.TrimSuffix(strings.Repeat("_, ", v.Rank), ", ") + "]" + v.Elem.String()
}

// Identical reports whether a and b are the same type, as Go defines it.
func Identical(a, b Type) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case Kind:
		return a == b
	case *Array:
		b, ok := b.(*Array)
		if !ok || len(a.Dims) != len(b.Dims) {
			return false
		}
		for i, d := range a.Dims {
			if d != b.Dims[i] {
				return false
			}
		}
		return Identical(a.Elem, b.Elem)
	case *View:
		b, ok := b.(*View)
		return ok && a.Rank == b.Rank && Identical(a.Elem, b.Elem)
	case *Vector:
		b, ok := b.(*Vector)
		return ok && *a == *b
	case *Struct:
		b, ok := b.(*Struct)
		return ok && a.Name == b.Name
	}
	panic(fmt.Sprintf("types: Identical of %T", a))
}

// KindOf is t when t is basic, else Invalid.
func KindOf(t Type) Kind {
	if k, ok := t.(Kind); ok {
		return k
	}
	return Invalid
}

// Size is the number of bytes that a value of t takes in memory.
func Size(t Type) int64 {
	switch t := t.(type) {
	case Kind:
		return int64(t.Size())
	case *Array:
		return t.Len() * Size(t.Elem)
	case *Vector:
		return int64(t.N * t.Elem.Size())
	case *Struct:
		_, size := t.Offsets()
		return size
	case *View:
		return 8
	}
	panic(fmt.Sprintf("types: Size of %T", t))
}
