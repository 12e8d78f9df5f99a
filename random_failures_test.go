package gpugen_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/kernelgen"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/lower"
	"github.com/gpugen/gpugen/ir/pass"
)

var randomFailures = flag.Int("random.failures", 60, "of how many random kernels the checked builds run with failures in them")

// TestRandomFailures puts failures into random kernels and runs their checked builds: the Metal text and the CUDA C on the CPU, and
// the wrappers on the CPU target. Each reports what some point or thread does wrong first, of which the interpreter knows all,
// or nothing where nobody does; and all go on with the language's values, so that the memory is the interpreter's.
func TestRandomFailures(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	lines, failing := 0, 0
	for first := 0; first < *randomFailures; first += perArchive {
		c := failingArchive(t, first, min(perArchive, *randomFailures-first))
		l, f, err := firstFailures(c)
		if err != nil {
			t.Fatal(err)
		}
		lines, failing = lines+l, failing+f
		for name, agrees := range map[string]func(*compiled) error{"metal": metalFails, "cuda": cudaFails, "cpu": cpuFails} {
			if err := agrees(c); err != nil {
				aloneFailing(t, fmt.Errorf("%s: %w", name, err), agrees)
			}
		}
	}
	t.Logf("%d lines, %d of them fail", lines, failing)
	if failing < lines/3 || failing > lines-lines/10 {
		t.Errorf("%d of %d lines fail", failing, lines)
	}
}

// TestRandomFailuresOpenCL runs the OpenCL C of them, a part that TestRandomOpenCL runs as well.
func TestRandomFailuresOpenCL(t *testing.T) {
	d, err := clrun.Open()
	require.Tool(t, "opencl", err == nil, clrun.Remedy)
	openclFails := func(c *compiled) error {
		lines, err := c.Runs()
		if err == nil {
			_, err = runUnitOpenCL(d, c.Name, c.pkg.Units[0].Checked, inChecked(lines))
		}
		return err
	}
	if err := openclFails(failingArchive(t, 0, min(*randomOpenCL, *randomFailures/5))); err != nil {
		aloneFailing(t, err, openclFails)
	}
}

// checkedSource asks for a checked build.
func checkedSource(source string) string { return "//gpugen:checked\n\n" + source }

// failingKernel is the kernel of a seed with failures in it, and with the lines that any target may run.
func failingKernel(seed uint64) (*kernelgen.Kernel, error) {
	k := randomKernel(seed)
	source := kernelgen.Displace(kernelgen.File("random", k), seed)
	_, k.Source, _ = strings.Cut(source, "\n")
	var err error
	k.Runs, err = soundLines(source, k.Runs)
	return k, err
}

// failingArchive compiles such kernels.
func failingArchive(t *testing.T, first, n int) *compiled {
	t.Helper()
	var kernels []*kernelgen.Kernel
	var runs []string
	for i := range n {
		k, err := failingKernel(*randomFrom + uint64(first+i))
		if err != nil {
			t.Fatal(err)
		}
		kernels = append(kernels, k)
		runs = append(runs, k.Runs...)
	}
	c, err := archiveOf(fmt.Sprintf("failing%d", first), checkedSource(kernelgen.File("random", kernels...)), runs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// soundLines are the lines whose results do not depend on which thread comes first: a failure may be a store to the wrong
// element, which is a race. Those without an end are left out as well.
func soundLines(source string, runs []string) (sound []string, err error) {
	f, errs := dsl.Parse("random.gpu", []byte(source))
	program, list := check.Package([]*dsl.File{f}, check.Config{})
	errs.Add(list...)
	if errs.HasErrors() {
		return nil, errs
	}
	m := lower.Program(program)[0]
	pass.Checked(m)
	oracle := pass.Oracle(m, types.CPU)
next:
	for _, text := range runs {
		l, err := golden.ParseLine(text)
		if err != nil {
			return nil, err
		}
		for _, k := range oracle.Kernels {
			if !l.Matches(abi.Of(k)) {
				continue
			}
			call, err := l.Bind(abi.Of(k))
			if err != nil {
				return nil, err
			}
			rep, err := interp.Run(k, call.Args, interp.Options{MaxSteps: 1 << 20, Races: true, Told: true})
			if err != nil || rep.Has(interp.Race) || rep.Has(interp.Uninitialised) || rep.Has(interp.Divergent) {
				continue next
			}
		}
		if !l.Finds {
			text += " | checked: oracle"
		}
		sound = append(sound, text)
	}
	return sound, nil
}

// firstFailures counts the lines of an archive and those in which something fails.
func firstFailures(c *compiled) (lines, failing int, err error) {
	list, err := c.Runs()
	if err != nil {
		return 0, 0, err
	}
	for _, l := range inChecked(list) {
		for _, k := range pass.Oracle(c.pkg.Units[0].Checked.Module, types.CPU).Kernels {
			if !l.Matches(abi.Of(k)) {
				continue
			}
			one, err := golden.NewCase(types.CPU, c.Name, "", l, k, nil)
			if err != nil {
				return 0, 0, err
			}
			lines++
			if len(one.Firsts) > 0 {
				failing++
			}
		}
	}
	return lines, failing, nil
}

func metalFails(c *compiled) error {
	lines, err := c.Runs()
	if v := c.pkg.Units[0].Checked; err == nil && v.Metal != nil {
		err = runMetal(context.Background(), c.Name, v, inChecked(lines), false)
	}
	return err
}

func cudaFails(c *compiled) error {
	lines, err := c.Runs()
	if v := c.pkg.Units[0].Checked; err == nil && v.CUDA != nil {
		err = runUnitCUDA(context.Background(), c.Name, v, inChecked(lines))
	}
	return err
}

func cpuFails(c *compiled) error {
	dir, err := os.MkdirTemp("", "failing")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m, err := newModule(dir, false, types.CPU)
	if err != nil {
		return err
	}
	m.checked = true
	if err = m.add(c); err == nil {
		err = m.finish()
	}
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "-count=1", "-timeout=20m", "."}} {
		if out, err := goRun(dir, "cpu", true, args...); err != nil {
			return &disagreement{"cpu", "", fmt.Errorf("%w\n%s%s", err, kernelsAt(dir, out), out)}
		}
	}
	return nil
}

// aloneFailing repeats the failure of an archive with the one kernel that it names, and shrinks that.
func aloneFailing(t *testing.T, batch error, agrees func(*compiled) error) {
	t.Helper()
	again := func(source string, runs []string) error {
		_, body, _ := strings.Cut(source, "package")
		sound, err := soundLines("package"+body, runs)
		if err != nil || len(sound) == 0 {
			return err
		}
		c, err := archiveOf("failing", checkedSource("package"+body), sound)
		if err != nil {
			return err
		}
		return agrees(c)
	}
	m := namesSeed.FindStringSubmatch(batch.Error())
	if m == nil {
		t.Error(batch)
		return
	}
	seed, _ := strconv.ParseUint(m[1], 10, 64)
	k, err := failingKernel(seed)
	if err != nil {
		t.Error(err)
		return
	}
	for _, run := range k.Runs {
		source := kernelgen.File("random", k)
		err := again(source, []string{run})
		if d, ok := err.(*disagreement); ok {
			d.run = run
		}
		if err != nil {
			t.Error(shrunk(seed, source, err, again))
			return
		}
	}
	t.Errorf("%v\nseed %d passes alone", batch, seed)
}
