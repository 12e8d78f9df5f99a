package clrun

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// driver is an OpenCL device in this process, with a context and an in-order queue. One call at a time is in it.
type driver struct {
	Facts
	lib                    uintptr
	device, context, queue uintptr
}

// What the calls need of cl.h.
const (
	platformName            = 0x0902
	deviceTypeGPU           = 1 << 2
	deviceTypeAll           = 0xffffffff
	deviceName              = 0x102b
	driverVersion           = 0x102d
	deviceVersion           = 0x102f
	deviceSingleFPConfig    = 0x101b
	deviceExtensions        = 0x1030
	programBuildLog         = 0x1183
	kernelCompileGroupSize  = 0x11b1
	fpCorrectlyRoundedDiv   = 1 << 7
	memReadWriteCopyHostPtr = 1<<0 | 1<<5
)

// open finds the first GPU of this machine, or the first device if it has none, as the runtime does.
func open() (*driver, error) {
	lib, err := dlopen()
	if err != nil {
		return nil, fmt.Errorf("clrun: %w", err)
	}
	d := &driver{lib: lib}
	n, platforms := new(uint32), make([]uintptr, 16)
	if r := d.try("clGetPlatformIDs", len(platforms), unsafe.Pointer(&platforms[0]), unsafe.Pointer(n)); r != 0 || *n == 0 {
		return nil, fmt.Errorf("clrun: no OpenCL platform (error %d)", r)
	}
	var platform uintptr
	for _, kind := range []int{deviceTypeGPU, deviceTypeAll} {
		for _, p := range platforms[:min(int(*n), len(platforms))] {
			id := new(uintptr)
			if d.device == 0 && d.try("clGetDeviceIDs", p, kind, 1, unsafe.Pointer(id), 0) == 0 {
				platform, d.device = p, *id
			}
		}
	}
	if d.device == 0 {
		return nil, fmt.Errorf("clrun: no OpenCL device")
	}
	var maker, version, extensions string
	for _, ask := range []struct {
		function string
		of       uintptr
		what     int
		answer   *string
	}{
		{"clGetPlatformInfo", platform, platformName, &maker},
		{"clGetDeviceInfo", d.device, driverVersion, &version},
		{"clGetDeviceInfo", d.device, deviceName, &d.Name},
		{"clGetDeviceInfo", d.device, deviceVersion, &d.On},
		{"clGetDeviceInfo", d.device, deviceExtensions, &extensions},
	} {
		text := make([]byte, 1<<16)
		if err := d.call(ask.function, ask.of, ask.what, len(text)-1, unsafe.Pointer(&text[0]), 0); err != nil {
			return nil, err
		}
		*ask.answer = strings.TrimSpace(string(text[:bytes.IndexByte(text, 0)]))
	}
	d.Driver, d.Extensions = maker+" "+version, strings.Fields(extensions)
	config := new(uint64)
	if err := d.call("clGetDeviceInfo", d.device, deviceSingleFPConfig, 8, unsafe.Pointer(config), 0); err != nil {
		return nil, err
	}
	d.Exact = *config&fpCorrectlyRoundedDiv != 0
	if d.context, err = d.make("clCreateContext", 0, 1, unsafe.Pointer(&d.device), 0, 0); err != nil {
		return nil, err
	}
	d.queue, err = d.make("clCreateCommandQueue", d.context, d.device, 0)
	return d, err
}

// try calls a function with ints, handles and pointers. A pointer becomes a number only here: what it points to must
// not move with a goroutine's stack, and an interface keeps it on the heap.
func (d *driver) try(name string, args ...any) int {
	r := d.raw(name, args...)
	return int(int32(r))
}

func (d *driver) raw(name string, args ...any) uintptr {
	f, err := dlsym(d.lib, name)
	if err != nil {
		panic("clrun: " + err.Error())
	}
	words := make([]uintptr, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case int:
			words[i] = uintptr(a)
		case uintptr:
			words[i] = a
		case unsafe.Pointer:
			words[i] = uintptr(a)
		default:
			panic(fmt.Sprintf("clrun: %s: argument %d is a %T", name, i, a))
		}
	}
	r, _, _ := purego.SyscallN(f, words...)
	runtime.KeepAlive(args)
	return r
}

func (d *driver) call(name string, args ...any) error {
	if r := d.try(name, args...); r != 0 {
		return fmt.Errorf("clrun: %s: OpenCL error %d", name, r)
	}
	return nil
}

// make calls a function that gives a handle and an error behind its last argument.
func (d *driver) make(name string, args ...any) (uintptr, error) {
	code := new(int32)
	h := d.raw(name, append(args, unsafe.Pointer(code))...)
	if *code != 0 {
		return 0, fmt.Errorf("clrun: %s: OpenCL error %d", name, *code)
	}
	return h, nil
}

// program is compiled text.
type program struct {
	d       *driver
	handle  uintptr
	kernels map[string]uintptr
	log     string
}

func (d *driver) build(text, options string) (*program, error) {
	source, opts := append([]byte(text), 0), append([]byte(options), 0)
	at := new(unsafe.Pointer)
	*at = unsafe.Pointer(&source[0])
	h, err := d.make("clCreateProgramWithSource", d.context, 1, unsafe.Pointer(at), 0)
	runtime.KeepAlive(source)
	if err != nil {
		return nil, err
	}
	r := d.try("clBuildProgram", h, 1, unsafe.Pointer(&d.device), unsafe.Pointer(&opts[0]), 0, 0)
	log := make([]byte, 1<<16)
	d.try("clGetProgramBuildInfo", h, d.device, programBuildLog, len(log)-1, unsafe.Pointer(&log[0]), 0)
	said := strings.TrimSpace(string(log[:bytes.IndexByte(log, 0)]))
	if r != 0 {
		d.try("clReleaseProgram", h)
		return nil, fmt.Errorf("clrun: clBuildProgram: OpenCL error %d\n%s", r, said)
	}
	return &program{d: d, handle: h, kernels: map[string]uintptr{}, log: said}, nil
}

func (p *program) close() {
	for _, k := range p.kernels {
		p.d.try("clReleaseKernel", k)
	}
	p.d.try("clReleaseProgram", p.handle)
}

// guard is the number of elements before a view, and after it.
const guard = 5

// run launches a kernel, waits, and writes what it left into the views' Data.
func (p *program) run(entry string, grid, block [3]int, args []Arg) (err error) {
	d := p.d
	k, ok := p.kernels[entry]
	if !ok {
		name := append([]byte(entry), 0)
		if k, err = d.make("clCreateKernel", p.handle, unsafe.Pointer(&name[0])); err != nil {
			return fmt.Errorf("%s: %w", entry, err)
		}
		p.kernels[entry] = k
	}
	n := 0
	set := func(size int, at unsafe.Pointer) {
		if e := d.call("clSetKernelArg", k, n, size, at); err == nil && e != nil {
			err = fmt.Errorf("%s, argument %d: %w", entry, n, e)
		}
		n++
	}
	memory := make([]*region, len(args))
	defer func() {
		for _, m := range memory {
			if m != nil && m.owned {
				d.try("clReleaseMemObject", m.handle)
			}
		}
	}()
	for i, a := range args {
		if a.Elem == 0 {
			value := bytes.Clone(a.Data)
			set(len(value), unsafe.Pointer(&value[0]))
			continue
		}
		m := &region{first: guard * a.Elem}
		if a.Part {
			m.handle, m.first = memory[a.Of].handle, memory[a.Of].first+a.Offset
		} else {
			m.owned = true
			m.before = bytes.Repeat([]byte{0xA5}, len(a.Data)+2*m.first)
			copy(m.before[m.first:], a.Data)
			if m.handle, err = d.make("clCreateBuffer", d.context, memReadWriteCopyHostPtr, len(m.before), unsafe.Pointer(&m.before[0])); err != nil {
				return err
			}
		}
		memory[i] = m
		set(8, unsafe.Pointer(&m.handle))
		at := new(uint64)
		*at = uint64(m.first / a.Elem)
		set(8, unsafe.Pointer(at))
	}
	if err != nil {
		return err
	}
	global, local := new([3]uintptr), new([3]uintptr)
	if err := d.call("clGetKernelWorkGroupInfo", k, d.device, kernelCompileGroupSize, int(unsafe.Sizeof(*local)), unsafe.Pointer(local), 0); err != nil {
		return fmt.Errorf("%s: %w", entry, err)
	}
	wanted, row := [3]uintptr{uintptr(block[0]), uintptr(block[1]), uintptr(block[2])}, [3]uintptr{uintptr(block[0] * block[1] * block[2]), 1, 1}
	if *local == [3]uintptr{} {
		*local = wanted
	}
	if *local != wanted && *local != row {
		return fmt.Errorf("%s: blocks of %v threads, the text demands %v", entry, block, *local)
	}
	for i := range 3 {
		global[i] = uintptr(grid[i]) * local[i]
	}
	if err := d.call("clEnqueueNDRangeKernel", d.queue, k, 3, 0, unsafe.Pointer(global), unsafe.Pointer(local), 0, 0, 0); err != nil {
		return fmt.Errorf("%s: %w", entry, err)
	}
	if err := d.call("clFinish", d.queue); err != nil {
		return fmt.Errorf("%s: %w", entry, err)
	}
	for i, m := range memory {
		if m == nil || !m.owned {
			continue
		}
		after := make([]byte, len(m.before))
		if err := d.call("clEnqueueReadBuffer", d.queue, m.handle, 1, 0, len(after), unsafe.Pointer(&after[0]), 0, 0, 0); err != nil {
			return err
		}
		end := m.first + len(args[i].Data)
		if !bytes.Equal(after[:m.first], m.before[:m.first]) || !bytes.Equal(after[end:], m.before[end:]) {
			return fmt.Errorf("%s: memory beside argument %d was written", entry, i)
		}
		copy(args[i].Data, after[m.first:end])
	}
	return nil
}

// region is where a view lies.
type region struct {
	handle uintptr
	first  int // byte of the view in the buffer
	before []byte
	owned  bool
}
