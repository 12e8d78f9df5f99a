package nvrtc

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Names are the file names that are looked for.
var Names = []string{"nvrtc64_*.dll"}

// openLibrary loads a DLL. With a full path its own folder is searched for what it imports.
func openLibrary(path string) (uintptr, error) {
	flags := uintptr(windows.LOAD_LIBRARY_SEARCH_DEFAULT_DIRS)
	if filepath.IsAbs(path) {
		flags |= windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
	}
	handle, err := windows.LoadLibraryEx(path, 0, flags)
	return uintptr(handle), err
}

func symbol(handle uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(handle), name)
}

func companionName(v Version) string {
	return fmt.Sprintf("nvrtc-builtins64_%d%d.dll", v.Major, v.Minor)
}
