package kernelgen

import "fmt"

// assertion claims what always holds; the checker and the passes do not know that.
func (g *generator) assertion() {
	claim := ""
	k := g.integer()
	n := g.r.Int64N(9) + 1
	switch g.r.IntN(6) {
	case 0:
		claim = fmt.Sprintf("mod(%s, %d) < %d", g.live(k, 2).s, n, n)
	case 1:
		claim = fmt.Sprintf("%s <= 7", g.binary(g.live(k, 2), "&", expr{"7", precPrimary, true}).s)
	case 2:
		c := g.condition(2)
		claim = g.binary(c, "||", unary("!", expr{c.s, c.prec, false})).s
	case 3:
		x, y := g.live(k, 1).s, g.live(k, 1).s
		claim = fmt.Sprintf("min(%s, %s) <= max(%s, %s)", x, y, x, y)
	case 4:
		claim = fmt.Sprintf("popcount(%s) <= 64", g.live(k, 2).s)
	default:
		claim = fmt.Sprintf("clamp(%s, 1, 5) > 0", g.live(k, 2).s)
	}
	g.line("assert(%s, %q)", claim, pick(g, []string{"it holds", "100% true", "a \"quoted\" \\ text", "ends %d\n"}))
}
