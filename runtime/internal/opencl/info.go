package opencl

import "github.com/gpugen/gpugen/runtime/internal/driver"

// Info describes a device that may be opened.
type Info struct {
	driver.Info
	GPU bool // not a CPU, which runs kernels of gpugen faster without OpenCL
}
