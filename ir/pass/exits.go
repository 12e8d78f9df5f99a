package pass

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

var exits = Pass{
	Name: "exits",
	Doc:  "turn every Return of a kernel, every Break of a Scope and every Level into structured control flow",
	Run: func(k *ir.Kernel) {
		e := newExiter(k.NewLocal, k.Body)
		e.block(k.Body)
		e.straightTo(way{ir.OpReturn, root}, k.Body)
	},
	Func: func(f *ir.Func) {
		e := newExiter(f.NewLocal, f.Body)
		e.block(f.Body)
	},
}

// root stands for a kernel's body, which a Return leaves.
var root = &ir.Instr{}

// exiter structures one body. What is left of control are Breaks and Continues of the innermost Range or Loop without a
// Scope between, and in functions Returns. Exits are resolved where their targets stand, inner targets first:
//
// Behind an If that may leave a Scope, or return, what follows moves into the branch that does not; where neither branch
// always leaves, a flag says that the target is done. A loop in between is left by Break, its exit repeated behind it.
type exiter struct {
	newLocal func(*ir.Local) *ir.Local
	to       map[*ir.Instr]way // of the exits that are not native
	ways     map[way]bool      // those that some exit goes
	now      way               // being resolved
	flag     *ir.Local         // of the way, made when first needed
}

// way is the end of an exit: behind a Scope or Loop, the next iteration of a Loop, or the end of the root.
type way struct {
	op     ir.Op
	target *ir.Instr
}

// newExiter finds the targets of all exits of body.
func newExiter(newLocal func(*ir.Local) *ir.Local, body *ir.Block) *exiter {
	e := &exiter{newLocal: newLocal, to: map[*ir.Instr]way{}, ways: map[way]bool{}}
	e.targets(body, nil)
	return e
}

// targets walks b, around which stand the given Ranges, Loops and Scopes, the innermost last.
func (e *exiter) targets(b *ir.Block, around []*ir.Instr) {
	for _, in := range b.Instrs {
		inner := around
		switch in.Op {
		case ir.OpReturn:
			e.goes(in, way{in.Op, root})
		case ir.OpBreak, ir.OpContinue:
			at := target(in, around)
			in.Level = 0
			isLoop := func(in *ir.Instr) bool { return in.Op != ir.OpScope }
			if !isLoop(around[at]) || slices.ContainsFunc(around[at+1:], isLoop) { // else it is native once the Scopes are gone
				e.goes(in, way{in.Op, around[at]})
			}
		case ir.OpRange, ir.OpLoop, ir.OpScope:
			inner = append(slices.Clip(around), in)
		}
		for _, c := range in.Blocks {
			e.targets(c, inner)
		}
	}
}

// target is the index of what a Break or Continue leaves or repeats.
func target(in *ir.Instr, around []*ir.Instr) int {
	for i := len(around) - 1 - in.Level; ; i-- {
		if in.Op == ir.OpBreak || around[i].Op != ir.OpScope {
			return i
		}
	}
}

// goes notes where an exit goes.
func (e *exiter) goes(in *ir.Instr, w way) {
	e.to[in] = w
	e.ways[w] = true
}

// block resolves every target in b. The blocks of Scopes take the places of the Scopes.
func (e *exiter) block(b *ir.Block) {
	var out []*ir.Instr
	for _, in := range b.Instrs {
		for _, c := range in.Blocks {
			e.block(c)
		}
		switch in.Op {
		case ir.OpScope:
			e.straightTo(way{ir.OpBreak, in}, in.Blocks[0])
			out = append(out, in.Blocks[0].Instrs...)
			continue
		case ir.OpRange, ir.OpLoop:
			e.loopTo(way{ir.OpBreak, in})
			e.loopTo(way{ir.OpContinue, in})
		}
		out = append(out, in)
	}
	b.Instrs = out
}

// bodyOf is the body of a Range or Loop.
func bodyOf(loop *ir.Instr) *ir.Block {
	if loop.Op == ir.OpLoop {
		return loop.Blocks[1]
	}
	return loop.Blocks[0]
}

// straightTo resolves the exits to the end of b, which is the block of a Scope or the root.
func (e *exiter) straightTo(w way, b *ir.Block) {
	if e.ways[w] {
		e.now, e.flag = w, nil
		e.straight(b, true)
		e.reset(b)
	}
}

// loopTo resolves the exits to a loop that stand in other loops of its body.
func (e *exiter) loopTo(w way) {
	if e.ways[w] {
		e.now, e.flag = w, nil
		e.native(bodyOf(w.target))
		e.reset(bodyOf(w.target))
	}
}

// reset clears the flag, if there is one, where the block of its target begins.
func (e *exiter) reset(b *ir.Block) {
	if e.flag != nil {
		w := ir.Builder{Block: &ir.Block{}}
		w.LocalSet(e.flag, w.Bool(false))
		b.Instrs = append(w.Block.Instrs, b.Instrs...)
	}
}

// done is the flag.
func (e *exiter) done() *ir.Local {
	if e.flag == nil {
		e.flag = e.newLocal(&ir.Local{Name: "done", Type: types.Bool})
	}
	return e.flag
}

// isExit reports an exit of the way in hand.
func (e *exiter) isExit(in *ir.Instr) bool { return e.to[in] == e.now }

// mayExit reports whether a block of in holds such an exit.
func (e *exiter) mayExit(in *ir.Instr) bool {
	return slices.ContainsFunc(in.Blocks, func(b *ir.Block) bool { return contains(b, e.isExit) })
}

// leave ends b where the exit stands: the flag if set, and a Break of the loop around if there is one.
func (e *exiter) leave(b *ir.Block, at int, set, inLoop bool) {
	pos := b.Instrs[at].Pos
	b.Instrs = slices.Clip(b.Instrs[:at])
	w := ir.Builder{Block: b, Pos: pos}
	if set {
		w.LocalSet(e.done(), w.Bool(true))
	}
	if inLoop {
		w.New(ir.OpBreak, nil)
	}
}

// straight resolves the exits in a block that stands in no loop of the target. When last holds nothing follows the block
// before the target's end.
func (e *exiter) straight(b *ir.Block, last bool) {
	for i, in := range b.Instrs {
		if e.isExit(in) {
			e.leave(b, i, !last, false)
			return
		}
		if !e.mayExit(in) {
			continue
		}
		rest := slices.Clone(b.Instrs[i+1:])
		b.Instrs = slices.Clip(b.Instrs[:i+1])
		into := func(c *ir.Block) { // what follows runs only by way of c
			c.Instrs = append(c.Instrs, rest...)
			for _, c := range in.Blocks {
				e.straight(c, last)
			}
		}
		switch {
		case in.Op == ir.OpIf && leaves(in.Blocks[0]):
			into(in.Blocks[1])
			return
		case in.Op == ir.OpIf && leaves(in.Blocks[1]):
			into(in.Blocks[0])
			return
		}
		end := last && len(rest) == 0
		if in.Op == ir.OpIf {
			e.straight(in.Blocks[0], end)
			e.straight(in.Blocks[1], end)
		} else {
			e.inLoop(bodyOf(in), !end)
		}
		if !end && len(rest) > 0 {
			w := ir.Builder{Block: b, Pos: in.Pos}
			guard := w.If(w.Un(ir.OpLNot, w.LocalGet(e.done())))
			guard.Blocks[0].Instrs = rest
			e.straight(guard.Blocks[0], last)
		}
		return
	}
}

// inLoop resolves the exits in a block within a loop of the target: Break skips what follows; set says whether somebody
// asks the flag behind the loop.
func (e *exiter) inLoop(b *ir.Block, set bool) {
	for i := 0; i < len(b.Instrs); i++ {
		in := b.Instrs[i]
		switch {
		case e.isExit(in):
			e.leave(b, i, set, true)
			return
		case !e.mayExit(in):
		case in.Op == ir.OpRange || in.Op == ir.OpLoop:
			e.inLoop(bodyOf(in), true)
			i += e.repeat(b, i, ir.OpBreak)
		default:
			for _, c := range in.Blocks {
				e.inLoop(c, set)
			}
		}
	}
}

// repeat puts an exit of the loop around b, if the flag is set, behind the loop at i, and gives the number of new
// instructions.
func (e *exiter) repeat(b *ir.Block, i int, op ir.Op) int {
	w := ir.Builder{Block: &ir.Block{}, Pos: b.Instrs[i].Pos}
	stop := w.If(w.LocalGet(e.done()))
	w.In(stop.Blocks[0]).New(op, nil)
	b.Instrs = slices.Insert(b.Instrs, i+1, w.Block.Instrs...)
	return len(w.Block.Instrs)
}

// native resolves the exits in a block of a loop that they leave or repeat, and in no other.
func (e *exiter) native(b *ir.Block) {
	for i := 0; i < len(b.Instrs); i++ {
		in := b.Instrs[i]
		switch {
		case !e.mayExit(in):
		case in.Op == ir.OpRange || in.Op == ir.OpLoop:
			e.inLoop(bodyOf(in), true)
			i += e.repeat(b, i, e.now.op)
		default:
			for _, c := range in.Blocks {
				e.native(c)
			}
		}
	}
}
