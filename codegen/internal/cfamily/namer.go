package cfamily

import (
	"maps"
	"strings"
)

// helperPrefix begins the names of prelude helpers; no other name may.
const helperPrefix = "gg_"

// namer gives names that mean one thing wherever they are visible. C lets a declaration see itself in its own
// initialiser and Go does not, so an inner `x := x + 1` takes another name than the outer x.
type namer struct {
	language map[string]bool // what a dialect reserves, of all its namers
	reserved map[string]bool // and what else
	scopes   []map[string]bool
	temps    int
}

func newNamer(d *Dialect) *namer {
	return &namer{language: d.language(), reserved: map[string]bool{}, scopes: []map[string]bool{{}}}
}

// language is the words of a dialect, gathered once: they are hundreds, and every kernel has a namer.
func (d *Dialect) language() map[string]bool {
	d.words.Do(func() {
		d.all = maps.Clone(d.Reserved)
		maps.Copy(d.all, keywords)
		for name := range d.Table.functions() {
			d.all[name] = true
		}
	})
	return d.all
}

// isReserved reports a name that nothing may get.
func (n *namer) isReserved(name string) bool { return n.language[name] || n.reserved[name] }

func (n *namer) push() { n.scopes = append(n.scopes, map[string]bool{}) }
func (n *namer) pop()  { n.scopes = n.scopes[:len(n.scopes)-1] }

// declare takes a name in the innermost scope: want, if the language allows it and nothing visible has it. A word of
// the language gets a `_` at its end, a second of a name a `_2`. No name starts with `_`: C++ keeps those.
func (n *namer) declare(want string) string {
	base := strings.TrimLeft(want, "_")
	switch {
	case base == "" || base[0] >= '0' && base[0] <= '9':
		base = "v" + base
	case n.isReserved(base) || strings.HasPrefix(base, helperPrefix):
		base += "_"
	}
	name := base
	for i := 2; n.taken(name); i++ {
		name = base + "_" + itoa(i)
	}
	n.scopes[len(n.scopes)-1][name] = true
	return name
}

// temp takes a name for a value that has none.
func (n *namer) temp() string {
	n.temps++
	return n.declare("t" + itoa(n.temps))
}

func (n *namer) taken(name string) bool {
	if n.isReserved(name) {
		return true
	}
	for _, s := range n.scopes {
		if s[name] {
			return true
		}
	}
	return false
}

// Entry is want as the name of a kernel's entry, which the host looks up and which must therefore be the same on every
// target: changed as a local name would be.
func (d *Dialect) Entry(want string) string {
	n := newNamer(d)
	maps.Copy(n.reserved, d.Functions)
	return n.declare(want)
}
