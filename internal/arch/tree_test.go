package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/gpugen/gpugen"

// A tree is what the rules look at.
type tree struct {
	fsys     fs.FS
	files    []string // every file that belongs to the repository, sorted
	packages map[string]*pkg
}

// A pkg is one Go package of the root module.
type pkg struct {
	dir     string // "." for the root
	name    string
	doc     string
	imports map[string][]string // import path → non-test files with it
	files   []string            // Go files, tests too
}

// load reads the tree. files limits it to what git tracks; nil takes everything that is found. Packages of nested
// modules and of testdata are no packages of ours: their rules are their own.
func load(fsys fs.FS, files []string) (*tree, error) {
	t := &tree{fsys: fsys, files: files, packages: map[string]*pkg{}}
	if files == nil {
		err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && strings.HasPrefix(path.Base(p), ".") && p != "." && p != ".ci" && p != ".github" {
				return fs.SkipDir
			}
			if d.Type().IsRegular() {
				t.files = append(t.files, p)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(t.files)
	var nested []string
	for _, f := range t.files {
		if path.Base(f) == "go.mod" && f != "go.mod" {
			nested = append(nested, path.Dir(f)+"/")
		}
	}
	for _, f := range t.files {
		dir := path.Dir(f)
		if path.Ext(f) != ".go" || slices.ContainsFunc(strings.Split(dir, "/"), ignoredDir) ||
			slices.ContainsFunc(nested, func(n string) bool { return strings.HasPrefix(f, n) }) {
			continue
		}
		if err := t.addFile(dir, f); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func ignoredDir(name string) bool {
	return name == "testdata" || strings.HasPrefix(name, "_") || len(name) > 1 && strings.HasPrefix(name, ".")
}

func (t *tree) addFile(dir, f string) error {
	p := t.packages[dir]
	if p == nil {
		p = &pkg{dir: dir, imports: map[string][]string{}}
		t.packages[dir] = p
	}
	p.files = append(p.files, f)
	if strings.HasSuffix(f, "_test.go") {
		return nil
	}
	src, err := fs.ReadFile(t.fsys, f)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), f, src, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return err
	}
	p.name = file.Name.Name
	if file.Doc != nil && !ast.IsGenerated(file) {
		p.doc += file.Doc.Text()
	}
	for _, s := range file.Imports {
		imported, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return err
		}
		p.imports[imported] = append(p.imports[imported], f)
	}
	return nil
}

// own lists the directories of our own packages that p imports, sorted.
func (p *pkg) own() []string {
	var dirs []string
	for imported := range p.imports {
		if imported == module {
			dirs = append(dirs, ".")
		} else if dir, ok := strings.CutPrefix(imported, module+"/"); ok {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// sorted lists the packages by directory, those without a non-test file left out.
func (t *tree) sorted() []*pkg {
	var ps []*pkg
	for _, p := range t.packages {
		if p.name != "" {
			ps = append(ps, p)
		}
	}
	slices.SortFunc(ps, func(a, b *pkg) int { return strings.Compare(a.dir, b.dir) })
	return ps
}

// within reports whether dir is the root or lies below it.
func within(dir, root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") }

// inAny reports whether dir lies in one of the roots.
func inAny(dir string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return within(dir, r) })
}

func read(t *tree, name string) string {
	b, err := fs.ReadFile(t.fsys, name)
	if err != nil {
		return "" // tracked and deleted in the working tree
	}
	return string(b)
}
