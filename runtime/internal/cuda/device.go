//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// Attributes of a device.
const (
	attributeMajor = 75
	attributeMinor = 76
)

type device struct {
	*library
	handle  int32
	info    driver.Info
	arch    int // 90 is sm_90
	current [1]uintptr
	strict  atomic.Bool // launches need the context to be current

	mu      sync.Mutex
	modules map[artifact]*module
}

// List describes the GPUs that the driver shows.
func List() ([]driver.Info, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	var n int32
	if err := l.call("cuDeviceGetCount", l.cuDeviceGetCount, uintptr(unsafe.Pointer(&n))); err != nil {
		return nil, err
	}
	list := make([]driver.Info, n)
	for i := range list {
		d := device{library: l}
		if err := d.describe(i); err != nil {
			return nil, err
		}
		list[i] = d.info
	}
	return list, nil
}

// describe finds the device and its properties.
func (d *device) describe(ordinal int) error {
	if err := d.library.call("cuDeviceGet", d.cuDeviceGet, uintptr(unsafe.Pointer(&d.handle)), uintptr(ordinal)); err != nil {
		return err
	}
	dev := uintptr(d.handle)
	var major, minor int32
	var total uint64
	name := make([]byte, 256)
	for _, err := range []error{
		d.library.call("cuDeviceGetAttribute", d.cuDeviceGetAttribute, uintptr(unsafe.Pointer(&major)), attributeMajor, dev),
		d.library.call("cuDeviceGetAttribute", d.cuDeviceGetAttribute, uintptr(unsafe.Pointer(&minor)), attributeMinor, dev),
		d.library.call("cuDeviceTotalMem", d.cuDeviceTotalMem, uintptr(unsafe.Pointer(&total)), dev),
		d.library.call("cuDeviceGetName", d.cuDeviceGetName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)-1), dev),
	} {
		if err != nil {
			return err
		}
	}
	d.arch = int(major)*10 + int(minor)
	d.info = driver.Info{Name: text(unsafe.Pointer(&name[0])), Arch: fmt.Sprintf("sm_%d", d.arch), Driver: d.driverVersion(), Memory: int64(total)}
	return nil
}

// Open opens GPU number ordinal and takes a share of its primary context, which all of a process have in common.
func Open(ordinal int) (driver.Device, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	var n int32
	if err := l.call("cuDeviceGetCount", l.cuDeviceGetCount, uintptr(unsafe.Pointer(&n))); err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= int(n) {
		return nil, fmt.Errorf("no GPU of that number; the driver shows %d", n)
	}
	d := &device{library: l, modules: map[artifact]*module{}}
	if err := d.describe(ordinal); err != nil {
		return nil, err
	}
	err = l.call("cuDevicePrimaryCtxRetain", l.cuDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&d.current[0])), uintptr(d.handle))
	if f, ok := err.(*driver.Fault); ok && f.Sticky {
		// The driver API's reference says of these codes that the process must be started again; neither a reset of the
		// primary context nor a context of one's own gets round it.
		return nil, fmt.Errorf("%w; a kernel's fault ended CUDA for this process, which has to be started again", err)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// call is one call of C in the device's context.
//
//go:uintptrescapes
func (d *device) call(op string, fn uintptr, args ...uintptr) error {
	before := d.enter()
	r, _, _ := purego.SyscallN(fn, args...)
	d.leave(before)
	return d.check(op, r)
}

// entry is what a thread had before a call made another context current. Its parts are on the heap, so that a launch
// allocates nothing and the address that the library writes to holds.
type entry struct {
	before [1]uintptr // the context, 0 for none
	get    [1]uintptr // the address of before
}

var entries = sync.Pool{New: func() any {
	e := new(entry)
	e.get[0] = uintptr(unsafe.Pointer(&e.before))
	return e
}}

// enter makes the context current on this thread, to which the goroutine is locked until leave.
func (d *device) enter() *entry {
	runtime.LockOSThread()
	e := entries.Get().(*entry)
	e.before[0] = 0
	purego.SyscallN(d.cuCtxGetCurrent, e.get[:]...)
	if e.before != d.current {
		purego.SyscallN(d.cuCtxSetCurrent, d.current[:]...)
	}
	return e
}

// leave gives the thread its context back: that of another GPU, whose calls may come from a goroutine that is locked to the
// thread, or of another library. A thread that had none keeps the device's, and the next call finds it there.
func (d *device) leave(e *entry) {
	if e.before[0] != 0 && e.before != d.current {
		purego.SyscallN(d.cuCtxSetCurrent, e.before[:]...)
	}
	entries.Put(e)
	runtime.UnlockOSThread()
}

func (d *device) Info() driver.Info { return d.info }

func (d *device) Memory() (free, total int64, err error) {
	var f, t uint64
	err = d.call("cuMemGetInfo", d.cuMemGetInfo, uintptr(unsafe.Pointer(&f)), uintptr(unsafe.Pointer(&t)))
	return int64(f), int64(t), err
}

func (d *device) Alloc(bytes int) (driver.Mem, bool, error) {
	var m driver.Mem
	err := d.call("cuMemAlloc", d.cuMemAlloc, uintptr(unsafe.Pointer(&m.Addr)), uintptr(bytes))
	if f, ok := err.(*driver.Fault); ok && f.Code == outOfMemory {
		free, _, _ := d.Memory()
		return m, false, &driver.OutOfMemory{Requested: int64(bytes), Available: free}
	}
	return m, false, err
}

func (d *device) Free(m driver.Mem) error { return d.call("cuMemFree", d.cuMemFree, m.Addr) }

// Close gives the share of the context back. A lost context is reset, so that the next share is of a fresh one also
// if somebody else in the process holds on to this one.
func (d *device) Close(lost bool) error {
	var first error
	if !lost {
		for _, m := range d.modules {
			if m.handle == 0 {
				continue
			}
			if err := d.call("cuModuleUnload", d.cuModuleUnload, m.handle); first == nil {
				first = err
			}
		}
	}
	if err := d.library.call("cuDevicePrimaryCtxRelease", d.cuDevicePrimaryCtxRelease, uintptr(d.handle)); first == nil {
		first = err
	}
	if lost {
		if err := d.library.call("cuDevicePrimaryCtxReset", d.cuDevicePrimaryCtxReset, uintptr(d.handle)); first == nil {
			first = err
		}
	}
	return first
}
