package cpu

import (
	"os"
	"runtime"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/accuracy"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/pass"
)

// TestTableFunctionsKeepTheirBounds measures the generated Go. On the architecture where that was done last the results are
// the same to the last digit; elsewhere Go may fuse inside of package math, and the bound alone holds.
func TestTableFunctionsKeepTheirBounds(t *testing.T) {
	p := newProgram(t)
	p.integers = true // what is fused is looked at elsewhere
	b := &operations{p: p, m: &ir.Module{Package: "ops", File: "ops.gpu"}}
	var worst []accuracy.Worst
	for _, k := range []types.Kind{types.Float32, types.Float16, types.BFloat16} {
		for _, op := range ir.TableFunctions() {
			params := []*ir.Param{vector("a", k, false), vector("b", k, false)}[:ir.Ops[op].Args]
			kernel, bld, i := b.kernel("F"+k.String()+op.String(), append(params, vector("o", k, true))...)
			var args []*ir.Instr
			for _, v := range params {
				args = append(args, proved(bld.Load(v, i)))
			}
			proved(bld.Store(kernel.Params[len(params)], bld.New(op, k, args...), i))
			pass.Half(kernel)
			b.launches = append(b.launches, func() {
				var views []interp.Arg
				for _, v := range accuracy.Samples(op, k) {
					views = append(views, interp.View(v))
				}
				p.call("ops", kernel, views...).check = func(t *testing.T, got []*interp.Buffer) {
					w := accuracy.Measure(op, got)
					if k == types.Float32 {
						worst = append(worst, w)
					}
					if bound := ir.Bound(types.CPU, op, k); w.ULP > bound {
						t.Errorf("%s: %s is over the bound of %v", k, w, bound)
					}
				}
			})
		}
	}
	p.add("ops", b.m, namesOf(b.m))
	for _, add := range b.launches {
		add()
	}
	p.run()
	text, path := accuracy.Text("package math of Go, amd64", worst), "../../"+accuracy.Path(types.CPU)
	if runtime.GOARCH != "amd64" || t.Failed() {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old, err := os.ReadFile(path); err != nil || string(old) != text {
		t.Errorf("%s is not what was measured now; run this with -update: %v\n%s", path, err, text)
	}
}
