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

// TestRandomChecked moves indexes of random kernels out of place and compares what the interpreter finds in them with what
// their checked builds report: the same memory is left, since both go on with the language's values, the first index out
// of range is the same, and nothing is reported that is not there. Every access is tested by the build itself: behind the
// passes the interpreter finds none that is out of range.
func TestRandomChecked(t *testing.T) {
	compared, failing, hoisted := 0, 0, 0
	for i := range uint64(*randomN) {
		seed := *randomFrom + i
		c, f, h, err := compareChecked(seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		compared, failing, hoisted = compared+c, failing+f, hoisted+h
	}
	t.Logf("%d runs, %d of them with an index out of range; %d loops were made twice", compared, failing, hoisted)
	if compared < *randomN || failing < *randomN/4 || hoisted == 0 {
		t.Errorf("%d runs, %d of them with an index out of range; %d loops were made twice", compared, failing, hoisted)
	}
}

func compareChecked(seed uint64) (compared, failing, hoisted int, err error) {
	k := randomKernel(seed)
	source := kernelgen.File("random", k)
	f, errs := dsl.Parse("random.gpu", []byte(source))
	program, list := check.Package([]*dsl.File{f}, check.Config{})
	errs.Add(list...)
	if errs.HasErrors() {
		return 0, 0, 0, errs
	}
	plain := lower.Program(program)[0]
	r := rand.New(rand.NewPCG(seed, 1))
	for _, k := range plain.Kernels {
		displace(r, k.Body)
	}
	for _, f := range plain.Funcs {
		displace(r, f.Body)
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
		return 0, 0, 0, err
	}
	for _, l := range lines {
		for i, k := range oracle.Kernels {
			if !l.Matches(abi.Of(k)) {
				continue
			}
			run := func(k *ir.Kernel) (*interp.Report, []*interp.Buffer, error) {
				call, err := l.Bind(abi.Of(k))
				if err != nil {
					return nil, nil, err
				}
				report, err := interp.Run(k, call.Args, interp.Options{MaxSteps: 1 << 20})
				var left []*interp.Buffer
				for _, a := range call.Args {
					if a.Buffer != nil {
						left = append(left, a.Buffer)
					}
				}
				return report, left, err
			}
			want, wantMem, err := run(plain.Kernels[i])
			if err != nil {
				continue // refused by its header, or without end once an index has moved
			}
			got, gotMem, err := run(k)
			if err == nil {
				err = sameReports(want, got)
			}
			for i := range wantMem {
				if err == nil {
					err = golden.Compare(gotMem[i], wantMem[i], 0)
				}
			}
			if err != nil {
				return 0, 0, 0, fmt.Errorf("%s: %w\n%s\n%s", l.Text, err, ir.PrintPos(plain), ir.Print(checked))
			}
			compared++
			if want.Has(interp.Bounds) {
				failing++
			}
		}
	}
	return compared, failing, max(after-before, 0), nil
}

// sameReports compares the findings of a kernel with what its checked build reports.
func sameReports(want, got *interp.Report) error {
	type place struct {
		kind interp.FindingKind
		pos  diag.Pos
	}
	at := func(f interp.Finding) place {
		f.Pos.Offset = 0
		return place{f.Kind, f.Pos}
	}
	there := map[place]bool{}
	var first, reported *interp.Finding
	for i, f := range want.Findings {
		there[at(f)] = true
		if f.Kind == interp.Bounds && first == nil {
			first = &want.Findings[i]
		}
	}
	for i, f := range got.Findings {
		if !there[at(f)] {
			return fmt.Errorf("the checked build reports %v, which is not among %v", f, want.Findings)
		}
		if f.Kind == interp.Bounds && reported == nil {
			reported = &got.Findings[i]
		}
	}
	switch {
	case first == nil && reported == nil:
		return nil
	case first == nil || reported == nil:
		return fmt.Errorf("the first index out of range is %v, reported is %v", first, reported)
	case at(*first) != at(*reported) || first.Index != reported.Index || first.Extent != reported.Extent || first.By != reported.By:
		return fmt.Errorf("the first index out of range is %v, reported is %v", *first, *reported)
	}
	return nil
}

// displace adds something to some of the indexes in b.
func displace(r *rand.Rand, b *ir.Block) {
	var out []*ir.Instr
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			displace(r, c)
		}
		n := len(in.Indexes())
		if in.Op == ir.OpTableGet {
			n = len(in.Args)
		}
		for d := range n {
			if r.IntN(3) > 0 {
				continue
			}
			w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
			by := []int64{-1, 1, 2, -7, 1 << 33, -1 << 63}[r.IntN(6)]
			in.Args[d] = w.Bin(ir.OpAdd, in.Args[d], w.Int(by))
			out = append(out, w.Block.Instrs...)
		}
		out = append(out, in)
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
