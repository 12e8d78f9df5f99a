//go:build !gpuhost && linux && !android && (amd64 || arm64)

package cuda

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/nvrtc"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/runtime/internal/driver"
)

const kernel = `extern "C" __global__ void Scale(float *x) { x[threadIdx.x] *= 2.0f; }`

// libraries opens every NVRTC of the machine that can be used.
func libraries(t *testing.T) []*nvrtc.Library {
	t.Helper()
	found, err := nvrtc.Find()
	require.Tool(t, "nvrtc", err == nil, "run make setup")
	var list []*nvrtc.Library
	for _, c := range found {
		if l, err := nvrtc.Open(c.Path); err == nil {
			list = append(list, l)
		}
	}
	return list
}

// TestB30DeviceNewerThanNVRTC: what NVRTC is asked for is an architecture that it knows, the newest up to the device: machine
// code for the device itself, PTX for anything older.
func TestB30DeviceNewerThanNVRTC(t *testing.T) {
	for _, l := range libraries(t) {
		archs := l.SupportedArchs()
		newest := archs[len(archs)-1]
		for device, want := range map[int]int{newest: newest, newest + 1: newest, 999: newest, 75: 75, 82: 80} {
			if !slices.Contains(archs, want) {
				continue
			}
			image, err := compileWith(l, kernel, device)
			if err != nil {
				t.Errorf("NVRTC %v for sm_%d: %v", l.Version(), device, err)
				continue
			}
			if code := bytes.HasPrefix(image, []byte("\x7fELF")); code != (device == want) {
				t.Errorf("NVRTC %v for sm_%d: machine code %v", l.Version(), device, code)
			} else if target := directive(string(image), ".target"); !code && target != fmt.Sprintf("sm_%d", want) {
				t.Errorf("NVRTC %v for sm_%d: PTX for %s, want sm_%d", l.Version(), device, target, want)
			}
		}
		if _, err := compileWith(l, kernel, 20); err == nil || !strings.Contains(err.Error(), "sm_20") || !strings.Contains(err.Error(), l.Version().String()) {
			t.Errorf("NVRTC %v for sm_20: %v", l.Version(), err)
		}
	}
}

// TestB30OldDriver: of several NVRTCs the one that the driver is new enough for makes the PTX.
func TestB30OldDriver(t *testing.T) {
	var older, newer *nvrtc.Library
	for _, l := range libraries(t) {
		if l.Version().Major == 11 {
			older = l
		} else {
			newer = l
		}
	}
	require.Tool(t, "nvrtc", older != nil && newer != nil, "run make setup, which installs two versions")
	for driverVersion, want := range map[int]string{11080: "7.8", 12040: "7.8"} {
		image, err := compile(kernel, slices.Max(newer.SupportedArchs()), driverVersion) // which the newer one knows
		if err != nil || directive(string(image), ".version") != want {
			t.Errorf("driver %d: PTX %s, want %s (%v)", driverVersion, directive(string(image), ".version"), want, err)
		}
	}
	image, err := compile(kernel, slices.Max(newer.SupportedArchs()), 13000)
	if err != nil || !bytes.HasPrefix(image, []byte("\x7fELF")) {
		t.Errorf("a driver for both, a device that the newer one knows: %.20q (%v)", image, err)
	}
}

// TestB29AtRunTime: no NVRTC, and one that is none.
func TestB29AtRunTime(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	t.Setenv(nvrtc.Env, nowhere)
	_, err := compile(kernel, 75, 12040)
	var missing *nvrtc.NotFoundError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), nowhere) {
		t.Errorf("%v", err)
	}
	bad := filepath.Join(t.TempDir(), "libnvrtc.so.12")
	ok(t, os.WriteFile(bad, []byte("no library"), 0o644))
	t.Setenv(nvrtc.Env, bad)
	_, err = compile(kernel, 75, 12040)
	var load *nvrtc.LoadError
	if !errors.As(err, &load) || !strings.Contains(err.Error(), bad) || !strings.Contains(err.Error(), "set "+nvrtc.Env) {
		t.Errorf("%v", err)
	}
	// A mistake in the source is the compiler's word, not a missing tool.
	t.Setenv(nvrtc.Env, "")
	if len(libraries(t)) == 0 {
		return
	}
	var refused *driver.CompileFailure
	if _, err := compile("__global__ void f() { nothing; }", 75, 12040); !errors.As(err, &refused) || !strings.Contains(refused.Log, "nothing") {
		t.Errorf("%v", err)
	}
}
