package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"
	"github.com/rogpeppe/go-internal/diff"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/dsl/diag"
)

// difference is one file that is not what the sources give.
type difference struct {
	File   string `json:"file"`
	State  state  `json:"state"`
	Detail string `json:"detail"`
	Diff   string `json:"diff,omitempty"` // unified, from what is on disk to what the sources give; of text alone
}

func (a *app) diffCommand() *ffcli.Command {
	fs := a.flags("diff")
	a.outputFlags(fs)
	return &ffcli.Command{
		Name: "diff", FlagSet: fs, ShortUsage: "gpugen diff [flags] [packages]",
		ShortHelp: "show how generated files differ from what the sources give; exit 1 if any does",
		LongHelp: "Writes nothing and needs no toolchain: text is generated again and compared, PTX and cubins are judged by the hashes of the\n" +
			"manifest. An artifact that -allow-missing left out is a difference until somebody fills it in.\n" +
			"`gpugen diff | patch -p0` brings all text up to date; only `gpugen generate` makes artifacts.",
		Exec: func(_ context.Context, args []string) error { return a.diff(args) },
	}
}

// diff compares every folder that has no errors.
func (a *app) diff(patterns []string) error {
	dirs, err := expand(patterns)
	if err != nil {
		return err
	}
	folders, errs := loadFolders(dirs, 0)
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	var found []difference
	for _, f := range folders {
		if f.pkg == nil {
			continue
		}
		list, err := f.differences()
		if err != nil {
			return err
		}
		found = append(found, list...)
	}
	code := exitOK
	if a.json || a.format == "json" {
		list, _ := gather(folders)
		code, err = severity(list), encodeDifferences(a.stdout, list, found)
		if err != nil {
			return fail(exitInternal, "%w", err)
		}
	} else {
		if code, err = a.report(folders); err != nil {
			return err
		}
		if _, err := io.WriteString(a.stdout, renderDifferences(found)); err != nil {
			return fail(exitInternal, "%w", err)
		}
	}
	if len(found) > 0 && code == exitOK {
		return fail(exitInput, "%s not what the sources give; run `gpugen generate`", count(len(found), "file is", "files are"))
	}
	if code != exitOK {
		return &exitError{Code: code}
	}
	return nil
}

// renderDifferences is a line a file, with the diff of text below; patch passes over those lines.
func renderDifferences(found []difference) string {
	var b strings.Builder
	for _, d := range found {
		fmt.Fprintf(&b, "%s: %s: %s\n%s", d.File, d.State, d.Detail, d.Diff)
	}
	return b.String()
}

// encodeDifferences writes one JSON object.
func encodeDifferences(w io.Writer, list diag.List, found []difference) error {
	diagnostics, err := encodeDiagnostics(list)
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Files       []difference    `json:"files"`
		Diagnostics json.RawMessage `json:"diagnostics"`
	}{append([]difference{}, found...), diagnostics})
}

// encodeDiagnostics is the array that `-format json` prints.
func encodeDiagnostics(list diag.List) (json.RawMessage, error) {
	var b bytes.Buffer
	err := diag.JSON(&b, list)
	return b.Bytes(), err
}

// differences compares a folder with what its sources give when every artifact is there.
func (f *folder) differences() ([]difference, error) {
	var found []difference
	add := func(name string, s state, unified, format string, args ...any) {
		found = append(found, difference{f.path(name), s, fmt.Sprintf(format, args...), unified})
	}
	var all []expected
	keep := map[string]bool{}
	changed := false // some source is not the one that its outputs were made from
	for _, u := range f.pkg.Units {
		e, err := f.expect(u)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
		changed = changed || e.manifest == nil || e.manifest.Source.SHA256 != u.Hash
		for _, file := range e.files {
			keep[file.Name] = true
		}
	}
	for _, e := range all {
		for _, file := range e.files {
			old, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(file.Name)))
			switch {
			case os.IsNotExist(err):
				old = nil
			case err != nil:
				return nil, fail(exitInternal, "%w", err)
			}
			if c, compiled := e.compiled[file.Name]; compiled {
				if c.state != fresh {
					add(file.Name, c.state, "", "%s", c.why)
				}
				continue
			}
			if err == nil && bytes.Equal(old, file.Data) {
				continue
			}
			s, why := e.judge(file, old, err != nil, changed)
			add(file.Name, s, f.unified(file.Name, old, file.Data), "%s", why)
		}
	}
	gone, err := staleFiles(f.dir, keep)
	if err != nil {
		return nil, err
	}
	for _, name := range gone {
		unified := ""
		if hasHeader(name) || strings.HasSuffix(name, ".json") {
			old, err := os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(name)))
			if err != nil {
				return nil, fail(exitInternal, "%w", err)
			}
			unified = f.unified(name, old, nil)
		}
		add(name, leftover, unified, "no source gives it any more")
	}
	return found, nil
}

// path is an output's path as messages have it.
func (f *folder) path(name string) string {
	return filepath.ToSlash(filepath.Join(f.dir, filepath.FromSlash(name)))
}

// unified is the diff of one text, "" if the two differ in line ends alone: it would look the same on both sides. A
// text that is nil is a file that is not there.
func (f *folder) unified(name string, old, now []byte) string {
	if old != nil && bytes.Equal(lf(old), now) {
		return ""
	}
	d := diff.Diff("old", old, "new", now)
	d = d[bytes.Index(d, []byte("\n@@ "))+1:]
	from, to := f.path(name), f.path(name)
	if old == nil {
		from = "/dev/null"
	}
	if now == nil {
		to = "/dev/null"
	}
	return fmt.Sprintf("--- %s\n+++ %s\n%s", from, to, d)
}

func lf(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// expected is what should be on disk for one .gpu file.
type expected struct {
	files    []gpugen.File            // the complete set; compiled artifacts without bytes
	partial  map[string][]byte        // text as it is while artifacts are missing
	compiled map[string]compiledState // by name in the folder
	manifest *gpugen.Manifest         // on disk, nil if there is none that can be read
	absent   []string                 // artifacts that are missing
}

type compiledState struct {
	state state
	why   string
}

// expect works out the outputs of u without a toolchain. Wrappers depend on which artifacts there are, so they are made
// for the complete set. The manifest cannot be: what a compiler would say of artifacts that are not fresh is unknown, so
// for these it is expected to stay as it is, and the artifacts are reported themselves.
func (f *folder) expect(u *gpugen.Unit) (expected, error) {
	e := expected{compiled: map[string]compiledState{}, partial: map[string][]byte{}, manifest: readManifest(f.dir, u.Base+".json")}
	b := &build{folder: f, unit: u}
	var all, present, listed []gpugen.Artifact
	for _, w := range u.Wanted() {
		entry, _, s := b.onDisk(e.manifest, w)
		e.compiled[gpugen.OutputFolder+"/"+w.File] = compiledState{s, whyCompiled(s, u, entry)}
		all = append(all, gpugen.Artifact{File: w.File, Kind: w.Kind, Arch: w.Arch})
		if entry != nil {
			listed = append(listed, *entry)
		}
		if s == missing {
			e.absent = append(e.absent, w.File)
		} else {
			present = append(present, all[len(all)-1])
		}
	}
	var left []string
	if e.manifest != nil {
		left = slices.DeleteFunc(slices.Clone(e.manifest.Missing), func(name string) bool { return !slices.Contains(e.absent, name) })
	}
	complete, err := u.Outputs(f.pkg.Name, nil, all, nil)
	if err != nil {
		return e, fail(exitInput, "%w", err)
	}
	partial, err := u.Outputs(f.pkg.Name, nil, present, nil)
	if err != nil {
		return e, fail(exitInput, "%w", err)
	}
	for _, file := range partial {
		e.partial[file.Name] = file.Data
	}
	recorded, err := u.Outputs(f.pkg.Name, nil, listed, left)
	if err != nil {
		return e, fail(exitInput, "%w", err)
	}
	last := len(complete) - 1
	complete[last] = recorded[len(recorded)-1]
	e.files = complete
	return e, nil
}

// whyCompiled says what is wrong with an artifact. A stale one may be so in two ways.
func whyCompiled(s state, u *gpugen.Unit, entry *gpugen.Artifact) string {
	switch s {
	case missing:
		return "`gpugen generate` makes it where NVRTC is"
	case damaged:
		return "its bytes are not those whose hash the manifest holds"
	case stale:
		if entry == nil {
			return "no manifest says what it was made from"
		}
		return fmt.Sprintf("it was not made from the text that %s gives now for the architectures asked for", u.File)
	}
	return ""
}

// judge says why text is not the one expected. old is nil and gone set if there is no file.
func (e *expected) judge(file gpugen.File, old []byte, gone, changed bool) (state, string) {
	base := strings.TrimPrefix(file.Name, gpugen.OutputFolder+"/")
	var entry *gpugen.Artifact
	if e.manifest != nil {
		entry = e.manifest.Artifact(base)
	}
	switch {
	case gone:
		return missing, "`gpugen generate` writes it"
	case bytes.Equal(lf(old), file.Data):
		return edited, "only its line ends differ, CRLF and LF; `*_gpu*.go text eol=lf` and `**/_gpu/** -text` in .gitattributes keep them"
	case hasHeader(file.Name) && generatedFrom(old) == "":
		return edited, "its header is missing, so `gpugen generate` takes it for a file of yours and refuses to overwrite it"
	case len(e.absent) > 0 && bytes.Equal(old, e.partial[file.Name]):
		return incomplete, "it lacks " + strings.Join(e.absent, ", ")
	case entry != nil && gpugen.HashBytes(old) == entry.SHA256:
		return stale, "nobody touched it since it was generated, but the sources give something else now"
	case entry != nil:
		return edited, "its bytes are not those whose hash the manifest holds"
	case changed:
		return stale, "the sources give something else now"
	}
	return edited, "its source has not changed since it was generated: somebody edited it, or another version of gpugen wrote it"
}

// count is a number with the word that goes with it.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
