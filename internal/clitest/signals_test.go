package clitest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// quiet is the quiet time of the watches here, that of internal/watch.
const quiet = 50 * time.Millisecond

// event is a line of `gpugen watch -json`.
type event struct {
	Event        string
	Built        []string
	Failed       []string
	Written      []string
	Milliseconds float64

	at time.Time
}

// watcher is a running `gpugen watch -json` in a folder.
type watcher struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	events chan event
}

func watch(t *testing.T, dir string, env ...string) *watcher {
	t.Helper()
	return watchTo(t, dir, os.Stderr, env...)
}

// watchTo is watch with a place for what the program says on its standard error, which may be read after its end.
func watchTo(t *testing.T, dir string, said io.Writer, env ...string) *watcher {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals that one process sends another")
	}
	w := &watcher{t: t, dir: dir, events: make(chan event, 64)}
	w.cmd = exec.Command("gpugen", "watch", "-json", "-quiet", quiet.String(), "-allow-missing", "./...")
	w.cmd.Dir, w.cmd.Stderr = dir, said
	w.cmd.Env = append(os.Environ(), env...)
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.cmd.Process.Kill() }) // it may have ended
	go func() {
		defer close(w.events)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			e := event{at: time.Now()}
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Errorf("%s: %v", lines.Bytes(), err)
			}
			w.events <- e
		}
	}()
	return w
}

// next is the next event.
func (w *watcher) next(want string) event {
	w.t.Helper()
	select {
	case e, ok := <-w.events:
		if !ok || e.Event != want {
			w.t.Fatalf("%+v, want an event %s", e, want)
		}
		return e
	case <-time.After(patience):
		w.t.Fatalf("no event %s", want)
	}
	panic("unreachable")
}

// end sends a signal and demands exit code 0. Events that nobody asked for are an error.
func (w *watcher) end(s os.Signal) {
	w.t.Helper()
	if err := w.cmd.Process.Signal(s); err != nil {
		w.t.Fatal(err)
	}
	for e := range w.events {
		if e.Event == "rebuild" {
			w.t.Errorf("one rebuild too many: %+v", e)
		}
	}
	if err := w.cmd.Wait(); err != nil {
		w.t.Errorf("%v: %v", s, err)
	}
}

// saveAs writes a file beside its place and renames, as editors do.
func saveAs(t *testing.T, path, text string) {
	t.Helper()
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".swp")
	if err := os.WriteFile(temp, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(temp, path); err != nil {
		t.Fatal(err)
	}
}

// kernels makes a folder of packages, each with one kernel.
func kernels(t *testing.T, packages ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range packages {
		if err := os.MkdirAll(filepath.Join(dir, p), 0o777); err != nil {
			t.Fatal(err)
		}
		saveAs(t, filepath.Join(dir, p, "k.gpu"), kernelText(1))
	}
	return dir
}

// kernelText is a kernel of blocks, another one for each n.
func kernelText(n int) string {
	return fmt.Sprintf(`package p

kernel Turn(x [n]float32, y mut [n]float32) blocks b in ceildiv(n, 64) threads t in 64 {
	shared s [64]float32
	s[t] = 0
	if b*64+t < n {
		s[t] = x[b*64+t] * %d
	}
	barrier()
	if b*64+t < n {
		y[b*64+t] = s[63-t]
	}
}
`, n)
}

// TestThreeSaves: three saves by rename are three rebuilds of that folder alone. It prints how long each took from the
// rename to the report, and what is left of it beyond the quiet time and the compilation; no test depends on it.
func TestThreeSaves(t *testing.T) {
	dir := kernels(t, "a", "b")
	w := watch(t, dir, "GPUGEN_NVRTC="+filepath.Join(root, ".nvrtc"))
	w.next("watching")
	if e := w.next("rebuild"); len(e.Built) != 2 {
		t.Fatalf("%+v", e)
	}
	for n := range 3 {
		start := time.Now()
		saveAs(t, filepath.Join(dir, "a", "k.gpu"), kernelText(n+2))
		e := w.next("rebuild")
		if len(e.Built) != 1 || e.Built[0] != "a" || len(e.Failed) > 0 || len(e.Written) == 0 {
			t.Errorf("save %d: %+v", n+1, e)
		}
		took, compile := e.at.Sub(start), time.Duration(e.Milliseconds*1e6)
		t.Logf("save %d: rebuilt and reported after %v: quiet time %v, compilation %v, the rest %v", n+1,
			took.Round(time.Millisecond), quiet, compile.Round(time.Millisecond), (took - quiet - compile).Round(time.Millisecond))
		text, err := os.ReadFile(filepath.Join(dir, "a", "_gpu", "k.cu"))
		if want := fmt.Sprintf("%d.0f", n+2); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("save %d: no %s in k.cu: %v", n+1, want, err)
		}
	}
	w.end(os.Interrupt)
}

// TestInterruptedWatch ends a watch with either signal at several moments of its first build and of a rebuild: every file
// is there with all its bytes or not at all, old or new, nothing else is left, and generate makes the rest.
func TestInterruptedWatch(t *testing.T) {
	packages := []string{"a", "b", "c", "d", "e", "f"}
	dir := kernels(t, packages...)
	generate := func() {
		t.Helper()
		c := exec.Command("gpugen", "generate", "-allow-missing", "./...")
		c.Dir, c.Env = dir, append(os.Environ(), "GPUGEN_NVRTC="+filepath.Join(dir, "nowhere"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	version := func(n int) map[string]string {
		for _, p := range packages {
			saveAs(t, filepath.Join(dir, p, "k.gpu"), kernelText(n))
		}
		generate()
		return tree(t, dir)
	}
	old, now := version(1), version(2)
	for moment, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, os.Interrupt, syscall.SIGTERM, os.Interrupt, syscall.SIGTERM, os.Interrupt, syscall.SIGTERM} {
		version(1)
		w := watch(t, dir, "GPUGEN_NVRTC="+filepath.Join(dir, "nowhere"))
		w.next("watching")
		w.next("rebuild")
		for _, p := range packages {
			saveAs(t, filepath.Join(dir, p, "k.gpu"), kernelText(2))
		}
		first := filepath.Join(dir, packages[0], "_gpu", "k.cu") // the first that is written
		for began := time.Now(); moment%4 < 2 && time.Since(began) < patience; {
			if text, err := os.ReadFile(first); err == nil && string(text) == now[strings.TrimPrefix(first, dir)] {
				break
			}
		}
		if moment%4 >= 2 {
			time.Sleep(quiet + time.Duration(moment)*4*time.Millisecond)
		}
		if err := w.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		for range w.events {
		}
		if err := w.cmd.Wait(); err != nil {
			t.Errorf("%v: %v", s, err)
		}
		fresh, of := 0, map[string]int{}
		for name, text := range tree(t, dir) {
			if text == now[name] && text != old[name] {
				fresh++
				of[strings.Split(filepath.ToSlash(name), "/")[1]]++
			} else if text != old[name] {
				t.Errorf("%v after %d: %s is neither the old nor the new one", s, moment, name)
			}
		}
		for p, n := range of { // the source, with all that differs or without
			whole := 0
			for name, text := range now {
				if strings.HasPrefix(filepath.ToSlash(name), "/"+p+"/") && text != old[name] {
					whole++
				}
			}
			if n != 1 && n != whole {
				t.Errorf("%v after %d: %d of %d files of %s are new", s, moment, n, whole, p)
			}
		}
		t.Logf("%v at moment %d: %d of %d files are new", s, moment, fresh, len(now))
		generate()
		for name, text := range tree(t, dir) {
			if text != now[name] {
				t.Errorf("%v after %d: generate leaves %s", s, moment, name)
			}
		}
	}
}

// tree is every file below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestInterruptedGenerate: either signal ends generate while NVRTC compiles, in this process and in workers, with an error
// and without a file.
func TestInterruptedGenerate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals that one process sends another")
	}
	libs, _ := filepath.Glob(filepath.Join(root, ".nvrtc", "*"))
	if len(libs) == 0 && !strings.Contains(os.Getenv("GPUGEN_REQUIRE"), "nvrtc") { // package require is not of this module
		t.Skip("nvrtc is not here: run make setup")
	}
	var slow strings.Builder // seconds of it
	slow.WriteString("package p\n")
	for i := range 150 {
		fmt.Fprintf(&slow, "\nkernel K%d[T float32|int32|uint8](x mut [n]T) for i in n {\n\tfor j := range n {\n\t\tx[i] += x[j] / T(%d)\n\t}\n}\n", i, i+1)
	}
	for _, packages := range [][]string{{"a"}, {"a", "b"}} {
		for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			dir := kernels(t, packages...)
			for _, p := range packages {
				saveAs(t, filepath.Join(dir, p, "k.gpu"), slow.String())
			}
			before := tree(t, dir)
			var errs strings.Builder
			c := exec.Command("gpugen", "generate", "./...")
			c.Dir, c.Stderr, c.Env = dir, &errs, append(os.Environ(), "GPUGEN_NVRTC="+filepath.Join(root, ".nvrtc"))
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if err := c.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != 4 || !strings.Contains(errs.String(), "canceled") {
				t.Errorf("%v of %d folders: %v\n%s", s, len(packages), err, &errs)
			}
			if after := tree(t, dir); len(after) != len(before) {
				t.Errorf("%v of %d folders: %d files are there, %d before", s, len(packages), len(after), len(before))
			}
		}
	}
}
