package ir_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// TestPlaced lists, for small bodies, the values that are declared: those not placed.
func TestPlaced(t *testing.T) {
	for _, c := range []struct{ name, body, declared string }{
		{"one use", `%0 = point int 0
			%1 = load float32 x [%0]
			%2 = neg float32 %1
			store y [%0], %2`, ""},
		{"two uses", `%0 = point int 0
			%1 = load float32 x [%0]
			%2 = mul float32 %1, %1
			store y [%0], %2`, "1"},
		{"leaves any number of times, a name on others", `%0.i = point int 0
			%1.v = neg int %0
			%2 = load float32 x [%1]
			store y [%0], %2`, "1"},
		{"no use", `%0 = point int 0
			%1 = load float32 x [%0]`, "1"},
		{"a load does not cross a store", `%0 = point int 0
			%1 = load float32 x [%0]
			%2 = const float32 1
			store y [%0], %2
			store y [%0], %1`, "1"},
		{"a load does not cross a block with a store", `%0 = point int 0
			%1 = load float32 x [%0]
			%2 = const bool true
			if %2 {
				store y [%0], %1
			}`, "1"},
		{"the same store may take it", `%0 = point int 0
			%1 = load float32 y [%0]
			store y [%0], %1`, ""},
		{"pure values cross stores, what they read does not", `%0 = point int 0
			%1 = load float32 x [%0]
			%2 = neg float32 %1
			%3 = const float32 1
			store y [%0], %3
			store y [%0], %2`, "1"},
		{"a get does not cross a set of its local", `%0 = get float32 $0
			%1 = get float32 $1
			%2 = const float32 1
			set $0, %2
			%3 = add float32 %0, %1
			set $1, %3`, "0"},
		{"pure enters a branch, a read does not", `%0 = point int 0
			%1 = const bool true
			%2 = get float32 $0
			%3 = param float32 s
			%4 = neg float32 %3
			if %1 {
				%5 = add float32 %2, %4
				store y [%0], %5
			}`, "2"},
		{"nothing enters a loop", `%0 = point int 0
			%1 = param float32 s
			%2 = neg float32 %1
			range %0, %0, %0 as %3.j int {
				store y [%0], %2
			}`, "2"},
		{"hi is evaluated again: no read", `%0 = extent int n
			%1 = const int 1
			%2 = sub int %0, %1
			range %1, %2, %1 as %3.j int {
			}
			%4 = get int $2
			%5 = add int %4, %1
			range %5, %5, %1 as %6.k int {
			}
			%7 = get int $2
			%8 = neg int %7
			range %1, %8, %1 as %9.l int {
			}
			%10 = get int $2
			range %10, %1, %1 as %11.m int {
			}`, "5 7"},
		{"nothing that others write crosses a barrier", `%0 = point int 0
			%1 = load float32 x [%0]
			%2 = get float32 $4
			%3 = get float32 $0
			%4 = elem float32 $5 [%0]
			%5 = add float32 %1, %2
			%6 = add float32 %3, %4
			%7 = elem float32 $5 [%0]
			setelem $5 [%0], %7
			barrier
			%8 = add float32 %5, %6
			%9 = get float32 $4
			%10 = add float32 %8, %9
			store y [%0], %10`, "1 2 4"},
		{"nor a barrier in a branch", `%0 = point int 0
			%1 = const bool true
			%2 = get float32 $4
			if %1 {
				barrier
			}
			set $0, %2`, "2"},
		{"another shared local does not matter", `%0 = point int 0
			%1 = get float32 $4
			%2 = const float32 1
			setelem $5 [%0], %2
			set $0, %1`, ""},
		{"short circuits", `%0 = point int 0
			%1 = get bool $3
			%2 = condand bool %1 {
				%3 = load float32 x [%0]
				%4 = load float32 y [%0]
				%5 = lt bool %3, %4
				yield %5
			}
			%6 = const float32 1
			if %2 {
				store y [%0], %6
			}
			%7 = condand bool %1 {
				%8 = load float32 x [%0]
				%9 = lt bool %8, %8
				yield %9
			}
			if %7 {
				store y [%0], %6
			}
			%10 = condor bool %1 {
				%11 = load float32 y [%0]
				%12 = lt bool %11, %6
				yield %12
			}
			store y [%0], %6
			set $3, %10`, "1 7 8 10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parse(t, fmt.Sprintf(withLocals, c.body))
			k := m.Kernels[0]
			if err := ir.Verify(m); err != nil {
				t.Fatal(err)
			}
			placed := ir.Placed(k.Body)
			var out []string
			for text, in := range numbered(k) {
				if ir.Ops[in.Op].Value && !placed[in] {
					out = append(out, text)
				}
			}
			slices.SortFunc(out, func(a, b string) int { return len(a)*1000 - len(b)*1000 + strings.Compare(a, b) })
			if got := strings.Join(out, " "); got != c.declared {
				t.Errorf("declared: %q, want %q\n%s", got, c.declared, ir.PrintKernel(k))
			}
		})
	}
}

// numbered gives the values of a kernel by the numbers that they have in its text.
func numbered(k *ir.Kernel) map[string]*ir.Instr {
	out := map[string]*ir.Instr{}
	n := 0
	k.Body.Walk(func(in *ir.Instr) {
		if ir.Ops[in.Op].Value {
			out[fmt.Sprint(n)] = in
			n++
		}
		if in.Op == ir.OpRange {
			n++
		}
	})
	return out
}

// TestPlacedDepth bounds the nesting of a long chain, of a chain of short circuits too.
func TestPlacedDepth(t *testing.T) {
	b := ir.Builder{Block: &ir.Block{}}
	v := b.Const(types.Int, 1)
	yes := b.Bool(true)
	for range 1000 {
		v = b.Un(ir.OpNeg, v)
	}
	l := &ir.Local{Name: "v", Type: types.Int}
	b.LocalSet(l, v)
	c := yes
	for range 1000 {
		and := b.Cond(ir.OpCondAnd, c)
		b.In(and.Blocks[0]).Yield(yes)
		c = and
	}
	b.If(c)
	placed := ir.Placed(b.Block)
	depth := map[*ir.Instr]int{}
	deepest, declared := 0, 0
	for _, in := range b.Block.Instrs {
		if ir.Ops[in.Op].Class == ir.Leaf {
			continue
		}
		d := 1
		for _, a := range in.Args {
			if placed[a] {
				d = max(d, depth[a]+1)
			}
		}
		depth[in] = d
		deepest = max(deepest, d)
		if ir.Ops[in.Op].Value && !placed[in] {
			declared++
		}
	}
	if deepest > ir.MaxPlacedDepth+1 || declared == 0 || declared > 60 {
		t.Errorf("depth %d with %d declared", deepest, declared)
	}
}

const withLocals = `module p "p.gpu"

kernel K "K" K {
	param x [n]float32
	param y mut [n]float32
	param s float32
	symbol n x 0
	domain i in 0 : n
	group t in 4
	local $0.a float32
	local $1.b float32
	local $2.c int
	local $3.d bool
	local $4.s float32 shared
	local $5.t [4]float32 shared
	body {
		%s
	}
}
`
