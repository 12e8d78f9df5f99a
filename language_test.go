package gpugen_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/golden"
)

var (
	fence     = regexp.MustCompile("(?ms)^```(gpu|run)\n(.*?)^```$")
	errorMark = regexp.MustCompile(`// error \[([a-z0-9-]+)\]`)
)

// languageExamples makes an archive of each example of docs/language.md, which the tests of archives compile and run on
// every target: a block of `gpu`, given a package clause, and the block of `run` behind it.
func languageExamples() ([]*golden.Archive, error) {
	const file = "docs/language.md"
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []*golden.Archive
	blocks := fence.FindAllStringSubmatchIndex(string(text), -1)
	for i, m := range blocks {
		kind, body := string(text[m[2]:m[3]]), string(text[m[4]:m[5]])
		line := 1 + strings.Count(string(text[:m[0]]), "\n")
		if kind == "run" {
			if i == 0 || string(text[blocks[i-1][2]:blocks[i-1][3]]) == "run" {
				return nil, fmt.Errorf("%s:%d: lines to run behind no example", file, line)
			}
			continue
		}
		name := fmt.Sprintf("language_%d", line)
		var archive strings.Builder
		// The clause stands on the fence's line, so that lines of messages are those of the page.
		fmt.Fprintf(&archive, "%s:%d\n-- %s.gpu --\n%spackage language%d\n%s", file, line, name, strings.Repeat("\n", line-1), line, body)
		if i+1 < len(blocks) && string(text[blocks[i+1][2]:blocks[i+1][3]]) == "run" {
			fmt.Fprintf(&archive, "-- run --\n%s", text[blocks[i+1][4]:blocks[i+1][5]])
		} else if !errorMark.MatchString(body) {
			return nil, fmt.Errorf("%s:%d: the example has neither a line to run nor an error", file, line)
		}
		a, err := golden.Parse(name, []byte(archive.String()))
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// codes compares the errors of an example with those that its lines are marked with.
func (c *compiled) codes(t *testing.T) {
	var want, got []string
	for _, s := range c.Sources() {
		for i, l := range strings.Split(string(s.Data), "\n") {
			for _, m := range errorMark.FindAllStringSubmatch(l, -1) {
				want = append(want, fmt.Sprintf("%d %s", i+1, m[1]))
			}
		}
	}
	for _, d := range c.diags {
		got = append(got, fmt.Sprintf("%d %s", d.Pos.Line, d.Code))
	}
	if !slices.Equal(want, got) {
		t.Errorf("errors %q, marked %q\n%v", got, want, c.diags)
	}
}
