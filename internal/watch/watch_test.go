package watch

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settled is longer than the quiet time, by the made-up clock.
func settled() { time.Sleep(Quiet + time.Millisecond); synctest.Wait() }

func TestSettling(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *bench)
	}{
		{"a save is reported when the quiet time is over, and not before", func(t *testing.T, b *bench) {
			b.save("k.gpu", "new")
			time.Sleep(Quiet - time.Nanosecond)
			b.expect()
			time.Sleep(time.Nanosecond)
			b.expect(".")
		}},
		{"three saves by rename are three changes", func(t *testing.T, b *bench) {
			for _, text := range []string{"one", "two", "three"} {
				b.save("k.gpu~tmp", text)
				b.move("k.gpu~tmp", "k.gpu")
				b.event(fsnotify.Chmod, "k.gpu")
				settled()
				b.expect(".")
			}
		}},
		{"a backup is moved away and the file written anew", func(t *testing.T, b *bench) {
			b.move("k.gpu", "k.gpu~")
			time.Sleep(Quiet / 2)
			b.save("k.gpu", "new")
			b.remove("k.gpu~")
			settled()
			b.expect(".")
		}},
		{"a file written in pieces is seen whole", func(t *testing.T, b *bench) {
			b.build = func(context.Context, []string) error {
				if text, err := os.ReadFile(b.path("k.gpu")); err != nil || string(text) != "1234" {
					t.Errorf("the build reads %q, %v", text, err)
				}
				return nil
			}
			for _, text := range []string{"", "1", "12", "123", "1234"} {
				b.save("k.gpu", text)
				time.Sleep(Quiet - time.Millisecond)
			}
			settled()
			b.expect(".")
		}},
		{"a burst over two folders is one change", func(t *testing.T, b *bench) {
			b.save("k.gpu", "new")
			b.save("sub/k.gpu", "new")
			b.save("k.gpu", "newer")
			settled()
			b.expect(". sub")
		}},
		{"the same bytes are no change", func(t *testing.T, b *bench) {
			b.save("k.gpu", "old")
			b.event(fsnotify.Chmod, "k.gpu")
			b.move("k.gpu", "k2.gpu")
			b.move("k2.gpu", "k.gpu")
			settled()
			b.expect()
		}},
		{"there and back before it settles is no change", func(t *testing.T, b *bench) {
			b.save("k.gpu", "new")
			b.save("k.gpu", "old")
			settled()
			b.expect()
		}},
		{"names that do not matter are not even looked at", func(t *testing.T, b *bench) {
			before := b.looks
			b.save("k_gpu.go", "output")
			b.save(".k.gpu", "of an editor")
			b.save("k.gpu~", "backup")
			settled()
			b.expect()
			if b.looks != before {
				t.Errorf("%d looks", b.looks-before)
			}
		}},
		{"outputs of the build cause nothing", func(t *testing.T, b *bench) {
			b.build = func(context.Context, []string) error {
				b.put("k_gpu.go", "output")
				b.put("_gpu/k.cu", "output")
				return nil
			}
			b.save("k.gpu", "new")
			settled()
			b.event(fsnotify.Create, "_gpu")
			b.event(fsnotify.Create, "k_gpu.go")
			b.event(fsnotify.Create, "_gpu/k.cu")
			settled()
			b.expect(".")
		}},
		{"a program that never stops writing does not keep others waiting", func(t *testing.T, b *bench) {
			for range patience * 3 {
				b.save("k.gpu", time.Now().String())
				time.Sleep(Quiet / 2)
			}
			b.expect(".")
			settled()
			b.expect(".")
		}},
		{"a deleted source is a change, once", func(t *testing.T, b *bench) {
			b.remove("k.gpu")
			settled()
			b.expect(".")
			b.event(fsnotify.Remove, "k.gpu")
			settled()
			b.expect()
		}},
		{"what settles during a build comes after it, in one change", func(t *testing.T, b *bench) {
			running := 0
			b.build = func(context.Context, []string) error {
				if running++; running > 1 {
					t.Error("two builds at a time")
				}
				time.Sleep(10 * Quiet)
				running--
				return nil
			}
			b.save("k.gpu", "1")
			settled()
			b.save("k.gpu", "2")
			settled()
			b.save("sub/k.gpu", "3")
			settled()
			b.expect(".")
			time.Sleep(20 * Quiet)
			b.expect(". sub")
		}},
		{"lost events are made good", func(t *testing.T, b *bench) {
			b.put("sub/k.gpu", "new")
			b.put("deep/er/k.gpu", "new")
			b.n.errors <- ErrLost
			settled()
			b.expect("deep/er sub")
			b.save("deep/er/k.gpu", "newer")
			settled()
			b.expect("deep/er")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, "k.gpu", "sub/k.gpu")
			synctest.Test(t, func(t *testing.T) {
				b.t = t
				b.start("./...")
				b.expect("first: . sub")
				c.test(t, b)
				b.stop()
			})
		})
	}
}

// TestEnd: a cancelled run waits for its build and is no error; an error of the build ends the run; so does one of the
// notifier.
func TestEnd(t *testing.T) {
	b := newBench(t, "k.gpu")
	synctest.Test(t, func(t *testing.T) {
		b.t = t
		finished := false
		b.build = func(ctx context.Context, _ []string) error {
			<-ctx.Done()
			time.Sleep(time.Second)
			finished = true
			return ctx.Err()
		}
		b.start("./...")
		b.stop()
		if !finished {
			t.Error("Run returned before its build")
		}
	})
	b = newBench(t, "k.gpu")
	synctest.Test(t, func(t *testing.T) {
		b.t = t
		broken := errors.New("disk full")
		b.build = func(context.Context, []string) error { return broken }
		b.start("./...")
		if err := <-b.ended; !errors.Is(err, broken) {
			t.Error(err)
		}
	})
	b = newBench(t, "k.gpu")
	synctest.Test(t, func(t *testing.T) {
		b.t = t
		b.start("./...")
		broken := errors.New("bad descriptor")
		b.n.errors <- broken
		if err := <-b.ended; !errors.Is(err, broken) {
			t.Error(err)
		}
	})
	b = newBench(t, "k.gpu")
	synctest.Test(t, func(t *testing.T) {
		b.t = t
		b.start("./...")
		close(b.n.events)
		if err := <-b.ended; err == nil || !strings.Contains(err.Error(), "ended") {
			t.Error(err)
		}
	})
}
