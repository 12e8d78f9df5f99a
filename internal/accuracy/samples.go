package accuracy

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// stride between the bit patterns of the dense sample: odd, so that no bit of the fraction is always the same, and small
// enough for 2^20 values.
const stride = 4093

// pairs is the number of random operands of a function of two.
const pairs = 1 << 20

// Samples are a function's operands of kind k, float32 or one of 16 bits, a buffer each, and room for the results. They are
// the same in every process.
func Samples(op ir.Op, k types.Kind) (out []*interp.Buffer) {
	column := func(n int, bits func(i int) uint64) {
		b := interp.NewBuffer(k, int64(n))
		for i := range n {
			b.Set(int64(i), bits(i))
		}
		out = append(out, b)
	}
	of := func(values []float32) {
		column(len(values), func(i int) uint64 { return ir.FloatBits(k, float64(values[i])) })
	}
	switch {
	case ir.Ops[op].Args == 2:
		x, y := plane()
		of(x)
		of(y)
	case k.IsHalf():
		column(1<<16, func(i int) uint64 { return uint64(i) })
	default:
		of(line())
	}
	column(int(out[0].Len()), func(int) uint64 { return 0x5a5a5a5a >> (32 - k.Bits()) }) // what no kernel writes is seen
	return out
}

// edges are the values at which functions change their behaviour.
var edges = sync.OnceValue(func() []float32 {
	inf := float32(math.Inf(1))
	var out []float32
	for _, v := range []float32{
		0, inf, math.SmallestNonzeroFloat32, 0x1p-140, 0x1.fffffcp-127, 0x1p-126, 0x1.000002p-126, math.MaxFloat32, 0x1p127, 0x1p64, 1e20, 1e10,
		0x1p-64, 1e-20, 1e-10, 0x1p-24, 0x1p-12, 0x1p12, 0x1p23, 0x1.000002p23, 0x1p24, 0x1.fffffep22, 0x1p31, 0x1p32,
		1, 0x1.fffffep-1, 0x1.000002p0, 0.5, 1.5, 2, 2.5, 3, 4, 5, 7, 10, 100, 127, 128, 149, 150, 1.0 / 3, 0.1, 0.75,
		math.Pi, math.Pi / 2, math.Pi / 4, math.E, math.Ln2, math.Sqrt2, 88.72283, 103.97208, 89.415985, 9.0109,
	} {
		out = append(out, v, -v)
	}
	return append(out, float32(math.NaN()))
})

// line are the operands of a function of one: edges, the neighbours of centres, and a pattern in each stride of all 2^32.
var line = sync.OnceValue(func() []float32 {
	out := append([]float32(nil), edges()...)
	around := func(v float64, n int32) {
		at := int32(math.Float32bits(float32(v)))
		for d := -n; d <= n; d++ {
			f := math.Float32frombits(uint32(at + d))
			out = append(out, f, -f)
		}
	}
	// Zeros and poles, the limits of overflow and underflow of exp, exp2 and sinh, where tanh and erf become 1, and what
	// is next to a multiple of Pi/2 among all float32.
	for _, v := range []float64{
		0, 0x1p-126, 1, 0.5, 2, math.Sqrt2, 1 / math.Sqrt2, 88.72283, 89.415985, 87.33654, 103.97208, 128, 126, 149, 150, 9.0109, 3.92, 4, 16367173 * 0x1p72,
	} {
		around(v, 1000)
	}
	for k := 1; k <= 2000; k++ {
		around(float64(k)*math.Pi/2, 2)
	}
	for e := 10; e < 120; e++ { // multiples of Pi/2 of every size
		around(math.Round(math.Ldexp(1.37, e))*math.Pi/2, 2)
	}
	for bits := uint64(0); bits < 1<<32; bits += stride {
		out = append(out, math.Float32frombits(uint32(bits)))
	}
	return out
})

// plane are the operands of a function of two: all pairs of edges, then random ones of four sorts.
var plane = sync.OnceValues(func() (x, y []float32) {
	add := func(a, b float64) { x, y = append(x, float32(a)), append(y, float32(b)) }
	for _, a := range edges() {
		for _, b := range edges() {
			add(float64(a), float64(b))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	sign := func() float64 { return float64(1 - 2*r.IntN(2)) }
	anything := func() float64 { return float64(math.Float32frombits(r.Uint32())) }
	spread := func(low, high float64) float64 { return math.Exp2(low + r.Float64()*(high-low)) }
	for i := range pairs {
		switch i % 4 {
		case 0: // every pattern of bits
			add(anything(), anything())
		case 1: // numbers of like size
			v := spread(-126, 126)
			add(sign()*v, sign()*v*spread(-13, 13))
		case 2: // powers that are in range
			v := spread(-30, 30)
			add(v, sign()*spread(-12, math.Log2(128/max(math.Abs(math.Log2(v)), 0.1))))
		case 3: // powers of what is near 1, and of negative numbers
			if i%8 == 3 {
				add(1+sign()*spread(-23, -1), sign()*spread(0, 27))
			} else {
				add(-spread(-4, 4), math.Round(sign()*spread(0, 5)))
			}
		}
	}
	return x, y
})
