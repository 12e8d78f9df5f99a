package gpu

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/runtime/gpu/gen"
	"github.com/gpugen/gpugen/runtime/internal/driver"
)

var (
	// ErrFreed reports the use of a buffer after Free.
	ErrFreed = errors.New("gpu: buffer is freed")
	// ErrClosed reports the use of a stream, event or device after Close.
	ErrClosed = errors.New("gpu: device, stream or event is closed")
	// ErrNil reports a nil or zero device, stream, event or buffer.
	ErrNil = errors.New("gpu: nil or zero device, stream, event or buffer")
	// ErrNoDevice is what every *NoDeviceError is.
	ErrNoDevice = errors.New("gpu: no device")
	// ErrDeviceLost is what the error of every call is once a fault took the device away. Opening it again works where
	// the driver allows that. CUDA does not after an illegal address, an assertion or a hung kernel: it refuses all work
	// of the process until the process is started again. The CPU device goes on.
	ErrDeviceLost = errors.New("gpu: device is lost")
	// ErrPTXTooNew is inside a *LoadError when PTX was written by a toolkit newer than the driver.
	ErrPTXTooNew = driver.ErrPTXTooNew
)

// NoDeviceError says that no device could be opened, and why each one could not.
type NoDeviceError struct{ Tried []error }

func (e *NoDeviceError) Error() string {
	if len(e.Tried) == 0 {
		return ErrNoDevice.Error()
	}
	return ErrNoDevice.Error() + ": " + joined(e.Tried)
}

// Is makes it ErrNoDevice.
func (e *NoDeviceError) Is(target error) bool { return target == ErrNoDevice }

// Unwrap gives the reasons.
func (e *NoDeviceError) Unwrap() []error { return e.Tried }

func joined(errs []error) string {
	var b strings.Builder
	for i, e := range errs {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// DeviceError is a call that the device's library refused, or work that failed on the device and is reported by
// whatever call comes next.
type DeviceError struct {
	Op            string // the call that reports it
	Code          int
	Name, Message string
	// Launches are the kernels launched since the last good Sync of their stream, in order: those that may have
	// caused it. The stream that reports comes first. At most 32 a stream.
	Launches []string
	// Lost says that the fault took the device away.
	Lost bool
}

func (e *DeviceError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "gpu: %s: %s (%d)", e.Op, e.Name, e.Code)
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Lost {
		b.WriteString("; the device is lost")
	}
	if len(e.Launches) > 0 {
		b.WriteString("; launched since the last good sync: " + strings.Join(e.Launches, ", "))
	}
	return b.String()
}

// Is makes the error of a lost device ErrDeviceLost.
func (e *DeviceError) Is(target error) bool { return target == ErrDeviceLost && e.Lost }

// AllocError says that device memory is exhausted.
type AllocError struct{ Requested, Available int64 } // bytes

func (e *AllocError) Error() string {
	return fmt.Sprintf("gpu: out of device memory: %d bytes asked for, %d available", e.Requested, e.Available)
}

// ShapeError is an extent that does not fit the others of a call.
type ShapeError struct {
	Kernel, Param string
	Dim           int
	Want, Got     int
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s: dimension %d of %s is %d, want %d", e.Kernel, e.Dim, e.Param, e.Got, e.Want)
}

// AliasError is a view that a kernel writes and that overlaps another view of the launch.
type AliasError struct{ Kernel, Param, With string }

func (e *AliasError) Error() string {
	return fmt.Sprintf("%s: %s, which it writes, overlaps %s", e.Kernel, e.Param, e.With)
}

// ContractError is a call that breaks what the callee states. Kernel is a kernel, or a function of this package.
type ContractError struct{ Kernel, Text string }

func (e *ContractError) Error() string { return e.Kernel + ": " + e.Text }

// Pos is a place in a .gpu file.
type Pos struct {
	File      string
	Line, Col int
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// TrapError is what went wrong in a kernel. In a checked build it is the first test that failed since the last Sync: an index
// out of range, a division by zero, a shift by a negative count or an assertion, on every device; the kernel has gone on,
// what it left is unspecified, and the device is fine. In a release build it is a kernel that stopped on the CPU: an
// index out of range, or a panic.
type TrapError struct {
	Kernel        string
	Pos           Pos    // zero for a panic
	Param         string // what was indexed
	Dim           int
	Index, Extent int
	Point         []int  // of the domain, in a kernel of blocks the block; nil when it is not known
	Thread        []int  // of the block, in a kernel of blocks; nil when it is not known, and in a `by block` kernel
	Text          string // of what was no index out of range
}

func (e *TrapError) Error() string {
	var b strings.Builder
	if e.Pos.Line != 0 {
		b.WriteString(e.Pos.String() + ": ")
	}
	b.WriteString(e.Kernel + ": ")
	switch {
	case e.Text != "":
		b.WriteString(e.Text)
	case e.Param != "":
		fmt.Fprintf(&b, "index %d out of range: dimension %d of %s has %d", e.Index, e.Dim, e.Param, e.Extent)
	default:
		fmt.Fprintf(&b, "index %d out of range of %d", e.Index, e.Extent)
	}
	switch {
	case e.Thread != nil:
		fmt.Fprintf(&b, ", in block %v, thread %v", e.Point, e.Thread)
	case e.Point != nil:
		fmt.Fprintf(&b, ", at point %v", e.Point)
	}
	return b.String()
}

// UnsupportedError is a kernel that a device cannot run.
type UnsupportedError struct {
	Kernel string
	Device string
	Reason string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s: not on %s: %s", e.Kernel, e.Device, e.Reason)
}

// LoadError says that none of a kernel's artifacts could be loaded.
type LoadError struct {
	Kernel string
	Arch   string // of the device, sm_90
	Driver string // version
	Tried  []LoadAttempt
}

// LoadAttempt is one artifact and why it was not it.
type LoadAttempt struct {
	Artifact string // its file and what it is: _gpu/saxpy.ptx (PTX 7.8 for sm_75)
	Err      error
}

func (e *LoadError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: no device code loads on %s with driver %s", e.Kernel, e.Arch, e.Driver)
	for _, t := range e.Tried {
		fmt.Fprintf(&b, "; %s: %v", t.Artifact, t.Err)
	}
	if len(e.Tried) == 0 {
		b.WriteString(": none is built in")
	}
	return b.String()
}

// Unwrap gives the errors of the attempts.
func (e *LoadError) Unwrap() []error {
	errs := make([]error, len(e.Tried))
	for i, t := range e.Tried {
		errs[i] = t.Err
	}
	return errs
}

// CompileError is a compiler's verdict on a kernel's source, met when a device needed it compiled at run time.
type CompileError struct{ Kernel, Source, Log string }

func (e *CompileError) Error() string {
	return e.Kernel + ": " + strings.TrimSpace(e.Log)
}

// LaunchError is a launch that is larger than the device allows.
type LaunchError struct {
	Kernel    string
	What      string // threads a block, blocks in x, …
	Want, Max int
}

func (e *LaunchError) Error() string {
	return fmt.Sprintf("%s: %d %s, at most %d for this kernel on this device", e.Kernel, e.Want, e.What, e.Max)
}

// public turns a driver's error into what this package documents. Faults are core.fail's.
func public(kernel string, err error) error {
	switch e := err.(type) {
	case *driver.OutOfMemory:
		return &AllocError{e.Requested, e.Available}
	case *driver.Trap:
		return trapError(e)
	case *driver.LoadFailure:
		l := &LoadError{Kernel: kernel, Arch: e.Arch, Driver: e.Driver}
		for _, t := range e.Tried {
			l.Tried = append(l.Tried, LoadAttempt{t.Artifact, public(kernel, t.Err)})
		}
		return l
	case *driver.CompileFailure:
		return &CompileError{kernel, e.Source, e.Log}
	}
	return err
}

func trapError(t *driver.Trap) *TrapError {
	e := &TrapError{Kernel: t.Kernel, Point: t.Point}
	g, ok := t.Value.(*gen.Trap)
	if !ok {
		e.Text = fmt.Sprint(t.Value)
		return e
	}
	e.Index, e.Extent = g.Index, g.Extent
	if s := g.Site; s != nil {
		e.Pos, e.Param, e.Dim = Pos{s.File, s.Line, s.Col}, s.Param, s.Dim
	}
	return e
}
