package gpu_test

import "github.com/gpugen/gpugen/runtime/gpu"

var saxpyCode = gpu.Code{PTX: &saxpyPTX}

var saxpyPTX = ""
