package interp

import (
	"fmt"
	"math"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// assert compiles an Assert: its condition runs, and what does not hold is a finding.
func (c *compiler) assert(in *ir.Instr) step {
	m := c.m
	body, cond := c.yielding(in.Blocks[0])
	return func(r []uint64) signal {
		if sig := body(r); sig != next {
			return sig
		}
		if r[cond] == 0 {
			m.note(in, Finding{Kind: Assertion, Name: in.Text})
		}
		return next
	}
}

// tell compiles a Report or a Print.
func (c *compiler) tell(in *ir.Instr) step {
	m := c.m
	args := c.regs(in.Args)
	if in.Op == ir.OpReport {
		kind := findingOf(in)
		return func(r []uint64) signal {
			f := kind
			switch f.Kind {
			case Bounds:
				f.Index, f.Extent = int64(r[args[0]]), int64(r[args[1]])
			case NegativeShift:
				f.Index = int64(r[args[0]])
			}
			m.note(in, f)
			return next
		}
	}
	format, n, spread := in.Text, len(args), m.kernel.ByBlock && len(m.kernel.Group) > 0
	if s := in.Site; s != nil {
		format, n = s.Text, len(s.Args)
	}
	return func(r []uint64) signal {
		if len(m.report.Prints) == MaxPrints {
			m.report.Dropped++
			return next
		}
		values := make([]any, n)
		for i, a := range in.Args[:n] {
			values[i] = GoValue(a.Kind(), r[args[i]])
		}
		at := []int64{m.id}
		if in.Site != nil {
			at = at[:0]
			for _, a := range args[n:] {
				at = append(at, int64(r[a]))
			}
		}
		p := Print{Text: fmt.Sprintf(format, values...), Values: n, By: m.place.worker(m.id), Pos: in.Pos, At: at}
		switch {
		case m.turns.depth > 0:
			p.Loop, p.Turn = m.turns.loop, m.turns.turn
		case spread:
			p.Loop, p.Turn = int64(m.now>>siteBits), m.id+1
		}
		m.report.Prints = append(m.report.Prints, p)
		return next
	}
}

// findingOf is what a Report says, without its numbers.
func findingOf(in *ir.Instr) Finding {
	s := in.Site
	if s == nil {
		return Finding{Kind: Assertion, Name: in.Text}
	}
	switch s.Kind {
	case ir.SiteBounds:
		return Finding{Kind: Bounds, Name: s.Name, Dim: s.Dim}
	case ir.SiteZeroDivisor:
		return Finding{Kind: ZeroDivisor}
	case ir.SiteNegativeShift:
		return Finding{Kind: NegativeShift}
	case ir.SiteAssert:
		return Finding{Kind: Assertion, Name: s.Text}
	}
	panic(fmt.Sprintf("interp: report of %s", s.Kind))
}

// GoValue is a scalar as the Go value that package fmt gets on the host.
func GoValue(k types.Kind, bits uint64) any {
	switch k {
	case types.Bool:
		return bits != 0
	case types.Int8:
		return int8(bits)
	case types.Int16:
		return int16(bits)
	case types.Int32:
		return int32(bits)
	case types.Int64:
		return int64(bits)
	case types.Int:
		return int(bits)
	case types.Uint8:
		return uint8(bits)
	case types.Uint16:
		return uint16(bits)
	case types.Uint32:
		return uint32(bits)
	case types.Uint64:
		return bits
	case types.Float32:
		return math.Float32frombits(uint32(bits))
	}
	return FloatValue(k, bits)
}

// sortPrints puts what was printed in the order of points, whatever order they ran in.
func (m *machine) sortPrints() {
	slices.SortStableFunc(m.report.Prints, func(a, b Print) int { return slices.Compare(a.At, b.At) })
}
