package kernelgen

import (
	"fmt"
	"strings"
)

// runs are the lines that call the kernel: a small one with values at the edges, a larger one with any values.
func (g *generator) runs(k *Kernel, scalars []*variable) (lines []string) {
	for _, generics := range g.instances() {
		for size := range 2 {
			extents := g.extents(size, strings.Contains(k.Source, "\tfor "))
			if generics != nil {
				extents["N"] = int64(generics[len(generics)-1][0] - '0')
			}
			var args []string
			for _, v := range scalars {
				args = append(args, g.scalarArg(v))
			}
			for _, v := range g.views {
				args = append(args, g.viewArg(v, extents))
			}
			name := k.Name
			if generics != nil {
				name += "[" + strings.Join(generics, ", ") + "]"
			}
			lines = append(lines, fmt.Sprintf("%s(%s) -> oracle", name, strings.Join(args, ", ")))
		}
	}
	return lines
}

// extents chooses a size for each symbol. A kernel without loops does several points a thread, so that it needs more
// points to reach all of its paths.
func (g *generator) extents(size int, loops bool) map[string]int64 {
	out := map[string]int64{}
	switch {
	case g.crew != nil:
		g.crewExtents(out, size)
		return out
	case g.rows != nil:
		g.rowExtents(out, size)
		return out
	}
	for _, s := range symbols {
		out[s] = 1 + g.r.Int64N(9)
		for i := range 9 {
			out[fmt.Sprintf("%s%d", s, i+9)] = 1 + g.r.Int64N(9)
		}
	}
	defer func() {
		for _, r := range g.requires {
			out[r.more] = out[r.less] + g.r.Int64N(3)
		}
	}()
	if g.one(20) && size == 0 && g.points[0].shift == 0 {
		out[g.points[0].extent] = 0
	}
	if size == 0 {
		return out
	}
	last := g.points[len(g.points)-1].extent
	long := g.one(2)
	switch {
	case len(g.points) == 1 && long && !loops:
		out[last] = 1024 + g.r.Int64N(300)
	case len(g.points) == 1:
		out[last] = 40 + g.r.Int64N(300)
	case long && !loops:
		out[last] = 128 + g.r.Int64N(40)
	default:
		out[last] = 20 + g.r.Int64N(30)
	}
	return out
}

// crewExtents chooses few blocks: each has many threads.
func (g *generator) crewExtents(out map[string]int64, size int) {
	most := int64(2 + 3*size)
	if len(g.points) > 1 {
		most = int64(2 + size)
	}
	for _, s := range symbols {
		out[s] = 1 + g.r.Int64N(most)
		for i := range 9 {
			out[fmt.Sprintf("%s%d", s, i+9)] = 1 + g.r.Int64N(most)
		}
	}
	p := g.points[0]
	switch {
	case p.ragged:
		out[p.extent] = 1 + g.r.Int64N(most*g.crew.linear.n)
	case g.one(20) && size == 0 && p.shift == 0 && p.fixed == 0:
		out[p.extent] = 0
	}
	for _, r := range g.requires {
		out[r.more] = out[r.less] + g.r.Int64N(3)
	}
}

// product is a text of factors under the extents of a line.
func product(text string, extents map[string]int64) int64 {
	n := int64(1)
	for _, f := range strings.Split(text, "*") {
		v, ok := extents[f]
		if !ok {
			fmt.Sscan(f, &v)
		}
		n *= v
	}
	return n
}

// size is the extent of a dim under the extents of a line.
func (d dim) size(extents map[string]int64) int64 {
	switch {
	case d.thread != nil:
		return product(d.text, extents)
	case d.double:
		return 2 * extents[strings.TrimPrefix(d.text, "2*")]
	case d.extra:
		return 1 + extents[strings.TrimSuffix(d.text, "+1")]
	case d.n > 0 && d.n == d.most:
		return d.n
	case d.shift > 0:
		return d.shift + extents[strings.TrimSuffix(strings.TrimPrefix(d.text, "("), fmt.Sprintf("+%d)", d.shift))]
	}
	return extents[d.text]
}

func (g *generator) scalarArg(v *variable) string {
	switch {
	case v.kind.isComposite():
		return g.edges(v.shape)
	case v.kind.isBool():
		return pick(g, []string{"true", "false"})
	case v.name == "lo" || v.name == "from":
		return fmt.Sprint(g.r.IntN(5) - 2)
	case v.name == "hi" || v.name == "upto":
		return fmt.Sprint(g.r.IntN(60) - 2)
	case v.kind.isFloat() && g.one(4):
		return pick(g, []string{"nan", "inf", "-inf", "-0"})
	}
	s, _ := g.digits(v.kind)
	return s
}

func (g *generator) viewArg(v *view, extents map[string]int64) string {
	var sizes []string
	total := int64(1)
	for _, d := range v.dims {
		n := d.size(extents)
		sizes = append(sizes, fmt.Sprint(n))
		total *= n
	}
	shape := sizes[0]
	if len(sizes) > 1 {
		shape = "[" + strings.Join(sizes, ",") + "]"
	}
	if v.kind.isComposite() {
		return g.compositeArg(v, sizes, shape, total)
	}
	seed := g.r.IntN(1000)
	switch {
	case v.counts && v.kind.isFloat():
		return fmt.Sprintf("fill(%s, %d)", shape, g.r.IntN(3))
	case v.kind.isBool():
		return fmt.Sprintf("rand(%d, %s)", seed, shape)
	case total > 0 && total <= 12 && g.one(2): // values at the edges
		var list []string
		for range total {
			list = append(list, g.edge(v.kind))
		}
		if len(sizes) == 1 {
			return "[" + strings.Join(list, " ") + "]"
		}
		return shape + "{" + strings.Join(list, " ") + "}"
	case v.mut && g.one(2):
		return fmt.Sprintf("fill(%s, %d)", shape, g.r.IntN(3))
	case g.one(4):
		return fmt.Sprintf("randbits(%d, %s)", seed, shape)
	case g.one(4):
		return fmt.Sprintf("iota(%s)", shape)
	}
	lo, hi := 0, 10
	if v.kind.isSigned() || v.kind.isFloat() {
		lo = -10
	}
	return fmt.Sprintf("rand(%d, %s, %d, %d)", seed, shape, lo, hi)
}

// edge is a value of kind k as a run line spells it.
func (g *generator) edge(k *kind) string {
	if k.isBool() {
		return pick(g, []string{"true", "false"})
	}
	if k.isFloat() && g.one(2) {
		return pick(g, []string{"nan", "inf", "-inf", "-0", "0", "1", "-1", "0.5"})
	}
	s, _ := g.digits(k)
	return s
}
