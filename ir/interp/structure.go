package interp

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// access compiles reads and writes of memory and variables.
func (c *compiler) access(in *ir.Instr) step {
	m := c.m
	switch in.Op {
	case ir.OpLocalGet:
		d, s, n := c.reg(in), c.locals[in.Local], words(in.Type)
		if n == 1 {
			return func(r []uint64) signal { r[d] = r[s]; return next }
		}
		return func(r []uint64) signal { copy(r[d:d+n], r[s:s+n]); return next }
	case ir.OpLocalSet:
		d, s, n := c.locals[in.Local], c.reg(in.Args[0]), words(in.Local.Type)
		if n == 1 {
			return func(r []uint64) signal { r[d] = r[s]; return next }
		}
		return func(r []uint64) signal { copy(r[d:d+n], r[s:s+n]); return next }
	case ir.OpElemGet:
		base, n := c.locals[in.Local], words(in.Type)
		at := m.index(in, in.Local.Name, arrayDims(in.Local.Type, len(in.Args)), c.regs(in.Args))
		d := c.reg(in)
		return func(r []uint64) signal {
			i, ok := at(r)
			if !ok {
				clear(r[d : d+n])
				return next
			}
			s := base + int(i)*n
			copy(r[d:d+n], r[s:s+n])
			return next
		}
	case ir.OpTableGet:
		at := m.index(in, in.Table.Name, in.Table.Type.Dims, c.regs(in.Args))
		d, elems := c.reg(in), in.Table.Bits
		return func(r []uint64) signal {
			r[d] = 0
			if i, ok := at(r); ok {
				r[d] = elems[i]
			}
			return next
		}
	case ir.OpElemSet:
		last := len(in.Args) - 1
		base, s, n := c.locals[in.Local], c.reg(in.Args[last]), words(in.Args[last].Type)
		at := m.index(in, in.Local.Name, arrayDims(in.Local.Type, last), c.regs(in.Args[:last]))
		return func(r []uint64) signal {
			if i, ok := at(r); ok {
				d := base + int(i)*n
				copy(r[d:d+n], r[s:s+n])
			}
			return next
		}
	case ir.OpLoad:
		return c.load(in)
	case ir.OpStore:
		return c.store(in)
	}
	panic(fmt.Sprintf("interp: access %s", in.Op))
}

// arrayDims are the first n dims of an array type, through arrays of arrays.
func arrayDims(t types.Type, n int) []int64 {
	var dims []int64
	for len(dims) < n {
		a := t.(*types.Array)
		dims, t = append(dims, a.Dims...), a.Elem
	}
	if len(dims) != n {
		panic("interp: an array is indexed in part of its dims")
	}
	return dims
}

func (c *compiler) load(in *ir.Instr) step {
	m, d := c.m, c.reg(in)
	b := m.args[in.Param.Index].Buffer
	leaf, view, inner := in.Access()
	at := m.index(in, in.Param.Name, m.dimsOf(in), c.regs(append(view[:len(view):len(view)], inner...)))
	data, get, sh, site := b.Data, loader(leaf.Kind), m.shadowOf(in.Param), m.site(in)
	if types.KindOf(b.Elem) == types.Invalid {
		place := placeOf(&leaf, types.Size(b.Elem))
		return func(r []uint64) signal {
			i, ok := at(r)
			if !ok {
				r[d] = 0
				return next
			}
			byteAt := place(i)
			if sh.cells != nil {
				m.read(sh.at(byteAt), false, site, i)
			}
			r[d] = get(data[byteAt:], 0)
			return next
		}
	}
	return func(r []uint64) signal {
		i, ok := at(r)
		if !ok {
			r[d] = 0
			return next
		}
		if sh.cells != nil {
			m.read(sh.element(i), false, site, i)
		}
		r[d] = get(data, i)
		return next
	}
}

func (c *compiler) store(in *ir.Instr) step {
	m, last := c.m, len(in.Args)-1
	b := m.args[in.Param.Index].Buffer
	leaf, _, _ := in.Access()
	at := m.index(in, in.Param.Name, m.dimsOf(in), c.regs(in.Args[:last]))
	v := c.reg(in.Args[last])
	data, set, sh, site := b.Data, storer(leaf.Kind), m.shadowOf(in.Param), m.site(in)
	if types.KindOf(b.Elem) == types.Invalid {
		place := placeOf(&leaf, types.Size(b.Elem))
		return func(r []uint64) signal {
			if i, ok := at(r); ok {
				byteAt := place(i)
				if sh.cells != nil {
					m.write(sh.at(byteAt), false, site, i)
				}
				set(data[byteAt:], 0, r[v])
			}
			return next
		}
	}
	return func(r []uint64) signal {
		if i, ok := at(r); ok {
			if sh.cells != nil {
				m.write(sh.element(i), false, site, i)
			}
			set(data, i, r[v])
		}
		return next
	}
}

// structure compiles what owns blocks or moves control.
func (c *compiler) structure(in *ir.Instr) step {
	switch in.Op {
	case ir.OpIf:
		return c.branch(in)
	case ir.OpRange:
		return c.ranges(in)
	case ir.OpLoop:
		return c.loop(in)
	case ir.OpScope:
		return c.scope(in)
	case ir.OpCondAnd, ir.OpCondOr:
		return c.shortCircuit(in)
	case ir.OpBreak, ir.OpContinue:
		sig := leave + level*signal(in.Level)
		if in.Op == ir.OpContinue {
			sig = again + level*signal(in.Level)
		}
		return func([]uint64) signal { return sig }
	case ir.OpBarrier:
		return c.barrier(in)
	case ir.OpReturn:
		return c.returns(in)
	case ir.OpAssert:
		return c.assert(in)
	case ir.OpCall:
		return c.call(in)
	}
	panic(fmt.Sprintf("interp: structure %s", in.Op))
}

func (c *compiler) branch(in *ir.Instr) step {
	cond := c.reg(in.Args[0])
	yes, no := c.block(in.Blocks[0]), c.block(in.Blocks[1])
	return func(r []uint64) signal {
		if r[cond] != 0 {
			return yes(r)
		}
		return no(r)
	}
}

// scope compiles a block that Break leaves. A Continue that counts to it goes on to the loop around it.
func (c *compiler) scope(in *ir.Instr) step {
	body := c.block(in.Blocks[0])
	return func(r []uint64) signal {
		sig := body(r)
		if sig == next || sig == again {
			return sig
		}
		return sig.out()
	}
}

func (c *compiler) shortCircuit(in *ir.Instr) step {
	x := c.reg(in.Args[0])
	body, y := c.yielding(in.Blocks[0])
	d := c.reg(in)
	decided := b2u(in.Op == ir.OpCondOr)
	return func(r []uint64) signal {
		if r[x] == decided {
			r[d] = decided
			return next
		}
		sig := body(r)
		r[d] = r[y]
		return sig
	}
}

func (c *compiler) ranges(in *ir.Instr) step {
	m, a := c.m, c.regs(in.Args)
	b := in.Blocks[0]
	iter := c.alloc(1)
	k := types.Int
	if b.Iter != nil {
		iter, k = c.reg(b.Iter), b.Iter.Kind()
	}
	if inner := in.Inner(); inner != nil { // one more index of the same loop, whose iterations are this one's
		c.nested[inner] = true
	}
	body := c.block(b)
	if in.Spread > 0 && c.m.unordered {
		body = c.m.iteration(body)
	}
	spread := in.Spread > 0 && m.kernel.ByBlock && len(m.kernel.Group) == 0
	if spread {
		body = m.turn(body)
	}
	less := binary(ir.OpLt, k)
	run := func(r []uint64) signal {
		i, hi, step := r[a[0]], r[a[1]], r[a[2]]
		if int64(step) <= 0 {
			m.broken(in)
			return next
		}
		for less(i, hi) != 0 {
			if m.left--; m.left < 0 {
				return stop
			}
			r[iter] = i
			if sig := body(r); sig != next && sig != again {
				return sig.out()
			}
			was := i
			if i = norm(k, i+step); less(was, i) == 0 {
				break // past the end of the type
			}
		}
		return next
	}
	if spread && !c.nested[in] {
		run = m.outermost(run)
	}
	if in.Spread > 0 && m.unordered && !c.nested[in] {
		return m.watched(in, run)
	}
	return run
}

func (c *compiler) loop(in *ir.Instr) step {
	m := c.m
	var cond step
	var test int
	if len(in.Blocks[0].Instrs) > 0 {
		cond, test = c.yielding(in.Blocks[0])
	}
	body, post := c.block(in.Blocks[1]), c.block(in.Blocks[2])
	return func(r []uint64) signal {
		for {
			if m.left--; m.left < 0 {
				return stop
			}
			if cond != nil {
				if sig := cond(r); sig != next {
					return sig.out()
				}
				if r[test] == 0 {
					return next
				}
			}
			if sig := body(r); sig != next && sig != again {
				return sig.out()
			}
			if sig := post(r); sig != next {
				return sig.out()
			}
		}
	}
}

func (c *compiler) returns(in *ir.Instr) step {
	if c.fn == nil {
		return func([]uint64) signal { return ret }
	}
	from, to := c.regs(in.Args), c.fn.results
	sizes := make([]int, len(from))
	for i, a := range in.Args {
		sizes[i] = words(a.Type)
	}
	return func(r []uint64) signal {
		for i, n := range sizes {
			copy(r[to[i]:to[i]+n], r[from[i]:from[i]+n])
		}
		return ret
	}
}

func (c *compiler) call(in *ir.Instr) step {
	args := c.regs(in.Args)
	f := c.function(in.Func)
	type move struct{ to, from, n int }
	var ins, outs []move
	for i, p := range in.Func.Params {
		ins = append(ins, move{c.locals[p], args[i], words(p.Type)})
	}
	for i, o := range in.Outs {
		if o != nil { // a blank result
			outs = append(outs, move{c.locals[o], f.results[i], words(o.Type)})
		}
	}
	return func(r []uint64) signal {
		clear(r[f.lo:f.hi])
		for _, v := range ins {
			copy(r[v.to:v.to+v.n], r[v.from:v.from+v.n])
		}
		if f.body(r) == stop {
			return stop
		}
		for _, v := range outs {
			copy(r[v.to:v.to+v.n], r[v.from:v.from+v.n])
		}
		return next
	}
}

func (c *compiler) function(fn *ir.Func) *function {
	if f, ok := c.funcs[fn]; ok {
		if f.body == nil {
			panic(fmt.Sprintf("interp: %s calls itself", fn.Instance))
		}
		return f
	}
	f := &function{}
	c.funcs[fn] = f
	f.lo, f.hi = c.place(fn.Locals)
	for _, t := range fn.Results {
		f.results = append(f.results, c.alloc(words(t)))
	}
	outer := c.fn
	c.fn = f
	f.body = c.block(fn.Body)
	c.fn = outer
	return f
}
