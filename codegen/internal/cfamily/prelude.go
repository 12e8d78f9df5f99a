package cfamily

import (
	"fmt"
	"regexp"
	"strings"
)

// Prelude is a file of helper functions, cut so that only those used are printed.
type Prelude struct {
	helpers []helper
	index   map[string]int
}

// helper is one function with the comment above it.
type helper struct {
	name string
	text string
	uses []string // helpers that it calls; they stand above it
}

var helperName = regexp.MustCompile(`\bgg_\w+`)

// ParsePrelude cuts text at blank lines. A part is one function: its name is the first helper name outside comments,
// and the helpers that it calls must stand above it. A part without one (the file's own comment) is not printed.
func ParsePrelude(text string) *Prelude {
	p := &Prelude{index: map[string]int{}}
	for _, part := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		part = strings.Trim(part, "\n")
		names := helperName.FindAllString(code(part), -1)
		if len(names) == 0 {
			continue
		}
		h := helper{name: names[0], text: part}
		if _, twice := p.index[h.name]; twice {
			panic(fmt.Sprintf("cfamily: the prelude has %s twice", h.name))
		}
		for _, n := range names[1:] {
			if n == h.name {
				continue
			}
			if _, ok := p.index[n]; !ok {
				panic(fmt.Sprintf("cfamily: the prelude's %s uses %s, which does not stand above it", h.name, n))
			}
			h.uses = append(h.uses, n)
		}
		p.index[h.name] = len(p.helpers)
		p.helpers = append(p.helpers, h)
	}
	return p
}

// code is text without `//` comments.
func code(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i], _, _ = strings.Cut(l, "//")
	}
	return strings.Join(lines, "\n")
}

// Has reports whether the prelude has a helper of that name.
func (p *Prelude) Has(name string) bool { _, ok := p.index[name]; return ok }

// Names lists the helpers in the order of the file.
func (p *Prelude) Names() []string {
	out := make([]string, len(p.helpers))
	for i, h := range p.helpers {
		out[i] = h.name
	}
	return out
}

// Select gives the text of the wanted helpers and of those that they use, in the order of the file.
func (p *Prelude) Select(want map[string]bool) []string {
	chosen := make([]bool, len(p.helpers))
	for i := len(p.helpers) - 1; i >= 0; i-- {
		if h := p.helpers[i]; chosen[i] || want[h.name] {
			chosen[i] = true
			for _, u := range h.uses {
				chosen[p.index[u]] = true
			}
		}
	}
	var out []string
	for i, c := range chosen {
		if c {
			out = append(out, p.helpers[i].text)
		}
	}
	return out
}
