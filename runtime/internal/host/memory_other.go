//go:build !linux && !windows

package host

import "errors"

// memory is not known without cgo on the other systems.
func memory() (free, total int64, err error) {
	return 0, 0, errors.New("the size of memory is not known on this system")
}
