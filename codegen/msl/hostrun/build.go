package hostrun

import (
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

//go:embed driver
var driver embed.FS

// Sanitizer is what a program is built with.
type Sanitizer string

// The builds. Shifts are a gap of all of them: OpenCL defines counts over the width, so that a missing guard shows in
// results alone.
const (
	// Watch is the undefined-behaviour sanitizer and a watch of our own over every access: races by Metal's rules,
	// between threads and between threadgroups, bounds of buffers, threadgroup memory that nothing wrote.
	Watch Sanitizer = "watch"
	// Address is the address sanitizer and that for undefined behaviour.
	Address Sanitizer = "address"
	// Thread is the thread sanitizer. It sees races within a threadgroup; a barrier with any flag orders all memory.
	Thread Sanitizer = "thread"
)

// Sanitizers are all builds.
var Sanitizers = []Sanitizer{Watch, Address, Thread}

// library is what the text of a program becomes: the runner, which is the same for all texts, loads it.
const library = "kernels.so"

// flags are what clang instruments the library with, links the runner with, and defines in the runner's text.
func (s Sanitizer) flags() (compile, link []string, define string, err error) {
	switch s {
	case Watch:
		// The pass for races gives the watch its calls; the library behind them is ours. An unwritten bool is found by
		// the watch, in place of the odd value that it has.
		return []string{"-fsanitize=thread,undefined", "-fno-sanitize=bool", "-mllvm", "-tsan-instrument-read-before-write"}, []string{"-fsanitize=undefined"}, "HOSTRUN_WATCH", nil
	case Address:
		return []string{"-fsanitize=address,undefined", "-fsanitize-address-use-after-return=never"}, []string{"-fsanitize=address,undefined"}, "HOSTRUN_ADDRESS", nil
	case Thread:
		return []string{"-fsanitize=thread"}, []string{"-fsanitize=thread"}, "HOSTRUN_THREAD", nil
	}
	return nil, nil, "", fmt.Errorf("hostrun: there is no sanitizer %q", string(s))
}

// CanRun reports whether programs can be built here: for this machine's own kind of code.
func CanRun() bool {
	return Clang() != "" && runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64")
}

// Build checks text and compiles it under Watch. Close frees what it made. A text may hold many kernels: one program of
// a hundred is much cheaper than a hundred programs.
func Build(ctx context.Context, text string) (*Program, error) { return BuildWith(ctx, text, Watch) }

// BuildWith checks text and compiles it under a sanitizer.
func BuildWith(ctx context.Context, text string, s Sanitizer) (*Program, error) {
	kernels, err := Check(ctx, text)
	if err != nil {
		return nil, err
	}
	runner, err := runnerFor(ctx, s)
	if err != nil {
		return nil, err
	}
	dir, err := workspace(text)
	if err != nil {
		return nil, err
	}
	p := &Program{dir: dir, runner: runner, sanitizer: s, kernels: kernels}
	if !waitCall.MatchString(blank(text)) {
		p.plain = 1
	}
	if err := p.compile(ctx); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// compile makes the library. Nothing is optimised: an optimiser may take an access away that the text has.
func (p *Program) compile(ctx context.Context) error {
	if err := os.WriteFile(filepath.Join(p.dir, "glue.cl"), []byte(p.trampolines()), 0o644); err != nil {
		return fmt.Errorf("hostrun: %w", err)
	}
	compile, _, _, err := p.sanitizer.flags()
	if err != nil {
		return err
	}
	args := append([]string{"-w", "-DHOSTRUN_CODEGEN", "-O0", "-g1", "-fPIC", "-fno-sanitize-recover=undefined", "-c", "-o", "glue.o"}, compile...)
	if _, _, err := clang(ctx, p.dir, append(args, "glue.cl")...); err != nil {
		return err
	}
	if _, _, err := tool(ctx, p.dir, "-shared", "-o", library, "glue.o", "-lm"); err != nil {
		return err
	}
	p.image, err = openImage(filepath.Join(p.dir, library))
	return err
}

// trampolines are functions of one shape that call the kernels with the parameters of a call.
func (p *Program) trampolines() string {
	var g strings.Builder
	g.WriteString("#include \"" + mainFile + "\"\n#undef buffer\n")
	g.WriteString("struct hostrun_call { ulong buffer[31]; uint group[3], member[3], groups[3], block[3]; };\n")
	for i, k := range p.kernels {
		var args []string
		for _, b := range k.Buffers {
			space := "__global"
			if b.Constant {
				space = "__constant"
			}
			a := fmt.Sprintf("(%s %s*)c->buffer[%d]", space, b.Type, b.Index)
			if b.Reference {
				a = "*" + a
			}
			args = append(args, a)
		}
		for _, at := range k.Positions {
			args = append(args, at.value())
		}
		fmt.Fprintf(&g, "extern \"C\" void hostrun_%d(__private const hostrun_call* c) { %s(%s); }\n", i, k.Name, strings.Join(args, ", "))
	}
	return g.String()
}

// positions are the values of the attributes, as three components.
var positions = map[string][3]string{
	"threadgroup_position_in_grid":   {"c->group[0]", "c->group[1]", "c->group[2]"},
	"thread_position_in_threadgroup": {"c->member[0]", "c->member[1]", "c->member[2]"},
	"threadgroups_per_grid":          {"c->groups[0]", "c->groups[1]", "c->groups[2]"},
	"threads_per_threadgroup":        {"c->block[0]", "c->block[1]", "c->block[2]"},
	"threads_per_grid":               {"c->groups[0] * c->block[0]", "c->groups[1] * c->block[1]", "c->groups[2] * c->block[2]"},
	"thread_position_in_grid": {
		"c->group[0] * c->block[0] + c->member[0]", "c->group[1] * c->block[1] + c->member[1]", "c->group[2] * c->block[2] + c->member[2]",
	},
	"thread_index_in_threadgroup": {"c->member[0] + c->block[0] * (c->member[1] + c->block[1] * c->member[2])"},
}

// value is the argument for a position: a scalar or a vector of its type.
func (p Position) value() string {
	from := positions[p.Attribute]
	var parts []string
	for _, c := range from[:p.Width] {
		parts = append(parts, "("+p.Type+")("+c+")")
	}
	if p.Width == 1 {
		return parts[0]
	}
	return fmt.Sprintf("(%s%d)(%s)", p.Type, p.Width, strings.Join(parts, ", "))
}

// runners are the paths of the runners that this process has made sure of.
var runners = struct {
	sync.Mutex
	path map[Sanitizer]string
}{path: map[Sanitizer]string{}}

// runnerFor gives the runner for a sanitizer. It does not depend on the text, and linking a sanitizer's library into it
// takes longer than all else: it is kept in the user's cache under the hash of what it is made of.
func runnerFor(ctx context.Context, s Sanitizer) (string, error) {
	runners.Lock()
	defer runners.Unlock()
	if path := runners.path[s]; path != "" {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	_, link, define, err := s.flags()
	if err != nil {
		return "", err
	}
	version, _, err := tool(ctx, "", "--version")
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, Clang(), version, link, define)
	sources, err := fs.Glob(driver, "driver/*")
	if err != nil {
		return "", fmt.Errorf("hostrun: %w", err)
	}
	text := map[string][]byte{}
	for _, name := range sources {
		data, err := driver.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("hostrun: %w", err)
		}
		text[filepath.Base(name)] = data
		fmt.Fprintf(hash, "%s %d\n%s", name, len(data), data)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "gpugen", "hostrun")
	path := filepath.Join(cache, fmt.Sprintf("runner-%s-%x", s, hash.Sum(nil)[:12]))
	if _, err := os.Stat(path); err != nil {
		if err := os.MkdirAll(cache, 0o755); err != nil {
			return "", fmt.Errorf("hostrun: %w", err)
		}
		if err := makeRunner(ctx, path, text, link, define); err != nil {
			return "", err
		}
	}
	runners.path[s] = path
	return path, nil
}

// makeRunner compiles the runner, without instrumentation, links it with a sanitizer's library, and puts it at path in
// one step: another process may do the same.
func makeRunner(ctx context.Context, path string, text map[string][]byte, link []string, define string) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), "make")
	if err != nil {
		return fmt.Errorf("hostrun: %w", err)
	}
	defer os.RemoveAll(dir)
	compile := []string{"-O1", "-Wall", "-Wextra", "-Werror", "-fno-builtin", "-D" + define, "-c"}
	link = append(link, "-rdynamic", "-o", "runner")
	for name, data := range text {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return fmt.Errorf("hostrun: %w", err)
		}
		if stem, ok := strings.CutSuffix(name, ".c"); ok && (stem != "watch" || define == "HOSTRUN_WATCH") {
			compile = append(compile, name)
			link = append(link, stem+".o")
		}
	}
	if _, _, err := tool(ctx, dir, compile...); err != nil {
		return err
	}
	if _, _, err := tool(ctx, dir, append(link, "-ldl", "-lm")...); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, "runner"), path); err != nil {
		return fmt.Errorf("hostrun: %w", err)
	}
	return nil
}
