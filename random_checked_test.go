package gpugen_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/kernelgen"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/lower"
	"github.com/gpugen/gpugen/ir/pass"
)

// TestRandomChecked moves indexes of random kernels out of place, takes bits from divisors, moves shift counts and turns
// assertions round, and compares what the interpreter finds in them with what their checked builds report: the same memory is
// left, since both go on with the language's values, the first failure of each point or thread is the same, and nothing is
// reported that is not there. Every access is tested by the build itself: behind the passes the interpreter finds none that is out
// of range.
func TestRandomChecked(t *testing.T) {
	sum := &checkedSum{firsts: map[interp.FindingKind]int{}}
	for i := range uint64(*randomN) {
		seed := *randomFrom + i
		if err := sum.compare(seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Logf("%d runs; first failures of points and threads: %v; %d loops were made twice", sum.compared, sum.firsts, sum.hoisted)
	if sum.compared < *randomN || sum.hoisted == 0 {
		t.Errorf("%d runs, %d loops were made twice", sum.compared, sum.hoisted)
	}
	for _, kind := range []interp.FindingKind{interp.Bounds, interp.ZeroDivisor, interp.NegativeShift, interp.Assertion} {
		if sum.firsts[kind] < *randomN/20 {
			t.Errorf("%d points and threads fail first by %s", sum.firsts[kind], kind)
		}
	}
}

// checkedSum counts what TestRandomChecked has compared.
type checkedSum struct {
	compared, hoisted int
	firsts            map[interp.FindingKind]int
}

func (sum *checkedSum) compare(seed uint64) error {
	k := randomKernel(seed)
	source := kernelgen.File("random", k)
	f, errs := dsl.Parse("random.gpu", []byte(source))
	program, list := check.Package([]*dsl.File{f}, check.Config{})
	errs.Add(list...)
	if errs.HasErrors() {
		return errs
	}
	plain := lower.Program(program)[0]
	r := rand.New(rand.NewPCG(seed, 1))
	for _, k := range plain.Kernels {
		displace(r, k.Body, func(w ir.Builder) *ir.Instr {
			if len(k.Group) > 0 {
				return w.Thread(0)
			}
			return w.Point(0)
		})
	}
	for _, f := range plain.Funcs {
		displace(r, f.Body, nil)
	}
	checked := plain.Clone()
	pass.Options{Verify: true}.Checked(checked)
	oracle := pass.Oracle(checked, types.CPU)
	before, after := 0, 0
	for i := range plain.Kernels {
		before += ranges(plain.Kernels[i].Body)
		after += ranges(checked.Kernels[i].Body)
	}
	lines, err := linesOf(k.Runs, plain)
	if err != nil {
		return err
	}
	for _, l := range lines {
		for i, k := range oracle.Kernels {
			if !l.Matches(abi.Of(k)) {
				continue
			}
			run := func(k *ir.Kernel, told bool) (*interp.Report, []*interp.Buffer, error) {
				call, err := l.Bind(abi.Of(k))
				if err != nil {
					return nil, nil, err
				}
				report, err := interp.Run(k, call.Args, interp.Options{MaxSteps: 1 << 20, Firsts: true, Told: told})
				var left []*interp.Buffer
				for _, a := range call.Args {
					if a.Buffer != nil {
						left = append(left, a.Buffer)
					}
				}
				return report, left, err
			}
			want, wantMem, err := run(plain.Kernels[i], false)
			if err != nil {
				continue // refused by its header, or without end once an index has moved
			}
			got, gotMem, err := run(k, true)
			if err == nil {
				err = sameReports(want, got)
			}
			for i := range wantMem {
				if err == nil {
					err = golden.Compare(gotMem[i], wantMem[i], 0)
				}
			}
			if err != nil {
				return fmt.Errorf("%s: %w\n%s\n%s", l.Text, err, ir.PrintPos(plain), ir.Print(checked))
			}
			sum.compared++
			for _, f := range want.Firsts {
				sum.firsts[f.Kind]++
			}
		}
	}
	sum.hoisted += max(after-before, 0)
	return nil
}

// sameReports compares what each point or thread of a kernel does wrong first with what its checked build reports first.
func sameReports(want, got *interp.Report) error {
	there := map[failure]bool{}
	place := func(f interp.Finding) failure {
		f.Name, f.Dim = "", 0 // several indexes of one access may be wrong
		return failureOf(f)
	}
	for _, f := range want.Findings {
		there[place(f)] = true
	}
	for _, f := range got.Findings {
		if !there[place(f)] {
			return fmt.Errorf("the checked build reports %v, which is not among %v", f, want.Findings)
		}
	}
	first := map[int64]interp.Finding{}
	for _, f := range want.Firsts {
		first[f.Point] = f
	}
	for _, f := range got.Firsts {
		w, ok := first[f.Point]
		if !ok || failureOf(w) != failureOf(f) || w.Index != f.Index || w.Extent != f.Extent || w.By != f.By {
			return fmt.Errorf("the first failure is %v, reported is %v", w, f)
		}
		delete(first, f.Point)
	}
	for _, f := range first {
		return fmt.Errorf("%v is not reported", f)
	}
	return nil
}

// failure is what a test is about, and where.
type failure struct {
	kind interp.FindingKind
	pos  diag.Pos
	name string
	dim  int
}

func failureOf(f interp.Finding) failure {
	f.Pos.Offset = 0
	return failure{f.Kind, f.Pos, f.Name, f.Dim}
}

// displace adds something to some of the indexes and shift counts in b, takes bits from some divisors, and lets some
// assertions fail. point is a number that differs from thread to thread, or nil.
func displace(r *rand.Rand, b *ir.Block, point func(ir.Builder) *ir.Instr) {
	var out []*ir.Instr
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			displace(r, c, point)
		}
		w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
		switch in.Op {
		case ir.OpDiv, ir.OpRem:
			if x := in.Args[1]; x.Kind().IsInteger() && r.IntN(4) == 0 {
				in.Args[1] = w.Bin(ir.OpAnd, x, w.Const(x.Kind(), []int64{0, 1, 2, 6}[r.IntN(4)]))
			}
		case ir.OpShl, ir.OpShr:
			if x := in.Args[1]; r.IntN(4) == 0 {
				by := []int64{1, -1, 8, 64, -64, 120}[r.IntN(6)]
				if x.Kind().IsUnsigned() && by < 0 {
					by = -by
				}
				in.Args[1] = w.Bin([]ir.Op{ir.OpAdd, ir.OpSub}[r.IntN(2)], x, w.Const(x.Kind(), by))
			}
		case ir.OpAssert:
			body := &ir.Block{}
			last := len(in.Blocks[0].Instrs) - 1
			body.Instrs = in.Blocks[0].Instrs[:last:last]
			at := ir.Builder{Block: body, Pos: in.Pos}
			cond := in.Blocks[0].Instrs[last].Args[0]
			if point == nil || r.IntN(3) == 0 {
				cond = at.Un(ir.OpLNot, cond)
			} else {
				cond = at.Bin(ir.OpNe, cond, at.Bin(ir.OpEq, at.Bin(ir.OpAnd, point(at), at.Int(3)), at.Int(r.Int64N(4))))
			}
			at.Yield(cond)
			in.Blocks[0] = body
		}
		n := len(in.Indexes())
		if in.Op == ir.OpTableGet {
			n = len(in.Args)
		}
		for d := range n {
			if r.IntN(3) > 0 {
				continue
			}
			by := []int64{-1, 1, 2, -7, 1 << 33, -1 << 63}[r.IntN(6)]
			in.Args[d] = w.Bin(ir.OpAdd, in.Args[d], w.Int(by))
		}
		out = append(append(out, w.Block.Instrs...), in)
	}
	b.Instrs = out
}

// ranges counts the counted loops in b.
func ranges(b *ir.Block) (n int) {
	b.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpRange {
			n++
		}
	})
	return n
}
