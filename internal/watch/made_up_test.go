package watch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/fsnotify/fsnotify"
)

// madeUp is a notifier whose events the test makes. It holds the engine to what the real ones ask for: a folder is
// watched under one path, and events come for watched folders alone.
type madeUp struct {
	events chan fsnotify.Event
	errors chan error
	refuse func(dir string) error

	lock    sync.Mutex
	watched map[string]bool
}

func (n *madeUp) Add(dir string) error {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.refuse != nil {
		if err := n.refuse(dir); err != nil {
			return err
		}
	}
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	n.watched[dir] = true
	return nil
}

func (n *madeUp) Remove(dir string) error {
	n.lock.Lock()
	defer n.lock.Unlock()
	if !n.watched[dir] {
		return fsnotify.ErrNonExistentWatch
	}
	delete(n.watched, dir)
	return nil
}

func (n *madeUp) Events() <-chan fsnotify.Event { return n.events }
func (n *madeUp) Errors() <-chan error          { return n.errors }

// bench is a Run in a folder of its own. Its clock is that of synctest.
type bench struct {
	t       *testing.T
	dir     string // real path
	n       *madeUp
	cancel  context.CancelFunc
	ended   chan error
	lock    sync.Mutex
	changes []string // "first: a b" and "a b", folders relative to dir
	looks   int      // fingerprints taken
	build   func(ctx context.Context, dirs []string) error
}

// sources is the fingerprint of tests: the text of the *.gpu files.
func sources(dir string) string {
	paths, _ := filepath.Glob(filepath.Join(dir, "*.gpu"))
	h := sha256.New()
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			return "unreadable"
		}
		h.Write([]byte(p + "\n" + string(b)))
	}
	if len(paths) == 0 {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

func config(roots ...Root) Config {
	return Config{
		Roots:    roots,
		Skip:     func(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") },
		Boundary: "go.mod",
		Match:    func(name string) bool { return strings.HasSuffix(name, ".gpu") && !strings.HasPrefix(name, ".") },
	}
}

// newBench makes a folder with the given files; start runs the engine on it.
func newBench(t *testing.T, files ...string) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: dir}
	for _, f := range files {
		b.put(f, "old")
	}
	return b
}

// start runs the engine over roots relative to the folder, /... for all below; it has settled when start returns.
func (b *bench) start(roots ...string) {
	b.t.Helper()
	var list []Root
	for _, r := range roots {
		dir, all := strings.CutSuffix(r, "/...")
		list = append(list, Root{Dir: filepath.Join(b.dir, dir), All: all})
	}
	b.run(config(list...))
	synctest.Wait()
}

func (b *bench) run(c Config) {
	b.n = &madeUp{events: make(chan fsnotify.Event), errors: make(chan error), watched: map[string]bool{}, refuse: b.refusal()}
	b.ended = make(chan error, 1)
	c.Fingerprint = func(dir string) string { b.looks++; return sources(dir) }
	var ctx context.Context
	ctx, b.cancel = context.WithCancel(context.Background())
	b.t.Cleanup(b.cancel) // or a failed test would leave a goroutine in its bubble
	go func() {
		b.ended <- Run(ctx, c, b.n, func(ctx context.Context, change Change) error {
			var dirs []string
			for _, d := range change.Dirs {
				rel, err := filepath.Rel(b.dir, d)
				if err != nil {
					return err
				}
				dirs = append(dirs, filepath.ToSlash(rel))
			}
			line := strings.Join(dirs, " ")
			if change.First {
				line = "first: " + line
			}
			b.lock.Lock()
			b.changes = append(b.changes, line)
			b.lock.Unlock()
			if b.build != nil {
				return b.build(ctx, dirs)
			}
			return nil
		})
	}()
}

// refusal is replaced by tests of refusals, through the folder's name.
func (b *bench) refusal() func(string) error {
	return func(dir string) error {
		if strings.HasSuffix(dir, "refused") {
			return errRefused
		}
		return nil
	}
}

var errRefused = errors.New("refused")

func (b *bench) path(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

// put writes a file without an event.
func (b *bench) put(name, text string) {
	b.t.Helper()
	b.must(os.MkdirAll(filepath.Dir(b.path(name)), 0o777))
	b.must(os.WriteFile(b.path(name), []byte(text), 0o666))
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// event sends one, if the folder of name is watched: the others would not come.
func (b *bench) event(op fsnotify.Op, name string) {
	b.t.Helper()
	path := b.path(name)
	b.n.lock.Lock()
	watched := b.n.watched[filepath.Dir(path)]
	b.n.lock.Unlock()
	if watched {
		b.n.events <- fsnotify.Event{Name: path, Op: op}
	}
	synctest.Wait()
}

// save writes a file in place, with its events.
func (b *bench) save(name, text string) {
	b.t.Helper()
	_, err := os.Stat(b.path(name))
	b.put(name, text)
	if err != nil {
		b.event(fsnotify.Create, name)
	}
	b.event(fsnotify.Write, name)
}

// move renames, with its events.
func (b *bench) move(from, to string) {
	b.t.Helper()
	b.must(os.Rename(b.path(from), b.path(to)))
	b.event(fsnotify.Rename, from)
	b.event(fsnotify.Create, to)
}

// remove removes a file or a tree; the events of a tree come from the bottom up.
func (b *bench) remove(name string) {
	b.t.Helper()
	var all []string
	b.must(filepath.WalkDir(b.path(name), func(path string, _ os.DirEntry, err error) error {
		rel, _ := filepath.Rel(b.dir, path)
		all = append(all, filepath.ToSlash(rel))
		return err
	}))
	slices.Reverse(all)
	b.must(os.RemoveAll(b.path(name)))
	for _, f := range all {
		b.event(fsnotify.Remove, f)
	}
}

// expect compares the changes so far and forgets them.
func (b *bench) expect(want ...string) {
	b.t.Helper()
	synctest.Wait()
	b.lock.Lock()
	defer b.lock.Unlock()
	if !slices.Equal(b.changes, want) {
		b.t.Fatalf("changes %q, want %q", b.changes, want)
	}
	b.changes = nil
}

// stop ends the run and demands that it ends without an error.
func (b *bench) stop() {
	b.t.Helper()
	b.cancel()
	if err := <-b.ended; err != nil {
		b.t.Fatal(err)
	}
}
