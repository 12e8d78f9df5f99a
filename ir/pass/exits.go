package pass

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

var exits = Pass{
	Name: "exits",
	Doc:  "turn every Return of a kernel into structured control flow",
	Run: func(k *ir.Kernel) {
		structure(k.Body, k.NewLocal, func(*ir.Instr) []*ir.Instr { return nil })
	},
}

// structure removes every Return of body: what follows an If that may return moves into the branch that does not, a
// loop is left by Break, and where neither is enough a flag says that the body is done. results gives what stands
// instead of a Return, before control moves to the end of body.
func structure(body *ir.Block, newLocal func(*ir.Local) *ir.Local, results func(*ir.Instr) []*ir.Instr) {
	e := &exiter{newLocal: newLocal, results: results}
	e.straight(body, true)
	if e.flag != nil {
		b := ir.Builder{Block: &ir.Block{}}
		b.LocalSet(e.flag, b.Bool(false))
		body.Instrs = append(b.Block.Instrs, body.Instrs...)
	}
}

// exiter structures one body.
type exiter struct {
	newLocal func(*ir.Local) *ir.Local
	results  func(*ir.Instr) []*ir.Instr
	flag     *ir.Local // made when first needed
}

// done is the flag.
func (e *exiter) done() *ir.Local {
	if e.flag == nil {
		e.flag = e.newLocal(&ir.Local{Name: "done", Type: types.Bool})
	}
	return e.flag
}

// isReturn reports a Return.
func isReturn(in *ir.Instr) bool { return in.Op == ir.OpReturn }

// returns reports whether a block of in holds a Return.
func returns(in *ir.Instr) bool {
	return slices.ContainsFunc(in.Blocks, func(b *ir.Block) bool { return contains(b, isReturn) })
}

// always reports whether b always ends by a Return.
func always(b *ir.Block) bool {
	for _, in := range b.Instrs {
		switch in.Op {
		case ir.OpReturn:
			return true
		case ir.OpIf:
			if always(in.Blocks[0]) && always(in.Blocks[1]) {
				return true
			}
		case ir.OpScope:
			if always(in.Blocks[0]) {
				return true
			}
		}
	}
	return false
}

// leave ends b where ret stands: the results, the flag if set, and Break if the place is in a loop.
func (e *exiter) leave(b *ir.Block, at int, ret *ir.Instr, set, inLoop bool) {
	b.Instrs = append(slices.Clip(b.Instrs[:at]), e.results(ret)...)
	w := ir.Builder{Block: b, Pos: ret.Pos}
	if set {
		w.LocalSet(e.done(), w.Bool(true))
	}
	if inLoop {
		w.New(ir.OpBreak, nil)
	}
}

// straight structures a block that stands in no loop of the body. When last holds nothing follows the block.
func (e *exiter) straight(b *ir.Block, last bool) {
	for i, in := range b.Instrs {
		if in.Op == ir.OpReturn {
			e.leave(b, i, in, !last, false)
			return
		}
		if !returns(in) {
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
		case in.Op == ir.OpScope:
			into(in.Blocks[0])
			return
		case in.Op == ir.OpIf && always(in.Blocks[0]):
			into(in.Blocks[1])
			return
		case in.Op == ir.OpIf && always(in.Blocks[1]):
			into(in.Blocks[0])
			return
		}
		end := last && len(rest) == 0
		if in.Op == ir.OpIf {
			e.straight(in.Blocks[0], end)
			e.straight(in.Blocks[1], end)
		} else {
			e.loop(in, !end)
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

// loop structures a Range or Loop; set says whether somebody asks the flag after it.
func (e *exiter) loop(in *ir.Instr, set bool) {
	body := in.Blocks[0]
	if in.Op == ir.OpLoop {
		body = in.Blocks[1]
	}
	e.inLoop(body, set)
}

// inLoop structures a block within a loop: Break skips what follows.
func (e *exiter) inLoop(b *ir.Block, set bool) {
	for i := 0; i < len(b.Instrs); i++ {
		in := b.Instrs[i]
		switch {
		case in.Op == ir.OpReturn:
			e.leave(b, i, in, set, true)
			return
		case !returns(in):
		case in.Op == ir.OpRange || in.Op == ir.OpLoop:
			e.loop(in, true)
			w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
			stop := w.If(w.LocalGet(e.done()))
			w.In(stop.Blocks[0]).New(ir.OpBreak, nil)
			b.Instrs = slices.Insert(b.Instrs, i+1, w.Block.Instrs...)
			i += len(w.Block.Instrs)
		default:
			for _, c := range in.Blocks {
				e.inLoop(c, set)
			}
		}
	}
}
