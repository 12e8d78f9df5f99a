// Package dl turns the names that a driver's library may have into the addresses of its functions. The drivers of CUDA and
// of OpenCL call it at first use; nothing is linked, so that a program starts on a machine without either.
package dl

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
)

// Open loads the first library that loads: the one that the environment variable env names, or else one of names. It says which.
// The error tells what became of each.
func Open(env string, names []string) (handle uintptr, path string, err error) {
	if named := os.Getenv(env); named != "" {
		names = []string{named}
	}
	var tried []string
	for _, n := range names {
		h, err := open(n)
		if err == nil {
			return h, n, nil
		}
		tried = append(tried, err.Error())
	}
	return 0, "", errors.New(strings.Join(tried, "; "))
}

// Bind sets the addresses of functions by their names. It stops at one that is missing and names it.
func Bind(handle uintptr, symbols map[string]*uintptr) (missing string, err error) {
	for _, name := range slices.Sorted(maps.Keys(symbols)) {
		a, err := find(handle, name)
		if err != nil {
			return name, err
		}
		*symbols[name] = a
	}
	return "", nil
}
