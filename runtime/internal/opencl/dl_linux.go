//go:build !gpuhost && linux && !android && (amd64 || arm64)

package opencl

import "github.com/ebitengine/purego"

// candidates are the loader's path, and NixOS.
var candidates = []string{"libOpenCL.so.1", "libOpenCL.so", "/run/opengl-driver/lib/libOpenCL.so.1"}

func dlopen(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func dlsym(h uintptr, name string) (uintptr, error) { return purego.Dlsym(h, name) }
