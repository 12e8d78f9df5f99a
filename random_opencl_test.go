package gpugen_test

import (
	"flag"
	"testing"

	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/internal/require"
)

var randomOpenCL = flag.Int("random.opencl", 24, "of how many random kernels the OpenCL C is run")

// TestRandomOpenCL runs the OpenCL C of random kernels, narrow and wide, against the interpreter.
func TestRandomOpenCL(t *testing.T) {
	d, err := clrun.Open()
	require.Tool(t, "opencl", err == nil, clrun.Remedy)
	launches := 0
	for _, c := range randomArchives(t, *randomOpenCL) {
		n, err := runOpenCL(d, c)
		launches += n
		if err != nil {
			alone(t, err, func(source string, runs []string) error {
				c, err := archiveOf("random", source, runs)
				if err != nil {
					return err
				}
				_, err = runOpenCL(d, c)
				return err
			})
		}
	}
	t.Logf("%d launches", launches)
	if launches < *randomOpenCL {
		t.Errorf("only %d launches of %d kernels", launches, *randomOpenCL)
	}
}
