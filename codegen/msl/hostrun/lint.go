package hostrun

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	words    = regexp.MustCompile(`[A-Za-z_]\w*`)
	longLong = regexp.MustCompile(`\blong\s+long\b`)
	vectors  = regexp.MustCompile(`\(\s*(?:bool|char|uchar|short|ushort|int|uint|long|ulong|half|float)[234]\s*\)\s*\(`)
	literals = regexp.MustCompile(`(?:\b\d+\.\d*|\.\d+|\b\d+(?:\.\d*)?[eE][+-]?\d+)(?:[eE][+-]?\d+)?\w*`)
	include  = regexp.MustCompile(`^\s*#include <metal_stdlib>`)
	ours     = regexp.MustCompile(`^(?i:shim|hostrun)_`) // names of the stand-in, which Metal does not have
	mains    = regexp.MustCompile(`\bmain\s*\(`)
)

// notMetal are words that this mode of clang knows, or takes for names, and that Metal text does not have: OpenCL's
// qualifiers, and the parts of C++ that the Metal specification leaves out.
var notMetal = set(`
	global local private generic read_only write_only read_write pipe uniform
	goto asm union double try catch throw virtual typeid dynamic_cast new delete thread_local register noexcept
	std co_await co_yield co_return`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// known are names with two underscores in front that Metal defines, or that its compiler, a clang, takes in any language.
var known = map[string]bool{"__METAL_VERSION__": true, "__METAL__": true, "__FILE__": true, "__LINE__": true, "__builtin_offsetof": true}

// lint finds what clang takes and Metal does not, by tokens alone.
func lint(text string) []string {
	clean := blank(text)
	var out []string
	included := false
	for n, l := range strings.Split(clean, "\n") {
		bad := func(format string, a ...any) {
			out = append(out, fmt.Sprintf("%s:%d: error: ", mainFile, n+1)+fmt.Sprintf(format, a...))
		}
		if strings.TrimSpace(l) != "" && !included {
			if included = true; !include.MatchString(l) {
				bad("the text must begin with #include <metal_stdlib>")
			}
		}
		for _, w := range words.FindAllString(l, -1) {
			switch {
			case notMetal[w] || ours.MatchString(w):
				bad("%q is not Metal", w)
			case !known[w] && len(w) > 1 && w[0] == '_' && (w[1] == '_' || w[1] >= 'A' && w[1] <= 'Z'):
				bad("%q is a reserved name", w)
			}
		}
		if longLong.MatchString(l) {
			bad("long long is not Metal")
		}
		if mains.MatchString(l) {
			bad("a function must not be called main")
		}
		if v := vectors.FindString(l); v != "" {
			bad("the vector literal %s…) is OpenCL's", v)
		}
		for _, v := range literals.FindAllString(l, -1) {
			if !strings.HasSuffix(v, "f") && !strings.HasSuffix(v, "h") {
				bad("the literal %s has no suffix", v)
			}
		}
	}
	return out
}
