package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/internal/watch"
)

func (a *app) watchCommand() *ffcli.Command {
	s := &session{app: a, retry: map[string]bool{}, sources: map[string][]string{}}
	s.pause = func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case <-time.After(s.quiet):
		}
	}
	fs := a.flags("watch")
	fs.BoolVar(&a.json, "json", false, "report as JSON on standard output, an event a line")
	fs.BoolVar(&a.verbose, "v", false, "say what is done")
	fs.BoolVar(&s.allowMissing, "allow-missing", false, "without NVRTC, leave its artifacts out instead of failing")
	fs.DurationVar(&s.quiet, "quiet", watch.Quiet, "how long a folder must be left alone before it is built")
	return &ffcli.Command{
		Name: "watch", FlagSet: fs, ShortUsage: "gpugen watch [flags] [packages]",
		ShortHelp: "generate, and generate again what changes, until interrupted",
		LongHelp: "Follows folders that come, go and move. Only folders whose sources changed are built, and only artifacts whose text changed\n" +
			"are compiled. While sources have errors, the last good output stays. Interrupt it to end it: exit 0.",
		Exec: func(ctx context.Context, args []string) error { return s.run(ctx, args) },
	}
}

// session is one run of watch.
type session struct {
	*app
	allowMissing bool
	quiet        time.Duration
	retry        map[string]bool     // folders that no output was written for, by no fault of their sources
	sources      map[string][]string // names of the sources that were there last, by folder
	pause        func(context.Context)
}

func (s *session) run(ctx context.Context, patterns []string) error {
	s.livesOn = true
	roots, err := watchRoots(patterns)
	if err != nil {
		return err
	}
	n, err := watch.Open()
	if err != nil {
		return refused(err)
	}
	defer n.Close()
	err = watch.Run(ctx, watch.Config{
		Roots: roots, Skip: passedOver, Boundary: "go.mod", Match: mayMatter, Fingerprint: fingerprint, Quiet: s.quiet,
	}, n, s.change)
	if err == nil && s.json {
		return s.event(map[string]any{"event": "stopped"})
	}
	return refused(err)
}

// watchRoots turns patterns into folders, which must be there now. Unlike generate, watch may begin without a source.
func watchRoots(patterns []string) ([]watch.Root, error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	var roots []watch.Root
	for _, p := range patterns {
		dir, all := splitPattern(p)
		info, err := os.Stat(dir)
		if err != nil {
			return nil, fail(exitInternal, "%w", err)
		}
		if !info.IsDir() {
			if !strings.HasSuffix(dir, ".gpu") {
				return nil, fail(exitInput, "%s: neither a folder nor a .gpu file", dir)
			}
			dir = filepath.Dir(dir)
		}
		roots = append(roots, watch.Root{Dir: dir, All: all})
	}
	return roots, nil
}

// refused gives the exit code of an error of the watch.
func refused(err error) error {
	var w *watch.WatchError
	var e *exitError
	switch {
	case err == nil || errors.As(err, &e):
		return err
	case errors.As(err, &w) && w.Remedy() != "":
		return fail(exitTool, "%w\n%s", err, w.Remedy())
	}
	return fail(exitInternal, "%w", err)
}

// mayMatter reports names whose content may change what is generated: kernels, and Go files, since kernels may not
// declare their names again. Outputs that have such a name are told apart by their header.
func mayMatter(name string) bool {
	return (strings.HasSuffix(name, ".gpu") || strings.HasSuffix(name, ".go")) && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_")
}

// fingerprint is a hash of what a folder's outputs depend on: the sources, and the package-level names of its Go files,
// so that work on the Go side alone builds nothing.
func fingerprint(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	h := sha256.New()
	some := false
	for _, e := range entries {
		if !isSource(e) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		some = true // one that cannot be read is for the build to report
		fmt.Fprintf(h, "%q %d %v\n", e.Name(), len(text), err)
		h.Write(text)
	}
	if !some {
		// Outputs alone are to be removed, also where nobody saw the sources go: a folder may be moved in with them.
		if manifests, _ := manifestFiles(dir); len(manifests) > 0 {
			return "leftovers"
		}
		return ""
	}
	pkg, names := goDeclarations(dir)
	fmt.Fprintf(h, "%q %q", pkg, slices.Sorted(maps.Keys(names)))
	return hex.EncodeToString(h.Sum(nil))
}

// rebuild is what one change led to.
type rebuild struct {
	Event       string          `json:"event"` // rebuild
	Built       []string        `json:"built"`
	Failed      []string        `json:"failed"`
	Written     []string        `json:"written"`
	Removed     []string        `json:"removed"`
	Errors      []string        `json:"errors"` // beside those of the sources
	Diagnostics json.RawMessage `json:"diagnostics"`
	Millis      float64         `json:"milliseconds"`

	missing error // a tool is missing
}

// change builds what has changed. Only an error that no later change can mend ends the watch: one of standard output,
// or a missing tool at the start.
func (s *session) change(ctx context.Context, c watch.Change) error {
	start := time.Now()
	dirs := s.dirs(c)
	if c.First {
		if err := s.begin(c); err != nil {
			return err
		}
	}
	if len(dirs) == 0 {
		return nil
	}
	r, list, sources := s.build(ctx, dirs)
	slices.Sort(r.Failed)
	if ctx.Err() != nil {
		return nil
	}
	if c.First && r.missing != nil {
		if err := diag.Text(s.stderr, list, sources); err != nil {
			return err
		}
		return r.missing
	}
	took := time.Since(start)
	if s.json {
		r.Event, r.Millis = "rebuild", float64(took.Microseconds())/1000
		diagnostics, err := encodeDiagnostics(list)
		if err != nil {
			return err
		}
		r.Diagnostics = diagnostics
		return s.event(r)
	}
	if err := diag.Text(s.stderr, list, sources); err != nil {
		return err
	}
	for _, e := range r.Errors {
		fmt.Fprintf(s.stderr, "gpugen: %s\n", e)
	}
	_, err := fmt.Fprintf(s.stdout, "%s in %s\n", r.text(), took.Round(time.Millisecond))
	return err
}

// dirs are the folders to build: at the start those that generate would take, later those that changed, and those whose
// last build failed through no fault of their own.
func (s *session) dirs(c watch.Change) []string {
	dirs := slices.Clone(c.Dirs)
	if !c.First {
		dirs = slices.AppendSeq(dirs, maps.Keys(s.retry))
		slices.Sort(dirs)
		dirs = slices.Compact(dirs)
	}
	clear(s.retry)
	return slices.DeleteFunc(dirs, func(d string) bool {
		ok, err := hasKernels(d)
		return err != nil || !ok // gone again, or cleared up
	})
}

func (s *session) begin(c watch.Change) error {
	if s.json {
		return s.event(map[string]any{"event": "watching", "folders": len(c.Dirs)})
	}
	_, err := fmt.Fprintf(s.stdout, "watching %s\n", count(len(c.Dirs), "folder", "folders"))
	return err
}

// build loads, compiles and writes folders. One that fails holds back no other, and keeps its last good output.
func (s *session) build(ctx context.Context, dirs []string) (r rebuild, list diag.List, sources diag.Sources) {
	r = rebuild{Built: []string{}, Failed: []string{}, Written: []string{}, Removed: []string{}, Errors: []string{}}
	failed := func(dir string, again bool, err error) {
		if !slices.Contains(r.Failed, dir) {
			r.Failed = append(r.Failed, dir)
		}
		if again {
			s.retry[dir] = true
		}
		if err != nil && err.Error() != "" {
			r.Errors = append(r.Errors, err.Error())
		}
	}
	loaded, errs := s.load(ctx, dirs)
	var folders []*folder
	for i, f := range loaded {
		switch {
		case errs[i] == nil:
			folders = append(folders, f)
		case errors.Is(errs[i], fs.ErrNotExist): // a save or a removal is under way; its events will come
		default:
			failed(dirs[i], true, errs[i])
		}
	}
	list, sources = gather(folders)
	var builds []*build
	byFolder := map[*folder][]*build{}
	var sound []*folder
	for _, f := range folders {
		if f.pkg == nil {
			failed(f.dir, false, nil)
			continue
		}
		sound = append(sound, f)
		for _, u := range f.pkg.Units {
			b := newBuild(f, u)
			builds, byFolder[f] = append(builds, b), append(byFolder[f], b)
		}
	}
	err := s.compile(ctx, builds, s.allowMissing)
	if refused, ok := err.(*refusal); ok {
		list = append(list, refused.list...)
		sound = slices.DeleteFunc(sound, func(f *folder) bool {
			no := slices.ContainsFunc(byFolder[f], func(b *build) bool { return b.refused })
			if no {
				failed(f.dir, true, nil)
			}
			return no
		})
	} else if err != nil {
		var e *exitError
		if errors.As(err, &e) && e.Code == exitTool {
			r.missing = err
		}
		for i, f := range sound { // what is missing is missing for all
			if i > 0 {
				err = nil
			}
			failed(f.dir, true, err)
		}
		return r, list, sources
	}
	for _, f := range sound {
		if ctx.Err() != nil {
			return r, list, sources // between folders: each is written whole
		}
		if _, err := os.Stat(f.dir); err != nil {
			continue // deleted while it was compiled; writing would bring it back
		}
		p, err := planBuilds(f, byFolder[f])
		if err == nil {
			err = s.apply(p)
		}
		if errors.Is(err, fs.ErrNotExist) {
			s.retry[f.dir] = true // moved or deleted meanwhile, and perhaps made again; its events will come
			continue
		}
		if err != nil {
			failed(f.dir, true, err)
			continue
		}
		if _, err := os.Stat(f.dir); err != nil {
			continue // moved with all that was written
		}
		r.Built = append(r.Built, f.dir)
		for _, w := range p.write {
			r.Written = append(r.Written, f.path(w.Name))
		}
		for _, name := range p.remove {
			r.Removed = append(r.Removed, f.path(name))
		}
	}
	return r, list, sources
}

// load loads folders. Where a source has gone it waits for one more quiet time and loads again: some editors move the
// file away before they write it anew, and artifacts are slow to make again.
func (s *session) load(ctx context.Context, dirs []string) ([]*folder, []error) {
	folders, errs := loadFolders(dirs, 0)
	for i, f := range folders {
		if f == nil || !slices.ContainsFunc(s.sources[f.dir], func(name string) bool { return !f.has(name) }) {
			continue
		}
		s.pause(ctx)
		folders[i], errs[i] = load(f.dir, 0)
	}
	for _, f := range folders {
		if f != nil {
			s.sources[f.dir] = slices.Collect(maps.Keys(f.sources))
		}
	}
	return folders, errs
}

// has reports whether a source was there.
func (f *folder) has(name string) bool {
	_, ok := f.sources[name]
	return ok
}

// planBuilds is the plan of a folder whose artifacts are compiled.
func planBuilds(f *folder, builds []*build) (*plan, error) {
	var outputs []gpugen.File
	for _, b := range builds {
		files, err := b.outputs()
		if err != nil {
			return nil, fail(exitInput, "%w", err)
		}
		outputs = append(outputs, files...)
	}
	return planFolder(f.dir, outputs)
}

// text is the line of a rebuild.
func (r *rebuild) text() string {
	var parts []string
	if len(r.Built) > 0 {
		what := "nothing to write"
		if w, d := len(r.Written), len(r.Removed); w+d > 0 {
			what = count(w, "file", "files") + " written"
			if d > 0 {
				what += fmt.Sprintf(", %d removed", d)
			}
		}
		parts = append(parts, "built "+listed(r.Built)+": "+what)
	}
	if len(r.Failed) > 0 {
		parts = append(parts, "failed "+listed(r.Failed)+" (last output stays)")
	}
	if len(parts) == 0 {
		return "gone before it could be built"
	}
	return strings.Join(parts, "; ")
}

// listed names folders, but no more than fit in a line.
func listed(dirs []string) string {
	const most = 4
	if len(dirs) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(dirs[:most], ", "), len(dirs)-most)
	}
	return strings.Join(dirs, ", ")
}

// event writes one JSON object on a line.
func (s *session) event(v any) error { return writeLine(s.stdout, v) }

func writeLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
