package nvrtc

import (
	"regexp"
	"strconv"
	"strings"
)

// Resources is what ptxas says an entry uses on the architecture that it was compiled for.
type Resources struct {
	Registers       int `json:"registers"`
	SharedBytes     int `json:"sharedBytes"` // static
	ConstBytes      int `json:"constBytes"`  // over all banks, parameters included
	StackBytes      int `json:"stackBytes"`
	SpillStoreBytes int `json:"spillStoreBytes"`
	SpillLoadBytes  int `json:"spillLoadBytes"`
}

var (
	entryLine = regexp.MustCompile(`^ptxas info\s*: Compiling entry function '([^']+)'`)
	propsLine = regexp.MustCompile(`^ptxas info\s*: Function properties for (\S+)`)
	stackLine = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	usedLine  = regexp.MustCompile(`^ptxas info\s*: Used (\d+) registers(.*)`)
	bytesPart = regexp.MustCompile(`(\d+) bytes (smem|cmem)`)
)

// parseResources reads ptxas's verbose report. An entry's lines follow its "Compiling entry function" line; a function
// that was not inlined has lines of its own in between, which are not the entry's.
func parseResources(log string) map[string]Resources {
	all := map[string]Resources{}
	entry, function := "", ""
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		if m := entryLine.FindStringSubmatch(line); m != nil {
			entry = m[1]
			all[entry] = Resources{}
			continue
		}
		if m := propsLine.FindStringSubmatch(line); m != nil {
			function = m[1]
			continue
		}
		if entry == "" {
			continue
		}
		r := all[entry]
		if m := stackLine.FindStringSubmatch(line); m != nil && function == entry {
			r.StackBytes, r.SpillStoreBytes, r.SpillLoadBytes = number(m[1]), number(m[2]), number(m[3])
		}
		if m := usedLine.FindStringSubmatch(line); m != nil {
			r.Registers = number(m[1])
			for _, part := range bytesPart.FindAllStringSubmatch(m[2], -1) {
				if part[2] == "smem" {
					r.SharedBytes += number(part[1])
				} else {
					r.ConstBytes += number(part[1])
				}
			}
		}
		all[entry] = r
	}
	return all
}

// number reads digits that a pattern has matched; one too long for an int is no resource that a device has.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
