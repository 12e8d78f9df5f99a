package cfamilytest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/accuracy"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// Buffers are the case's inputs and, last, its output, filled with a pattern that no operation gives by accident.
func (c Case) Buffers() []*interp.Buffer {
	rows := c.inputs()
	n := int64(len(rows))
	var out []*interp.Buffer
	for i, k := range c.Args {
		b := interp.NewBuffer(memory(k), n)
		for r, row := range rows {
			b.Set(int64(r), row[i])
		}
		out = append(out, b)
	}
	b := interp.NewBuffer(memory(c.To), n)
	for i := range b.Data {
		b.Data[i] = 0xa5
	}
	return append(out, b)
}

// Check compares the output on target t with the interpreter. Integers and exact operations must agree in every bit, NaN's
// payload left out; table functions within the bound of t and that of the interpreter, which computes as the CPU does. At
// most five differences are told.
func (c Case) Check(buffers []*interp.Buffer, t types.Target) error {
	out := buffers[len(buffers)-1]
	bad := 0
	text := ""
	for i := range out.Len() {
		x := make([]uint64, len(c.Args))
		for j := range x {
			x[j] = buffers[j].At(i)
		}
		if c.unsure(x) {
			continue
		}
		want, ok := interp.Eval(c.Op, c.Args[0], c.To, x...)
		if !ok {
			return fmt.Errorf("%s: the interpreter has no such operation", c)
		}
		if got := out.At(i); !c.equal(got, want, t) {
			if bad++; bad <= 5 {
				text += fmt.Sprintf("\n\t%s = %s, want %s", c.show(x), show(c.To, got), show(c.To, want))
			}
		}
	}
	if bad > 0 {
		return fmt.Errorf("%s: %d of %d differ:%s", c, bad, out.Len(), text)
	}
	return nil
}

// unsure reports operands of float64 functions on which package math, behind the interpreter, may be wrong in more than
// the last places: logarithms of subnormals on amd64, and the angle of points whose quotient underflows.
func (c Case) unsure(x []uint64) bool {
	if c.To != types.Float64 {
		return false
	}
	a := math.Float64frombits(x[0])
	switch c.Op {
	case ir.OpLog, ir.OpLog2, ir.OpLog10:
		return a != 0 && math.Abs(a) < 0x1p-1022
	case ir.OpAtan2:
		return a != 0 && math.Abs(a/math.Float64frombits(x[1])) < 0x1p-1022
	}
	return false
}

func (c Case) equal(got, want uint64, t types.Target) bool {
	if got == want {
		return true
	}
	if !c.To.IsFloat() {
		return false
	}
	g, w := ir.FloatOf(c.To, got), ir.FloatOf(c.To, want)
	if g != g && w != w {
		return true
	}
	if !ir.Ops[c.Op].Table || g != g || w != w {
		return false
	}
	return accuracy.Distance(c.To, g, w) <= ir.Bound(t, c.Op, c.To)+ir.Bound(types.CPU, c.Op, c.To)
}

func (c Case) show(x []uint64) string {
	s := c.Op.String() + "("
	for i, v := range x {
		if i > 0 {
			s += ", "
		}
		s += show(c.Args[i], v)
	}
	return s + ")"
}

func show(k types.Kind, v uint64) string {
	switch {
	case k == types.Bool:
		return fmt.Sprint(v != 0)
	case k.IsFloat():
		return fmt.Sprintf("%v (%#x)", ir.FloatOf(k, v), v)
	case k.IsUnsigned():
		return fmt.Sprint(v)
	}
	return fmt.Sprint(int64(v))
}

// inputs are the rows of operands: all combinations of special values, then random ones.
func (c Case) inputs() [][]uint64 {
	sets := make([][]uint64, len(c.Args))
	for i, k := range c.Args {
		sets[i] = specials(k)
	}
	if len(sets) == 3 && c.Args[0] != types.Bool {
		for i := range sets {
			sets[i] = thin(sets[i], 14)
		}
	}
	var rows [][]uint64
	row := make([]uint64, len(sets))
	var cross func(i int)
	cross = func(i int) {
		if i == len(sets) {
			rows = append(rows, slices.Clone(row))
			return
		}
		for _, v := range sets[i] {
			row[i] = v
			cross(i + 1)
		}
	}
	cross(0)
	r := rand.New(rand.NewPCG(1, uint64(c.Op)))
	for range 500 {
		for i, k := range c.Args {
			row[i] = random(r, k)
		}
		rows = append(rows, slices.Clone(row))
	}
	return slices.DeleteFunc(rows, func(row []uint64) bool { return !c.valid(row) })
}

// valid reports whether the operands keep what a proving pass promises.
func (c Case) valid(x []uint64) bool {
	k := c.Args[0]
	switch c.Op {
	case ir.OpDivNZ, ir.OpRemNZ:
		low := k.IsSigned() && int64(x[0]) == -1<<(k.Bits()-1)
		return x[1] != 0 && !(low && int64(x[1]) == -1)
	case ir.OpShlIn, ir.OpShrIn:
		return x[1] < uint64(k.Bits())
	}
	if !c.NoWrap {
		return true
	}
	for _, v := range x {
		if m := int64(1) << (k.Bits()/2 - 2); int64(v) < -m || int64(v) > m {
			return false
		}
	}
	return true
}

// thin keeps about n values, spread over the set.
func thin(set []uint64, n int) []uint64 {
	var out []uint64
	for i := range n {
		out = append(out, set[i*len(set)/n])
	}
	return out
}

// specials are the values at which operations change their behaviour.
func specials(k types.Kind) []uint64 {
	var out []uint64
	add := func(b uint64) {
		if !slices.Contains(out, b) {
			out = append(out, b)
		}
	}
	switch {
	case k == types.Bool:
		return []uint64{0, 1}
	case k.IsInteger():
		w := k.Bits()
		for _, v := range []int64{0, 1, -1, 2, -2, 3, 5, 7, -7, 10, 31, 32, 33, 63, 64, 65, 100, -100, 1<<(w-1) - 1, -1 << (w - 1), 1<<(w-2) + 1} {
			add(ir.IntBits(k, v))
		}
		for _, s := range []int{7, 8, 15, 16, 24, 31, 32, 40, 52, 62} {
			add(ir.IntBits(k, 1<<s))
			add(ir.IntBits(k, 1<<s-1))
		}
		add(ir.IntBits(k, 0x123456789abcdef0))
	default:
		for _, v := range []float64{
			0, 1, 0.5, 0.75, 0.9, 1.5, 2.5, 3, 1.0 / 3, 10, 87, 100.25, 126.5, 127.5, 127.99, 128, 129, 255.5, 256, 300, 32767.9, 32768, 65535.5,
			65536, 1 << 23, 1<<23 + 1, 1<<24 + 2, 1<<31 - 1, 1<<31 - 128, 1 << 31, 1 << 32, 1<<32 - 1, 1 << 52, 1 << 62, 1 << 63, 1 << 64, 1e10, 1e20, 1e38,
			3.4028234663852886e38, 1.1754943508222875e-38, 1e-40, 1e-45, math.Inf(1), math.Pi, 1e-8, 6.1e-5, 1.0000001, 0.99999994, 9223371487098961920,
		} {
			add(ir.FloatBits(k, v))
			add(ir.FloatBits(k, math.Copysign(v, -1)))
		}
		add(ir.FloatBits(k, math.NaN()))
		if k == types.Float64 {
			for _, v := range []float64{1 << 53, 1<<53 - 1, 9223372036854774784, 18446744073709549568, 1e300, math.MaxFloat64, 5e-324, 2.2250738585072014e-308, 2147483647.5, 4294967295.5} {
				add(math.Float64bits(v))
				add(math.Float64bits(-v))
			}
		}
	}
	return out
}

func random(r *rand.Rand, k types.Kind) uint64 {
	switch {
	case k == types.Bool:
		return r.Uint64() & 1
	case k.IsInteger():
		return ir.IntBits(k, int64(r.Uint64()>>r.IntN(64)))
	case r.IntN(3) > 0:
		return ir.FloatBits(k, (r.Float64()-0.5)*math.Ldexp(1, r.IntN(40)-10))
	case k.IsHalf():
		return r.Uint64() & 0xffff
	case k == types.Float32:
		return uint64(r.Uint32())
	}
	return r.Uint64()
}
