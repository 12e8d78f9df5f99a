package gowrap

import (
	"fmt"
	"strconv"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/abi"
)

// group is all instances of one kernel, seen as the one generic Go function that they become.
type group struct {
	name      string
	instances []abi.Layout
	generics  []generic

	types   []types.Type // of each slot; nil where typeOf says which parameter it follows
	typeOf  []string
	uniform bool // the header is one for all instances, constants standing as symbols named by genericSym
	head    abi.Layout
}

// generic is a type parameter or a constant parameter and its listed arguments.
type generic struct {
	name   string
	types  []types.Type
	values []int64
}

func (g generic) isConst() bool { return len(g.types) == 0 }

// at is the number of a's argument in the list.
func (g generic) at(a abi.Generic) int {
	for i, v := range g.values {
		if a.Type == nil && v == a.Value {
			return i
		}
	}
	for i, t := range g.types {
		if a.Type != nil && types.Identical(t, a.Type) {
			return i
		}
	}
	return -1
}

// groupInstances collects the instances of each kernel, in the order of their first ones.
func groupInstances(in Input) ([]*group, error) {
	var groups []*group
	index := map[string]*group{}
	for _, l := range in.Kernels {
		l.Slots = visible(l.Slots)
		g := index[l.Name]
		if g == nil {
			g = &group{name: l.Name}
			index[l.Name] = g
			groups = append(groups, g)
		}
		g.instances = append(g.instances, l)
	}
	for _, g := range groups {
		if err := g.collect(); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// visible are the slots that a wrapper binds: the runtime binds the hidden ones, which an instance may have and another not.
func visible(all []abi.Slot) []abi.Slot {
	n := len(all)
	for n > 0 && all[n-1].Kind.Hidden() {
		n--
	}
	return all[:n]
}

// collect finds the generic parameters and which slots follow them.
func (g *group) collect() error {
	first := g.instances[0]
	want := 1
	for i, a := range first.Generics {
		p := generic{name: a.Param}
		for _, l := range g.instances {
			switch b := l.Generics[i]; {
			case p.at(b) >= 0:
			case b.Type != nil:
				p.types = append(p.types, b.Type)
			default:
				p.values = append(p.values, b.Value)
			}
		}
		want *= max(len(p.types), len(p.values))
		g.generics = append(g.generics, p)
	}
	if want != len(g.instances) {
		return fmt.Errorf("gowrap: kernel %s has %d instances where its parameters list %d", g.name, len(g.instances), want)
	}
	for i := range first.Slots {
		t, of := g.slotType(i)
		g.types = append(g.types, t)
		g.typeOf = append(g.typeOf, of)
	}
	g.head, g.uniform = g.merge()
	return nil
}

// slotType is the type of slot i, or the type parameter that it follows.
func (g *group) slotType(i int) (types.Type, string) {
	elem := func(l abi.Layout) types.Type {
		if v, ok := l.Slots[i].Type.(*types.View); ok {
			return v.Elem
		}
		return l.Slots[i].Type
	}
	if g.instances[0].Slots[i].Kind != abi.Extent {
		for n, p := range g.generics {
			follows := !p.isConst()
			for _, l := range g.instances {
				follows = follows && l.Generics[n].Type != nil && types.Identical(elem(l), l.Generics[n].Type)
			}
			if follows {
				return nil, p.name
			}
		}
	}
	return elem(g.instances[0]), ""
}

// genericSym is the name by which a merged header expression means a constant parameter: no name of the language.
func genericSym(param string) string { return "[" + param + "]" }

// merge makes one header of those of all instances. It is false where they differ by more than constant parameters
// standing for themselves, as when a folded product of one does.
func (g *group) merge() (abi.Layout, bool) {
	head := g.instances[0]
	ok := true
	one := func(get func(abi.Layout) *types.Header) *types.Header {
		all := make([]*types.Header, len(g.instances))
		for i, l := range g.instances {
			all[i] = get(l)
		}
		return g.mergeHeader(all, &ok)
	}
	head.Slots = append([]abi.Slot(nil), head.Slots...)
	head.Equal = append([]abi.Equality(nil), head.Equal...)
	head.Requires = append([]abi.Require(nil), head.Requires...)
	head.Domain = append([]abi.Span(nil), head.Domain...)
	for _, l := range g.instances {
		if len(l.Equal) != len(head.Equal) || len(l.Requires) != len(head.Requires) || len(l.Domain) != len(head.Domain) {
			return g.instances[0], false
		}
	}
	for i := range head.Slots {
		dims := make([]*types.Header, len(head.Slots[i].Dims))
		for d := range dims {
			dims[d] = one(func(l abi.Layout) *types.Header { return l.Slots[i].Dims[d] })
		}
		head.Slots[i].Dims = dims
	}
	for i := range head.Equal {
		head.Equal[i].Want = one(func(l abi.Layout) *types.Header { return l.Equal[i].Want })
	}
	for i := range head.Requires {
		head.Requires[i].Cond = one(func(l abi.Layout) *types.Header { return l.Requires[i].Cond })
	}
	for i := range head.Domain {
		head.Domain[i].Lo = one(func(l abi.Layout) *types.Header { return l.Domain[i].Lo })
		head.Domain[i].Hi = one(func(l abi.Layout) *types.Header { return l.Domain[i].Hi })
	}
	if !ok {
		return g.instances[0], false
	}
	return head, true
}

func (g *group) mergeHeader(all []*types.Header, ok *bool) *types.Header {
	first := all[0]
	if first == nil || !*ok {
		return first
	}
	same := true
	for _, h := range all {
		if h == nil || h.Op != first.Op || h.Name != first.Name {
			*ok = false
			return first
		}
		same = same && h.Val == first.Val
	}
	switch first.Op {
	case types.HSym:
		return first
	case types.HConst:
		if same {
			return first
		}
		for n, p := range g.generics {
			follows := p.isConst()
			for i, h := range all {
				follows = follows && h.Val == g.instances[i].Generics[n].Value
			}
			if follows {
				return types.Sym(genericSym(p.name))
			}
		}
		*ok = false
		return first
	}
	side := func(get func(*types.Header) *types.Header) *types.Header {
		sub := make([]*types.Header, len(all))
		for i, h := range all {
			sub[i] = get(h)
		}
		return g.mergeHeader(sub, ok)
	}
	m := &types.Header{Op: first.Op}
	m.X = side(func(h *types.Header) *types.Header { return h.X })
	m.Y = side(func(h *types.Header) *types.Header { return h.Y })
	return m
}

// instance is the layout with the given number of argument for each generic parameter.
func (g *group) instance(args []int) abi.Layout {
search:
	for _, l := range g.instances {
		for n, p := range g.generics {
			if p.at(l.Generics[n]) != args[n] {
				continue search
			}
		}
		return l
	}
	panic("gowrap: no instance of " + g.name)
}

// consts are the constant parameters.
func (g *group) consts() []generic {
	var out []generic
	for _, p := range g.generics {
		if p.isConst() {
			out = append(out, p)
		}
	}
	return out
}

func decimal(v int64) string { return strconv.FormatInt(v, 10) }
