package kernelgen

import (
	"fmt"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
)

// family is a set of atomic operations whose order does not matter to what they leave.
type family []string

var families = []family{{"Add", "Sub"}, {"And"}, {"Or"}, {"Xor"}, {"Min"}, {"Max"}}

// atomicKind reports a kind of which elements may be updated atomically on all targets of the kernel.
func (g *generator) atomicKind(k *kind) bool {
	if !k.single() {
		return false
	}
	switch k.set[0] {
	case types.Int32, types.Uint32, types.Float32:
		return true
	case types.Int64, types.Uint64: // Metal has none
		return g.float64s && k != intKind
	}
	return false
}

// familyOf chooses what everybody does to elements of kind k. What floats give must not depend on the order of sums.
func (g *generator) familyOf(k *kind) family {
	if k.isFloat() {
		return families[4+g.r.IntN(2)]
	}
	return pick(g, families)
}

// counter is a view that all points update, and nobody reads or writes. Of floats small whole numbers are added up.
func (g *generator) counter() *view {
	k := pick(g, []*kind{int32Kind, basic(types.Uint32), int32Kind, basic(types.Uint32), basic(types.Float32)})
	if g.float64s && g.one(2) {
		k = pick(g, []*kind{basic(types.Int64), basic(types.Uint64)})
	}
	n := 1 + g.r.Int64N(8)
	v := &view{name: g.reserve(viewNames), kind: k, mut: true, counts: true, mode: closed, family: g.familyOf(k), dims: []dim{{text: fmt.Sprint(n), point: -1, n: n, most: n, least: -1}}}
	if k.isFloat() && g.one(2) {
		v.family = family{"Add"}
	}
	return v
}

// addCounters adds views to count in.
func (g *generator) addCounters() {
	if g.one(4) {
		g.add(g.counter())
	}
}

// atomically writes an atomic operation, if there is something that it may be for.
func (g *generator) atomically() bool {
	var of []func()
	for _, v := range g.views {
		switch {
		case v.counts, v.mode == updated, g.apart != nil && g.apart.updates == v:
			of = append(of, func() { g.updateAny(v) })
		case v.mut && v.mode == private && !v.ragged && !v.strided && g.atomicKind(v.kind) && (g.apart == nil || g.apart.view == v):
			of = append(of, func() { g.updateOwn(v) })
		}
	}
	if g.crew != nil {
		for _, f := range g.crew.flags {
			if f.family != nil {
				of = append(of, func() { g.line("atomic.%s(&%s, %s)", pick(g, f.family), f.v.name, g.value(f.v.kind, 2).s) })
			}
		}
	}
	if len(of) == 0 {
		return false
	}
	pick(g, of)()
	return true
}

// updateAny updates an element that others update as well, at the same time and in the same way: what it was is open.
func (g *generator) updateAny(v *view) {
	value := ""
	at := g.own(v)
	if v.counts && v.kind.isFloat() && v.family[0] == "Add" {
		value = fmt.Sprintf("%s(%s)", v.kind.name, g.small(intKind, 7).s)
	} else {
		value = g.value(v.kind, 2).s
	}
	g.line("atomic.%s(&%s[%s], %s)", pick(g, v.family), v.name, at, value)
}

// updateOwn updates an element that nobody else touches now: what it was is known.
func (g *generator) updateOwn(v *view) {
	place := fmt.Sprintf("&%s[%s]", v.name, g.own(v))
	k := v.kind
	operations := []string{"Min", "Max", "Exchange", "Load", "Store"} // sums of floats may flush subnormals
	if k.isInt() {
		operations = append(operations, "Add", "Sub", "And", "Or", "Xor", "CompareExchange")
	}
	operation := pick(g, operations)
	text := ""
	switch operation {
	case "Load":
		text = fmt.Sprintf("atomic.Load(%s)", place)
	case "CompareExchange":
		old := place[1:] // it is that
		if g.one(2) {
			old = g.value(k, 1).s
		}
		text = fmt.Sprintf("atomic.CompareExchange(%s, %s, %s)", place, old, g.value(k, 2).s)
	default:
		text = fmt.Sprintf("atomic.%s(%s, %s)", operation, place, g.value(k, 2).s)
	}
	x := g.assignable(func(x *variable) bool { return x.kind == k && !x.array() })
	switch form := g.r.IntN(4); {
	case form == 0 || operation == "Store":
		g.line("%s", text)
	case x != nil && form == 1:
		g.line("%s = %s", x.name, text)
	case x != nil && form == 2:
		x.used = true
		g.line("%s %s= %s", x.name, pick(g, []string{"+", "-", "*"}), text)
	default:
		if g.one(2) {
			text = g.binary(primary("%s", text), pick(g, []string{"+", "-", "*"}), g.untyped(k, false)).s
		}
		v := &variable{shape: shape{kind: k}, name: g.fresh(localNames)}
		g.line("%s := %s", v.name, text)
		g.declare(v)
	}
}

// share says that a view or a flag that threads have in common is updated atomically up to the next barrier.
func (g *generator) share(v *view) bool {
	if !g.atomicKind(v.kind) || v.strided && g.crew.linear.open || !g.one(4) {
		return false
	}
	v.mode, v.family = updated, g.familyOf(v.kind)
	return true
}

// updatable picks a view that the iterations of an unordered loop may update anywhere, beside the one that they write.
func (g *generator) updatable(but *view) *view {
	var of []*view
	for _, v := range g.views {
		if v != but && v.mut && v.mode == private && !v.ragged && !v.strided && g.atomicKind(v.kind) && !slices.ContainsFunc(v.dims, func(d dim) bool { return d.double }) {
			of = append(of, v)
		}
	}
	if len(of) == 0 || !g.one(3) {
		return nil
	}
	return pick(g, of)
}
