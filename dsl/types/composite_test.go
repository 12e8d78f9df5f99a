package types_test

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
)

var goKinds = map[types.Kind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.Int8: reflect.TypeFor[int8](), types.Uint8: reflect.TypeFor[uint8](),
	types.Int16: reflect.TypeFor[int16](), types.Uint16: reflect.TypeFor[uint16](), types.Int32: reflect.TypeFor[int32](),
	types.Uint32: reflect.TypeFor[uint32](), types.Int64: reflect.TypeFor[int64](), types.Uint64: reflect.TypeFor[uint64](),
	types.Float16: reflect.TypeFor[uint16](), types.BFloat16: reflect.TypeFor[uint16](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
}

// random makes a type that can live in memory.
func random(r *rand.Rand, depth int, names *int) types.Type {
	kind := func() types.Kind {
		for {
			if k := types.Kind(r.IntN(int(types.NumKinds))); goKinds[k] != nil {
				return k
			}
		}
	}
	switch n := r.IntN(5); {
	case depth == 0 || n == 0:
		return kind()
	case n == 1:
		return &types.Vector{Elem: kind(), N: 2 + r.IntN(3)}
	case n == 2:
		dims := []int64{1 + r.Int64N(3), 1 + r.Int64N(3)}[:1+r.IntN(2)]
		return &types.Array{Dims: dims, Elem: random(r, depth-1, names)}
	}
	*names++
	s := &types.Struct{Name: "S" + strconv.Itoa(*names)}
	for i := range 1 + r.IntN(5) {
		s.Fields = append(s.Fields, types.Field{Name: "F" + strconv.Itoa(i), Type: random(r, depth-1, names)})
	}
	return s
}

// goType is the Go type that wrappers have for t.
func goType(t types.Type) reflect.Type {
	switch t := t.(type) {
	case types.Kind:
		return goKinds[t]
	case *types.Vector:
		return reflect.ArrayOf(t.N, goKinds[t.Elem])
	case *types.Array:
		of := goType(t.Elem)
		for d := len(t.Dims) - 1; d >= 0; d-- {
			of = reflect.ArrayOf(int(t.Dims[d]), of)
		}
		return of
	}
	var fields []reflect.StructField
	for _, f := range t.(*types.Struct).Fields {
		fields = append(fields, reflect.StructField{Name: f.Name, Type: goType(f.Type)})
	}
	return reflect.StructOf(fields)
}

// goScalars lists the scalars of a Go type, in order.
func goScalars(t reflect.Type, at uintptr, f func(kind reflect.Type, at uintptr)) {
	switch t.Kind() {
	case reflect.Array:
		for i := range t.Len() {
			goScalars(t.Elem(), at+uintptr(i)*t.Elem().Size(), f)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			goScalars(t.Field(i).Type, at+t.Field(i).Offset, f)
		}
	default:
		f(t, at)
	}
}

// TestLayout compares the layout of random types with that of Go's compiler, scalar by scalar, and the leaves with the
// scalars.
func TestLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	structs := 0
	for range 2000 {
		of := random(r, 4, &structs)
		in := goType(of)
		if types.Size(of) != int64(in.Size()) || types.Align(of) != int64(in.Align()) {
			t.Fatalf("%v has %d bytes at %d, Go %d at %d: %v", of, types.Size(of), types.Align(of), in.Size(), in.Align(), in)
		}
		scalars := types.Scalars(of)
		i := 0
		goScalars(in, 0, func(kind reflect.Type, at uintptr) {
			if i >= len(scalars) || scalars[i].Offset != int64(at) || goKinds[scalars[i].Kind] != kind {
				t.Fatalf("scalar %d of %v is not %v at %d: %+v", i, in, kind, at, scalars)
			}
			i++
		})
		leaves := types.Leaves(of)
		if i != len(scalars) || len(leaves) != types.LeafCount(of, 1<<20) {
			t.Fatalf("%d scalars, %d of Go's; %d leaves, counted as %d", len(scalars), i, len(leaves), types.LeafCount(of, 1<<20))
		}
		seen := map[int64]bool{}
		for n, l := range leaves {
			each(l.Dims, func(index []int64) {
				at := l.Offset
				for d, x := range index {
					at += x * l.Strides[d]
				}
				seen[at] = true
				found := false
				for _, s := range scalars {
					found = found || s.Leaf == n && s.Offset == at && s.Kind == l.Kind
				}
				if !found {
					t.Fatalf("leaf %d %q of %v at %v is at byte %d, where no scalar of it is", n, l.Path, in, index, at)
				}
			})
		}
		if len(seen) != len(scalars) {
			t.Fatalf("leaves of %v reach %d of %d scalars", in, len(seen), len(scalars))
		}
	}
	if structs < 1000 {
		t.Errorf("only %d structs", structs)
	}
}

// each calls f for every index of dims.
func each(dims []int64, f func(index []int64)) {
	index := make([]int64, len(dims))
	for {
		f(index)
		d := len(dims) - 1
		for ; d >= 0; d-- {
			if index[d]++; index[d] < dims[d] {
				break
			}
			index[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

func TestVectorNamed(t *testing.T) {
	for name, want := range map[string]bool{
		"float32x3": true, "boolx2": true, "uint8x4": true, "bfloat16x2": true, "intx2": false, "float32x5": false, "float32x1": false,
		"x2": false, "float32": false, "untyped intx2": false, "": false,
	} {
		v, ok := types.VectorNamed(name)
		if ok != want || ok && v.String() != name {
			t.Errorf("%s: %v %v", name, v, ok)
		}
	}
}

func TestIdentical(t *testing.T) {
	p, q := &types.Struct{Name: "P"}, &types.Struct{Name: "Q"}
	v := &types.Vector{Elem: types.Int8, N: 2}
	for _, c := range []struct {
		a, b types.Type
		want bool
	}{
		{p, &types.Struct{Name: "P"}, true}, {p, q, false}, {v, &types.Vector{Elem: types.Int8, N: 2}, true}, {v, &types.Vector{Elem: types.Int8, N: 3}, false},
		{v, &types.Vector{Elem: types.Uint8, N: 2}, false}, {v, types.Int8, false}, {p, v, false}, {types.Int8, p, false},
		{&types.Array{Dims: []int64{2}, Elem: p}, &types.Array{Dims: []int64{2}, Elem: q}, false}, {&types.View{Rank: 1, Elem: v}, &types.View{Rank: 1, Elem: v}, true},
	} {
		if got := types.Identical(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
}
