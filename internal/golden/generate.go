package golden

import (
	"fmt"
	"strconv"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// generate fills b by v's rule.
func (v Value) generate(b *interp.Buffer) error {
	k := b.Kind
	bits := func(i int, def string) (uint64, error) {
		if i < len(v.Args) {
			return Value{Scalar: v.Args[i]}.Bits(k)
		}
		return Value{Scalar: def}.Bits(k)
	}
	switch v.Gen {
	case "fill":
		x, err := bits(0, "")
		for i := range b.Len() {
			setRaw(b, i, x)
		}
		return err
	case "iota":
		if k == types.Bool {
			return fmt.Errorf("%s makes no bool", v)
		}
		start, err := bits(0, "0")
		if err != nil {
			return err
		}
		step, err := bits(1, "1")
		if err != nil {
			return err
		}
		for i := range b.Len() { // start + i*step in the arithmetic of the kind, each operation rounded
			n := eval(ir.OpConv, types.Int64, k, uint64(i))
			b.Set(i, eval(ir.OpAdd, k, k, start, eval(ir.OpMul, k, k, n, step)))
		}
		return nil
	}
	seed, err := strconv.ParseUint(v.Args[0], 0, 64)
	if err != nil {
		return fmt.Errorf("%s: the seed is no integer", v)
	}
	r := random(seed)
	if v.Gen == "randbits" {
		for i := range b.Len() {
			b.Set(i, r.next())
		}
		return nil
	}
	return v.uniform(b, &r, bits)
}

func (v Value) uniform(b *interp.Buffer, r *random, bits func(int, string) (uint64, error)) error {
	k := b.Kind
	hiDefault := "100"
	switch {
	case k == types.Bool:
		for i := range b.Len() {
			b.Set(i, r.next()>>63)
		}
		return nil
	case k.IsFloat():
		hiDefault = "1"
	}
	lo, err := bits(1, "0")
	if err != nil {
		return err
	}
	hi, err := bits(2, hiDefault)
	if err != nil {
		return err
	}
	if k.IsFloat() {
		l, h := interp.FloatValue(k, lo), interp.FloatValue(k, hi)
		for i := range b.Len() {
			x := interp.FloatBits(k, l+float64(float64(r.next()>>11)*(1.0/(1<<53))*(h-l)))
			if x == hi {
				x = lo // rounding may reach the open end
			}
			b.Set(i, x)
		}
		return nil
	}
	span := hi - lo
	if span == 0 {
		return fmt.Errorf("%s: the range is empty", v)
	}
	for i := range b.Len() {
		b.Set(i, lo+r.next()%span)
	}
	return nil
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
