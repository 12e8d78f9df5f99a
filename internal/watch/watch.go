// Package watch turns events of a file system into settled changes: the folders whose content is not what it was, once
// nobody has written for a while.
//
// The command calls it. It knows nothing of kernels: the caller says which names matter and gives a fingerprint of a
// folder's content. It imports nothing of ours, and its tests drive it with made-up events and a made-up clock.
//
// Invariants: events only say where to look, and a change is reported when, and only when, a fingerprint differs, so that
// lost, doubled and late events do no harm and the caller's own outputs cause nothing. Folders are watched, never files:
// a save by rename replaces the file. A watch is set before the folder is read, so nothing falls between the two.
package watch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Quiet is how long a folder must be left alone before it is looked at. An editor's save is several events a few
// milliseconds apart (truncate, write, sync, rename over, delete the backup), and so is a file that another program
// writes in pieces; people notice a delay from 100 ms on. What is slower than this gives one look more, at content that
// is not whole yet, and is made good by the next.
const Quiet = 50 * time.Millisecond

// patience is how many quiet times events may go on without a pause before folders are looked at all the same, or a
// program that never stops writing would keep everybody waiting.
const patience = 20

// Root is a folder to watch, alone or with all below.
type Root struct {
	Dir string
	All bool
}

// Config says what to watch.
type Config struct {
	Roots []Root
	// Skip reports the name of a folder below a root that is passed over with all below it.
	Skip func(name string) bool
	// Boundary is the name of a file that takes its folder, and all below, out of the root above.
	Boundary string
	// Match reports a name of a file that may be content. Events of others are dropped.
	Match func(name string) bool
	// Fingerprint is a hash of the content of a folder, "" if there is none.
	Fingerprint func(dir string) string
	// Quiet is the quiet time; 0 is [Quiet].
	Quiet time.Duration
}

// Change is what settled since the last one.
type Change struct {
	First bool     // at the start: every folder under watch, changed or not
	Dirs  []string // as the roots name them, sorted; what is in one may be gone
}

// A Notifier delivers the events of folders. [Open] gives the one of the system.
type Notifier interface {
	// Add watches a folder. It may be watched already, or be another folder than the one last watched under this path.
	Add(dir string) error
	Remove(dir string) error
	Events() <-chan fsnotify.Event
	Errors() <-chan error
}

// ErrLost is sent by a Notifier that has dropped events. Everything is looked at again.
var ErrLost = fsnotify.ErrEventOverflow

// Run calls build with the first change and then with every later one, never two at a time; what settles meanwhile is
// collected. It returns nil once ctx is done and build has returned, or the first error of build or of the notifier.
func Run(ctx context.Context, c Config, n Notifier, build func(context.Context, Change) error) error {
	if c.Quiet <= 0 {
		c.Quiet = Quiet
	}
	t := newTree(c, n)
	dirs, err := t.first()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &run{tree: t, quiet: c.Quiet, pending: map[string]bool{}, done: make(chan error, 1)}
	r.build = func(change Change) {
		r.busy = true
		go func() { r.done <- build(ctx, change) }()
	}
	defer func() {
		cancel()
		if r.busy {
			<-r.done
		}
	}()
	r.build(Change{First: true, Dirs: dirs})
	return r.loop(ctx)
}

// run is the state of one Run.
type run struct {
	*tree
	quiet   time.Duration
	build   func(Change)
	busy    bool // a build is running; done tells its end
	done    chan error
	pending map[string]bool // settled, not built yet
	since   time.Time       // of the first event that is not settled; zero if all are
}

func (r *run) loop(ctx context.Context) error {
	timer := time.NewTimer(0)
	timer.Stop()
	for {
		again := false
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-r.notifier.Events():
			if !ok {
				return errors.New("watch: the stream of events has ended")
			}
			var err error
			if again, err = r.event(e); err != nil {
				return err
			}
		case err := <-r.notifier.Errors():
			if !errors.Is(err, ErrLost) {
				return err
			}
			r.lost()
			again = true
		case <-timer.C:
			r.since = time.Time{}
			dirs, err := r.settle()
			if err != nil {
				return err
			}
			for _, d := range dirs {
				r.pending[d] = true
			}
		case err := <-r.done:
			r.busy = false
			if err != nil {
				return err
			}
		}
		if again {
			timer.Reset(r.wait(time.Now()))
		}
		if !r.busy && len(r.pending) > 0 {
			change := Change{}
			for d := range r.pending {
				change.Dirs = append(change.Dirs, d)
			}
			slices.Sort(change.Dirs)
			clear(r.pending)
			r.build(change)
		}
	}
}

// wait is the time to the next look after an event.
func (r *run) wait(now time.Time) time.Duration {
	if r.since.IsZero() {
		r.since = now
	}
	return max(0, min(r.quiet, r.since.Add(patience*r.quiet).Sub(now)))
}
