package check

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// defaultTargets are those of a folder without `//gpugen:targets`.
var defaultTargets = types.AllTargets

var archForm = regexp.MustCompile(`^(compute|sm)_[1-9][0-9]{1,2}[af]?$`)

// setting is what a directive said at its first place.
type setting struct {
	place span
	words []string
}

// directives reads the `//gpugen:` lines of all files. They hold for the folder: where two speak of one thing they must
// agree.
func (c *checker) directives() {
	c.prog.Options.Targets = defaultTargets
	first := map[string]setting{}
	for _, f := range c.files {
		for _, d := range f.Directives {
			place := span{d.Pos, d.Pos.Advance(len("//gpugen:") + len(d.Verb))}
			words := strings.FieldsFunc(strings.Join(d.Args, " "), func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
			switch d.Verb {
			case "targets":
				if words = c.targetWords(place, words); words == nil {
					continue
				}
			case "arch":
				if words = c.archWords(place, words); words == nil {
					continue
				}
			case "checked":
				if len(words) > 0 {
					c.report(&DirectiveError{span: place, Why: "`//gpugen:checked` stands alone"})
					continue
				}
				words = []string{}
			case "metallib":
				c.report(&NotYetError{span: place, What: "`//gpugen:" + d.Verb + "` lines"})
				continue
			default:
				c.report(&DirectiveError{
					span: place, Why: "there is no directive `//gpugen:" + d.Verb + "`",
					Near: nearest(d.Verb, []string{"targets", "arch", "checked", "metallib"}),
				})
				continue
			}
			slices.Sort(words)
			words = slices.Compact(words)
			if old, ok := first[d.Verb]; ok {
				if !slices.Equal(old.words, words) {
					c.report(&DirectiveConflictError{span: place, Verb: d.Verb, First: old.place})
				}
				continue
			}
			first[d.Verb] = setting{place, words}
		}
	}
	if s, ok := first["targets"]; ok {
		c.prog.Options.Targets = 0
		for _, w := range s.words {
			t, _ := types.TargetNamed(w)
			c.prog.Options.Targets |= types.TargetsOf(t)
		}
	}
	c.prog.Options.Archs = first["arch"].words
	_, c.prog.Options.Checked = first["checked"]
}

// targetWords checks the arguments of `targets`; nil if none is left.
func (c *checker) targetWords(place span, words []string) (out []string) {
	if len(words) == 0 {
		c.report(&DirectiveError{span: place, Why: "`//gpugen:targets` names targets, as in `//gpugen:targets cuda cpu`"})
	}
	for _, w := range words {
		_, ok := types.TargetNamed(w)
		switch {
		case !ok:
			var names []string
			for _, t := range types.AllTargets.List() {
				names = append(names, t.String())
			}
			c.report(&DirectiveError{span: place, Why: "there is no target `" + w + "`: " + targetWords(), Near: nearest(w, names)})
		default:
			out = append(out, w)
		}
	}
	return out
}

// archWords checks the arguments of `arch`; nil if none is left.
func (c *checker) archWords(place span, words []string) (out []string) {
	if len(words) == 0 {
		c.report(&DirectiveError{span: place, Why: "`//gpugen:arch` names architectures, as in `//gpugen:arch sm_90 compute_75`"})
	}
	for _, w := range words {
		if !archForm.MatchString(w) {
			c.report(&DirectiveError{span: place, Why: "`" + w + "` is not an architecture: they are written `sm_90`, `sm_90a` or `compute_75`"})
			continue
		}
		text := func(o string) bool { return strings.HasPrefix(o, "compute_") }
		if slices.Contains(out, w) {
			c.report(&DirectiveError{span: place, Why: "`" + w + "` stands twice"})
			continue
		}
		if text(w) && slices.ContainsFunc(out, text) {
			c.report(&DirectiveError{span: place, Why: "PTX is made for one architecture: `" + w + "` is a second one, where `sm_" + w[len("compute_"):] + "` would ask for machine code"})
			continue
		}
		out = append(out, w)
	}
	return out
}

// packageNames checks that all files belong to one package and gives its name.
func (c *checker) packageNames() {
	var first *dsl.Ident
	for _, f := range c.files {
		switch {
		case f.Package == nil:
		case first == nil:
			first = f.Package
		case f.Package.Name != first.Name:
			c.report(&PackageNameError{span: at(f.Package), Name: f.Package.Name, Want: first.Name, First: at(first)})
		}
	}
	if first != nil {
		c.prog.Package = first.Name
		if first.Name == "_" {
			c.report(&GoNameError{span: at(first), Name: "_", Why: "a package needs a name"})
		}
	}
}
