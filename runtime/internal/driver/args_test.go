package driver

import (
	"testing"
	"unsafe"
)

func TestArgs(t *testing.T) {
	a := NewArgs()
	memory := make([]uint64, 4)
	m := Mem{Addr: 0x1000, Ptr: unsafe.Pointer(&memory[0])}
	*(*int8)(a.Bytes(1, 1)) = -5
	if !a.View(m, 8, 16, 2) {
		t.Fatal("full")
	}
	*(*float32)(a.Bytes(4, 4)) = 2.5
	if a.Len() != 3 || a.Offset(0) != 0 || a.Offset(1) != 8 || a.Offset(2) != 16 {
		t.Errorf("%d slots at %d %d %d", a.Len(), a.Offset(0), a.Offset(1), a.Offset(2))
	}
	if *(*int8)(a.Scalar(0, 1)) != -5 || *(*uint64)(a.Scalar(1, 8)) != 0x1008 || *(*float32)(a.Scalar(2, 4)) != 2.5 {
		t.Error("values")
	}
	if a.Elems(1, 2, 8) != unsafe.Pointer(&memory[1]) || a.Elems(1, 0, 8) != nil || a.Elems(1, -1, 8) != nil {
		t.Error("elements")
	}
	if at, size := a.Value(2); *(*float32)(at) != 2.5 || size != 4 {
		t.Error("a value for C")
	}
	if mem, first := a.Handle(1); *(*uintptr)(mem) != 0x1000 || *(*uint64)(first) != 1 {
		t.Error("a handle for C")
	}
	if mem, first := a.Handle(0); mem != nil || first != nil {
		t.Error("a scalar has a handle")
	}
	table := (*[MaxSlots]unsafe.Pointer)(a.Params())
	if *(*float32)(table[2]) != 2.5 {
		t.Error("the table for C")
	}
	panics := func(name string, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", name)
			}
		}()
		f()
	}
	panics("more elements than the view has", func() { a.Elems(1, 3, 8) })
	panics("elements of a scalar", func() { a.Elems(0, 1, 1) })
	panics("elements of no slot", func() { a.Elems(3, 1, 1) })
	panics("scalar of no slot", func() { a.Scalar(3, 1) })
	panics("scalar of a negative slot", func() { a.Scalar(-1, 1) })
	a.Release()
	if a.Len() != 0 || a.view[1].base != nil {
		t.Error("a released block holds on to memory")
	}
}

func TestArgsEnd(t *testing.T) {
	a := NewArgs()
	defer a.Release()
	if a.Bytes(MaxBytes, 8) == nil || a.Bytes(1, 1) != nil || a.View(Mem{}, 0, 0, 0) {
		t.Error("bytes beyond the end")
	}
	b := NewArgs()
	defer b.Release()
	for range MaxSlots {
		if b.Bytes(1, 1) == nil {
			t.Fatal("full too soon")
		}
	}
	if b.Bytes(1, 1) != nil {
		t.Error("slots beyond the end")
	}
}
