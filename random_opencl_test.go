package gpugen_test

import (
	"flag"
	"sync"
	"testing"

	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/internal/require"
)

var randomOpenCL = flag.Int("random.opencl", 24, "of how many random kernels the OpenCL C is run")

// TestRandomOpenCL runs the OpenCL C of random kernels, narrow and wide, against the interpreter.
func TestRandomOpenCL(t *testing.T) {
	d, err := clrun.Open()
	require.Tool(t, "opencl", err == nil, clrun.Remedy)
	var lock sync.Mutex // of the device
	launches := 0
	randomBatches(t, 0, *randomOpenCL, func(_ int, c *compiled) {
		lock.Lock()
		defer lock.Unlock()
		n, err := runOpenCL(d, c)
		launches += n
		if err != nil {
			alone(t, err, recompiled(func(c *compiled) error {
				_, err := runOpenCL(d, c)
				return err
			}))
		}
	})
	t.Logf("%d launches", launches)
	if launches < *randomOpenCL {
		t.Errorf("only %d launches of %d kernels", launches, *randomOpenCL)
	}
}
