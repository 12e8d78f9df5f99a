package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen"
)

// listing is every file and folder below a folder.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if path != dir {
			all = append(all, filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator))))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// outputs are two files, one of them in a folder that is to be made.
var outputs = []gpugen.File{{Name: "k_gpu.go", Data: []byte("new")}, {Name: "_gpu/k.cu", Data: []byte("new")}}

// TestWriteWhereTheFolderIs: a folder that is moved after it was opened gets its outputs where it is; its old path stays gone,
// and so does a folder that was deleted, of which the error says so (B32).
func TestWriteWhereTheFolderIs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not move folders that are open")
	}
	root := t.TempDir()
	dir := filepath.Join(root, "old")
	put(t, filepath.Join(dir, "k_gpu.go"), "old")
	put(t, filepath.Join(dir, "gone_gpu.go"), "old")
	w, err := openPlaces(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, filepath.Join(root, "moved")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.carryOut(&plan{dir: dir, write: outputs, remove: []string{"gone_gpu.go", "_gpu/never.cu"}}), w.close()); err != nil {
		t.Error(err)
	}
	if got, want := listing(t, root), []string{"moved", "moved/_gpu", "moved/_gpu/k.cu", "moved/k_gpu.go"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if text, err := os.ReadFile(filepath.Join(root, "moved", "k_gpu.go")); err != nil || string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}

	root = t.TempDir()
	dir = filepath.Join(root, "deleted", "below")
	put(t, filepath.Join(dir, "k.gpu"), "source")
	if w, err = openPlaces(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, "deleted")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.carryOut(&plan{dir: dir, write: outputs}), w.close()); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), filepath.Join(dir, "k_gpu.go")) {
		t.Errorf("a deleted folder: %v", err)
	}
	if got := listing(t, root); len(got) > 0 {
		t.Errorf("a deleted folder is back: %q", got)
	}
	a := &app{stdout: io.Discard, stderr: io.Discard}
	if err := a.apply(&plan{dir: dir, write: outputs}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if got := listing(t, root); len(got) > 0 {
		t.Errorf("a folder that was not there is made: %q", got)
	}
}

// TestWriteAllOrNothing: when one file cannot be written, the others stay as they were, nothing is removed, and nothing is
// left beside them (B36).
func TestWriteAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "k_gpu.go"), "old")
	put(t, filepath.Join(dir, "gone_gpu.go"), "old")
	put(t, filepath.Join(dir, "_gpu"), "a file in the way")
	a := &app{stdout: io.Discard, stderr: io.Discard}
	err := a.apply(&plan{dir: dir, write: outputs, remove: []string{"gone_gpu.go"}})
	var e *exitError
	if !errors.As(err, &e) || e.Code != exitInternal || !strings.Contains(err.Error(), filepath.Join(dir, "_gpu", "k.cu")) {
		t.Errorf("%v", err)
	}
	if got, want := listing(t, dir), []string{"_gpu", "gone_gpu.go", "k_gpu.go"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "k_gpu.go")); err != nil || string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
}
