package golden

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/interp"
)

// Value is a scalar, a buffer element by element, or a generator:
//
//	2  -1.5  1e-3  0x10  true  nan  inf  -inf  -0  bits(0x7fc00000)
//	[1 2 3]  [[1 2] [3 4]]  [2,3]{1 2 3 4 5 6}
//	{1 2 3}: a struct by its fields, a vector by its components, an array in an element by its elements
//	iota(n)  iota(n, start, step)  fill(n, value)  rand(seed, n)  rand(seed, n, lo, hi)  randbits(seed, n)
//
// where n is a length or a shape such as [20,30]. rand is uniform in [lo, hi), for floats from [0, 1) and for ints from
// [0, 100) without bounds; randbits gives any pattern, NaN and subnormals included. Of composite elements a generator
// makes every scalar, in the order of memory.
type Value struct {
	Scalar string  // the text of a scalar
	Elems  []Value // of a list or a shaped value
	Parts  []Value // of a composite element
	Shape  []int64 // of a shaped value or a generator
	Gen    string
	Args   []string // of the generator, without the shape
}

func (v Value) isScalar() bool { return v.Scalar != "" }

// String is the value in its canonical form.
func (v Value) String() string {
	var parts []string
	for _, e := range v.Elems {
		parts = append(parts, e.String())
	}
	switch {
	case v.isScalar():
		return v.Scalar
	case v.Gen != "":
		shape := strconv.FormatInt(v.Shape[0], 10)
		if len(v.Shape) > 1 {
			shape = shapeText(v.Shape)
		}
		args := append([]string{shape}, v.Args...)
		if seeded(v.Gen) {
			args[0], args[1] = args[1], args[0]
		}
		return v.Gen + "(" + strings.Join(args, ", ") + ")"
	case v.Parts != nil:
		for _, e := range v.Parts {
			parts = append(parts, e.String())
		}
		return "{" + strings.Join(parts, " ") + "}"
	case v.Shape != nil:
		return shapeText(v.Shape) + "{" + strings.Join(parts, " ") + "}"
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func shapeText(dims []int64) string {
	var s []string
	for _, d := range dims {
		s = append(s, strconv.FormatInt(d, 10))
	}
	return "[" + strings.Join(s, ",") + "]"
}

// generators says how many arguments each takes beside the shape.
var generators = map[string][2]int{"iota": {0, 2}, "fill": {1, 1}, "rand": {1, 3}, "randbits": {1, 1}}

func seeded(gen string) bool { return strings.HasPrefix(gen, "rand") }

func (s *scanner) value() Value {
	if s.accept("[") {
		return s.list()
	}
	if s.accept("{") {
		v := Value{Parts: []Value{}}
		for !s.accept("}") {
			v.Parts = append(v.Parts, s.value())
			s.accept(",")
		}
		return v
	}
	w := s.word()
	if !s.accept("(") {
		return Value{Scalar: w}
	}
	if w == "bits" {
		b := s.word()
		s.expect(")")
		return Value{Scalar: "bits(" + b + ")"}
	}
	count, ok := generators[w]
	if !ok {
		s.fail("there is no generator %s", w)
	}
	v := Value{Gen: w}
	if seeded(w) {
		v.Args = append(v.Args, s.scalar())
		s.expect(",")
	}
	v.Shape = s.shape()
	for s.accept(",") {
		v.Args = append(v.Args, s.scalar())
	}
	s.expect(")")
	if n := len(v.Args); n < count[0] || n > count[1] || seeded(w) && n == 2 {
		s.fail("%s has %d arguments beside its shape", w, n)
	}
	return v
}

// scalar is the text of one element.
func (s *scanner) scalar() string {
	v := s.value()
	if !v.isScalar() {
		s.fail("expected a number, found %s", v)
	}
	return v.Scalar
}

func (s *scanner) shape() []int64 {
	if !s.accept("[") {
		return []int64{s.extent()}
	}
	dims := []int64{s.extent()}
	for s.accept(",") {
		dims = append(dims, s.extent())
	}
	s.expect("]")
	return dims
}

func (s *scanner) extent() int64 {
	n := s.integer()
	if n < 0 || n > 1<<32 {
		s.fail("an extent of %d", n)
	}
	return n
}

// list reads what follows "[": elements, or a shape when "{" follows the list.
func (s *scanner) list() Value {
	v := Value{Elems: []Value{}}
	for !s.accept("]") {
		v.Elems = append(v.Elems, s.value())
		s.accept(",")
	}
	if !s.accept("{") {
		return v
	}
	shaped := Value{Shape: []int64{}, Elems: []Value{}}
	for _, e := range v.Elems {
		n, err := strconv.ParseInt(e.Scalar, 0, 64)
		if err != nil || n < 0 {
			s.fail("%s is no extent", e)
		}
		shaped.Shape = append(shaped.Shape, n)
	}
	for !s.accept("}") {
		e := s.value()
		if e.Parts == nil && !e.isScalar() {
			s.fail("expected an element, found %s", e)
		}
		shaped.Elems = append(shaped.Elems, e)
		s.accept(",")
	}
	return shaped
}

// Bits is a scalar as a value of kind k; it must fit exactly, but for the rounding of a float.
func (v Value) Bits(k types.Kind) (uint64, error) {
	if !v.isScalar() {
		return 0, fmt.Errorf("%s is no %s", v, k)
	}
	t := v.Scalar
	bad := func() (uint64, error) { return 0, fmt.Errorf("%s is no %s", t, k) }
	if inner, ok := strings.CutPrefix(t, "bits("); ok {
		b, err := strconv.ParseUint(strings.TrimSuffix(inner, ")"), 0, k.Bits())
		if err != nil {
			return bad()
		}
		return extend(k, b), nil
	}
	switch {
	case k == types.Bool:
		b, err := strconv.ParseBool(t)
		if err != nil {
			return bad()
		}
		if b {
			return 1, nil
		}
		return 0, nil
	case k.IsSigned():
		i, err := strconv.ParseInt(t, 0, k.Bits())
		if err != nil {
			return bad()
		}
		return uint64(i), nil
	case k.IsInteger():
		u, err := strconv.ParseUint(t, 0, k.Bits())
		if err != nil {
			return bad()
		}
		return u, nil
	}
	return floatBits(k, t)
}

func floatBits(k types.Kind, t string) (uint64, error) {
	if i, err := strconv.ParseInt(t, 0, 54); err == nil && t != "-0" { // 0x10, 1_000
		t = strconv.FormatInt(i, 10)
	}
	size := 64
	if k == types.Float32 {
		size = 32
	}
	f, err := strconv.ParseFloat(t, size)
	if err != nil {
		return 0, fmt.Errorf("%s is no %s", t, k)
	}
	if k == types.Float32 {
		return uint64(math.Float32bits(float32(f))), nil
	}
	if k.IsHalf() && f == f { // rounded once: the nearest float64 is not the text
		exact, _, err := big.ParseFloat(t, 0, 2000, big.ToNearestEven)
		if err == nil {
			f = odd(f, exact)
		}
	}
	return interp.FloatBits(k, f), nil
}

// odd is the float64 near an exact number, rounded to odd: one more rounding gives what rounding the number would.
func odd(near float64, exact *big.Float) float64 {
	if c := new(big.Float).SetFloat64(near).Cmp(exact); c != 0 && math.Float64bits(near)&1 == 0 && !math.IsInf(near, 0) {
		return math.Nextafter(near, math.Inf(-c))
	}
	return near
}

// extend makes b a register of kind k.
func extend(k types.Kind, b uint64) uint64 {
	if k.IsSigned() {
		s := 64 - k.Bits()
		return uint64(int64(b<<s) >> s)
	}
	return b
}

// Buffer is the value as memory of elements of a type, with the given rank; rank 0 is one element.
func (v Value) Buffer(elem types.Type, rank int) (*interp.Buffer, error) {
	dims, err := v.dims(rank)
	if err != nil {
		return nil, err
	}
	if len(dims) != rank {
		return nil, fmt.Errorf("%s has %d dims, want %d", v, len(dims), rank)
	}
	b := interp.NewBuffer(elem, dims...)
	size := types.Size(elem)
	if v.Gen != "" {
		return b, v.generate(b)
	}
	i := int64(0)
	var fill func(v Value) error
	fill = func(v Value) error {
		if v.Elems != nil {
			for _, e := range v.Elems {
				if err := fill(e); err != nil {
					return err
				}
			}
			return nil
		}
		if i >= b.Len() {
			return fmt.Errorf("%s holds more than %d elements", v, b.Len())
		}
		i++
		return v.element(elem, b.Data[(i-1)*size:i*size])
	}
	if err := fill(v); err != nil {
		return nil, err
	}
	if i != b.Len() {
		return nil, fmt.Errorf("%s holds %d elements, its shape %d", v, i, b.Len())
	}
	return b, nil
}

// element writes one element of a type to its memory.
func (v Value) element(t types.Type, data []byte) error {
	part := func(i int) (types.Type, int64) { return nil, 0 }
	n := 0
	switch t := t.(type) {
	case types.Kind:
		x, err := v.Bits(t)
		if err == nil {
			setRaw(&interp.Buffer{Elem: t, Dims: []int64{1}, Data: data}, 0, x)
		}
		return err
	case *types.Vector:
		n = t.N
		part = func(i int) (types.Type, int64) { return t.Elem, int64(i * t.Elem.Size()) }
	case *types.Struct:
		offsets, _ := t.Offsets()
		n = len(t.Fields)
		part = func(i int) (types.Type, int64) { return t.Fields[i].Type, offsets[i] }
	case *types.Array:
		n = int(t.Dims[0])
		elem := t.Elem
		if len(t.Dims) > 1 {
			elem = &types.Array{Dims: t.Dims[1:], Elem: t.Elem}
		}
		part = func(i int) (types.Type, int64) { return elem, int64(i) * types.Size(elem) }
	}
	if v.Parts == nil || len(v.Parts) != n {
		return fmt.Errorf("%s is no %s, which is written {…} with %d parts", v, t, n)
	}
	for i, p := range v.Parts {
		sub, at := part(i)
		if err := p.element(sub, data[at:at+types.Size(sub)]); err != nil {
			return err
		}
	}
	return nil
}

// setRaw stores bits as they are: `bits(2)` makes a bool that is neither 0 nor 1 in memory.
func setRaw(b *interp.Buffer, i int64, x uint64) {
	if b.Kind() == types.Bool {
		b.Data[i] = byte(x)
		return
	}
	b.Set(i, x)
}

// dims are the extents of a buffer value. Nested lists must be even; an empty one stands for all the dims below it.
func (v Value) dims(rank int) ([]int64, error) {
	if v.isScalar() || v.Parts != nil {
		return nil, nil
	}
	if v.Shape != nil {
		return v.Shape, nil
	}
	if len(v.Elems) == 0 {
		return make([]int64, max(rank, 1)), nil
	}
	first, err := v.Elems[0].dims(rank - 1)
	if err != nil {
		return nil, err
	}
	for _, e := range v.Elems[1:] {
		d, err := e.dims(rank - 1)
		if err != nil {
			return nil, err
		}
		if shapeText(d) != shapeText(first) {
			return nil, fmt.Errorf("%s is ragged", v)
		}
	}
	return append([]int64{int64(len(v.Elems))}, first...), nil
}
