// Package gpu is what programs and generated kernels run on: devices, streams, buffers and typed errors, over CUDA,
// OpenCL or the CPU.
//
//	dev, err := gpu.Open() // CUDA, a GPU of OpenCL, then the CPU; GPUGEN_DEVICE or gpu.Open(gpu.CUDA(1)) chooses
//	defer dev.Close()
//	s := dev.DefaultStream()
//	x, err := gpu.Upload(s, hostX)
//	y, err := gpu.Alloc[float32](s, len(hostX))
//	err = blas.Saxpy(s, 2, x, y) // asynchronous: arguments are checked here, device faults come from Sync
//	err = y.Download(s, hostY)
//
// Everything may be called from any goroutine. No call panics on bad input: a nil device, a closed stream, a freed
// buffer or a buffer of another device is an error. A stream runs its work in order, and a buffer makes the streams
// that use it wait for each other by itself (see Unordered).
//
// It turns typed views into untyped ones for runtime/internal/driver, and knows of the drivers only how to open them.
// Three parts carry the rest: core is a device that handles share, allocation is the memory that views share, and
// Launch collects and checks the arguments of a generated wrapper. One mutex of the core guards the state of both and
// the order in which work reaches streams; what waits for a device does not hold it, a launch into a full queue apart.
package gpu

// SupportsGenerated1 is what generated code of generation 1 refers to, so that a runtime that cannot run it fails to
// compile instead.
const SupportsGenerated1 = true
