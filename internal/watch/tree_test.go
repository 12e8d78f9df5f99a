package watch

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/fsnotify/fsnotify"
)

func TestTree(t *testing.T) {
	for _, c := range []struct {
		name  string
		roots []string
		first string
		test  func(*bench)
	}{
		{"of nested new folders only the outermost has an event", []string{"./..."}, "first: . x", func(b *bench) {
			b.put("a/b/c/k.gpu", "new")
			b.event(fsnotify.Create, "a")
			settled()
			b.expect("a/b/c")
			b.save("a/b/c/k.gpu", "newer")
			settled()
			b.expect("a/b/c")
		}},
		{"a file that comes just after its folder", []string{"./..."}, "first: . x", func(b *bench) {
			b.must(os.Mkdir(b.path("a"), 0o777))
			b.event(fsnotify.Create, "a")
			b.save("a/k.gpu", "new")
			settled()
			b.expect("a")
		}},
		{"a moved parent", []string{"./..."}, "first: . x", func(b *bench) {
			b.put("a/b/c/k.gpu", "old")
			b.event(fsnotify.Create, "a")
			settled()
			b.expect("a/b/c")
			b.move("a", "z")
			settled()
			b.expect("z/b/c")
			b.save("z/b/c/k.gpu", "new")
			settled()
			b.expect("z/b/c")
			for dir := range b.n.watched {
				if dir == b.path("a") || dir == b.path("a/b/c") {
					b.t.Errorf("%s is still watched", dir)
				}
			}
		}},
		{"a moved parent whose content changes at once is one change under the present path", []string{"./..."}, "first: . x", func(b *bench) {
			b.put("a/b/c/k.gpu", "old")
			b.event(fsnotify.Create, "a")
			settled()
			b.expect("a/b/c")
			b.must(os.Rename(b.path("a"), b.path("z")))
			b.put("z/b/c/k.gpu", "new")
			b.event(fsnotify.Rename, "a")
			b.event(fsnotify.Write, "a/b/c/k.gpu") // the watch still has its old path
			b.event(fsnotify.Create, "z")
			settled()
			b.expect("z/b/c")
		}},
		{"deleted and made again with the same content: outputs went with it", []string{"./..."}, "first: . x", func(b *bench) {
			b.remove("x")
			b.put("x/k.gpu", "old")
			b.event(fsnotify.Create, "x")
			settled()
			b.expect("x")
			b.save("x/k.gpu", "new")
			settled()
			b.expect("x")
		}},
		{"the same, with a pause", []string{"./..."}, "first: . x", func(b *bench) {
			b.remove("x")
			settled()
			b.expect()
			b.put("x/k.gpu", "old")
			b.event(fsnotify.Create, "x")
			settled()
			b.expect("x")
		}},
		{"a folder replaced by another, with late events", []string{"./..."}, "first: . x", func(b *bench) {
			b.put("y/k.gpu", "other")
			b.event(fsnotify.Create, "y")
			settled()
			b.expect("y")
			b.must(os.RemoveAll(b.path("x")))
			b.must(os.Rename(b.path("y"), b.path("x")))
			b.event(fsnotify.Remove, "x")
			b.event(fsnotify.Rename, "y")
			b.event(fsnotify.Create, "x")
			settled()
			b.expect("x")
			b.save("x/k.gpu", "new")
			settled()
			b.expect("x")
		}},
		{"two folders change places", []string{"./..."}, "first: . x", func(b *bench) {
			b.put("y/k.gpu", "other")
			b.event(fsnotify.Create, "y")
			settled()
			b.expect("y")
			b.move("x", "tmp")
			b.move("y", "x")
			b.move("tmp", "y")
			settled()
			b.expect("x y")
			b.save("y/k.gpu", "new")
			settled()
			b.expect("y")
		}},
		{"a folder replaced by one with the same content, and the events are lost: outputs went with it", []string{"./..."}, "first: . x", func(b *bench) {
			b.must(os.Rename(b.path("x"), b.path("_away")))
			b.put("x/k.gpu", "old")
			b.n.errors <- ErrLost
			settled()
			b.expect("x")
			b.save("x/k.gpu", "new")
			settled()
			b.expect("x")
		}},
		{"what patterns pass over", []string{"./..."}, "first: . x", func(b *bench) {
			b.put("_gpu/k.gpu", "new")
			b.event(fsnotify.Create, "_gpu")
			b.put(".git/k.gpu", "new")
			b.event(fsnotify.Create, ".git")
			settled()
			b.expect()
			if b.n.watched[b.path("_gpu")] || b.n.watched[b.path(".git")] {
				b.t.Error("a folder that is passed over is watched")
			}
		}},
		{"a folder alone", []string{"."}, "first: .", func(b *bench) {
			b.save("x/k.gpu", "new")
			b.put("y/k.gpu", "new")
			b.event(fsnotify.Create, "y")
			settled()
			b.expect()
			b.save("k.gpu", "new")
			settled()
			b.expect(".")
		}},
		{"another module begins and ends", []string{"./..."}, "first: . x", func(b *bench) {
			b.save("x/go.mod", "module x")
			b.save("x/k.gpu", "new")
			settled()
			b.expect()
			b.save("x/k.gpu", "newer")
			settled()
			b.expect()
			b.remove("x/go.mod")
			settled()
			b.expect("x")
			b.put("m/go.mod", "module m")
			b.put("m/k.gpu", "new")
			b.event(fsnotify.Create, "m")
			settled()
			b.expect()
		}},
		{"a root goes and comes back, with its parents", []string{"p/q/...", "x"}, "first: x", func(b *bench) {
			b.put("p/q/r/k.gpu", "new")
			b.event(fsnotify.Create, "p")
			settled()
			b.expect("p/q/r")
			b.remove("p")
			settled()
			b.expect()
			b.must(os.Mkdir(b.path("p"), 0o777))
			b.event(fsnotify.Create, "p")
			settled()
			b.put("p/q/r/k.gpu", "new")
			b.event(fsnotify.Create, "p/q")
			settled()
			b.expect("p/q/r")
			b.move("p", "elsewhere")
			settled()
			b.expect()
			b.move("elsewhere", "p")
			settled()
			b.expect("p/q/r")
		}},
		{"a symbolic link below a root is no folder", []string{"./..."}, "first: . x", func(b *bench) {
			b.must(os.Symlink("x", b.path("link")))
			b.event(fsnotify.Create, "link")
			settled()
			b.expect()
			b.save("x/k.gpu", "new")
			settled()
			b.expect("x")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, "k.gpu", "x/k.gpu", "_old/k.gpu", ".old/k.gpu", "other/go.mod", "other/k.gpu")
			synctest.Test(t, func(t *testing.T) {
				b.t = t
				b.start(c.roots...)
				b.expect(c.first)
				c.test(b)
				b.stop()
			})
		})
	}
}

// TestLinkedRoot: a root may be a symbolic link, and may be led elsewhere; a folder that two roots reach is watched
// once and reported under both names.
func TestLinkedRoot(t *testing.T) {
	b := newBench(t, "one/sub/k.gpu", "two/sub/k.gpu")
	b.must(os.Symlink("one", b.path("link")))
	synctest.Test(t, func(t *testing.T) {
		b.t = t
		b.start("link/...", "one/sub")
		b.expect("first: link link/sub one/sub")
		b.save("one/sub/k.gpu", "new")
		settled()
		b.expect("link/sub one/sub")
		b.save("two/sub/k.gpu", "new")
		settled()
		b.expect()
		b.must(os.Symlink("two", b.path("other")))
		b.move("other", "link")
		settled()
		b.expect("link/sub")
		b.save("two/sub/k.gpu", "newer")
		settled()
		b.expect("link/sub")
		b.stop()
	})
}

// TestRefused: a limit at the start or later ends the run, and the error says what to do. A folder that may not be
// watched is an error at the start and passed over later.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		err    error
		later  bool // a folder that comes later may be refused
		remedy bool
	}{
		{syscall.ENOSPC, false, true},
		{syscall.EMFILE, false, true},
		{syscall.ENOSYS, false, true},
		{syscall.EACCES, true, false},
	} {
		errRefused = c.err
		b := newBench(t, "k.gpu", "refused/k.gpu")
		synctest.Test(t, func(t *testing.T) {
			b.t = t
			b.start("./...")
			var refused *WatchError
			if err := <-b.ended; !errors.As(err, &refused) || refused.Dir != b.path("refused") || (refused.Remedy() != "") != c.remedy {
				t.Errorf("%v: %v", c.err, err)
			}
		})
		b = newBench(t, "k.gpu")
		synctest.Test(t, func(t *testing.T) {
			b.t = t
			b.start("./...")
			b.put("refused/k.gpu", "new")
			b.event(fsnotify.Create, "refused")
			if c.later {
				b.save("k.gpu", "new")
				settled()
				b.expect("first: .", ".")
				b.stop()
				return
			}
			var refused *WatchError
			if err := <-b.ended; !errors.As(err, &refused) {
				t.Errorf("%v: %v", c.err, err)
			}
		})
	}
}

// TestMissingRoot: a root that is not there yet is waited for.
func TestMissingRoot(t *testing.T) {
	b := newBench(t)
	synctest.Test(t, func(t *testing.T) {
		b.t = t
		b.start("a/b")
		b.expect("first: ")
		b.put("a/b/k.gpu", "new")
		b.event(fsnotify.Create, "a")
		settled()
		b.expect("a/b")
		b.stop()
	})
}
