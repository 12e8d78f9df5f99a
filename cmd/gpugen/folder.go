package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	pathpkg "path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// folder is one package of .gpu files and what was made of it.
type folder struct {
	dir     string
	in      gpugen.Input
	pkg     *gpugen.Package // nil after errors
	diags   diag.List
	sources diag.Sources
}

// load reads and compiles a folder up to text. An error is one of reading; mistakes in the sources are in diags.
func load(dir string, only types.TargetSet) (*folder, error) {
	f := &folder{dir: dir, sources: diag.Sources{}}
	f.in.Only = only
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fail(exitInternal, "%w", err)
	}
	for _, e := range entries {
		if !isSource(e) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fail(exitInternal, "%w", err)
		}
		name = filepath.ToSlash(name)
		f.in.Sources = append(f.in.Sources, gpugen.Source{Name: name, Text: text})
		f.sources[name] = text
	}
	f.in.GoPackage, f.in.GoNames = goDeclarations(dir)
	f.pkg, f.diags = gpugen.Compile(f.in)
	return f, nil
}

// goDeclarations is the package name and the package-level names of the folder's Go files, generated ones left out.
// Files that do not parse give what they can: the go command will report them.
func goDeclarations(dir string) (pkg string, names map[string]diag.Pos) {
	names = map[string]diag.Pos{}
	paths, _ := filepath.Glob(filepath.Join(globEscape(dir), "*.go"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil || generatedFrom(text) != "" || ignored(text) {
			continue
		}
		fset := token.NewFileSet()
		file, _ := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if file == nil || strings.HasSuffix(file.Name.Name, "_test") && strings.HasSuffix(path, "_test.go") {
			continue
		}
		if pkg == "" || !strings.HasSuffix(path, "_test.go") {
			pkg = file.Name.Name
		}
		declare := func(id *ast.Ident) {
			if id.Name != "_" {
				names[id.Name] = runePos(path, text, fset.Position(id.Pos()))
			}
		}
		for _, spec := range file.Imports {
			if name := importName(spec); name != "" && name != "gpu" && name != "gen" { // those of generated code
				names[name] = runePos(path, text, fset.Position(spec.Pos()))
			}
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name != "init" {
					declare(d.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						for _, id := range s.Names {
							declare(id)
						}
					case *ast.TypeSpec:
						declare(s.Name)
					}
				}
			}
		}
	}
	return pkg, names
}

// runePos is a position of the go/token package, which counts bytes, as ours count: in runes.
func runePos(path string, text []byte, p token.Position) diag.Pos {
	line := text[p.Offset-p.Column+1 : p.Offset]
	return diag.Pos{File: filepath.ToSlash(path), Offset: p.Offset, Line: p.Line, Col: utf8.RuneCount(line) + 1}
}

// majorVersion is the last element of an import path that names no package.
var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// importName is the name that an import declares in its file: Go lets no package-level name be the same. Without a name
// of its own it is guessed from the path, as programs do.
func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return strings.Trim(spec.Name.Name, "_.")
	}
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	dir, name := pathpkg.Split(p)
	if dir != "" && majorVersion.MatchString(name) {
		name = pathpkg.Base(dir)
	}
	return name
}

// ignored reports a file that the go command leaves out, such as a generator run by go:generate.
func ignored(text []byte) bool {
	head, _, _ := strings.Cut(string(text), "\npackage ")
	return strings.Contains(head, "//go:build ignore")
}

// globEscape quotes what filepath.Glob takes for a pattern.
func globEscape(dir string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(dir)
}

// gather is what the compiler said about folders, and the sources that it quotes.
func gather(folders []*folder) (diag.List, diag.Sources) {
	var list diag.List
	sources := diag.Sources{}
	for _, f := range folders {
		list.Add(f.diags...)
		for n, s := range f.sources {
			sources[n] = s
		}
	}
	return list.Dedupe(), sources
}

// report writes diagnostics in the chosen form and gives the exit code that they call for.
func (a *app) report(folders []*folder) (int, error) {
	list, sources := gather(folders)
	return a.reportList(list, sources)
}

func (a *app) reportList(list diag.List, sources diag.Sources) (int, error) {
	if a.json {
		a.format = "json"
	}
	var err error
	switch a.format {
	case "json":
		err = diag.JSON(a.stdout, list)
	case "github":
		err = diag.GitHub(a.stdout, list)
	case "text":
		err = diag.Text(a.stderr, list, sources)
	default:
		return exitUsage, fail(exitUsage, "-format is text, json or github, not `%s`", a.format)
	}
	if err != nil {
		return exitInternal, fail(exitInternal, "%w", err)
	}
	return severity(list), nil
}

// severity is the exit code that diagnostics call for.
func severity(list diag.List) int {
	code := exitOK
	for _, d := range list {
		switch {
		case d.Code == "internal-error" || d.Code == "device-compiler":
			return exitInternal
		case d.Severity == diag.SeverityError:
			code = exitInput
		}
	}
	return code
}
