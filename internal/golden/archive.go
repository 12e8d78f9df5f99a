package golden

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// Archive is one file of testdata/golden.
type Archive struct {
	Name string // base name without .txtar
	Path string // empty: not on disk

	source  []byte
	archive *txtar.Archive
	set     []txtar.File // outputs, in the order of their stages
	problem []error
}

// Load reads every archive of a folder, in the order of their names. A file that is not one is an error: nothing in
// testdata/golden goes untested.
func Load(dir string) ([]*Archive, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	var out []*Archive
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if filepath.Ext(path) != ".txtar" {
			return nil, fmt.Errorf("golden: %s is not an archive", path)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("golden: %w", err)
		}
		a, err := Parse(strings.TrimSuffix(e.Name(), ".txtar"), data)
		if err != nil {
			return nil, err
		}
		a.Path = path
		out = append(out, a)
	}
	return out, nil
}

// Parse reads an archive. Its text must be what [Archive.Format] gives: one newline at the end of each section.
func Parse(name string, data []byte) (*Archive, error) {
	a := &Archive{Name: name, source: data, archive: txtar.Parse(data)}
	seen := map[string]bool{}
	for _, f := range a.archive.Files {
		if seen[f.Name] {
			return nil, fmt.Errorf("golden: %s: section %s stands twice", name, f.Name)
		}
		seen[f.Name] = true
	}
	if len(a.Sources()) == 0 {
		return nil, fmt.Errorf("golden: %s has no .gpu section", name)
	}
	if !bytes.Equal(txtar.Format(a.archive), data) {
		return nil, fmt.Errorf("golden: %s: the text does not end with a newline", name)
	}
	return a, nil
}

func isInput(name string) bool { return filepath.Ext(name) == ".gpu" || name == "run" }

// Sources are the .gpu sections, in order.
func (a *Archive) Sources() []txtar.File {
	var out []txtar.File
	for _, f := range a.archive.Files {
		if filepath.Ext(f.Name) == ".gpu" {
			out = append(out, f)
		}
	}
	return out
}

// Get is the text of a section.
func (a *Archive) Get(name string) ([]byte, bool) {
	for _, f := range a.archive.Files {
		if f.Name == name {
			return f.Data, true
		}
	}
	return nil, false
}

// Runs are the lines of the section `run`; an archive without one has none.
func (a *Archive) Runs() ([]*RunLine, error) {
	text, _ := a.Get("run")
	var out []*RunLine
	for i, s := range strings.Split(string(text), "\n") {
		if s = strings.TrimSpace(s); s == "" || strings.HasPrefix(s, "#") {
			continue
		}
		l, err := ParseLine(s)
		if err != nil {
			return nil, fmt.Errorf("golden: %s: run:%d: %w", a.Name, i+1, err)
		}
		l.Number = i + 1
		out = append(out, l)
	}
	return out, nil
}

// Mark is a line of a source that must be the place of an error.
type Mark struct {
	File string
	Line int
}

// ErrorMarks are the lines that carry the comment `// ERROR`: an archive of mistakes says by hand where they are, and
// has their whole text in an output section.
func (a *Archive) ErrorMarks() []Mark {
	var out []Mark
	for _, f := range a.Sources() {
		for i, s := range strings.Split(string(f.Data), "\n") {
			if strings.Contains(s, "// ERROR") {
				out = append(out, Mark{f.Name, i + 1})
			}
		}
	}
	return out
}

// CheckErrors compares the places where errors were reported with the marks, each line once.
func (a *Archive) CheckErrors(got []Mark) error {
	var errs []error
	marks := a.ErrorMarks()
	for _, m := range marks {
		if !slices.Contains(got, m) {
			errs = append(errs, fmt.Errorf("%s: %s:%d: no error is reported", a.Name, m.File, m.Line))
		}
	}
	for _, g := range got {
		if !slices.Contains(marks, g) {
			errs = append(errs, fmt.Errorf("%s: %s:%d: an error is reported that is not marked", a.Name, g.File, g.Line))
		}
	}
	return errors.Join(errs...)
}

// Set gives the text of an output section. Outputs stand in the order of the calls.
func (a *Archive) Set(name string, data []byte) {
	switch {
	case isInput(name):
		a.problem = append(a.problem, fmt.Errorf("%s: %s is an input", a.Name, name))
	case slices.ContainsFunc(a.set, func(f txtar.File) bool { return f.Name == name }):
		a.problem = append(a.problem, fmt.Errorf("%s: %s is set twice", a.Name, name))
	case len(data) > 0 && data[len(data)-1] != '\n':
		a.problem = append(a.problem, fmt.Errorf("%s: %s does not end with a newline", a.Name, name))
	case len(txtar.Parse(data).Files) > 0:
		a.problem = append(a.problem, fmt.Errorf("%s: %s holds a line that txtar takes for a section", a.Name, name))
	}
	a.set = append(a.set, txtar.File{Name: name, Data: bytes.Clone(data)})
}

// Format is the archive with the outputs that were set.
func (a *Archive) Format() []byte {
	out := &txtar.Archive{Comment: a.archive.Comment}
	for _, f := range a.archive.Files {
		if isInput(f.Name) {
			out.Files = append(out.Files, f)
		}
	}
	out.Files = append(out.Files, a.set...)
	return txtar.Format(out)
}

// Finish compares what was set with what the archive holds: a section that is missing, differs, is stale or stands in
// another order is an error. With update it writes the archive instead, and only when its bytes change.
func (a *Archive) Finish(update bool) error {
	if len(a.problem) > 0 {
		return errors.Join(a.problem...)
	}
	text := a.Format()
	if bytes.Equal(text, a.source) {
		return nil
	}
	if update {
		if a.Path == "" {
			return fmt.Errorf("golden: %s is not on disk", a.Name)
		}
		if err := os.WriteFile(a.Path, text, 0o644); err != nil {
			return fmt.Errorf("golden: %w", err)
		}
		a.source, a.archive = text, txtar.Parse(text)
		return nil
	}
	var errs []error
	for _, f := range a.set {
		switch old, ok := a.Get(f.Name); {
		case !ok:
			errs = append(errs, fmt.Errorf("%s: section %s is missing (run the test with -update)", a.Name, f.Name))
		case !bytes.Equal(old, f.Data):
			errs = append(errs, fmt.Errorf("%s: section %s differs:\n%s", a.Name, f.Name, firstDifference(string(old), string(f.Data))))
		}
	}
	for _, f := range a.archive.Files {
		if !isInput(f.Name) && !slices.ContainsFunc(a.set, func(s txtar.File) bool { return s.Name == f.Name }) {
			errs = append(errs, fmt.Errorf("%s: section %s is stale: nothing makes it any more", a.Name, f.Name))
		}
	}
	if len(errs) == 0 {
		errs = append(errs, fmt.Errorf("%s: the sections stand in another order (run the test with -update)", a.Name))
	}
	return errors.Join(errs...)
}

// firstDifference shows the first lines that differ, with what leads up to them.
func firstDifference(old, now string) string {
	const before, after = 2, 6
	o, n := strings.Split(old, "\n"), strings.Split(now, "\n")
	at := 0
	for at < len(o) && at < len(n) && o[at] == n[at] {
		at++
	}
	var b strings.Builder
	for i := max(0, at-before); i < at; i++ {
		fmt.Fprintf(&b, "  %d\t  %s\n", i+1, o[i])
	}
	side := func(sign string, lines []string) {
		for i := at; i < min(at+after, len(lines)); i++ {
			fmt.Fprintf(&b, "  %d\t%s %s\n", i+1, sign, lines[i])
		}
	}
	side("-", o)
	side("+", n)
	return strings.TrimRight(b.String(), "\n")
}
