package ptx

import "github.com/gpugen/gpugen/codegen/internal/cfamily"

// keywords are the names that CUDA adds to C++ and that a kernel's text or a compiler's built-in macros use.
var keywords = cfamily.Words(`
	blockIdx threadIdx blockDim gridDim warpSize
	atomicAdd atomicMin atomicMax atomicAnd atomicOr atomicXor atomicExch atomicCAS
	CUDART_VERSION CUDA_VERSION CUDARTAPI CUDA_CB
`)
