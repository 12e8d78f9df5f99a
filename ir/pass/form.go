package pass

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/ir"
)

// atom is a quantity that linear forms are made of: an extent symbol, a point, or the value of an instruction that is
// not linear itself. Later atoms are defined in terms of earlier ones.
type atom struct {
	id    int
	in    *ir.Instr // nil for symbols and header expressions
	span  interval
	upper []bound // k*atom <= form
	lower []bound // k*atom >= form
}

// bound is one side of an inequality: k times the atom against every one of the forms (or all of them for a minimum).
type bound struct {
	k   int64 // > 0
	all []form
}

// term is a multiple of an atom.
type term struct {
	a *atom
	k int64
}

// form is c + Σ k·a in exact integers, terms in the order of atoms. A form whose arithmetic would overflow is not ok.
type form struct {
	c     int64
	terms []term
	bad   bool
}

// constForm is the form of a constant.
func constForm(c int64) form { return form{c: c} }

// atomForm is the form of one atom.
func atomForm(a *atom) form { return form{terms: []term{{a, 1}}} }

// plus is f + k·g.
func (f form) plus(k int64, g form) form {
	out := form{bad: f.bad || g.bad}
	m := func(x int64) int64 {
		p, ok := mulOK(k, x)
		out.bad = out.bad || !ok
		return p
	}
	a := func(x, y int64) int64 {
		s, ok := addOK(x, y)
		out.bad = out.bad || !ok
		return s
	}
	out.c = a(f.c, m(g.c))
	i, j := 0, 0
	for i < len(f.terms) || j < len(g.terms) {
		switch {
		case j == len(g.terms) || i < len(f.terms) && f.terms[i].a.id < g.terms[j].a.id:
			out.terms = append(out.terms, f.terms[i])
			i++
		case i == len(f.terms) || g.terms[j].a.id < f.terms[i].a.id:
			if c := m(g.terms[j].k); c != 0 {
				out.terms = append(out.terms, term{g.terms[j].a, c})
			}
			j++
		default:
			if c := a(f.terms[i].k, m(g.terms[j].k)); c != 0 {
				out.terms = append(out.terms, term{f.terms[i].a, c})
			}
			i, j = i+1, j+1
		}
	}
	return out
}

// times is k·f.
func (f form) times(k int64) form { return constForm(0).plus(k, f) }

// add is f + c.
func (f form) add(c int64) form { return f.plus(1, constForm(c)) }

// isConst reports a form without terms.
func (f form) isConst() bool { return !f.bad && len(f.terms) == 0 }

// coefficient is that of atom a.
func (f form) coefficient(a *atom) int64 {
	i := slices.IndexFunc(f.terms, func(t term) bool { return t.a == a })
	if i < 0 {
		return 0
	}
	return f.terms[i].k
}

// key spells f, equal for equal forms.
func (f form) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", f.c)
	for _, t := range f.terms {
		fmt.Fprintf(&b, "%+d·%d", t.k, t.a.id)
	}
	return b.String()
}

// addOK is a + b and whether it fits.
func addOK(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

// mulOK is a * b and whether it fits.
func mulOK(a, b int64) (int64, bool) {
	neg := (a < 0) != (b < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	switch {
	case hi != 0 || lo > 1<<63 || lo == 1<<63 && !neg:
		return 0, false
	case neg:
		return int64(-lo), true
	}
	return int64(lo), true
}

// magnitude is |a|, of MinInt64 too.
func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
