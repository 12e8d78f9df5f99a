package nvrtc

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// Names are the file names that are looked for.
var Names = []string{"libnvrtc.so*"}

// openLibrary: RTLD_GLOBAL would mix two versions' symbols; the loader finds a loaded builtins library by its soname
// all the same.
func openLibrary(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }

func companionName(v Version) string {
	return fmt.Sprintf("libnvrtc-builtins.so.%d.%d", v.Major, v.Minor)
}
