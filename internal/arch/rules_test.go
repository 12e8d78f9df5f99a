package arch

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A house is a place in the order of imports: a package may import what stands on a lower floor of its wing. The
// longest matching entry counts.
type house struct {
	dir   string // a directory and everything below it
	wing  string // compiler, runtime, top (may import both), apart (imports nothing of ours)
	floor int
}

var houses = []house{
	{"dsl/diag", "compiler", 0},
	{"dsl/types", "compiler", 1},
	{"dsl", "compiler", 2},
	{"ir", "compiler", 2},
	{"dsl/check", "compiler", 3},
	{"ir/abi", "compiler", 3},
	{"codegen", "compiler", 4},
	{"ir/lower", "compiler", 4},
	{"ir/pass", "compiler", 4},
	{"ir/interp", "compiler", 4},
	{"ir/uniform", "compiler", 4},
	{"internal/accuracy", "compiler", 5},
	{"codegen/internal/cfamily", "compiler", 5},
	{"codegen/internal/cfamily/cfamilytest", "compiler", 6},
	{"codegen/ptx", "compiler", 6},
	{"codegen/ptx/nvrtc", "compiler", 6},
	{"codegen/msl", "compiler", 6},
	{"codegen/msl/xcrun", "compiler", 6},
	{"codegen/msl/hostrun", "compiler", 6},
	{"codegen/opencl", "compiler", 6},
	{"codegen/opencl/clrun", "compiler", 6},
	{"codegen/cpu", "compiler", 6},
	{"codegen/gowrap", "compiler", 6},
	{".", "compiler", 7},

	{"runtime/gpu/gen", "runtime", 0},
	{"runtime/internal/driver", "runtime", 0},
	{"runtime/internal/dl", "runtime", 0},
	{"runtime/internal", "runtime", 1},
	{"runtime/gpu", "runtime", 2},
	{"runtime", "runtime", 3},

	{"internal/nvrtc", "apart", 0},
	{"internal/require", "apart", 0},
	{"internal/elementary", "apart", 0},
	{"internal/cache", "apart", 0},
	{"internal/watch", "apart", 0},
	{"internal/arch", "apart", 0},
	{"internal/errordoc", "apart", 0},
	{"docs", "apart", 0},

	{"gputest", "top", 0},
	{"internal/golden", "top", 0},
	{"internal/kernelgen", "top", 0},
	{"examples", "top", 1},
	{"cmd", "top", 1},
	{"bench", "top", 2}, // it measures the examples' kernels
}

func houseOf(dir string) (house, bool) {
	best, found := house{}, false
	for _, h := range houses {
		// The root's entry is for the root package alone.
		if h.dir == dir || h.dir != "." && within(dir, h.dir) {
			if !found || len(h.dir) > len(best.dir) {
				best, found = h, true
			}
		}
	}
	return best, found
}

// serves lists who may import the packages that are apart, beside the top wing. Whoever is missing there may not.
var serves = map[string][]string{
	"internal/nvrtc":      {"codegen/ptx/nvrtc", "runtime/internal/cuda"},
	"internal/elementary": {"ir/interp", "runtime/gpu/gen"},
}

// importsGoDown: imports go to lower floors of the same wing; the runtime knows nothing of the compiler and the compiler
// nothing of the runtime; only the top wing sees both.
func importsGoDown(t *tree) (bad []string) {
	for _, p := range t.sorted() {
		from, ok := houseOf(p.dir)
		if !ok {
			bad = append(bad, fmt.Sprintf("%s has no place in the table `houses`", p.dir))
			continue
		}
		for _, dir := range p.own() {
			to, ok := houseOf(dir)
			switch {
			case !ok: // reported where that package stands
			case to.wing == "apart":
				if from.wing != "top" && !slices.Contains(serves[to.dir], p.dir) {
					bad = append(bad, fmt.Sprintf("%s imports %s, which does not serve it", p.dir, dir))
				}
			case from.wing == "top":
				// A program shares its folder with the package generated for it, a package with its command.
				if to.wing == "top" && to.floor >= from.floor && !within(dir, p.dir) && !within(p.dir, dir) {
					bad = append(bad, fmt.Sprintf("%s imports %s, which is not below it", p.dir, dir))
				}
			case from.wing != to.wing:
				bad = append(bad, fmt.Sprintf("%s (%s) imports %s (%s)", p.dir, from.wing, dir, to.wing))
			case to.floor >= from.floor:
				bad = append(bad, fmt.Sprintf("%s (floor %d) imports %s (floor %d)", p.dir, from.floor, dir, to.floor))
			}
		}
	}
	return bad
}

// gowrapSeesSlots: the wrapper is made from the slot table, so that a change of the IR cannot reach it unseen.
func gowrapSeesSlots(t *tree) (bad []string) {
	if p := t.packages["codegen/gowrap"]; p != nil {
		for _, f := range p.imports[module+"/ir"] {
			bad = append(bad, f+" imports ir; gowrap sees ir/abi alone")
		}
	}
	return bad
}

// owners: libraries that shape code stay where they shape it.
var owners = map[string][]string{
	"github.com/alecthomas/participle/v2": {"dsl"},
	"github.com/dave/jennifer":            {"codegen/gowrap", "codegen/cpu"},
}

func librariesAtHome(t *tree) (bad []string) {
	for _, p := range t.sorted() {
		for _, imported := range sortedKeys(p.imports) {
			for library, dirs := range owners {
				if within(imported, library) && !slices.Contains(dirs, p.dir) {
					bad = append(bad, fmt.Sprintf("%s imports %s, which belongs to %s", p.imports[imported][0], imported, strings.Join(dirs, ", ")))
				}
			}
		}
	}
	return bad
}

// system lists what reaches outside the process; the rest of the compiler is pure.
var system = []string{"C", "os", "net", "syscall", "plugin", "github.com/ebitengine/purego", "golang.org/x/sys",
	"github.com/fsnotify/fsnotify"}

// systemUsers may touch it. internal/golden, internal/require and internal/kernelgen/cudahost serve tests.
var systemUsers = []string{"cmd", "codegen/ptx/nvrtc", "codegen/msl/xcrun", "codegen/msl/hostrun", "codegen/opencl/clrun", "runtime", "gputest", "examples", "bench",
	"internal/watch", "internal/cache", "internal/nvrtc", "internal/require", "internal/golden", "internal/kernelgen/cudahost"}

func pureStaysPure(t *tree) (bad []string) {
	for _, p := range t.sorted() {
		if inAny(p.dir, systemUsers...) {
			continue
		}
		for _, imported := range sortedKeys(p.imports) {
			if inAny(imported, system...) {
				bad = append(bad, fmt.Sprintf("%s imports %s", p.imports[imported][0], imported))
			}
		}
	}
	return bad
}

// generatedImports: what gpugen writes imports the runtime and the standard library, CPU code also the helpers.
func generatedImports(t *tree) (bad []string) {
	for _, p := range t.sorted() {
		for _, imported := range sortedKeys(p.imports) {
			first, _, _ := strings.Cut(imported, "/")
			if !strings.Contains(first, ".") || imported == module+"/runtime/gpu" {
				continue
			}
			for _, f := range p.imports[imported] {
				if isGenerated(f) && !(imported == module+"/runtime/gpu/gen" && strings.HasSuffix(f, "_gpu_cpu.go")) {
					bad = append(bad, fmt.Sprintf("%s imports %s", f, imported))
				}
			}
		}
	}
	return bad
}

func isGenerated(f string) bool {
	stem := strings.TrimSuffix(path.Base(f), ".go")
	for _, suffix := range []string{"", "_cpu", "_dev", "_metal"} {
		if strings.HasSuffix(stem, "_gpu"+suffix) {
			return true
		}
	}
	return false
}

// minComment is a sentence.
const minComment = 50

var saysWhat = regexp.MustCompile(`(?i)\b(turns?|turned|turning|into|makes?|made)\b`)

// packageComments: every package of the compiler says what it turns into what; the runtime's, which turn nothing, say
// what they are, programs what they do.
func packageComments(t *tree) (bad []string) {
	for _, p := range t.sorted() {
		want := "Package " + p.name + " "
		if p.name == "main" {
			want = "Command " + path.Base(p.dir) + " "
		}
		generatedOnly := !slices.ContainsFunc(p.files, func(f string) bool { return !isGenerated(f) })
		switch {
		case generatedOnly: // its comment is the user's, in the .gpu file
		case !strings.HasPrefix(p.doc, want):
			bad = append(bad, fmt.Sprintf("%s: the package comment does not begin with %q", p.dir, want))
		case len(p.doc) < minComment:
			bad = append(bad, fmt.Sprintf("%s: the package comment has %d characters: say what the package is for", p.dir, len(p.doc)))
		case p.name != "main" && !inAny(p.dir, "examples", "bench", "runtime") && !saysWhat.MatchString(p.doc):
			bad = append(bad, fmt.Sprintf("%s: the package comment does not say what it turns into what", p.dir))
		}
	}
	return bad
}

var vague = []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "lib"}

func packageNames(t *tree) (bad []string) {
	for _, p := range t.sorted() {
		if slices.Contains(vague, p.name) || strings.ToLower(p.name) != p.name || strings.Contains(p.name, "_") {
			bad = append(bad, fmt.Sprintf("%s: `%s` is no noun for what it holds", p.dir, p.name))
		}
	}
	return bad
}

const maxLines = 800

// shortFiles: no Go file over 800 lines; generated tables (z*.go) and generated kernels are exempt.
func shortFiles(t *tree) (bad []string) {
	for _, f := range t.files {
		if path.Ext(f) != ".go" || strings.HasPrefix(path.Base(f), "z") || isGenerated(f) || strings.Contains(f, "testdata/") {
			continue
		}
		if n := strings.Count(read(t, f), "\n"); n > maxLines {
			bad = append(bad, fmt.Sprintf("%s has %d lines; %d are allowed", f, n, maxLines))
		}
	}
	return bad
}

var (
	codeSpan = regexp.MustCompile("`([^`\n]+)`")
	link     = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)
	fence    = regexp.MustCompile("(?ms)^```.*?^```[ \t]*$")
	repoPath = regexp.MustCompile(`^(cmd|dsl|ir|codegen|runtime|gputest|internal|examples|testdata|docs|scripts|tools|bench|\.ci|\.github)(/[\w.*-]+)*/?$`)
	topFile  = regexp.MustCompile(`^([\w.-]+\.(md|go|mod)|Makefile|LICENSE|\.gitattributes)$`)
)

// docPaths: a path that a document names exists: links, and code spans that look like a path of this repository. A
// pattern must match something. `codegen/ptx.Emit` is a Go name, not a path; so is what stands in fenced code.
func docPaths(t *tree) (bad []string) {
	dirs := map[string]bool{".": true}
	for _, f := range t.files {
		for d := path.Dir(f); d != "."; d = path.Dir(d) {
			dirs[d] = true
		}
	}
	known := func(p string) bool {
		p = strings.TrimSuffix(path.Clean(p), "/...")
		if dirs[p] || slices.Contains(t.files, p) {
			return true
		}
		return strings.Contains(p, "*") && slices.ContainsFunc(append(t.files, sortedKeys(dirs)...), func(f string) bool {
			ok, err := path.Match(p, f)
			return ok && err == nil
		})
	}
	for _, doc := range t.files {
		if path.Ext(doc) != ".md" || strings.Contains(doc, "testdata/") {
			continue
		}
		text := fence.ReplaceAllString(read(t, doc), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[1], ":") && !known(path.Join(path.Dir(doc), m[1])) {
				bad = append(bad, fmt.Sprintf("%s: link to %s", doc, m[1]))
			}
		}
		for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
			p := strings.TrimPrefix(m[1], "./")
			isTop := topFile.MatchString(p) && (slices.Contains(t.files, path.Join(path.Dir(doc), p)) || path.Ext(p) == ".md")
			if (repoPath.MatchString(p) || isTop) && !known(p) && !known(path.Join(path.Dir(doc), p)) {
				bad = append(bad, fmt.Sprintf("%s: `%s` does not exist", doc, m[1]))
			}
		}
	}
	return bad
}

// unspoken matches what no file of the repository says: paths of somebody's machine, registry hosts, tracker numbers,
// notes of unfinished work. The expressions are written so that they do not match themselves.
var unspoken = []*regexp.Regexp{
	regexp.MustCompile(`(^|[\s"'(=:` + "`" + `])/(work|root|farm|home/\w+)/[\w.]`),
	regexp.MustCompile(`/tmp/t[e]am\b`),
	regexp.MustCompile(`\b(proxy\.g[o]lang\.org|sum\.g[o]lang\.org|py[p]i\.org|files\.pyth[o]nhosted\.org|registry\.np[m]js\.org|deb\.deb[i]an\.org)\b`),
	regexp.MustCompile(`(?i)\bissues?\s+#?[0-9]+\b`),
	regexp.MustCompile(`\b(T[O]DO|F[I]XME|X[X]X)\b`),
	regexp.MustCompile(`(?i)\b(cl[a]ude|anthr[o]pic|chatg[p]t|cop[i]lot|language m[o]del|ai assist[a]nt)\b`),
}

func saysNothing(t *tree) (bad []string) {
	for _, f := range t.files {
		switch path.Ext(f) {
		case ".go", ".md", ".gpu", ".txtar", ".txt", ".c", ".cu", ".metal", ".json", ".sh", ".yml", ".mod", ".sum", "":
		default:
			continue
		}
		line := 0
		for text := range strings.Lines(read(t, f)) {
			line++
			for _, r := range unspoken {
				if m := r.FindString(text); m != "" {
					bad = append(bad, fmt.Sprintf("%s:%d: %q", f, line, strings.TrimSpace(m)))
				}
			}
		}
	}
	return bad
}

// noInit: importing a package does no work. Tables are static data; libraries are loaded when they are used.
func noInit(t *tree) (bad []string) {
	initFunc := regexp.MustCompile(`(?m)^func init\(\)`)
	for _, p := range t.sorted() {
		for _, f := range p.files {
			if !strings.HasSuffix(f, "_test.go") && initFunc.MatchString(read(t, f)) {
				bad = append(bad, f+" has an init function")
			}
		}
	}
	return bad
}

// noC: no file, of whatever platform or tag, needs a C compiler to build. Libraries in C are loaded when they are used.
func noC(t *tree) (bad []string) {
	importsC := regexp.MustCompile(`(?m)^(import\s+|\s+)"C"`)
	for _, p := range t.sorted() {
		for _, f := range p.files {
			if importsC.MatchString(read(t, f)) {
				bad = append(bad, f+" imports C")
			}
		}
	}
	return bad
}

// rules is every rule with its name, as the tests run them.
var rules = []struct {
	name  string
	check func(*tree) []string
}{
	{"imports go down", importsGoDown},
	{"gowrap sees slots", gowrapSeesSlots},
	{"libraries at home", librariesAtHome},
	{"pure stays pure", pureStaysPure},
	{"generated imports", generatedImports},
	{"package comments", packageComments},
	{"package names", packageNames},
	{"short files", shortFiles},
	{"paths in documents", docPaths},
	{"says nothing it should not", saysNothing},
	{"no init", noInit},
	{"no C", noC},
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
