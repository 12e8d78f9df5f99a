package driver

import (
	"errors"
	"fmt"
)

// Fault is a call that a device's library refused, or work that failed on the device.
type Fault struct {
	Op            string // the C function
	Code          int
	Name, Message string
	Sticky        bool // the context is lost: every later call fails alike
}

func (e *Fault) Error() string {
	s := fmt.Sprintf("%s: error %d", e.Op, e.Code)
	if e.Name != "" {
		s = fmt.Sprintf("%s: %s (%d)", e.Op, e.Name, e.Code)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// OutOfMemory says that an allocation found no room.
type OutOfMemory struct{ Requested, Available int64 }

func (e *OutOfMemory) Error() string {
	return fmt.Sprintf("out of memory: %d bytes asked for, %d available", e.Requested, e.Available)
}

// ErrPTXTooNew says that PTX was written by a newer toolkit than the driver knows.
var ErrPTXTooNew = errors.New("PTX is newer than the driver")

// Attempt is one artifact that a load tried.
type Attempt struct {
	Artifact string // _gpu/saxpy.ptx (PTX 7.8 for sm_75), _gpu/saxpy.cu (CUDA C through NVRTC)
	Err      error
}

// LoadFailure says that no artifact could be loaded.
type LoadFailure struct {
	Arch, Driver string
	Tried        []Attempt
}

func (e *LoadFailure) Error() string { return "no usable device code for " + e.Arch }

// CompileFailure is a compiler's verdict on source.
type CompileFailure struct{ Source, Log string }

func (e *CompileFailure) Error() string { return e.Log }

// Unsupported says that a kernel needs what the device does not have.
type Unsupported struct{ Why string }

func (e *Unsupported) Error() string { return e.Why }

// Trap is a CPU kernel that stopped.
type Trap struct {
	Kernel string
	Value  any   // what it panicked with: a *gen.Trap, or anything
	Point  []int // nil when unknown
}

func (e *Trap) Error() string { return fmt.Sprintf("%s: %v", e.Kernel, e.Value) }

// ErrNotRecorded says that there is no time at an event that no stream was told to record.
var ErrNotRecorded = errors.New("event was never recorded")
