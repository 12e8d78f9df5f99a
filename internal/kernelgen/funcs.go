package kernelgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
)

// function is a function that expressions may call.
type function struct {
	name    string
	params  []shape
	results []shape
	generic *kind // or nil
	counted bool  // generic in the constant N as well

	// Of functions that take views by reference.
	views  []*view
	writes bool // the first one, at the indexes that are parameters
	alike  bool // the second one has the extents of the first
	walks  bool // through all of them
}

// sized is s with the constant parameter replaced by n.
func (s shape) sized(n int64) shape {
	if s.open {
		s.open, s.dims = false, append([]int64{n}, s.dims[1:]...)
	}
	return s
}

// of is s with the type parameter of f replaced by k.
func (f *function) of(s shape, k *kind) shape {
	if f.generic != nil && s.kind == f.generic {
		s.kind = k
	}
	return s
}

// takes reports that k may stand for the type parameter of f.
func (f *function) takes(k *kind) bool {
	if k.isComposite() {
		return false
	}
	for _, t := range k.set {
		if !slices.Contains(f.generic.set, t) {
			return false
		}
	}
	return true
}

// typeSets are what a type parameter may range over.
var typeSets = [][]types.Kind{
	{types.Int32, types.Float32}, {types.Int32, types.Uint8}, {types.Float32, types.Int64}, {types.Uint32, types.Int16}, {types.Int64, types.Uint64}, {types.Int8, types.Uint16, types.Int32}, {types.Float16, types.BFloat16}, {types.Float32, types.BFloat16}, {types.Float16, types.Uint32},
}

func (g *generator) typeParam() *kind {
	sets := typeSets
	if g.float64s {
		sets = append([][]types.Kind{{types.Float32, types.Float64}, {types.Float32, types.Float64}}, sets...)
	}
	return &kind{name: "T", set: pick(g, sets)}
}

func (k *kind) declaration() string {
	var names []string
	for _, t := range k.set {
		names = append(names, t.String())
	}
	return k.name + " " + strings.Join(names, "|")
}

func (g *generator) randomShape() shape {
	s := shape{kind: g.anything()}
	if g.one(5) {
		s.dims = pick(g, [][]int64{{2}, {3}, {4}, {2, 3}})
	}
	if s.array() && s.kind.isComposite() {
		s.dims = []int64{2}
	}
	return s
}

// function makes one function; later ones may call it.
func (g *generator) function() {
	f := &function{name: fmt.Sprintf("f%d_%d", g.seed, len(g.funcs))}
	if g.one(4) {
		f.generic = g.typeParam()
		g.generic = f.generic
	}
	g.inFunc, g.budget = true, 2+g.r.IntN(6)
	g.begin()
	g.open()
	g.declareTables()
	if g.one(6) {
		f.counted = true
		g.count = &dim{text: "N", point: -1, n: 2, most: 4, least: -1}
		g.taken["N"] = true
		g.declare(&variable{shape: shape{kind: intKind}, name: "N", fixed: true, silent: true, konst: true})
	}
	var params []string
	for i := range 1 + g.r.IntN(4) {
		s := g.randomShape()
		if i == 0 {
			s = shape{kind: g.number()}
			if f.generic != nil {
				s.kind = f.generic
			}
		} else if f.counted && g.one(2) {
			s.dims, s.nested, s.open = []int64{2}, false, true
		}
		v := &variable{shape: s, silent: true}
		if i == 0 {
			v.name, v.fixed = "arg", true
		} else {
			v.name = g.fresh(localNames)
		}
		g.declare(v)
		f.params = append(f.params, s)
		params = append(params, v.name+" "+s.String())
	}
	g.anchor = "arg"
	g.taken["arg"] = true
	for range 1 + g.r.IntN(3) {
		s := g.randomShape()
		if s.array() && !g.one(3) {
			s.dims = nil
		}
		f.results = append(f.results, s)
	}
	g.results = f.results
	var types []string
	for _, r := range f.results {
		types = append(types, r.String())
	}
	head := "func " + f.name
	switch {
	case f.generic != nil && f.counted:
		head += "[" + f.generic.declaration() + ", N = 2|4]"
	case f.generic != nil:
		head += "[" + f.generic.declaration() + "]"
	case f.counted:
		head += "[N = 2|4]"
	}
	head += "(" + strings.Join(params, ", ") + ") "
	if len(types) == 1 {
		head += types[0]
	} else {
		head += "(" + strings.Join(types, ", ") + ")"
	}
	g.line("%s {", head)
	g.indent++
	g.open()
	for _, r := range f.results {
		if r.array() { // something to return
			g.declareArray(r)
		}
	}
	g.statements()
	last := g.returned()
	g.close()
	g.line("%s", last)
	g.indent--
	g.line("}")
	g.out.WriteByte('\n')
	g.scopes = nil
	g.funcs = append(g.funcs, f)
	g.generic, g.count, g.results, g.inFunc = nil, nil, nil, false
	delete(g.taken, "N")
}

// begin forgets the labels of the body before.
func (g *generator) begin() { g.labels, g.named = nil, map[string]bool{} }

// returned is a return statement that fits the declaration.
func (g *generator) returned() string {
	if len(g.results) == 0 {
		return "return"
	}
	if len(g.results) > 1 && g.one(4) {
		for _, f := range g.funcs { // all results of one call
			if f.generic != nil || f.counted || !slices.EqualFunc(f.results, g.results, shape.equal) {
				continue
			}
			if call, ok := g.call(f, nil); ok {
				return "return " + call
			}
		}
	}
	var vals []string
	for _, r := range g.results {
		vals = append(vals, g.whole(r, 2))
	}
	return "return " + strings.Join(vals, ", ")
}

// whole is an expression of a shape: for an array a variable, or a literal where there is none.
func (g *generator) whole(s shape, depth int) string {
	if !s.array() {
		return g.value(s.kind, depth).s
	}
	v := g.find(func(v *variable) bool { return v.equal(s) })
	if v == nil {
		return s.String() + g.elements(s.kind, s.dims)
	}
	v.used = true
	return v.name
}

// callOf is a call with one result of that shape.
func (g *generator) callOf(s shape, depth int) (expr, bool) {
	if len(g.funcs) == 0 || g.budget < -40 {
		return expr{}, false
	}
	f := pick(g, g.funcs)
	k := s.kind
	if len(f.results) != 1 || f.generic != nil && !f.takes(k) || !f.of(f.results[0], k).equal(s) {
		return expr{}, false
	}
	g.budget-- // calls are inlined: they cost
	call, ok := g.callWith(f, k, min(depth-1, 1))
	return primary("%s", call), ok
}

// call is a call of f whose type parameter, if it has one, is k.
func (g *generator) call(f *function, k *kind) (string, bool) {
	if f.generic != nil && (k == nil || !f.takes(k)) {
		return "", false
	}
	return g.callWith(f, k, 1)
}

func (g *generator) callWith(f *function, k *kind, depth int) (string, bool) {
	var args []string
	n := pick(g, []int64{2, 4})
	for _, p := range f.params {
		args = append(args, g.whole(f.of(p, k).sized(n), depth))
	}
	name := f.name
	switch {
	case f.counted && f.generic != nil:
		name += fmt.Sprintf("[%s, %d]", k.name, n)
	case f.counted:
		name += fmt.Sprintf("[%d]", n)
	case f.generic != nil && g.one(3):
		name += "[" + k.name + "]"
	}
	return name + "(" + strings.Join(args, ", ") + ")", true
}
