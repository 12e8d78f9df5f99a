// Package replay turns case files into launches through generated wrappers: it uploads the memory of each case, makes
// the call, and compares what the device leaves with what the interpreter left.
//
// The test files that package golden writes call it, on the CPU here and on the GPU machine. It imports runtime/gpu and
// package golden and nothing else of gpugen. Every buffer lies between guards, so that a write beside a view fails the
// case as well.
package replay

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// Call makes the arguments of a case and returns the call of its wrapper.
type Call func(r *Run) func() error

// Run is one case in progress.
type Run struct {
	Stream *gpu.Stream

	c     *golden.Case
	views map[int]any                    // by slot
	all   map[int]any                    // by slot, with its guards
	read  map[int]func() ([]byte, error) // the memory of a view after the launch
	guard []func() error
	free  []func() error
	err   error // the first failure to make an argument
}

// guardSize is the number of sentinel elements on each side of a view.
const (
	guardSize = 16
	sentinel  = 0xA5
)

// Test replays `cases.<kind>.json` of dir on the device that GPUGEN_DEVICE names. A case without a call, and a call
// without a case, fail.
func Test(t *testing.T, dir string, calls map[string]Call) {
	checked := os.Getenv("GPUGEN_CHECKED") != ""
	var out bytes.Buffer
	dev, err := gpu.Open(gpu.PrintTo(&out))
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	f, err := os.Open(filepath.Join(dir, "cases."+dev.Kind().String()+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases, err := golden.ReadCases(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases.Cases) == 0 {
		t.Fatal("the case file is empty")
	}
	for i := range cases.Cases {
		c := &cases.Cases[i]
		call, ok := calls[c.Key()]
		if !ok {
			t.Errorf("%s has no call", c.Key())
			continue
		}
		if c.Finding != "" || c.Trap && !(checked && c.Checked != nil) && dev.Kind() != gpu.KindCPU {
			continue // undefined on a device
		}
		t.Run(c.Key(), func(t *testing.T) {
			out.Reset()
			err := replay(dev, c, call, checked)
			if lacking := (*gpu.UnsupportedError)(nil); dev.Kind() == gpu.KindOpenCL && c.Error == "" && errors.As(err, &lacking) {
				t.Skip(lacking) // an extension that the kernel stands under
			}
			if err != nil {
				t.Errorf("%s\n%v", c.Text, err)
			}
			if err := c.CheckOutput(out.String()); err != nil {
				t.Errorf("%s\n%v", c.Text, err)
			}
		})
	}
}

// replay runs one case; checked says that the device runs checked builds.
func replay(dev *gpu.Device, c *golden.Case, call Call, checked bool) error {
	r := &Run{Stream: dev.DefaultStream(), c: c, views: map[int]any{}, all: map[int]any{}, read: map[int]func() ([]byte, error){}}
	defer func() {
		for _, f := range r.free {
			f()
		}
	}()
	do := call(r)
	if r.err != nil {
		return r.err
	}
	err := do()
	if c.Error == "" && err != nil {
		return err
	}
	if c.Error != "" {
		if got := golden.ErrorName(err); got != c.Error {
			return fmt.Errorf("the call gives %q (%v), want %s", got, err, c.Error)
		}
		return r.check() // a refused call changes nothing
	}
	err = r.Stream.Sync()
	if checked && c.Finds {
		return r.finds(err)
	}
	if checked && c.Checked != nil {
		return r.failed(err)
	}
	if c.Trap {
		if golden.ErrorName(err) != "TrapError" {
			return fmt.Errorf("the stream gives %v, want a *TrapError", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	return r.check()
}

// failureOf is what a trap says. Its text tells the kinds apart.
func failureOf(trap *gpu.TrapError) golden.Failure {
	f := golden.Failure{Kind: "bounds", Line: trap.Pos.Line, Col: trap.Pos.Col}
	for text, kind := range map[string]string{"division by zero": "zero-divisor", "shift by ": "negative-shift", "assertion failed: ": "assert"} {
		if strings.HasPrefix(trap.Text, text) {
			f.Kind = kind
		}
	}
	index, extent := int64(trap.Index), int64(trap.Extent)
	switch f.Kind {
	case "bounds":
		f.Index, f.Extent = &index, &extent
	case "negative-shift":
		f.Index = &index
	}
	for _, i := range trap.Point {
		f.Point = append(f.Point, int64(i))
	}
	for _, i := range trap.Thread {
		f.Thread = append(f.Thread, int64(i))
	}
	return f
}

// failed checks that a test of a checked build has failed, and that nothing else has happened.
func (r *Run) failed(err error) error {
	want := r.c.Checked
	trap, ok := err.(*gpu.TrapError)
	if !ok || !want.Admits(failureOf(trap)) {
		return fmt.Errorf("the stream gives %v, want a *TrapError of %s", err, want)
	}
	for _, g := range r.guard {
		if err := g(); err != nil {
			return err
		}
	}
	return r.Stream.Sync() // the device goes on
}

// finds checks that a checked build reports one of the failures that may be the first, if there is one, and leaves what the
// interpreter leaves.
func (r *Run) finds(err error) error {
	var got *golden.Failure
	if trap := (*gpu.TrapError)(nil); errors.As(err, &trap) {
		f := failureOf(trap)
		got, err = &f, nil
	}
	if err == nil {
		err = r.c.CheckFirst(got)
	}
	if err != nil {
		return err
	}
	return r.check()
}

func (r *Run) check() error {
	for i, s := range r.c.Slots {
		if r.read[i] == nil {
			continue
		}
		got, err := r.read[i]()
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if err := s.Check(got); err != nil {
			return err
		}
	}
	for _, g := range r.guard {
		if err := g(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) fail(slot int, err error) {
	if r.err == nil {
		r.err = fmt.Errorf("argument %s: %w", r.c.Slots[slot].Name, err)
	}
}

// Scalar is the value of a scalar slot.
func Scalar[T any](r *Run, slot int) T {
	var v T
	data := bytesOf([]T{v})
	copied := make([]T, 1)
	if copy(bytesOf(copied), r.c.Slots[slot].Data) != len(data) {
		r.fail(slot, fmt.Errorf("%d bytes for a %T", len(r.c.Slots[slot].Data), v))
	}
	return copied[0]
}

// View1 uploads the memory of a view slot of one dim.
func View1[T any](r *Run, slot int) gpu.Buffer[T] {
	s := r.c.Slots[slot]
	if s.Share != nil {
		at := int(s.Share.Offset) / size[T]()
		return r.views[s.Share.Slot].(gpu.Buffer[T]).Slice(at, at+int(s.Dims[0]))
	}
	b := flat[T](r, slot)
	r.views[slot] = b
	return b
}

// View2 uploads the memory of a view slot of two dims.
func View2[T any](r *Run, slot int) gpu.Buffer2[T] {
	s := r.c.Slots[slot]
	if s.Share != nil {
		rows := row(s, size[T]())
		return r.views[s.Share.Slot].(gpu.Buffer2[T]).Slice(rows, rows+int(s.Dims[0]))
	}
	b := flat[T](r, slot).Reshape2(int(s.Dims[0]), int(s.Dims[1]))
	r.views[slot] = b
	return b
}

// View3 uploads the memory of a view slot of three dims.
func View3[T any](r *Run, slot int) gpu.Buffer3[T] {
	s := r.c.Slots[slot]
	if s.Share != nil {
		planes := row(s, size[T]())
		return r.views[s.Share.Slot].(gpu.Buffer3[T]).Slice(planes, planes+int(s.Dims[0]))
	}
	b := flat[T](r, slot).Reshape3(int(s.Dims[0]), int(s.Dims[1]), int(s.Dims[2]))
	r.views[slot] = b
	return b
}

// View4 uploads the memory of a view slot of four dims.
func View4[T any](r *Run, slot int) gpu.Buffer4[T] {
	s := r.c.Slots[slot]
	if s.Share != nil {
		first := row(s, size[T]())
		return r.views[s.Share.Slot].(gpu.Buffer4[T]).Slice(first, first+int(s.Dims[0]))
	}
	b := flat[T](r, slot).Reshape4(int(s.Dims[0]), int(s.Dims[1]), int(s.Dims[2]), int(s.Dims[3]))
	r.views[slot] = b
	return b
}

// row is the index of the first dim at which a shared view begins.
func row(s golden.Slot, elem int) int {
	for _, d := range s.Dims[1:] {
		elem *= int(d)
	}
	return int(s.Share.Offset) / max(elem, 1)
}

// flat uploads the memory of a slot between guards.
func flat[T any](r *Run, slot int) gpu.Buffer[T] {
	s := r.c.Slots[slot]
	n := len(s.Data) / size[T]()
	host := make([]T, n+2*guardSize)
	raw := bytesOf(host)
	for i := range raw {
		raw[i] = sentinel
	}
	lo, hi := guardSize*size[T](), (guardSize+n)*size[T]()
	copy(raw[lo:hi], s.Data)
	all, err := gpu.Upload(r.Stream, host)
	if err != nil {
		r.fail(slot, err)
		return all
	}
	r.all[slot] = all
	r.free = append(r.free, all.Free)
	var after []byte
	fetch := func() error {
		if after != nil {
			return nil
		}
		back := make([]T, len(host))
		if err := all.Download(r.Stream, back); err != nil {
			return err
		}
		after = bytesOf(back)
		return nil
	}
	r.read[slot] = func() ([]byte, error) {
		if err := fetch(); err != nil {
			return nil, err
		}
		return after[lo:hi], nil
	}
	r.guard = append(r.guard, func() error {
		if err := fetch(); err != nil {
			return err
		}
		if !bytes.Equal(after[:lo], raw[:lo]) || !bytes.Equal(after[hi:], raw[hi:]) {
			return fmt.Errorf("%s: memory beside the view was written", s.Name)
		}
		return nil
	})
	return all.Slice(guardSize, guardSize+n)
}

func size[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// bytesOf is the memory of v: the case file keeps what is in device memory, such as a bool that is neither 0 nor 1.
func bytesOf[T any](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*size[T]())
}
