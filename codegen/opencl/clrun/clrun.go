// Package clrun turns OpenCL C into results: it compiles the text with the driver of an OpenCL device of this machine and
// launches its kernels as a slot table says. PoCL, which needs no GPU, is such a device.
//
// Tests of the compiler use it and nothing else does: the runtime has a complete binding, which may not be the judge of
// the text that it loads. Every view lies at an odd element of its buffer between guards, so that a hidden offset that
// is wrong, or a write beside a view, fails the launch.
package clrun

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Remedy says how to get a device.
const Remedy = "run make setup, which installs PoCL (Debian, Ubuntu: apt-get install pocl-opencl-icd ocl-icd-libopencl1)"

// Device is an OpenCL device with a context and an in-order queue. One call at a time is in it.
type Device struct {
	Name  string
	On    string // the version that the driver tells, with its own name
	Exact bool   // divides floats and takes their roots correctly rounded

	extensions map[string]bool

	lib                    uintptr
	device, context, queue uintptr
	mu                     sync.Mutex
}

// What the calls need of cl.h.
const (
	deviceTypeAll           = 0xffffffff
	deviceName              = 0x102b
	deviceVersion           = 0x102f
	deviceSingleFPConfig    = 0x101b
	deviceExtensions        = 0x1030
	programBuildLog         = 0x1183
	kernelCompileGroupSize  = 0x11b1
	fpCorrectlyRoundedDiv   = 1 << 7
	memReadWriteCopyHostPtr = 1<<0 | 1<<5
)

// poclMethod is how PoCL makes work groups of work items. Left alone, PoCL 3.1 copies the text for each item of a group of one
// or two, and then stops at an assertion of its own where a loop with a barrier holds another loop.
const poclMethod = "POCL_WORK_GROUP_METHOD"

// Open finds the first device of this machine, once a process.
var Open = sync.OnceValues(func() (*Device, error) {
	if os.Getenv(poclMethod) == "" {
		os.Setenv(poclMethod, "loopvec")
	}
	lib, err := dlopen()
	if err != nil {
		return nil, fmt.Errorf("clrun: %w", err)
	}
	d := &Device{lib: lib}
	n, platforms := new(uint32), make([]uintptr, 16)
	if r := d.try("clGetPlatformIDs", len(platforms), unsafe.Pointer(&platforms[0]), unsafe.Pointer(n)); r != 0 || *n == 0 {
		return nil, fmt.Errorf("clrun: no OpenCL platform (error %d)", r)
	}
	for _, p := range platforms[:min(int(*n), len(platforms))] {
		id := new(uintptr)
		if d.try("clGetDeviceIDs", p, deviceTypeAll, 1, unsafe.Pointer(id), 0) == 0 {
			d.device = *id
			break
		}
	}
	if d.device == 0 {
		return nil, fmt.Errorf("clrun: no OpenCL device")
	}
	name, config := make([]byte, 256), new(uint64)
	if err := d.call("clGetDeviceInfo", d.device, deviceName, len(name)-1, unsafe.Pointer(&name[0]), 0); err != nil {
		return nil, err
	}
	d.Name = string(name[:bytes.IndexByte(name, 0)])
	if err := d.call("clGetDeviceInfo", d.device, deviceVersion, len(name)-1, unsafe.Pointer(&name[0]), 0); err != nil {
		return nil, err
	}
	d.On = strings.TrimSpace(string(name[:bytes.IndexByte(name, 0)]))
	if err := d.call("clGetDeviceInfo", d.device, deviceSingleFPConfig, 8, unsafe.Pointer(config), 0); err != nil {
		return nil, err
	}
	d.Exact = *config&fpCorrectlyRoundedDiv != 0
	extensions := make([]byte, 1<<16)
	if err := d.call("clGetDeviceInfo", d.device, deviceExtensions, len(extensions)-1, unsafe.Pointer(&extensions[0]), 0); err != nil {
		return nil, err
	}
	d.extensions = map[string]bool{}
	for _, name := range strings.Fields(string(extensions[:bytes.IndexByte(extensions, 0)])) {
		d.extensions[name] = true
	}
	if d.context, err = d.make("clCreateContext", 0, 1, unsafe.Pointer(&d.device), 0, 0); err != nil {
		return nil, err
	}
	d.queue, err = d.make("clCreateCommandQueue", d.context, d.device, 0)
	return d, err
})

// try calls a function with ints, handles and pointers. A pointer becomes a number only here: what it points to must
// not move with a goroutine's stack, and an interface keeps it on the heap.
func (d *Device) try(name string, args ...any) int {
	r := d.raw(name, args...)
	return int(int32(r))
}

func (d *Device) raw(name string, args ...any) uintptr {
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

func (d *Device) call(name string, args ...any) error {
	if r := d.try(name, args...); r != 0 {
		return fmt.Errorf("clrun: %s: OpenCL error %d", name, r)
	}
	return nil
}

// make calls a function that gives a handle and an error behind its last argument.
func (d *Device) make(name string, args ...any) (uintptr, error) {
	code := new(int32)
	h := d.raw(name, append(args, unsafe.Pointer(code))...)
	if *code != 0 {
		return 0, fmt.Errorf("clrun: %s: OpenCL error %d", name, *code)
	}
	return h, nil
}

// extension is the macro of an extension.
var extension = regexp.MustCompile(`\bcl_[a-z]+_\w+`)

// Lacks are the extensions that the device does not have and under whose macros an entry stands in text: such a kernel is
// not in the program.
func (d *Device) Lacks(text, entry string) []string {
	var open []string
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "#if"):
			open = append(open, line)
		case strings.HasPrefix(line, "#endif"):
			open = open[:len(open)-1]
		case strings.Contains(line, " "+entry+"("):
			return slices.DeleteFunc(extension.FindAllString(strings.Join(open, ""), -1), func(name string) bool { return d.extensions[name] })
		}
	}
	return nil
}

// Program is compiled text.
type Program struct {
	d       *Device
	handle  uintptr
	kernels map[string]uintptr
	Log     string // warnings
}

// Build compiles text with the given options.
func (d *Device) Build(text, options string) (*Program, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
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
	return &Program{d: d, handle: h, kernels: map[string]uintptr{}, Log: said}, nil
}

// Close gives the program back.
func (p *Program) Close() {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	for _, k := range p.kernels {
		p.d.try("clReleaseKernel", k)
	}
	p.d.try("clReleaseProgram", p.handle)
}

// Arg is one slot: the bytes of a scalar or an extent, or a view, whose memory Run reads and writes.
type Arg struct {
	Data []byte
	Elem int // of a view: bytes an element; 0: not a view
	// Part, of a view: it is not memory of its own but begins Offset bytes into the view of slot Of, which is earlier.
	Part   bool
	Of     int
	Offset int
}

// guard is the number of elements before a view, and after it.
const guard = 5

// Run launches a kernel of grid blocks of block threads, waits, and writes what it left into the views' Data. The text may
// demand its threads in another shape: as many in a row.
func (p *Program) Run(entry string, grid, block [3]int, args []Arg) (err error) {
	d := p.d
	d.mu.Lock()
	defer d.mu.Unlock()
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
