package opencl

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Compilers name places in many ways: clang `<stdin>:4:9: error: …`, Intel's for CPUs `8:4:9: error: …`, where 8 is the
// name of the text, PoCL `error: /tmp/x.cl:4:9: …`, older ones `x.cl(4): error …`.
var logPlaces = []*regexp.Regexp{
	regexp.MustCompile(`(?:^|:)(\d+):\d+: (?:fatal )?error\b`), regexp.MustCompile(`(?:^|:)(\d+):\d+:`), regexp.MustCompile(`\((\d+)(?:,\d+)?\)`),
}

// textPlace ends a statement of the generated text.
var textPlace = regexp.MustCompile(`// ([^\s/]+\.gpu:\d+)$`)

// mapped puts the place in the .gpu file before each error in a compiler's log that names a line of the generated text:
// every statement there says at its end, or above it, where it comes from.
func mapped(log, source string) string {
	text := strings.Split(source, "\n")
	out := strings.Split(log, "\n")
	for i, l := range out {
		if !strings.Contains(l, "error") {
			continue
		}
		for n := lineIn(l, len(text)); n > 0; n-- {
			if p := textPlace.FindStringSubmatch(text[n-1]); p != nil {
				out[i] = p[1] + ": " + l
				break
			}
		}
	}
	return strings.Join(out, "\n")
}

// lineIn is the line that an error names, 0 if it names none of up to last.
func lineIn(message string, last int) int {
	for _, r := range logPlaces {
		for _, m := range r.FindAllStringSubmatch(message, -1) {
			if n, err := strconv.Atoi(m[1]); err == nil && n <= last {
				return n
			}
		}
	}
	return 0
}

// extension is the macro of an extension.
var extension = regexp.MustCompile(`\bcl_[a-z]+_\w+`)

// conditions are the extensions under whose macros an entry stands in the generated text: a device without one of them
// compiles the rest.
func conditions(source, entry string) []string {
	var open []string
	for line := range strings.Lines(source) {
		switch {
		case strings.HasPrefix(line, "#if"):
			open = append(open, line)
		case strings.HasPrefix(line, "#endif") && len(open) > 0:
			open = open[:len(open)-1]
		case strings.Contains(line, " "+entry+"("):
			names := extension.FindAllString(strings.Join(open, ""), -1)
			slices.Sort(names)
			return slices.Compact(names)
		}
	}
	return nil
}
