package pass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// run gives the buffers that k leaves for the arguments of a seed, NaNs made one, and what the interpreter found.
func run(t *testing.T, k *ir.Kernel, seed uint64) ([]uint64, *interp.Report) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	size := map[string]int64{}
	for _, s := range k.Symbols {
		size[s.Name] = []int64{0, 1, 2, 3, 5, 37}[r.IntN(6)]
	}
	if len(k.Symbols) == 1 {
		size[k.Symbols[0].Name] *= 30
	}
	var args []interp.Arg
	for _, p := range k.Params {
		if !p.IsView() {
			bits := ir.IntBits(types.Int, int64(r.IntN(20)-10))
			if p.Type == types.Float32 {
				bits = ir.FloatBits(types.Float32, r.Float64()*10)
			}
			args = append(args, interp.Scalar(bits))
			continue
		}
		var dims []int64
		for _, d := range p.Dims {
			dims = append(dims, size[d.Name])
		}
		b := interp.NewBuffer(p.Elem(), dims...)
		for i := range b.Len() {
			b.Set(i, randomBits(r, types.KindOf(p.Elem())))
		}
		args = append(args, interp.View(b))
	}
	rep, err := interp.Run(k, args, interp.Options{Races: true, Order: interp.Shuffled, Seed: seed})
	if err != nil {
		t.Fatalf("%s: %v\n%s", k.Entry, err, ir.PrintKernel(k))
	}
	var out []uint64
	for i, p := range k.Params {
		if !p.Mut {
			continue
		}
		b := args[i].Buffer
		for j := range b.Len() {
			v := b.At(j)
			if e := types.KindOf(p.Elem()); e.IsFloat() && math.IsNaN(ir.FloatOf(e, v)) {
				v = ir.FloatBits(e, math.NaN())
			}
			out = append(out, v)
		}
	}
	return out, rep
}

// randomBits is an element: small numbers, and now and then the ends of the kind.
func randomBits(r *rand.Rand, k types.Kind) uint64 {
	switch {
	case k == types.Bool:
		return uint64(r.IntN(2))
	case k.IsFloat():
		return ir.FloatBits(k, []float64{r.NormFloat64(), r.NormFloat64() * 1e6, 0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 1}[r.IntN(7)])
	case r.IntN(4) == 0:
		return ir.IntBits(k, []int64{int64(r.Uint64()), math.MinInt64 >> (64 - k.Bits()), -1}[r.IntN(3)])
	}
	return ir.IntBits(k, int64(r.IntN(9)-4))
}

// same compares what two kernels leave, and fails on a broken proof or a race in the second.
func same(t *testing.T, what string, want, got *ir.Kernel) {
	t.Helper()
	for seed := range uint64(3) {
		a, _ := run(t, want, seed)
		b, rep := run(t, got, seed)
		if rep.Has(interp.BrokenProof) || rep.Has(interp.Race) {
			t.Errorf("%s: %v", what, rep.Findings)
		}
		for i := range a {
			if a[i] != b[i] {
				t.Errorf("%s: args %d: element %d is %#x, want %#x", what, seed, i, b[i], a[i])
				break
			}
		}
		if t.Failed() {
			t.Fatalf("from\n%s\nto\n%s", ir.PrintKernel(want), ir.PrintKernel(got))
		}
	}
}

// seeds is how many random kernels the tests below look at.
func seeds() uint64 {
	if testing.Short() {
		return 24
	}
	return 80
}

// TestPassesKeepMeaning runs random kernels before and after every single pass of every target: fusing alone may change
// results, and it is compared with itself.
func TestPassesKeepMeaning(t *testing.T) {
	for seed := range seeds() {
		m := randomModule(seed)
		if err := ir.Verify(m); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(m))
		}
		for _, target := range []types.Target{types.CPU, types.CUDA} {
			before := m.Clone().Kernels[0]
			for _, s := range Stages(m, target) {
				if err := ir.Verify(s.Module); err != nil {
					t.Fatalf("seed %d: after %s: %v\n%s", seed, s.Name, err, ir.Print(s.Module))
				}
				for _, k := range s.Module.Kernels {
					if s.Name != "fuse" {
						same(t, fmt.Sprintf("seed %d: %s: %s", seed, target, s.Name), before, k)
					}
				}
				before = s.Module.Kernels[0]
			}
		}
	}
}

// TestOracleIsTheTarget compares the interpreter's copy with what is printed.
func TestOracleIsTheTarget(t *testing.T) {
	for seed := range seeds() / 4 {
		m := randomModule(seed + 10_000)
		o := Options{Verify: true}
		o.Common(m)
		for _, target := range []types.Target{types.CPU, types.CUDA, types.Metal} {
			want := o.Oracle(m, target).Kernels[0]
			for _, k := range o.For(m, target).Kernels {
				same(t, fmt.Sprintf("seed %d: %s", seed+10_000, target), want, k)
			}
		}
	}
}

// TestRandomTextRoundTrip reads back the text of random modules at every stage.
func TestRandomTextRoundTrip(t *testing.T) {
	for seed := range seeds() / 4 {
		for _, s := range Stages(randomModule(seed), types.CUDA) {
			text := ir.Print(s.Module)
			m, err := ir.Parse(text)
			if err != nil {
				t.Fatalf("seed %d: %s: %v\n%s", seed, s.Name, err, text)
			}
			if again := ir.Print(m); again != text {
				t.Fatalf("seed %d: %s: read back as\n%s\nfrom\n%s", seed, s.Name, again, text)
			}
			if err := ir.Verify(m); err != nil {
				t.Fatalf("seed %d: %s: %v", seed, s.Name, err)
			}
		}
	}
}

// TestDeepNesting takes a thousand nested branches and conditions through everything.
func TestDeepNesting(t *testing.T) {
	const depth = 1000
	for _, name := range []string{"branches", "conditions"} {
		m := randomModule(1)
		k := m.Kernels[0]
		m.Funcs, k.Locals, k.Body = nil, nil, &ir.Block{}
		b := ir.Builder{Block: k.Body}
		var ix []*ir.Instr
		for d := range k.Domain {
			ix = append(ix, b.Point(d))
		}
		in := b
		compare := func() *ir.Instr { return in.Bin(ir.OpLt, ix[0], in.Extent(k.Symbols[0])) }
		if name == "branches" {
			for range depth {
				in = in.In(in.If(compare()).Blocks[0])
			}
			in.Store(k.Params[3], in.Const(types.Int32, 7), ix...)
		} else {
			var outer []ir.Builder
			var conds []*ir.Instr
			for range depth {
				c := in.Cond(ir.OpCondAnd, compare())
				outer, conds = append(outer, in), append(conds, c)
				in = in.In(c.Blocks[0])
			}
			in.Yield(compare())
			for i := depth - 1; i > 0; i-- {
				outer[i].Yield(conds[i])
			}
			then := b.In(b.If(conds[0]).Blocks[0])
			then.Store(k.Params[3], then.Const(types.Int32, 7), ix...)
		}
		o := Options{Verify: true}
		before := m.Clone().Kernels[0]
		o.Common(m)
		for _, out := range o.For(m, types.CUDA).Kernels {
			same(t, name, before, out)
			if name == "conditions" {
				deepest := 0
				var measure func(b *ir.Block, depth int)
				measure = func(b *ir.Block, depth int) {
					deepest = max(deepest, depth)
					for _, in := range b.Instrs {
						for _, c := range in.Blocks {
							measure(c, depth+1)
						}
					}
				}
				measure(out.Body, 0)
				if deepest > 10 {
					t.Errorf("a chain of conditions nests %d deep", deepest)
				}
			}
		}
	}
}

// TestDeterministic runs the passes twice.
func TestDeterministic(t *testing.T) {
	for seed := range seeds() / 8 {
		for _, target := range []types.Target{types.CPU, types.CUDA} {
			text := func() string {
				m := randomModule(seed)
				Common(m)
				return ir.Print(For(m, target))
			}
			if a, b := text(), text(); a != b {
				t.Fatalf("seed %d: two runs differ:\n%s\n%s", seed, a, b)
			}
		}
	}
}
