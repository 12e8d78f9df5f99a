package watch

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// System is the notifier of the operating system.
type System struct {
	w      *fsnotify.Watcher
	errors chan error
}

// Open starts it. The error is a [*WatchError] if the system refuses.
func Open() (*System, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, &WatchError{Err: err}
	}
	s := &System{w, make(chan error, 1)}
	go s.forward()
	return s, nil
}

// forward takes errors from the watcher at once: it may hold its lock while it sends one, so that whoever calls Add before
// reading it would wait for ever. While an error is waiting, others are dropped; the one that counts is reported again.
// A folder that is moved and then deleted has no watch any more when the watcher wants to end it, which is no failure.
func (s *System) forward() {
	defer close(s.errors)
	for err := range s.w.Errors {
		if errors.Is(err, syscall.EINVAL) {
			err = ErrLost
		}
		select {
		case s.errors <- err:
		default:
		}
	}
}

func (s *System) Add(dir string) error          { return s.w.Add(dir) }
func (s *System) Remove(dir string) error       { return s.w.Remove(dir) }
func (s *System) Events() <-chan fsnotify.Event { return s.w.Events }
func (s *System) Errors() <-chan error          { return s.errors }

// Close ends all watches.
func (s *System) Close() error { return s.w.Close() }

// WatchError is a refusal to watch. There is no falling back to polling: it would be slow where it is needed most, in
// large trees, and nobody would know why.
type WatchError struct {
	Dir string // empty: nothing can be watched
	Err error
}

func (e *WatchError) Error() string {
	what := "changes cannot be watched"
	if e.Dir != "" {
		what = "changes in " + e.Dir + " cannot be watched"
	}
	return fmt.Sprintf("%s: %v", what, e.Err)
}

func (e *WatchError) Unwrap() error { return e.Err }

// Remedy says what to do about a limit of the system or a file system without events, "" if it is neither.
func (e *WatchError) Remedy() string {
	switch {
	case errors.Is(e.Err, syscall.ENOSPC) && runtime.GOOS == "linux":
		return "the user's limit of watched folders is reached; raise it: sudo sysctl fs.inotify.max_user_watches=524288"
	case errors.Is(e.Err, syscall.EMFILE) && runtime.GOOS == "linux":
		return "the user's limit of watching programs, or the process's limit of open files, is reached; raise them: " +
			"sudo sysctl fs.inotify.max_user_instances=1024; ulimit -n 65536"
	case errors.Is(e.Err, syscall.EMFILE), errors.Is(e.Err, syscall.ENFILE):
		return "the limit of open files is reached; raise it: ulimit -n 65536"
	case errors.Is(e.Err, syscall.ENOSYS), errors.Is(e.Err, errors.ErrUnsupported):
		return "this file system or kernel reports no changes; watch a copy on a local disk, or run gpugen generate by hand"
	}
	return ""
}
