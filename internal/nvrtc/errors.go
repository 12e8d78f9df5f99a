package nvrtc

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A NotFoundError says that no NVRTC is on the machine and where it was looked for.
type NotFoundError struct {
	Names []string // file name patterns, `libnvrtc.so*`
	Dirs  []string // every directory looked into, in order
	Only  string   // the value of GPUGEN_NVRTC if that was the only place allowed
}

func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "nvrtc: NVIDIA's runtime compiler was not found (%s)", strings.Join(e.Names, ", "))
	if e.Only != "" {
		fmt.Fprintf(&b, "; %s=%s is set, so nothing else was looked at", Env, e.Only)
	}
	b.WriteString("\nlooked in:")
	for _, dir := range e.Dirs {
		b.WriteString("\n\t" + dir)
	}
	return b.String() + remedy
}

const remedy = "\nset " + Env + " to the library or to its folder, or install it: pip install nvidia-cuda-nvrtc-cu11==11.8.89"

// An UnusableError says that NVRTC is on the machine and that none of it can be used.
type UnusableError struct{ Tried []error } // by library, in order

func (e *UnusableError) Error() string {
	var b strings.Builder
	b.WriteString("nvrtc: NVIDIA's runtime compiler is here and cannot be used")
	for _, err := range e.Tried {
		b.WriteString("\n\t" + strings.ReplaceAll(strings.TrimPrefix(err.Error(), "nvrtc: "), "\n", "\n\t"))
	}
	return b.String() + remedy
}

// As finds what the error of a library is. There is no Unwrap: together they are one mistake.
func (e *UnusableError) As(target any) bool {
	return slices.ContainsFunc(e.Tried, func(err error) bool { return errors.As(err, target) })
}

// A LoadError says that a library is there and the system's loader refuses it.
type LoadError struct {
	Path string
	Err  error
}

func (e *LoadError) Error() string { return fmt.Sprintf("nvrtc: load %s: %v", e.Path, e.Err) }
func (e *LoadError) Unwrap() error { return e.Err }

// A SymbolError says that a library lacks a function that this binding calls.
type SymbolError struct {
	Symbol  string
	Path    string
	Version Version // zero if the missing symbol is nvrtcVersion itself
}

func (e *SymbolError) Error() string {
	version := "unknown version"
	if e.Version != (Version{}) {
		version = "version " + e.Version.String()
	}
	return fmt.Sprintf("nvrtc: %s (%s) has no symbol %s", e.Path, version, e.Symbol)
}

// A CompanionError says that a library is installed without the builtins library of the same version, which every
// compilation needs.
type CompanionError struct {
	Path      string
	Version   Version
	Companion string // the file name that is missing
	Err       error
}

func (e *CompanionError) Error() string {
	return fmt.Sprintf("nvrtc: %s (version %s) is half-installed: it needs %s, which is neither in %s nor in the loader's path: %v",
		e.Path, e.Version, e.Companion, filepath.Dir(e.Path), e.Err)
}
func (e *CompanionError) Unwrap() error { return e.Err }

// A TooOldError says that a library is older than this binding can use.
type TooOldError struct {
	Path    string
	Version Version
}

func (e *TooOldError) Error() string {
	return fmt.Sprintf("nvrtc: %s is version %s; %s or newer is needed", e.Path, e.Version, Oldest)
}

// A CallError is a failed NVRTC call.
type CallError struct {
	Call    string // the C name, nvrtcCompileProgram
	Code    int
	Text    string // nvrtcGetErrorString
	Program string
	Version Version
}

// Codes of CallError that callers tell apart.
const (
	CodeInvalidOption = 5 // NVRTC_ERROR_INVALID_OPTION
	CodeCompilation   = 6 // NVRTC_ERROR_COMPILATION
)

func (e *CallError) Error() string {
	return fmt.Sprintf("nvrtc: %s of %s with version %s: %s (%d)", e.Call, e.Program, e.Version, e.Text, e.Code)
}
