package clitest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestB32Burst makes, moves, deletes and makes folders again faster than they are built and while they are: what counts
// in the end is built under its present path, in two seconds unless the machine is busy, and there is no word about a path
// that has gone.
func TestB32Burst(t *testing.T) {
	best := time.Hour
	for _, pause := range []time.Duration{0, 0, 20 * time.Millisecond, 55 * time.Millisecond, 70 * time.Millisecond, 120 * time.Millisecond} {
		dir := kernels(t, "end")
		source := filepath.Join(t.TempDir(), "k.gpu")
		saveAs(t, source, kernelText(3))
		var said bytes.Buffer
		w := watchTo(t, dir, &said, "GPUGEN_NVRTC="+filepath.Join(dir, "nowhere"))
		w.next("watching")
		w.next("rebuild")

		steps := []string{
			"mkdir -p a/b/c", "cp K a/b/c/", "mv a z", "echo '// x' >> z/b/c/k.gpu", "until rm -rf z; do :; done", "mkdir -p z/b/c && cp K z/b/c/",
			"mkdir y && mv z/b y/b", "mv y x", "mkdir -p z/b/c && cp K z/b/c/", "echo '// y' >> x/b/c/k.gpu",
		}
		for i := range steps {
			steps[i] = strings.ReplaceAll(steps[i], "K", source)
		}
		script := strings.Join(steps, fmt.Sprintf(" && sleep %.3f && ", pause.Seconds()))
		c := exec.Command("sh", "-c", script)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		last := time.Now()
		wanted := map[string]bool{"x/b/c": true, "z/b/c": true}
		built := func(folder string) bool {
			_, err := os.Stat(filepath.Join(dir, folder, "k_gpu.go"))
			return err == nil
		}
		var took time.Duration
		for !built("x/b/c") || !built("z/b/c") {
			e := w.next("rebuild")
			took = e.at.Sub(last)
			if len(e.Failed) > 0 {
				t.Errorf("pause %v: %+v", pause, e)
			}
			for _, b := range e.Built {
				delete(wanted, b)
			}
			if len(wanted) == 0 && (!built("x/b/c") || !built("z/b/c")) {
				wanted["x/b/c"], wanted["z/b/c"] = true, true // built before it was moved away
			}
		}
		best = min(best, took)
		// Whatever else is to come has come when a later save is built. Then the outputs are those of one generate.
		saveAs(t, filepath.Join(dir, "end", "k.gpu"), kernelText(4))
		for {
			e := w.next("rebuild")
			if len(e.Failed) > 0 {
				t.Errorf("pause %v: %+v", pause, e)
			}
			if slices.Contains(e.Built, "end") {
				break
			}
		}
		w.end(os.Interrupt)
		if said.Len() > 0 {
			t.Errorf("pause %v: %s", pause, &said)
		}
		left := tree(t, dir)
		c = exec.Command("gpugen", "generate", "-v", "-allow-missing", "./...")
		c.Dir, c.Env = dir, append(os.Environ(), "GPUGEN_NVRTC="+filepath.Join(dir, "nowhere"))
		if out, err := c.CombinedOutput(); err != nil || strings.Contains(string(out), "write ") || strings.Contains(string(out), "remove ") {
			t.Errorf("pause %v: generate has something left to do: %v\n%s", pause, err, out)
		}
		for name := range left {
			if strings.HasPrefix(filepath.Base(name), ".") {
				t.Errorf("pause %v: %s is left over", pause, name)
			}
			if folder := filepath.ToSlash(name); !strings.HasPrefix(folder, "/end/") && !strings.HasPrefix(folder, "/x/b/c/") && !strings.HasPrefix(folder, "/z/b/c/") {
				t.Errorf("pause %v: %s is left", pause, name)
			}
		}
		t.Logf("pause %v: the last step is built after %v", pause, took)
	}
	if best > 2*time.Second {
		t.Errorf("the fastest of all took %v", best)
	}
}
