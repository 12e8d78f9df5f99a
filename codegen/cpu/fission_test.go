package cpu

import (
	"maps"
	"slices"
	"testing"

	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// TestFission runs the kernels of blocks of all goldens on the interpreter, with true barriers, and what fission makes of
// them without any: the memory they leave is the same, and so are the traps.
func TestFission(t *testing.T) {
	all := archives(t)
	n := 0
	for _, path := range slices.Sorted(maps.Keys(all)) {
		for _, k := range parse(t, all[path]).Kernels {
			if len(k.Group) == 0 {
				continue
			}
			n++
			t.Run(k.Instance, func(t *testing.T) {
				for seed, n := range []int64{1, 2, 9, 16, 33, 200} {
					if len(k.Symbols) == 1 || n < 40 {
						sameAsFission(t, k, randomArgs(k, map[string]int64{"*": n}, uint64(seed)))
					}
				}
			})
		}
	}
	if n < 10 {
		t.Fatalf("%d kernels of blocks", n)
	}
}

// sameAsFission compares a kernel of blocks with what fission makes of it.
func sameAsFission(t *testing.T, k *ir.Kernel, args []interp.Arg) {
	t.Helper()
	if err := ir.VerifyKernel(k); err != nil {
		t.Fatalf("%v\n%s", err, ir.PrintKernel(k))
	}
	before := ir.PrintKernel(k)
	out, _ := fission(k)
	if ir.PrintKernel(k) != before {
		t.Fatal("fission has changed its input")
	}
	if err := ir.VerifyKernel(out); err != nil {
		t.Fatalf("%v\n%s\n%s", err, ir.PrintKernel(k), ir.PrintKernel(out))
	}
	want, got := clones(args), clones(args)
	rep, err := interp.Run(k, want, interp.Options{Races: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.PrintKernel(k))
	}
	for _, f := range rep.Findings {
		if f.Kind != interp.Bounds && f.Kind != interp.ZeroDivisor {
			t.Fatalf("the kernel itself is wrong: %s\n%s", f, ir.PrintKernel(k))
		}
	}
	after, err := interp.Run(out, got, interp.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.PrintKernel(out))
	}
	if rep.Has(interp.Bounds) != after.Has(interp.Bounds) || after.Has(interp.BrokenProof) {
		t.Fatalf("%v, want %v\n%s\n%s", after.Findings, rep.Findings, ir.PrintKernel(k), ir.PrintKernel(out))
	}
	for i, a := range want {
		if a.Buffer != nil && !slices.Equal(a.Buffer.Data, got[i].Buffer.Data) {
			t.Fatalf("%s is %v, want %v\n%s\n%s", k.Params[i].Name, got[i].Buffer, a.Buffer, ir.PrintKernel(k), ir.PrintKernel(out))
		}
	}
}

func clones(args []interp.Arg) []interp.Arg {
	out := slices.Clone(args)
	for i, a := range out {
		if a.Buffer != nil {
			out[i].Buffer = a.Buffer.Clone()
		}
	}
	return out
}
