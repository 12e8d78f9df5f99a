package watch

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// tree is the folders under watch. A folder has a path as the roots name it and a real one, absolute and without
// symbolic links, under which it is watched: events come by the real path, whatever way led there, and a notifier that
// knows folders by their inode is never asked for the same one under two paths.
type tree struct {
	Config
	notifier Notifier
	starting bool

	dirs    map[string]place       // looked at for content, by path
	names   map[string][]string    // real path → paths; ancestors and fenced folders included
	ids     map[string]fs.FileInfo // real path → the folder that the watch was set on
	hinges  map[string]bool        // paths whose coming and going changes the tree: roots, their ancestors, boundaries
	prints  map[string]string      // last fingerprint, by path; none is ""
	dirty   map[string]bool        // to be looked at
	changed bool                   // the tree itself has to be looked at
}

// place is how a folder is watched.
type place struct {
	real string
	all  bool // folders below are watched too
}

func newTree(c Config, n Notifier) *tree {
	return &tree{
		Config: c, notifier: n,
		dirs: map[string]place{}, names: map[string][]string{}, ids: map[string]fs.FileInfo{}, hinges: map[string]bool{},
		prints: map[string]string{}, dirty: map[string]bool{},
	}
}

// first sets the watches and takes the fingerprints. It gives all folders.
func (t *tree) first() ([]string, error) {
	t.starting = true
	defer func() { t.starting = false }()
	t.changed = true
	if _, err := t.settle(); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(t.dirs)), nil
}

// lost makes everything be looked at again.
func (t *tree) lost() {
	t.changed = true
	for d := range t.dirs {
		t.dirty[d] = true
	}
}

// event takes note of what has to be looked at, and reports whether anything has. Watches follow at once: folders
// inside a new one are found by reading it, since their own creation may have come before the watch.
func (t *tree) event(e fsnotify.Event) (relevant bool, err error) {
	real := filepath.Clean(e.Name)
	gone := e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)
	if _, watched := t.ids[real]; watched && gone {
		t.drop(real)
		relevant = true
	}
	name := filepath.Base(real)
	for _, parent := range t.names[filepath.Dir(real)] {
		path := filepath.Join(parent, name)
		if t.hinges[path] && (gone || e.Has(fsnotify.Create)) {
			t.changed, relevant = true, true
		}
		p, ok := t.dirs[parent]
		if !ok {
			continue
		}
		if name == t.Boundary && p.all && (gone || e.Has(fsnotify.Create)) {
			t.changed, relevant = true, true
		}
		if t.Match(name) {
			t.dirty[parent], relevant = true, true
		}
		if !e.Has(fsnotify.Create) || !p.all || t.Skip(name) {
			continue
		}
		if info, err := os.Lstat(real); err == nil && info.IsDir() {
			t.changed, relevant = true, true
			if err := t.below(path, real); err != nil {
				return true, err
			}
		}
	}
	return relevant, nil
}

// drop forgets a folder that has gone or moved, and all below. Their fingerprints go too: what comes back under the same
// path is new, whatever is in it.
func (t *tree) drop(real string) {
	t.changed = true
	for r := range t.ids {
		if r == real || strings.HasPrefix(r, real+string(filepath.Separator)) {
			t.forget(r)
		}
	}
}

// forget ends the watch of one folder. That it has ended by itself is no error.
func (t *tree) forget(real string) {
	_ = t.notifier.Remove(real)
	delete(t.ids, real)
	for _, path := range t.names[real] {
		if _, ok := t.dirs[path]; ok {
			delete(t.dirs, path)
			delete(t.prints, path)
			t.dirty[path] = true
		}
	}
	delete(t.names, real)
}

// settle looks at what events named and gives the folders whose content has changed, sorted.
func (t *tree) settle() ([]string, error) {
	if t.changed {
		t.changed = false
		if err := t.resync(); err != nil {
			return nil, err
		}
	}
	var dirs []string
	for _, dir := range slices.Sorted(maps.Keys(t.dirty)) {
		delete(t.dirty, dir)
		if _, ok := t.dirs[dir]; !ok {
			delete(t.prints, dir)
			continue
		}
		now := t.Fingerprint(dir)
		if now == t.prints[dir] {
			continue
		}
		if now == "" {
			delete(t.prints, dir)
			if _, err := os.Stat(dir); err != nil {
				continue // the folder itself has just gone; its event is on the way
			}
		} else {
			t.prints[dir] = now
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// resync makes the watches what the roots ask for now. Watches of folders that are elsewhere now are ended first: a
// moved folder keeps its watch, under its old path.
func (t *tree) resync() error {
	for real, id := range t.ids {
		if now, err := os.Lstat(real); err != nil || !os.SameFile(id, now) {
			t.forget(real)
		}
	}
	old := t.dirs
	t.dirs, t.names, t.hinges = map[string]place{}, map[string][]string{}, map[string]bool{}
	for _, r := range t.Roots {
		if err := t.root(r); err != nil {
			return err
		}
	}
	for real := range t.ids {
		if len(t.names[real]) == 0 {
			t.forget(real)
		}
	}
	for dir, p := range old {
		if now, ok := t.dirs[dir]; !ok || now.real != p.real { // a link leads elsewhere: its content is new there
			delete(t.prints, dir)
			t.dirty[dir] = true
		}
	}
	for dir := range t.dirs {
		if _, ok := old[dir]; !ok {
			t.dirty[dir] = true
		}
	}
	return nil
}

// root watches a root and the folders above it, where it may go and come back.
func (t *tree) root(r Root) error {
	dir := filepath.Clean(r.Dir)
	for path := dir; filepath.Base(path) != ".."; {
		t.hinges[path] = true
		parent := filepath.Dir(path)
		if parent == path {
			break
		}
		path = parent
		if real, ok := realPath(path); ok {
			// One that may not be read is none that can be followed; a limit is met again at the root itself.
			if _, err := t.watch(path, real); err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
		}
	}
	real, ok := realPath(dir)
	if !ok {
		return nil
	}
	return t.visit(dir, real, r.All)
}

// realPath is the absolute path of a folder that exists.
func realPath(dir string) (string, bool) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", false
	}
	info, err := os.Stat(real)
	return real, err == nil && info.IsDir()
}

// visit watches a folder, and those below if all is set.
func (t *tree) visit(path, real string, all bool) error {
	if ok, err := t.watch(path, real); err != nil || !ok {
		return err
	}
	p, known := t.dirs[path]
	if !known {
		t.dirty[path] = true
	}
	t.dirs[path] = place{real, all || p.all}
	if !all {
		return nil
	}
	entries, err := os.ReadDir(real)
	if err != nil && t.starting {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && !t.Skip(e.Name()) { // a symbolic link is no folder here, as in the go command
			if err := t.below(filepath.Join(path, e.Name()), filepath.Join(real, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// below visits a folder below a root, unless a boundary fences it off; then only the boundary is watched.
func (t *tree) below(path, real string) error {
	if t.Boundary != "" {
		if _, err := os.Stat(filepath.Join(real, t.Boundary)); err == nil {
			t.hinges[filepath.Join(path, t.Boundary)] = true
			_, err := t.watch(path, real)
			return err
		}
	}
	return t.visit(path, real, true)
}

// watch sets a watch, or sets it again, which does no harm. It is false for a folder that has gone meanwhile.
func (t *tree) watch(path, real string) (bool, error) {
	info, err := os.Lstat(real)
	if err != nil || !info.IsDir() {
		return false, nil
	}
	if id, ok := t.ids[real]; ok && !os.SameFile(id, info) {
		_ = t.notifier.Remove(real)
	}
	err = t.notifier.Add(real)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return false, nil
	case errors.Is(err, fs.ErrPermission) && !t.starting:
		return false, nil
	case err != nil:
		return false, &WatchError{Dir: path, Err: err}
	}
	t.ids[real] = info
	if !slices.Contains(t.names[real], path) {
		t.names[real] = append(t.names[real], path)
	}
	return true, nil
}
