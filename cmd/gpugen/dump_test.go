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

// wrongSource has a race between blocks and indexes out of range.
const wrongSource = `package wrong

kernel Between(y mut [n]int32) blocks b in n/4 threads t in 4 {
	y[b*4+t] = 1
	if b > 0 {
		y[b*4+t] += y[b*4+t-1]
	}
}
kernel Outside(x [n]int32, y mut [n]int32) blocks b in n/4 threads t in 4 {
	shared s [4]int32
	s[t] = 0
	barrier()
	s[t+1] = 1
	y[b*4+t] += x[b*8+t]
}
`

// TestDumpRun runs calls on the interpreter: results, findings with both places, and what is refused.
func TestDumpRun(t *testing.T) {
	good, bad, more := t.TempDir(), t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{good: mirrorSource, bad: strings.Replace(mirrorSource, "\tbarrier()\n", "", 1), more: wrongSource} {
		if err := os.WriteFile(filepath.Join(dir, "mirror.gpu"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	source, source2 := filepath.ToSlash(filepath.Join(bad, "mirror.gpu")), filepath.ToSlash(filepath.Join(more, "mirror.gpu"))
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"-run", "Mirror(iota(8), fill(8, 0))", good}, exitOK, []string{"Mirror: 8 threads\ny = [3 2 1 0 7 6 5 4]\n"}},
		{[]string{"-stage", "cuda/schedule", "-run", "Mirror(iota(4), fill(4, 0))", good}, exitOK, []string{"Mirror: 4 threads\ny = [3 2 1 0]\nMirror, wide: 4 threads\ny = [3 2 1 0]\n"}},
		{[]string{"-run", "Mirror(iota(8), fill(8, 0))", bad}, exitInput, []string{
			source + ":7:2: error: race: thread 2 of block 0 writes `s[2]`, which thread 1 of block 0 reads, with no barrier between [race]\n 7 | \ts[t] = x[b*4+t]\n   | \t^\n" +
				source + ":8:13: note: thread 1 of block 0 reads it here\n 8 | \ty[b*4+t] = s[3-t]\n   | \t           ^\nnote: found 8 times in `Mirror`\n",
			"reads `s[3]` before its block has written it [uninitialised]\n", source + ":6:9: note: `s` is declared here\n"}},
		{[]string{"-json", "-run", "Mirror(iota(8), fill(8, 0))", bad}, exitInput, []string{
			"[\n  {\n    \"kernel\": \"Mirror\",\n    \"ran\": 8,\n    \"unit\": \"threads\",\n", "\"name\": \"y\",\n", "\"code\": \"race\",", "\"line\": 7,", "\"labels\": [", "\"line\": 8,"}},
		{[]string{"-format", "github", "-run", "Mirror(iota(8), fill(8, 0))", bad}, exitInput, []string{"::error file=" + source + ",line=7,"}},
		{[]string{"-format", "xml", "-run", "Mirror(iota(8), fill(8, 0))", good}, exitUsage, []string{"-format is"}},
		{[]string{"-run", "Between(fill(8, 0))", more}, exitInput, []string{
			source2 + ":6:15: error: race: thread 0 of block 1 reads `y[3]`, which thread 3 of block 0 writes, and nothing orders the two [race]"}},
		{[]string{"-run", "Outside(iota(8), fill(8, 0))", more}, exitInput, []string{
			source2 + ":13:2: error: thread 3 of block 0: index 4 of dim 0 of `s` is outside its extent 4 [bounds]\n", source2 + ":10:9: note: `s` is declared here\n",
			source2 + ":14:14: error: thread 0 of block 1: index 8 of dim 0 of `x` is outside its extent 8 [bounds]\n", source2 + ":9:16: note: `x` is declared here\n"}},
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
