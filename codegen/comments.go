package codegen

import "strings"

// DocLines are the lines of a doc comment without comment marks and without blank lines at either end; each element of
// doc may be a line or several.
func DocLines(doc []string) []string {
	var out []string
	for _, block := range doc {
		for line := range strings.SplitSeq(block, "\n") {
			line = strings.TrimRight(line, " \t\r")
			if rest, ok := strings.CutPrefix(line, "//"); ok {
				line = strings.TrimPrefix(rest, " ")
			}
			out = append(out, line)
		}
	}
	for len(out) > 0 && out[0] == "" {
		out = out[1:]
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
