// Package require turns "this tool is not on the machine" into a skipped or a failed test.
//
// A test that needs NVRTC, clang or a GPU calls Tool first. Where the tool is missing the test is skipped and the reason
// says how to get it; where the environment variable GPUGEN_REQUIRE names the tool (comma-separated, as continuous
// integration sets it) the same test fails, so that a green run there cannot hide an empty one. Imported by tests only.
package require

import (
	"os"
	"slices"
	"strings"
)

// Env is the environment variable that lists the tools whose absence fails a test instead of skipping it.
const Env = "GPUGEN_REQUIRE"

// TB is what Tool uses of testing.TB; the package itself does not import testing, so no flag leaks into a program that
// links it by accident.
type TB interface {
	Helper()
	Skipf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Tool returns if present. Otherwise it ends the test: failed if GPUGEN_REQUIRE names the tool, else skipped, both with
// the remedy ("run make setup").
func Tool(t TB, name string, present bool, remedy string) {
	t.Helper()
	switch {
	case present:
	case Demanded(name):
		t.Fatalf("%s is not here and %s=%s demands it: %s", name, Env, os.Getenv(Env), remedy)
	default:
		t.Skipf("%s is not here: %s", name, remedy)
	}
}

// Demanded reports whether GPUGEN_REQUIRE names the tool.
func Demanded(name string) bool {
	return slices.ContainsFunc(strings.Split(os.Getenv(Env), ","), func(s string) bool {
		return strings.TrimSpace(s) == name
	})
}
