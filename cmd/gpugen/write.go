package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/gpugen/gpugen"
)

// apply carries out a plan: all files are written beside their places first, and take them when none has failed, so that
// a folder that cannot be written or a full disk leaves everything as it was; removal comes last.
func (a *app) apply(p *plan) error {
	for _, f := range p.write {
		a.say("write %s", p.path(f.Name))
	}
	for _, name := range p.remove {
		a.say("remove %s", p.path(name))
	}
	if a.dryRun || len(p.write)+len(p.remove) == 0 {
		return nil
	}
	w, err := openPlaces(p.dir)
	if err == nil {
		err = errors.Join(w.carryOut(p), w.close())
	}
	if err != nil {
		return fail(exitInternal, "%w", err)
	}
	return nil
}

// places are the folder of a plan and those below it, held open: what is written goes where the folder is, also when
// somebody moves it meanwhile, and nowhere when it is deleted, rather than bring its old path back.
type places struct {
	dir   string
	root  *os.Root
	below map[string]*os.Root
}

func openPlaces(dir string) (*places, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &places{dir, root, map[string]*os.Root{}}, nil
}

func (w *places) close() error {
	err := w.root.Close()
	for _, r := range w.below {
		err = errors.Join(err, r.Close())
	}
	return err
}

// of opens the folder of an output, and makes it if need be.
func (w *places) of(name string) (r *os.Root, base string, err error) {
	sub, base := path.Split(name)
	if sub == "" {
		return w.root, base, nil
	}
	sub = path.Clean(sub)
	if r := w.below[sub]; r != nil {
		return r, base, nil
	}
	if r, err = w.root.OpenRoot(sub); errors.Is(err, fs.ErrNotExist) {
		if err = w.root.MkdirAll(sub, 0o777); err == nil {
			r, err = w.root.OpenRoot(sub)
		}
	}
	if info, e := w.root.Lstat(sub); err != nil && e == nil && info.Mode()&fs.ModeSymlink != 0 { // one that leads out of the folder
		r, err = os.OpenRoot(filepath.Join(w.dir, filepath.FromSlash(sub)))
	}
	if err != nil {
		return nil, "", err
	}
	w.below[sub] = r
	return r, base, nil
}

// staged is a file that waits to take its place.
type staged struct {
	in         *os.Root
	temp, base string
}

func (w *places) carryOut(p *plan) (err error) {
	var all []staged
	defer func() {
		for _, s := range all {
			_ = s.in.Remove(s.temp) // what has taken its place is not there any more
		}
		if len(p.remove) > 0 || err != nil {
			w.tidy()
		}
	}()
	said := func(verb, name string, err error) error {
		return fmt.Errorf("%s %s: %w", verb, p.path(name), cause(err))
	}
	for _, f := range p.write {
		in, base, err := w.of(f.Name)
		if err != nil {
			return said("write", f.Name, err)
		}
		s := staged{in, "." + base + "." + rand.Text(), base}
		file, err := in.OpenFile(s.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return said("write", f.Name, err)
		}
		all = append(all, s)
		_, err = file.Write(f.Data)
		if err := errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
			return said("write", f.Name, err)
		}
	}
	for i, s := range all {
		if err := s.in.Rename(s.temp, s.base); err != nil {
			return said("write", p.write[i].Name, err)
		}
	}
	for _, name := range p.remove {
		in, base, err := w.of(name)
		if err == nil {
			err = in.Remove(base)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return said("remove", name, err)
		}
	}
	return nil
}

// tidy removes the output folder if it is empty. A file of that name, or a link, is somebody's own.
func (w *places) tidy() {
	if info, err := w.root.Lstat(gpugen.OutputFolder); err == nil && info.IsDir() {
		_ = w.root.Remove(gpugen.OutputFolder) // fails when there is something in it
	}
}

// cause is why a call failed, without the name that it was given, which may be of no use to people.
func cause(err error) error {
	var of *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &of):
		return of.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
