package arch

import (
	"strings"
	"testing"
	"testing/fstest"
)

// goFile is a Go file with a package comment and imports.
func goFile(name string, imports ...string) string {
	s := "// Package " + name + " turns a into b.\npackage " + name + "\n"
	for _, i := range imports {
		s += "import _ \"" + strings.ReplaceAll(i, "@", module) + "\"\n"
	}
	return s
}

func lines(n int) string { return "package ir" + strings.Repeat("\n", n) }

// TestRules: each rule finds what it forbids in a made-up tree and accepts what lies beside it.
func TestRules(t *testing.T) {
	rejected := map[string]bool{}
	for _, c := range []struct {
		rule  string
		name  string
		files map[string]string
		want  []string // one part of each violation, in order; none: accepted
	}{
		{"imports go down", "downwards", map[string]string{
			"ir/lower/a.go":          goFile("lower", "@/dsl/check", "@/dsl", "@/ir", "fmt"),
			"dsl/check/a.go":         goFile("check", "@/dsl/diag"),
			"codegen/ptx/a.go":       goFile("ptx", "@/codegen/internal/cfamily", "@/ir/abi"),
			"cmd/gpugen/a.go":        goFile("main", "@", "@/runtime/gpu", "@/codegen/ptx/nvrtc"),
			"codegen/ptx/nvrtc/a.go": goFile("nvrtc", "@/internal/nvrtc"),
			"gputest/a.go":           goFile("gputest", "@/runtime/gpu", "@/ir/interp"),
			"examples/x/main.go":     goFile("main", "@/examples/x/kernels", "@/runtime/gpu"),
		}, nil},
		{"imports go down", "upwards", map[string]string{
			"dsl/a.go":         goFile("dsl", "@/dsl/check"),
			"ir/a_test.go":     goFile("ir", "@/cmd/gpugen"),
			"ir/pass/a.go":     goFile("pass", "@/ir/lower"),
			"codegen/cpu/a.go": goFile("cpu", "@"),
		}, []string{"codegen/cpu (floor 6) imports . (floor 7)", "dsl (floor 2) imports dsl/check (floor 3)", "ir/pass (floor 4) imports ir/lower"}},
		{"imports go down", "across", map[string]string{
			"runtime/gpu/a.go":           goFile("gpu", "@/ir/abi"),
			"codegen/cpu/a.go":           goFile("cpu", "@/runtime/gpu/gen"),
			"codegen/msl/a.go":           goFile("msl", "@/internal/nvrtc"),
			"internal/nvrtc/a.go":        goFile("nvrtc", "@/dsl/diag"),
			"runtime/internal/cuda/a.go": goFile("cuda", "@/internal/nvrtc", "@/runtime/gpu"),
			"dsl/a.go":                   goFile("dsl", "@/internal/golden"),
		}, []string{"codegen/cpu (compiler) imports runtime/gpu/gen", "codegen/msl imports internal/nvrtc", "dsl (compiler) imports internal/golden (top)",
			"internal/nvrtc (apart) imports dsl/diag", "runtime/gpu (runtime) imports ir/abi", "runtime/internal/cuda (floor 1) imports runtime/gpu (floor 2)"}},
		{"imports go down", "homeless", map[string]string{"elsewhere/a.go": goFile("elsewhere")}, []string{"elsewhere has no place"}},
		{"imports go down", "the root's place is the root's alone", map[string]string{"other/b/a.go": goFile("b")}, []string{"other/b has no place"}},
		{"imports go down", "nested modules", map[string]string{"nest/go.mod": "module x\n", "nest/a.go": goFile("nest")}, nil},

		{"gowrap sees slots", "slots", map[string]string{"codegen/gowrap/a.go": goFile("gowrap", "@/ir/abi")}, nil},
		{"gowrap sees slots", "tests may see more", map[string]string{"codegen/gowrap/a.go": goFile("gowrap"), "codegen/gowrap/a_test.go": goFile("gowrap", "@/ir")}, nil},
		{"gowrap sees slots", "IR", map[string]string{"codegen/gowrap/a.go": goFile("gowrap", "@/ir")}, []string{"imports ir"}},

		{"libraries at home", "home", map[string]string{
			"dsl/a.go":         goFile("dsl", "github.com/alecthomas/participle/v2/lexer"),
			"codegen/cpu/a.go": goFile("cpu", "github.com/dave/jennifer/jen"),
		}, nil},
		{"libraries at home", "abroad", map[string]string{
			"dsl/check/a.go":   goFile("check", "github.com/alecthomas/participle/v2"),
			"codegen/ptx/a.go": goFile("ptx", "github.com/dave/jennifer/jen"),
		}, []string{"codegen/ptx/a.go", "dsl/check/a.go"}},

		{"pure stays pure", "pure", map[string]string{
			"codegen/ptx/a.go":       goFile("ptx", "strings", "path"),
			"codegen/ptx/nvrtc/a.go": goFile("nvrtc", "os/exec"),
			"dsl/a_test.go":          goFile("dsl", "os"),
		}, nil},
		{"pure stays pure", "not", map[string]string{
			"a.go":             goFile("gpugen", "os"),
			"codegen/ptx/a.go": goFile("ptx", "net/http"),
			"dsl/a.go":         goFile("dsl", "github.com/ebitengine/purego"),
			"ir/a.go":          goFile("ir", "syscall"),
		}, []string{"a.go imports os", "codegen/ptx/a.go", "dsl/a.go", "ir/a.go"}},

		{"generated imports", "allowed", map[string]string{
			"examples/k/x_gpu.go":     goFile("k", "@/runtime/gpu", "unsafe", "math/bits"),
			"examples/k/x_gpu_cpu.go": goFile("k", "@/runtime/gpu", "@/runtime/gpu/gen"),
		}, nil},
		{"generated imports", "not", map[string]string{
			"examples/k/x_gpu.go":     goFile("k", "@/runtime/gpu/gen"),
			"examples/k/x_gpu_dev.go": goFile("k", "@/ir/abi"),
			"examples/k/y_gpu_cpu.go": goFile("k", "golang.org/x/sync/errgroup"),
		}, []string{"x_gpu_dev.go imports", "x_gpu.go imports", "y_gpu_cpu.go imports"}},

		{"package comments", "there", map[string]string{
			"ir/a.go":             "// Package ir turns a into b, which everybody has been waiting for.\npackage ir\n",
			"cmd/gpugen/a.go":     "// Command gpugen does what everybody has been waiting for.\npackage main\n",
			"runtime/gpu/a.go":    "// Package gpu is what programs run on, and turns nothing.\npackage gpu\n",
			"examples/k/x_gpu.go": "// Code generated by gpugen from x.gpu. DO NOT EDIT.\n\npackage k\n",
		}, nil},
		{"package comments", "not", map[string]string{
			"cmd/gpugen/a.go": "// Package main does it.\npackage main\n",
			"dsl/a.go":        "// Package dsl is nice, clean and friendly to all of its users.\npackage dsl\n",
			"dsl/diag/a.go":   "// Package diag turns a to b.\npackage diag\n",
			"ir/a.go":         "package ir\n",
		}, []string{`cmd/gpugen: the package comment does not begin with "Command gpugen "`, "dsl: the package comment does not say", "dsl/diag: the package comment has 27", "ir: "}},

		{"package names", "nouns", map[string]string{"ir/a.go": goFile("ir")}, nil},
		{"package names", "not", map[string]string{"ir/util/a.go": goFile("util"), "x/a.go": goFile("twoWords"), "y/a.go": goFile("two_words")}, []string{"util", "twoWords", "two_words"}},

		{"short files", "short", map[string]string{"ir/a.go": lines(maxLines), "ir/ztable.go": lines(2000)}, nil},
		{"short files", "long", map[string]string{"ir/a.go": lines(maxLines + 1), "ir/a_test.go": lines(2000)}, []string{"ir/a.go has 801", "ir/a_test.go"}},

		{"paths in documents", "right", map[string]string{
			"ir/ir.go": goFile("ir"),
			"docs/A.md": "`ir/ir.go` `ir` `ir/` `ir/*.go` `codegen.Emit` `a/b` `saxpy.gpu` [r](../README.md#top) [x](https://x.org/y)\n" +
				"```\n`ir/fenced.go`\n```\n",
			"README.md": "see `docs/A.md` and [a](docs/A.md)",
		}, nil},
		{"paths in documents", "wrong", map[string]string{
			"ir/ir.go":  goFile("ir"),
			"docs/A.md": "`ir/gone.go` `codegen/none` `ir/*.c` `GONE.md` [r](README.md)",
		}, []string{"link to README.md", "`ir/gone.go`", "`codegen/none`", "`ir/*.c`", "`GONE.md`"}},

		{"says nothing it should not", "silent", map[string]string{"a.go": "package a // works: network/work/ and issues of 3 kinds, todo\n"}, nil},
		{"says nothing it should not", "talks", map[string]string{
			"a.go": "package a // /wor" + "k/main\n// T" + "ODO: more\n// see Iss" + "ue #12\n",
			"b.md": "from py" + "pi.org\nby Cop" + "ilot\n",
		}, []string{"a.go:1", "a.go:2", "a.go:3", "b.md:1", "b.md:2"}},

		{"no init", "none", map[string]string{"ir/a.go": goFile("ir"), "ir/a_test.go": "package ir\n\nfunc init() {}\n"}, nil},
		{"no init", "one", map[string]string{"ir/a.go": "package ir\n\nfunc init() {}\n"}, []string{"ir/a.go"}},

		{"no C", "none", map[string]string{"ir/a.go": "package ir\n\nconst C = \"C\"\n"}, nil},
		{"no C", "some", map[string]string{
			"ir/a.go":      "package ir\n\nimport \"C\"\n",
			"ir/b_test.go": "//go:build cuda\n\npackage ir\n\nimport (\n\t\"C\"\n)\n",
		}, []string{"ir/a.go", "ir/b_test.go"}},
	} {
		t.Run(c.rule+"/"+c.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range c.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			rejected[c.rule] = rejected[c.rule] || len(c.want) > 0
			var got []string
			ran := false
			for _, r := range rules {
				if r.name != c.rule {
					continue
				}
				ran = true
				tree, err := load(fsys, nil)
				if err != nil {
					t.Fatal(err)
				}
				got = r.check(tree)
			}
			if !ran {
				t.Fatalf("there is no rule %q", c.rule)
			}
			if len(got) != len(c.want) {
				t.Fatalf("violations %q, want %q", got, c.want)
			}
			for i, w := range c.want {
				if !strings.Contains(got[i], w) {
					t.Errorf("violation %q, want one with %q", got[i], w)
				}
			}
		})
	}
	// No rule without a tree that it rejects: it would be a rule that cannot fail.
	for _, r := range rules {
		if !rejected[r.name] {
			t.Errorf("rule %q rejects no made-up tree", r.name)
		}
	}
}
