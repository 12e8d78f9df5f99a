//go:build linux || windows

package nvrtc

import (
	"path/filepath"
	"runtime"
	"slices"
	"unsafe"

	"github.com/ebitengine/purego"
)

// calls holds the addresses of NVRTC's functions under their C names; all return nvrtcResult, 0 for success.
type calls struct {
	nvrtcGetErrorString       uintptr
	nvrtcCreateProgram        uintptr
	nvrtcDestroyProgram       uintptr
	nvrtcCompileProgram       uintptr
	nvrtcGetProgramLogSize    uintptr
	nvrtcGetProgramLog        uintptr
	nvrtcGetPTXSize           uintptr
	nvrtcGetPTX               uintptr
	nvrtcGetCUBINSize         uintptr
	nvrtcGetCUBIN             uintptr
	nvrtcGetNumSupportedArchs uintptr
	nvrtcGetSupportedArchs    uintptr
}

// load opens the library and looks up what it must have. The version comes first, so that later errors can name it.
func load(path string) (*Library, error) {
	handle, err := openLibrary(path)
	if err != nil {
		return nil, &LoadError{Path: path, Err: err}
	}
	l := &Library{path: path}
	nvrtcVersion, err := symbol(handle, "nvrtcVersion")
	if err != nil {
		return nil, &SymbolError{Symbol: "nvrtcVersion", Path: path}
	}
	var major, minor int32
	purego.SyscallN(nvrtcVersion, uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor)))
	l.version = Version{int(major), int(minor)}
	if l.version.Compare(Oldest) < 0 {
		return nil, &TooOldError{Path: path, Version: l.version}
	}
	for _, s := range []struct {
		name string
		to   *uintptr
	}{
		{"nvrtcGetErrorString", &l.nvrtcGetErrorString},
		{"nvrtcCreateProgram", &l.nvrtcCreateProgram},
		{"nvrtcDestroyProgram", &l.nvrtcDestroyProgram},
		{"nvrtcCompileProgram", &l.nvrtcCompileProgram},
		{"nvrtcGetProgramLogSize", &l.nvrtcGetProgramLogSize},
		{"nvrtcGetProgramLog", &l.nvrtcGetProgramLog},
		{"nvrtcGetPTXSize", &l.nvrtcGetPTXSize},
		{"nvrtcGetPTX", &l.nvrtcGetPTX},
		{"nvrtcGetCUBINSize", &l.nvrtcGetCUBINSize},
		{"nvrtcGetCUBIN", &l.nvrtcGetCUBIN},
		{"nvrtcGetNumSupportedArchs", &l.nvrtcGetNumSupportedArchs},
		{"nvrtcGetSupportedArchs", &l.nvrtcGetSupportedArchs},
	} {
		if *s.to, err = symbol(handle, s.name); err != nil {
			return nil, &SymbolError{Symbol: s.name, Path: path, Version: l.version}
		}
	}
	if err := l.openCompanion(); err != nil {
		return nil, err
	}
	return l, l.readArchs()
}

// openCompanion loads the builtins library before NVRTC asks for it by its bare name: NVRTC finds one that is loaded
// already, and only some builds look into their own folder (11.8 does, 13.0 does not).
func (l *Library) openCompanion() error {
	name := companionName(l.version)
	_, err := openLibrary(filepath.Join(filepath.Dir(l.path), name))
	if err != nil {
		if _, bare := openLibrary(name); bare != nil {
			return &CompanionError{Path: l.path, Version: l.version, Companion: name, Err: err}
		}
	}
	return nil
}

func (l *Library) readArchs() error {
	fail := func(call string, code uintptr) error {
		return &CallError{Call: call, Code: int(int32(code)), Text: l.errorString(int(int32(code))), Program: l.path, Version: l.version}
	}
	var n int32
	if r, _, _ := purego.SyscallN(l.nvrtcGetNumSupportedArchs, uintptr(unsafe.Pointer(&n))); int32(r) != 0 {
		return fail("nvrtcGetNumSupportedArchs", r)
	}
	archs := make([]int32, max(n, 1))
	if r, _, _ := purego.SyscallN(l.nvrtcGetSupportedArchs, uintptr(unsafe.Pointer(&archs[0]))); int32(r) != 0 {
		return fail("nvrtcGetSupportedArchs", r)
	}
	for _, a := range archs[:n] {
		l.archs = append(l.archs, int(a))
	}
	slices.Sort(l.archs)
	return nil
}

// create: NVRTC copies source and name before it returns; handle is written by it and read by us afterwards.
func (l *Library) create(handle *uintptr, source, name string) int {
	src, nam := cString(source), cString(name)
	r, _, _ := purego.SyscallN(l.nvrtcCreateProgram, uintptr(unsafe.Pointer(handle)), uintptr(unsafe.Pointer(src)),
		uintptr(unsafe.Pointer(nam)), 0, 0, 0)
	runtime.KeepAlive(src)
	runtime.KeepAlive(nam)
	return int(int32(r))
}

// compile: the options are read during the call only. The array holds Go pointers, so it is kept alive as a whole.
func (l *Library) compile(handle uintptr, options []string) int {
	argv := make([]*byte, len(options), len(options)+1)
	for i, o := range options {
		argv[i] = cString(o)
	}
	argv = append(argv, nil) // so that &argv[0] exists
	r, _, _ := purego.SyscallN(l.nvrtcCompileProgram, handle, uintptr(len(options)), uintptr(unsafe.Pointer(&argv[0])))
	runtime.KeepAlive(argv)
	return int(int32(r))
}

// fetch makes a size call and a copy call; the buffer is ours and NVRTC fills it before it returns.
func (l *Library) fetch(handle, size, get uintptr) ([]byte, int) {
	var n uintptr
	if r, _, _ := purego.SyscallN(size, handle, uintptr(unsafe.Pointer(&n))); int32(r) != 0 {
		return nil, int(int32(r))
	}
	if n == 0 {
		return nil, 0
	}
	b := make([]byte, n)
	r, _, _ := purego.SyscallN(get, handle, uintptr(unsafe.Pointer(&b[0])))
	return b, int(int32(r))
}

func (l *Library) destroy(handle *uintptr) {
	purego.SyscallN(l.nvrtcDestroyProgram, uintptr(unsafe.Pointer(handle)))
}

// errorString reads a string that the library owns for ever. The detour through the address of r keeps go vet's
// unsafeptr check honest: the number is C's address, not one of Go's.
func (l *Library) errorString(code int) string {
	r, _, _ := purego.SyscallN(l.nvrtcGetErrorString, uintptr(code))
	if r == 0 {
		return "unknown error"
	}
	p := *(**byte)(unsafe.Pointer(&r))
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// cString copies s into memory that ends with a NUL.
func cString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}
