package watch

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// follower is a Run on the real file system; it collects the changed folders.
type follower struct {
	t     *testing.T
	dir   string
	lock  sync.Mutex
	seen  map[string]string // folder → the fingerprint that its last build read
	news  chan struct{}
	ended chan error
}

func follow(t *testing.T, dir string, quiet time.Duration) *follower {
	t.Helper()
	n, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{t: t, dir: dir, seen: map[string]string{}, news: make(chan struct{}, 1), ended: make(chan error, 1)}
	c := config(Root{Dir: dir, All: true})
	c.Quiet, c.Fingerprint = quiet, sources
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		f.ended <- Run(ctx, c, n, func(_ context.Context, change Change) error {
			f.lock.Lock()
			defer f.lock.Unlock()
			for _, d := range change.Dirs {
				f.seen[d] = sources(d)
			}
			select {
			case f.news <- struct{}{}:
			default:
			}
			return nil
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-f.ended; err != nil {
			t.Error(err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	<-f.news // the first: watches are set
	return f
}

// until waits until every folder on disk has been built as it is now.
func (f *follower) until(what string) {
	f.t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		late := f.late()
		if len(late) == 0 {
			return
		}
		select {
		case <-f.news:
		case err := <-f.ended:
			f.ended <- nil
			f.t.Fatalf("%s: the run has ended: %v", what, err)
		case <-deadline:
			f.t.Fatalf("%s: no build of %s", what, strings.Join(late, ", "))
		}
	}
}

// late lists the folders whose last build, if any, read something else.
func (f *follower) late() (late []string) {
	f.lock.Lock()
	defer f.lock.Unlock()
	for _, d := range f.folders() {
		if now := sources(d); now != "" && f.seen[d] != now {
			late = append(late, d)
		}
	}
	return late
}

func (f *follower) folders() (dirs []string) {
	err := filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return dirs
}

// TestSystem does at random, as fast as it can, what confuses watchers: nested folders made at once, parents moved into
// one another, trees removed and made again. Afterwards every folder has been built under its present path; and then a
// save in each, which must be seen by a watch that knows where it is.
func TestSystem(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			check := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			f := follow(t, dir, 2*time.Millisecond)
			text := 0
			write := func(dir string) {
				text++
				tmp := filepath.Join(dir, ".k.tmp")
				check(os.WriteFile(tmp, fmt.Append(nil, text), 0o666))
				check(os.Rename(tmp, filepath.Join(dir, "k.gpu")))
			}
			name := func() string { return string(rune('a' + random.IntN(4))) }
			for round := range 8 {
				for range 15 {
					dirs := f.folders()
					d := dirs[random.IntN(len(dirs))]
					switch random.IntN(5) {
					case 0, 1:
						d = filepath.Join(d, name(), name(), name())
						check(os.MkdirAll(d, 0o777))
						write(d)
					case 2:
						to := filepath.Join(dirs[random.IntN(len(dirs))], name())
						if _, err := os.Lstat(to); err != nil && d != dir && !strings.HasPrefix(to, d+"/") {
							check(os.Rename(d, to))
						}
					case 3:
						if d != dir {
							check(os.RemoveAll(d))
							if random.IntN(2) == 0 {
								check(os.MkdirAll(d, 0o777))
								write(d)
							}
						}
					case 4:
						write(d)
					}
				}
				f.until(fmt.Sprintf("round %d", round))
				for _, d := range f.folders() {
					write(d)
				}
				f.until(fmt.Sprintf("saves after round %d", round))
			}
		})
	}
}

// TestSystemLinks: events of a linked root come under the name that the user gave.
func TestSystemLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "real", "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Skipf("no symbolic links can be made here: %v", err)
	}
	f := follow(t, link, 2*time.Millisecond)
	if err := os.WriteFile(filepath.Join(dir, "real", "sub", "k.gpu"), []byte("1"), 0o666); err != nil {
		t.Fatal(err)
	}
	deadline := time.After(10 * time.Second)
	for {
		f.lock.Lock()
		_, ok := f.seen[filepath.Join(link, "sub")]
		f.lock.Unlock()
		if ok {
			break
		}
		select {
		case <-f.news:
		case <-deadline:
			t.Fatal("the save was not seen")
		}
	}
	for d := range f.seen {
		if !strings.HasPrefix(d, link) {
			t.Errorf("a change in %s, which nobody named", d)
		}
	}
}
