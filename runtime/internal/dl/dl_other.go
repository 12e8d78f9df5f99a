//go:build gpuhost || !((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package dl

import "errors"

// The packages that would call these are not in such a build either; they are here so that this one is whole.

var errBuild = errors.New("dl: this build loads no libraries")

func open(string) (uintptr, error) { return 0, errBuild }

func find(uintptr, string) (uintptr, error) { return 0, errBuild }
