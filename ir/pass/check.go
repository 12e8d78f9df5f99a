package pass

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Behind this pass no access is out of range: one that is not proved stands in a branch of its test. Where the test fails
// the thread reports it and goes on, a load with 0, a store dropped. Divisors and shift counts keep the values that they
// have, since the operations are defined for all of them; what a release build passes over is reported here. A test that
// was made already is not made again. Those of a loop that are linear in its index are made once in front of it, for all
// its iterations: see hoist.
var check = Pass{
	Name: "check",
	Doc:  "test indexes, divisors and shift counts that are not proved, and report what fails",
	Run: func(k *ir.Kernel) {
		c := &checker{siter: siter{kernel: k}, needs: map[*ir.Instr]*need{}, loops: map[*ir.Instr]span{}, to: values{}}
		c.find()
		c.block(k.Body)
	},
}

// checker rewrites one kernel.
type checker struct {
	siter
	needs map[*ir.Instr]*need
	loops map[*ir.Instr]span // where the index of a Range begins and ends
	to    values
	known []map[string]*ir.Instr // tests made so far, by what they test; one a block, the innermost last
}

// need is what must be tested of an instruction: sides of its indexes, or its second operand.
type need struct {
	sides   []side
	divisor bool
	count   bool
}

// side says which comparisons of an index are not proved.
type side struct {
	dim    int
	lo, hi bool // 0 <= index, index < extent
}

// span is what is known of the ends of a loop.
type span struct{ lo, hi interval }

// find notes what is not proved.
func (c *checker) find() {
	r := newRanges(c.kernel)
	r.walk(c.kernel.Body, func(in *ir.Instr) {
		switch in.Op {
		case ir.OpLoad, ir.OpStore, ir.OpElemGet, ir.OpElemSet, ir.OpTableGet, ir.OpAtomic:
			if in.InBounds {
				return
			}
			var dims []form
			if in.Param != nil {
				for _, d := range in.Param.Dims {
					dims = append(dims, r.header(d))
				}
			}
			if sides := r.sides(in, append(dims, ownDims(in)...)); len(sides) > 0 {
				c.needs[in] = &need{sides: sides}
			} else {
				in.InBounds = true
			}
		case ir.OpDiv, ir.OpRem:
			if mayFail(in) && !r.notZero(in.Args[1]) {
				c.needs[in] = &need{divisor: true}
			}
		case ir.OpShl, ir.OpShr:
			if n := in.Args[1]; mayFail(in) && r.span(n).lo < 0 && !r.nonneg(r.form(n)) {
				c.needs[in] = &need{count: true}
			}
		case ir.OpRange:
			if in.Args[0].Kind().IsSigned() {
				c.loops[in] = span{r.span(in.Args[0]), r.span(in.Args[1])}
			}
		}
	})
}

// sides lists what is not proved of the indexes of an access.
func (r *ranges) sides(in *ir.Instr, dims []form) (out []side) {
	for d := range indexes(in) {
		x := in.Args[d]
		if r.inDim(r.modular(x), dims[d]) {
			continue
		}
		f := r.form(x)
		s := side{d, !r.nonneg(f), !r.nonneg(dims[d].plus(-1, f).add(-1))}
		if s.lo || s.hi {
			out = append(out, s)
		}
	}
	return out
}

// indexes are the index operands of an access.
func indexes(in *ir.Instr) []*ir.Instr {
	if in.Op == ir.OpTableGet {
		return in.Args
	}
	return in.Indexes()
}

// block rewrites b and everything below it.
func (c *checker) block(b *ir.Block) {
	c.known = append(c.known, map[string]*ir.Instr{})
	var out []*ir.Instr
	for _, in := range b.Instrs {
		c.to.args(in)
		out = append(out, c.instr(in)...)
	}
	b.Instrs = out
	c.known = c.known[:len(c.known)-1]
}

// instr gives what stands for an instruction.
func (c *checker) instr(in *ir.Instr) []*ir.Instr {
	if in.Op == ir.OpRange {
		return c.loop(in)
	}
	for _, b := range in.Blocks {
		c.block(b)
	}
	n := c.needs[in]
	switch {
	case n == nil:
		return []*ir.Instr{in}
	case len(n.sides) > 0:
		return c.guard(in, n.sides)
	}
	w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
	x := in.Args[1]
	if n.divisor {
		c.fails(w, "zero "+key(x), func() *ir.Instr { return w.Bin(ir.OpEq, x, w.Const(x.Kind(), 0)) }, func(w ir.Builder) {
			none := w.Int(0)
			c.report(w, ir.Site{Kind: ir.SiteZeroDivisor}, none, none)
		})
	} else {
		c.fails(w, "count "+key(x), func() *ir.Instr { return w.Bin(ir.OpLt, x, w.Const(x.Kind(), 0)) }, func(w ir.Builder) {
			c.report(w, ir.Site{Kind: ir.SiteNegativeShift}, w.Conv(types.Int, x), w.Int(0))
		})
	}
	return append(w.Block.Instrs, in)
}

// fails appends a branch that reports where the test holds; one that was made before has reported.
func (c *checker) fails(w ir.Builder, what string, test func() *ir.Instr, report func(ir.Builder)) {
	if c.made(what) != nil {
		return
	}
	bad := test()
	c.known[len(c.known)-1][what] = bad
	report(w.In(w.If(bad).Blocks[0]))
}

// made is the test of that name, if it was made.
func (c *checker) made(what string) *ir.Instr {
	for i := len(c.known) - 1; i >= 0; i-- {
		if ok := c.known[i][what]; ok != nil {
			return ok
		}
	}
	return nil
}

// guard puts an access into the branch where its indexes are in range.
func (c *checker) guard(in *ir.Instr, sides []side) []*ir.Instr {
	w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
	what := ""
	for _, s := range sides {
		what += fmt.Sprintf("%s %v %s ", memory(in, s.dim), s, key(in.Args[s.dim]))
	}
	ok := c.made(what)
	reported := ok != nil
	var tests []*ir.Instr
	if !reported {
		for _, s := range sides {
			x := in.Args[s.dim]
			tests = append(tests, s.test(w, x, c.extent(w, in, s.dim)))
		}
		ok = conjunction(w, tests)
		c.known[len(c.known)-1][what] = ok
	}
	in.InBounds = true
	value := ir.Ops[in.Op].Value
	var l *ir.Local
	if value {
		l = c.kernel.NewLocal(&ir.Local{Name: in.Name, Type: in.Type, Pos: in.Pos})
		if l.Name == "" {
			name, _ := in.Indexed(0)
			name, _, _ = strings.Cut(name[strings.LastIndexByte(name, '.')+1:], "[") // of a field its own
			l.Name = name + "At"
		}
		w.LocalSet(l, w.Zero(in.Type))
	}
	branch := w.If(ok)
	then := w.In(branch.Blocks[0])
	then.Block.Add(in)
	if value {
		then.LocalSet(l, in)
		get := w.LocalGet(l)
		get.Name, in.Name = in.Name, ""
		c.to[in] = get
	}
	if reported {
		return w.Block.Instrs
	}
	for i, s := range sides {
		at := w.In(branch.Blocks[1])
		if len(sides) > 1 {
			at = at.In(at.If(at.Un(ir.OpLNot, tests[i])).Blocks[0])
		}
		name, dim := in.Indexed(s.dim)
		c.report(at, ir.Site{Kind: ir.SiteBounds, Name: name, Dim: dim}, in.Args[s.dim], c.extent(at, in, s.dim))
	}
	return w.Block.Instrs
}

// test compares an index with the ends that are not proved.
func (s side) test(w ir.Builder, x, extent *ir.Instr) *ir.Instr {
	switch {
	case !s.lo:
		return w.Bin(ir.OpLt, x, extent)
	case !s.hi:
		return w.Bin(ir.OpGe, x, w.Int(0))
	}
	return conjunction(w, []*ir.Instr{w.Bin(ir.OpGe, x, w.Int(0)), w.Bin(ir.OpLt, x, extent)})
}

// conjunction is whether all tests hold.
func conjunction(w ir.Builder, tests []*ir.Instr) *ir.Instr {
	ok := tests[0]
	for _, t := range tests[1:] {
		in := w.Cond(ir.OpCondAnd, ok)
		w.In(in.Blocks[0]).Yield(t)
		ok = in
	}
	return ok
}

// extent appends the extent of a dim of what an access touches.
func (c *checker) extent(w ir.Builder, in *ir.Instr, dim int) *ir.Instr {
	n := viewDims(in)
	if dim < n {
		return evaluate(w, c.kernel, in.Param.Dims[dim])
	}
	return w.Int(ownDims(in)[dim-n].c)
}

// viewDims is how many of an access's indexes are those of a view.
func viewDims(in *ir.Instr) int {
	if in.Param == nil {
		return 0
	}
	return len(in.Param.Dims)
}

// ownDims are the extents of the other indexes: those of an array, a table, or of arrays in an element.
func ownDims(in *ir.Instr) (dims []form) {
	switch {
	case in.Param != nil:
		for _, n := range in.Param.Leaf(in.Leaf).Dims {
			dims = append(dims, constForm(n))
		}
		return dims
	case in.Table != nil:
		return arrayDims(in.Table.Type)
	}
	return arrayDims(in.Local.Type)
}

// memory tells what an index is of from everything else. All parts of a view's element have its indexes in common.
func memory(in *ir.Instr, dim int) string {
	leaf := 0
	if dim >= viewDims(in) {
		leaf = in.Leaf
	}
	return fmt.Sprintf("%p %p %p %d", in.Param, in.Local, in.Table, leaf)
}

// key says what a value is: two that say the same are the same wherever both are in scope.
func key(v *ir.Instr) string {
	if ir.Ops[v.Op].Class != ir.Leaf || v.Op == ir.OpIter {
		return fmt.Sprintf("%p", v)
	}
	return fmt.Sprintf("%s %s %d %d %d %p %p", v.Op, v.Type, v.Bits, v.Dim, v.Leaf, v.Param, v.Sym)
}
