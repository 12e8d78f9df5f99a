package clrun

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/ebitengine/purego"
)

func dlopen() (uintptr, error) { return purego.Dlopen("libOpenCL.so.1", purego.RTLD_NOW) }

func dlsym(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }

// used is the time of processors that a process has taken; 0 if it is gone.
func used(pid int) (sum time.Duration) {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, stat, _ = bytes.Cut(stat, []byte(") ")) // the name before may hold anything
	fields := bytes.Fields(stat)
	if len(fields) < 13 {
		return 0
	}
	for _, ticks := range fields[11:13] { // user and system, in hundredths of a second
		n, _ := strconv.Atoi(string(ticks))
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}
