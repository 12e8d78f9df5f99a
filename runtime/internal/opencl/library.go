//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package opencl

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/ebitengine/purego"

	"github.com/gpugen/gpugen/runtime/internal/dl"
	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// library is the OpenCL library, as a rule the loader of the installed drivers: the addresses of its functions, under
// their C names. All of them are in OpenCL 1.2.
type library struct {
	path string

	clGetPlatformIDs, clGetPlatformInfo, clGetDeviceIDs, clGetDeviceInfo                uintptr
	clCreateContext, clReleaseContext                                                   uintptr
	clCreateCommandQueue, clReleaseCommandQueue, clFlush, clFinish                      uintptr
	clCreateBuffer, clReleaseMemObject, clGetMemObjectInfo                              uintptr
	clEnqueueReadBuffer, clEnqueueWriteBuffer, clEnqueueCopyBuffer, clEnqueueFillBuffer uintptr
	clCreateProgramWithSource, clBuildProgram, clGetProgramBuildInfo, clReleaseProgram  uintptr
	clCreateKernel, clReleaseKernel, clSetKernelArg, clGetKernelWorkGroupInfo           uintptr
	clEnqueueNDRangeKernel, clEnqueueMarkerWithWaitList, clEnqueueBarrierWithWaitList   uintptr
	clWaitForEvents, clGetEventInfo, clGetEventProfilingInfo, clRetainEvent             uintptr
	clReleaseEvent                                                                      uintptr
}

func (l *library) symbols() map[string]*uintptr {
	return map[string]*uintptr{
		"clGetPlatformIDs": &l.clGetPlatformIDs, "clGetPlatformInfo": &l.clGetPlatformInfo,
		"clGetDeviceIDs": &l.clGetDeviceIDs, "clGetDeviceInfo": &l.clGetDeviceInfo,
		"clCreateContext": &l.clCreateContext, "clReleaseContext": &l.clReleaseContext,
		"clCreateCommandQueue": &l.clCreateCommandQueue, "clReleaseCommandQueue": &l.clReleaseCommandQueue,
		"clFlush": &l.clFlush, "clFinish": &l.clFinish,
		"clCreateBuffer": &l.clCreateBuffer, "clReleaseMemObject": &l.clReleaseMemObject, "clGetMemObjectInfo": &l.clGetMemObjectInfo,
		"clEnqueueReadBuffer": &l.clEnqueueReadBuffer, "clEnqueueWriteBuffer": &l.clEnqueueWriteBuffer,
		"clEnqueueCopyBuffer": &l.clEnqueueCopyBuffer, "clEnqueueFillBuffer": &l.clEnqueueFillBuffer,
		"clCreateProgramWithSource": &l.clCreateProgramWithSource, "clBuildProgram": &l.clBuildProgram,
		"clGetProgramBuildInfo": &l.clGetProgramBuildInfo, "clReleaseProgram": &l.clReleaseProgram,
		"clCreateKernel": &l.clCreateKernel, "clReleaseKernel": &l.clReleaseKernel, "clSetKernelArg": &l.clSetKernelArg,
		"clGetKernelWorkGroupInfo": &l.clGetKernelWorkGroupInfo, "clEnqueueNDRangeKernel": &l.clEnqueueNDRangeKernel,
		"clEnqueueMarkerWithWaitList": &l.clEnqueueMarkerWithWaitList, "clEnqueueBarrierWithWaitList": &l.clEnqueueBarrierWithWaitList,
		"clWaitForEvents": &l.clWaitForEvents, "clGetEventInfo": &l.clGetEventInfo,
		"clGetEventProfilingInfo": &l.clGetEventProfilingInfo, "clRetainEvent": &l.clRetainEvent, "clReleaseEvent": &l.clReleaseEvent,
	}
}

// candidates are the loader's path, and NixOS; on Windows the full path, so that no other folder of the search order can supply
// one.
func candidates() []string {
	if runtime.GOOS == "windows" {
		return []string{filepath.Join(os.Getenv("SystemRoot"), "System32", "OpenCL.dll")}
	}
	return []string{"libOpenCL.so.1", "libOpenCL.so", "/run/opengl-driver/lib/libOpenCL.so.1"}
}

// load opens the library, once a process. GPUGEN_OPENCL names it where it lies elsewhere.
var load = sync.OnceValues(func() (*library, error) {
	handle, path, err := dl.Open("GPUGEN_OPENCL", candidates())
	if err != nil {
		return nil, fmt.Errorf("opencl: no OpenCL library (install a GPU's driver and ocl-icd, or set GPUGEN_OPENCL to its path): %w", err)
	}
	l := &library{path: path}
	if missing, err := dl.Bind(handle, l.symbols()); err != nil {
		return nil, fmt.Errorf("opencl: %s has no %s; it is older than OpenCL 1.2: %w", path, missing, err)
	}
	return l, nil
})

// call is one call of C that gives a code.
//
//go:uintptrescapes
func (l *library) call(op string, fn uintptr, args ...uintptr) error {
	r, _, _ := purego.SyscallN(fn, args...)
	return check(op, r)
}

// create is one call of C that gives a handle, and a code where code points, which the arguments name last.
//
//go:uintptrescapes
func (l *library) create(op string, fn uintptr, code *int32, args ...uintptr) (uintptr, error) {
	h, _, _ := purego.SyscallN(fn, args...)
	if *code != 0 {
		return 0, fault(op, *code)
	}
	return h, nil
}

func check(op string, r uintptr) error {
	if code := int32(r); code != 0 {
		return fault(op, code)
	}
	return nil
}

func fault(op string, code int32) *driver.Fault {
	return &driver.Fault{Op: op, Code: int(code), Name: codes[code], Sticky: code == deviceNotAvailable}
}

// Codes that mean something here.
const (
	deviceNotAvailable  = -2
	allocationFailure   = -4
	outOfResources      = -5
	outOfHostMemory     = -6
	buildProgramFailure = -11
	invalidKernelName   = -46
	invalidBufferSize   = -61
)

// codes are the names of cl.h.
var codes = map[int32]string{
	-1: "CL_DEVICE_NOT_FOUND", -2: "CL_DEVICE_NOT_AVAILABLE", -3: "CL_COMPILER_NOT_AVAILABLE", -4: "CL_MEM_OBJECT_ALLOCATION_FAILURE",
	-5: "CL_OUT_OF_RESOURCES", -6: "CL_OUT_OF_HOST_MEMORY", -7: "CL_PROFILING_INFO_NOT_AVAILABLE", -8: "CL_MEM_COPY_OVERLAP",
	-9: "CL_IMAGE_FORMAT_MISMATCH", -10: "CL_IMAGE_FORMAT_NOT_SUPPORTED", -11: "CL_BUILD_PROGRAM_FAILURE", -12: "CL_MAP_FAILURE",
	-13: "CL_MISALIGNED_SUB_BUFFER_OFFSET", -14: "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", -15: "CL_COMPILE_PROGRAM_FAILURE",
	-16: "CL_LINKER_NOT_AVAILABLE", -17: "CL_LINK_PROGRAM_FAILURE", -18: "CL_DEVICE_PARTITION_FAILED", -19: "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
	-30: "CL_INVALID_VALUE", -31: "CL_INVALID_DEVICE_TYPE", -32: "CL_INVALID_PLATFORM", -33: "CL_INVALID_DEVICE", -34: "CL_INVALID_CONTEXT",
	-35: "CL_INVALID_QUEUE_PROPERTIES", -36: "CL_INVALID_COMMAND_QUEUE", -37: "CL_INVALID_HOST_PTR", -38: "CL_INVALID_MEM_OBJECT",
	-42: "CL_INVALID_BINARY", -43: "CL_INVALID_BUILD_OPTIONS", -44: "CL_INVALID_PROGRAM", -45: "CL_INVALID_PROGRAM_EXECUTABLE",
	-46: "CL_INVALID_KERNEL_NAME", -47: "CL_INVALID_KERNEL_DEFINITION", -48: "CL_INVALID_KERNEL", -49: "CL_INVALID_ARG_INDEX",
	-50: "CL_INVALID_ARG_VALUE", -51: "CL_INVALID_ARG_SIZE", -52: "CL_INVALID_KERNEL_ARGS", -53: "CL_INVALID_WORK_DIMENSION",
	-54: "CL_INVALID_WORK_GROUP_SIZE", -55: "CL_INVALID_WORK_ITEM_SIZE", -56: "CL_INVALID_GLOBAL_OFFSET", -57: "CL_INVALID_EVENT_WAIT_LIST",
	-58: "CL_INVALID_EVENT", -59: "CL_INVALID_OPERATION", -61: "CL_INVALID_BUFFER_SIZE", -63: "CL_INVALID_GLOBAL_WORK_SIZE",
	-1001: "CL_PLATFORM_NOT_FOUND_KHR",
}
