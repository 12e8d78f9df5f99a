package pass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// reductionKernel reduces twice in a loop, over blocks of the given threads: the second time what the first gave, with the
// thread's own value.
func reductionKernel(k types.Kind, group []int64, rs ...ir.Reduction) *ir.Kernel {
	size := int64(1)
	out := &ir.Kernel{
		Name: "K", Instance: "K", Entry: "K", Targets: types.AllTargets, Body: &ir.Block{},
		Domain: []ir.Dim{{Name: "b", Lo: types.Const(0), Hi: types.Sym("n")}}, Symbols: []*ir.Symbol{{Name: "n"}},
	}
	for d, n := range group {
		out.Group = append(out.Group, ir.Thread{Name: fmt.Sprint("t", d), N: n})
		size *= n
	}
	mem := k
	if k == types.Int {
		mem = types.Int64
	}
	dims := []*types.Header{types.Sym("n"), types.Const(size)}
	x := &ir.Param{Index: 0, Name: "x", Type: &types.View{Rank: 2, Elem: mem}, Dims: dims}
	y := &ir.Param{Index: 1, Name: "y", Mut: true, Type: &types.View{Rank: 2, Elem: mem}, Dims: dims}
	out.Params = []*ir.Param{x, y}
	w := ir.Builder{Block: out.Body}
	b := w.Point(0)
	at := w.Thread(0)
	for d := 1; d < len(group); d++ {
		at = w.Bin(ir.OpAdd, w.Bin(ir.OpMul, at, w.Int(group[d])), w.Thread(d))
	}
	v := w.Load(x, b, at)
	if mem != k {
		v = w.Conv(k, v)
	}
	l := out.NewLocal(&ir.Local{Name: "v", Type: k})
	w.LocalSet(l, v)
	loop := w.Range("", w.Int(0), w.Int(2), w.Int(1))
	in := w.In(loop.Blocks[0])
	for _, r := range rs {
		got := in.Reduce(r, in.LocalGet(l))
		if k == types.Bool {
			got = in.Bin(ir.OpNe, got, in.Bin(ir.OpNe, in.LocalGet(l), v))
		} else {
			got = in.Bin(ir.OpSub, got, v)
		}
		in.LocalSet(l, got)
	}
	res := w.LocalGet(l)
	if mem != k {
		res = w.Conv(mem, res)
	}
	w.Store(y, res, b, at)
	return out
}

// reduced runs a kernel of reductionKernel on two blocks of random values and gives what it leaves, NaNs made one.
func reduced(t *testing.T, k *ir.Kernel, seed uint64) (out []uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	e := types.KindOf(k.Params[0].Elem())
	x, y := interp.NewBuffer(e, 2, k.GroupSize()), interp.NewBuffer(e, 2, k.GroupSize())
	for i := range x.Len() {
		x.Set(i, randomBits(r, e))
	}
	rep, err := interp.Run(k, []interp.Arg{interp.View(x), interp.View(y)}, interp.Options{Races: true, Order: interp.Shuffled, Seed: seed})
	if err != nil || len(rep.Findings) > 0 {
		t.Fatalf("%v %v\n%s", err, rep, ir.PrintKernel(k))
	}
	for i := range y.Len() {
		v := y.At(i)
		if e.IsFloat() && math.IsNaN(ir.FloatOf(e, v)) {
			v = ir.FloatBits(e, math.NaN())
		}
		out = append(out, v)
	}
	return out
}

// TestCollectKeepsMeaning compares reductions as the interpreter makes them with what the pass makes of them, bit by bit, for
// blocks that are and are not whole subgroups.
func TestCollectKeepsMeaning(t *testing.T) {
	numbers := []ir.Reduction{ir.ReduceSum, ir.ReduceProd, ir.ReduceMin, ir.ReduceMax, ir.ScanSum}
	reductions := map[types.Kind][]ir.Reduction{types.Bool: {ir.ReduceAny, ir.ReduceAll}}
	for _, k := range []types.Kind{types.Int8, types.Uint16, types.Int32, types.Uint64, types.Int, types.Float16, types.BFloat16, types.Float32, types.Float64} {
		reductions[k] = numbers
	}
	groups := [][]int64{{1}, {2}, {3}, {17}, {31}, {32}, {33}, {48}, {63}, {64}, {65}, {3, 32}, {100}, {7, 3, 5}, {256}, {500}, {992}, {1023}, {32, 32}}
	for k, rs := range reductions {
		for n, group := range groups {
			for i := range rs {
				if (int(k)+n+i)%4 != 0 { // each with some, and all of them in turn
					continue
				}
				pair := []ir.Reduction{rs[i], rs[(i+1)%len(rs)]}
				want := reductionKernel(k, group, pair...)
				if err := ir.VerifyKernel(want); err != nil {
					t.Fatal(err)
				}
				a := reduced(t, want, uint64(n))
				for _, p := range []*Pass{&collect, &collectShared} {
					got := want.Clone()
					p.Run(got)
					if err := ir.VerifyKernel(got); err != nil {
						t.Fatalf("%v\n%s", err, ir.PrintKernel(got))
					}
					if b := reduced(t, got, uint64(n)); !slices.Equal(a, b) {
						t.Fatalf("%s: %v over %v of %v gives %x, want %x, in\n%s", p.Name, pair, group, k, b, a, ir.PrintKernel(got))
					}
				}
			}
		}
	}
}

// TestScratchIsWhatTheCheckerCounts compares the shared memory that the pass takes, where it takes most, with what
// types.ReduceScratch says.
func TestScratchIsWhatTheCheckerCounts(t *testing.T) {
	for _, n := range []int64{1, 2, 31, 33, 64, 100, 1024} {
		for _, r := range []ir.Reduction{ir.ReduceSum, ir.ScanSum} {
			k := reductionKernel(types.Float32, []int64{n}, r)
			collectShared.Run(k)
			var got int64
			for _, l := range k.Locals {
				if l.Shared {
					got += l.Type.(*types.Array).Len()
				}
			}
			if want := types.ReduceScratch(n, r == ir.ScanSum); got != want {
				t.Errorf("%v over %d threads takes %d elements, want %d", r, n, got, want)
			}
		}
	}
}

// TestReductionsAddUp runs reductions of small numbers, which any order gives exactly.
func TestReductionsAddUp(t *testing.T) {
	for _, n := range []int64{1, 5, 32, 70, 256} {
		x := interp.NewBuffer(types.Float32, 1, n)
		sum := 0.0
		var scan []float64
		for i := range n {
			v := float64(i%7 - 2)
			sum += v
			scan = append(scan, sum)
			x.Set(i, ir.FloatBits(types.Float32, v))
		}
		for _, r := range []ir.Reduction{ir.ReduceSum, ir.ScanSum} {
			k := reductionKernel(types.Float32, []int64{n}, r)
			loop := k.Body.Instrs[slices.IndexFunc(k.Body.Instrs, func(in *ir.Instr) bool { return in.Op == ir.OpRange })]
			loop.Args[1].Bits = 1
			collect.Run(k)
			y := interp.NewBuffer(types.Float32, 1, n)
			if _, err := interp.Run(k, []interp.Arg{interp.View(x), interp.View(y)}, interp.Options{}); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				want := sum
				if r == ir.ScanSum {
					want = scan[i]
				}
				want -= ir.FloatOf(types.Float32, x.At(i))
				if got := ir.FloatOf(types.Float32, y.At(i)); got != want {
					t.Fatalf("%v of %d threads gives thread %d %v, want %v", r, n, i, got, want)
				}
			}
		}
	}
}

// TestScanStoresOnce: no step of a reduction or a scan stores under a condition that stands in another: PoCL 3.1 loses the
// stores in front of such a one, as docs/RATIONALE.md tells.
func TestScanStoresOnce(t *testing.T) {
	for _, group := range [][]int64{{2}, {8}, {32}, {33}, {64}, {8, 9}, {100}, {256}, {1024}} {
		for _, r := range []ir.Reduction{ir.ReduceSum, ir.ReduceProd, ir.ReduceMin, ir.ReduceMax, ir.ReduceAny, ir.ReduceAll, ir.ScanSum} {
			for _, p := range []Pass{collect, collectShared} {
				kind := types.Int32
				if r == ir.ReduceAny || r == ir.ReduceAll {
					kind = types.Bool
				}
				k := reductionKernel(kind, group, r)
				p.Run(k)
				var under func(b *ir.Block, conditions int)
				under = func(b *ir.Block, conditions int) {
					for _, in := range b.Instrs {
						if in.Op == ir.OpElemSet && conditions > 1 {
							t.Errorf("%s of %v, %s: a store under %d conditions\n%s", r, group, p.Name, conditions, ir.PrintKernel(k))
						}
						for _, inner := range in.Blocks {
							if in.Op == ir.OpIf {
								under(inner, conditions+1)
							} else {
								under(inner, conditions)
							}
						}
					}
				}
				under(k.Body, 0)
			}
		}
	}
}
