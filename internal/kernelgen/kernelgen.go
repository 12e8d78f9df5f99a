package kernelgen

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
)

// Options choose the family of a kernel.
type Options struct {
	Float64 bool // uses float64, which Metal lacks
	Blocks  bool // has blocks of threads, shared memory and barriers
	Rows    bool // has a block on each point, `by block`
}

// Kernel is a random kernel.
type Kernel struct {
	Seed   uint64
	Name   string
	Source string   // the kernel and the functions it calls, without a package clause
	Runs   []string // lines of a `run` section, each with the outcome `oracle`
}

// New makes the kernel of a seed.
func New(seed uint64, o Options) *Kernel {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x6b65726e656c67)), seed: seed, float64s: o.Float64, out: &strings.Builder{}, taken: map[string]bool{}}
	g.prints = newPrinted(seed)
	k := g.kernel(o)
	if g.prints != nil {
		for i := range k.Runs {
			k.Runs[i] += " prints"
		}
	}
	return k
}

// File is a source file of the given kernels, which must have different seeds.
func File(pkg string, kernels ...*Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", pkg)
	for _, k := range kernels {
		b.WriteString("\n" + k.Source)
	}
	return b.String()
}

// Archive is a golden archive of one source file, without its output sections.
func Archive(comment, file, source string, runs []string) []byte {
	return fmt.Appendf(nil, "%s\n-- %s --\n%s-- run --\n%s\n", comment, file, source, strings.Join(runs, "\n"))
}

// generator is a kernel in the making.
type generator struct {
	r        *rand.Rand
	seed     uint64
	float64s bool

	out    *strings.Builder
	indent int

	palette    []*kind          // of this kernel, numbers
	composites []*kind          // vectors and structs
	vectors    map[string]*kind // by name
	tables     []*variable      // constant arrays
	funcs      []*function
	viewFuncs  []*function     // that take views by reference
	prints     *printed        // nil: nothing
	taken      map[string]bool // names that locals must leave alone

	// Of the declaration in work.
	scopes   []*scope
	views    []*view
	points   []point
	requires []requirement
	anchor   string // a number that is no constant
	results  []shape
	inFunc   bool
	budget   int  // statements
	loops    int  // loops round this place
	indexes  int  // indexes round the expression in work: few, or expressions had no end
	comps    int  // comprehensions round it
	exits    int  // what may leave the innermost loop: 0 nothing, 1 `continue`, 2 `break` as well
	cases    bool // a switch is nearer than that loop
	labels   []*label
	named    map[string]bool // labels of the body
	apart    *apart
	stays    bool            // no return
	base     int             // scopes round the statements in work that count for nothing
	even     bool            // only what is the same for all threads of a block
	crew     *crew           // of a kernel with blocks of threads
	rows     *rows           // of a kernel with a block on each point
	noise    bool            // there are random numbers already
	binders  map[string]bool // extents that a view was made for
	generic  *kind           // the type parameter T, or nil
	count    *dim            // the constant parameter N, or nil
}

// kind is a type that elements have: a basic one, a type parameter, which stands for each of its set, a vector or a struct.
type kind struct {
	name string
	set  []types.Kind
	comp *composite // nil of scalars
}

func (k *kind) all(is func(types.Kind) bool) bool {
	if k.comp != nil {
		return false
	}
	for _, t := range k.set {
		if !is(t) {
			return false
		}
	}
	return true
}

func (k *kind) isInt() bool      { return k.all(types.Kind.IsInteger) }
func (k *kind) isFloat() bool    { return k.all(types.Kind.IsFloat) }
func (k *kind) isBool() bool     { return k == boolKind }
func (k *kind) isSigned() bool   { return k.isInt() && k.all(types.Kind.IsSigned) }
func (k *kind) isUnsigned() bool { return k.all(types.Kind.IsUnsigned) }
func (k *kind) single() bool     { return len(k.set) == 1 }
func (k *kind) is(t types.Kind) bool {
	return k.single() && k.set[0] == t
}

// basics holds the one kind of each basic type.
var basics = func() map[types.Kind]*kind {
	m := map[types.Kind]*kind{}
	for name, t := range types.Basics() {
		m[t] = &kind{name: name, set: []types.Kind{t}}
	}
	return m
}()

func basic(t types.Kind) *kind { return basics[t] }

var (
	boolKind  = basic(types.Bool)
	intKind   = basic(types.Int)
	int32Kind = basic(types.Int32)
	kinds     = []*kind{
		int32Kind, basic(types.Uint32), basic(types.Float32), basic(types.Int64), basic(types.Uint64), basic(types.Int8), basic(types.Uint8), basic(types.Int16), basic(types.Uint16), basic(types.Float16), basic(types.BFloat16),
	}
	float64Kind = basic(types.Float64)
)

// one is true once in n times.
func (g *generator) one(n int) bool { return g.r.IntN(n) == 0 }

func pick[T any](g *generator, list []T) T { return list[g.r.IntN(len(list))] }

func (g *generator) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("\t", g.indent))
	fmt.Fprintf(g.out, format, args...)
	g.out.WriteByte('\n')
}

// number is a kind of the palette, now and then the type parameter or int.
func (g *generator) number() *kind {
	if g.generic != nil && g.one(3) {
		return g.generic
	}
	if g.one(6) {
		return intKind
	}
	return pick(g, g.palette)
}

// scalar is a number's kind or bool.
func (g *generator) scalar() *kind {
	if g.one(6) {
		return boolKind
	}
	return g.number()
}

// integer is an integer kind.
func (g *generator) integer() *kind {
	for range 4 {
		if k := g.number(); k.isInt() {
			return k
		}
	}
	return pick(g, []*kind{intKind, int32Kind})
}

func (g *generator) choosePalette() {
	for len(g.palette) < 3 {
		g.palette = append(g.palette, pick(g, kinds))
	}
	if g.one(2) {
		g.palette = append(g.palette, kinds[2]) // float32 is worth a second chance
	}
	if g.float64s {
		g.palette[0] = float64Kind
	}
}
