package gpu_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/runtime/gpu"
)

func TestShapes(t *testing.T) {
	_, s := cpu(t)
	x, y := upload[float32](t, s, 1, 2, 3), upload[float32](t, s, 1, 2)
	want(t, Saxpy(s, 1, x, y), func(e *gpu.ShapeError) bool {
		return *e == gpu.ShapeError{Kernel: "Saxpy[float32]", Param: "y", Want: 3, Got: 2}
	})
	equal(t, download(t, s, y), 1, 2)
	want(t, x.Upload(s, []float32{1}), func(e *gpu.ShapeError) bool { return e.Want == 3 && e.Got == 1 && e.Param == "host" })
	want(t, x.Download(s, nil), func(e *gpu.ShapeError) bool { return e.Got == 0 })
	want(t, Scale(s, 1, x, x), func(e *gpu.ContractError) bool {
		return *e == gpu.ContractError{Kernel: "Scale", Text: "requires n % 2 == 0"}
	})
}

func TestAliasing(t *testing.T) {
	_, s := cpu(t)
	b := upload[float32](t, s, 1, 2, 3, 4)
	want(t, Saxpy(s, 1, b, b), func(e *gpu.AliasError) bool {
		return *e == gpu.AliasError{Kernel: "Saxpy[float32]", Param: "y", With: "x"}
	})
	want[*gpu.AliasError](t, Saxpy(s, 1, b.Slice(0, 3), b.Slice(1, 4)), nil)
	want[*gpu.AliasError](t, Saxpy(s, 1, b.Slice(2, 4), b.Reshape2(2, 2).Row(1)), nil)
	// What is wrong with the shapes and relations comes first, as in the interpreter.
	want(t, Saxpy(s, 1, b.Slice(0, 2), b.Slice(1, 4)), func(e *gpu.ShapeError) bool { return e.Param == "y" })
	want[*gpu.ContractError](t, Scale(s, 2, b.Slice(0, 3), b.Slice(1, 4)), nil)
	ok(t, Saxpy(s, 1, b.Slice(0, 2), b.Slice(2, 4)))
	ok(t, Saxpy(s, 1, b.Slice(1, 1), b.Slice(1, 1)))
	equal(t, download(t, s, b), 1, 2, 4, 6)
	// In place, where the kernel allows it: exactly the same range alone.
	ok(t, Scale(s, 2, b, b))
	equal(t, download(t, s, b), 2, 4, 8, 12)
	want(t, Scale(s, 2, b.Slice(0, 2), b.Slice(1, 3)), func(e *gpu.AliasError) bool { return e.Param == "out" && e.With == "in" })
	equal(t, download(t, s, b), 2, 4, 8, 12)
}

func TestViews(t *testing.T) {
	_, s := cpu(t)
	b := upload[int32](t, s, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	m := b.Reshape2(3, 4)
	if m.Rows() != 3 || m.Cols() != 4 || m.Len() != 12 || m.Dim(0) != 3 || m.Dim(1) != 4 || m.Dim(2) != 0 || m.Dim(-1) != 0 || b.Dim(0) != 12 || b.Dim(1) != 0 {
		t.Error("dims of a Buffer2")
	}
	equal(t, download(t, s, m.Row(2)), 8, 9, 10, 11)
	equal(t, download(t, s, m.Slice(1, 2).Flat()), 4, 5, 6, 7)
	v := m.Reshape3(2, 3, 2)
	if v.Depth() != 2 || v.Rows() != 3 || v.Cols() != 2 || v.Dim(0) != 2 || v.Dim(1) != 3 || v.Dim(2) != 2 || v.Dim(3) != 0 || v.Len() != 12 {
		t.Error("dims of a Buffer3")
	}
	equal(t, download(t, s, v.Row(1, 2)), 10, 11)
	equal(t, download(t, s, v.Plane(1).Row(0)), 6, 7)
	equal(t, download(t, s, v.Slice(1, 2).Flat()), 6, 7, 8, 9, 10, 11)
	equal(t, download(t, s, v.Reshape2(6, 2).Row(5)), 10, 11)
	equal(t, download(t, s, v.Reshape3(3, 2, 2).Plane(2).Flat()), 8, 9, 10, 11)

	w := v.Reshape4(2, 1, 3, 2)
	if w.Batch() != 2 || w.Depth() != 1 || w.Rows() != 3 || w.Cols() != 2 || w.Len() != 12 || w.Dim(0) != 2 || w.Dim(1) != 1 || w.Dim(2) != 3 || w.Dim(3) != 2 || w.Dim(4) != 0 {
		t.Error("dims of a Buffer4")
	}
	equal(t, download(t, s, w.Row(1, 0, 2)), 10, 11)
	equal(t, download(t, s, w.Plane(1, 0).Row(0)), 6, 7)
	equal(t, download(t, s, w.Volume(0).Row(0, 1)), 2, 3)
	equal(t, download(t, s, w.Slice(1, 2).Flat()), 6, 7, 8, 9, 10, 11)
	equal(t, download(t, s, w.Reshape3(1, 6, 2).Row(0, 5)), 10, 11)
	equal(t, download(t, s, w.Reshape2(6, 2).Reshape4(1, 2, 3, 2).Plane(0, 1).Flat()), 6, 7, 8, 9, 10, 11)
	equal(t, download(t, s, w.Reshape4(3, 2, 1, 2).Volume(2).Flat()), 8, 9, 10, 11)

	contract := func(what string, err error) {
		t.Helper()
		var e *gpu.ContractError
		if !errors.As(err, &e) || !strings.Contains(e.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	contract("Slice", b.Slice(3, 2).Err())
	contract("Slice", b.Slice(-1, 2).Err())
	contract("Slice", b.Slice(0, 13).Err())
	contract("Slice", b.Slice(math.MaxInt, math.MinInt).Err())
	contract("Reshape2", b.Reshape2(5, 2).Err())
	contract("Reshape2", b.Reshape2(-3, -4).Err())
	contract("Reshape2", b.Reshape2(1<<62, 8).Err())
	contract("Reshape3", b.Reshape3(1<<40, 1<<40, 1<<40).Err())
	contract("Row", m.Row(3).Err())
	contract("Row", m.Row(-1).Err())
	contract("Slice", m.Slice(0, 4).Err())
	contract("Plane", v.Plane(2).Err())
	contract("Slice", v.Slice(2, 1).Err())
	contract("Volume", w.Volume(2).Err())
	contract("Volume", w.Plane(-1, 0).Err())
	contract("Plane", w.Plane(0, 1).Err())
	contract("Row", w.Row(0, 0, 3).Err())
	contract("Slice", w.Slice(1, 3).Err())
	contract("Reshape4", w.Reshape4(2, 2, 2, 2).Err())
	contract("Reshape4", b.Reshape4(1<<40, 1<<40, 0, -1).Err())
	// The first error goes through every further cut, and every use reports it.
	bad := b.Slice(9, 3)
	contract("Slice", bad.Slice(0, 0).Err())
	contract("Slice", bad.Reshape2(0, 0).Row(0).Err())
	contract("Slice", bad.Reshape3(0, 0, 0).Plane(0).Slice(0, 0).Err())
	contract("Slice", bad.Reshape3(0, 0, 0).Slice(0, 0).Row(0, 0).Err())
	contract("Slice", bad.Reshape4(0, 0, 0, 0).Slice(0, 0).Volume(0).Plane(0).Err())
	contract("Slice", bad.Upload(s, nil))
	contract("Slice", bad.Download(s, nil))
	contract("Slice", bad.Free())
	contract("Slice", bad.Zero(s))
	contract("Slice", gpu.Copy(s, b.Slice(0, 0), bad))
	contract("Slice", Busy(s, bad))
	if bad.Len() != 0 || bad.IsZero() || b.IsZero() || !(gpu.Buffer[int32]{}).IsZero() || !(gpu.Buffer2[int32]{}).IsZero() || !(gpu.Buffer3[int32]{}).IsZero() || !(gpu.Buffer4[int32]{}).IsZero() {
		t.Error("IsZero or Len of a broken view")
	}
	contract("Free", b.Slice(0, 5).Free())
	contract("Free", b.Slice(1, 12).Free())
	ok(t, v.Free())
	ok(t, b.Free())
	if err := m.Err(); !errors.Is(err, gpu.ErrFreed) {
		t.Error(err)
	}
}

func TestAllocations(t *testing.T) {
	_, s := cpu(t)
	a, err := gpu.Alloc[uint8](s, 5)
	ok(t, err)
	equal(t, download(t, s, a), 0, 0, 0, 0, 0)
	ok(t, a.Upload(s, []uint8{1, 2, 3, 4, 5}))
	ok(t, a.Slice(1, 3).Zero(s))
	equal(t, download(t, s, a), 1, 0, 0, 4, 5)
	ok(t, gpu.Copy(s, a.Slice(3, 5), a.Slice(0, 2)))
	equal(t, download(t, s, a), 1, 0, 0, 1, 0)
	want[*gpu.AliasError](t, gpu.Copy(s, a.Slice(0, 3), a.Slice(2, 5)), nil)
	want[*gpu.ShapeError](t, gpu.Copy(s, a, a.Slice(0, 2)), nil)
	u, err := gpu.Alloc2[float32](s, 2, 3, gpu.Uninitialized())
	ok(t, err)
	ok(t, u.Upload(s, []float32{1, 2, 3, 4, 5, 6}))
	equal(t, download(t, s, u.Row(1)), 4, 5, 6)
	w, err := gpu.Upload2(s, []int16{1, 2, 3, 4}, 2, 2)
	ok(t, err)
	equal(t, download(t, s, w.Row(1)), 3, 4)
	v, err := gpu.Upload3(s, []int16{1, 2, 3, 4}, 2, 1, 2)
	ok(t, err)
	equal(t, download(t, s, v.Row(1, 0)), 3, 4)
	x, err := gpu.Upload4(s, []int16{1, 2, 3, 4}, 2, 1, 1, 2)
	ok(t, err)
	equal(t, download(t, s, x.Row(1, 0, 0)), 3, 4)
	ok(t, x.Zero(s))
	ok(t, x.Upload(s, []int16{5, 6, 7, 8}))
	host := make([]int16, 4)
	ok(t, x.Download(s, host))
	if host[3] != 8 || x.Err() != nil {
		t.Error(host)
	}
	ok(t, x.Free())
	y, err := gpu.Alloc4[float32](s, 2, 2, 1, 3)
	ok(t, err)
	equal(t, download(t, s, y.Row(1, 1, 0)), 0, 0, 0)
	none, err := gpu.Upload(s, []float64(nil))
	ok(t, err)
	ok(t, none.Download(s, nil))
	ok(t, Saxpy(s, 1, none, none))
	ok(t, none.Free())
	if !errors.Is(none.Err(), gpu.ErrFreed) {
		t.Error(none.Err())
	}

	_, err = gpu.Upload2(s, []int16{1, 2, 3}, 2, 2)
	want[*gpu.ContractError](t, err, nil)
	_, err = gpu.Upload3(s, []int16{1, 2, 3}, 1, 2, 2)
	want[*gpu.ContractError](t, err, nil)
	_, err = gpu.Upload4(s, []int16{1, 2, 3}, 1, 1, 2, 2)
	want[*gpu.ContractError](t, err, nil)
	_, err = gpu.Alloc4[float32](s, 1<<40, 1<<40, 1, 1)
	want[*gpu.ContractError](t, err, nil)
	for _, n := range []int{-1, math.MinInt, math.MaxInt} {
		_, err = gpu.Alloc[float64](s, n)
		want[*gpu.ContractError](t, err, nil)
	}
	_, err = gpu.Alloc2[float32](s, 1<<40, 1<<40)
	want[*gpu.ContractError](t, err, nil)
	_, err = gpu.Alloc3[float32](s, 1<<40, 1<<40, 1<<40)
	want[*gpu.ContractError](t, err, nil)
	_, err = gpu.Alloc[float64](s, 1<<50)
	want(t, err, func(e *gpu.AllocError) bool {
		return e.Requested == 1<<53 && e.Available > 0 && e.Available < e.Requested
	})

	type packed struct {
		A, B bool
		V    int32
	}
	flags := upload(t, s, packed{true, false, 7})
	equal(t, download(t, s, flags), packed{true, false, 7})
	refuse[int](t, s)
	refuse[uint](t, s)
	refuse[string](t, s)
	refuse[*float32](t, s)
	refuse[[]float32](t, s)
	refuse[struct{ A, B int }](t, s)
	refuse[[2]func()](t, s)
	refuse[struct{}](t, s)
	refuse[[0]int32](t, s)
	refuse[complex64](t, s)
	refuse[any](t, s)
}

func refuse[T any](t *testing.T, s *gpu.Stream) {
	t.Helper()
	_, err := gpu.Alloc[T](s, 1)
	var e *gpu.ContractError
	if !errors.As(err, &e) {
		t.Errorf("%T as an element: %v", *new(T), err)
	}
	_, err = gpu.Upload(s, make([]T, 1))
	if !errors.As(err, &e) {
		t.Errorf("%T as an element: %v", *new(T), err)
	}
}
