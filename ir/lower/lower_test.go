package lower_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/lower"
	"github.com/gpugen/gpugen/ir/pass"
)

// module lowers a file.
func module(t *testing.T, src string) *ir.Module {
	t.Helper()
	f, list := dsl.Parse("k.gpu", []byte(src))
	if list.HasErrors() {
		t.Fatalf("%v\n%s", list, src)
	}
	p, list := check.Package([]*dsl.File{f}, check.Config{})
	if list.HasErrors() {
		t.Fatalf("%v\n%s", list, src)
	}
	m := lower.Program(p)[0]
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%v\n%s\n%s", err, src, ir.Print(m))
	}
	return m
}

// results runs the kernel of m as it was lowered, and behind the passes of the CPU and of CUDA, narrow and wide. It gives
// the one element of o that all leave.
func results(t *testing.T, m *ir.Module, args ...interp.Arg) int64 {
	t.Helper()
	kernels := []*ir.Kernel{m.Clone().Kernels[0]}
	o := pass.Options{Verify: true}
	o.Common(m)
	kernels = append(append(kernels, o.For(m, types.CPU).Kernels...), o.For(m, types.CUDA).Kernels...)
	var first int64
	for i, k := range kernels {
		out := interp.NewBuffer(types.Int32, 1)
		rep, err := interp.Run(k, append([]interp.Arg{interp.View(out)}, args...), interp.Options{Races: true, MaxSteps: 1e6})
		if err != nil || len(rep.Findings) > 0 {
			t.Fatalf("%s: %v %v\n%s", k.Entry, err, rep.Findings, ir.PrintKernel(k))
		}
		got := int64(int32(out.At(0)))
		if i == 0 {
			first = got
		} else if got != first {
			t.Errorf("%s of %d gives %d, and as it was lowered %d\n%s", k.Entry, i, got, first, ir.PrintKernel(k))
		}
	}
	return first
}

// floats is the argument x of the tests below: with a NaN at 5 of 8 and zeros of both signs at 6 and 7.
func floats() interp.Arg {
	b := interp.NewBuffer(types.Float32, 8)
	for i, v := range []float64{3, 1, 4, 1, 4, math.NaN(), 0, math.Copysign(0, -1)} {
		b.Set(int64(i), ir.FloatBits(types.Float32, v))
	}
	return interp.View(b)
}

// TestStatements runs bodies that leave a number in s.
func TestStatements(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       int64
	}{
		{"b19", "for i := int32(0); i < 6; i++ { switch i % 3 { case 0: continue; case 1: if i >= 0 { break }; s += 100; default: s += 10 }; s += 1 }", 24},
		{"no case", "switch a { case 1: s = 1; case 2, 3: s = 2 }", 0},
		{"several values", "switch a { case 1, 7: s = 1; default: s = 2 }", 1},
		{"default first", "switch a { default: s = 2; case 7: s = 1 }", 1},
		{"default in the middle", "switch a { case 1: s = 1; default: s = 2; case 3: s = 3 }", 2},
		{"fallthrough", "switch a { case 7: s = 1; fallthrough; case 3: s += 10; fallthrough; default: s += 100; fallthrough; case 5: s += 1000; case 6: s += 10000 }", 1111},
		{"fallthrough from a default", "switch a { default: s = 1; fallthrough; case 3: s += 10 }", 11},
		{"fallthrough into a default", "switch a - 7 { case 0: s = 1; fallthrough; default: s += 10; case 3: s += 100 }", 11},
		{"break of a clause that falls", "switch a { case 7: if s == 0 { break }; s = 1; fallthrough; default: s = 2 }", 0},
		{"without a tag", "switch { case a < 3: s = 1; case a < 9: s = 2; case a < 10: s = 3 }", 2},
		{"with init", "switch b := a * 2; b { case 14: s = int32(b) }", 14},
		{"bool", "switch a > 3 { case false: s = 1; case true: s = 2 }", 2},
		{"tag once, cases in order", "k := int32(1); switch next(k) { case 2: s = 5; case next(k): s = 6 }", 5},
		{"cases of variables", "k := a; switch a { case k + 1: s = 1; case k: s = 2; case k: s = 3 }", 2},
		{"a case that must not run", "z := a - 7; switch { case z == 0: s = 1; case x[z-1] > 0: s = 2 }", 1},
		{"empty", "switch a { }; s = 4", 4},
		{"nested", "switch a { case 7: switch { default: if a > 0 { break }; s = 9 }; s += 1; default: s = 3 }", 1},
		{"shadowed tag", "switch a := int32(3); a { case 3: a := a + 1; s = a }", 4},

		{"labelled break", "l: for i := range 5 { for j := range 5 { if i*j == 6 { break l }; s += 1 } }", 13},
		{"labelled continue", "l: for i := range 5 { for j := range 5 { if j > i { continue l }; s += 1 } }", 15},
		{"labelled switch", "l: switch { default: for i := range 9 { if i == 3 { break l }; s += 1 }; s = 100 }", 3},
		{"break of a loop in a switch", "l: for i := range 9 { switch { case i == 4: break l; case i == 2: continue l }; s += int32(i) }", 4},
		{"labelled block", "l: { s = 1; if a > 3 { break l }; s = 2 }; s += 10", 11},
		{"labelled blocks", "l: { m: { for i := range 9 { if i > 2 { break m }; if i > 5 { break l }; s += 1 } }; s += 10 }; s += 100", 113},
		{"three loops", "l: for i := range 3 { for j := range 3 { for k := range 3 { if k > j { continue l }; if i == 2 { break l }; s += 1 } } }", 2},
		{"post of a repeated loop", "l: for i := 0; i < 4; i++ { for { if i > 0 { continue l }; break }; s += 1 }; s += 10", 11},
		{"unordered continue", "for i, j in 3, 4 { if i == j { continue }; if i+j == 5 { o[0] += 9 }; if i*j == 4 { o[0]++ } }; s = o[0]", 9},
		{"return in a switch", "for i := range 9 { switch i { case 5: o[0] = 77; return } }; s = 1", 77},

		{"steps", "for i := 0; i < 10; i += 4 { s = s*10 + int32(i) }", 48},
		{"steps up to the end", "for i := uint8(0); i <= 250; i += 5 { s += 1 }", 51},
		{"steps that wrap", "for i := uint8(0); i < 252; i += 250 { s += 1; if s > 99 { break } }", 43},
		{"steps below zero", "for i := int8(-100); i < -3; i += 50 { s += 1 }", 2},

		{"sum", "s = sum(int32(j) for j in a)", 21},
		{"sum over a range", "s = sum(int32(j) for j in 2:a)", 20},
		{"prod", "s = prod(int32(j) + 1 for j in 4)", 24},
		{"min, max", "s = min(int32(j) - 3 for j in 5) * 100 + max(int32(j) - 3 for j in 5)", -299},
		{"two indexes", "s = sum(int32(j * k) for j, k in 3, 4)", 18},
		{"within another", "s = sum(max(int32(j * k) for k in j) for j in 1:4)", 8},
		{"nothing", "s = sum(int32(j) for j in 0) + prod(int32(j) for j in 3:2) * 10", 10},
		{"nothing: the ends of the type", "s = int32(max(int8(j) for j in 0)) * 1000 + int32(min(uint8(j) for j in 0))", -127745},
		{"nothing: infinite", "if min(x[j] for j in 0) == inf() { s = 1 }; if max(x[j] for j in 0) == -inf() { s += 2 }", 3},
		{"any", "s = select(any(x[j] > 3 for j in 4), 1, 0) + select(any(x[j] > 4 for j in 4), 10, 0) + select(any(true for j in 0), 100, 0)", 1},
		{"all", "s = select(all(x[j] > 0 for j in 4), 1, 0) + select(all(x[j] > 1 for j in 4), 10, 0) + select(all(false for j in 0), 100, 0)", 101},
		{"argmin", "s = int32(argmin(x[j] for j in 5)) * 10 + int32(argmax(x[j] for j in 5))", 12},
		{"argmin over a range", "s = int32(argmin(x[j] for j in 2:5)) * 10 + int32(argmax(x[j] for j in 3:5))", 34},
		{"argmin of nothing", "s = int32(argmin(x[j] for j in 0) * 10 + argmax(x[j] for j in 5:3))", -11},
		{"argmin with NaN", "s = int32(argmin(x[j] for j in 8) * 10 + argmax(x[j] for j in 8))", 55},
		{"argmin of zeros", "s = int32(argmin(x[j] for j in 6:8) * 10 + argmax(x[j] for j in 6:8))", 76},
		{"argmax of zeros", "s = int32(argmax(x[7-j] for j in 0:2) * 10 + argmin(x[7-j] for j in 0:2))", 10},
		{"argmax of the lowest", "s = int32(argmax(int8(-128) for j in 3) * 10 + argmin(uint8(255) for j in 3))", 0},
		{"a sum in order", "s = 5 + int32(sum(select(j == 1, float32(1), select(j == 0, float32(1e8), float32(-1e8))) for j in 3))", 5},
		{"a sum as a bound", "for range sum(j for j in 4) { s += 1 }", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := strings.NewReplacer("; ", "\n", "{ ", "{\n", " }", "\n}", ": s", ":\ns").Replace(c.body)
			src := fmt.Sprintf(`package p

func next(k int32) int32 { return k + 1 }

kernel K(o mut [1]int32, x [m]float32, a int) for i in 1 {
	s := int32(0)
	if next(s) < 0 || m > 99 { s = int32(i) }
%s
	o[0] = s
}
`, body)
			if got := results(t, module(t, src), floats(), interp.Scalar(7)); got != c.want {
				t.Errorf("%d, want %d\n%s", got, c.want, src)
			}
		})
	}
}

// TestManyCases compares a switch of many clauses, which do not nest, with what its number says.
func TestManyCases(t *testing.T) {
	var b strings.Builder
	b.WriteString("package p\n\nkernel K(o mut [1]int32, a int) for i in 1 {\n\ts := int32(i)\n\tswitch a {\n\tdefault:\n\t\ts = -1\n")
	for i := range 300 {
		fmt.Fprintf(&b, "\tcase %d:\n\t\ts = %d\n", i, i*7)
	}
	b.WriteString("\t}\n\to[0] = s\n}\n")
	for a, want := range map[uint64]int64{0: 0, 123: 861, 299: 2093, 300: -1} {
		m := module(t, b.String())
		if got := results(t, m, interp.Scalar(a)); got != want {
			t.Errorf("case %d gives %d, want %d", a, got, want)
		}
		if d := depth(m.Kernels[0].Body); d > 8 {
			t.Errorf("300 cases nest %d deep", d)
		}
	}
}

// depth is how deep blocks nest.
func depth(b *ir.Block) (d int) {
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			d = max(d, 1+depth(c))
		}
	}
	return d
}

// TestBlocks looks at the parts of a kernel of blocks.
func TestBlocks(t *testing.T) {
	m := module(t, `package p

kernel K(x [n]float32, y mut [n]float32) blocks c, b in 1:4, ceildiv(n, 32) threads u, t in 2, 16 {
	shared s [2, 16]float32
	shared last float32
	s[u, t] = x[b*32+u*16+t]
	if t == 0 {
		last = 1
	}
	barrier()
	y[b*32+u*16+t] = s[1-u, t] + last*float32(c)
}
`)
	k := m.Kernels[0]
	if len(k.Group) != 2 || k.Group[0].Name != "u" || k.Group[0].N != 2 || k.Group[1].N != 16 || !k.Group[1].Pos.IsValid() {
		t.Errorf("group %v", k.Group)
	}
	if len(k.Domain) != 2 || k.Domain[0].Lo.String() != "1" || k.Domain[1].Hi.String() != "ceildiv(n, 32)" {
		t.Errorf("domain %v", k.Domain)
	}
	for _, l := range k.Locals {
		if l.Shared != (l.Name == "s" || l.Name == "last") {
			t.Errorf("%s: shared is %v", l.Name, l.Shared)
		}
	}
	count := map[ir.Op]int{}
	k.Body.Walk(func(in *ir.Instr) {
		count[in.Op]++
		if in.Op == ir.OpThread && in.Name != k.Group[in.Dim].Name {
			t.Errorf("thread %d is named %s", in.Dim, in.Name)
		}
		if in.Op == ir.OpLocalSet && in.Local.Shared && in.Pos.Line != 8 {
			t.Errorf("line %d assigns %s, which is garbage until the body assigns it", in.Pos.Line, in.Local.Name)
		}
	})
	if count[ir.OpBarrier] != 1 || count[ir.OpThread] == 0 {
		t.Errorf("%d barriers, %d thread indexes", count[ir.OpBarrier], count[ir.OpThread])
	}
}

// TestSharedBound evaluates a bound that another thread may change in each iteration.
func TestSharedBound(t *testing.T) {
	m := module(t, `package p

kernel K(y mut [n]float32) blocks b in n threads t in 2 {
	shared stop int32
	for i := int32(0); i < stop; i++ {
		y[b] = float32(t)
	}
}
`)
	loops := 0
	m.Kernels[0].Body.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpRange {
			t.Errorf("a bound in shared memory counts as fixed:\n%s", ir.Print(m))
		}
		if in.Op == ir.OpLoop {
			loops++
		}
	})
	if loops != 1 {
		t.Errorf("%d loops", loops)
	}
}

// TestCounting says which loops become a Range: those whose index takes every step up to the end within its type.
func TestCounting(t *testing.T) {
	for _, c := range []struct {
		loop string
		want bool
	}{
		{"i := 0; i < n; i++", true},
		{"i := 0; i < n; i += 1", true},
		{"i := 0; i < n; i += 2", false},
		{"i := 0; i <= n; i++", false},
		{"i := 0; i < 10; i += 3", true},
		{"i := 0; i < 10; i += n", false},
		{"i := 0; i < 10; i -= 1", false},
		{"i := 0; i != 10; i++", false},
		{"i := int8(0); i < 127; i++", true},
		{"i := int8(0); i <= 126; i++", true},
		{"i := int8(0); i <= 127; i++", false},
		{"i := int8(0); i < 126; i += 2", true},
		{"i := int8(0); i < 127; i += 2", false},
		{"i := int8(0); i <= 125; i += 2", true},
		{"i := int8(0); i <= 126; i += 2", false},
		{"i := uint64(0); i < 1<<64-1; i++", true},
		{"i := uint64(0); i < 1<<64-2; i += 3", false},
		{"i := int8(-128); i < -120; i += 127", true},
	} {
		m := module(t, "package p\n\nkernel K(o mut [n]int32) for p in n {\n\tfor "+c.loop+" {\n\t\to[p] += int32(i)\n\t}\n}\n")
		got := false
		m.Kernels[0].Body.Walk(func(in *ir.Instr) { got = got || in.Op == ir.OpRange })
		if got != c.want {
			t.Errorf("%s: a Range is %v", c.loop, got)
		}
	}
}

// TestReferences: a function that takes a view is part of its caller: no call is left, and no Scope where its only return
// ends it; other functions stay calls.
func TestReferences(t *testing.T) {
	m := module(t, `package p

func last(x [n]float32) float32 { return x[len(x)-1] }

func first(x [n]float32, over float32) int {
	for j := range n {
		if x[j] > over {
			return j
		}
	}
	return -1
}

func half(x float32) float32 { return x / 2 }

kernel Plain(x [m]float32, y mut [m]float32) for i in m { y[i] = half(last(x)) }

kernel Early(x [m]float32, y mut [m]float32) for i in m { y[i] = float32(first(x, 2)) }
`)
	for i, want := range []map[ir.Op]int{{ir.OpCall: 1, ir.OpLoad: 1}, {ir.OpScope: 1, ir.OpBreak: 2, ir.OpLoad: 1}} {
		got := map[ir.Op]int{}
		m.Kernels[i].Body.Walk(func(in *ir.Instr) { got[in.Op]++ })
		for _, op := range []ir.Op{ir.OpCall, ir.OpScope, ir.OpBreak, ir.OpReturn, ir.OpLoad} {
			if got[op] != want[op] {
				t.Errorf("%s has %d %s, want %d", m.Kernels[i].Name, got[op], op, want[op])
			}
		}
	}
	if len(m.Funcs) != 1 || m.Funcs[0].Name != "half" {
		t.Errorf("functions %v", m.Funcs)
	}
}
