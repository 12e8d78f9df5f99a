package uniform_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/interp"
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
	uniform := []string{"a", "b", "n", "1", "int(x[b&7])", "int(x[a&7])", "v", "u", "arr[a&3]", "pick(a, b)"}
	divergent := []string{"t", "int(s[0])", "int(x[t&7])", "int(y[0])", "arr[t&3]", "pick(t, a)", "v + t"}
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

kernel K(x [n]int32, y mut [n]int32, a int) blocks b in 3 threads t in 4 {
	shared s [4]int32
	v, u := a, 2
	var arr [4]int
	s[t] = int32(t)
	barrier()
`)
	w.stmts()
	w.stmts()
	w.line("y[(b*4+t) %% n] = int32(v + u + arr[0])")
	return w.String() + "}\n"
}

// TestRandom runs random kernels that pass: no barrier of theirs may be reached by some threads alone.
func TestRandom(t *testing.T) {
	seeds := uint64(3000)
	if testing.Short() {
		seeds = 600
	}
	passed, refused, meant := 0, 0, 0
	for seed := range seeds {
		src := source(seed)
		m := module(t, "k.gpu", []byte(src))
		list := uniform.Check(m)
		diverged := false
		for a := range int64(3) {
			x := interp.NewBuffer(types.Int32, 16)
			y := interp.NewBuffer(types.Int32, 16)
			for i := range x.Len() {
				x.Set(i, uint64(i)*(seed|1)>>3&3)
			}
			rep, err := interp.Run(m.Kernels[0], []interp.Arg{interp.View(x), interp.View(y), interp.Scalar(uint64(a))}, interp.Options{Order: interp.Shuffled, Seed: seed, MaxSteps: 1e6})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, src)
			}
			diverged = diverged || rep.Has(interp.Divergent)
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
			passed++
		}
	}
	t.Logf("%d pass; of %d refused ones %d diverge with these arguments", passed, refused, meant)
	if passed < int(seeds/20) || meant < int(seeds/20) {
		t.Errorf("%d pass and %d diverge: too few to say anything", passed, meant)
	}
}
