package watch

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// TestMovedAndGone: a folder that was moved and deleted before its events were read is an error of the watcher's, which it
// sends while it holds its lock. Adding a folder does not wait for the reader of errors, and the error ends nothing.
func TestMovedAndGone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it is about inotify, which Linux has")
	}
	s, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	root, other := t.TempDir(), t.TempDir()
	from, to := filepath.Join(root, "from"), filepath.Join(root, "to")
	if err := errors.Join(os.Mkdir(from, 0o700), s.Add(root), s.Add(from)); err != nil {
		t.Fatal(err)
	}
	// The watcher stands at the first event until it is read, and comes to the others when the folder has gone.
	if err := os.WriteFile(filepath.Join(root, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if err := errors.Join(os.Rename(from, to), os.Remove(to)); err != nil {
		t.Fatal(err)
	}
	quiet := time.NewTimer(time.Second)
	for open := true; open; {
		select {
		case <-s.Events():
			quiet.Reset(time.Second)
		case <-quiet.C:
			open = false
		}
	}
	added := make(chan error, 1)
	go func() { added <- s.Add(other) }()
	select {
	case err := <-added:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Add waits for the reader of errors")
	}
	select {
	case err := <-s.Errors():
		if !errors.Is(err, ErrLost) {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("nothing says that everything has to be looked at again")
	}
}
