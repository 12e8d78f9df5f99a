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

// GroupImports puts the standard library's imports of a formatted Go file first, in a group of their own, as people do.
func GroupImports(src string) string {
	const open, shut = "\nimport (\n", "\n)\n"
	start := strings.Index(src, open)
	if start < 0 {
		return src
	}
	start += len(open)
	end := start + strings.Index(src[start:], shut)
	var std, other []string
	for line := range strings.SplitSeq(src[start:end], "\n") {
		switch {
		case line == "":
		case strings.Contains(line, "."):
			other = append(other, line)
		default:
			std = append(std, line)
		}
	}
	if len(std) == 0 || len(other) == 0 {
		return src
	}
	return src[:start] + strings.Join(std, "\n") + "\n\n" + strings.Join(other, "\n") + src[end:]
}
