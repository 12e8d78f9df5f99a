//go:build !gpuhost && windows && (amd64 || arm64)

package opencl

import (
	"os"
	"path/filepath"
	"syscall"
)

// candidates is the library by its full path, so that no other folder of the search order can supply one.
var candidates = []string{filepath.Join(os.Getenv("SystemRoot"), "System32", "OpenCL.dll")}

func dlopen(name string) (uintptr, error) {
	h, err := syscall.LoadLibrary(name)
	return uintptr(h), err
}

func dlsym(h uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(h), name)
}
