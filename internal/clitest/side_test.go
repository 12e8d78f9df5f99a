package clitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// TestB33SideBySide has several one-off runs and a watch work on the same folders at once, while sources change, go and come:
// every run succeeds, a save is built once by the watch, and what is left are the outputs of one run, whole.
func TestB33SideBySide(t *testing.T) {
	dir := kernels(t, "a", "b", "end")
	env := append(os.Environ(), "GPUGEN_NVRTC="+filepath.Join(dir, "nowhere"))
	generate := func(times int) {
		t.Helper()
		var group sync.WaitGroup
		for range times {
			group.Go(func() {
				c := exec.Command("gpugen", "generate", "-allow-missing", "./...")
				c.Dir, c.Env = dir, env
				if out, err := c.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
		group.Wait()
	}
	w := watch(t, dir, "GPUGEN_NVRTC="+filepath.Join(dir, "nowhere"))
	w.next("watching")
	w.next("rebuild")
	source := filepath.Join(dir, "a", "k.gpu")
	for n := range 6 {
		saveAs(t, source, kernelText(10+n))
		generate(6)
		if err := os.Remove(source); err != nil {
			t.Fatal(err)
		}
		generate(6)
	}
	saveAs(t, source, kernelText(3))
	generate(6)
	// Twelve changes of a's source, each built once at most, whoever wrote the outputs.
	saveAs(t, filepath.Join(dir, "end", "k.gpu"), kernelText(4))
	builds := 0
	for {
		e := w.next("rebuild")
		if len(e.Failed) > 0 || slices.Contains(e.Built, "b") {
			t.Errorf("%+v", e)
		}
		if slices.Contains(e.Built, "a") {
			builds++
		}
		if slices.Contains(e.Built, "end") {
			break
		}
	}
	if builds > 13 {
		t.Errorf("13 changes, %d builds", builds)
	}
	w.end(os.Interrupt)
	left := tree(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, "a", "_gpu")); err != nil {
		t.Fatal(err)
	}
	generate(1)
	now := tree(t, dir)
	for name, text := range now {
		if left[name] != text {
			t.Errorf("%s is not what one run gives", name)
		}
	}
	if len(left) != len(now) {
		t.Errorf("%d files are left, one run gives %d", len(left), len(now))
	}
}
