// Package pass turns the IR that lowering made into the IR that a target prints: a table of passes, each one file.
//
// [Common] does what every target shares, in place. [For] copies a module and brings the copy into the form of one
// target; devices get each kernel twice, narrow with 32-bit indexes and wide. [Oracle] is the copy that the interpreter
// runs to say what a target must compute: after that target's spreading and fusing, before anything else. [Stages] keeps the module
// after every pass, for people. The root package calls For and Oracle, tests and `gpugen dump` call Stages.
//
// Passes are deterministic, keep positions, and never drop or reorder parameters and symbols. Each leaves IR that
// [ir.Verify] accepts; [Options.Verify] makes the driver check that. Functions keep their bodies, but for the exits that no
// target has: behind [Common] a Break or Continue anywhere is of the innermost Range or Loop, with no Scope between.
package pass

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Pass is one transformation of a kernel.
type Pass struct {
	Name string
	Doc  string
	Run  func(*ir.Kernel)
	Func func(*ir.Func) // or nil: of a function too
}

// step is a row of the table of passes: a pass, the targets that need it, and why it stands where it stands.
type step struct {
	*Pass
	on  types.TargetSet
	why string
}

var (
	all     = types.AllTargets
	devices = types.TargetsOf(types.CUDA, types.Metal, types.OpenCL)

	// What the capability table decides.
	rounded    = types.Where(types.Arithmetic, types.Float16, types.Emulated)
	guarded    = types.Where(types.Division, types.Int32, types.Emulated)
	fused      = types.Where(types.Fusion, types.Float32, types.Native)
	exchanging = types.Where(types.Exchange, types.Int32, types.Native)
)

// common is run in place, once a module.
var common = []step{
	{&release, all, "first: nothing after may look at what a release build does not compute"},
	{&inline, all, "before all else: it sees one body and no calls"},
	{&exits, all, "before promote, which understands values in structured blocks alone"},
	{&half, rounded, "before all that looks at arithmetic: behind it there is none in 16 bits"},
	{&promote, all, "after inline and exits, which leave locals that are set once"},
	{&fold, all, "after promote: arguments of inlined functions have become constants"},
	{&bounds, all, "before dce, which keeps loads that may fault"},
	{&dce, all, "after all that leaves unused values"},
	{&inPlace, all, "late: it looks at the accesses that remain, and at points, which schedule replaces"},
	{&sites, all, "last: it numbers the prints that remain, and says where they stand by points, which schedule replaces"},
}

// checked is run in place of common in a checked build.
var checked = []step{
	{&asserts, all, "first: in functions as well, before they are copied into kernels"},
	{&inline, all, "as in common"},
	{&exits, all, "as in common"},
	{&half, rounded, "as in common"},
	{&promote, all, "as in common"},
	{&foldChecked, all, "as in common"},
	{&bounds, all, "as in common; what it proves is not tested"},
	{&keeping, all, "as dce in common"},
	{&inPlace, all, "as in common: the same views may be the same range"},
	{&check, all, "behind all that proves and removes; before everything of a target, so that all test the same"},
	{&fold, all, "behind check: what always fails is gone but for its report, before compilers see an index or a divisor that is wrong"},
	{&sites, all, "as in common: behind check, which gives what it reports a site of its own"},
	{&dce, all, "last: what is tested once leaves values that nothing uses"},
}

// fusing is run on the copy for a target; what it leaves is the meaning of that target: how values are grouped that threads
// combine, and which products are fused. (Reductions are expanded here and
// not in common, so that ranges and unused values are found before.)
var fusing = []step{
	{&spread, devices, "before collect: what the threads of a block have of a comprehension is combined by reductions"},
	{&collect, exchanging, "before fuse: the order of a reduction's steps is the meaning of all targets, the interpreter's included"},
	{&collectShared, all &^ exchanging, "likewise, where subgroups are slow or may be missing"},
	{&fuse, fused, "before the interpreter's copy is taken: fusing is the one change of a target's results"},
	{&dce, fused, "after fuse, which leaves the products; the interpreter still reports faults"},
}

// final is run on each variant of a kernel of a target.
var final = []step{
	{&schedule, devices, "before all that looks at 32-bit indexes: points become threads here"},
	{&coarsen, devices, "directly after schedule, whose shape it knows"},
	{&narrow, devices, "after coarsen, so that copies are narrowed as one; before legalise, which looks at types"},
	{&legalise, guarded, "after narrow: what is proved depends on the type"},
	{&arrays, devices, "late: C has no array values, the passes above need not know"},
	{&dce, types.TargetsOf(types.CPU), "last: legalising leaves unused values; a fault of a load is reported"},
	{&prune, devices, "last: narrowing and legalising leave unused values"},
}

// Options are for tests and tools.
type Options struct {
	Verify bool // check the IR after each pass; a failure panics and names pass and kernel
}

// Stage is a module after a pass.
type Stage struct {
	Name   string
	Module *ir.Module
}

// Common runs the passes that all targets share, in place.
func Common(m *ir.Module) { Options{}.Common(m) }

// Checked runs the passes that all targets share in a checked build, in place: what may fail is tested and reported. Kernels
// alone are left, since Go calls the functions of the release build.
func Checked(m *ir.Module) { Options{}.Checked(m) }

// For is a copy of m in the form that target t prints. Kernels that exclude t are left out.
func For(m *ir.Module, t types.Target) *ir.Module { return Options{}.For(m, t) }

// Oracle is a copy of m that means what target t must compute. Kernels that exclude t are left out.
func Oracle(m *ir.Module, t types.Target) *ir.Module { return Options{}.Oracle(m, t) }

// Inlined is a copy of m whose kernels hold no calls and keep every exit as it was written: what ir/uniform looks at.
func Inlined(m *ir.Module) *ir.Module {
	out := m.Clone()
	(&runner{}).run(out, []step{{Pass: &inline, on: all}}, all)
	return out
}

// Stages runs everything for target t on a copy of a module that lowering made, and keeps a copy after each pass. The
// first is "lower".
func Stages(m *ir.Module, t types.Target) []Stage { return stages(m, t, common) }

// CheckedStages is Stages of a checked build.
func CheckedStages(m *ir.Module, t types.Target) []Stage { return stages(m, t, checked) }

func stages(m *ir.Module, t types.Target, first []step) []Stage {
	r := &runner{keep: []Stage{{"lower", m.Clone()}}}
	out := m.Clone()
	r.run(out, first, all)
	out.Kernels = of(out.Kernels, t)
	r.target(out, t)
	return r.keep
}

// Common is the function of that name with options.
func (o Options) Common(m *ir.Module) { (&runner{Options: o}).run(m, common, all) }

// Checked is the function of that name with options.
func (o Options) Checked(m *ir.Module) {
	(&runner{Options: o}).run(m, checked, all)
	m.Funcs, m.Consts = nil, nil
}

// For is the function of that name with options.
func (o Options) For(m *ir.Module, t types.Target) *ir.Module {
	out := m.Clone()
	out.Kernels = of(out.Kernels, t)
	(&runner{Options: o}).target(out, t)
	return out
}

// Oracle is the function of that name with options.
func (o Options) Oracle(m *ir.Module, t types.Target) *ir.Module {
	out := m.Clone()
	out.Kernels = of(out.Kernels, t)
	(&runner{Options: o}).run(out, fusing, types.TargetsOf(t))
	return out
}

// of is the kernels that target t has.
func of(ks []*ir.Kernel, t types.Target) []*ir.Kernel {
	var out []*ir.Kernel
	for _, k := range ks {
		if k.Targets.Has(t) {
			out = append(out, k)
		}
	}
	return out
}

// runner runs tables of passes.
type runner struct {
	Options
	keep []Stage // grows when it is not nil
}

// target brings m into the form of target t.
func (r *runner) target(m *ir.Module, t types.Target) {
	on := types.TargetsOf(t)
	r.run(m, fusing, on)
	if devices.Has(t) {
		m.Kernels = variants(m.Kernels)
	}
	r.run(m, final, on)
}

// variants doubles kernels: narrow, then wide.
func variants(ks []*ir.Kernel) []*ir.Kernel {
	var out []*ir.Kernel
	for _, k := range ks {
		w := k.Clone()
		w.Entry += "_wide"
		w.Wide = true
		out = append(out, k, w)
	}
	return out
}

// run runs the steps that any of the targets needs over all kernels, pass by pass.
func (r *runner) run(m *ir.Module, steps []step, on types.TargetSet) {
	for _, s := range steps {
		if s.on&on == 0 {
			continue
		}
		for _, k := range m.Kernels {
			r.kernel(s.Pass, k)
		}
		if s.Func != nil {
			r.functions(s.Pass, m.Funcs)
		}
		if r.keep != nil {
			r.keep = append(r.keep, Stage{s.Name, m.Clone()})
		}
	}
}

// functions runs one pass over functions.
func (r *runner) functions(p *Pass, fs []*ir.Func) {
	for _, f := range fs {
		p.Func(f)
	}
	if !r.Verify {
		return
	}
	if err := ir.Verify(&ir.Module{Funcs: fs}); err != nil {
		panic(fmt.Sprintf("pass %s: %v", p.Name, err))
	}
}

// kernel runs one pass over one kernel; a panic in it comes out with the names of both.
func (r *runner) kernel(p *Pass, k *ir.Kernel) {
	defer func() {
		if e := recover(); e != nil {
			panic(fmt.Sprintf("pass %s: %s: %v", p.Name, k.Entry, e))
		}
	}()
	p.Run(k)
	if !r.Verify {
		return
	}
	if err := ir.VerifyKernel(k); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, ir.PrintKernel(k)))
	}
}
