package gen

import (
	"math"
	"testing"
	"unsafe"
)

func TestAt(t *testing.T) {
	site := &Site{File: "a.gpu", Line: 3, Col: 7, Param: "x", Dim: 1}
	for _, c := range []struct {
		i, n int
		trap bool
	}{{0, 1, false}, {4, 5, false}, {5, 5, true}, {-1, 5, true}, {0, 0, true}, {math.MinInt, math.MaxInt, true}} {
		func() {
			defer func() {
				r, _ := recover().(*Trap)
				if (r != nil) != c.trap {
					t.Errorf("At(%d, %d): trap %v", c.i, c.n, r)
				}
				if r != nil && (r.Index != c.i || r.Extent != c.n || r.Site != site) {
					t.Errorf("At(%d, %d): %+v", c.i, c.n, r)
				}
			}()
			if got := At(c.i, c.n, site); got != c.i {
				t.Errorf("At(%d, %d) = %d", c.i, c.n, got)
			}
		}()
	}
	if s := (&Trap{site, 9, 4}).Error(); s != "a.gpu:3:7: index 9 out of range: dimension 1 of x has 4" {
		t.Error(s)
	}
	if s := (&Trap{nil, 9, 4}).Error(); s != "index 9 out of range of 4" {
		t.Error(s)
	}
}

func TestBoolOfAnyByte(t *testing.T) {
	b := []byte{0, 1, 2, 128, 255}
	v := unsafe.Slice((*bool)(unsafe.Pointer(&b[0])), len(b))
	for i := range v {
		if Bool(&v[i]) != (b[i] != 0) {
			t.Errorf("byte %d reads %v", b[i], Bool(&v[i]))
		}
	}
}
