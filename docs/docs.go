// Package docs turns the reference pages of this folder into what the command prints, so that both are one text.
package docs

import (
	_ "embed"
	"strings"
)

// Errors is the reference of every error code, errors.md: a heading of the second level for each.
//
//go:embed errors.md
var Errors string

// Codes is the codes that Errors explains, in order.
func Codes() []string {
	var out []string
	for _, l := range strings.Split(Errors, "\n") {
		if c, ok := strings.CutPrefix(l, "## "); ok {
			out = append(out, c)
		}
	}
	return out
}

// Explain is what Errors says about a code.
func Explain(code string) (text string, ok bool) {
	_, rest, ok := strings.Cut(Errors, "\n## "+code+"\n")
	if !ok {
		return "", false
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	return strings.TrimSpace(rest) + "\n", true
}
