package kernelgen

import (
	"fmt"
	"strings"
)

// label is what a loop, a switch or a block may be called.
type label struct {
	name      string // empty until a branch names it
	loop      bool   // may be continued
	unordered bool   // may not be left
}

var labelNames = []string{"outer", "search", "next", "done", "x", "L", "rows", "again", "out", "kernel", "goto_", "loop"}

// labelled runs f, which writes a statement, with the label in reach, and puts the label before the statement if a branch
// took it.
func (g *generator) labelled(l *label, f func()) {
	g.labels = append(g.labels, l)
	text := g.capture(f)
	g.labels = g.labels[:len(g.labels)-1]
	if l.name != "" {
		g.line("%s:", l.name)
	}
	g.out.WriteString(text)
}

// capture is what f writes.
func (g *generator) capture(f func()) string {
	old := g.out
	g.out = &strings.Builder{}
	f()
	text := g.out.String()
	g.out = old
	return text
}

// branches are the ways out of here by name. They are in reach of what begins behind the innermost unordered loop.
func (g *generator) branches() (list []func() string) {
	for _, l := range g.labels {
		if !l.unordered {
			list = append(list, func() string { return "break " + g.nameOf(l) })
		}
		if l.loop {
			list = append(list, func() string { return "continue " + g.nameOf(l) })
		}
	}
	return list
}

// nameOf is the name of a label, which it gets now if it has none.
func (g *generator) nameOf(l *label) string {
	if l.name == "" {
		l.name = pick(g, labelNames)
		if g.named[l.name] {
			l.name = fmt.Sprintf("%s%d", l.name, len(g.named))
		}
		g.named[l.name] = true
	}
	return l.name
}
