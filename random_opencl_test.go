package gpugen_test

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir/pass"
)

// The default takes about 80 s on two cores with PoCL 3.1, whose compiler needs more than two seconds a kernel; later ones need one.
var (
	randomOpenCL = flag.Int("random.opencl", 60, "of how many random kernels the OpenCL C is run")
	randomShrink = flag.Bool("random.shrink", true, "shrink the random kernels that fail on OpenCL")
)

// driverFaults are the random kernels and archives that a driver gets wrong and that others run rightly, as do the interpreter,
// the CPU, the Metal text and the CUDA text on the CPU. docs/RATIONALE.md has reduced texts of PoCL's.
type driverFaults struct {
	driver   string            // the beginning of what clrun.Facts says
	on       string            // the device that they were found on: the processor may decide
	seeds    map[uint64]string // what the driver does
	archives map[string]string
}

var faultsOfDrivers = []driverFaults{
	{
		driver: "Portable Computing Language 3.1",
		on:     "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-skylake-avx512",
		seeds: map[uint64]string{
			132: "wide, stores of a loop between barriers are lost: 9 of `weights`",
			187: "wide, stores of a loop between barriers are lost: `z0` is of the turn before",
			262: "wide, the loop that fills `weights` is skipped",
			342: "wide, the loop that fills `src` is skipped",
		},
	},
	{
		driver: "Intel(R) OpenCL 2026.22.10.",
		on:     "OpenCL 3.1 (Build 0)",
		seeds: map[uint64]string{
			121:  "its compiler ends",
			131:  "its compiler ends in sycl-kernel-reduce-cross-barrier-values",
			551:  "its compiler ends",
			606:  "its compiler ends",
			636:  "its compiler ends",
			880:  "a private array is read behind the stores that follow; right with -cl-opt-disable",
			993:  "a sum in `weights` is short; PoCL 3.1 and CUDA have it",
			1020: "its compiler ends",
			1096: "its compiler ends",
			1766: "its compiler ends",
		},
	},
	{
		driver: "NVIDIA CUDA 580.",
		on:     "OpenCL 3.0 CUDA",
		archives: map[string]string{ // the CUDA text goes around these
			"negated_min":    "min(min(a, -b), c) loses the sign of b, on sm_90",
			"negated_shorts": "a negated int16 of -32768 is 32768 in 32 bits",
		},
	},
}

// judge takes the result of a text of which the driver is said to do what. A fault is noted; one that is gone is an error.
func (f driverFaults) judge(d *clrun.Device, what string, err error) (note string, _ error) {
	switch {
	case what == "":
		return "", err
	case err != nil:
		return fmt.Sprintf("is a fault of %s: %s: %.200v", d.Driver, what, err), nil
	case d.On == f.on:
		return "", fmt.Errorf("passes, so it is no fault of %s: %s", d.Driver, what)
	}
	return fmt.Sprintf("passes on %s, unlike on %s: %s", d.On, f.on, what), nil
}

// faultsOf are the faults of a driver.
func faultsOf(d *clrun.Device) driverFaults {
	for _, f := range faultsOfDrivers {
		if strings.HasPrefix(d.Driver, f.driver) {
			return f
		}
	}
	return driverFaults{}
}

// TestRandomOpenCL runs the OpenCL C of random kernels, narrow and wide, against the interpreter. A driver that aborts or hangs
// fails the kernel alone. What is known to be a driver's fault has to fail still.
func TestRandomOpenCL(t *testing.T) {
	d, err := clrun.Open()
	require.Tool(t, "opencl", err == nil, clrun.Remedy)
	devices := make(chan *clrun.Device, runtime.GOMAXPROCS(0))
	for range cap(devices) {
		d, err := clrun.New()
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		devices <- d
	}
	faults := faultsOf(d)
	var done, agree, launches, skipped, known atomic.Int64
	// Each has a text of its own: a compiler that does not survive it says nothing about the others.
	randomBatches(t, randomSeeds(0, *randomOpenCL), 1, func(seeds []uint64, c *compiled) {
		d := <-devices
		defer func() { devices <- d }()
		if n := done.Add(1); n%100 == 0 {
			t.Logf("%d kernels, %d launches", n, launches.Load())
		}
		seed := seeds[0]
		without, err := withoutSubgroups(d, c)
		if err != nil {
			t.Error(err)
		}
		n, err := runOpenCL(d, c)
		what := faults.seeds[seed]
		note, wrong := faults.judge(d, what, err)
		if note != "" {
			t.Logf("seed %d %s", seed, note)
		}
		switch {
		case err != nil && what != "":
			known.Add(1)
			return
		case wrong != nil && what != "":
			t.Errorf("seed %d %v", seed, wrong)
		case wrong != nil:
			if again := repeated(seed, runsOn(d)); again != nil {
				wrong = again
			} else {
				wrong = fmt.Errorf("%w\nseed %d passes when it runs again", wrong, seed)
			}
			t.Error(wrong)
			return
		}
		launches.Add(int64(n))
		skipped.Add(int64(without))
		agree.Add(int64(min(n, 1)))
	})
	t.Logf("%s, %s: %d of %d random kernels agree in %d launches; %d need subgroups that the device lacks; %d are faults of the driver",
		d.Driver, d.On, agree.Load(), *randomOpenCL, launches.Load(), skipped.Load(), known.Load())
	if int(skipped.Load()) > *randomOpenCL/4+1 {
		t.Errorf("%d of %d kernels need subgroups", skipped.Load(), *randomOpenCL)
	}
	// About one in ten is not for OpenCL, by `@targets`, or has no point to launch in any line.
	if want := *randomOpenCL - int(skipped.Load()+known.Load()); int(agree.Load()) < want*4/5 {
		t.Errorf("only %d of %d kernels are launched", agree.Load(), want)
	}
}

// runsOn runs lines of a source on a device. Without shrinking, and where a call took too long to be repeated, an error is no
// disagreement.
func runsOn(d *clrun.Device) func(source string, runs []string) error {
	return recompiled(func(c *compiled) error {
		_, err := runOpenCL(d, c)
		if ended := (*clrun.EndedError)(nil); err != nil && (!*randomShrink || errors.As(err, &ended) && ended.Slow > 0) {
			return errors.New(err.Error())
		}
		return err
	})
}

// withoutSubgroups counts the kernels that the device does not have for want of subgroups. It asks that these are the ones
// whose source uses them, and no others.
func withoutSubgroups(d *clrun.Device, c *compiled) (n int, err error) {
	u := c.pkg.Units[0]
	if u.OpenCL == nil {
		return 0, nil
	}
	source := string(c.Sources()[0].Data)
	seen := map[string]bool{}
	for _, k := range pass.For(u.Module, types.OpenCL).Kernels {
		_, body, _ := strings.Cut(source, "kernel "+k.Name)
		body, _, _ = strings.Cut(body, "\n}\n")
		lacks := slices.ContainsFunc(d.Lacks(u.OpenCL.Text, k.Entry), func(name string) bool { return strings.Contains(name, "subgroup") })
		switch uses := strings.Contains(body, "subgroup."); {
		case lacks && !uses:
			return n, fmt.Errorf("%s needs subgroups that its source does not use", k.Entry)
		case lacks && !seen[k.Name]:
			seen[k.Name] = true
			n++
		}
	}
	return n, nil
}
