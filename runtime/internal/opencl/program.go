//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package opencl

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// What the calls need of cl.h.
const (
	programBuildLog            = 0x1183
	kernelWorkGroupSize        = 0x11b0
	kernelCompileWorkGroupSize = 0x11b1
)

// options are those that codegen/opencl states.
const (
	exactOptions   = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
	inexactOptions = "-cl-std=CL1.2 -DGPUGEN_INEXACT_DIVISION"
)

// program is a source that was compiled, or why it could not be.
type program struct {
	handle    uintptr
	err       error
	functions map[string]*function
}

// function is a kernel object. Its arguments are its state: mu is held from setting the first to enqueuing.
type function struct {
	mu         sync.Mutex
	handle     uintptr
	maxThreads int
	block      [3]uintptr // as many threads, in the shape that the source demands; zeros: it demands none
}

func (f *function) MaxThreads() int { return f.maxThreads }

// Load compiles the kernel's file, once, and finds its entry.
func (d *device) Load(k *driver.Kernel) (driver.Func, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fail := &driver.LoadFailure{Arch: d.info.Arch, Driver: d.info.Driver}
	if k.Code == nil || k.Code.OpenCL == nil {
		return nil, fail
	}
	p := d.programs[k.Code.OpenCL]
	if p == nil {
		p = d.compile(*k.Code.OpenCL)
		if f, ok := p.err.(*driver.Fault); ok && f.Sticky {
			return nil, f // says nothing about the source
		}
		d.programs[k.Code.OpenCL] = p
	}
	err := p.err
	if err == nil {
		var f *function
		if f, err = d.function(p, k.Entry); err == nil {
			return f, nil
		}
		if e, ok := err.(*driver.Fault); ok && e.Code == invalidKernelName {
			if lacks := conditions(*k.Code.OpenCL, k.Entry); len(lacks) > 0 {
				return nil, &driver.Unsupported{Why: "the device lacks " + strings.Join(lacks, " or ")}
			}
		}
	}
	fail.Tried = append(fail.Tried, driver.Attempt{Artifact: k.Code.Label(".cl", "OpenCL C"), Err: err})
	return nil, fail
}

// compile builds a program from source.
func (d *device) compile(source string) *program {
	var code int32
	text := append([]byte(source), 0)
	lines := []unsafe.Pointer{unsafe.Pointer(&text[0])}
	h, err := d.create("clCreateProgramWithSource", d.clCreateProgramWithSource, &code, d.context, 1, uintptr(unsafe.Pointer(&lines[0])), 0, uintptr(unsafe.Pointer(&code)))
	runtime.KeepAlive(text)
	if err != nil {
		return &program{err: err}
	}
	opts := exactOptions
	if !d.exact {
		opts = inexactOptions
	}
	options := append([]byte(opts), 0)
	err = d.call("clBuildProgram", d.clBuildProgram, h, 1, uintptr(unsafe.Pointer(&d.handle)), uintptr(unsafe.Pointer(&options[0])), 0, 0)
	if err == nil {
		return &program{handle: h, functions: map[string]*function{}}
	}
	log := d.buildLog(h)
	d.call("clReleaseProgram", d.clReleaseProgram, h)
	if f, ok := err.(*driver.Fault); ok && (f.Code == buildProgramFailure || log != "") {
		return &program{err: &driver.CompileFailure{Source: source, Log: fmt.Sprintf("%v\n%s", err, mapped(log, source))}}
	}
	return &program{err: err}
}

func (d *device) buildLog(program uintptr) string {
	var n uintptr
	if d.call("clGetProgramBuildInfo", d.clGetProgramBuildInfo, program, d.handle, programBuildLog, 0, 0, uintptr(unsafe.Pointer(&n))) != nil || n == 0 {
		return ""
	}
	b := make([]byte, n)
	if d.call("clGetProgramBuildInfo", d.clGetProgramBuildInfo, program, d.handle, programBuildLog, n, uintptr(unsafe.Pointer(&b[0])), 0) != nil {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(string(b), "\x00"))
}

// function finds an entry.
func (d *device) function(p *program, entry string) (*function, error) {
	if f := p.functions[entry]; f != nil {
		return f, nil
	}
	var code int32
	name := append([]byte(entry), 0)
	h, err := d.create("clCreateKernel", d.clCreateKernel, &code, p.handle, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&code)))
	if err != nil {
		if f, ok := err.(*driver.Fault); ok {
			f.Message = "kernel " + entry
		}
		return nil, err
	}
	f := &function{handle: h}
	var n uintptr
	if err := d.call("clGetKernelWorkGroupInfo", d.clGetKernelWorkGroupInfo, h, d.handle, kernelWorkGroupSize, unsafe.Sizeof(n), uintptr(unsafe.Pointer(&n)), 0); err != nil {
		return nil, err
	}
	f.maxThreads = int(n)
	if err := d.call("clGetKernelWorkGroupInfo", d.clGetKernelWorkGroupInfo, h, d.handle, kernelCompileWorkGroupSize, unsafe.Sizeof(f.block), uintptr(unsafe.Pointer(&f.block)), 0); err != nil {
		return nil, err
	}
	p.functions[entry] = f
	return f, nil
}
