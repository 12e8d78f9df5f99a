//go:build !linux && !windows

package nvrtc

import (
	"errors"
	"runtime"
)

// Names are the file names that are looked for; NVIDIA ships NVRTC for Linux and Windows alone.
var Names = []string{"libnvrtc"}

// ErrNoPlatform is why load fails here.
var ErrNoPlatform = errors.New("NVIDIA ships no NVRTC for " + runtime.GOOS)

// calls is empty: there is no library whose functions it could hold.
type calls struct {
	nvrtcGetProgramLogSize, nvrtcGetProgramLog, nvrtcGetPTXSize, nvrtcGetPTX, nvrtcGetCUBINSize, nvrtcGetCUBIN uintptr
}

func load(path string) (*Library, error) { return nil, &LoadError{Path: path, Err: ErrNoPlatform} }

// The methods below are never reached, since load makes no Library on these systems.

func (l *Library) create(*uintptr, string, string) int { return CodeInvalidOption }
func (l *Library) compile(uintptr, []string) int       { return CodeInvalidOption }
func (l *Library) fetch(_, _, _ uintptr) ([]byte, int) { return nil, CodeInvalidOption }
func (l *Library) destroy(*uintptr)                    {}
func (l *Library) errorString(int) string              { return ErrNoPlatform.Error() }
