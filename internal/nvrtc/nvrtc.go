// Package nvrtc turns CUDA C text into PTX and cubins by calling NVIDIA's runtime compiler, NVRTC, without cgo.
//
// It is the binding alone: Find says which libraries are on the machine, Open loads one, Program holds one translation
// unit. Policy (which version for which architecture, which options, how errors are shown) belongs to the callers,
// codegen/ptx/nvrtc and runtime/internal/cuda.
//
// Invariants: nothing is loaded before Open; several versions stand side by side in one process, since every symbol is
// looked up in its own library; a library, once open, stays loaded; a missing library, symbol or companion is an error
// that names it. Methods may be called from any goroutine; one Program belongs to one goroutine at a time; the handlers of
// signals are the program's, whatever NVRTC does to them.
package nvrtc

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
)

// Version is a CUDA version as nvrtcVersion reports it, 11.8 for example.
type Version struct{ Major, Minor int }

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Compare orders versions as cmp.Compare does.
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.Major, w.Major), cmp.Compare(v.Minor, w.Minor))
}

// Oldest is the first NVRTC that can be used: it writes cubins (11.1) and lists its architectures (11.2).
var Oldest = Version{11, 2}

// A Library is one NVRTC that has been loaded.
type Library struct {
	path    string
	version Version
	archs   []int
	calls
}

// Path is the file the library was loaded from.
func (l *Library) Path() string { return l.path }

// Version is the version that the library itself reports.
func (l *Library) Version() Version { return l.version }

// SupportedArchs lists the architectures that the library compiles for, ascending: 75 for sm_75. The caller must not
// change the slice.
func (l *Library) SupportedArchs() []int { return l.archs }

// NumSupportedArchs is the length of SupportedArchs.
func (l *Library) NumSupportedArchs() int { return len(l.archs) }

// libraries holds what Open has loaded, by real path: NVRTC keeps state in statics, so it is loaded once and never
// unloaded.
var libraries struct {
	sync.Mutex
	byPath map[string]*Library
}

// Open loads the library at path, with the builtins library that it needs. Opening a path again gives the same Library.
// Errors: *LoadError, *SymbolError, *CompanionError, *TooOldError.
func Open(path string) (*Library, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, &LoadError{Path: path, Err: err}
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, &LoadError{Path: path, Err: err}
	}
	libraries.Lock()
	defer libraries.Unlock()
	if l := libraries.byPath[real]; l != nil {
		return l, nil
	}
	l, err := load(real)
	if err != nil {
		return nil, err
	}
	if libraries.byPath == nil {
		libraries.byPath = map[string]*Library{}
	}
	libraries.byPath[real] = l
	return l, nil
}

// A Program is one translation unit inside NVRTC. Destroy frees it.
type Program struct {
	lib    *Library
	handle uintptr // the library's own address, never one of ours
	name   string
}

// NewProgram gives NVRTC a source text under a name, which its messages repeat. NVRTC copies both.
func (l *Library) NewProgram(name, source string) (*Program, error) {
	for _, s := range []string{name, source} {
		if i := strings.IndexByte(s, 0); i >= 0 {
			return nil, fmt.Errorf("nvrtc: %s: NUL byte at offset %d: C text ends there", name, i)
		}
	}
	p := &Program{lib: l, name: name}
	if code := l.create(&p.handle, source, name); code != 0 {
		return nil, p.fail("nvrtcCreateProgram", code)
	}
	return p, nil
}

// Compile runs the compiler, one at a time in a process. On failure the error is a *CallError and Log holds what the
// compiler said. Signals lead where they led before, also while it runs.
func (p *Program) Compile(options []string) error {
	defer guardSignals()()
	if code := p.lib.compile(p.handle, options); code != 0 {
		return p.fail("nvrtcCompileProgram", code)
	}
	return nil
}

// Log is the compiler's output of the last Compile, empty if it said nothing.
func (p *Program) Log() (string, error) {
	b, err := p.read("nvrtcGetProgramLog", p.lib.nvrtcGetProgramLogSize, p.lib.nvrtcGetProgramLog)
	return strings.TrimRight(string(b), "\x00"), err
}

// PTX is the assembly text that Compile made, without the NUL that NVRTC ends it with.
func (p *Program) PTX() ([]byte, error) {
	b, err := p.read("nvrtcGetPTX", p.lib.nvrtcGetPTXSize, p.lib.nvrtcGetPTX)
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return b, err
}

// Cubin is the machine code that Compile made; there is one only if the architecture was a real one (sm_NN).
func (p *Program) Cubin() ([]byte, error) {
	return p.read("nvrtcGetCUBIN", p.lib.nvrtcGetCUBINSize, p.lib.nvrtcGetCUBIN)
}

// Destroy frees the program; a second call does nothing.
func (p *Program) Destroy() {
	if p.handle != 0 {
		p.lib.destroy(&p.handle)
		p.handle = 0
	}
}

// read fetches one of the results that NVRTC hands out as a size call and a copy call.
func (p *Program) read(what string, size, get uintptr) ([]byte, error) {
	b, code := p.lib.fetch(p.handle, size, get)
	if code != 0 {
		return nil, p.fail(what, code)
	}
	return b, nil
}

func (p *Program) fail(call string, code int) error {
	return &CallError{Call: call, Code: code, Text: p.lib.errorString(code), Program: p.name, Version: p.lib.version}
}
