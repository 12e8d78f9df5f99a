//go:build !gpuhost && linux && !android && (amd64 || arm64)

package cuda

import "github.com/ebitengine/purego"

// candidates are where drivers put the library: the loader's path, WSL and NixOS.
var candidates = []string{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "/run/opengl-driver/lib/libcuda.so.1"}

func dlopen(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func dlsym(h uintptr, name string) (uintptr, error) { return purego.Dlsym(h, name) }
