package uniform

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/ir"
)

// cause is a link of the chain that says why something diverges: from a condition or an exit, over assignments and values,
// to a thread's index or to memory that threads write.
type cause struct {
	pos, end diag.Pos
	text     string
	next     *cause
}

// at is a cause whose words stand in the source at pos.
func at(pos diag.Pos, word string, next *cause, format string, args ...any) *cause {
	return &cause{pos, pos.Advance(len(word)), fmt.Sprintf(format, args...), next}
}

// name is the first of two names that is not empty.
func name(s, t string) string {
	if s != "" {
		return s
	}
	return t
}

// valueCause says why the value of in diverges, where it is defined.
func valueCause(in *ir.Instr, next *cause, format string, word string) *cause {
	return at(in.Pos, word, next, format, word)
}

// assignments are the ways in which a local comes by a value, in the words of the source.
type assignments struct{ assigned, returned, passed string }

var (
	valueDiffers = assignments{
		"what is assigned to `%s` here may differ between threads",
		"what `%s` returns here may differ between threads",
		"what `%s` is given for `%s` here may differ between threads",
	}
	someAssign = assignments{
		"only some of the threads assign to `%s` here",
		"only some of the threads return from `%s` here",
		"only some of the threads call `%s` here, and give it `%s`",
	}
)

// assignCause says why a local diverges behind an assignment, which may be a return of a function or the passing of its
// argument. Those that no source names are passed over.
func assignCause(in *ir.Instr, next *cause, how assignments) *cause {
	switch l := in.Local; {
	case !l.Pos.IsValid():
		return next
	case l.ResultOf != "":
		return at(in.Pos, exitWords[ir.OpReturn], next, how.returned, l.ResultOf)
	case l.ParamOf != "" && in.Pos == l.Called:
		return at(in.Pos, l.ParamOf, next, how.passed, l.ParamOf, l.Name)
	default:
		return at(in.Pos, "", next, how.assigned, l.Name)
	}
}

// iterCause says why the index of a Range diverges.
func iterCause(loop *ir.Instr, next *cause) *cause {
	iter := loop.Blocks[0].Iter
	if next == nil || iter.Name == "" {
		return next
	}
	return at(loop.Pos, "", next, "`%s` counts between bounds that may differ between threads", iter.Name)
}

// exitWords are the exits as the source writes them.
var exitWords = map[ir.Op]string{ir.OpBreak: "break", ir.OpContinue: "continue", ir.OpReturn: "return"}

// exitCause says what an exit under divergent control does to what it skips.
func exitCause(in *ir.Instr, ctl *cause) *cause {
	return at(in.Pos, exitWords[in.Op], ctl, "some of the threads leave here")
}

// condition is why the threads part at an instruction that owns blocks: at its condition, or its bounds.
func (a *analysis) condition(in *ir.Instr) *cause {
	switch in.Op {
	case ir.OpIf:
		return part(in, in.Args[0], a.why[in.Args[0]], a.threads()+" may differ in this condition")
	case ir.OpCondAnd, ir.OpCondOr:
		word := "&&"
		if in.Op == ir.OpCondOr {
			word = "||"
		}
		if why := a.why[in.Args[0]]; why != nil {
			return at(in.Pos, word, why, "%s may differ in what stands before `%s`", a.threads(), word)
		}
	case ir.OpLoop:
		ins := in.Blocks[0].Instrs
		y := ins[len(ins)-1].Args[0]
		return part(in, y, a.why[y], a.threads()+" may differ in this condition, and so in how often they loop")
	case ir.OpRange:
		for _, x := range in.Args {
			if why := a.why[x]; why != nil {
				return part(in, x, why, a.threads()+" may differ in the bounds of this loop")
			}
		}
	}
	return nil
}

// threads are those that may differ.
func (a *analysis) threads() string {
	if a.sub {
		return "threads of a subgroup"
	}
	return "threads of a block"
}

// part is a cause at the condition v of in, or at in itself if the condition was computed before.
func part(in, v *ir.Instr, why *cause, text string) *cause {
	if why == nil {
		return nil
	}
	pos := in.Pos
	if p := v.Pos; p.File == pos.File && (p.Line > pos.Line || p.Line == pos.Line && p.Col >= pos.Col) {
		pos = p
	}
	return at(pos, "", why, "%s", text)
}

// BarrierError is a barrier, or something that the threads of a block compute together, that only some threads may reach. The
// others would never come, and the block would wait for them. The message follows the reason from the condition to what differs between the threads. Move the barrier
// out of the condition, or make the condition the same for all threads; work that only some of them do may stay inside.
//
// Example (divergent-barrier):
//
//	package p
//
//	kernel K(x mut [n]float32) blocks b in ceildiv(n, 32) threads t in 32 {
//		i := b*32 + t
//		if i < n {
//			barrier()
//			x[i] = 0
//		}
//	}
type BarrierError struct {
	Pos  diag.Pos
	Word string // at Pos: `barrier`, or `block`
	Why  *cause
}

// maxLabels bounds the links of the chain that are shown; the last one always is.
const maxLabels = 8

// Diagnose implements diag.Error.
func (e *BarrierError) Diagnose(d *diag.Diagnostic) {
	d.Code = "divergent-barrier"
	d.Pos, d.End = e.Pos, e.Pos.Advance(len(e.Word))
	d.Message = "only some threads of a block may reach this `" + e.Word + "`"
	same := "a block"
	switch e.Word {
	case "block":
		d.Message = "only some threads of a block may reach this operation of the whole `block`"
	case "subgroup":
		d.Message = "only some threads of a subgroup may reach this operation of the whole `subgroup`"
		same = "a subgroup"
	}
	var chain []*cause
	for c := e.Why; c != nil; c = c.next {
		if n := len(chain); c.pos.IsValid() && (n == 0 || chain[n-1].pos != c.pos || chain[n-1].text != c.text) {
			chain = append(chain, c)
		}
	}
	if n := len(chain); n > maxLabels {
		chain = append(chain[:maxLabels-1], chain[n-1])
	}
	for _, c := range chain {
		d.Label(c.pos, c.end, "%s", c.text)
	}
	more := ""
	if e.Word == "subgroup" {
		more = "`subgroup.ID()`, what `subgroup.Sum` and its like give, "
	}
	d.Note("the same for all threads of %s are constants, scalar parameters, extents, block indexes, loads at such indexes from views that are not `mut`, what `block.Sum` and its like give, %sand what all threads compute from these", same, more)
}
