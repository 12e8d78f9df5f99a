package gpu

import (
	"sync/atomic"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// What follows, up to header.go, is for generated code. People need none of it.

// Code is the device code of one .gpu file.
type Code = driver.Code

// Cubin is machine code for one compute capability.
type Cubin = driver.Cubin

// Args is what a CPU kernel takes its arguments from.
type Args = driver.Args

// Box is the part of a domain that a CPU kernel runs: points, or whole blocks of a kernel with Group.
type Box = driver.Box

// Targets is the set of targets that a kernel exists on.
type Targets uint8

// The targets.
const (
	TargetCUDA Targets = 1 << iota
	TargetMetal
	TargetOpenCL
	TargetCPU
)

// Pair names two views of a kernel, counted among the views in their order, that may be exactly the same range.
type Pair struct{ A, B uint8 }

// Span is one dimension of a domain: the points or blocks Lo <= p < Hi. Hi <= Lo is empty.
type Span struct{ Lo, Hi int }

// Kernel is one compiled instance of a kernel. Generated code holds it as static data.
type Kernel struct {
	Name    string                  // for people: Saxpy[float32]
	Entry   string                  // in the device code when every view and extent is narrow; else Entry + "_wide"
	Code    *Code                   // nil: no device code in this build
	CPU     func(a *Args, box *Box) // nil: not on the CPU
	Block   [3]uint32               // threads a block in x, y and z
	Per     uint32                  // points a thread along x, block-strided
	ByBlock bool                    // with Group: its blocks are points, along which the wide variant strides by whole grids in all dims
	Group   bool                    // the domain is of blocks, of exactly Block threads each, not of points; Per does not count
	Dims    int                     // of the domain, 1 to 3; the last is x
	Threads int                     // dims of the threads of a block, where the first has one thread and so does not show in Block
	InPlace []Pair
	Targets Targets
	Sites   []Site  // places that report or print; a launch then has two hidden slots behind the others
	Checked *Kernel // the variant of a checked build, for devices that ask for it; nil without one

	cache atomic.Pointer[[]loaded]
}

// loaded is a kernel made ready on a device.
type loaded struct {
	c    *core
	wide bool
	f    driver.Func
}

// on returns k made ready on c, which the caller keeps open. The list of a kernel is never changed, only replaced, so
// that a launch looks it up without a lock.
func (k *Kernel) on(c *core, wide bool) (driver.Func, error) {
	if f := k.cached(c, wide); f != nil {
		return f, nil
	}
	c.loading.Lock()
	defer c.loading.Unlock()
	if f := k.cached(c, wide); f != nil {
		return f, nil
	}
	entry := k.Entry
	if wide {
		entry += "_wide"
	}
	f, err := c.drv.Load(&driver.Kernel{Name: k.Name, Entry: entry, Code: k.Code, CPU: k.CPU})
	if e, ok := err.(*driver.Unsupported); ok {
		return nil, &UnsupportedError{k.Name, c.key.String(), e.Why}
	}
	if err != nil {
		return nil, c.fail(nil, k.Name, err)
	}
	for {
		old := k.cache.Load()
		var list []loaded
		if old != nil {
			for _, l := range *old {
				if !l.c.closed.Load() {
					list = append(list, l)
				}
			}
		}
		list = append(list, loaded{c, wide, f})
		if k.cache.CompareAndSwap(old, &list) {
			return f, nil
		}
	}
}

func (k *Kernel) cached(c *core, wide bool) driver.Func {
	if list := k.cache.Load(); list != nil {
		for i := range *list {
			if l := &(*list)[i]; l.c == c && l.wide == wide {
				return l.f
			}
		}
	}
	return nil
}

// unsupported says why k does not exist on c, "" if it does.
func (k *Kernel) unsupported(c *core) string {
	if c.key.kind == KindCPU {
		switch {
		case k.Targets&TargetCPU == 0:
			return "the kernel is not compiled for the CPU"
		case k.CPU == nil:
			return "the program was built without its CPU code"
		}
		return ""
	}
	target, name := TargetCUDA, "CUDA"
	if c.key.kind == KindOpenCL {
		target, name = TargetOpenCL, "OpenCL"
	}
	switch {
	case k.Targets&target == 0:
		return "the kernel is not compiled for " + name
	case k.Code == nil || target == TargetOpenCL && k.Code.OpenCL == nil:
		return "the program was built without its " + name + " code"
	}
	return ""
}
