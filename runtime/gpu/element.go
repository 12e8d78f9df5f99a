package gpu

import (
	"fmt"
	"math/bits"
	"reflect"
	"sync"
	"unsafe"
)

func sizeof[T any]() int { return int(unsafe.Sizeof(*new(T))) }

var elements sync.Map // reflect.Type → *ContractError or nil

// checkElement refuses types that cannot live in device memory: those with Go pointers in them, and int, whose size
// is not that of the kernel language's on every machine.
func checkElement[T any]() error {
	t := reflect.TypeFor[T]()
	v, ok := elements.Load(t)
	if !ok {
		var err *ContractError
		if bad := unfit(t); bad != "" {
			err = &ContractError{"gpu.Buffer", fmt.Sprintf("an element of type %v cannot live in device memory: %s", t, bad)}
		} else if t.Size() == 0 {
			err = &ContractError{"gpu.Buffer", fmt.Sprintf("an element of type %v has no size", t)}
		}
		v, _ = elements.LoadOrStore(t, err)
	}
	if err := v.(*ContractError); err != nil {
		return err
	}
	return nil
}

// unfit says what in t cannot live on a device, "" if all can.
func unfit(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return ""
	case reflect.Array:
		return unfit(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if bad := unfit(t.Field(i).Type); bad != "" {
				return bad
			}
		}
		return ""
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return fmt.Sprintf("%v has no fixed size; use %v64", t, t.Kind())
	}
	return fmt.Sprintf("%v holds Go pointers or has no fixed layout", t)
}

// product is the number of elements of a shape, and whether that many of size bytes can be addressed.
func product(size int, dims ...int) (int, bool) {
	n, zero := uint64(1), false
	for _, d := range dims {
		if d < 0 {
			return 0, false
		}
		zero = zero || d == 0
		hi, lo := bits.Mul64(n, uint64(max(d, 1)))
		if hi != 0 || lo > 1<<62 {
			return 0, false
		}
		n = lo
	}
	if zero {
		return 0, true
	}
	hi, lo := bits.Mul64(n, uint64(size))
	if hi != 0 || lo > uint64(^uint(0)>>1) {
		return 0, false
	}
	return int(n), true
}
