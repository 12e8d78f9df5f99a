package pass_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// rowWriter makes random `by block` kernels: loops over the elements of a row and comprehensions among the statements of
// one thread, in control flow of every sort. Iterations of a loop store at indexes of their own alone, and load what the
// loop stores at the same place alone, so that there is no race; everything else is loaded from anywhere.
type rowWriter struct {
	*rand.Rand
	strings.Builder
	depth  int
	loops  int    // sequential ones around, which a break leaves
	stored string // in a spread loop: the memory that it stores to
	index  string // and the element of this iteration
	inner  string // in a spread loop: its index
	adds   bool   // in a spread loop: it adds to h atomically, so that nothing else of it may touch h
	next   int
	budget int
}

// rows are the memories that hold a row: views and a shared array.
var rows = []string{"y[r, %s]", "z[r, %s]", "s[%s]"}

func (w *rowWriter) pick(list ...string) string { return list[w.IntN(len(list))] }

func (w *rowWriter) line(format string, args ...any) {
	w.WriteString(strings.Repeat("\t", w.depth+1))
	fmt.Fprintf(w, format+"\n", args...)
}

func (w *rowWriter) block(f func()) {
	w.depth++
	f()
	w.depth--
}

// at is an index into a row; n is at least 1.
func (w *rowWriter) at() string {
	list := []string{"0", "n-1", "n/2", "int(v&15)%n", "int(c[r]&7)%n"}
	if w.inner != "" {
		list = append(list, w.inner, w.inner, "n-1-"+w.inner, "("+w.inner+"+1)%n", "max("+w.inner+"-1, 0)")
	}
	return w.pick(list...)
}

// row is an element of a row that may be loaded here.
func (w *rowWriter) row() string {
	if !w.adds && w.IntN(8) == 0 {
		return "h[r, " + w.pick("0", "3", "int(v&7)") + "]"
	}
	m := w.pick("x[r, %s]", rows[0], rows[1], rows[2])
	if m == w.stored {
		return fmt.Sprintf(m, w.index)
	}
	return fmt.Sprintf(m, w.at())
}

// value is an int32 expression.
func (w *rowWriter) value(depth int) string {
	if w.budget--; depth > 2 || w.budget < 0 {
		return w.pick("v", "u", "int32(1)", "int32(-7)", "int32(r)", "c[r]", "once", w.row())
	}
	switch w.IntN(11) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", w.value(depth+1), w.pick("+", "-", "*", "^", "&"), w.value(depth+1))
	case 2:
		return "list[(" + w.at() + ")%4]"
	case 3:
		return fmt.Sprintf("select(%s, %s, %s)", w.condition(depth+1), w.value(depth+1), w.value(depth+1))
	case 4:
		return fmt.Sprintf("deep(%s, n)", w.value(depth+1))
	case 5, 6, 7:
		return w.comprehension(depth)
	}
	return w.row()
}

// comprehension is one over a row, part of one, or two indexes.
func (w *rowWriter) comprehension(depth int) string {
	j := fmt.Sprintf("j%d", w.next)
	w.next++
	outer := w.inner
	w.inner = j
	over := w.pick("%[1]s in n", "%[1]s in n", "%[1]s in 1:n", "%[1]s in r:n", "%[1]s in n/2", "%[1]s in 0", "%[1]s in -3:n-3", "%[1]s, k%[1]s in n, 3", "k%[1]s, %[1]s in 2, n")
	if strings.Contains(over, "-3") {
		w.inner = "(" + j + "+3)"
	}
	what := w.value(depth + 1)
	element := fmt.Sprintf(over, j)
	w.inner = outer
	name := w.pick("sum", "prod", "min", "max", "any", "argmin", "argmax", "float", "all")
	if strings.Contains(over, ",") && strings.HasPrefix(name, "arg") {
		name = "sum"
	}
	switch name {
	case "any", "all":
		return fmt.Sprintf("select(%s(%s > %d for %s), int32(1), 0)", name, what, w.IntN(9)-4, element)
	case "argmin", "argmax":
		return fmt.Sprintf("int32(%s(%s for %s))", name, w.pick(what, "float32("+what+")", "int8("+what+")"), element)
	case "float": // exact in any order
		return fmt.Sprintf("int32(sum(float32(%s & 255) for %s))", what, element)
	}
	return fmt.Sprintf("%s(%s for %s)", name, what, element)
}

func (w *rowWriter) condition(depth int) string {
	c := fmt.Sprintf("%s %s %s", w.value(depth), w.pick("<", ">", "==", "!="), w.pick("0", "1", "3", w.value(depth)))
	switch w.IntN(8) {
	case 0:
		return "(" + c + " && " + w.condition(depth+1) + ")"
	case 1:
		return "(" + c + " || " + w.condition(depth+1) + ")"
	}
	return c
}

func (w *rowWriter) stmts() {
	for range 1 + w.IntN(3) {
		if w.budget--; w.budget < 0 {
			return
		}
		w.stmt()
	}
}

func (w *rowWriter) stmt() {
	switch n := w.IntN(18); {
	case n == 16:
		at := w.pick("h[r, int(u&7)]", "h[r, 3]", "once", "s["+w.at()+"]")
		w.line("%s %s %s", w.pick("v", "u", "list[1]"), w.pick("=", "+="), w.pick(
			fmt.Sprintf("atomic.%s(&%s, %s)", w.pick("Add", "Max", "Exchange", "Xor"), at, w.value(1)),
			fmt.Sprintf("atomic.Load(&%s)", at), fmt.Sprintf("atomic.CompareExchange(&%s, 3, %s)", at, w.value(1))))
	case n == 17:
		w.line("atomic.%s(&%s, %s)", w.pick("Add", "Min", "Store"), w.pick("h[r, int(v&7)]", "once"), w.value(1))
	case n < 3:
		w.line("%s %s %s", w.pick("v", "u", "once", "c[r]", "list[("+w.at()+")%4]"), w.pick("=", "+=", "^="), w.value(0))
	case n < 5:
		w.line("%s = %s", fmt.Sprintf(w.pick(rows...), w.at()), w.value(0))
	case n < 10:
		w.spread()
	case n < 12 && w.depth < 4:
		w.line("if %s {", w.condition(0))
		w.block(w.stmts)
		if w.IntN(2) == 0 {
			w.line("} else {")
			w.block(w.stmts)
		}
		w.line("}")
	case n < 14 && w.depth < 3:
		k := fmt.Sprintf("k%d", w.next)
		w.next++
		w.line("for %s := 0; %s < 3 && %s; %s++ {", k, k, w.condition(1), k)
		w.loops++
		w.block(w.stmts)
		w.loops--
		w.line("}")
	case n == 14 && w.depth < 3:
		w.line("switch %s & 3 {", w.value(1))
		for i := range 2 {
			w.line("case %d:", i)
			w.block(w.stmts)
			if w.IntN(3) == 0 {
				w.line("\tfallthrough")
			}
		}
		w.line("default:")
		w.block(w.stmts)
		w.line("}")
	case w.loops > 0:
		w.line("if %s {", w.condition(1))
		w.line("\t%s", w.pick("break", "continue", "return"))
		w.line("}")
	}
}

// spread writes a loop over a row or, for the view of three dims, over two indexes.
func (w *rowWriter) spread() {
	j := fmt.Sprintf("j%d", w.next)
	w.next++
	w.inner = j
	if w.IntN(5) == 0 {
		w.stored, w.index = "", ""
		k := "k" + j
		w.line("for %s, %s in %s, 3 {", j, k, w.pick("n", "1:n", "r:n"))
		w.line("\tq[r, %s, %s] += %s * int32(%s)", j, k, w.value(1), k)
		w.line("}")
		w.inner = ""
		return
	}
	w.stored, w.index = w.pick(rows...), w.pick(j, j, "n-1-"+j)
	w.adds = w.IntN(4) == 0
	w.line("for %s in %s {", j, w.pick("n", "n", "1:n", "r:n", "n/2", "min(n, 5)"))
	if w.IntN(3) == 0 {
		w.line("\tif %s {", w.condition(1))
		w.line("\t\tcontinue")
		w.line("\t}")
	}
	if w.IntN(3) == 0 {
		w.line("\to%s := %s", j, w.value(1))
		w.line("\tfor range %d {", 1+w.IntN(3))
		w.line("\t\to%s += %s", j, w.value(1))
		w.line("\t}")
		w.line("\t"+w.stored+" = o%s", w.index, j)
	}
	w.line("\t"+w.stored+" %s %s", w.index, w.pick("=", "+="), w.value(0))
	if w.adds {
		w.line("\tatomic.%s(&h[r, int(%s&7)], %s)", w.pick("Add", "Xor", "Max"), w.value(1), w.value(1))
	}
	w.line("}")
	w.stored, w.index, w.inner, w.adds = "", "", "", false
}

// rowSource is a random kernel; alike says that z and y may be one memory.
func rowSource(seed uint64, alike bool) string {
	w := &rowWriter{Rand: rand.New(rand.NewPCG(seed, 11)), budget: 60}
	w.WriteString(`package p

func deep(a int32, n int) int32 {
	if a > 40 {
		return sum(a^int32(i) for i in n)
	}
	for i := range 3 {
		if int32(i) == a {
			return 5
		}
	}
	return max(int32(i)&a for i in 9)
}

`)
	if alike {
		w.WriteString("@inplace(y, z)\n")
	}
	fmt.Fprintf(w, "@block(%d)\n", []int{1, 2, 5, 8, 32, 33, 64, 96}[w.IntN(8)])
	w.WriteString(`kernel K(x [rows, n]int32, y, z mut [rows, n]int32, q mut [rows, n, 3]int32, c mut [rows]int32, h mut [rows, 8]int32, u0 int32) for r in rows by block {
	shared s [41]int32
	shared once int32
	v, u := u0, int32(2)
	var list [4]int32
	list[1] = 3
	once = 7
	for j in 41 {
		s[j] = int32(j) * 5
	}
`)
	w.stmts()
	w.stmts()
	w.stmts()
	w.line("c[r] += v + u + once + list[0]")
	return w.String() + "}\n"
}

// rowModule compiles a source up to the passes.
func rowModule(t *testing.T, src string) *ir.Module {
	t.Helper()
	f, list := dsl.Parse("k.gpu", []byte(src))
	p, more := check.Package([]*dsl.File{f}, check.Config{})
	list.Add(more...)
	if list.HasErrors() {
		t.Fatalf("%v\n%s", list, src)
	}
	m := lower.Program(p)[0]
	pass.Options{Verify: true}.Common(m)
	return m
}

// runRows gives what a kernel leaves in memory, and what the interpreter found.
func runRows(t *testing.T, k *ir.Kernel, n int64, order interp.Order, seed uint64, alike bool, src string) ([]uint64, []interp.Finding) {
	t.Helper()
	const rows = 2
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	var views []*interp.Buffer
	for _, dims := range [][]int64{{rows, n}, {rows, n}, {rows, n}, {rows, n, 3}, {rows}, {rows, 8}} {
		b := interp.NewBuffer(types.Int32, dims...)
		for i := range b.Len() {
			b.Set(i, uint64(int64(r.IntN(20)-8)))
		}
		views = append(views, b)
	}
	if alike {
		views[2] = views[1]
	}
	var args []interp.Arg
	for _, b := range views {
		args = append(args, interp.View(b))
	}
	args = append(args, interp.Scalar(seed&3))
	rep, err := interp.Run(k, args, interp.Options{Order: order, Seed: seed, MaxSteps: 1e8, Races: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	var out []uint64
	for _, b := range views[1:] {
		for i := range b.Len() {
			out = append(out, b.At(i))
		}
	}
	return out, rep.Findings
}

// TestSpreadKeepsMeaning compares random `by block` kernels, as one thread runs them, with what a device runs, in several
// orders of the threads: the memory is the same, and no two threads meet at an element without a barrier.
func TestSpreadKeepsMeaning(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 60
	}
	ran := 0
	for seed := range seeds {
		alike := seed%4 == 3
		src := rowSource(seed, alike)
		m := rowModule(t, src)
		n := []int64{1, 7, 41}[seed%3]
		want, found := runRows(t, m.Kernels[0], n, interp.Forward, seed, alike, src)
		if alike && len(found) > 0 {
			continue // as one memory the two views make a race
		}
		if len(found) > 0 {
			t.Fatalf("seed %d: %v\n%s", seed, found, src)
		}
		ran++
		o := pass.Options{Verify: true}
		for i, k := range slices.Concat(o.Oracle(m, types.CUDA).Kernels, o.For(m, types.CUDA).Kernels) {
			order := interp.Shuffled
			if i == 1 {
				order = interp.Reverse
			}
			got, found := runRows(t, k, n, order, seed, alike, src)
			if len(found) > 0 || !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s gives %v, want %v, %v\n%s\n%s", seed, k.Entry, got, want, found, src, ir.PrintKernel(k))
			}
		}
	}
	if ran < int(seeds/2) {
		t.Errorf("%d of %d kernels ran", ran, seeds)
	}
}
