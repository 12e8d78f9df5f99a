package gpugen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gpugen/gpugen"
)

// TestMutilated leaves a line, or a word, out of programs that are right and of wrong ones: what is left has errors or none,
// and never one of gpugen's own.
func TestMutilated(t *testing.T) {
	var sources []string
	archives, err := filepath.Glob("dsl/testdata/faults/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".gpu") {
				sources = append(sources, string(f.Data))
			}
		}
	}
	page, err := os.ReadFile("docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(page), "```gpu\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		sources = append(sources, "package p\n"+text)
	}
	tried := 0
	for _, src := range sources {
		lines := strings.Split(src, "\n")
		for i, line := range lines {
			for _, left := range mutilations(line) {
				tried++
				text := strings.Join(append(append(lines[:i:i], left...), lines[i+1:]...), "\n")
				_, list := gpugen.Compile(gpugen.Input{Sources: []gpugen.Source{{Name: "k.gpu", Text: []byte(text)}}})
				for _, d := range list {
					if d.Code == "internal-error" {
						t.Fatalf("%v\nin\n%s", d, text)
					}
				}
			}
		}
	}
	if tried < 3000 {
		t.Errorf("only %d programs", tried)
	}
}

// mutilations are what may stand in the place of a line: nothing, or the line without one of its words.
func mutilations(line string) [][]string {
	out := [][]string{nil}
	words := strings.Fields(line)
	for i := range words {
		out = append(out, []string{strings.Join(append(words[:i:i], words[i+1:]...), " ")})
	}
	return out
}
