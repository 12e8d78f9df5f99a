package kernelgen

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
)

// reductionOf is `block.Sum(…)` or one of its like over values of kind k.
func (g *generator) reductionOf(space string, k *kind, value string) (text string, even bool) {
	names := []string{"Sum", "Min", "Max", "ScanSum"}
	if k.isBool() {
		names = []string{"Any", "All"}
	}
	name := pick(g, names)
	return fmt.Sprintf("%s.%s(%s)", space, name, value), name != "ScanSum"
}

// gather has all threads of the block meet to combine a value of each, which orders no memory.
func (g *generator) gather() {
	k := g.scalar()
	text, even := g.reductionOf("block", k, g.value(k, 2).s)
	x := g.find(func(v *variable) bool { return !v.array() && !v.fixed && !v.konst && v.kind == k })
	form := g.r.IntN(5)
	switch {
	case x != nil && form == 0:
		g.line("%s = %s", x.name, text)
		return
	case x != nil && form == 1 && !k.isBool():
		x.used = true
		g.line("%s %s= %s", x.name, pick(g, []string{"+", "-", "*"}), text)
		return
	}
	if form == 2 || form == 3 {
		other := g.value(k, 1)
		same := other.konst
		if form == 3 { // two meetings in one expression
			second, all := g.reductionOf("block", k, other.s)
			other, same = primary("%s", second), all
		}
		even = even && same
		op := "!="
		if !k.isBool() {
			op = pick(g, []string{"+", "-", "*"})
		}
		text = g.binary(primary("%s", text), op, other).s
	}
	v := &variable{shape: shape{kind: k}, name: g.unseen(localNames), even: even, fixed: even}
	g.line("%s := %s", v.name, text)
	g.declare(v)
}

// withoutMemory runs f with no element of anything in reach.
func (g *generator) withoutMemory(f func()) {
	hidden := map[*flag]bool{}
	if g.crew != nil {
		for _, x := range g.crew.flags {
			hidden[x] = x.v.hidden
			x.v.hidden = true
		}
	}
	g.indexes += 2
	f()
	g.indexes -= 2
	for x, was := range hidden {
		x.v.hidden = was
	}
}

// vote is a condition that the threads of the block agree on by a meeting, from what belongs to each alone: it may stand
// between two intervals.
func (g *generator) vote() (text string) {
	g.withoutMemory(func() {
		if g.one(2) {
			text = fmt.Sprintf("block.%s(%s)", pick(g, []string{"Any", "All"}), g.live(boolKind, 2).s)
			return
		}
		k := g.number()
		op, limit := pick(g, []string{"<", ">", "==", "!=", "<=", ">="}), g.untyped(k, false).s
		text = fmt.Sprintf("block.%s(%s) %s %s", pick(g, []string{"Sum", "Min", "Max"}), g.live(k, 2).s, op, limit)
	})
	return text
}

// someSubgroups are conditions on which the threads of a subgroup agree.
var someSubgroups = []string{
	"subgroup.ID() == 0", "subgroup.ID()&1 == 1", "subgroup.Any(%s)", "subgroup.All(%s)", "subgroup.Max(%s) > 3", "subgroup.Ballot(%s)&1 != 0", "subgroup.Broadcast(%s, 5)",
}

// exchange is a statement in which the threads of each subgroup exchange values. It orders no memory.
func (g *generator) exchange(depth int) {
	switch r := g.r.IntN(12); {
	case r == 0 && depth == 0: // some of the subgroups
		some, of := pick(g, someSubgroups), boolKind
		if strings.Contains(some, "Max") {
			of = intKind
		}
		if strings.Contains(some, "%s") {
			some = fmt.Sprintf(some, g.live(of, 2).s)
		}
		g.line("if %s {", some)
		g.nest(depth)
		if g.one(3) {
			g.line("} else {")
			g.nest(depth)
		}
		g.line("}")
		return
	case r == 1 && depth == 0: // a reduction by hand
		x := g.assignable(func(v *variable) bool { return !v.array() && v.kind.isNumber() })
		if x == nil {
			break
		}
		x.used = true
		q := g.unseen(loopNames)
		switch g.r.IntN(3) {
		case 0:
			g.line("for %s := 16; %s > 0; %s /= 2 {", q, q, q)
			g.line("\t%s %s= subgroup.ShuffleDown(%s, %s)", x.name, pick(g, []string{"+", "*", "-"}), x.name, q)
		case 1:
			g.line("for %s := 1; %s < 32; %s *= 2 {", q, q, q)
			g.line("\t%s = %s(%s, subgroup.ShuffleXor(%s, %s))", x.name, pick(g, []string{"min", "max"}), x.name, x.name, q)
		default:
			g.line("for %s := range subgroup.Max(%s) {", q, g.small(intKind, 3).s)
			g.line("\t%s += subgroup.ShuffleUp(%s, %s)", x.name, x.name, q)
		}
		g.line("}")
		return
	case r == 2:
		if v := g.writable(); v != nil && v.kind.isNumber() {
			g.line("%s[%s] = %s", v.name, g.own(v), g.ofSubgroup(v.kind).s)
			return
		}
	case r < 6:
		if x := g.assignable(func(v *variable) bool { return !v.array() && !v.kind.isComposite() }); x != nil {
			g.line("%s = %s", x.name, g.ofSubgroup(x.kind).s)
			return
		}
	}
	k := g.scalar()
	if g.one(5) {
		k = basic(types.Uint32)
	}
	e := g.ofSubgroup(k)
	v := &variable{shape: shape{kind: k}, name: g.unseen(localNames)}
	g.line("%s := %s", v.name, e.s)
	g.declare(v)
}

// nest is a block of such statements.
func (g *generator) nest(depth int) {
	g.indent++
	g.open()
	for range 1 + g.r.IntN(2) {
		g.exchange(depth + 1)
	}
	g.close()
	g.indent--
}

// ofSubgroup is an expression of kind k with an operation of the subgroup.
func (g *generator) ofSubgroup(k *kind) expr {
	var e expr
	value := func() string {
		if g.one(8) { // nested ones meet one after the other
			text, _ := g.reductionOf("subgroup", k, g.value(k, 1).s)
			return text
		}
		return g.value(k, 2).s
	}
	switch r := g.r.IntN(8); {
	case k.is(types.Uint32) && g.one(2):
		e = primary("subgroup.Ballot(%s)", g.condition(2).s)
	case k == intKind && g.one(3):
		e = primary("subgroup.%s()", pick(g, []string{"Lane", "ID"}))
	case r < 3:
		text, _ := g.reductionOf("subgroup", k, value())
		e = primary("%s", text)
	case r == 3:
		lane := fmt.Sprint(g.r.IntN(32))
		if g.one(2) {
			x := value()
			g.evenly(func() { lane = g.live(g.integer(), 1).s })
			return primary("subgroup.Broadcast(%s, %s)", x, lane)
		}
		e = primary("subgroup.Broadcast(%s, %s)", value(), lane)
	default:
		e = primary("subgroup.%s(%s, %s)", pick(g, []string{"Shuffle", "ShuffleXor", "ShuffleUp", "ShuffleDown"}), value(), g.lane())
	}
	if g.one(3) && !k.isBool() {
		e = g.binary(e, pick(g, []string{"+", "-", "*"}), g.value(k, 1))
	}
	return e
}

// lane is a lane or a distance, often beyond the subgroup.
func (g *generator) lane() string {
	switch g.r.IntN(5) {
	case 0:
		return pick(g, []string{"0", "1", "2", "7", "16", "31", "32", "33", "-1", "-5", "1000", "9223372036854775807", "-9223372036854775808"})
	case 1:
		return g.live(g.integer(), 1).s
	case 2:
		return "31-subgroup.Lane()"
	}
	return g.small(g.integer(), pick(g, []int{3, 7, 15, 31})).s
}
