package ptx

import "github.com/gpugen/gpugen/codegen/internal/cfamily"

// keywords are the names that CUDA adds to C++ and that a kernel's text or a compiler's built-in macros use.
var keywords = cfamily.Words(`
	blockIdx threadIdx blockDim gridDim warpSize
	CUDART_VERSION CUDA_VERSION CUDARTAPI CUDA_CB
`)
