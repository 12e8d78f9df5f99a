package uniform_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/pass"
	"github.com/gpugen/gpugen/ir/uniform"
)

// writer makes random kernels of blocks whose control flow is all that matters: conditions and bounds of every sort, exits
// of every sort, barriers anywhere.
type writer struct {
	*rand.Rand
	strings.Builder
	depth  int
	labels []string // of the loops around, the innermost last; "" for a switch, which only a plain break leaves
	used   map[string]bool
	next   int
	budget int
}

func (w *writer) line(format string, args ...any) {
	w.WriteString(strings.Repeat("\t", w.depth+1))
	fmt.Fprintf(w, format+"\n", args...)
}

// value is an int expression; about half of them are uniform.
func (w *writer) value() string {
	uniform := []string{"a", "b", "c", "n", "1", "int(x[b&7])", "int(x[a&7])", "v", "u", "arr[a&3]", "pick(a, b)"}
	divergent := []string{"t", "int(s[0, 1])", "int(x[t&7])", "int(z[a&7])", "r", "arr[t&3]", "pick(t, a)", "v + t"}
	if w.IntN(4) > 0 {
		return uniform[w.IntN(len(uniform))]
	}
	return divergent[w.IntN(len(divergent))]
}

func (w *writer) condition() string {
	c := fmt.Sprintf("%s %s %s", w.value(), []string{"<", ">", "==", "!="}[w.IntN(4)], []string{"0", "1", "2", "3", w.value()}[w.IntN(5)])
	switch w.IntN(8) {
	case 0:
		return c + " && " + w.condition()
	case 1:
		return c + " || meet(" + w.condition() + ")"
	}
	return c
}

func (w *writer) block(f func()) {
	w.depth++
	f()
	w.depth--
}

func (w *writer) stmts() {
	for range 1 + w.IntN(4) {
		if w.budget--; w.budget < 0 || !w.stmt() {
			return
		}
	}
}

// stmt writes a statement and reports whether control may pass it.
func (w *writer) stmt() bool {
	switch n := w.IntN(14); {
	case n < 4:
		w.line("barrier()")
	case n < 6:
		w.line("%s = (%s) & 3", []string{"v", "u", "arr[1]", "arr[u&3]"}[w.IntN(4)], w.value())
	case n < 9 && w.depth < 5:
		w.line("if %s {", w.condition())
		w.block(w.stmts)
		if w.IntN(2) == 0 {
			w.line("} else {")
			w.block(w.stmts)
		}
		w.line("}")
	case n < 11 && w.depth < 5:
		w.loop()
	case n == 11 && w.depth < 5:
		w.line("switch (%s) & 3 {", w.value())
		w.labels = append(w.labels, "")
		for i := range 2 {
			w.line("case %d:", i)
			w.block(w.stmts)
			if w.IntN(3) == 0 {
				w.line("\tfallthrough")
			}
		}
		w.line("default:")
		w.block(w.stmts)
		w.labels = w.labels[:len(w.labels)-1]
		w.line("}")
	default:
		w.exit()
	}
	return true
}

// loop writes a loop of few iterations, with a label if something in it needs one.
func (w *writer) loop() {
	label := fmt.Sprintf("l%d", w.next)
	w.next++
	outer := w.Builder
	w.Builder = strings.Builder{}
	w.labels = append(w.labels, label)
	if w.IntN(2) == 0 {
		w.line("for range (%s) & 3 {", w.value())
		w.block(w.stmts)
		w.line("}")
	} else {
		w.line("for k := 0; k < 3 && (%s); k++ {", w.condition())
		w.block(w.stmts)
		w.line("}")
	}
	w.labels = w.labels[:len(w.labels)-1]
	inner := w.String()
	w.Builder = strings.Builder{}
	w.WriteString(outer.String())
	if w.used[label] {
		w.line("%s:", label)
	}
	w.WriteString(inner)
}

// exit writes a guarded return, break or continue.
func (w *writer) exit() {
	var ways []string
	if w.IntN(3) == 0 {
		ways = append(ways, "return")
	}
	for i, l := range w.labels {
		if l == "" {
			if i == len(w.labels)-1 {
				ways = append(ways, "break")
			}
			continue
		}
		ways = append(ways, "break "+l, "continue "+l)
	}
	if len(ways) == 0 {
		return
	}
	way := ways[w.IntN(len(ways))]
	if _, label, ok := strings.Cut(way, " "); ok {
		w.used[label] = true
	}
	w.line("if %s {", w.condition())
	w.line("\t%s", way)
	w.line("}")
}

// source is a random kernel.
func source(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 5)), used: map[string]bool{}, budget: 24}
	w.WriteString(`package p

func pick(i, j int) int {
	if i > 2 {
		return j
	}
	for k := range j & 3 {
		if k == i {
			return k
		}
	}
	return 1
}

func meet(on bool) bool {
	if on {
		return true
	}
	barrier()
	return false
}

kernel K(x [n]int32, y, z mut [n]int32, a int) blocks c, b in 2, 3 threads r, t in 2, 4 {
	shared s [2, 4]int32
	v, u := a, 2
	var arr [4]int
	s[r, t] = int32(t)
	barrier()
`)
	w.stmts()
	w.stmts()
	w.line("y[((c*3+b)*2+r)*4+t] = int32(v + u + arr[0])")
	return w.String() + "}\n"
}

// run gives what a kernel leaves in y, and what the interpreter found.
func run(t *testing.T, k *ir.Kernel, seed, a uint64, src string) ([]uint64, *interp.Report) {
	t.Helper()
	x, y, z := interp.NewBuffer(types.Int32, 48), interp.NewBuffer(types.Int32, 48), interp.NewBuffer(types.Int32, 48)
	for i := range x.Len() {
		x.Set(i, uint64(i)*(seed|1)>>3&3)
		z.Set(i, uint64(i)*(seed|1)>>4&3)
	}
	args := []interp.Arg{interp.View(x), interp.View(y), interp.View(z), interp.Scalar(a)}
	rep, err := interp.Run(k, args, interp.Options{Order: interp.Shuffled, Seed: seed, MaxSteps: 1e6, Races: true})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, src)
	}
	var out []uint64
	for i := range y.Len() {
		out = append(out, y.At(i))
	}
	return out, rep
}

// passed is the kernel of m as the CPU and CUDA targets print it.
func passed(m *ir.Module) []*ir.Kernel {
	m = m.Clone()
	o := pass.Options{Verify: true}
	o.Common(m)
	return append(o.For(m, types.CPU).Kernels, o.For(m, types.CUDA).Kernels...)
}

// TestRandom runs random kernels that pass: no barrier of theirs may be reached by some threads alone, and the passes of
// the targets change nothing.
func TestRandom(t *testing.T) {
	seeds := uint64(1500)
	if testing.Short() {
		seeds = 300
	}
	accepted, refused, meant := 0, 0, 0
	for seed := range seeds {
		src := source(seed)
		m := module(t, "k.gpu", []byte(src))
		list := uniform.Check(m)
		diverged := false
		for a := range uint64(3) {
			want, rep := run(t, m.Kernels[0], seed, a, src)
			diverged = diverged || rep.Has(interp.Divergent)
			if len(list) > 0 {
				continue
			}
			for _, k := range passed(m) {
				got, rep := run(t, k, seed, a, src)
				if !slices.Equal(got, want) || len(rep.Findings) > 0 {
					t.Fatalf("seed %d: %s gives %v, want %v, %v\n%s\n%s", seed, k.Entry, got, want, rep.Findings, src, ir.PrintKernel(k))
				}
			}
		}
		switch {
		case len(list) > 0:
			refused++
			if diverged {
				meant++
			}
		case diverged:
			t.Fatalf("seed %d passes, and threads diverge:\n%s", seed, src)
		default:
			accepted++
		}
	}
	t.Logf("%d pass; of %d refused ones %d diverge with these arguments", accepted, refused, meant)
	if accepted < int(seeds/20) || meant < int(seeds/20) {
		t.Errorf("%d pass and %d diverge: too few to say anything", accepted, meant)
	}
}
