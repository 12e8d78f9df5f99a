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
	"time"

	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir/pass"
)

var (
	randomOpenCL = flag.Int("random.opencl", 21, "of how many random kernels the OpenCL C is run")
	randomShrink = flag.Bool("random.shrink", true, "shrink the random kernels that fail on OpenCL")
)

// perText is how many random kernels share an OpenCL text: a compiler that does not survive them says nothing about the others.
const perText = 5

// driverFaults are the random kernels that a driver gets wrong.
type driverFaults struct {
	driver string            // as clrun.Facts says it
	on     string            // the device that they were found on: the processor may decide
	seeds  map[uint64]string // what the driver does
}

var faultsOfDrivers = []driverFaults{}

// faultsOf are the faults of a driver.
func faultsOf(d *clrun.Device) driverFaults {
	for _, f := range faultsOfDrivers {
		if f.driver == d.Driver {
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
		d.Limit = 2 * time.Minute
		devices <- d
	}
	faults := faultsOf(d)
	var sound, known []uint64
	for _, seed := range randomSeeds(0, *randomOpenCL) {
		if _, ok := faults.seeds[seed]; ok {
			known = append(known, seed)
		} else {
			sound = append(sound, seed)
		}
	}
	var launches, skipped atomic.Int64
	randomBatches(t, sound, perText, func(seeds []uint64, c *compiled) {
		d := <-devices
		defer func() { devices <- d }()
		without, err := withoutSubgroups(d, c)
		if err != nil {
			t.Error(err)
		}
		skipped.Add(int64(without))
		n, err := runOpenCL(d, c)
		if err == nil {
			launches.Add(int64(n))
			return
		}
		fail := false
		for _, seed := range seeds {
			n := 0
			if err := repeated(seed, runsOn(d, &n)); err != nil {
				fail = true
				t.Error(err)
				continue
			}
			launches.Add(int64(n))
		}
		if !fail {
			t.Errorf("%v\nthe seeds %v pass alone", err, seeds)
		}
	})
	randomBatches(t, known, 1, func(seeds []uint64, c *compiled) {
		d := <-devices
		defer func() { devices <- d }()
		n, err := runOpenCL(d, c)
		switch what := faults.seeds[seeds[0]]; {
		case err != nil:
			t.Logf("seed %d: %s: %.200v", seeds[0], what, err)
		case d.On != faults.on:
			t.Logf("seed %d passes on %s, unlike on %s: %s", seeds[0], d.On, faults.on, what)
			launches.Add(int64(n))
		default:
			t.Errorf("seed %d passes, so it is no fault of %s: %s", seeds[0], d.Driver, what)
		}
	})
	t.Logf("%s, %s: %d launches of %d kernels; %d need subgroups that the device lacks; %d are faults of the driver",
		d.Driver, d.On, launches.Load(), len(sound), skipped.Load(), len(known))
	if int(skipped.Load()) > *randomOpenCL/4 {
		t.Errorf("%d of %d kernels need subgroups", skipped.Load(), *randomOpenCL)
	}
	if int(launches.Load()) < len(sound) {
		t.Errorf("only %d launches of %d kernels", launches.Load(), len(sound))
	}
}

// runsOn runs lines of a source on a device and counts the launches. Without shrinking, and where a call took too long to be
// repeated, an error is no disagreement.
func runsOn(d *clrun.Device, launches *int) func(source string, runs []string) error {
	return recompiled(func(c *compiled) error {
		n, err := runOpenCL(d, c)
		*launches += n
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
