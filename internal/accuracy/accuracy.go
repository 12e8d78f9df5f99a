// Package accuracy turns the results that a target gave for a table function into the worst error among them, in units of the
// last place, with the operands that have it.
//
// [Samples] are the operands: edge values, all pairs of them for a function of two, the neighbourhoods of zeros, poles,
// limits of overflow and multiples of Pi/2, and a dense sample over all bit patterns of float32, or every one of 16 bits. [Measure] compares first with float64,
// as the interpreter computes, and then the worst of that with [Exact], so that the reference's own errors are not counted;
// how small these are is tested here. [Measured] is what was measured last on each target, in files of this package.
//
// Tests of codegen/cpu, codegen/opencl, codegen/msl and codegen/ptx measure; a test of the root package makes the table of
// docs/semantics.md of it.
package accuracy

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// Worst is the largest error of a function over its samples.
type Worst struct {
	Op   ir.Op
	ULP  float64
	X    []float64 // the operands
	Got  float64
	Want float64 // the exact result, rounded to float64
	N    int     // samples
}

// finalists are how many results of the first comparison the second one looks at.
const finalists = 64

// Measure compares a function's results with the exact ones. The buffers are those of [Samples], the last with the results.
func Measure(op ir.Op, buffers []*interp.Buffer) Worst {
	in, out := buffers[:len(buffers)-1], buffers[len(buffers)-1]
	n, k := out.Len(), out.Kind()
	type entry struct {
		row int64
		ulp float64
	}
	var best []entry
	least := -1.0
	operands := make([]uint64, len(in))
	x := make([]float64, len(in))
	row := func(i int64) (got, want float64) {
		for j, b := range in {
			x[j] = ir.FloatOf(k, b.At(i))
			operands[j] = math.Float64bits(x[j])
		}
		bits, ok := interp.Eval(op, types.Float64, types.Float64, operands...)
		if !ok {
			panic(fmt.Sprintf("accuracy: no %s of %d operands", op, len(in)))
		}
		return ir.FloatOf(k, out.At(i)), math.Float64frombits(bits)
	}
	for i := range n {
		got, want := row(i)
		if u := distance(k, got, want); u > least {
			best = append(best, entry{i, u})
			if len(best) == 2*finalists {
				slices.SortStableFunc(best, func(a, b entry) int { return cmp.Compare(b.ulp, a.ulp) })
				best = best[:finalists]
				least = best[finalists-1].ulp
			}
		}
	}
	w := Worst{Op: op, ULP: -1, N: int(n)}
	for _, e := range best {
		got, want := row(e.row)
		u := e.ulp
		if exact := exactly(op, x, want); exact != nil && !math.IsInf(u, 0) {
			want, _ = exact.Float64()
			u = ULP(k, exact, got)
		}
		if u > w.ULP {
			w.ULP, w.X, w.Got, w.Want = u, slices.Clone(x), got, want
		}
	}
	return w
}

// exactly is the exact result where it is a matter of digits.
func exactly(op ir.Op, x []float64, reference float64) *big.Float {
	if reference == 0 || reference != reference || math.IsInf(reference, 0) {
		return nil
	}
	return Exact(op, x...)
}

// distance is how far a value of kind k is from a float64 result, in units of its last place. It is infinite where one is not
// a number and the other is, and where a result that is exactly zero has the other sign.
func distance(k types.Kind, got, want float64) float64 {
	switch {
	case got != got || want != want:
		if got != got && want != want {
			return 0
		}
		return math.Inf(1)
	case want == 0 && (got != 0 || math.Signbit(got) != math.Signbit(want)):
		return math.Inf(1)
	}
	return Distance(k, got, want)
}

// shape is the bits of a fraction, and the exponents of the smallest normal number and of infinity.
func shape(k types.Kind) (frac, low, high int) {
	switch k {
	case types.Float64:
		return 52, -1022, 1024
	case types.Float16:
		return 10, -14, 16
	case types.BFloat16:
		return 7, -126, 128
	}
	return 23, -126, 128
}

// Distance is that of two numbers in units of the last place of b; infinities are one step beyond the largest.
func Distance(k types.Kind, a, b float64) float64 {
	if a == b {
		return 0
	}
	frac, low, high := shape(k)
	limit := math.Ldexp(1, high-1) // half of infinity, which float64 does not hold
	e := high - 1
	switch {
	case b == 0:
		e = low
	case math.Abs(b)/2 < limit:
		_, e = math.Frexp(b)
		e = max(e-1, low)
	}
	scaled := func(v float64) float64 {
		if math.Abs(v)/2 >= limit {
			return math.Copysign(math.Ldexp(1, high-e+frac), v)
		}
		return math.Ldexp(v, frac-e)
	}
	return math.Abs(scaled(a) - scaled(b))
}

// ULP is the distance of a number from the exact result, in units of its last place.
func ULP(k types.Kind, exact *big.Float, got float64) float64 {
	frac, low, high := shape(k)
	e := min(max(exact.MantExp(nil)-1, low), high-1)
	limit := fresh().SetMantExp(one(), high)
	clamp := func(v *big.Float) *big.Float {
		if fresh().Abs(v).Cmp(limit) < 0 {
			return v
		}
		c := fresh().Copy(limit)
		if v.Sign() < 0 {
			c.Neg(c)
		}
		return c
	}
	value := fresh().SetInf(got < 0)
	if !math.IsInf(got, 0) {
		value.SetFloat64(got)
	}
	u, _ := by(sub(clamp(exact), clamp(value)), frac-e).Float64()
	return math.Abs(u)
}
