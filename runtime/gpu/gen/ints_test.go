package gen

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// values are the edges of T and some between.
func values[T Integer]() []T {
	var zero T
	w := width[T]()
	v := []T{0, 1, 2, 3, 7, 10, 100, zero - 1, zero - 2, zero - 7, zero - 100, 1 << (w - 2)}
	top := T(1) << (w - 1)
	v = append(v, top, top+1, top-1, top-2)
	r := rand.New(rand.NewPCG(1, uint64(w)))
	for range 40 {
		v = append(v, T(r.Uint64()), T(r.Uint64())>>(r.Uint32()%uint32(w)))
	}
	return v
}

func bigOf[T Integer](x T) *big.Int {
	var zero T
	if zero-1 < 0 {
		return big.NewInt(int64(x))
	}
	return new(big.Int).SetUint64(uint64(x))
}

// wrap is b modulo 2^width as a T.
func wrap[T Integer](b *big.Int) T {
	m := new(big.Int).And(b, new(big.Int).SetUint64(math.MaxUint64))
	return T(m.Uint64())
}

func checkInts[T Integer](t *testing.T, name string) {
	w := width[T]()
	for _, x := range values[T]() {
		bx := bigOf(x)
		if got, want := Abs(x), wrap[T](new(big.Int).Abs(bx)); got != want {
			t.Fatalf("%s: Abs(%d) = %d, want %d", name, x, got, want)
		}
		pop, clz, ctz := 0, int(w), int(w)
		var rev T
		for i := uint(0); i < w; i++ {
			if x>>i&1 != 0 {
				pop++
				clz = int(w - 1 - i)
				if ctz == int(w) {
					ctz = int(i)
				}
				rev |= 1 << (w - 1 - i)
			}
		}
		if Popcount(x) != pop || Clz(x) != clz || Ctz(x) != ctz || Reverse(x) != rev {
			t.Fatalf("%s: bits of %d: %d %d %d %d, want %d %d %d %d", name, x, Popcount(x), Clz(x), Ctz(x), Reverse(x), pop, clz, ctz, rev)
		}
		for _, n := range []int64{math.MinInt64, -65, -1, 0, 1, 7, 8, 31, 32, 63, 64, 1000, math.MaxInt64} {
			l, r := T(0), x>>(w-1)
			var zero T
			if zero-1 > 0 {
				r = 0
			}
			if n >= 0 && n < int64(w) {
				l, r = wrap[T](new(big.Int).Lsh(bx, uint(n))), wrap[T](new(big.Int).Rsh(bx, uint(n)))
			}
			if Shl(x, n) != l || Shr(x, n) != r {
				t.Fatalf("%s: %d shifted by %d: %d %d, want %d %d", name, x, n, Shl(x, n), Shr(x, n), l, r)
			}
			k := int64(uint64(n) % uint64(w))
			rot := x
			for range k {
				rot = rot<<1 | rot>>(w-1)&1
			}
			if Rotl(x, n) != rot {
				t.Fatalf("%s: Rotl(%d, %d) = %d, want %d", name, x, n, Rotl(x, n), rot)
			}
		}
		for _, y := range values[T]() {
			by := bigOf(y)
			q, r := x, T(0)
			m, c := T(0), x
			if y != 0 {
				bq, br := new(big.Int).QuoRem(bx, by, new(big.Int))
				q, r = wrap[T](bq), wrap[T](br)
				fl, up := new(big.Int).Set(br), new(big.Int).Set(bq)
				if br.Sign() != 0 && br.Sign() != by.Sign() {
					fl.Add(fl, by)
				}
				if br.Sign() != 0 && bx.Sign() == by.Sign() {
					up.Add(up, big.NewInt(1))
				}
				m, c = wrap[T](fl), wrap[T](up)
			}
			hi := wrap[T](new(big.Int).Rsh(new(big.Int).Mul(bx, by), w))
			if Div(x, y) != q || Rem(x, y) != r || ModInt(x, y) != m || CeilDiv(x, y) != c || MulHi(x, y) != hi {
				t.Fatalf("%s: %d, %d: div %d rem %d mod %d ceildiv %d mulhi %d, want %d %d %d %d %d", name, x, y,
					Div(x, y), Rem(x, y), ModInt(x, y), CeilDiv(x, y), MulHi(x, y), q, r, m, c, hi)
			}
		}
	}
}

func TestIntegers(t *testing.T) {
	checkInts[int8](t, "int8")
	checkInts[int16](t, "int16")
	checkInts[int32](t, "int32")
	checkInts[int64](t, "int64")
	checkInts[uint8](t, "uint8")
	checkInts[uint16](t, "uint16")
	checkInts[uint32](t, "uint32")
	checkInts[uint64](t, "uint64")
	checkInts[int](t, "int")
}

func saturated(x float64, lo, hi *big.Int) *big.Int {
	switch {
	case math.IsNaN(x):
		return new(big.Int)
	case math.IsInf(x, 1):
		return hi
	case math.IsInf(x, -1):
		return lo
	}
	b, _ := new(big.Float).SetFloat64(x).Int(nil)
	if b.Cmp(lo) < 0 {
		return lo
	}
	if b.Cmp(hi) > 0 {
		return hi
	}
	return b
}

func TestSaturatingConversions(t *testing.T) {
	xs := []float64{0, math.Copysign(0, -1), 0.5, -0.5, 0.99999, -0.99999, 1.9, -1.9, 3e9, -3e9, 2147483520, math.NaN(),
		math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e19, -1e19}
	for w := 7; w <= 64; w++ {
		p := math.Ldexp(1, w)
		for _, v := range []float64{p, p - 0.5, p - 1, p + 1, math.Nextafter(p, 0), math.Nextafter(p, math.Inf(1))} {
			xs = append(xs, v, -v)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		xs = append(xs, math.Float64frombits(r.Uint64()), math.Ldexp(r.Float64()-0.5, r.IntN(70)))
	}
	one := big.NewInt(1)
	bound := func(w uint, signed bool) (lo, hi *big.Int) {
		if !signed {
			return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, w), one)
		}
		hi = new(big.Int).Lsh(one, w-1)
		return new(big.Int).Neg(hi), hi.Sub(hi, one)
	}
	for _, x := range xs {
		for _, c := range []struct {
			w      uint
			signed bool
			got    *big.Int
		}{
			{8, true, bigOf(ToInt8(x))}, {16, true, bigOf(ToInt16(x))}, {32, true, bigOf(ToInt32(x))}, {64, true, bigOf(ToInt64(x))},
			{64, true, bigOf(ToInt(x))},
			{8, false, bigOf(ToUint8(x))}, {16, false, bigOf(ToUint16(x))}, {32, false, bigOf(ToUint32(x))}, {64, false, bigOf(ToUint64(x))},
		} {
			lo, hi := bound(c.w, c.signed)
			if want := saturated(x, lo, hi); c.got.Cmp(want) != 0 {
				t.Fatalf("%v to %d bits (signed %v): %v, want %v", x, c.w, c.signed, c.got, want)
			}
		}
	}
}
