// Package cuda is the driver for NVIDIA GPUs: the calls of runtime/internal/driver turned into those of the CUDA
// driver library, which is loaded at first use through purego, without cgo. runtime/gpu opens it. Where it cannot
// be, on other systems and under the tag gpuhost, Open says so.
//
// Invariants: a device's primary context is made current on the calling thread for the length of each call, because a
// goroutine moves between threads; addresses of Go memory become uintptr in the argument list of the C call and
// nowhere before; every call that C waits in was let in by runtime/gpu, one a stream; a launch allocates nothing.
package cuda
