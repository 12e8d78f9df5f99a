//go:build !linux

package clrun

import (
	"errors"
	"time"
)

var errSystem = errors.New("OpenCL C is run on Linux only")

func dlopen() (uintptr, error) { return 0, errSystem }

func dlsym(uintptr, string) (uintptr, error) { return 0, errSystem }

func used(int) time.Duration { return 0 }
