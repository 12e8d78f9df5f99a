// Package opencl is the driver for GPUs of AMD, Intel and others, and for whatever else speaks OpenCL 1.2: the calls of
// runtime/internal/driver turned into those of the OpenCL library, which is loaded at first use through purego, without
// cgo. runtime/gpu opens it. Where it cannot be, on other systems and under the tag gpuhost, Open says so.
//
// Invariants: a stream is an in-order queue, flushed with every command, so that work starts without a Sync and another
// queue may wait for it; a buffer is no address, so a view is passed as the buffer and the element at which it begins;
// the arguments of a kernel object are state, so a launch holds the kernel's lock from the first argument to the
// enqueuing; source is compiled once a device and file, with the options that codegen/opencl states; a launch allocates
// nothing.
package opencl
