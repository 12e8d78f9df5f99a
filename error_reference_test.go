package gpugen_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/internal/errordoc"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/lower"
)

// reporters are the folders whose packages report errors in sources.
var reporters = []string{"dsl", "dsl/check", "ir/uniform", "ir/interp", ".", "cmd/gpugen"}

// maxShown bounds the lines of a compiler's answer in the reference: examples of depth answer with long lines.
const maxShown = 200

// TestErrorReference keeps docs/errors.md, which `gpugen explain` prints from: for every code what it means, the smallest
// source that makes it and what the command says to that, caret included. It compiles every example.
func TestErrorReference(t *testing.T) {
	const file = "docs/errors.md"
	byCode := map[string][]errordoc.Entry{}
	for _, dir := range reporters {
		entries, err := errordoc.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			byCode[e.Code] = append(byCode[e.Code], e)
		}
	}
	var codes []string
	for c := range byCode {
		codes = append(codes, c)
	}
	slices.Sort(codes)
	var b strings.Builder
	b.WriteString("# Errors\n\n")
	b.WriteString("Every diagnostic ends with a code in brackets, which never changes. `gpugen explain CODE` prints its section of this\n")
	b.WriteString("page. Each example is the smallest file that makes the error; the answer under it is what `gpugen check` says, or the command that stands in it.\n")
	b.WriteString("The page is generated from the compiler's own comments, and a test compiles every example.\n")
	for _, c := range codes {
		fmt.Fprintf(&b, "\n## %s\n", c)
		for _, e := range byCode[c] {
			if e.Text != "" {
				fmt.Fprintf(&b, "\n%s\n", e.Text)
			}
			if e.Example != "" {
				fmt.Fprintf(&b, "\n```go\n%s```\n\n```\n%s```\n", e.Shown, answer(t, e))
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the errors' comments give (%v): run go test . -run TestErrorReference -update", file, err)
	}
}

// findings is what the interpreter finds in a call, as `gpugen dump -run` has it.
func findings(t *testing.T, source, text string) (list diag.List) {
	t.Helper()
	file, list := dsl.Parse("k.gpu", []byte(source))
	program, more := check.Package([]*dsl.File{file}, check.Config{})
	if list.HasErrors() || more.HasErrors() {
		t.Fatal(list, more)
	}
	call, err := golden.ParseCall(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range lower.Program(program)[0].Kernels {
		c, err := call.Bind(abi.Of(k))
		if err != nil {
			t.Fatal(err)
		}
		report, err := interp.Run(k, c.Args, interp.Options{Races: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			list.Report(f.Mistake())
		}
	}
	return list
}

// answer is what the command says to the example of e.
func answer(t *testing.T, e errordoc.Entry) string {
	t.Helper()
	_, list := gpugen.Compile(gpugen.Input{Sources: []gpugen.Source{{Name: "k.gpu", Text: []byte(e.Example)}}})
	if _, call, ok := strings.Cut(e.Example, "// gpugen dump -run '"); ok { // the interpreter finds it
		call, _, _ = strings.Cut(call, "'")
		list = append(list, findings(t, e.Example, call)...)
	}
	if len(list) == 0 {
		t.Errorf("%s: no diagnostic for\n%s", e.Code, e.Shown)
	}
	for _, d := range list {
		if d.Code != e.Code {
			t.Errorf("%s: unexpected %v", e.Code, d)
		}
	}
	var b strings.Builder
	if err := diag.Text(&b, list, diag.Sources{"k.gpu": []byte(e.Example)}); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(b.String(), "\n")
	for i, l := range lines {
		if r := []rune(l); len(r) > maxShown {
			lines[i] = string(r[:maxShown]) + "…\n"
		}
	}
	return strings.ToValidUTF8(strings.ReplaceAll(strings.Join(lines, ""), "\x00", `\x00`), `\xff`)
}
