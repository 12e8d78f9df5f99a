package replay

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// double stands in for a wrapper: it doubles a view on the host, or fails as told.
func double(fail error) Call {
	return func(r *Run) func() error {
		k := Scalar[int32](r, 0)
		v := View1[int32](r, 1)
		same := View1[int32](r, 2)
		return func() error {
			if fail != nil {
				return fail
			}
			host := make([]int32, v.Len())
			if err := v.Download(r.Stream, host); err != nil {
				return err
			}
			for i := range host {
				host[i] *= k
			}
			return same.Upload(r.Stream, host)
		}
	}
}

func TestReplay(t *testing.T) {
	dev, err := gpu.Open(gpu.CPU())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	before, after := []byte{1, 0, 0, 0, 5, 0, 0, 0}, []byte{2, 0, 0, 0, 10, 0, 0, 0}
	base := golden.Case{Archive: "a", Slots: []golden.Slot{
		{Kind: "scalar", Name: "k", Elem: "int32", Data: []byte{2, 0, 0, 0}},
		{Kind: "view", Name: "v", Elem: "int32", Dims: []int64{2}, Data: before, After: after},
		{Kind: "view", Name: "same", Elem: "int32", Dims: []int64{2}, Mut: true, Data: before, After: after, Share: &golden.Share{Slot: 1}},
	}}
	shape := &gpu.ShapeError{Kernel: "K"}
	for name, c := range map[string]struct {
		change func(*golden.Case)
		call   Call
		want   string // "" passes
	}{
		"right":             {func(*golden.Case) {}, double(nil), ""},
		"wrong value":       {func(c *golden.Case) { c.Slots[1].After = before }, double(nil), "v: [0] is 2, want 1"},
		"must not change":   {func(c *golden.Case) { c.Slots[1].After = nil }, double(nil), "v: [0] is 2, want 1"},
		"unexpected error":  {func(*golden.Case) {}, double(shape), "K: "},
		"expected error":    {func(c *golden.Case) { c.Error, c.Slots[1].After = "ShapeError", nil }, double(shape), ""},
		"another error":     {func(c *golden.Case) { c.Error = "AliasError" }, double(shape), "want AliasError"},
		"error is missing":  {func(c *golden.Case) { c.Error = "ShapeError" }, double(nil), "want ShapeError"},
		"unnamed error":     {func(c *golden.Case) { c.Error = "ShapeError" }, double(errors.New("no")), "want ShapeError"},
		"trap is missing":   {func(c *golden.Case) { c.Trap = true }, double(nil), "want a *TrapError"},
		"scalar of another": {func(c *golden.Case) { c.Slots[0].Data = []byte{2} }, double(nil), "1 bytes for a int32"},
	} {
		one := base
		one.Slots = append([]golden.Slot(nil), base.Slots...)
		c.change(&one)
		err := replay(dev, &one, c.call, false)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestFailuresOfTraps: the kind of a failure is told by the trap's text.
func TestFailuresOfTraps(t *testing.T) {
	for _, c := range []struct {
		trap gpu.TrapError
		want string
	}{
		{gpu.TrapError{Pos: gpu.Pos{File: "k.gpu", Line: 3, Col: 4}, Param: "x", Index: -1, Extent: 5, Point: []int{1, 2}, Thread: []int{3}}, "bounds 3:4 index -1 of 5 at 1 2 thread 3"},
		{gpu.TrapError{Pos: gpu.Pos{Line: 3, Col: 4}, Text: "division by zero"}, "zero-divisor 3:4"},
		{gpu.TrapError{Pos: gpu.Pos{Line: 3, Col: 4}, Text: "shift by -7", Index: -7, Point: []int{0}}, "negative-shift 3:4 index -7 at 0"},
		{gpu.TrapError{Pos: gpu.Pos{Line: 3, Col: 4}, Text: "assertion failed: division by zero"}, "assert 3:4"},
	} {
		if got := failureOf(&c.trap).String(); got != c.want {
			t.Errorf("%v is %s, want %s", &c.trap, got, c.want)
		}
	}
}

// TestGuards writes beside a view, as a kernel without a bounds test would.
func TestGuards(t *testing.T) {
	dev, err := gpu.Open(gpu.CPU())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	c := &golden.Case{Slots: []golden.Slot{{Kind: "view", Name: "v", Elem: "uint8", Dims: []int64{3}, Mut: true, Data: []byte{1, 2, 3}, After: []byte{1, 2, 3}}}}
	for _, beside := range []bool{false, true} {
		err := replay(dev, c, func(r *Run) func() error {
			View1[uint8](r, 0)
			return func() error {
				if !beside {
					return nil
				}
				return r.all[0].(gpu.Buffer[uint8]).Slice(guardSize+3, guardSize+4).Upload(r.Stream, []uint8{0})
			}
		}, false)
		if (err != nil) != beside || beside && !strings.Contains(err.Error(), "beside the view") {
			t.Errorf("beside %v: %v", beside, err)
		}
	}
}
