package cfamily

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

var plain = &Dialect{
	Suffix:   [types.NumKinds]string{types.Int64: "ll", types.Int: "ll", types.Uint32: "u", types.Uint64: "ull", types.Float32: "f"},
	FromBits: func(k types.Kind, bits uint64) string { return "bits" + strconv.FormatUint(bits, 10) },
}

func floats(k types.Kind) []uint64 {
	var out []uint64
	for _, v := range []float64{0, 1, 0.1, 1e10, 1e-5, 123456.75, 16777216, 1e38, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-45, math.Inf(1), math.NaN(), 1e21, 1e22} {
		out = append(out, ir.FloatBits(k, v), ir.FloatBits(k, -v), ir.FloatBits(k, math.Copysign(v, -1)))
	}
	r := rand.New(rand.NewPCG(1, uint64(k)))
	for range 20000 {
		out = append(out, r.Uint64()>>(64-k.Bits()))
	}
	return out
}

func TestFloatLiteralsReadBack(t *testing.T) {
	for _, k := range []types.Kind{types.Float32, types.Float64} {
		for _, bits := range floats(k) {
			f := ir.FloatOf(k, bits)
			text := plain.Literal(k, bits).Text
			low := 0x1p-126
			if k == types.Float64 {
				low = 0x1p-1022
			}
			if special := f != f || math.IsInf(f, 0) || math.Abs(f) < low && bits != 0; special {
				if text != "bits"+strconv.FormatUint(bits, 10) {
					t.Fatalf("%s %#x is %s", k, bits, text)
				}
				continue
			}
			number, ok := strings.CutSuffix(text, plain.Suffix[k])
			if !ok || !strings.ContainsAny(number, ".e") {
				t.Fatalf("%s literal %s", k, text)
			}
			got, err := strconv.ParseFloat(number, k.Bits())
			if err != nil || ir.FloatBits(k, got) != bits {
				t.Fatalf("%s %#x is printed as %s: %v", k, bits, text, err)
			}
		}
	}
}

func TestIntegerLiterals(t *testing.T) {
	for _, c := range []struct {
		k    types.Kind
		v    int64
		want string
	}{
		{types.Bool, 1, "true"}, {types.Bool, 0, "false"},
		{types.Int8, -128, "-128"}, {types.Uint8, 200, "200"}, {types.Int16, -32768, "-32768"},
		{types.Int32, 5, "5"}, {types.Int32, -5, "-5"}, {types.Int32, math.MinInt32, "-2147483647 - 1"}, {types.Int32, math.MaxInt32, "2147483647"},
		{types.Uint32, -1, "4294967295u"}, {types.Uint64, -1, "18446744073709551615ull"},
		{types.Int64, math.MinInt64, "-9223372036854775807ll - 1ll"}, {types.Int, 1 << 40, "1099511627776ll"},
	} {
		if got := plain.Literal(c.k, ir.IntBits(c.k, c.v)); got.Text != c.want {
			t.Errorf("%s(%d) is %s, want %s", c.k, c.v, got.Text, c.want)
		}
	}
	low := plain.Literal(types.Int32, ir.IntBits(types.Int32, math.MinInt32))
	if got := Infix(Atom("a"), "*", low).Text; got != "a * (-2147483647 - 1)" {
		t.Error(got)
	}
	if got := Prefix("-", plain.Literal(types.Int32, ir.IntBits(types.Int32, -5))).Text; got != "-(-5)" {
		t.Error(got)
	}
}
