package check

import (
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/internal/errordoc"
)

// parse parses sources by name; lexical and syntax errors fail the test.
func parse(t *testing.T, sources map[string]string) []*dsl.File {
	t.Helper()
	var names []string
	for n := range sources {
		names = append(names, n)
	}
	sort.Strings(names)
	var files []*dsl.File
	for _, n := range names {
		f, list := dsl.Parse(n, []byte(sources[n]))
		if len(list) > 0 {
			t.Fatalf("parse: %v", list)
		}
		files = append(files, f)
	}
	return files
}

// diagnose checks one file and gives its diagnostics.
func diagnose(t *testing.T, src string) diag.List {
	t.Helper()
	_, list := Package(parse(t, map[string]string{"p.gpu": src}), Config{})
	return list
}

// program checks one file that has no mistake.
func program(t *testing.T, src string) *Program {
	t.Helper()
	p, list := Package(parse(t, map[string]string{"p.gpu": src}), Config{})
	if len(list) > 0 {
		t.Fatalf("unexpected diagnostics:\n%v", list)
	}
	return p
}

var errorComment = regexp.MustCompile("// ERROR (.*)$")
var quoted = regexp.MustCompile("\"((?:[^\"\\\\]|\\\\.)*)\"")

// TestDiagnostics compares the diagnostics of each file of testdata with its comments `// ERROR "regexp"`: each line has
// exactly the diagnostics that it says. A regexp is matched with `message [code]`.
func TestDiagnostics(t *testing.T) {
	names, err := filepath.Glob("testdata/*.gpu")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := map[int][]*regexp.Regexp{}
			for i, line := range strings.Split(string(src), "\n") {
				m := errorComment.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				for _, q := range quoted.FindAllStringSubmatch(m[1], -1) {
					want[i+1] = append(want[i+1], regexp.MustCompile(strings.ReplaceAll(q[1], `\"`, `"`)))
				}
			}
			for _, d := range diagnose(t, string(src)) {
				text := d.Message + " [" + d.Code + "]"
				found := false
				for i, re := range want[d.Pos.Line] {
					if re.MatchString(text) {
						want[d.Pos.Line] = append(want[d.Pos.Line][:i:i], want[d.Pos.Line][i+1:]...)
						found = true
						break
					}
				}
				if !found {
					t.Errorf("unexpected: %v", d)
				}
			}
			for line, res := range want {
				for _, re := range res {
					t.Errorf("%s:%d: no diagnostic matches %q", name, line, re)
				}
			}
		})
	}
}

// TestExamples compiles the example of every error and expects its code alone.
func TestExamples(t *testing.T) {
	elsewhere := map[string]bool{"package-name": true, "go-name-taken": true, "too-large": true}
	entries, err := errordoc.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]string{}
	for _, x := range entries {
		if other, ok := codes[x.Code]; ok {
			t.Errorf("%s and %s share the code %s", x.Type, other, x.Code)
		}
		codes[x.Code] = x.Type
		if x.Example == "" {
			if !elsewhere[x.Code] {
				t.Errorf("%s has no example", x.Type)
			}
			continue
		}
		t.Run(x.Code, func(t *testing.T) {
			list := diagnose(t, x.Example)
			for _, d := range list {
				if d.Code != x.Code {
					t.Errorf("unexpected: %v", d)
				}
				if !d.Pos.IsValid() || !d.End.IsValid() {
					t.Errorf("no span: %v", d)
				}
			}
			if len(list) == 0 {
				t.Errorf("no diagnostic for\n%s", x.Example)
			}
		})
	}
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestColumn is case B39: columns count runes, a tab is one.
func TestColumn(t *testing.T) {
	list := diagnose(t, "package p\nkernel K(out mut [n]float32) for i in n {\n\tout[i] = /*π😀*/ zz\n}\n")
	if len(list) != 1 || list[0].Code != "unknown-name" || list[0].Pos.Line != 3 || list[0].Pos.Col != 18 || list[0].End.Col != 20 {
		t.Errorf("%v", list)
	}
}

// TestSilentNames: a declaration that failed to parse declares its name, so that its uses are not reported as well.
func TestSilentNames(t *testing.T) {
	src := "package p\nfunc f(x float32) float32 { return x + }\nconst c = = 3\nkernel K(x mut [n]float32) for i in n {\n\ty := f(x[i])\n\tx[i] = y + c\n}\n"
	file, syntax := dsl.Parse("p.gpu", []byte(src))
	if len(syntax) != 2 {
		t.Fatalf("syntax: %v", syntax)
	}
	if _, list := Package([]*dsl.File{file}, Config{}); len(list) > 0 {
		t.Errorf("%v", list)
	}
}

func BenchmarkPackage(b *testing.B) {
	file, _ := dsl.Parse("good.gpu", []byte(readFile(b, "testdata/good.gpu")))
	for b.Loop() {
		Package([]*dsl.File{file}, Config{})
	}
}
