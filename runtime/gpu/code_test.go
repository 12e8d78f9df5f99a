package gpu_test

import (
	_ "embed"

	"github.com/gpugen/gpugen/runtime/gpu"
)

// Device code of the kernels here, as a generated file of artifacts holds it.

//go:embed testdata/kernels.ptx
var kernelsPTX string

//go:embed testdata/kernels.cu
var kernelsCUDA string

var saxpyCode = gpu.Code{PTX: &kernelsPTX, CUDA: &kernelsCUDA}
