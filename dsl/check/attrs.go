package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// attrs is what the attributes of a declaration say.
type attrs struct {
	exact, fastMath bool
	block           int
	blockAt         span
	targets         types.TargetSet // 0: not said
	targetsAt       span
	inplace         [][2]*dsl.Ident
	unroll          int
}

// attributes maps each to the places where it may stand.
var attributes = map[string]string{
	"fastmath": "kernel", "exact": "kernel function", "block": "kernel", "unroll": "loop", "targets": "kernel", "inplace": "kernel",
}

func attributeNames() (out []string) {
	for n := range attributes {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// attrsOf checks the attributes of a declaration or loop, place being the word for it.
func (b *body) attrsOf(list []*dsl.Attr, place string) (a attrs) {
	seen := map[string]bool{}
	var last *dsl.Attr // that says how exact arithmetic is
	for _, x := range list {
		name := x.Name.Name
		where, ok := attributes[name]
		switch {
		case !ok:
			b.report(&UnknownAttributeError{span: at(x.Name), Name: name, Near: nearest(name, attributeNames()), All: attributeNames()})
			continue
		case !slices.Contains(strings.Fields(where), place):
			b.attrError(x, "stands above a "+strings.ReplaceAll(where, " ", " or a ")+", not above a "+place)
			continue
		case seen[name] && name != "inplace":
			b.attrError(x, "stands twice")
			continue
		}
		seen[name] = true
		if name == "exact" || name == "fastmath" {
			last = x
		}
		b.attr(&a, x)
	}
	if a.exact && a.fastMath {
		b.attrError(last, "contradicts an attribute before it: `@exact` and `@fastmath` exclude each other")
	}
	return a
}

func (b *body) attrError(x *dsl.Attr, why string) {
	b.report(&AttributeError{span: at(x), Name: x.Name.Name, Why: why})
}

func (b *body) attr(a *attrs, x *dsl.Attr) {
	switch name := x.Name.Name; name {
	case "exact", "fastmath":
		if len(x.Args) > 0 {
			b.attrError(x, "takes no argument")
			return
		}
		a.exact = a.exact || name == "exact"
		a.fastMath = a.fastMath || name == "fastmath"
	case "block", "unroll":
		if len(x.Args) != 1 {
			b.attrError(x, "takes 1 argument, as in `@"+name+"(4)`")
			return
		}
		n, ok := b.constInt(x.Args[0], "the argument of `@"+name+"`")
		switch {
		case !ok:
		case n < 1 || n > 1<<16:
			b.report(&AttributeError{span: at(x.Args[0]), Name: name, Why: fmt.Sprintf("takes a positive number, at most %d, and not %d", 1<<16, n)})
		case name == "unroll":
			a.unroll = int(n)
		default:
			a.block, a.blockAt = int(n), at(x.Args[0])
		}
	case "targets":
		a.targetsAt = at(x)
		if len(x.Args) == 0 {
			b.attrError(x, "names targets, as in `@targets(cuda, cpu)`")
		}
		for _, e := range x.Args {
			id, ok := e.(*dsl.Ident)
			if !ok {
				b.report(&AttributeError{span: at(e), Name: "targets", Why: "takes names of targets"})
				continue
			}
			t, ok := types.TargetNamed(id.Name)
			switch {
			case !ok:
				b.report(&AttributeError{span: at(e), Name: "targets", Why: "knows no target `" + id.Name + "`: " + targetWords()})
			default:
				a.targets |= types.TargetsOf(t)
			}
		}
	case "inplace":
		b.inplaceArgs(a, x)
	}
}

func targetWords() string { return "there are " + types.AllTargets.String() }

func (b *body) inplaceArgs(a *attrs, x *dsl.Attr) {
	var ids []*dsl.Ident
	for _, e := range x.Args {
		if id, ok := e.(*dsl.Ident); ok {
			ids = append(ids, id)
		}
	}
	if len(x.Args) != 2 || len(ids) != 2 {
		b.attrError(x, "names two views, as in `@inplace(x, y)`")
		return
	}
	a.inplace = append(a.inplace, [2]*dsl.Ident{ids[0], ids[1]})
}

// inplace resolves the pairs of `@inplace`: two views of one element type, of which one is `mut`.
func (b *body) inplace(pairs [][2]*dsl.Ident) {
	for _, pair := range pairs {
		var p [2]*Param
		for i, id := range pair {
			for _, q := range b.kernel.Params {
				if q.Name == id.Name {
					p[i] = q
				}
			}
			if p[i] == nil {
				b.report(&AttributeError{span: at(id), Name: "inplace", Why: "names parameters, and `" + id.Name + "` is none"})
				break
			}
			if p[i].Type == types.Invalid {
				p[i] = nil
				break
			}
			if _, ok := p[i].Type.(*types.View); !ok {
				b.report(&AttributeError{span: at(id), Name: "inplace", Why: "names views, and `" + id.Name + "` is " + p[i].Type.String()})
				p[i] = nil
				break
			}
		}
		if p[0] == nil || p[1] == nil {
			continue
		}
		s := span{pair[0].Pos(), pair[1].End()}
		switch x, y := p[0].Type.(*types.View), p[1].Type.(*types.View); {
		case p[0] == p[1]:
			b.report(&AttributeError{span: s, Name: "inplace", Why: "names two different views"})
		case !types.Identical(x.Elem, y.Elem):
			b.report(&AttributeError{span: s, Name: "inplace", Why: fmt.Sprintf("names views of one element type, and these are of %s and %s", x.Elem, y.Elem)})
		case !p[0].Mut && !p[1].Mut:
			b.report(&AttributeError{span: s, Name: "inplace", Why: "needs a `mut` view: views that are only read may overlap anyway"})
		default:
			b.kernel.InPlace = append(b.kernel.InPlace, [2]int{p[0].Index, p[1].Index})
		}
	}
}

// unroll keeps the `@unroll` of a loop.
func (b *body) unroll(s dsl.Stmt, list []*dsl.Attr) {
	if a := b.attrsOf(list, "loop"); a.unroll > 0 {
		b.facts.Unroll[s] = a.unroll
	}
}
