// Package driver is the narrow waist between runtime/gpu and the devices: typed buffers, shape checks and pools
// of launches stay above it, C calls and goroutines below it. runtime/gpu calls it; runtime/internal/cuda,
// runtime/internal/opencl and runtime/internal/host implement it; it imports nothing of either.
//
// Invariants: every method is safe from any goroutine; addresses of Go memory are unsafe.Pointer up to the C call;
// a driver keeps no host pointer after a call returns, but for an Args, which it owns until it calls Release; an
// object is closed only after every call on it has returned and its work is done (runtime/gpu sees to that).
package driver

import (
	"time"
	"unsafe"
)

// Mem names an allocation: Addr on a device with its own address space, Ptr where the host can see it.
type Mem struct {
	Addr uintptr
	Ptr  unsafe.Pointer
}

// Code is the device code of one .gpu file. The fields are pointers to embedded strings, so that tables of
// kernels are static data and the linker drops what a program does not use; nil is not built in.
type Code struct {
	Stem     string  // of the files that hold it, for messages: "_gpu/saxpy" of _gpu/saxpy.ptx
	CUDA     *string // CUDA C source
	PTX      *string
	Metal    *string // Metal source
	Metallib *string
	OpenCL   *string // OpenCL C source
	Cubins   []Cubin
}

// Label names an artifact for people by its file, whose name is the stem and suffix, and by what it is.
func (c *Code) Label(suffix, what string) string {
	if c.Stem == "" {
		return what
	}
	return c.Stem + suffix + " (" + what + ")"
}

// Cubin is machine code for one compute capability: 90 is sm_90. Of sm_90a and sm_100f, which run on nothing but their
// own capability and its family, the letter is Variant.
type Cubin struct {
	Arch    int
	Variant string
	Data    *string
}

// Box is the part of a domain that one call of a CPU kernel runs: the points p with Lo[d] <= p[d] < Hi[d] in
// every dimension d, in index order, so that the last dimension of the domain is the fastest. A kernel of fewer
// than three dimensions looks at the first ones alone.
type Box struct {
	Lo, Hi [3]int
}

// CPUFunc is a kernel compiled for the host.
type CPUFunc func(a *Args, box *Box)

// Kernel is what Load needs to know.
type Kernel struct {
	Name  string // as people know it
	Entry string // as the device code calls it
	Code  *Code
	CPU   CPUFunc
}

// Grid is the shape of one launch. Devices read Blocks and Threads, the host reads Box and Dims.
type Grid struct {
	Blocks, Threads [3]uint32
	Box             Box
	Dims            int
}

// Func is a loaded kernel.
type Func interface {
	// MaxThreads is the largest block that this kernel can run in on its device.
	MaxThreads() int
}

// Info describes a device that may be opened.
type Info struct {
	Name   string
	Arch   string // sm_90, OpenCL 3.0, amd64
	Driver string // its version, empty where there is none
	Memory int64  // bytes, 0 where unknown
}

// Device is an open device.
type Device interface {
	Info() Info
	Memory() (free, total int64, err error)
	// Alloc returns memory, and whether it holds zeros or just anything; bytes is over zero. An *OutOfMemory says
	// that there is none.
	Alloc(bytes int) (m Mem, zero bool, err error)
	Free(Mem) error
	NewStream() (Stream, error)
	NewEvent() (Event, error)
	// Load makes k ready. The error is a *LoadFailure, an *Unsupported, or a *Fault of the device.
	Load(k *Kernel) (Func, error)
	// Close gives everything back. lost says that the device faulted and cannot be asked for anything any more.
	Close(lost bool) error
}

// Stream runs what it is given in order, asynchronously. Errors of work that ran earlier may come from any later
// call; those of the host are a *Trap and come from Sync and CopyOut alone.
type Stream interface {
	// CopyIn returns when src may be reused.
	CopyIn(dst Mem, off int, src unsafe.Pointer, n int) error
	// CopyOut returns when the data is at dst, or with an error of earlier work.
	CopyOut(dst unsafe.Pointer, src Mem, off, n int) error
	Copy(dst Mem, dstOff int, src Mem, srcOff, n int) error
	Zero(dst Mem, off, n int) error
	// Launch owns a until it calls a.Release, also when it fails.
	Launch(f Func, g *Grid, a *Args) error
	// After makes later work here start after all work so far in other, a stream of the same device. Calls of
	// After on streams of one device do not overlap.
	After(other Stream) error
	// Sync waits for all work so far and reports what went wrong since somebody last asked.
	Sync() error
	// Drain waits alike, but leaves a *Trap for Sync.
	Drain() error
	Close() error
}

// Event marks a point in a stream.
type Event interface {
	Record(Stream) error
	// Hold makes later work in s wait for the point.
	Hold(s Stream) error
	Sync() error
	Done() (bool, error)
	Since(start Event) (time.Duration, error)
	Close() error
}
