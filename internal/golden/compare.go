package golden

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/interp"
)

// Compare says where got differs from want: any NaN equals any other, floats may be ulp apart, all else is exact. What
// lies between the fields of a struct does not count.
func Compare(got, want *interp.Buffer, ulp int) error {
	if !types.Identical(got.Elem, want.Elem) || !slices.Equal(got.Dims, want.Dims) {
		return fmt.Errorf("%s of %s, want %s of %s", shapeText(got.Dims), got.Elem, shapeText(want.Dims), want.Elem)
	}
	if len(got.Data) != len(want.Data) {
		return fmt.Errorf("%d bytes, want %d", len(got.Data), len(want.Data))
	}
	c := comparison{dims: want.Dims, n: want.Len(), ulp: ulp}
	g := got.Parts()
	for i, w := range want.Parts() {
		c.scalars = append(c.scalars, compared{w.Kind, w.Text, g[i].Raw, w.Raw})
	}
	return c.run()
}

// comparison is of n elements, each of some scalars.
type comparison struct {
	dims    []int64
	n       int64
	ulp     int
	scalars []compared
}

// compared is a scalar of every element: its bytes by the number of the element.
type compared struct {
	kind      types.Kind
	text      string
	got, want func(i int64) []byte
}

// bits are the bytes of a scalar as a value of its kind. A bool in memory is 0 or 1 once a kernel wrote it, so that it is
// compared by its byte.
func bits(k types.Kind, raw []byte) uint64 {
	if k == types.Bool {
		return uint64(raw[0])
	}
	return (&interp.Buffer{Elem: k, Dims: []int64{1}, Data: raw}).At(0)
}

func (c *comparison) run() error {
	const shown = 4
	var places []string
	count := 0
	for i := range c.n {
		for _, s := range c.scalars {
			raw, want := s.got(i), s.want(i)
			if bytes.Equal(raw, want) {
				continue
			}
			g, w := bits(s.kind, raw), bits(s.kind, want)
			if g == w || s.kind.IsFloat() && near(s.kind, g, w, c.ulp) {
				continue
			}
			if count++; count <= shown {
				places = append(places, fmt.Sprintf("%s%s is %s, want %s", place(i, c.dims), s.text, Text(s.kind, g), Text(s.kind, w)))
			}
		}
	}
	switch {
	case count == 0:
		return nil
	case count > shown:
		places = append(places, fmt.Sprintf("and %d more", count-shown))
	}
	return fmt.Errorf("%s", strings.Join(places, "; "))
}

// place is the index of element i: "[1, 2]".
func place(i int64, dims []int64) string {
	idx := make([]string, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		idx[d] = strconv.FormatInt(i%dims[d], 10)
		i /= dims[d]
	}
	return "[" + strings.Join(idx, ", ") + "]"
}

// near compares floats: NaN with NaN, infinities exactly, others by the number of values between them.
func near(k types.Kind, x, y uint64, ulp int) bool {
	a, b := interp.FloatValue(k, x), interp.FloatValue(k, y)
	switch {
	case a != a || b != b:
		return a != a && b != b
	case ulp == 0 || math.IsInf(a, 0) || math.IsInf(b, 0):
		return x == y
	}
	i, j := rank(k, x), rank(k, y)
	return i >= j && uint64(i)-uint64(j) <= uint64(ulp) || i < j && uint64(j)-uint64(i) <= uint64(ulp)
}

// rank counts values from zero on: neighbours differ by 1, -0 and +0 by nothing.
func rank(k types.Kind, x uint64) int64 {
	sign := uint64(1) << (k.Bits() - 1)
	if x&sign != 0 {
		return -int64(x &^ sign)
	}
	return int64(x)
}

// Text is a value as a run line spells it: parsing it gives the same bits, but for the payload of a NaN.
func Text(k types.Kind, x uint64) string {
	switch {
	case k == types.Bool && x > 1:
		return fmt.Sprintf("bits(%d)", x)
	case k == types.Bool:
		return strconv.FormatBool(x != 0)
	case k.IsSigned():
		return strconv.FormatInt(int64(x), 10)
	case k.IsInteger():
		return strconv.FormatUint(x, 10)
	}
	f := interp.FloatValue(k, x)
	switch {
	case f != f:
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64)), "+")
	case k == types.Float64:
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 32)
}

// BufferText is a whole buffer as a run line spells it.
func BufferText(b *interp.Buffer) string {
	parts := b.Parts()
	element := func(i int64) string {
		next := 0
		var text func(t types.Type) string
		text = func(t types.Type) string {
			if k, ok := t.(types.Kind); ok {
				next++
				return Text(k, bits(k, parts[next-1].Raw(i)))
			}
			var inner []string
			each := func(n int, of types.Type) {
				for range n {
					inner = append(inner, text(of))
				}
			}
			switch t := t.(type) {
			case *types.Vector:
				each(t.N, t.Elem)
			case *types.Struct:
				for _, f := range t.Fields {
					each(1, f.Type)
				}
			case *types.Array:
				elem := t.Elem
				if len(t.Dims) > 1 {
					elem = &types.Array{Dims: t.Dims[1:], Elem: t.Elem}
				}
				each(int(t.Dims[0]), elem)
			}
			return "{" + strings.Join(inner, " ") + "}"
		}
		return text(b.Elem)
	}
	i := int64(0)
	var list func(dims []int64) string
	list = func(dims []int64) string {
		if len(dims) == 0 {
			i++
			return element(i - 1)
		}
		texts := make([]string, dims[0])
		for p := range texts {
			texts[p] = list(dims[1:])
		}
		return "[" + strings.Join(texts, " ") + "]"
	}
	return list(b.Dims)
}
