//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package cuda

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// Attribute of a function.
const maxThreadsPerBlock = 0

// Options of cuModuleLoadDataEx.
const (
	jitErrorLog      = 5
	jitErrorLogBytes = 6
)

// artifact is one piece of device code: a *string of a driver.Code, and what it holds.
type artifact struct {
	data *string
	kind kind
	cc   string // of a cubin: 90a
}

type kind uint8

const (
	cubin kind = iota
	ptx
	source
)

// module is an artifact that was loaded, or why it could not be.
type module struct {
	handle uintptr
	err    error
}

type function struct {
	handle     uintptr
	maxThreads int
}

func (f *function) MaxThreads() int { return f.maxThreads }

// Load tries the kernel's artifacts, best first, until one has the entry.
func (d *device) Load(k *driver.Kernel) (driver.Func, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fail := &driver.LoadFailure{Arch: d.info.Arch, Driver: d.driverVersion()}
	for _, a := range artifacts(k.Code, d.arch) {
		f, err := d.function(a, k.Entry)
		if err == nil {
			return f, nil
		}
		if fault, ok := err.(*driver.Fault); ok && fault.Sticky {
			return nil, fault
		}
		fail.Tried = append(fail.Tried, driver.Attempt{Artifact: a.label(k.Code), Err: err})
	}
	return nil, fail
}

// artifacts is the order of trial: the cubins of the device, those of its family that it can run, PTX, source. Of sm_90 and
// sm_90a the one with more of the device comes first.
func artifacts(c *driver.Code, arch int) []artifact {
	var list []artifact
	if c == nil {
		return nil
	}
	var cubins []driver.Cubin
	for _, b := range c.Cubins {
		if b.Data != nil && b.Arch/10 == arch/10 && b.Arch <= arch && (b.Variant != "a" || b.Arch == arch) {
			cubins = append(cubins, b)
		}
	}
	slices.SortStableFunc(cubins, func(a, b driver.Cubin) int { return cmp.Or(b.Arch-a.Arch, cmp.Compare(b.Variant, a.Variant)) })
	for _, b := range cubins {
		list = append(list, artifact{b.Data, cubin, strconv.Itoa(b.Arch) + b.Variant})
	}
	if c.PTX != nil {
		list = append(list, artifact{data: c.PTX, kind: ptx})
	}
	if c.CUDA != nil {
		list = append(list, artifact{data: c.CUDA, kind: source})
	}
	return list
}

// label names an artifact of c for people.
func (a artifact) label(c *driver.Code) string {
	switch a.kind {
	case cubin:
		return c.Label(".sm_"+a.cc+".cubin", "cubin sm_"+a.cc)
	case ptx:
		return c.Label(".ptx", fmt.Sprintf("PTX %s for %s", directive(*a.data, ".version"), directive(*a.data, ".target")))
	}
	return c.Label(".cu", "CUDA C through NVRTC")
}

// directive is what follows a directive of PTX, "?" without one.
func directive(ptx, name string) string {
	for line := range strings.Lines(ptx) {
		if f := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n,", r) }); len(f) > 1 && f[0] == name {
			return f[1]
		}
	}
	return "?"
}

// function finds entry in an artifact, which is loaded once.
func (d *device) function(a artifact, entry string) (*function, error) {
	m := d.modules[a]
	if m == nil {
		m = d.load(a)
		if f, ok := m.err.(*driver.Fault); ok && (f.Sticky || f.Code == outOfMemory) {
			return nil, f // says nothing about the artifact
		}
		d.modules[a] = m
	}
	if m.err != nil {
		return nil, m.err
	}
	f := &function{}
	name := append([]byte(entry), 0)
	if err := d.call("cuModuleGetFunction "+entry, d.cuModuleGetFunction, uintptr(unsafe.Pointer(&f.handle)), m.handle, uintptr(unsafe.Pointer(&name[0]))); err != nil {
		return nil, err
	}
	var n int32
	if err := d.call("cuFuncGetAttribute", d.cuFuncGetAttribute, uintptr(unsafe.Pointer(&n)), maxThreadsPerBlock, f.handle); err != nil {
		return nil, err
	}
	f.maxThreads = int(n)
	return f, nil
}

func (d *device) load(a artifact) *module {
	image := []byte(*a.data)
	if a.kind == source {
		var err error
		if image, err = compile(*a.data, d.arch, d.version); err != nil {
			return &module{err: err}
		}
	}
	h, err := d.loadImage(image)
	if err != nil && a.kind == ptx {
		err = ptxError(err, *a.data, d.driverVersion())
	}
	return &module{h, err}
}

// loadImage loads PTX or a cubin. The library copies what it keeps.
func (d *device) loadImage(image []byte) (uintptr, error) {
	// One heap object for all that C gets addresses of; the log is in it, and its address in values.
	type call struct {
		module  uintptr
		options [2]int32
		values  [2]uintptr
		log     [8192]byte
	}
	c := &call{options: [2]int32{jitErrorLog, jitErrorLogBytes}}
	c.values = [2]uintptr{uintptr(unsafe.Pointer(&c.log[0])), uintptr(len(c.log) - 1)}
	image = append(image[:len(image):len(image)], 0) // PTX ends in a NUL
	err := d.call("cuModuleLoadDataEx", d.cuModuleLoadDataEx, uintptr(unsafe.Pointer(&c.module)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(c.options)), uintptr(unsafe.Pointer(&c.options[0])), uintptr(unsafe.Pointer(&c.values[0])))
	runtime.KeepAlive(c)
	if f, ok := err.(*driver.Fault); ok {
		if n := bytes.IndexByte(c.log[:], 0); n > 0 {
			f.Message += ": " + strings.TrimSpace(string(c.log[:n]))
		}
	}
	return c.module, err
}

// ptxError recognises PTX that is too new for the driver.
func ptxError(err error, text, version string) error {
	f, ok := err.(*driver.Fault)
	if !ok || f.Code != unsupportedPTXVersion && !strings.Contains(f.Message, "Unsupported .version") {
		return err
	}
	return fmt.Errorf("%w: it is version %s, and the driver serves %s; update the driver, or generate with an older NVRTC: %w",
		driver.ErrPTXTooNew, directive(text, ".version"), version, err)
}
