package dl

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

const env = "GPUGEN_TEST_DL"

// libc is a library that is on the machine.
func libc(t *testing.T) string {
	t.Helper()
	if _, err := open("no library"); err != nil && strings.Contains(err.Error(), "this build loads no libraries") {
		t.Skip("built with the tag gpuhost, or for a platform without drivers")
	}
	switch {
	case runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"):
		return "libc.so.6"
	case runtime.GOOS == "windows":
		return os.Getenv("SystemRoot") + `\System32\kernel32.dll`
	}
	t.Skip("no library is loaded on this platform")
	return ""
}

func TestOpen(t *testing.T) {
	name := libc(t)
	h, path, err := Open(env, []string{"libnothing.so.1", name})
	if err != nil {
		t.Skipf("the C library is not %s here: %v", name, err)
	}
	if h == 0 || path != name {
		t.Errorf("%#x of %q", h, path)
	}
	known := "malloc"
	if runtime.GOOS == "windows" {
		known = "GetTickCount"
	}
	var found, none uintptr
	if missing, err := Bind(h, map[string]*uintptr{known: &found}); err != nil || missing != "" || found == 0 {
		t.Errorf("%q %v %#x", missing, err, found)
	}
	if missing, err := Bind(h, map[string]*uintptr{known: &found, "no_such_function": &none, "nor_this_one": &none}); err == nil || missing != "no_such_function" || none != 0 {
		t.Errorf("%q %v %#x", missing, err, none)
	}
}

// What the variable names is the only one that is tried.
func TestOpenNamed(t *testing.T) {
	name := libc(t)
	t.Setenv(env, "libnamed.so.1")
	if _, _, err := Open(env, []string{name}); err == nil || !strings.Contains(err.Error(), "libnamed.so.1") || strings.Contains(err.Error(), name) {
		t.Error(err)
	}
	t.Setenv(env, "")
	if _, _, err := Open(env, []string{"libone.so.1", "libtwo.so.1"}); err == nil || !strings.Contains(err.Error(), "libone.so.1") || !strings.Contains(err.Error(), "; ") || !strings.Contains(err.Error(), "libtwo.so.1") {
		t.Error(err)
	}
}
