package gpugen_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir/pass"
)

// With seed 22, a kernel by block, PoCL 3.1 writes beside a buffer: docs/RATIONALE.md has what is left of it. The test stops
// before it, on Intel's driver as well, which runs it rightly.
var randomOpenCL = flag.Int("random.opencl", 21, "of how many random kernels the OpenCL C is run")

// TestRandomOpenCL runs the OpenCL C of random kernels, narrow and wide, against the interpreter.
func TestRandomOpenCL(t *testing.T) {
	d, err := clrun.Open()
	require.Tool(t, "opencl", err == nil, clrun.Remedy)
	var lock sync.Mutex // of the device
	launches, skipped := 0, 0
	randomBatches(t, 0, *randomOpenCL, func(_ int, c *compiled) {
		lock.Lock()
		defer lock.Unlock()
		without, err := withoutSubgroups(d, c)
		if err != nil {
			t.Error(err)
		}
		n, err := runOpenCL(d, c)
		launches, skipped = launches+n, skipped+without
		if err != nil {
			alone(t, err, recompiled(func(c *compiled) error {
				_, err := runOpenCL(d, c)
				return err
			}))
		}
	})
	t.Logf("%d launches; %d kernels need subgroups that the device lacks", launches, skipped)
	if skipped > *randomOpenCL/4 {
		t.Errorf("%d of %d kernels need subgroups", skipped, *randomOpenCL)
	}
	if launches < *randomOpenCL {
		t.Errorf("only %d launches of %d kernels", launches, *randomOpenCL)
	}
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
