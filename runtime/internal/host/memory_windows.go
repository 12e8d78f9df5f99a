package host

import (
	"syscall"
	"unsafe"
)

var globalMemoryStatusEx = syscall.NewLazyDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// memory is what the machine can still commit and can commit at all.
func memory() (free, total int64, err error) {
	var s struct { // MEMORYSTATUSEX
		length, load                                                             uint32
		totalPhys, availPhys, totalPage, availPage, totalVirt, availVirt, extend uint64
	}
	s.length = uint32(unsafe.Sizeof(s))
	if r, _, err := globalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&s))); r == 0 {
		return 0, 0, err
	}
	return int64(s.availPage), int64(s.totalPage), nil
}
