// Package host is the driver that runs kernels on the CPU: one goroutine a stream keeps the order, and the points of
// a launch are spread over as many goroutines as the Go scheduler has processors. runtime/gpu opens it; it imports
// runtime/gpu/gen for the panics of generated code.
//
// Invariants: device memory is Go memory, kept by whatever may still read it, so Free has nothing to do; a panic in a
// kernel ends its launch alone and is kept until the stream is asked; a launch allocates nothing.
package host

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

type device struct {
	pool *pool
}

// Describe says what Open would open.
func Describe() driver.Info {
	_, total, err := memory()
	if err != nil {
		total = 0
	}
	return driver.Info{Name: fmt.Sprintf("CPU, %d threads", runtime.GOMAXPROCS(0)), Arch: runtime.GOARCH, Memory: total}
}

// Open opens the CPU.
func Open() driver.Device { return &device{newPool()} }

func (d *device) Info() driver.Info { return Describe() }

func (d *device) Memory() (free, total int64, err error) { return memory() }

// Alloc refuses what the machine cannot hold, because the Go runtime would end the program over it.
func (d *device) Alloc(bytes int) (driver.Mem, bool, error) {
	free, total, err := memory()
	if err != nil {
		free, total = 1<<46, 1<<46
	}
	if int64(bytes) > total {
		return driver.Mem{}, false, &driver.OutOfMemory{Requested: int64(bytes), Available: free}
	}
	// Words, so that any element is aligned; one more, so that an empty view at the end points into the block.
	b := make([]uint64, (bytes+7)/8+1)
	return driver.Mem{Ptr: unsafe.Pointer(unsafe.SliceData(b))}, true, nil
}

func (d *device) Free(driver.Mem) error { return nil }

func (d *device) Close(bool) error {
	d.pool.close()
	return nil
}

// fn is a kernel and what is known of its speed.
type fn struct {
	name string
	run  driver.CPUFunc
	cost atomic.Int64 // picoseconds a point, of the launches so far; 0 is unknown
}

// MaxThreads does not bound the host: blocks are a matter of devices.
func (f *fn) MaxThreads() int { return 1 << 30 }

func (d *device) Load(k *driver.Kernel) (driver.Func, error) {
	if k.CPU == nil {
		return nil, &driver.LoadFailure{Arch: runtime.GOARCH, Driver: "host"}
	}
	return &fn{name: k.Name, run: k.CPU}, nil
}
