package golden

import (
	"fmt"
	"strconv"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// generate fills b by v's rule: every scalar of every element, in the order of memory.
func (v Value) generate(b *interp.Buffer) error {
	parts := b.Parts()
	makers := make([]maker, len(parts))
	var r random
	if seeded(v.Gen) {
		seed, err := strconv.ParseUint(v.Args[0], 0, 64)
		if err != nil {
			return fmt.Errorf("%s: the seed is no integer", v)
		}
		r = random(seed)
	}
	for p, s := range parts {
		var err error
		if makers[p], err = v.maker(s.Kind, &r); err != nil {
			return err
		}
	}
	n := uint64(0)
	for i := range b.Len() {
		for p, s := range parts {
			x := makers[p](n)
			n++
			setRaw(&interp.Buffer{Elem: s.Kind, Dims: []int64{1}, Data: s.Raw(i)}, 0, x)
		}
	}
	return nil
}

// maker gives the bits of scalar number n.
type maker func(n uint64) uint64

// maker is v's rule for scalars of kind k.
func (v Value) maker(k types.Kind, r *random) (maker, error) {
	bits := func(i int, def string) (uint64, error) {
		if i < len(v.Args) {
			return Value{Scalar: v.Args[i]}.Bits(k)
		}
		return Value{Scalar: def}.Bits(k)
	}
	switch v.Gen {
	case "fill":
		x, err := bits(0, "")
		return func(uint64) uint64 { return x }, err
	case "iota":
		if k == types.Bool {
			return nil, fmt.Errorf("%s makes no bool", v)
		}
		start, err := bits(0, "0")
		if err != nil {
			return nil, err
		}
		step, err := bits(1, "1")
		return func(n uint64) uint64 { // start + n*step in the arithmetic of the kind, each operation rounded
			return eval(ir.OpAdd, k, k, start, eval(ir.OpMul, k, k, eval(ir.OpConv, types.Int64, k, n), step))
		}, err
	case "randbits":
		return func(uint64) uint64 {
			x := r.next()
			if k == types.Bool {
				x = min(x, 1)
			}
			return x
		}, nil
	}
	return v.uniform(k, r, bits)
}

// uniform is the rule of rand.
func (v Value) uniform(k types.Kind, r *random, bits func(int, string) (uint64, error)) (maker, error) {
	hiDefault := "100"
	switch {
	case k == types.Bool:
		return func(uint64) uint64 { return r.next() >> 63 }, nil
	case k.IsFloat():
		hiDefault = "1"
	}
	lo, err := bits(1, "0")
	if err != nil {
		return nil, err
	}
	hi, err := bits(2, hiDefault)
	if err != nil {
		return nil, err
	}
	if k.IsFloat() {
		l, h := interp.FloatValue(k, lo), interp.FloatValue(k, hi)
		return func(uint64) uint64 {
			x := interp.FloatBits(k, l+float64(float64(r.next()>>11)*(1.0/(1<<53))*(h-l)))
			if x == hi {
				x = lo // rounding may reach the open end
			}
			return x
		}, nil
	}
	span := hi - lo
	if span == 0 {
		return nil, fmt.Errorf("%s: the range is empty", v)
	}
	return func(uint64) uint64 { return lo + r.next()%span }, nil
}

func eval(op ir.Op, arg, to types.Kind, x ...uint64) uint64 {
	v, ok := interp.Eval(op, arg, to, x...)
	if !ok {
		panic(fmt.Sprintf("golden: %s on %s", op, arg))
	}
	return v
}

// random is splitmix64: its sequence is part of the format, whatever the standard library does.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
