//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpugen/gpugen/runtime/internal/dl"
	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// library is the CUDA driver library: the addresses of its functions, under their C names.
type library struct {
	path    string
	version int // 13000 is CUDA 13.0

	cuInit, cuDriverGetVersion, cuGetErrorName, cuGetErrorString uintptr

	cuDeviceGetCount, cuDeviceGet, cuDeviceGetName, cuDeviceGetAttribute, cuDeviceTotalMem         uintptr
	cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxReset                   uintptr
	cuCtxGetCurrent, cuCtxSetCurrent                                                               uintptr
	cuMemGetInfo, cuMemAlloc, cuMemFree, cuMemsetD8Async                                           uintptr
	cuMemcpyHtoDAsync, cuMemcpyDtoHAsync, cuMemcpyDtoDAsync                                        uintptr
	cuStreamCreate, cuStreamDestroy, cuStreamSynchronize, cuStreamWaitEvent                        uintptr
	cuEventCreate, cuEventDestroy, cuEventRecord, cuEventSynchronize, cuEventQuery, cuEventElapsed uintptr
	cuModuleLoadDataEx, cuModuleUnload, cuModuleGetFunction, cuFuncGetAttribute, cuLaunchKernel    uintptr
}

// symbols are the exported names. Those with a suffix are what cuda.h maps the plain ones to.
func (l *library) symbols() map[string]*uintptr {
	return map[string]*uintptr{
		"cuInit": &l.cuInit, "cuDriverGetVersion": &l.cuDriverGetVersion,
		"cuGetErrorName": &l.cuGetErrorName, "cuGetErrorString": &l.cuGetErrorString,
		"cuDeviceGetCount": &l.cuDeviceGetCount, "cuDeviceGet": &l.cuDeviceGet, "cuDeviceGetName": &l.cuDeviceGetName,
		"cuDeviceGetAttribute": &l.cuDeviceGetAttribute, "cuDeviceTotalMem_v2": &l.cuDeviceTotalMem,
		"cuDevicePrimaryCtxRetain": &l.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRelease_v2": &l.cuDevicePrimaryCtxRelease,
		"cuDevicePrimaryCtxReset_v2": &l.cuDevicePrimaryCtxReset, "cuCtxGetCurrent": &l.cuCtxGetCurrent, "cuCtxSetCurrent": &l.cuCtxSetCurrent,
		"cuMemGetInfo_v2": &l.cuMemGetInfo, "cuMemAlloc_v2": &l.cuMemAlloc, "cuMemFree_v2": &l.cuMemFree,
		"cuMemsetD8Async": &l.cuMemsetD8Async, "cuMemcpyHtoDAsync_v2": &l.cuMemcpyHtoDAsync,
		"cuMemcpyDtoHAsync_v2": &l.cuMemcpyDtoHAsync, "cuMemcpyDtoDAsync_v2": &l.cuMemcpyDtoDAsync,
		"cuStreamCreate": &l.cuStreamCreate, "cuStreamDestroy_v2": &l.cuStreamDestroy,
		"cuStreamSynchronize": &l.cuStreamSynchronize, "cuStreamWaitEvent": &l.cuStreamWaitEvent,
		"cuEventCreate": &l.cuEventCreate, "cuEventDestroy_v2": &l.cuEventDestroy, "cuEventRecord": &l.cuEventRecord,
		"cuEventSynchronize": &l.cuEventSynchronize, "cuEventQuery": &l.cuEventQuery, "cuEventElapsedTime": &l.cuEventElapsed,
		"cuModuleLoadDataEx": &l.cuModuleLoadDataEx, "cuModuleUnload": &l.cuModuleUnload,
		"cuModuleGetFunction": &l.cuModuleGetFunction, "cuFuncGetAttribute": &l.cuFuncGetAttribute,
		"cuLaunchKernel": &l.cuLaunchKernel,
	}
}

// candidates are where drivers put the library: the loader's path, WSL and NixOS; on Windows its full path, so that no other
// folder of the search order can supply one.
func candidates() []string {
	if runtime.GOOS == "windows" {
		return []string{filepath.Join(os.Getenv("SystemRoot"), "System32", "nvcuda.dll")}
	}
	return []string{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "/run/opengl-driver/lib/libcuda.so.1"}
}

// load opens and initialises the library, once a process. GPUGEN_CUDA names it where it lies elsewhere.
var load = sync.OnceValues(func() (*library, error) {
	handle, path, err := dl.Open("GPUGEN_CUDA", candidates())
	if err != nil {
		return nil, fmt.Errorf("cuda: no NVIDIA driver library (install the driver, or set GPUGEN_CUDA to its path): %w", err)
	}
	l := &library{path: path}
	if missing, err := dl.Bind(handle, l.symbols()); err != nil {
		return nil, fmt.Errorf("cuda: %s has no %s; it is older than CUDA 11: %w", path, missing, err)
	}
	var v int32
	if err := l.call("cuDriverGetVersion", l.cuDriverGetVersion, uintptr(unsafe.Pointer(&v))); err != nil {
		return nil, err
	}
	l.version = int(v)
	return l, l.call("cuInit", l.cuInit, 0)
})

// call is one call of C that needs no context.
//
//go:uintptrescapes
func (l *library) call(op string, fn uintptr, args ...uintptr) error {
	r, _, _ := purego.SyscallN(fn, args...)
	return l.check(op, r)
}

// driverVersion is the newest CUDA that the driver serves.
func (l *library) driverVersion() string {
	return fmt.Sprintf("CUDA %d.%d", l.version/1000, l.version%1000/10)
}

// Codes of CUresult that mean something here.
const (
	outOfMemory           = 2
	unsupportedPTXVersion = 222
	notReady              = 600
)

// sticky are the codes after which the context gives nothing but errors.
var sticky = map[int]bool{
	214: true, // ECC uncorrectable
	220: true, // NVLink uncorrectable
	226: true, // contained
	700: true, // illegal address
	702: true, // launch timeout
	709: true, // context is destroyed
	710: true, // assert
	714: true, // hardware stack error
	715: true, // illegal instruction
	716: true, // misaligned address
	717: true, // invalid address space
	718: true, // invalid program counter
	719: true, // launch failed
}

// check turns the result of op into an error.
func (l *library) check(op string, r uintptr) error {
	code := int(uint32(r))
	if code == 0 {
		return nil
	}
	f := &driver.Fault{Op: op, Code: code, Sticky: sticky[code]}
	var p unsafe.Pointer
	purego.SyscallN(l.cuGetErrorName, uintptr(code), uintptr(unsafe.Pointer(&p)))
	f.Name = text(p)
	p = nil
	purego.SyscallN(l.cuGetErrorString, uintptr(code), uintptr(unsafe.Pointer(&p)))
	f.Message = text(p)
	return f
}

// text copies a C string, which stays the library's.
func text(p unsafe.Pointer) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}
