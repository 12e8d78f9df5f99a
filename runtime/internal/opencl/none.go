//go:build gpuhost || !((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package opencl

import (
	"fmt"
	"runtime"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

func unavailable() error {
	return fmt.Errorf("opencl: not in this build for %s/%s (OpenCL is built in for linux and windows on amd64 and arm64, without the tag gpuhost)", runtime.GOOS, runtime.GOARCH)
}

// List says that there are no devices.
func List() ([]Info, error) { return nil, unavailable() }

// Open says that there is no such device.
func Open(int) (driver.Device, error) { return nil, unavailable() }
