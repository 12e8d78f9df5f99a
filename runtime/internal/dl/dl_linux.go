//go:build !gpuhost && linux && !android && (amd64 || arm64)

package dl

import "github.com/ebitengine/purego"

func open(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func find(h uintptr, name string) (uintptr, error) { return purego.Dlsym(h, name) }
