package kernelgen

import "github.com/gpugen/gpugen/dsl/types"

// random is a random number of kind float32 or uint32. A kernel has one word of rand.Philox at most: it is long.
func (g *generator) random(k *kind, depth int) (expr, bool) {
	words, fraction := k.is(types.Uint32), k.is(types.Float32)
	if !words && !fraction {
		return expr{}, false
	}
	u := ""
	switch {
	case g.noise || fraction && g.one(3):
		if words {
			return expr{}, false
		}
		u = g.value(basic(types.Uint32), depth-1).s
	default:
		g.noise = true
		seed, counter := g.value(basic(types.Uint64), 1).s, g.live(basic(types.Uint64), 1).s
		u = primary("rand.Philox(%s, %s).%s", seed, counter, pick(g, []string{"x", "y", "z", "w"})).s
	}
	if words {
		return primary("%s", u), true
	}
	return primary("rand.Float32(%s)", u), true
}
