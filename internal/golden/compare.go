package golden

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/interp"
)

// Compare says where got differs from want: any NaN equals any other, floats may be ulp apart, all else is exact.
func Compare(got, want *interp.Buffer, ulp int) error {
	if got.Kind != want.Kind || !slices.Equal(got.Dims, want.Dims) {
		return fmt.Errorf("%s of %s, want %s of %s", shapeText(got.Dims), got.Kind, shapeText(want.Dims), want.Kind)
	}
	if len(got.Data) != len(want.Data) {
		return fmt.Errorf("%d bytes, want %d", len(got.Data), len(want.Data))
	}
	const shown = 4
	var places []string
	count := 0
	for i := range want.Len() {
		g, w := got.At(i), want.At(i)
		if got.Kind == types.Bool { // a bool in memory is 0 or 1 once a kernel wrote it
			g, w = uint64(got.Data[i]), uint64(want.Data[i])
		}
		if g == w || got.Kind.IsFloat() && near(got.Kind, g, w, ulp) {
			continue
		}
		if count++; count <= shown {
			places = append(places, fmt.Sprintf("%s is %s, want %s", place(i, want.Dims), Text(got.Kind, g), Text(got.Kind, w)))
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
	i := int64(0)
	var list func(dims []int64) string
	list = func(dims []int64) string {
		parts := make([]string, dims[0])
		for p := range parts {
			if len(dims) > 1 {
				parts[p] = list(dims[1:])
				continue
			}
			x := b.At(i)
			if b.Kind == types.Bool {
				x = uint64(b.Data[i])
			}
			parts[p] = Text(b.Kind, x)
			i++
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return list(b.Dims)
}
