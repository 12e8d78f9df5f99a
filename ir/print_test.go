package ir_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// sample uses everything that the text form has, but for what stands in everyOp.
const sample = `module blas "saxpy.gpu"

const Pi float32 "3.1415927" @3:7
	doc "Pi is half a turn."

const Big untyped "1 << 100"

func lerp "lerp[float32]" @5:6 {
	doc "lerp is between a and b."
	doc ""
	generic T float32
	generic Tile = -16
	exported
	param $0.a float32 @5:10
	param $1.t [2, 3]float32
	local $2 int32
	result float32
	result [2, 3]float32
	body {
		%0 = get float32 $0.a @6:2
		%1 = get [2, 3]float32 $1.t
		return %0, %1 @"other.gpu":6:9
	}
}

kernel Saxpy "Saxpy[float32]" Saxpy_float32 @9:8 {
	doc "Saxpy \"quoted\"."
	generic T float32
	param a float32 @9:14
	param s int
	param x [n, m + 1]float32 @9:20
	param y mut [n, (n - s) * -3 % m]float32
	symbol n x 0 @9:21
	symbol m y 0
	equal x 1 = m + 1 @9:24
	equal y 1 = min(n, max(m, -n / 2))
	requires n % 4 == 0 && !(m < 3 || n >= s) "n % 4 == 0, …" @10:3
	domain i in 0 : ceildiv(n, 256)
	domain j in -1 : n - (m - 1) @11:2
	inplace x y
	targets cuda, cpu
	exact
	fastmath
	threads 128
	local $0.done bool
	body {
		%0 = const bool true
		%1.t = const float32 -0
		set $0.done, %0
		loop {
			%2 = get bool $0.done
			yield %2
		} do {
			if %0 {
				continue
			}
			if %0 {
			} else {
				break
			}
		} post {
			scope {
			}
		}
		loop unroll 2 @12:9 {
		} do {
			break
		} post {
		}
		%3 = const int 4
		range %3, %3, %3 as %4.j int @12:6 unroll 8 @12:2 {
			%5.name = mul float32 %1, %1 nofuse
			%6 = neg int %4 nowrap @13:1
			%7 = load float32 x [%6, %4] inbounds
			store y [%4, %6], %7
		}
		%8 = condor bool %0 {
			%9 = condand bool %0 {
				yield %0
			}
			yield %9
		}
	}
}

kernel Tile "Tile" Tile @20:8 {
	param x [n]float32
	symbol n x 0
	domain by in 0 : ceildiv(n, 16) @20:11
	group ty in 4 @20:30
	group tx in 16
	local $0.tile [4, 16]float32 shared @21:9
	local $1.sum float32 shared
	local $2.own float32
	body {
		%0.ty = thread int 0 @22:4
		%1 = thread int 1
		barrier @23:2
		range %0, %1, %1 as %2.j int {
			scope {
				loop {
				} do {
					continue 2
					break 1
					break
				} post {
				}
			}
		}
	}
}

kernel Rows "Rows" Rows {
	param x [n]float32
	symbol n x 0
	domain r in 0 : 1
	byblock
	local $0.s float32 shared
	local $1.sum float32
	local $2.at int
	local $3.best float32
	local $4.found bool
	body {
		%0 = const int 1
		range %0, %0, %0 as %1.j int spread 2 reduce sum $1.sum @31:2 {
			range %0, %0, %0 as %2.k int spread 1 {
			}
		}
		range %0, %0, %0 as %3 int unroll 4 spread 1 reduce argmin $2.at, $3.best, $4.found {
		}
	}
}
`

func parse(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

func TestSampleRoundTrip(t *testing.T) {
	text := strings.Replace(sample, "symbol m y 0", "symbol m z 0", 1)
	text = strings.Replace(text, "\tsymbol n x", "\tparam z [m]bool\n\tsymbol n x", 1)
	m := parse(t, text)
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	if got := ir.PrintPos(m); got != text {
		t.Errorf("printed\n%s\nwant\n%s", got, text)
	}
	plain := ir.Print(m)
	if strings.Contains(plain, "@") {
		t.Errorf("Print has positions:\n%s", plain)
	}
	if again := ir.Print(parse(t, plain)); again != plain {
		t.Errorf("printed again\n%s\nwant\n%s", again, plain)
	}
	c := m.Clone()
	if got := ir.PrintPos(c); got != text {
		t.Errorf("a clone prints\n%s", got)
	}
	if err := ir.Verify(c); err != nil {
		t.Errorf("a clone: %v", err)
	}
	k := m.Kernels[0]
	if p := k.Body.Instrs[1].Pos; p.IsValid() {
		t.Errorf("a position where the text has none: %v", p)
	}
	want := diag.Pos{File: "other.gpu", Line: 6, Col: 9}
	if p := m.Funcs[0].Body.Instrs[2].Pos; p != want {
		t.Errorf("position %v, want %v", p, want)
	}
}

// TestCloneSharesNothing changes everything in a clone and looks at the original.
func TestCloneSharesNothing(t *testing.T) {
	m := everyOp()
	before := ir.PrintPos(m)
	c := m.Clone()
	for _, k := range c.Kernels {
		for _, p := range k.Params {
			p.Name += "_"
			p.Dims = append(p.Dims[:0], p.Dims...)
		}
		for _, s := range k.Symbols {
			s.Name += "_"
		}
		for _, l := range k.Locals {
			l.Name += "_"
		}
		k.Domain[0].Name = "changed"
		for i := range k.Group {
			k.Group[i].N++
		}
		k.InPlace = append(k.InPlace[:0], [2]int{1, 0})
		if k.Sched != nil {
			k.Sched.Per = 99
		}
		k.Body.Walk(func(in *ir.Instr) {
			in.Name = "changed"
			in.Pos.Line = 999
			for _, b := range in.Blocks {
				if b.Iter != nil {
					b.Iter.Name = "changed"
				}
			}
			if in.Op == ir.OpCall {
				in.Func.Instance = "changed"
			}
			if len(in.Args) > 0 {
				in.Args[0] = in
			}
		})
	}
	for _, f := range c.Funcs {
		for _, l := range f.Locals {
			l.Name += "_"
		}
		f.Body.Instrs = nil
	}
	if after := ir.PrintPos(m); after != before {
		t.Errorf("the original changed:\n%s\nwas\n%s", after, before)
	}
}

func TestConstantsRoundTrip(t *testing.T) {
	for _, c := range []struct {
		k    types.Kind
		bits uint64
		text string
	}{
		{types.Float32, 0x80000000, "-0"},
		{types.Float32, 0x7fc00000, "nan"},
		{types.Float32, 0xffc00001, "nan 0xffc00001"},
		{types.Float32, 0x7f800000, "inf"},
		{types.Float32, 0xff800000, "-inf"},
		{types.Float32, 1, "1e-45"},
		{types.Float32, 0x00400000, "5.877472e-39"},
		{types.Float32, 0x7f7fffff, "3.4028235e+38"},
		{types.Float32, 0x3dcccccd, "0.1"},
		{types.Float64, 0x3fb999999999999a, "0.1"},
		{types.Float64, 1, "5e-324"},
		{types.Float64, 0x7ff8000000000000, "nan"},
		{types.Float16, 1, "5.9604645e-08"},
		{types.Float16, 0x3555, "0.33325195"},
		{types.Float16, 0xfc00, "-inf"},
		{types.BFloat16, 0x3dcd, "0.100097656"},
		{types.Uint64, math.MaxUint64, "18446744073709551615"},
		{types.Int64, 1 << 63, "-9223372036854775808"},
		{types.Int8, ^uint64(127), "-128"},
		{types.Uint8, 255, "255"},
		{types.Bool, 1, "true"},
	} {
		text := fmt.Sprintf(empty, fmt.Sprintf("%%0 = const %s %s", c.k, c.text))
		m := parse(t, text)
		if in := m.Kernels[0].Body.Instrs[0]; in.Bits != c.bits {
			t.Errorf("%s %s reads as %#x, want %#x", c.k, c.text, in.Bits, c.bits)
		}
		if got := ir.Print(m); got != text {
			t.Errorf("%s %#x prints as\n%s\nwant %s", c.k, c.bits, got, c.text)
		}
		if err := ir.Verify(m); err != nil {
			t.Errorf("%s %s: %v", c.k, c.text, err)
		}
	}
}

// TestHalves rounds every 16-bit value and the middle between each two.
func TestHalves(t *testing.T) {
	for _, k := range []types.Kind{types.Float16, types.BFloat16} {
		for b := range uint64(1 << 15) {
			v := ir.FloatOf(k, b)
			if math.IsNaN(v) {
				continue
			}
			for _, sign := range []uint64{0, 1 << 15} {
				if got := ir.FloatBits(k, ir.FloatOf(k, b|sign)); got != b|sign {
					t.Fatalf("%s %#x comes back as %#x", k, b|sign, got)
				}
			}
			up := ir.FloatOf(k, b+1)
			if math.IsInf(up, 0) || math.IsNaN(up) || math.IsInf(v, 0) {
				continue
			}
			mid := (v + up) / 2
			if got, want := ir.FloatBits(k, mid), b+b&1; got != want {
				t.Fatalf("%s: the tie over %#x rounds to %#x, want %#x", k, b, got, want)
			}
			if got := ir.FloatBits(k, math.Nextafter(mid, 1e300)); got != b+1 {
				t.Fatalf("%s: above the tie over %#x rounds to %#x", k, b, got)
			}
		}
		if got := ir.FloatBits(k, 1e300); got != ir.FloatBits(k, math.Inf(1)) {
			t.Errorf("%s(1e300) is %#x", k, got)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "line 1: expected module"},
		{"module p \"p.gpu\"\nthing", "line 2: expected struct, table, const, func or kernel, found thing"},
		{"module p \"p.gpu", "line 1: string not terminated"},
		{fmt.Sprintf(empty, "%0 = nothing int"), "line 8: unknown operation nothing"},
		{fmt.Sprintf(empty, "%0 = iter int"), "unknown operation iter"},
		{fmt.Sprintf(empty, "add int"), "a value on the left"},
		{fmt.Sprintf(empty, "%0 = break"), "a value on the left"},
		{fmt.Sprintf(empty, "%0 = const int8 200"), "200 does not fit in int8"},
		{fmt.Sprintf(empty, "%0 = const float32 1e50"), "bad float32 1e50"},
		{fmt.Sprintf(empty, "%0 = const float float"), "unknown type float"},
		{fmt.Sprintf(empty, "%0 = neg int %1"), "value %1 is not defined"},
		{fmt.Sprintf(empty, "set $0, %1"), "local $0 is not declared"},
		{fmt.Sprintf(empty, "%0 = param int q"), "unknown parameter q"},
		{fmt.Sprintf(empty, "%0 = extent int q"), "unknown symbol q"},
		{fmt.Sprintf(empty, "call \"f\" () to ()"), "unknown function f"},
		{fmt.Sprintf(empty, "%0 = const int 1\n%0 = const int 2"), "value %0 is defined twice"},
		{strings.Replace(fmt.Sprintf(empty, "break"), "\tdomain", "\twrong\n\tdomain", 1), "unknown clause wrong"},
		{strings.Replace(fmt.Sprintf(empty, "break"), "\tdomain", "\ttargets moon\n\tdomain", 1), "unknown target moon"},
	} {
		_, err := ir.Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.text, err, c.want)
		}
	}
}

// FuzzParse reads anything without a panic, and what it reads prints to a fixed point.
func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add(ir.PrintPos(everyOp()))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ir.Parse(text)
		if err != nil || ir.Verify(m) != nil {
			return
		}
		p := ir.PrintPos(m)
		again, err := ir.Parse(p)
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		if q := ir.PrintPos(again); q != p {
			t.Fatalf("not a fixed point:\n%s\n%s", p, q)
		}
	})
}

// empty is a module whose kernel body is one line.
const empty = `module p "p.gpu"

kernel K "K" K {
	param x [n]float32
	symbol n x 0
	domain i in 0 : n
	body {
		%s
	}
}
`
