//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package opencl

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// What the calls need of cl.h.
const (
	typeCPU      = 1 << 1
	typeAll      = 0xffffffff
	platformName = 0x0902

	deviceType              = 0x1000
	deviceSingleFPConfig    = 0x101b
	deviceMaxMemAllocSize   = 0x1010
	deviceGlobalMemSize     = 0x101f
	deviceCompilerAvailable = 0x1028
	deviceName              = 0x102b
	driverVersion           = 0x102d
	deviceVersion           = 0x102f

	contextPlatform = 0x1084
	fpRoundedDivide = 1 << 7
	memReadWrite    = 1 << 0
	memCopyHostPtr  = 1 << 5
	memSize         = 0x1102
	queueProfiling  = 1 << 1
)

type device struct {
	*library
	platform, handle uintptr
	info             Info
	exact            bool  // divides floats, and takes their roots, correctly rounded
	largest          int64 // bytes of one allocation

	context uintptr
	used    atomic.Int64 // bytes allocated

	mu       sync.Mutex
	programs map[*string]*program
}

// devices finds the devices of all platforms, GPUs first.
func (l *library) devices() ([]*device, error) {
	var n uint32
	platforms := make([]uintptr, 64)
	err := l.call("clGetPlatformIDs", l.clGetPlatformIDs, uintptr(len(platforms)), uintptr(unsafe.Pointer(&platforms[0])), uintptr(unsafe.Pointer(&n)))
	if err != nil {
		return nil, err
	}
	var gpus, others []*device
	for _, p := range platforms[:min(int(n), len(platforms))] {
		ids := make([]uintptr, 64)
		err := l.call("clGetDeviceIDs", l.clGetDeviceIDs, p, typeAll, uintptr(len(ids)), uintptr(unsafe.Pointer(&ids[0])), uintptr(unsafe.Pointer(&n)))
		if err != nil {
			continue // a platform without devices, or a driver without its hardware
		}
		for _, id := range ids[:min(int(n), len(ids))] {
			d := &device{library: l, platform: p, handle: id, programs: map[*string]*program{}}
			switch err := d.describe(); {
			case err != nil:
				return nil, err
			case d.info.GPU:
				gpus = append(gpus, d)
			default:
				others = append(others, d)
			}
		}
	}
	return append(gpus, others...), nil
}

// describe finds out what the device is.
func (d *device) describe() error {
	var errs []error
	number := func(what uintptr, size uintptr) uint64 {
		var v uint64
		errs = append(errs, d.call("clGetDeviceInfo", d.clGetDeviceInfo, d.handle, what, size, uintptr(unsafe.Pointer(&v)), 0))
		return v
	}
	text := func(op string, fn, of, what uintptr) string {
		b := make([]byte, 1024)
		var n uintptr
		errs = append(errs, d.call(op, fn, of, what, uintptr(len(b)), uintptr(unsafe.Pointer(&b[0])), uintptr(unsafe.Pointer(&n))))
		return strings.TrimSpace(strings.TrimRight(string(b[:min(int(n), len(b))]), "\x00"))
	}
	kind := number(deviceType, 8)
	d.info.GPU = kind&typeCPU == 0
	d.info.Name = text("clGetDeviceInfo", d.clGetDeviceInfo, d.handle, deviceName)
	d.info.Memory = int64(number(deviceGlobalMemSize, 8))
	d.largest = int64(number(deviceMaxMemAllocSize, 8))
	version := strings.Fields(text("clGetDeviceInfo", d.clGetDeviceInfo, d.handle, deviceVersion)) // OpenCL 3.0 and more
	if len(version) > 1 {
		d.info.Arch = "OpenCL " + version[1]
	}
	d.info.Driver = text("clGetPlatformInfo", d.clGetPlatformInfo, d.platform, platformName) + " " + text("clGetDeviceInfo", d.clGetDeviceInfo, d.handle, driverVersion)
	d.exact = number(deviceSingleFPConfig, 8)&fpRoundedDivide != 0
	return errors.Join(errs...)
}

// List describes the devices that the installed drivers show, GPUs first.
func List() ([]Info, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	all, err := l.devices()
	if err != nil {
		return nil, err
	}
	list := make([]Info, len(all))
	for i, d := range all {
		list[i] = d.info
	}
	return list, nil
}

// Open opens a device, by its place in List, with a context of its own.
func Open(ordinal int) (driver.Device, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	all, err := l.devices()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(all) {
		return nil, fmt.Errorf("no OpenCL device of that number; the drivers show %d", len(all))
	}
	d := all[ordinal]
	if v := strings.TrimPrefix(d.info.Arch, "OpenCL "); v == "1.0" || v == "1.1" || v == "" {
		return nil, fmt.Errorf("%s has OpenCL %q; 1.2 is the oldest that gpugen's kernels run on", d.info.Name, v)
	}
	var compiles uint32
	if err := d.call("clGetDeviceInfo", d.clGetDeviceInfo, d.handle, deviceCompilerAvailable, 4, uintptr(unsafe.Pointer(&compiles)), 0); err != nil {
		return nil, err
	}
	if compiles == 0 {
		return nil, fmt.Errorf("the OpenCL driver of %s has no compiler", d.info.Name)
	}
	var code int32
	properties := []uintptr{contextPlatform, d.platform, 0}
	d.context, err = d.create("clCreateContext", d.clCreateContext, &code, uintptr(unsafe.Pointer(&properties[0])), 1, uintptr(unsafe.Pointer(&d.handle)), 0, 0, uintptr(unsafe.Pointer(&code)))
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (d *device) Info() driver.Info { return d.info.Info }

// Memory is an estimate: OpenCL tells what a device has and not what is free, so only what this process took through
// this device is counted.
func (d *device) Memory() (free, total int64, err error) {
	return max(0, d.info.Memory-d.used.Load()), d.info.Memory, nil
}

func (d *device) Alloc(bytes int) (driver.Mem, bool, error) {
	// Drivers give memory lazily, so that too much is found late, by a launch, or never; this much is known.
	free, _, _ := d.Memory()
	full := &driver.OutOfMemory{Requested: int64(bytes), Available: min(free, d.largest)}
	if full.Requested > full.Available {
		return driver.Mem{}, false, full
	}
	var code int32
	h, err := d.create("clCreateBuffer", d.clCreateBuffer, &code, d.context, memReadWrite, uintptr(bytes), 0, uintptr(unsafe.Pointer(&code)))
	switch code {
	case 0:
		d.used.Add(int64(bytes))
	case allocationFailure, outOfResources, outOfHostMemory, invalidBufferSize:
		return driver.Mem{}, false, full
	}
	return driver.Mem{Addr: h}, false, err
}

func (d *device) Free(m driver.Mem) error {
	var bytes uintptr
	if err := d.call("clGetMemObjectInfo", d.clGetMemObjectInfo, m.Addr, memSize, unsafe.Sizeof(bytes), uintptr(unsafe.Pointer(&bytes)), 0); err != nil {
		return err
	}
	d.used.Add(-int64(bytes))
	return d.call("clReleaseMemObject", d.clReleaseMemObject, m.Addr)
}

// Close gives programs and context back. The objects are the host's, so that a lost device changes nothing.
func (d *device) Close(bool) error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, p := range d.programs {
		for _, f := range p.functions {
			keep(d.call("clReleaseKernel", d.clReleaseKernel, f.handle))
		}
		if p.handle != 0 {
			keep(d.call("clReleaseProgram", d.clReleaseProgram, p.handle))
		}
	}
	keep(d.call("clReleaseContext", d.clReleaseContext, d.context))
	return first
}
