package opencl

import (
	"os"
	"testing"

	"github.com/gpugen/gpugen/codegen/opencl/clrun"
)

func TestMain(m *testing.M) {
	clrun.Main() // the test binary holds the OpenCL driver
	os.Exit(m.Run())
}
