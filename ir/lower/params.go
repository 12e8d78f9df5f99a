package lower

import (
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// kernel lowers one kernel instance: its header as it stands, then its body.
func (l *lowerer) kernel(c *check.Kernel) *ir.Kernel {
	k := &ir.Kernel{
		Name: c.Name, Instance: c.Instance, Entry: c.Entry, Generics: generics(c.Generics), Doc: docLines(c.Decl.Doc), Pos: c.Decl.Name.Pos(),
		InPlace: c.InPlace, Targets: c.Targets, Exact: c.Exact, FastMath: c.FastMath, Threads: c.Threads, ByBlock: c.ByBlock,
	}
	for _, p := range c.Params {
		k.Params = append(k.Params, &ir.Param{Index: p.Index, Name: p.Name, Pos: p.Pos, Type: p.Type, Mut: p.Mut, Dims: p.Dims})
	}
	for _, s := range c.Symbols {
		k.Symbols = append(k.Symbols, &ir.Symbol{Index: s.Index, Name: s.Name, Param: s.Param, Dim: s.Dim, Pos: s.Pos})
	}
	for _, e := range c.Equal {
		k.Equal = append(k.Equal, ir.Equality(e))
	}
	for _, r := range c.Requires {
		k.Requires = append(k.Requires, ir.Require(r))
	}
	for _, d := range c.Domain {
		k.Domain = append(k.Domain, ir.Dim{Name: d.Name, Lo: d.Lo, Hi: d.Hi, Pos: d.Pos})
	}
	for _, t := range c.Group {
		k.Group = append(k.Group, ir.Thread{Name: t.Name, N: t.N, Pos: t.Pos})
	}
	b := newBody(l, c.Body, &k.Locals)
	b.byBlock = c.ByBlock
	b.exact, b.params, b.syms = c.Exact, k.Params, k.Symbols
	k.Body, b.root = b.Block, c.Decl.Body
	b.stmts(c.Decl.Body.Stmts)
	return k
}

// header lowers a header expression. The host has evaluated it before the launch, so its arithmetic cannot wrap.
func (b *body) header(h *types.Header) *ir.Instr {
	bin := func(op ir.Op) *ir.Instr {
		x := b.header(h.X)
		return noWrap(b.Bin(op, x, b.header(h.Y)))
	}
	switch h.Op {
	case types.HConst:
		return b.Int(h.Val)
	case types.HSym:
		return b.symbol(h.Name)
	case types.HNeg:
		return noWrap(b.Un(ir.OpNeg, b.header(h.X)))
	case types.HAdd:
		return bin(ir.OpAdd)
	case types.HSub:
		return bin(ir.OpSub)
	case types.HMul:
		return bin(ir.OpMul)
	case types.HDiv:
		return bin(ir.OpDiv)
	case types.HRem:
		return bin(ir.OpRem)
	case types.HMin:
		return bin(ir.OpMin)
	case types.HMax:
		return bin(ir.OpMax)
	case types.HCeilDiv:
		x := b.header(h.X)
		return b.ceilDiv(x, b.header(h.Y))
	}
	panic("lower: header expression " + h.String())
}

func noWrap(in *ir.Instr) *ir.Instr {
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg:
		in.NoWrap = true
	}
	return in
}

// symbol is the value of an extent symbol or int parameter.
func (b *body) symbol(name string) *ir.Instr {
	for _, s := range b.syms {
		if s.Name == name {
			return b.Extent(s)
		}
	}
	for _, p := range b.params {
		if p.Name == name {
			return b.Param(p)
		}
	}
	panic("lower: no symbol " + name)
}
