package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const mirrorSource = `//gpugen:targets cuda, metal
package mirror

// Mirror turns every four elements round.
kernel Mirror(x [n]int32, y mut [n]int32) blocks b in n/4 threads t in 4 {
	shared s [4]int32
	s[t] = x[b*4+t]
	barrier()
	y[b*4+t] = s[3-t]
}
`

// TestDumpRun runs calls on the interpreter: results, findings with both places, and what is refused.
func TestDumpRun(t *testing.T) {
	good, bad := t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{good: mirrorSource, bad: strings.Replace(mirrorSource, "\tbarrier()\n", "", 1)} {
		if err := os.WriteFile(filepath.Join(dir, "mirror.gpu"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	source := filepath.ToSlash(filepath.Join(bad, "mirror.gpu"))
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"-run", "Mirror(iota(8), fill(8, 0))", good}, exitOK, []string{"Mirror: 8 threads\ny = [3 2 1 0 7 6 5 4]\n"}},
		{[]string{"-stage", "cuda/schedule", "-run", "Mirror(iota(4), fill(4, 0))", good}, exitOK, []string{"Mirror: 4 threads\ny = [3 2 1 0]\nMirror, wide: 4 threads\ny = [3 2 1 0]\n"}},
		{[]string{"-run", "Mirror(iota(8), fill(8, 0))", bad}, exitInput, []string{
			source + ":7:2: race in Mirror: thread 2 of block 0 writes s[2], which thread 1 of block 0 reads at " + source + ":8:13, with no barrier between",
			"reads s[3], declared at " + source + ":6:9, before its block has written it (4 times) [uninitialised]"}},
		{[]string{"-run", "Mirror(iota(8), fill(4, 0))", good}, exitInput, []string{"Mirror: ShapeError: ", "dim 0 of y is 4, want 8"}},
		{[]string{"-run", "Mirror(1)", good}, exitUsage, []string{"takes 2 arguments"}},
		{[]string{"-run", "Mirror(", good}, exitUsage, []string{"column 8"}},
		{[]string{"-run", "Other()", good}, exitUsage, []string{"no kernel `Other`; there are Mirror"}},
		{[]string{"-stage", "tree", "-run", "Mirror(iota(8), fill(8, 0))", good}, exitUsage, []string{"no IR of stage `tree`"}},
		{[]string{good}, exitOK, []string{"tree\n", "ir\n", "cuda/schedule\n", "layout\n"}},
	} {
		var out bytes.Buffer
		code := run(append([]string{"dump"}, c.args...), strings.NewReader(""), &out, &out)
		if code != c.code {
			t.Errorf("%q: exit %d, want %d\n%s", c.args, code, c.code, out.String())
		}
		for _, w := range c.want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%q: no %q in\n%s", c.args, w, out.String())
			}
		}
	}
}
